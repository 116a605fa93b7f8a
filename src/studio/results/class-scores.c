/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/results/class-scores.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/run/scores.h"
#include "studio/results/flow-picture.h"
#include "studio/widgets/build.h"
#include "studio/widgets/chart-view.h"
#include "studio/widgets/format.h"

#define MOST 6     /* pictures of each kind */
#define RECALLS 11 /* of PASCAL VOC 2007 */

/* The kinds of pictures: ends of the ranking of a label. */
enum
{
  BEST_POSITIVES,
  BEST_NEGATIVES,
  WORST_POSITIVES,
  KINDS
};

static const struct
{
  int label;
  gboolean from_end;
  const char *title;
} kinds[KINDS] = {
  { 1, FALSE, N_ ("Best: images of the class with the highest scores") },
  { -1, FALSE, N_ ("Worst: images without the class with the highest scores") },
  { 1, TRUE, N_ ("Worst: images of the class with the lowest scores") },
};

struct _StudioClassScores
{
  AdwBin parent_instance;
  StudioImageLoader *loader;
  TosstChart *chart;

  GtkWidget *title, *note, *parts, *chart_view;
  GtkWidget *headings[KINDS], *pictures[KINDS]; /* children of a box keep the number of their image */
};

G_DEFINE_FINAL_TYPE (StudioClassScores, studio_class_scores, ADW_TYPE_BIN)

static void
clear_pictures (StudioClassScores *self)
{
  for (int kind = 0; kind < KINDS; kind++)
    studio_flow_clear (GTK_FLOW_BOX (self->pictures[kind]), self->loader);
}

static void
add_picture (StudioClassScores *self, int kind, TosstDataset *dataset, guint sample, double score)
{
  guint image = (guint)tosst_dataset_sample (dataset, sample)->image;
  g_autoptr (StudioImageItem) item = studio_image_item_new (dataset, image);
  g_autofree char *caption = studio_format_real (score, 2);
  g_autofree char *text = g_strdup_printf (_ ("%s: score %s"), tosst_dataset_image (dataset, image)->name, caption);

  studio_flow_add_picture (GTK_FLOW_BOX (self->pictures[kind]), self->loader, item, text, caption);
}

/* Pictures of one end of the curve, which is in ranked order. */
static void
add_pictures (StudioClassScores *self, int kind, TosstDataset *dataset, const TosstScores *scores, int class_index,
              const TosstRecallPoint *curve, gsize n)
{
  guint added = 0;

  for (gsize i = 0; i < n && added < MOST; i++)
    {
      gsize row = curve[kinds[kind].from_end ? n - 1 - i : i].sample;

      if (scores->label[(gsize)class_index * scores->samples + row] != kinds[kind].label)
        continue;
      add_picture (self, kind, dataset, scores->sample[row],
                   scores->margin[row * (gsize)scores->classes + (gsize)class_index]);
      added++;
    }
  gtk_widget_set_visible (self->headings[kind], added > 0);
  gtk_widget_set_visible (self->pictures[kind], added > 0);
}

/* The curve, and the largest precisions at the recalls that its average is of. */
static void
draw_curve (StudioClassScores *self, const TosstRecallPoint *curve, gsize n, gsize positives)
{
  tosst_chart_clear (self->chart);
  for (gsize i = 0; i < n && (i == 0 || curve[i - 1].recall < 1); i++)
    tosst_chart_append (self->chart, 0, curve[i].recall, curve[i].precision);
  for (int t = 0; t < RECALLS && positives > 0; t++)
    {
      double largest = 0;

      for (gsize i = 0; i < n; i++)
        if (10 * llround (curve[i].recall * (double)positives) >= t * (long long)positives)
          largest = fmax (largest, curve[i].precision);
      tosst_chart_append (self->chart, 1, t / (RECALLS - 1.0), largest);
    }
  studio_chart_view_refresh (STUDIO_CHART_VIEW (self->chart_view));
}

static void
show_ranking (StudioClassScores *self, TosstDataset *dataset, const TosstScores *scores, int class_index)
{
  g_autofree TosstRecallPoint *curve = g_new (TosstRecallPoint, scores->samples);
  TosstAveragePrecision ap = { 0 };
  g_autoptr (GError) error = NULL;
  gsize n = 0;

  if (tosst_scores_average_precision (scores, class_index, &ap, curve, &error))
    n = ap.positives + ap.negatives;
  studio_label_show_problem (self->note, error != NULL       ? error->message
                                         : ap.positives == 0 ? _ ("No test image shows this class: it has no score.")
                                                             : NULL);
  draw_curve (self, curve, n, ap.positives);
  gtk_widget_set_visible (self->chart_view, ap.positives > 0);
  for (int kind = 0; kind < KINDS; kind++)
    add_pictures (self, kind, dataset, scores, class_index, curve, ap.positives > 0 ? n : 0);
}

/* Of data that did not change since the run. */
static gboolean
are_of (const TosstScores *scores, TosstDataset *dataset)
{
  for (guint i = 0; i < scores->samples; i++)
    if (scores->sample[i] >= tosst_dataset_samples (dataset))
      return FALSE;
  return TRUE;
}

void
studio_class_scores_show (StudioClassScores *self, TosstDataset *dataset, const TosstRunResult *result, int class_index)
{
  const TosstScores *scores = result->splits > 0 ? result->split[0].scores : NULL;
  gboolean known = scores != NULL && dataset != NULL && are_of (scores, dataset);

  clear_pictures (self);
  gtk_label_set_label (GTK_LABEL (self->title), result->class_names[class_index]);
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
  gtk_widget_set_visible (self->parts, known);
  if (known)
    show_ranking (self, dataset, scores, class_index);
  else
    studio_label_show_problem (self->note, scores == NULL ? _ ("This run was stored without the scores of its images.")
                                                          : _ ("The data set has changed since this run."));
}

void
studio_class_scores_clear (StudioClassScores *self)
{
  clear_pictures (self);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

static void
on_activated (GtkFlowBox *box, GtkFlowBoxChild *child, StudioClassScores *self)
{
  g_signal_emit_by_name (self, "image-chosen", studio_flow_child_get_item (child)->image);
}

static void
studio_class_scores_dispose (GObject *object)
{
  StudioClassScores *self = STUDIO_CLASS_SCORES (object);

  if (self->loader != NULL)
    {
      clear_pictures (self);
      studio_chart_view_set_chart (STUDIO_CHART_VIEW (self->chart_view), NULL);
    }
  g_clear_pointer (&self->chart, tosst_chart_free);
  g_clear_object (&self->loader);
  G_OBJECT_CLASS (studio_class_scores_parent_class)->dispose (object);
}

static void
studio_class_scores_class_init (StudioClassScoresClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_class_scores_dispose;
  studio_add_signal (klass, "image-chosen", 1, G_TYPE_UINT);
}

static GtkWidget *
note_new (const char *text, const char *css_class)
{
  GtkWidget *label = studio_label (text, css_class, NULL);

  g_object_set (label, "wrap", TRUE, "max-width-chars", 40, NULL);
  return label;
}

static void
init_chart (StudioClassScores *self)
{
  self->chart = tosst_chart_new ("", _ ("Recall"), _ ("Precision"));
  tosst_chart_add_series (self->chart, _ ("Precision"));
  tosst_chart_add_series (self->chart, _ ("11 points"));
  tosst_chart_set_x_range (self->chart, 0, 1);
  tosst_chart_set_y_bounds (self->chart, 0, 1);
  self->chart_view = g_object_new (STUDIO_TYPE_CHART_VIEW, "height-request", 220, "hexpand", TRUE, NULL);
  studio_chart_view_set_chart (STUDIO_CHART_VIEW (self->chart_view), self->chart);
  studio_set_name (self->chart_view, _ ("Precision and recall"));
}

static void
studio_class_scores_init (StudioClassScores *self)
{
  self->loader = studio_image_loader_new ();
  self->title = studio_label ("", "heading", NULL);
  self->note = note_new ("", "dim-label");
  init_chart (self);
  self->parts = studio_column (6, self->chart_view, NULL);
  for (int kind = 0; kind < KINDS; kind++)
    {
      self->headings[kind] = note_new (_ (kinds[kind].title), "caption-heading");
      self->pictures[kind] = studio_flow_new (_ (kinds[kind].title));
      g_signal_connect (self->pictures[kind], "child-activated", G_CALLBACK (on_activated), self);
      gtk_box_append (GTK_BOX (self->parts), self->headings[kind]);
      gtk_box_append (GTK_BOX (self->parts), self->pictures[kind]);
    }
  gtk_label_set_ellipsize (GTK_LABEL (self->title), PANGO_ELLIPSIZE_END);
  adw_bin_set_child (ADW_BIN (self), studio_column (6, self->title, self->note, self->parts, NULL));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}
