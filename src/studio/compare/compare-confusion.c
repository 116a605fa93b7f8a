/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/compare/compare-parts.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/plot/draw-slices.h"
#include "studio/widgets/build.h"
#include "studio/widgets/confusion-view.h"
#include "studio/widgets/picture-view.h"

struct _StudioCompareConfusion
{
  AdwBin parent_instance;
  StudioCompareSet *set;
  GtkWidget *flow, *difference_button, *hint;
};

G_DEFINE_FINAL_TYPE (StudioCompareConfusion, studio_compare_confusion, ADW_TYPE_BIN)

/* The difference of a run to the first, in percentage points of each true class, so that runs with different numbers of
 * tests are comparable. */
typedef struct
{
  guint classes;
  double *points; /* classes x classes */
  char **names;
  GArray *groups; /* of TosstFeatureGroup: names in the form that the drawing takes */
} Difference;

TOSST_DEFINE_FREE (Difference, difference_free, (points, g_free), (names, g_strfreev), (groups, g_array_unref))

static double
percent_of_row (const TosstReportRun *run, guint row, guint column)
{
  int all = 0;

  for (guint j = 0; j < run->classes; j++)
    all += run->confusion[row * run->classes + j];
  return all > 0 ? 100.0 * run->confusion[row * run->classes + column] / all : 0;
}

static Difference *
difference_new (const TosstReportRun *run, const TosstReportRun *first)
{
  Difference *self = g_new0 (Difference, 1);

  self->classes = run->classes;
  self->points = g_new (double, run->classes * run->classes);
  self->names = g_strdupv (run->class_names);
  self->groups = g_array_new (FALSE, TRUE, sizeof (TosstFeatureGroup));
  for (guint i = 0; i < run->classes; i++)
    {
      TosstFeatureGroup group = { .first = (int)i, .count = 1 };
      gsize length = strlen (run->class_names[i]);

      for (guint j = 0; j < run->classes; j++)
        self->points[i * run->classes + j] = percent_of_row (run, i, j) - percent_of_row (first, i, j);
      if (length >= sizeof group.name)
        length = (gsize)(g_utf8_find_prev_char (run->class_names[i], run->class_names[i] + sizeof group.name)
                         - run->class_names[i]);
      memcpy (group.name, run->class_names[i], length);
      g_array_append_val (self->groups, group);
    }
  return self;
}

static char *
label_difference (StudioPicturePoint *point, const Difference *self)
{
  int n = (int)self->classes, row, column;
  TosstMatrixDrawing drawing = { self->points, n, n, self->groups };

  if (!tosst_named_matrix_pick (point->width, point->height, &point->style, &drawing, point->x, point->y, &row,
                                &column))
    return NULL;
  /* Translators: two names of classes and a difference in points of a percentage: "D3 predicted as D7: +4.0". */
  return g_strdup_printf (_ ("%s predicted as %s: %+.1f points"), self->names[row], self->names[column],
                          self->points[row * n + column]);
}

/* "Largest difference: D3 predicted as D7: +4.0 points". */
static char *
describe_difference (const Difference *self)
{
  guint most = 0, n = self->classes;

  for (guint i = 1; i < n * n; i++)
    if (fabs (self->points[i]) > fabs (self->points[most]))
      most = i;
  return g_strdup_printf (_ ("Largest difference: %s predicted as %s: %+.1f points"), self->names[most / n],
                          self->names[most % n], self->points[most]);
}

static const StudioPictureFuncs difference_funcs
    = { .label = G_CALLBACK (label_difference), .describe = G_CALLBACK (describe_difference) };

/* Pictures. */

static GtkWidget *
sentence (const char *text)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_widget_set_vexpand (label, TRUE);
  gtk_widget_add_css_class (label, "dim-label");
  return label;
}

static GtkWidget *
counts_picture (const TosstReportRun *run)
{
  GtkWidget *view = g_object_new (STUDIO_TYPE_CONFUSION_VIEW, "vexpand", TRUE, NULL);

  studio_confusion_view_set_counts (STUDIO_CONFUSION_VIEW (view), run->confusion, run->classes,
                                    (const char *const *)run->class_names);
  return view;
}

static GtkWidget *
difference_picture (const TosstReportRun *run, const TosstReportRun *first)
{
  GtkWidget *view = g_object_new (STUDIO_TYPE_PICTURE_VIEW, "vexpand", TRUE, NULL);
  Difference *difference = difference_new (run, first);
  int n = (int)difference->classes;
  StudioDrawing drawing
      = { STUDIO_DRAWING_MATRIX, .matrix = { difference->points, n, n, difference->groups }, .plain = TRUE };

  g_object_set_data_full (G_OBJECT (view), "difference", difference, difference_free);
  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (view), &difference_funcs, difference);
  studio_picture_view_show (STUDIO_PICTURE_VIEW (view), &drawing);
  return view;
}

static GtkWidget *
picture_of (StudioCompareConfusion *self, guint i)
{
  const StudioComparedRun *run = studio_compare_set_at (self->set, i), *first = studio_compare_set_at (self->set, 0);
  gboolean difference = i > 0 && studio_is_on (self->difference_button);

  if (run->problem != NULL)
    return sentence (run->problem);
  if (run->report == NULL)
    return sentence (_ ("Reading…"));
  if (run->report->run->confusion == NULL)
    return sentence (_ ("No split of this run is done yet."));
  if (!difference || first->report == NULL || first->report->run->confusion == NULL)
    return counts_picture (run->report->run);
  if (run->report->run->classes != first->report->run->classes
      || !g_strv_equal ((const char *const *)run->report->run->class_names,
                        (const char *const *)first->report->run->class_names))
    return sentence (_ ("Its classes are not those of the first run."));
  return difference_picture (run->report->run, first->report->run);
}

static GtkWidget *
tile_of (StudioCompareConfusion *self, guint i)
{
  const StudioComparedRun *run = studio_compare_set_at (self->set, i);
  g_autofree char *name = studio_run_row_get_heading (run->row),
                  *accuracy = studio_run_row_get_text (run->row, "accuracy");
  g_autofree char *accessible = g_strdup_printf (_ ("Confusion matrix of %s"), name);
  GtkWidget *picture = picture_of (self, i);
  GtkWidget *title = studio_label (name, "heading", NULL);
  GtkWidget *heading = studio_row (6, studio_run_swatch_new ((int)run->color), title,
                                   studio_label (accuracy, "dim-label", "numeric", NULL), NULL);

  gtk_label_set_wrap (GTK_LABEL (title), TRUE);
  /* A matrix has the height that its width makes it. */
  gtk_widget_set_size_request (picture, 300, STUDIO_IS_CONFUSION_VIEW (picture) ? -1 : 320);
  if (!GTK_IS_LABEL (picture))
    studio_set_name (picture, accessible);
  return studio_column (6, heading, picture, NULL);
}

static void
show (StudioCompareConfusion *self)
{
  GtkWidget *child;
  guint n = self->set != NULL ? self->set->runs->len : 0;

  while ((child = gtk_widget_get_first_child (self->flow)) != NULL)
    gtk_flow_box_remove (GTK_FLOW_BOX (self->flow), child);
  gtk_widget_set_sensitive (self->difference_button, n > 1);
  gtk_widget_set_visible (self->hint, n > 1 && studio_is_on (self->difference_button));
  for (guint i = 0; i < n; i++)
    {
      gtk_flow_box_append (GTK_FLOW_BOX (self->flow), tile_of (self, i));
      gtk_widget_set_focusable (GTK_WIDGET (gtk_flow_box_get_child_at_index (GTK_FLOW_BOX (self->flow), (int)i)),
                                FALSE);
    }
  gtk_flow_box_set_max_children_per_line (GTK_FLOW_BOX (self->flow), CLAMP (n, 1, 4));
}

STUDIO_DEFINE_DISPOSE_WITH (StudioCompareConfusion, studio_compare_confusion,
                            studio_follow (self, &self->set, NULL, NULL, NULL))

static void
studio_compare_confusion_class_init (StudioCompareConfusionClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_compare_confusion_dispose;
  STUDIO_SET_TEMPLATE (klass, StudioCompareConfusion, "compare-confusion", flow, difference_button, hint);
  STUDIO_BIND_CALLBACKS (klass, show);
}

STUDIO_DEFINE_INIT (StudioCompareConfusion, studio_compare_confusion, gtk_widget_init_template (GTK_WIDGET (self)))

void
studio_compare_confusion_set_set (StudioCompareConfusion *self, StudioCompareSet *set)
{
  studio_follow (self, &self->set, set, "changed", G_CALLBACK (show));
  show (self);
}
