/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Data of a run read from its store, values computed from them, and their text forms.
 */
#include "core/report/run.h"
#include "core/base/base.h"
#include "core/plot/chart-private.h"
#include "core/run/scores.h"

/* Maximum number of splits of a run; leave-one-out has at most one per image. */
#define MAX_SPLITS 1000000
#define MAX_NUMBER 1e150
#define MAX_SECONDS 1e12 /* seconds since 1970, or a duration */

/* --- members of the store's description --- */

/* Larger numbers are invalid and become infinite, so that differences of finite ones are finite, too. */
static double
node_number (JsonNode *node)
{
  double number = NAN;

  if (!node || !JSON_NODE_HOLDS_VALUE (node))
    return NAN;
  if (json_node_get_value_type (node) == G_TYPE_STRING)
    number = g_ascii_strtod (json_node_get_string (node), NULL); /* "inf" */
  else
    number = json_node_get_double (node);
  return fabs (number) > MAX_NUMBER ? copysign (INFINITY, number) : number;
}

static double
number_of (JsonObject *object, const char *name)
{
  return object ? node_number (json_object_get_member (object, name)) : NAN;
}

static JsonObject *
object_of (JsonObject *object, const char *name)
{
  JsonNode *node = object ? json_object_get_member (object, name) : NULL;

  return node && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

static const char *
text_of (JsonObject *object, const char *name)
{
  JsonNode *node = object ? json_object_get_member (object, name) : NULL;

  return node && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

const char *
tosst_report_run_text (const TosstReportRun *self, const char *member)
{
  const char *text = text_of (self->json, member);

  return text ? text : "";
}

const char *
tosst_report_run_parameter (const TosstReportRun *self, const char *name)
{
  return text_of (object_of (self->json, "parameters"), name);
}

double
tosst_report_run_seconds (const TosstReportRun *self, const char *stage)
{
  return number_of (object_of (self->json, "seconds"), stage);
}

double *
tosst_report_run_series (const TosstReportRun *self, int split, const char *name, guint *n)
{
  g_autofree char *key = g_strdup_printf ("%d", split);
  JsonObject *names = object_of (object_of (self->json, "series"), key);
  JsonNode *node = names ? json_object_get_member (names, name) : NULL;
  JsonArray *array = node && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  *n = array ? json_array_get_length (array) : 0;
  if (*n == 0)
    return NULL;
  double *values = g_new (double, *n);
  for (guint i = 0; i < *n; i++)
    values[i] = node_number (json_array_get_element (array, i));
  return values;
}

double
tosst_report_run_number (const TosstReportRun *self, int split, const char *prefix, const char *name)
{
  g_autofree char *number = g_strdup_printf ("%d", split), *key = g_strconcat (prefix, name, NULL);

  return number_of (object_of (object_of (self->json, "results"), number), key);
}

/* --- loading --- */

static int
compare_splits (gconstpointer a, gconstpointer b)
{
  return ((const TosstSplitResult *)a)->split - ((const TosstSplitResult *)b)->split;
}

static void
load_splits (TosstReportRun *self)
{
  JsonObject *results = object_of (self->json, "results");
  g_autoptr (GList) names = results ? json_object_get_members (results) : NULL;

  for (GList *l = names; l; l = l->next)
    {
      JsonObject *one = object_of (results, l->data);
      TosstSplitResult split = { .split = atoi (l->data) };

      for (guint i = 0; i < TOSST_SPLIT_OWN_NUMBERS; i++)
        G_STRUCT_MEMBER (double, &split, tosst_split_numbers[i].offset) = number_of (one, tosst_split_numbers[i].name);
      g_array_append_val (self->done, split);
    }
  g_array_sort (self->done, compare_splits);
  self->accuracy = tosst_split_mean ((const TosstSplitResult *)(gpointer)self->done->data, self->done->len,
                                     G_STRUCT_OFFSET (TosstSplitResult, accuracy), &self->deviation);
}

static gboolean
load_confusion (TosstReportRun *self, TosstStore *store, int split, GError **error)
{
  g_autoptr (GBytes) csv = tosst_store_artifact (store, self->id, split, "confusion.csv", error);
  gint64 tests = 0;
  gsize n = (gsize)self->classes * self->classes;
  g_autofree int *counts = csv ? tosst_confusion_from_csv (csv, (int)self->classes, &tests) : NULL;

  if (!csv)
    return FALSE;
  /* Row sums are stored as int. */
  if (!counts || tests > G_MAXINT - self->tests)
    return tosst_fail (error, TOSST_FAILED_DAMAGED, _ ("the confusion matrix of split %d is damaged"), split + 1);
  self->tests += tests;
  if (!self->confusion)
    self->confusion = g_steal_pointer (&counts);
  else
    for (gsize i = 0; i < n; i++)
      self->confusion[i] += counts[i];
  return TRUE;
}

static gboolean
load_scores (TosstReportRun *self, TosstStore *store, int split, GError **error)
{
  g_autoptr (GBytes) csv = tosst_store_artifact (store, self->id, split, TOSST_STORE_SCORES, error);
  TosstScores *scores = csv ? tosst_scores_from_csv (csv, (int)self->classes) : NULL;

  if (!csv)
    return FALSE;
  if (!scores)
    return tosst_fail (error, TOSST_FAILED_DAMAGED, _ ("the scores of split %d are damaged"), split + 1);
  g_ptr_array_add (self->scores, scores);
  return TRUE;
}

/* Those of the first split. */
static void
load_predictions (TosstReportRun *self, TosstStore *store, GError **error)
{
  g_autoptr (GBytes) csv = tosst_store_artifact (store, self->id, 0, TOSST_STORE_PREDICTIONS, error);
  g_autoptr (GBytes) counts = csv ? tosst_store_artifact (store, self->id, 0, "confusion.csv", error) : NULL;
  g_autofree int *confusion = counts ? tosst_confusion_from_csv (counts, (int)self->classes, NULL) : NULL;

  self->predictions = confusion ? tosst_predictions_from_csv (csv, confusion, (int)self->classes) : NULL;
}

static gboolean
load_dictionary (TosstReportRun *self, TosstStore *store, int split, const char *name, GError **error)
{
  g_autoptr (GBytes) bytes = tosst_store_artifact (store, self->id, split, name, error);

  if (!bytes)
    return FALSE;
  self->dictionary = tosst_dictionary_from_bytes (bytes, name, NULL, error);
  self->dictionary_split = split;
  return self->dictionary != NULL;
}

/* Damaged parts are omitted from the report, with a note; an unreadable store (locked) is an error. */
static gboolean
note_trouble (TosstReportRun *self, GError *cause, GError **error)
{
  if (g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_OUTPUT))
    return tosst_pass_error (error, &cause);
  if (!self->trouble)
    self->trouble = g_strdup_printf (_ ("A part of this run is missing in the report: %s."), cause->message);
  g_error_free (cause);
  return TRUE;
}

static gboolean
load_artifact (TosstReportRun *self, TosstStore *store, int split, const char *name, GError **error)
{
  /* A model without a dictionary has no atoms to draw. */
  gboolean learns = !self->recipe || tosst_recipe_has_dictionary (self->recipe);
  GError *cause = NULL;

  if (strcmp (name, "confusion.csv") == 0 && split >= 0 && self->classes > 0)
    load_confusion (self, store, split, &cause);
  else if (strcmp (name, TOSST_STORE_PREDICTIONS) == 0 && split == 0 && self->classes > 0)
    load_predictions (self, store, &cause);
  else if (strcmp (name, TOSST_STORE_SCORES) == 0 && split >= 0 && self->classes > 0)
    load_scores (self, store, split, &cause);
  else if (strcmp (name, "model.npz") == 0 && learns && !self->dictionary)
    load_dictionary (self, store, split, name, &cause);
  return !cause || note_trouble (self, cause, error);
}

static gboolean
load_artifacts (TosstReportRun *self, TosstStore *store, GError **error)
{
  JsonObject *artifacts = object_of (self->json, "artifacts");
  g_autoptr (GList) names = artifacts ? json_object_get_members (artifacts) : NULL;

  for (GList *l = names; l; l = l->next)
    {
      JsonObject *one = object_of (artifacts, l->data);
      const char *name = text_of (one, "name");

      if (name && !load_artifact (self, store, (int)json_object_get_int_member (one, "split"), name, error))
        return FALSE;
    }
  return TRUE;
}

TosstReportRun *
tosst_report_run_load (TosstStore *store, gint64 run, GError **error)
{
  g_autoptr (TosstReportRun) self = g_new0 (TosstReportRun, 1);

  self->id = run;
  self->done = g_array_new (FALSE, FALSE, sizeof (TosstSplitResult));
  self->scores = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_scores_unref);
  self->json = tosst_store_run_json (store, run, error);
  if (!self->json)
    return NULL;
  self->recipe = tosst_store_recipe (store, run, NULL);
  self->state = tosst_run_state_find (tosst_report_run_text (self, "state"), TOSST_RUN_STOPPED);
  const char *dataset = tosst_report_run_text (self, "dataset");
  self->title = g_strdup (tosst_report_run_text (self, "title"));
  self->dataset = g_strdup (*dataset ? dataset : _ ("an unknown data set"));
  self->started = number_of (self->json, "started");
  self->finished = number_of (self->json, "finished");
  self->seconds = tosst_report_run_seconds (self, "total");
  self->splits = (int)fmin (fmax (number_of (self->json, "splits"), 0), MAX_SPLITS); /* 0 for NAN */
  load_splits (self);

  JsonNode *node = json_object_get_member (self->json, "classes");
  JsonArray *names = node && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  self->classes = names ? json_array_get_length (names) : 0;
  self->class_names = g_new0 (char *, self->classes + 1);
  for (guint i = 0; i < self->classes; i++)
    self->class_names[i] = tosst_clean_text (json_node_get_string (json_array_get_element (names, i)));
  if (!load_artifacts (self, store, error))
    return NULL;
  self->score = self->recipe        ? tosst_recipe_score (self->recipe)
                : self->scores->len ? TOSST_SCORE_AP11
                                    : TOSST_SCORE_ACCURACY;
  return g_steal_pointer (&self);
}

TOSST_DEFINE_PUBLIC_FREE (TosstReportRun, tosst_report_run_free, TosstReportRun *, (json, json_object_unref),
                          (recipe, tosst_recipe_free), (title, g_free), (dataset, g_free), (done, g_array_unref),
                          (scores, g_ptr_array_unref), (predictions, g_array_unref),
                          (dictionary, tosst_dictionary_free), (class_names, g_strfreev), (confusion, g_free),
                          (trouble, g_free))

/* --- for people --- */

char *
tosst_report_number (double value, int digits)
{
  return isnan (value)   ? g_strdup ("–")
         : isinf (value) ? g_strdup (value > 0 ? "∞" : "−∞")
                         : tosst_number_label (value, digits);
}

double
tosst_report_mean (const TosstReportRun *self, gsize offset)
{
  double deviation;

  return tosst_split_mean ((const TosstSplitResult *)(gconstpointer)self->done->data, self->done->len, offset,
                           &deviation);
}

char *
tosst_report_percent (double accuracy, double deviation)
{
  if (isnan (accuracy))
    return g_strdup ("–");
  return isnan (deviation) ? g_strdup_printf ("%.2f %%", accuracy)
                           : g_strdup_printf ("%.2f ± %.2f %%", accuracy, deviation);
}

char *
tosst_report_time (double seconds)
{
  g_autoptr (GDateTime) time
      = !(fabs (seconds) < MAX_SECONDS) ? NULL : g_date_time_new_from_unix_local ((gint64)seconds);

  return time ? g_date_time_format (time, "%Y-%m-%d %H:%M") : g_strdup ("–");
}

char *
tosst_report_duration (double seconds)
{
  gint64 s = fabs (seconds) < MAX_SECONDS ? (gint64)round (seconds) : 0;

  if (!(fabs (seconds) < MAX_SECONDS))
    return g_strdup ("–");
  if (seconds < 9.95)
    return g_strdup_printf (_ ("%.1f s"), seconds);
  if (s < 60)
    return g_strdup_printf (_ ("%d s"), (int)s);
  if (s < 3600)
    return g_strdup_printf (_ ("%d min %d s"), (int)(s / 60), (int)(s % 60));
  return g_strdup_printf (_ ("%d h %d min"), (int)(s / 3600), (int)(s % 3600 / 60));
}

const char *
tosst_report_value (const char *text)
{
  return text && *text ? text : "–";
}

char *
tosst_report_label (const TosstParameter *parameter)
{
  return parameter->symbol ? g_strdup_printf ("%s (%s)", _ (parameter->label), parameter->symbol)
                           : g_strdup (_ (parameter->label));
}
