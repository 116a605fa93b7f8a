/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/scores.h"

#include "core/base/base.h"

#define HEADING "sample,true,predicted,near_predicted,near_true\n"
#define EARLIER_HEADING "sample,true,predicted\n"

/* Sample numbers with spaces between them, such as ",7 12 3". */
static void
append_nearest (GString *csv, const int nearest[TOSST_NEAREST])
{
  g_string_append_c (csv, ',');
  for (int k = 0; k < TOSST_NEAREST && nearest[k] >= 0; k++)
    g_string_append_printf (csv, k > 0 ? " %d" : "%d", nearest[k]);
}

GBytes *
tosst_predictions_to_csv (const GArray *predictions)
{
  GString *csv = g_string_new (HEADING);

  TOSST_FOR_EACH (const TosstPrediction, one, predictions)
    {
      g_string_append_printf (csv, "%u,%d,%d", one->sample, one->truth, one->predicted);
      append_nearest (csv, one->nearest[0]);
      append_nearest (csv, one->nearest[1]);
      g_string_append_c (csv, '\n');
    }
  return g_string_free_to_bytes (csv);
}

/* Takes a whole number from `least` on, of at most 31 bits, and the character after it, one of `ends`. */
static gboolean
take_number (const char **at, int least, int *number, const char *ends)
{
  char *rest;

  if (!g_ascii_isdigit (**at) && **at != '-')
    return FALSE;
  gint64 value = g_ascii_strtoll (*at, &rest, 10);
  if (value < least || value > G_MAXINT || rest == *at || *rest == '\0' || strchr (ends, *rest) == NULL)
    return FALSE;
  *number = (int)value;
  *at = rest + 1;
  return TRUE;
}

/* The numbers before the end of a list. */
static gboolean
take_nearest (const char **at, int nearest[TOSST_NEAREST], char end)
{
  const char ends[] = { ' ', end, '\0' };

  for (int k = 0; k < TOSST_NEAREST && **at != end; k++)
    {
      if (!take_number (at, 0, &nearest[k], ends))
        return FALSE;
      if ((*at)[-1] == end)
        return TRUE;
    }
  return *(*at)++ == end;
}

int *
tosst_confusion_from_csv (GBytes *csv, int classes, gint64 *sum)
{
  gsize size, n = (gsize)classes * (gsize)classes;
  const char *data = g_bytes_get_data (csv, &size);
  g_autofree int *confusion = size / 2 >= n ? g_try_new (int, n) : NULL;
  g_autofree char *text = confusion ? g_strndup (data, size) : NULL;
  const char *at = text;
  gint64 all = 0;

  for (gsize i = 0; at && i < n; i++)
    {
      if (!take_number (&at, 0, &confusion[i], ",\n"))
        return NULL;
      all += confusion[i];
    }
  if (sum)
    *sum = all;
  return at && *at == '\0' ? g_steal_pointer (&confusion) : NULL;
}

GArray *
tosst_predictions_from_csv (GBytes *csv, const int *confusion, int classes)
{
  gsize size;
  const char *data = g_bytes_get_data (csv, &size);
  g_autofree char *text = g_strndup (size > 0 ? data : "", size); /* zero-terminated */
  g_autofree int *left = g_memdup2 (confusion, sizeof *left * (gsize)classes * (gsize)classes);
  g_autoptr (GArray) predictions = g_array_new (FALSE, FALSE, sizeof (TosstPrediction));
  gsize n = (gsize)classes;
  gboolean near = g_str_has_prefix (text, HEADING);

  if (!near && !g_str_has_prefix (text, EARLIER_HEADING))
    return NULL;
  const char *at = text + strlen (near ? HEADING : EARLIER_HEADING);
  while (*at != '\0')
    {
      TosstPrediction one;
      int sample;

      memset (one.nearest, 0xff, sizeof one.nearest); /* -1 */
      if (!take_number (&at, 0, &sample, ",") || !take_number (&at, 0, &one.truth, ",")
          || !take_number (&at, 0, &one.predicted, near ? "," : "\n") || one.truth >= classes
          || one.predicted >= classes
          || (near && (!take_nearest (&at, one.nearest[0], ',') || !take_nearest (&at, one.nearest[1], '\n')))
          || left[(gsize)one.truth * n + (gsize)one.predicted]-- == 0)
        return NULL;
      one.sample = (guint)sample;
      g_array_append_val (predictions, one);
    }
  for (gsize i = 0; i < n * n; i++)
    if (left[i] != 0)
      return NULL;
  return g_steal_pointer (&predictions);
}

TOSST_DEFINE_PUBLIC_CLEAR (TosstSplitResult, tosst_run_split_clear, gpointer, (confusion, g_free),
                           (predictions, g_array_unref), (parts, g_array_unref), (scores, tosst_scores_unref),
                           (margins, tosst_scores_unref), (dictionary, tosst_dictionary_free))

TosstScores *
tosst_scores_new (guint samples, int classes)
{
  TosstScores *self = g_atomic_rc_box_new0 (TosstScores);

  self->samples = samples;
  self->classes = classes;
  /* Not NULL without samples: rows are reached by offsets. */
  self->sample = g_new0 (guint, (gsize)samples + 1);
  self->margin = g_new0 (double, (gsize)samples *(gsize)classes + 1);
  self->label = g_new0 (int, (gsize)samples *(gsize)classes + 1);
  return self;
}

TOSST_DEFINE_SHARED (TosstScores, tosst_scores, (sample, g_free), (margin, g_free), (label, g_free))

gboolean
tosst_scores_average_precision (const TosstScores *self, int class_index, TosstAveragePrecision *result,
                                TosstRecallPoint *curve, GError **error)
{
  g_autofree double *column = g_new (double, self->samples);

  for (guint i = 0; i < self->samples; i++)
    column[i] = self->margin[(gsize)i * (gsize)self->classes + (gsize)class_index];
  TosstStatus status = tosst_average_precision (column, self->label + (gsize)class_index * self->samples, self->samples,
                                                result, curve);
  return tosst_error_from_status (status, NULL, _ ("Average precision"), error);
}

gboolean
tosst_scores_mean (const TosstScores *self, TosstScore score, double *per_class, double *mean, GError **error)
{
  double sum = 0;
  int n = 0;

  for (int c = 0; c < self->classes; c++)
    {
      TosstAveragePrecision result;

      if (!tosst_scores_average_precision (self, c, &result, NULL, error))
        return FALSE;
      double value = 100 * (score == TOSST_SCORE_AREA ? result.area : result.ap11);
      if (per_class != NULL)
        per_class[c] = value;
      if (isnan (value))
        continue;
      sum += value;
      n++;
    }
  *mean = n > 0 ? sum / n : NAN;
  return TRUE;
}

/* A mean of the values that are defined. */
typedef struct
{
  double sum;
  guint n;
} Mean;

static void
mean_add (Mean *mean, double value)
{
  if (isnan (value))
    return;
  mean->sum += value;
  mean->n++;
}

static double
mean_value (const Mean *mean)
{
  return mean->n > 0 ? mean->sum / mean->n : NAN;
}

/* Means of both scores, and the tests counted. */
typedef struct
{
  Mean ap11, area;
  gsize positives, negatives;
} Means;

static void
means_add (Means *means, double ap11, double area)
{
  mean_add (&means->ap11, ap11);
  mean_add (&means->area, area);
}

static TosstClassScore
means_value (const Means *means)
{
  return (TosstClassScore){ mean_value (&means->ap11), mean_value (&means->area), means->positives, means->negatives };
}

/* Adds one split to the means of each class, and the mean over its classes to total. */
static gboolean
add_split (const TosstScores *self, Means *classes, Means *total, GError **error)
{
  Means over = { 0 };

  for (int c = 0; c < self->classes; c++)
    {
      TosstAveragePrecision one;

      if (!tosst_scores_average_precision (self, c, &one, NULL, error))
        return FALSE;
      means_add (&classes[c], 100 * one.ap11, 100 * one.area);
      means_add (&over, 100 * one.ap11, 100 * one.area);
      classes[c].positives += one.positives;
      classes[c].negatives += one.negatives;
      total->positives += one.positives;
      total->negatives += one.negatives;
    }
  means_add (total, mean_value (&over.ap11), mean_value (&over.area));
  return TRUE;
}

gboolean
tosst_scores_summarise (TosstScores *const *splits, guint n, TosstClassScore *per_class, TosstClassScore *mean,
                        GError **error)
{
  int classes = n > 0 ? splits[0]->classes : 0;
  g_autofree Means *means = g_new0 (Means, classes);
  Means total = { 0 };

  for (guint i = 0; i < n; i++)
    if (!add_split (splits[i], means, &total, error))
      return FALSE;
  for (int c = 0; per_class != NULL && c < classes; c++)
    per_class[c] = means_value (&means[c]);
  if (mean != NULL)
    *mean = means_value (&total);
  return TRUE;
}

TosstRecallPoint *
tosst_scores_curve (const TosstScores *self, int class_index, gsize *n, GError **error)
{
  g_autofree TosstRecallPoint *curve = g_new (TosstRecallPoint, self->samples + 1);
  TosstAveragePrecision result;

  *n = 0;
  if (!tosst_scores_average_precision (self, class_index, &result, curve, error))
    return NULL;
  gsize all = result.positives > 0 ? result.positives + result.negatives : 0;
  for (gsize i = 0; i < all; i++)
    if (*n == 0 || i + 1 == all || curve[i].recall != curve[*n - 1].recall || curve[i + 1].recall != curve[i].recall)
      curve[(*n)++] = curve[i]; /* never ahead of i */
  return g_steal_pointer (&curve);
}

const char *
tosst_score_label (TosstScore score)
{
  return score == TOSST_SCORE_ACCURACY ? _ ("Accuracy") : _ ("Mean average precision");
}

const char *
tosst_score_name (TosstScore score)
{
  static const char *const names[] = { "accuracy", "ap11", "area" };

  return names[score];
}

TosstClassScore *
tosst_run_result_class_scores (const TosstRunResult *result, TosstClassScore *mean, GError **error)
{
  g_autoptr (GPtrArray) splits = g_ptr_array_new ();
  g_autofree TosstClassScore *classes = g_new0 (TosstClassScore, result->classes + 1);

  for (int s = 0; s < result->splits; s++)
    if (result->split[s].scores != NULL)
      g_ptr_array_add (splits, result->split[s].scores);
  for (int c = 0; c < result->classes; c++)
    classes[c].ap11 = classes[c].area = NAN;
  return tosst_scores_summarise ((TosstScores *const *)(gpointer)splits->pdata, splits->len, classes, mean, error)
             ? g_steal_pointer (&classes)
             : NULL;
}

/* Scores as text: in the store, to be read again, and for users with the names of images and classes. */

static int
label_of (const TosstScores *self, guint test, int class_index)
{
  return self->label[(gsize)class_index * self->samples + test];
}

static double
margin_of (const TosstScores *self, guint test, int class_index)
{
  return self->margin[(gsize)test * (gsize)self->classes + (gsize)class_index];
}

static GString *
heading (int classes)
{
  GString *line = g_string_new ("sample");

  for (int c = 0; c < classes; c++)
    g_string_append (line, ",margin");
  for (int c = 0; c < classes; c++)
    g_string_append (line, ",label");
  return g_string_append_c (line, '\n');
}

GBytes *
tosst_scores_to_csv (const TosstScores *self)
{
  GString *csv = heading (self->classes);

  for (guint i = 0; i < self->samples; i++)
    {
      g_string_append_printf (csv, "%u", self->sample[i]);
      for (int c = 0; c < self->classes; c++)
        tosst_csv_next_real (csv, margin_of (self, i, c));
      for (int c = 0; c < self->classes; c++)
        g_string_append_printf (csv, ",%d", label_of (self, i, c));
      g_string_append_c (csv, '\n');
    }
  return g_string_free_to_bytes (csv);
}

/* Samples ascend. */
static gboolean
take_line (const char **at, TosstScores *into, guint i)
{
  char *rest;
  int sample;

  if (!take_number (at, 0, &sample, ",") || (i > 0 && (guint)sample <= into->sample[i - 1]))
    return FALSE;
  into->sample[i] = (guint)sample;
  for (int c = 0; c < into->classes; c++)
    {
      double *margin = &into->margin[(gsize)i * (gsize)into->classes + (gsize)c];

      *margin = g_ascii_strtod (*at, &rest);
      if (isnan (*margin) || rest == *at || *rest != ',')
        return FALSE;
      *at = rest + 1;
    }
  for (int c = 0; c < into->classes; c++)
    {
      int *label = &into->label[(gsize)c * into->samples + i];

      if (!take_number (at, -1, label, c + 1 < into->classes ? "," : "\n") || *label > 1)
        return FALSE;
    }
  return TRUE;
}

/* A number takes at least two bytes, so that the allocation is bounded by the length of the text. */
TosstScores *
tosst_scores_from_csv (GBytes *csv, int classes)
{
  gsize size, numbers = 1 + 2 * (gsize)classes;
  const char *data = g_bytes_get_data (csv, &size), *at;
  g_autofree char *text = g_strndup (size > 0 ? data : "", size); /* zero-terminated */
  guint lines = 0;

  for (at = text; (at = strchr (at, '\n')) != NULL; at++)
    lines++;
  if (classes <= 0 || numbers > size / 2)
    return NULL;
  g_autoptr (GString) first = heading (classes);
  if (!g_str_has_prefix (text, first->str) || size / 2 / numbers < lines - 1)
    return NULL;
  g_autoptr (TosstScores) self = tosst_scores_new (lines - 1, classes);
  at = text + first->len;
  for (guint i = 0; i < self->samples; i++)
    if (!take_line (&at, self, i))
      return NULL;
  return *at == '\0' ? g_steal_pointer (&self) : NULL;
}

/* --- for users --- */

static void
append_names (GString *csv, const TosstRunResult *result, const char *suffix)
{
  for (int c = 0; c < result->classes; c++)
    {
      g_autofree char *name = g_strconcat (result->class_names[c], suffix, NULL);

      tosst_csv_next_field (csv, name);
    }
}

static gboolean
has_blocks (TosstDataset *dataset)
{
  return dataset->samples->len > dataset->entries->len;
}

static void
append_tests (GString *csv, const TosstScores *self, TosstDataset *dataset, int split)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < self->samples; i++)
    {
      const TosstSample *sample = tosst_dataset_sample (dataset, self->sample[i]);

      tosst_csv_append_field (csv, tosst_dataset_image (dataset, (guint)sample->image)->name);
      if (has_blocks (dataset))
        g_string_append_printf (csv, ",%d,%d", sample->x, sample->y);
      for (int c = 0; c < self->classes; c++)
        g_string_append_printf (csv, ",%s", g_ascii_formatd (text, sizeof text, "%.9g", margin_of (self, i, c)));
      for (int c = 0; c < self->classes; c++)
        g_string_append_printf (csv, ",%d", label_of (self, i, c));
      g_string_append_printf (csv, ",%d\n", split + 1);
    }
}

char *
tosst_run_result_scores_csv (const TosstRunResult *result, TosstDataset *dataset)
{
  GString *csv = g_string_new (has_blocks (dataset) ? "image,x,y" : "image");

  append_names (csv, result, "");
  append_names (csv, result, " label");
  g_string_append (csv, ",split\n");
  for (int s = 0; s < result->splits; s++)
    {
      const TosstSplitResult *split = &result->split[s];
      const TosstScores *scores = split->scores != NULL ? split->scores : split->margins;

      if (scores != NULL)
        append_tests (csv, scores, dataset, split->split);
    }
  return g_string_free (csv, FALSE);
}

static gboolean
append_curve (GString *csv, const TosstScores *scores, int class_index, const char *name, int split, GError **error)
{
  gsize n;
  g_autofree TosstRecallPoint *curve = tosst_scores_curve (scores, class_index, &n, error);

  if (curve == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      tosst_csv_append_field (csv, name);
      tosst_csv_next_real (csv, curve[i].recall);
      tosst_csv_next_real (csv, curve[i].precision);
      g_string_append_printf (csv, ",%d\n", split + 1);
    }
  return TRUE;
}

char *
tosst_run_result_curves_csv (const TosstRunResult *result, GError **error)
{
  g_autoptr (GString) csv = g_string_new ("class,recall,precision,split\n");

  for (int s = 0; s < result->splits; s++)
    for (int c = 0; result->split[s].scores != NULL && c < result->classes; c++)
      if (!append_curve (csv, result->split[s].scores, c, result->class_names[c], result->split[s].split, error))
        return NULL;
  return g_string_free (g_steal_pointer (&csv), FALSE);
}
