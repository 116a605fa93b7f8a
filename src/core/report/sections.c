/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sections of the report on one run.
 */
#include <gdk-pixbuf/gdk-pixbuf.h>

#include "core/base/base.h"
#include "core/base/json-text.h"
#include "core/data/dataset.h"
#include "core/method/parts.h"
#include "core/plot/chart-private.h"
#include "core/plot/draw-code.h"
#include "core/report/private.h"
#include "core/run/scores.h"

/* Atoms in a report: thumbnails of all, and one in full size. */

#define A_ROW 12
#define MAX_SHOWN 144
#define SHOWN_OF_SEVERAL 24 /* atoms of each run of several */

/* Copies of the thumbnails' data, as the figure is drawn later than the run is freed. */
typedef struct
{
  int n, rows, columns;
  double *matrices; /* n x rows x columns */
} Sheet;

TOSST_DEFINE_FREE (Sheet, sheet_free, (matrices, g_free))

static Sheet *
sheet_new (const TosstDictionary *dictionary, int first, int n)
{
  Sheet *sheet = g_new0 (Sheet, 1);

  sheet->n = n;
  sheet->rows = dictionary->shape.d1;
  sheet->columns = dictionary->shape.d2;
  sheet->matrices = g_new (double, (gsize)n *(gsize)sheet->rows *(gsize)sheet->columns);
  for (int k = 0; k < n; k++)
    tosst_dictionary_matrix (dictionary, first + k,
                             sheet->matrices + (gsize)k * (gsize)sheet->rows * (gsize)sheet->columns);
  return sheet;
}

static void
draw_sheet (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  const Sheet *sheet = data;
  gsize entries = (gsize)sheet->rows * (gsize)sheet->columns;
  int lines = (sheet->n + A_ROW - 1) / A_ROW;
  gboolean negative;
  double gap = 0.012 * width, side = (width + gap) / A_ROW - gap, step = height / lines;

  g_auto (TosstText) text = tosst_text_new (style);
  for (int k = 0; k < sheet->n; k++)
    {
      double x = k % A_ROW * (side + gap), y = k / A_ROW * step;
      g_autofree char *label = g_strdup_printf ("%d", k + 1);

      const double *matrix = sheet->matrices + (gsize)k * entries;

      tosst_draw_cells (cr, style, matrix, sheet->rows, sheet->columns, tosst_matrix_limit (matrix, entries, &negative),
                        x, y, side / MAX (sheet->rows, sheet->columns));
      tosst_color_set (cr, tosst_color_dim (style), 1.0);
      tosst_text_draw (&text, cr, label, x + 0.5 * side, y + side + 1, 0.5, 0.0, 0, 0.0, 0.8, FALSE);
    }
}

static void
draw_one (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  const Sheet *sheet = data;

  tosst_draw_named_matrix (cr, width, height, style,
                           &(TosstMatrixDrawing){ sheet->matrices, sheet->rows, sheet->columns });
}

static void
draw_vector (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  const Sheet *sheet = data;

  tosst_draw_bars (cr, width, height, style, &(TosstBarsDrawing){ sheet->matrices, sheet->columns, NULL });
}

/* Energy of an atom: ‖B_k‖ ‖b_k‖. */
static double
energy (const TosstDictionary *dictionary, int k)
{
  double v = 0, b = 0;

  for (int i = 0; i < dictionary->D; i++)
    v += pow (dictionary->V[(gsize)k * (gsize)dictionary->D + (gsize)i], 2);
  for (int s = 0; s < dictionary->S; s++)
    b += pow (dictionary->b[(gsize)k * (gsize)dictionary->S + (gsize)s], 2);
  return sqrt (v * b);
}

static void
add_largest (TosstDocument *document, const TosstDictionary *dictionary)
{
  int k = 0;

  for (int i = 1; i < dictionary->K; i++)
    k = energy (dictionary, i) > energy (dictionary, k) ? i : k;
  g_autofree char *description = g_strdup_printf (_ ("The matrix of atom %d as a heat map"), k + 1);
  g_autofree char *title = g_strdup_printf (_ ("b of atom %d"), k + 1);
  tosst_document_add_figure (document, draw_one, sheet_new (dictionary, k, 1), sheet_free, TOSST_REPORT_HALF, 320, TRUE,
                             description);

  Sheet *sheet = g_new0 (Sheet, 1);
  gsize n = (gsize)dictionary->S;

  *sheet = (Sheet){ 1, 1, dictionary->S, g_memdup2 (dictionary->b + (gsize)k * n, n * sizeof (double)) };
  tosst_document_add_figure (document, draw_vector, sheet, sheet_free, TOSST_REPORT_HALF, 320, TRUE, title);
  tosst_document_add (document, TOSST_BLOCK_REMARK,
                      _ ("Atom %d, which has the largest energy ‖B‖ ‖b‖: its matrix, and its weight in each slice."),
                      k + 1);
}

static void
add_atoms (TosstDocument *document, const TosstReportRun *run, int most)
{
  if (!run->dictionary)
    return;
  tosst_document_add (document, TOSST_BLOCK_SECTION, _ ("Atoms of split %d"), run->dictionary_split + 1);

  int n = MIN (run->dictionary->K, most), lines = (n + A_ROW - 1) / A_ROW;
  double gap = 0.012 * TOSST_REPORT_WIDTH, side = (TOSST_REPORT_WIDTH + gap) / A_ROW - gap;
  g_autofree char *description = g_strdup_printf (ngettext ("%d atom as a heat map", "%d atoms as heat maps", n), n);

  tosst_document_add_figure (document, draw_sheet, sheet_new (run->dictionary, 0, n), sheet_free, TOSST_REPORT_WIDTH,
                             lines * (side + 18), FALSE, description);
  if (n < run->dictionary->K)
    tosst_document_add (document, TOSST_BLOCK_REMARK,
                        _ ("Matrices B of the first %d of %d atoms, each coloured relative to its own largest entry."),
                        n, run->dictionary->K);
  else
    tosst_document_add (document, TOSST_BLOCK_REMARK,
                        _ ("Matrices B of all atoms, each coloured relative to its own largest entry."));
  if (run->dictionary->S > 1)
    add_largest (document, run->dictionary);
}

/* Confusions of a run: matrix, worst classes, most frequent confusions. */

#define WORST 12 /* number of classes, confusions and wrong images shown first */

typedef struct
{
  int *counts;
  guint classes;
  char **names;
} Confusion;

TOSST_DEFINE_FREE (Confusion, confusion_free, (counts, g_free), (names, g_strfreev))

static void
draw_confusion (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  const Confusion *confusion = data;

  tosst_draw_confusion (cr, width, height, style, confusion->counts, confusion->classes,
                        (const char *const *)confusion->names);
}

static int
count (const TosstReportRun *run, guint row, guint column)
{
  return run->confusion[(gsize)row * run->classes + column];
}

static int
tests_of (const TosstReportRun *run, guint row)
{
  int tests = 0;

  for (guint column = 0; column < run->classes; column++)
    tests += count (run, row, column);
  return tests;
}

/* --- classes, the worst first --- */

typedef struct
{
  guint row, column; /* column: predicted class of a confusion; for a class, its most frequent wrong prediction */
  int tests, count;  /* count: of confusions; for a class, correct tests */
} Entry;

static int
compare_classes (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;
  double p = (double)x->count / x->tests, q = (double)y->count / y->tests;

  return p != q ? (p > q) - (p < q) : (x->row > y->row) - (x->row < y->row);
}

static int
compare_confusions (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;

  if (x->count != y->count)
    return y->count - x->count;
  return x->row != y->row ? (int)x->row - (int)y->row : (int)x->column - (int)y->column;
}

static GArray *
sorted_classes (const TosstReportRun *run)
{
  GArray *classes = g_array_new (FALSE, FALSE, sizeof (Entry));

  for (guint i = 0; i < run->classes; i++)
    {
      Entry entry = { i, i, tests_of (run, i), count (run, i, i) };

      for (guint j = 0; j < run->classes; j++)
        if (j != i && count (run, i, j) > (entry.column == i ? 0 : count (run, i, entry.column)))
          entry.column = j;
      if (entry.tests > 0)
        g_array_append_val (classes, entry);
    }
  g_array_sort (classes, compare_classes);
  return classes;
}

static GArray *
sorted_confusions (const TosstReportRun *run)
{
  GArray *confusions = g_array_new (FALSE, FALSE, sizeof (Entry));

  for (guint i = 0; i < run->classes; i++)
    for (guint j = 0; j < run->classes; j++)
      {
        Entry entry = { i, j, tests_of (run, i), count (run, i, j) };

        if (i != j && entry.count > 0)
          g_array_append_val (confusions, entry);
      }
  g_array_sort (confusions, compare_confusions);
  return confusions;
}

static TosstTable *
class_table (const TosstReportRun *run, const GArray *classes, guint first, guint last)
{
  TosstTable *table = tosst_table_new ("tnnt", _ ("Class"), _ ("Accuracy"), _ ("Tests"), _ ("Most confused with"));
  for (guint i = first; i < last; i++)
    {
      const Entry *entry = &g_array_index (classes, Entry, i);
      double part = (double)entry->count / entry->tests;
      g_autofree char *accuracy = g_strdup_printf ("%.1f %%", 100 * part);

      tosst_table_add (table, run->class_names[entry->row]);
      tosst_table_add_bar (table, part, accuracy);
      tosst_table_add_printf (table, "%d", entry->tests);
      tosst_table_add (table, entry->column == entry->row ? "" : run->class_names[entry->column]);
    }
  return table;
}

/* Classes without confusions are listed by name only. */
static void
add_perfect (TosstDocument *document, const TosstReportRun *run, const GArray *classes, guint first)
{
  guint n = classes->len - first;
  g_autoptr (GString) names = g_string_new (NULL);

  if (n == 0)
    return;
  for (guint i = first; i < classes->len; i++)
    g_string_append_printf (names, "%s%s", i > first ? ", " : "",
                            run->class_names[g_array_index (classes, Entry, i).row]);
  tosst_document_add (document, TOSST_BLOCK_FOLD,
                      ngettext ("%u class without a confusion", "%u classes without a confusion", n), n);
  tosst_document_add (document, TOSST_BLOCK_TEXT, "%s", names->str);
  tosst_document_add (document, TOSST_BLOCK_UNFOLD, "%s", "");
}

static void
add_confusion_table (TosstDocument *document, const TosstReportRun *run)
{
  g_autoptr (GArray) confusions = sorted_confusions (run);

  if (confusions->len == 0)
    {
      tosst_document_add (document, TOSST_BLOCK_TEXT, _ ("All tests were classified correctly."));
      return;
    }
  TosstTable *table
      = tosst_table_new ("ttnn", _ ("True class"), _ ("Predicted as"), _ ("Times"), _ ("Share of its tests"));
  for (guint i = 0; i < MIN (confusions->len, WORST); i++)
    {
      const Entry *entry = &g_array_index (confusions, Entry, i);

      tosst_table_add (table, run->class_names[entry->row], run->class_names[entry->column]);
      tosst_table_add_printf (table, "%d", entry->count);
      tosst_table_add_printf (table, "%.1f %%", 100.0 * entry->count / entry->tests);
    }
  tosst_document_add (document, TOSST_BLOCK_SUBSECTION, _ ("The main confusions"));
  tosst_document_add_table (document, table);
}

static void
tosst_report_add_classes (TosstDocument *document, const TosstReportRun *run)
{
  if (!run->confusion)
    return;
  tosst_document_add (document, TOSST_BLOCK_SECTION, _ ("Confusions"));

  Confusion *confusion = g_new0 (Confusion, 1);
  gsize n = (gsize)run->classes * run->classes;
  double height = run->classes > 30 ? TOSST_REPORT_WIDTH - 110 : 560;
  int right = 0, tests = 0;

  confusion->counts = g_memdup2 (run->confusion, n * sizeof (int));
  confusion->classes = run->classes;
  confusion->names = g_strdupv (run->class_names);
  for (guint i = 0; i < run->classes; i++)
    {
      right += count (run, i, i);
      tests += tests_of (run, i);
    }
  g_autofree char *description = g_strdup_printf (_ ("Confusion matrix of %u classes: %d of %d tests on its diagonal"),
                                                  run->classes, right, tests);
  tosst_document_add_figure (document, draw_confusion, confusion, confusion_free, TOSST_REPORT_WIDTH, height, FALSE,
                             description);

  g_autoptr (GArray) classes = sorted_classes (run);
  guint imperfect = 0, shown;

  for (const Entry *one = (const Entry *)(gpointer)classes->data; imperfect < classes->len && one->count < one->tests;
       one++)
    imperfect++;
  shown = imperfect > WORST + 3 ? WORST : imperfect;

  if (shown > 0)
    {
      tosst_document_add (document, TOSST_BLOCK_SUBSECTION, _ ("The worst classes"));
      tosst_document_add_table (document, class_table (run, classes, 0, shown));
    }
  if (shown < imperfect)
    {
      tosst_document_add (document, TOSST_BLOCK_FOLD,
                          ngettext ("%u better class", "%u better classes", imperfect - shown), imperfect - shown);
      tosst_document_add_table (document, class_table (run, classes, shown, imperfect));
      tosst_document_add (document, TOSST_BLOCK_UNFOLD, "%s", "");
    }
  add_perfect (document, run, classes, imperfect);
  add_confusion_table (document, run);
}

/* The best and the worst images of each class: those ranked first, negatives ranked first and positives ranked last. */

#define EACH 4             /* images of a group */
#define MAX_CLASSES 20     /* with images */
#define SIDE 72            /* pixels of the longer side of an image */
#define WRONG_OF_SEVERAL 3 /* wrong images of each run */
#define GAP 6
#define LINE 16 /* height of a line of text */

typedef enum
{
  RANKED_FIRST,
  NEGATIVES,
  POSITIVES,
  N_GROUPS
} Group;

typedef struct
{
  cairo_surface_t *picture; /* NULL: the file could not be read */
  char *text;               /* below it */
  gboolean positive;
} Shot;

/* What is drawn of a class, or of a wrong prediction. */
typedef struct
{
  char *name;
  char *title[N_GROUPS];
  guint n[N_GROUPS];
  Shot shot[N_GROUPS][EACH];
} Strip;

static void
strip_free (gpointer data)
{
  Strip *self = data;

  for (int group = 0; group < N_GROUPS; group++)
    {
      for (guint i = 0; i < self->n[group]; i++)
        {
          g_clear_pointer (&self->shot[group][i].picture, cairo_surface_destroy);
          g_free (self->shot[group][i].text);
        }
      g_free (self->title[group]);
    }
  g_free (self->name);
  g_free (self);
}

/* --- reading --- */

static guint8
level (const TosstImage *image, int channel, gsize at)
{
  gsize plane = (gsize)image->width * (gsize)image->height;
  float value = image->data[(image->channels == 3 ? (gsize)channel : 0) * plane + at];

  return (guint8)lrintf (255 * CLAMP (value, 0, 1));
}

static cairo_surface_t *
picture_of (const TosstImage *image)
{
  double shrink = MIN (1, (double)SIDE / MAX (image->width, image->height));
  int width = MAX (1, (int)lround (shrink * image->width)), height = MAX (1, (int)lround (shrink * image->height));
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  g_autoptr (GdkPixbuf) read = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, image->width, image->height);
  guint8 *data = cairo_image_surface_get_data (surface);

  for (int y = 0; read != NULL && y < image->height; y++)
    {
      guint8 *rgb = gdk_pixbuf_get_pixels (read) + (gsize)y * (gsize)gdk_pixbuf_get_rowstride (read);

      for (int x = 0; x < 3 * image->width; x++)
        rgb[x] = level (image, x % 3, (gsize)y * (gsize)image->width + (gsize)(x / 3));
    }
  g_autoptr (GdkPixbuf) pixels
      = read != NULL ? gdk_pixbuf_scale_simple (read, width, height, GDK_INTERP_BILINEAR) : NULL;
  if (data == NULL || pixels == NULL)
    return surface;
  for (int y = 0; y < height; y++)
    {
      guint32 *row = (guint32 *)(gpointer)(data + (gsize)y * (gsize)cairo_image_surface_get_stride (surface));
      const guint8 *rgb = gdk_pixbuf_read_pixels (pixels) + (gsize)y * (gsize)gdk_pixbuf_get_rowstride (pixels);

      for (int x = 0; x < width; x++, rgb += 3)
        row[x] = (guint32)rgb[0] << 16 | (guint32)rgb[1] << 8 | rgb[2];
    }
  cairo_surface_mark_dirty (surface);
  /* Documents take the JPEG form, which has a fifth of the bytes; without it they take the pixels. */
  char *buffer;
  gsize size;

  if (gdk_pixbuf_save_to_buffer (pixels, &buffer, &size, "jpeg", NULL, "quality", "80", NULL)
      && cairo_surface_set_mime_data (surface, CAIRO_MIME_TYPE_JPEG, (guchar *)buffer, size, g_free, buffer)
             != CAIRO_STATUS_SUCCESS)
    g_free (buffer);
  return surface;
}

static cairo_surface_t *
read_picture (TosstDataset *dataset, guint sample)
{
  guint image = (guint)tosst_dataset_sample (dataset, sample)->image;
  g_autoptr (TosstImage) read = tosst_dataset_read_reduced (dataset, image, SIDE, NULL);

  return read != NULL ? picture_of (read) : NULL;
}

/* Takes text. */
static void
add_shot (Strip *self, Group group, TosstDataset *dataset, guint sample, char *text, gboolean positive)
{
  self->shot[group][self->n[group]++] = (Shot){ read_picture (dataset, sample), text, positive };
}

/* rank: from 0. */
static void
add_ranked_shot (Strip *self, Group group, TosstDataset *dataset, guint sample, gsize rank, gboolean positive)
{
  add_shot (self, group, dataset, sample, g_strdup_printf (positive ? "%zu +" : "%zu −", rank + 1), positive);
}

/* NULL if the class has no positives. */
static Strip *
strip_new (const TosstScores *scores, TosstDataset *dataset, int class_index, const char *name)
{
  g_autofree TosstRecallPoint *ranked = g_new (TosstRecallPoint, scores->samples + 1);
  const int *label = scores->label + (gsize)class_index * scores->samples;
  TosstAveragePrecision result;

  if (!tosst_scores_average_precision (scores, class_index, &result, ranked, NULL) || result.positives == 0)
    return NULL;
  gsize n = result.positives + result.negatives;
  Strip *self = g_new0 (Strip, 1);
  self->name = g_strdup (name);
  self->title[RANKED_FIRST] = g_strdup (_ ("Ranked first"));
  self->title[NEGATIVES] = g_strdup (_ ("Negatives ranked first"));
  self->title[POSITIVES] = g_strdup (_ ("Positives ranked last"));
  for (gsize r = 0; r < n; r++)
    {
      gsize test = ranked[r].sample, last = ranked[n - 1 - r].sample;

      if (r < EACH)
        add_ranked_shot (self, RANKED_FIRST, dataset, scores->sample[test], r, label[test] > 0);
      if (label[test] < 0 && self->n[NEGATIVES] < EACH)
        add_ranked_shot (self, NEGATIVES, dataset, scores->sample[test], r, FALSE);
      if (label[last] > 0 && self->n[POSITIVES] < EACH)
        add_ranked_shot (self, POSITIVES, dataset, scores->sample[last], n - 1 - r, TRUE);
    }
  return self;
}

/* The data set of the run, if it is where it was and as it was. */
static TosstDataset *
open_dataset (const TosstReportRun *run)
{
  g_autoptr (TosstDataset) dataset = run->recipe != NULL ? tosst_dataset_open (run->recipe, NULL, NULL) : NULL;

  const char *data = tosst_report_run_text (run, "data");

  /* The fingerprint that earlier versions stored counts, too. */
  if (dataset == NULL
      || !(g_str_equal (dataset->fingerprint, data) || (*data != '\0' && g_str_equal (dataset->listed, data))))
    return NULL;
  return g_steal_pointer (&dataset);
}

/* --- drawing --- */

/* In a square at (x, y): the picture, framed by its label, above its rank. */
static void
draw_shot (cairo_t *cr, const TosstChartStyle *style, TosstText *text, const Shot *shot, double x, double y,
           double side)
{
  double width = side, height = side;

  if (shot->picture != NULL)
    {
      int w = cairo_image_surface_get_width (shot->picture), h = cairo_image_surface_get_height (shot->picture);
      double scale = side / MAX (w, h);

      width = w * scale;
      height = h * scale;
      cairo_save (cr);
      cairo_translate (cr, x + 0.5 * (side - width), y + side - height);
      cairo_scale (cr, scale, scale);
      cairo_set_source_surface (cr, shot->picture, 0, 0);
      cairo_paint (cr);
      cairo_restore (cr);
    }
  tosst_color_set (cr, tosst_color_series (style, shot->positive ? 0 : 1), 1.0);
  cairo_set_line_width (cr, 2);
  cairo_rectangle (cr, x + 0.5 * (side - width), y + side - height, width, height);
  cairo_stroke (cr);
  tosst_text_draw (text, cr, shot->text, x + 0.5 * side, y + side + 2, 0.5, 0.0, 0, side, 0.8, FALSE);
}

static void
draw_strip (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  const Strip *self = data;
  double group_width = (width + GAP) / N_GROUPS, side = (group_width - 2 * GAP) / EACH - GAP;

  g_auto (TosstText) text = tosst_text_new (style);
  tosst_color_set (cr, tosst_color_text (style), 1.0);
  tosst_text_draw (&text, cr, self->name, 0, 0, 0.0, 0.0, 0, width, 1.0, TRUE);
  for (int group = 0; group < N_GROUPS; group++)
    {
      double x = group * group_width + 1;

      tosst_color_set (cr, tosst_color_dim (style), 1.0);
      tosst_text_draw (&text, cr, self->title[group], x, LINE, 0.0, 0.0, 0, group_width - GAP, 0.9, FALSE);
      for (guint i = 0; i < self->n[group]; i++)
        draw_shot (cr, style, &text, &self->shot[group][i], x + i * (side + GAP), 2 * LINE, side);
    }
}

/* Takes strip and description. */
static void
add_strip (TosstDocument *document, Strip *strip, char *description)
{
  g_autofree char *owned G_GNUC_UNUSED = description;

  tosst_document_add_figure (document, draw_strip, strip, strip_free, TOSST_REPORT_WIDTH,
                             3 * LINE + (double)TOSST_REPORT_WIDTH / (N_GROUPS * EACH), FALSE, description);
}

/* Added for a run with scores, if its data set is unchanged. */
static void
tosst_report_add_ranked (TosstDocument *document, const TosstReportRun *run)
{
  const TosstScores *first = g_ptr_array_index (run->scores, 0);
  g_autoptr (TosstDataset) dataset = open_dataset (run);
  int shown = 0;

  if (dataset == NULL || first->samples == 0 || first->sample[first->samples - 1] >= dataset->samples->len)
    return;
  tosst_document_add (document, TOSST_BLOCK_SUBSECTION, _ ("The best and the worst images"));
  tosst_document_add (document, TOSST_BLOCK_REMARK, _ ("Test images by rank: + shows the class, − does not."));
  for (int i = 0; i < first->classes && shown < MAX_CLASSES; i++)
    {
      Strip *strip = strip_new (first, dataset, i, run->class_names[i]);

      if (strip == NULL)
        continue;
      add_strip (document, strip,
                 g_strdup_printf (
                     _ ("Images of class %s: those ranked first, negatives ranked first, and positives ranked last"),
                     strip->name));
      shown++;
    }
}

/* --- wrong predictions --- */

/* The image, and the training images nearest to it of the predicted and of the true class. */
static Strip *
wrong_strip_new (const TosstReportRun *run, TosstDataset *dataset, const TosstPrediction *one)
{
  Strip *self = g_new0 (Strip, 1);
  const char *predicted = run->class_names[one->predicted], *truth = run->class_names[one->truth];

  self->name = g_strdup_printf (
      _ ("%s: predicted as %s"),
      tosst_dataset_image (dataset, (guint)tosst_dataset_sample (dataset, one->sample)->image)->name, predicted);
  self->title[0] = g_strdup (_ ("Test image"));
  self->title[1] = g_strdup_printf (_ ("Nearest of %s (predicted)"), predicted);
  self->title[2] = g_strdup_printf (_ ("Nearest of %s (true)"), truth);
  add_shot (self, 0, dataset, one->sample, g_strdup (truth), TRUE);
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < TOSST_NEAREST && one->nearest[side][k] >= 0; k++)
      add_shot (self, side + 1, dataset, (guint)one->nearest[side][k], g_strdup (""), side == 1);
  return self;
}

static gboolean
is_in (TosstDataset *dataset, const TosstPrediction *one)
{
  gint64 last = one->sample;

  for (int k = 0; k < TOSST_NEAREST; k++)
    last = MAX (last, MAX (one->nearest[0][k], one->nearest[1][k]));
  return last < dataset->samples->len;
}

/* Added for whole images, if the data set of the run is unchanged. */
static void
add_wrong (TosstDocument *document, const TosstReportRun *run, guint most)
{
  gboolean whole = run->predictions != NULL && run->recipe != NULL && tosst_recipe_block (run->recipe) == 0;
  g_autoptr (TosstDataset) dataset = whole ? open_dataset (run) : NULL;
  guint shown = 0;

  for (guint i = 0; dataset != NULL && i < run->predictions->len && shown < most; i++)
    {
      const TosstPrediction *one = &g_array_index (run->predictions, TosstPrediction, i);

      if (one->truth == one->predicted || one->nearest[0][0] < 0 || !is_in (dataset, one))
        continue;
      if (shown++ == 0)
        {
          tosst_document_add (document, TOSST_BLOCK_SUBSECTION, _ ("Wrong images and the nearest training images"));
          tosst_document_add (document, TOSST_BLOCK_REMARK,
                              _ ("Of the first split, by the similarity that the classifier uses."));
        }
      Strip *strip = wrong_strip_new (run, dataset, one);
      add_strip (document, strip, g_strdup (strip->name));
    }
}

/* Average precision of runs with several labels an image: a table, the precision-recall curves, and their section. */

static void
add_percent (TosstTable *table, double value, gboolean bar)
{
  g_autofree char *text = isnan (value) ? g_strdup ("–") : g_strdup_printf ("%.2f", value);

  if (bar && !isnan (value))
    tosst_table_add_bar (table, value / 100, text);
  else
    tosst_table_add (table, text);
}

TosstTable *
tosst_score_table (const TosstClassScore *classes, char *const *names, guint n, const TosstClassScore *mean,
                   TosstScore score)
{
  TosstTable *table = tosst_table_new ("tnnnn", _ ("Class"), _ ("AP (11 points), %"), _ ("AP (area), %"),
                                       _ ("Positives"), _ ("Negatives"));
  for (guint i = 0; i < n; i++)
    {
      tosst_table_add (table, names[i]);
      add_percent (table, classes[i].ap11, score != TOSST_SCORE_AREA);
      add_percent (table, classes[i].area, score == TOSST_SCORE_AREA);
      tosst_table_add_printf (table, "%zu", classes[i].positives);
      tosst_table_add_printf (table, "%zu", classes[i].negatives);
    }
  tosst_table_add (table, _ ("Mean"));
  add_percent (table, mean->ap11, FALSE);
  add_percent (table, mean->area, FALSE);
  tosst_table_add (table, NULL, NULL);
  return table;
}

static gboolean
add_curve (TosstChart *chart, const TosstScores *scores, int class_index, const char *name, GError **error)
{
  gsize n;
  g_autofree TosstRecallPoint *curve = tosst_scores_curve (scores, class_index, &n, error);

  if (curve == NULL)
    return FALSE;
  if (n == 0)
    return TRUE;
  guint series = tosst_chart_add_series (chart, name);
  /* Up to the last positive: what is ranked below it would end all curves in the same corner. */
  for (gsize i = 0; i < n && (i == 0 || curve[i - 1].recall < 1); i++)
    tosst_chart_append (chart, series, curve[i].recall, curve[i].precision);
  return TRUE;
}

TosstChart *
tosst_precision_recall_chart (const TosstScores *scores, char *const *names, GError **error)
{
  g_autoptr (TosstChart) chart = tosst_chart_new (_ ("Precision and recall"), _ ("Recall"), _ ("Precision"));

  tosst_chart_set_x_range (chart, 0, 1);
  tosst_chart_set_y_bounds (chart, 0, 1);
  for (int i = 0; i < MIN (scores->classes, TOSST_MAX_CURVES); i++)
    if (!add_curve (chart, scores, i, names[i], error))
      return NULL;
  return g_steal_pointer (&chart);
}

static void
add_curves (TosstDocument *document, const TosstReportRun *run)
{
  const TosstScores *first = g_ptr_array_index (run->scores, 0);
  TosstChart *chart = tosst_precision_recall_chart (first, run->class_names, NULL);

  if (chart != NULL)
    tosst_document_add_chart (document, chart, TOSST_REPORT_WIDTH, 480, FALSE);
  if (run->scores->len > 1)
    tosst_document_add (document, TOSST_BLOCK_REMARK, _ ("The curves are those of the first split."));
  if (run->classes > TOSST_MAX_CURVES)
    {

      tosst_document_add (document, TOSST_BLOCK_REMARK, _ ("The first %d of %u classes."), TOSST_MAX_CURVES,
                          run->classes);
    }
}

static void
tosst_report_add_scores (TosstDocument *document, const TosstReportRun *run)
{
  g_autofree TosstClassScore *classes = g_new0 (TosstClassScore, run->classes + 1);
  TosstClassScore mean;

  if (run->scores->len == 0
      || !tosst_scores_summarise ((TosstScores *const *)(gpointer)run->scores->pdata, run->scores->len, classes, &mean,
                                  NULL))
    return;
  tosst_document_add (document, TOSST_BLOCK_SECTION, _ ("Average precision of each class"));
  tosst_document_add_table (document, tosst_score_table (classes, run->class_names, run->classes, &mean, run->score));
  add_curves (document, run);
  tosst_report_add_ranked (document, run);
}

#define MAX_CURVES 10 /* limit for a readable chart */

/* --- outcome and main numbers --- */

static void
add_state (TosstDocument *document, const TosstReportRun *run)
{
  /* The number of splits done, all splits and a reason: each shows what it needs. */
  static const char *const sentences[TOSST_N_RUN_STATES]
      = { [TOSST_RUN_QUEUED] = N_ ("This run has not started."),
          [TOSST_RUN_RUNNING] = N_ ("This run was not finished when the report was made: %u of %d splits were done."),
          [TOSST_RUN_FAILED] = N_ ("This run failed after %u of %d splits: %s."),
          [TOSST_RUN_STOPPED] = N_ ("This run was stopped after %u of %d splits: %s.") };
  const char *known = tosst_report_run_text (run, "reason"), *reason = *known ? known : _ ("unknown reason");

  if (sentences[run->state])
    tosst_document_add (document, TOSST_BLOCK_WARNING, _ (sentences[run->state]), run->done->len, run->splits, reason);
  if (run->trouble)
    tosst_document_add (document, TOSST_BLOCK_WARNING, "%s", run->trouble);
}

static void
add_dictionary_merits (TosstDocument *document, const TosstReportRun *run)
{
  const char *scheme = tosst_report_run_parameter (run, "dictionary.scheme");
  double nonzeros = tosst_report_mean (run, G_STRUCT_OFFSET (TosstSplitResult, mean_nonzeros));

  if (run->dictionary)
    {
      g_autofree char *atoms
          = g_strdup_printf (ngettext ("%d atom", "%d atoms", run->dictionary->K), run->dictionary->K);
      g_autofree char *of = g_strdup_printf (_ ("scheme %s, d = %d"), scheme ? scheme : "–", run->dictionary->d);

      tosst_document_add_figure_of_merit (document, atoms, _ ("in the dictionary"), of);
    }
  if (isfinite (nonzeros))
    {
      g_autofree char *value = tosst_report_number (nonzeros, 3);

      tosst_document_add_figure_of_merit (document, value, _ ("non-zeros in a code"), _ ("mean over tensors"));
    }
}

/* --- recipe --- */

/* Parameters that differ from their defaults, with the default; for the others the values only. */
static TosstTable *
recipe_table (const TosstReportRun *run, gboolean changed)
{
  TosstTable *table = changed ? tosst_table_new ("tttt", _ ("Parameter"), _ ("Key"), _ ("Value"), _ ("Default"))
                              : tosst_table_new ("tt", _ ("Key"), _ ("Value"));

  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    {
      g_autofree char *label = tosst_report_label (p);

      if (run->recipe
              ? tosst_recipe_why_inactive (run->recipe, p) || tosst_recipe_is_default (run->recipe, p) == changed
              : (g_strcmp0 (tosst_report_run_parameter (run, p->name), p->default_text) != 0) != changed)
        continue;
      if (changed)
        tosst_table_add (table, label);
      tosst_table_add (table, p->name, tosst_report_value (tosst_report_run_parameter (run, p->name)));
      if (changed)
        tosst_table_add (
            table, tosst_report_value (run->recipe ? tosst_recipe_default_text (run->recipe, p) : p->default_text));
    }
  return table;
}

static void
add_recipe (TosstDocument *document, const TosstReportRun *run)
{
  TosstTable *changed = recipe_table (run, TRUE), *others = recipe_table (run, FALSE);
  guint rows = tosst_table_rows (others);

  tosst_document_add (document, TOSST_BLOCK_SECTION, _ ("Recipe"));
  if (tosst_table_rows (changed))
    tosst_document_add_table (document, changed);
  else
    {
      tosst_document_add (document, TOSST_BLOCK_TEXT, _ ("All parameters have their defaults."));
      tosst_table_free (changed);
    }
  tosst_document_add (document, TOSST_BLOCK_FOLD,
                      ngettext ("%u parameter at its default", "%u parameters at their defaults", rows), rows);
  tosst_document_add_table (document, others);
  tosst_document_add (document, TOSST_BLOCK_UNFOLD, "%s", "");
}

/* --- accuracy --- */

/* The numbers of a split in columns of their own, those that at least one split has. */
static TosstTable *
split_table (const TosstReportRun *run)
{
  const struct
  {
    const char *title;
    gsize offset;
    int digits;
  } columns[] = { { _ ("Objective"), G_STRUCT_OFFSET (TosstSplitResult, objective), 5 },
                  { _ ("Relative residual"), G_STRUCT_OFFSET (TosstSplitResult, relative_residual), 3 },
                  { _ ("Non-zeros"), G_STRUCT_OFFSET (TosstSplitResult, mean_nonzeros), 3 },
                  { _ ("Worst residual"), G_STRUCT_OFFSET (TosstSplitResult, worst_kkt), 2 },
                  { "C", G_STRUCT_OFFSET (TosstSplitResult, c), 4 } };
  gboolean has[G_N_ELEMENTS (columns)] = { FALSE };
  TosstTable *table = tosst_table_new ("nn", _ ("Split"), tosst_score_label (run->score));
  for (gsize c = 0; c < G_N_ELEMENTS (columns); c++)
    {
      for (guint i = 0; i < run->done->len; i++)
        has[c]
            = has[c]
              || !isnan (G_STRUCT_MEMBER (double, &g_array_index (run->done, TosstSplitResult, i), columns[c].offset));
      if (has[c])
        tosst_table_add_columns (table, "n", columns[c].title);
    }
  TOSST_FOR_EACH (const TosstSplitResult, split, run->done)
    {
      g_autofree char *accuracy = tosst_report_percent (split->accuracy, NAN);

      tosst_table_add_printf (table, "%d", split->split + 1);
      tosst_table_add_bar (table, split->accuracy / 100, accuracy);
      for (gsize c = 0; c < G_N_ELEMENTS (columns); c++)
        {
          g_autofree char *text
              = tosst_report_number (G_STRUCT_MEMBER (double, split, columns[c].offset), columns[c].digits);

          if (has[c])
            tosst_table_add (table, text);
        }
    }
  return table;
}

/* The parts of a run: their accuracies alone and their weights, means over splits; NULL without parts. */
static TosstTable *
part_table (const TosstReportRun *run)
{
  g_autoptr (TosstParts) parts
      = run->recipe && tosst_recipe_has_parts (run->recipe) ? tosst_parts_new (run->recipe, NULL) : NULL;

  if (!parts)
    return NULL;
  /* The range of one split would be that number again. */
  gboolean several = run->done->len > 1;
  TosstTable *table = several ? tosst_table_new ("tnnn", _ ("Part"), _ ("Alone"), _ ("In splits"), _ ("Weight"))
                              : tosst_table_new ("tnn", _ ("Part"), _ ("Alone"), _ ("Weight"));
  for (guint i = 0; i < parts->n; i++)
    {
      const char *name = tosst_parts_name (parts, i);
      double alone = 0, weight = 0, low = INFINITY, high = -INFINITY;

      for (guint s = 0; s < run->done->len; s++)
        {
          int split = g_array_index (run->done, TosstSplitResult, s).split;
          double accuracy = tosst_report_run_number (run, split, TOSST_STORE_ACCURACY, name);

          alone += accuracy / run->done->len;
          weight += tosst_report_run_number (run, split, TOSST_STORE_WEIGHT, name) / run->done->len;
          low = fmin (low, accuracy);
          high = fmax (high, accuracy);
        }
      g_autofree char *accuracy = tosst_report_percent (alone, NAN), *share = tosst_report_number (weight, 2);

      tosst_table_add (table, _ (tosst_parts_title (parts, i)), accuracy);
      if (several && !isnan (alone))
        tosst_table_add_printf (table, _ ("%.1f to %.1f"), low, high);
      else if (several)
        tosst_table_add (table, "–");
      tosst_table_add (table, share);
    }
  return table;
}

/* Splits are drawn at random: their order has no meaning, and no line joins them. */
static TosstChart *
accuracy_chart (const TosstReportRun *run)
{
  gboolean is_accuracy = run->score == TOSST_SCORE_ACCURACY;
  TosstChart *chart
      = tosst_chart_new (is_accuracy ? _ ("Accuracy of each split") : _ ("Mean average precision of each split"),
                         _ ("Split"), is_accuracy ? _ ("Accuracy, %") : _ ("Mean average precision, %"));
  guint series = tosst_chart_add_series (chart, tosst_score_label (run->score));
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  tosst_chart_set_y_bounds (chart, 0, 100);
  for (guint i = 0; i < run->done->len; i++)
    {
      const TosstSplitResult *split = &g_array_index (run->done, TosstSplitResult, i);

      g_ptr_array_add (names, g_strdup_printf ("%d", split->split + 1));
      tosst_chart_append (chart, series, i, split->accuracy);
    }
  g_ptr_array_add (names, g_strdup (_ ("Mean ± σ")));
  tosst_chart_append_error (chart, series, run->done->len, run->accuracy, run->deviation);
  tosst_chart_set_categories (chart, (const char *const *)names->pdata, names->len);
  return chart;
}

/* --- learning --- */

static guint
append_series (TosstChart *chart, const TosstReportRun *run, int split, const char *series, const char *name)
{
  guint n;
  g_autofree double *values = tosst_report_run_series (run, split, series, &n);
  guint index = n ? tosst_chart_add_series (chart, name) : 0;

  for (guint i = 0; i < n; i++)
    tosst_chart_append (chart, index, i + 1, values[i]);
  return n;
}

static TosstChart *
objective_chart (const TosstReportRun *run, guint *curves, int *first)
{
  TosstChart *chart = tosst_chart_new (_ ("Objective of each split"), _ ("Iteration"), _ ("Objective"));

  tosst_chart_set_integer_x (chart, TRUE);
  *curves = 0;
  *first = -1;
  for (int split = 0; split < MAX (run->splits, 1) && *curves < MAX_CURVES; split++)
    {
      g_autofree char *name = g_strdup_printf ("%d", split + 1);

      if (append_series (chart, run, split, "objective", name) == 0)
        continue;
      *first = *curves == 0 ? split : *first;
      ++*curves;
    }
  return chart;
}

static void
add_learning (TosstDocument *document, const TosstReportRun *run)
{
  guint curves;
  int first;
  TosstChart *chart = objective_chart (run, &curves, &first);

  if (curves == 0)
    {
      tosst_chart_free (chart);
      return;
    }
  tosst_document_add (document, TOSST_BLOCK_SECTION, _ ("Learning"));
  tosst_document_add_chart (document, chart, TOSST_REPORT_HALF, 280, TRUE);
  g_autofree char *title = g_strdup_printf (_ ("Its parts, split %d"), first + 1);
  TosstChart *parts = tosst_chart_new (title, _ ("Iteration"), _ ("Objective"));

  tosst_chart_set_integer_x (parts, TRUE);
  append_series (parts, run, first, "objective", _ ("Objective"));
  append_series (parts, run, first, "fit", _ ("Fit"));
  append_series (parts, run, first, "proximity", _ ("Proximity"));
  append_series (parts, run, first, "sparsity", _ ("Sparsity"));
  tosst_document_add_chart (document, parts, TOSST_REPORT_HALF, 280, TRUE);
  if (run->splits > MAX_CURVES)
    {

      tosst_document_add (document, TOSST_BLOCK_REMARK, _ ("The first %d of %d splits."), MAX_CURVES, run->splits);
    }
}

/* --- time --- */

static void
add_time (TosstDocument *document, const TosstReportRun *run)
{
  static const char *const stages[TOSST_N_STAGES] = { "describe", "learn", "code", "train", "test" };

  if (isnan (run->seconds))
    return;
  TosstTable *table = tosst_table_new ("tn", _ ("Stage"), _ ("Time"));
  for (int i = 0; i < TOSST_N_STAGES; i++)
    {
      double seconds = tosst_report_run_seconds (run, stages[i]);
      g_autofree char *text = tosst_report_duration (seconds);

      tosst_table_add (table, _ (tosst_stage_label (i, run->recipe)));
      tosst_table_add_bar (table, run->seconds > 0 ? seconds / run->seconds : NAN, text);
    }
  g_autofree char *total = tosst_report_duration (run->seconds);
  tosst_table_add (table, _ ("Total"), total);
  tosst_document_add (document, TOSST_BLOCK_SECTION, _ ("Time"));
  tosst_document_add_table (document, table);
}

/* --- environment and reproduction --- */

static void
add_fact (TosstTable *table, const char *label, const char *value)
{
  if (!*value)
    return;
  tosst_table_add (table, label, value);
}

static TosstTable *
origin_table (const TosstReportRun *run)
{
  TosstTable *table = tosst_table_new ("tt", "", "");
  g_autofree char *started = tosst_report_time (run->started), *finished = tosst_report_time (run->finished);
  JsonNode *threads = json_object_get_member (run->json, "threads");
  g_autofree char *count
      = threads && JSON_NODE_HOLDS_VALUE (threads) ? tosst_json_write (threads, FALSE) : g_strdup ("");

  tosst_table_add (table, _ ("Run"));
  tosst_table_add_printf (table, "%" PRId64, run->id);
  add_fact (table, _ ("State"), tosst_run_state_label (run->state));
  add_fact (table, _ ("Tags"), tosst_report_run_text (run, "tags"));
  add_fact (table, _ ("Started"), started);
  add_fact (table, _ ("Finished"), finished);
  add_fact (table, _ ("Data set"), run->dataset);
  add_fact (table, _ ("Fingerprint of the data"), tosst_report_run_text (run, "data"));
  add_fact (table, _ ("Hash of the run"), tosst_report_run_text (run, "hash"));
  add_fact (table, _ ("Program"), tosst_report_run_text (run, "version"));
  add_fact (table, _ ("Processor"), tosst_report_run_text (run, "cpu"));
  add_fact (table, _ ("BLAS kernel"), tosst_report_run_text (run, "blas"));
  add_fact (table, _ ("Threads"), count);
  return table;
}

void
tosst_report_add_run (TosstDocument *document, const TosstReportRun *run, gboolean several)
{
  add_state (document, run);

  g_autofree char *accuracy = tosst_report_percent (run->accuracy, run->deviation);
  g_autofree char *duration = tosst_report_duration (run->seconds), *started = tosst_report_time (run->started);
  g_autofree char *since = g_strdup_printf (_ ("started %s"), started);
  g_autofree char *splits = (int)run->done->len < run->splits
                                ? g_strdup_printf (_ ("%u of %d splits"), run->done->len, run->splits)
                                : g_strdup_printf (ngettext ("%u split", "%u splits", run->done->len), run->done->len);

  tosst_document_add_figure_of_merit (
      document, accuracy, run->score == TOSST_SCORE_ACCURACY ? _ ("accuracy") : _ ("mean average precision"), splits);
  add_dictionary_merits (document, run);
  tosst_document_add_figure_of_merit (document, duration, _ ("time"), since);
  g_autofree double *accuracies = g_new (double, run->done->len + 1);
  for (guint i = 0; i < run->done->len; i++)
    accuracies[i] = g_array_index (run->done, TosstSplitResult, i).accuracy;
  g_autofree char *sentence
      = run->recipe ? tosst_run_sentence (run->recipe, accuracies, run->done->len, run->classes) : NULL;
  if (sentence)
    tosst_document_add (document, TOSST_BLOCK_TEXT, "%s", sentence);
  if (*tosst_report_run_text (run, "note"))
    tosst_document_add (document, TOSST_BLOCK_TEXT, "%s", tosst_report_run_text (run, "note"));
  add_recipe (document, run);

  if (run->done->len != 0)
    {
      tosst_document_add (document, TOSST_BLOCK_SECTION, "%s", tosst_score_label (run->score));
      if (run->done->len > 1)
        tosst_document_add_chart (document, accuracy_chart (run), TOSST_REPORT_WIDTH, 260, FALSE);
      TosstTable *parts = part_table (run);
      if (parts)
        tosst_document_add_table (document, parts);
      tosst_document_add_table (document, split_table (run));
    }
  add_learning (document, run);
  add_atoms (document, run, several ? SHOWN_OF_SEVERAL : MAX_SHOWN);
  tosst_report_add_classes (document, run);
  add_wrong (document, run, several ? WRONG_OF_SEVERAL : WORST);
  tosst_report_add_scores (document, run);
  add_time (document, run);
  tosst_document_add (document, TOSST_BLOCK_SECTION, _ ("Environment"));
  tosst_document_add_table (document, origin_table (run));
  tosst_document_add (document, TOSST_BLOCK_SECTION, _ ("Command that repeats this run"));
  g_autofree char *command = run->recipe ? tosst_recipe_command (run->recipe) : NULL;
  if (command)
    tosst_document_add (document, TOSST_BLOCK_CODE, "%s", command);
  else
    tosst_document_add (document, TOSST_BLOCK_TEXT,
                        _ ("This run was made by another version of the program, which has other parameters."));
}
