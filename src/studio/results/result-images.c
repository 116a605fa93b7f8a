/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/results/result-images.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/base/error.h"
#include "core/dictionary/common-atoms.h"
#include "core/run/scores.h"
#include "studio/atoms/atom-grid.h"
#include "studio/tasks/worker.h"
#include "studio/widgets/build.h"
#include "studio/widgets/chart-view.h"
#include "studio/widgets/format.h"
#include "studio/widgets/image-loader.h"

/* Pictures of images in rows that wrap. */

/* Side of a picture in pixels of the window, and distance of two. */
#define FLOW_SIDE 56
#define FLOW_GAP 6

/* A GtkFlowBox; name: for screen readers. */
static GtkWidget *
flow_new (const char *name)
{
  GtkWidget *box
      = g_object_new (GTK_TYPE_FLOW_BOX, "activate-on-single-click", FALSE, "homogeneous", TRUE, "row-spacing",
                      FLOW_GAP, "column-spacing", FLOW_GAP, "halign", GTK_ALIGN_START, "valign", GTK_ALIGN_START,
                      "min-children-per-line", 4, "max-children-per-line", 24, NULL);

  studio_set_name (box, name);
  return box;
}

/* text: tooltip and accessible name; caption: below the picture, or NULL. The item is loaded. */
static void
flow_add_picture (GtkFlowBox *box, StudioImageLoader *loader, StudioImageItem *item, const char *text,
                  const char *caption)
{
  GtkWidget *picture = gtk_image_new (), *child = gtk_flow_box_child_new (), *content = picture;

  gtk_image_set_pixel_size (GTK_IMAGE (picture), FLOW_SIDE);
  gtk_widget_set_overflow (picture, GTK_OVERFLOW_HIDDEN);
  gtk_widget_add_css_class (picture, "thumbnail");
  if (caption != NULL)
    {
      GtkWidget *label = studio_label (caption, "caption", "numeric", NULL);

      gtk_label_set_xalign (GTK_LABEL (label), 0.5f);
      content = studio_column (2, picture, label, NULL);
    }
  gtk_flow_box_child_set_child (GTK_FLOW_BOX_CHILD (child), content);
  gtk_widget_set_tooltip_text (child, text);
  studio_set_name (child, text);
  g_object_bind_property (item, "texture", picture, "paintable", 0);
  g_object_set_data_full (G_OBJECT (child), "item", g_object_ref (item), g_object_unref);
  gtk_flow_box_append (box, child);
  studio_image_loader_request (loader, item, 2 * FLOW_SIDE);
}

static StudioImageItem *
flow_child_get_item (GtkFlowBoxChild *child)
{
  return g_object_get_data (G_OBJECT (child), "item");
}

static void
flow_clear (GtkFlowBox *box, StudioImageLoader *loader)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (box))) != NULL)
    {
      studio_image_loader_cancel (loader, flow_child_get_item (GTK_FLOW_BOX_CHILD (child)));
      gtk_flow_box_remove (box, child);
    }
}

/* Atoms that blocks share. */

#define SHOWN 12

struct _StudioSharedAtoms
{
  AdwBin parent_instance;
  StudioWorker *worker; /* NULL before the first request */
  guint asked;          /* number of the pending request */

  GtkWidget *note, *grid;
};

G_DEFINE_FINAL_TYPE (StudioSharedAtoms, studio_shared_atoms, ADW_TYPE_BIN)

/* Requests and answers. */

typedef struct
{
  guint number;
  StudioAtomSet *atoms;
  TosstDataset *dataset;
  GArray *samples;
} Question;

typedef struct
{
  guint number;
  StudioAtoms *atoms; /* NULL: */
  char *problem;
} Answer;

/* Cached by the worker: preparing a coder takes longer than coding a block. */
typedef struct
{
  StudioAtomSet *atoms;
  TosstPatchCoder *coder;
} Session;

TOSST_DEFINE_FREE (Question, free_question, (atoms, studio_atom_set_unref), (dataset, tosst_dataset_unref),
                   (samples, g_array_unref))

TOSST_DEFINE_FREE (Answer, free_answer, (atoms, studio_atoms_unref), (problem, g_free))

TOSST_DEFINE_FREE (Session, free_session, (coder, tosst_patch_coder_free), (atoms, studio_atom_set_unref))

static gboolean
prepare (Session *self, StudioAtomSet *atoms, TosstContext *context, GError **error)
{
  if (self->coder != NULL && self->atoms == atoms)
    return TRUE;
  g_clear_pointer (&self->coder, tosst_patch_coder_free);
  g_clear_pointer (&self->atoms, studio_atom_set_unref);
  self->atoms = studio_atom_set_ref (atoms);
  return tosst_error_from_status (tosst_patch_coder_new (atoms->recipe, context, atoms->dictionary, &self->coder),
                                  context, _ ("Coding"), error);
}

static void
work (StudioWorker *worker, TosstContext *context, const Question *question, gpointer *session)
{
  const TosstDictionary *dictionary = question->atoms->dictionary;
  g_autoptr (GArray) common = NULL;
  g_autoptr (GError) error = NULL;

  if (*session == NULL)
    *session = g_new0 (Session, 1);
  if (prepare (*session, question->atoms, context, &error))
    common = tosst_common_atoms (question->atoms->recipe, context, ((Session *)*session)->coder, dictionary->K,
                                 question->dataset, question->samples, SHOWN, &error);
  if (common == NULL && g_error_matches (error, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    return;
  Answer *answer = g_new0 (Answer, 1);
  answer->number = question->number;
  if (common != NULL)
    answer->atoms = studio_atoms_new_common (dictionary, common);
  else
    answer->problem = g_strdup (error->message);
  studio_worker_put (worker, answer);
}

static void
on_answer (StudioSharedAtoms *self, Answer *answer)
{
  gboolean some = answer->atoms != NULL && answer->atoms->n > 0;

  if (answer->number != self->asked)
    return;
  studio_atom_grid_set_atoms (STUDIO_ATOM_GRID (self->grid), some ? answer->atoms : NULL);
  gtk_widget_set_visible (self->grid, some);
  studio_label_show_problem (self->note, answer->problem != NULL ? answer->problem
                                         : some                  ? NULL
                                                                 : _ ("Their codes use no atom at all."));
}

static const StudioWork shared_work
    = { G_CALLBACK (work), free_question, free_answer, free_session, G_CALLBACK (on_answer), .interrupts = TRUE };

void
studio_shared_atoms_show (StudioSharedAtoms *self, StudioAtomSet *atoms, TosstDataset *dataset, const GArray *samples)
{
  gboolean some = atoms != NULL && atoms->recipe != NULL && samples->len > 0;

  self->asked++;
  gtk_widget_set_visible (GTK_WIDGET (self), some);
  gtk_widget_set_visible (self->grid, FALSE);
  studio_atom_grid_set_atoms (STUDIO_ATOM_GRID (self->grid), NULL);
  if (!some)
    return;
  studio_label_show_problem (self->note, _ ("Coding these blocks"));
  Question *question = g_new0 (Question, 1);
  *question = (Question){ self->asked, studio_atom_set_ref (atoms), tosst_dataset_ref (dataset),
                          g_array_copy ((GArray *)samples) };
  studio_worker_ask_first (&self->worker, &shared_work, NULL, self, question);
}

STUDIO_DEFINE_DISPOSE (StudioSharedAtoms, studio_shared_atoms, (worker, studio_worker_free))

static void
studio_shared_atoms_class_init (StudioSharedAtomsClass *klass)
{
  g_type_ensure (STUDIO_TYPE_ATOM_GRID);
  G_OBJECT_CLASS (klass)->dispose = studio_shared_atoms_dispose;
  studio_add_signal (klass, "atom-chosen", 1, G_TYPE_INT);
  STUDIO_SET_TEMPLATE (klass, StudioSharedAtoms, "shared-atoms", note, grid);
  STUDIO_BIND_CALLBACKS (klass, studio_choose_atom);
}

STUDIO_DEFINE_INIT (StudioSharedAtoms, studio_shared_atoms, gtk_widget_init_template (GTK_WIDGET (self)))

/* Blocks of a cell of the confusion matrix. */

#define AT_ONCE 48 /* maximum number of pictures, limited by loading time */
#define ROW 6      /* pictures in a row of a narrow window */
#define LARGE 140  /* side of the picture of a wrong prediction, pixels */

struct _StudioCellBlocks
{
  AdwBin parent_instance;
  StudioImageLoader *loader;
  StudioImageItem *item;  /* of the large picture; NULL: none */
  GBindingGroup *binding; /* of the item and the large picture */
  TosstDataset *dataset;  /* of the cell that is shown */
  GPtrArray *predictions; /* const TosstPrediction *, one for each picture; of the run that is shown */

  GtkWidget *title, *note, *scroll, *pictures, *beside, *large, *large_name, *said_title, *said, *true_title, *truth,
      *shared;
};

G_DEFINE_FINAL_TYPE (StudioCellBlocks, studio_cell_blocks, ADW_TYPE_BIN)

static void
clear_pictures (StudioCellBlocks *self)
{
  GtkWidget *boxes[] = { self->pictures, self->said, self->truth };

  for (guint i = 0; i < G_N_ELEMENTS (boxes); i++)
    flow_clear (GTK_FLOW_BOX (boxes[i]), self->loader);
  if (self->item != NULL)
    studio_image_loader_cancel (self->loader, self->item);
  g_clear_object (&self->item);
  g_ptr_array_set_size (self->predictions, 0);
  gtk_widget_set_visible (self->beside, FALSE);
}

/* "bark/3.jpg", with the place of a block. */
static char *
describe_sample (TosstDataset *dataset, const TosstSample *sample)
{
  const TosstDatasetImage *image = tosst_dataset_image (dataset, (guint)sample->image);

  return sample->width == image->width && sample->height == image->height
             ? g_strdup (image->name)
             : g_strdup_printf (_ ("%s at %d, %d"), image->name, sample->x, sample->y);
}

static StudioImageItem *
item_of (TosstDataset *dataset, const TosstSample *sample)
{
  return studio_image_item_new_part (dataset, (guint)sample->image, sample->x, sample->y, sample->width,
                                     sample->height);
}

static void
add_picture (StudioCellBlocks *self, GtkWidget *box, guint number, const char *text)
{
  g_autoptr (StudioImageItem) item = item_of (self->dataset, tosst_dataset_sample (self->dataset, number));

  flow_add_picture (GTK_FLOW_BOX (box), self->loader, item, text, NULL);
  g_object_set_data (G_OBJECT (gtk_widget_get_last_child (box)), "sample", GUINT_TO_POINTER (number));
}

/* A wrong prediction: the image, and the training images nearest to it of the class that was predicted and of its own. */
static void
show_beside (StudioCellBlocks *self)
{
  g_autoptr (GList) chosen = gtk_flow_box_get_selected_children (GTK_FLOW_BOX (self->pictures));
  const TosstPrediction *one
      = chosen != NULL ? g_ptr_array_index (self->predictions, gtk_flow_box_child_get_index (chosen->data)) : NULL;
  GtkWidget *boxes[] = { self->said, self->truth };

  gtk_widget_set_visible (self->beside, one != NULL && one->nearest[0][0] >= 0);
  if (!gtk_widget_get_visible (self->beside))
    return;
  const TosstSample *sample = tosst_dataset_sample (self->dataset, one->sample);

  if (self->item != NULL)
    studio_image_loader_cancel (self->loader, self->item);
  g_clear_object (&self->item);
  self->item = item_of (self->dataset, sample);
  g_binding_group_set_source (self->binding, self->item);
  studio_image_loader_request (self->loader, self->item, 2 * LARGE);
  studio_label_take (self->large_name, describe_sample (self->dataset, sample));
  for (int side = 0; side < 2; side++)
    {
      flow_clear (GTK_FLOW_BOX (boxes[side]), self->loader);
      for (int k = 0; k < TOSST_NEAREST && one->nearest[side][k] >= 0; k++)
        {
          guint number = (guint)one->nearest[side][k];
          g_autofree char *text = describe_sample (self->dataset, tosst_dataset_sample (self->dataset, number));

          add_picture (self, boxes[side], number, text);
        }
    }
}

/* How often each sample of the data set is in the cell, and its first prediction: new; NULL if a split has no predictions.
 * A sample that is missing in the data set, or is in another class, is of data that changed since. */
static int *
count_samples (TosstDataset *dataset, const TosstRunResult *result, int truth, int said, const TosstPrediction **first)
{
  guint n = dataset->samples->len;
  g_autofree int *times = g_new0 (int, n);

  for (int s = 0; s < result->splits; s++)
    {
      const GArray *predictions = result->split[s].predictions;

      for (guint i = 0; predictions != NULL && i < predictions->len; i++)
        {
          const TosstPrediction *one = &g_array_index (predictions, TosstPrediction, i);

          if (one->sample >= n || tosst_dataset_sample (dataset, one->sample)->class_index != one->truth)
            return NULL;
          for (int k = 0; k < TOSST_NEAREST; k++)
            if (one->nearest[0][k] >= (int)n || one->nearest[1][k] >= (int)n)
              return NULL;
          if (one->truth != truth || one->predicted != said)
            continue;
          if (times[one->sample]++ == 0)
            first[one->sample] = one;
        }
      if (predictions == NULL)
        return NULL;
    }
  return g_steal_pointer (&times);
}

/* Adds the first of them, with their numbers in shown. Returns how many there are. */
static guint
add_pictures (StudioCellBlocks *self, const int *times, const TosstPrediction *const *first, int splits, GArray *shown)
{
  guint samples = 0;

  for (guint i = 0; i < self->dataset->samples->len; i++)
    if (times[i] > 0 && samples++ < AT_ONCE)
      {
        g_autofree char *name = describe_sample (self->dataset, tosst_dataset_sample (self->dataset, i));
        g_autofree char *text = g_strdup_printf (ngettext ("%s: in %d of %d split", "%s: in %d of %d splits", splits),
                                                 name, times[i], splits);

        g_ptr_array_add (self->predictions, (gpointer)first[i]);
        add_picture (self, self->pictures, i, text);
        g_array_append_val (shown, i);
      }
  return samples;
}

void
studio_cell_blocks_show (StudioCellBlocks *self, TosstDataset *dataset, const TosstRunResult *result,
                         StudioAtomSet *atoms, guint truth, guint said)
{
  int tests = result->confusion[truth * (guint)result->classes + said];
  g_autofree const TosstPrediction **first = g_new0 (const TosstPrediction *, dataset->samples->len);
  g_autofree int *times = count_samples (dataset, result, (int)truth, (int)said, first);
  const char *own = tosst_dataset_class_label (dataset, truth), *predicted = tosst_dataset_class_label (dataset, said);
  g_autofree char *note = NULL;
  g_autoptr (GArray) shown = g_array_new (FALSE, FALSE, sizeof (guint));
  guint samples = 0;

  clear_pictures (self);
  g_clear_pointer (&self->dataset, tosst_dataset_unref);
  self->dataset = tosst_dataset_ref (dataset);
  if (times != NULL)
    samples = add_pictures (self, times, first, result->splits, shown);
  else
    note = g_strdup (_ ("The run was stored without its predictions."));
  if (samples > AT_ONCE)
    note = g_strdup_printf (_ ("The first %d of %u"), AT_ONCE, samples);
  studio_label_take (self->title,
                     samples > 0 && samples < (guint)tests /* several splits test a sample, each with its own model */
                         ? g_strdup_printf (_ ("%s predicted as %s: %u, in %d tests"), own, predicted, samples, tests)
                         : g_strdup_printf (_ ("%s predicted as %s: %d"), own, predicted, tests));
  gtk_widget_set_tooltip_text (self->title, gtk_label_get_label (GTK_LABEL (self->title)));
  studio_label_show_problem (self->note, note);
  gtk_widget_set_visible (self->scroll, samples > 0);
  /* Shows whole rows when the column scrolls. */
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (self->scroll),
                                              samples > ROW ? 2 * FLOW_SIDE + FLOW_GAP : FLOW_SIDE);
  studio_label_take (self->said_title, g_strdup_printf (_ ("Nearest training images of %s (predicted)"), predicted));
  studio_label_take (self->true_title, g_strdup_printf (_ ("Nearest training images of %s (true)"), own));
  if (samples > 0 && truth != said)
    gtk_flow_box_select_child (GTK_FLOW_BOX (self->pictures),
                               gtk_flow_box_get_child_at_index (GTK_FLOW_BOX (self->pictures), 0));
  studio_shared_atoms_show (STUDIO_SHARED_ATOMS (self->shared), atoms, dataset, shown);
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
}

void
studio_cell_blocks_clear (StudioCellBlocks *self)
{
  clear_pictures (self);
  studio_shared_atoms_show (STUDIO_SHARED_ATOMS (self->shared), NULL, NULL, NULL);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

static void
on_block (GtkFlowBox *box, GtkFlowBoxChild *child, StudioCellBlocks *self)
{
  guint number = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (child), "sample"));
  const TosstSample *sample = tosst_dataset_sample (self->dataset, number);

  g_signal_emit_by_name (self, "block-chosen", (guint)sample->image, sample->x, sample->y);
}

STUDIO_DEFINE_DISPOSE_WITH (StudioCellBlocks, studio_cell_blocks, if (self->loader != NULL) clear_pictures (self),
                            (loader, g_object_unref), (binding, g_object_unref), (predictions, g_ptr_array_unref),
                            (dataset, tosst_dataset_unref))

static void
studio_cell_blocks_class_init (StudioCellBlocksClass *klass)
{
  g_type_ensure (STUDIO_TYPE_SHARED_ATOMS);
  G_OBJECT_CLASS (klass)->dispose = studio_cell_blocks_dispose;
  studio_add_signal (klass, "block-chosen", 3, G_TYPE_UINT, G_TYPE_INT, G_TYPE_INT);
  studio_add_signal (klass, "atom-chosen", 1, G_TYPE_INT);
  STUDIO_SET_TEMPLATE (klass, StudioCellBlocks, "cell-blocks", title, note, scroll, pictures, beside, large, large_name,
                       said_title, said, true_title, truth, shared);
  STUDIO_BIND_CALLBACKS (klass, on_block, studio_choose_atom, show_beside);
}

static void
studio_cell_blocks_init (StudioCellBlocks *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->loader = studio_image_loader_new ();
  self->predictions = g_ptr_array_new ();
  self->binding = g_binding_group_new ();
  g_binding_group_bind (self->binding, "texture", self->large, "paintable", G_BINDING_SYNC_CREATE);
}

/* Images of a class. */

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
clear_images (StudioClassScores *self)
{
  for (int kind = 0; kind < KINDS; kind++)
    flow_clear (GTK_FLOW_BOX (self->pictures[kind]), self->loader);
}

static void
add_image (StudioClassScores *self, int kind, TosstDataset *dataset, guint sample, double score)
{
  guint image = (guint)tosst_dataset_sample (dataset, sample)->image;
  g_autoptr (StudioImageItem) item = studio_image_item_new (dataset, image);
  g_autofree char *caption = studio_format_real (score, 2);
  g_autofree char *text = g_strdup_printf (_ ("%s: score %s"), tosst_dataset_image (dataset, image)->name, caption);

  flow_add_picture (GTK_FLOW_BOX (self->pictures[kind]), self->loader, item, text, caption);
}

/* Pictures of one end of the curve, which is in ranked order. */
static void
add_images (StudioClassScores *self, int kind, TosstDataset *dataset, const TosstScores *scores, int class_index,
            const TosstRecallPoint *curve, gsize n)
{
  guint added = 0;

  for (gsize i = 0; i < n && added < MOST; i++)
    {
      gsize row = curve[kinds[kind].from_end ? n - 1 - i : i].sample;

      if (scores->label[(gsize)class_index * scores->samples + row] != kinds[kind].label)
        continue;
      add_image (self, kind, dataset, scores->sample[row],
                 scores->margin[row * (gsize)scores->classes + (gsize)class_index]);
      added++;
    }
  gtk_widget_set_visible (self->headings[kind], added > 0);
  gtk_widget_set_visible (self->pictures[kind], added > 0);
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
  /* The curve, and the largest precisions at the recalls that its average is of. */
  tosst_chart_clear (self->chart);
  for (gsize i = 0; i < n && (i == 0 || curve[i - 1].recall < 1); i++)
    tosst_chart_append (self->chart, 0, curve[i].recall, curve[i].precision);
  for (int t = 0; t < RECALLS && ap.positives > 0; t++)
    {
      double largest = 0;

      for (gsize i = 0; i < n; i++)
        if (10 * llround (curve[i].recall * (double)ap.positives) >= t * (long long)ap.positives)
          largest = fmax (largest, curve[i].precision);
      tosst_chart_append (self->chart, 1, t / (RECALLS - 1.0), largest);
    }
  studio_chart_view_refresh (STUDIO_CHART_VIEW (self->chart_view));
  gtk_widget_set_visible (self->chart_view, ap.positives > 0);
  for (int kind = 0; kind < KINDS; kind++)
    add_images (self, kind, dataset, scores, class_index, curve, ap.positives > 0 ? n : 0);
}

/* Whether the data did not change since the run. */
static gboolean
are_of (const TosstScores *scores, TosstDataset *dataset)
{
  for (guint i = 0; i < scores->samples; i++)
    if (scores->sample[i] >= dataset->samples->len)
      return FALSE;
  return TRUE;
}

void
studio_class_scores_show (StudioClassScores *self, TosstDataset *dataset, const TosstRunResult *result, int class_index)
{
  const TosstScores *scores = result->splits > 0 ? result->split[0].scores : NULL;
  gboolean known = scores != NULL && dataset != NULL && are_of (scores, dataset);

  clear_images (self);
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
  clear_images (self);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

static void
on_image (GtkFlowBox *box, GtkFlowBoxChild *child, StudioClassScores *self)
{
  g_signal_emit_by_name (self, "image-chosen", flow_child_get_item (child)->image);
}

static void
studio_class_scores_dispose (GObject *object)
{
  StudioClassScores *self = STUDIO_CLASS_SCORES (object);

  if (self->loader != NULL)
    {
      clear_images (self);
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
studio_class_scores_init (StudioClassScores *self)
{
  self->loader = studio_image_loader_new ();
  self->title = studio_label ("", "heading", NULL);
  self->note = note_new ("", "dim-label");
  self->chart = tosst_chart_new ("", _ ("Recall"), _ ("Precision"));
  tosst_chart_add_series (self->chart, _ ("Precision"));
  tosst_chart_add_series (self->chart, _ ("11 points"));
  tosst_chart_set_x_range (self->chart, 0, 1);
  tosst_chart_set_y_bounds (self->chart, 0, 1);
  self->chart_view = g_object_new (STUDIO_TYPE_CHART_VIEW, "height-request", 220, "hexpand", TRUE, NULL);
  studio_chart_view_set_chart (STUDIO_CHART_VIEW (self->chart_view), self->chart);
  studio_set_name (self->chart_view, _ ("Precision and recall"));
  self->parts = studio_column (6, self->chart_view, NULL);
  for (int kind = 0; kind < KINDS; kind++)
    {
      self->headings[kind] = note_new (_ (kinds[kind].title), "caption-heading");
      self->pictures[kind] = flow_new (_ (kinds[kind].title));
      g_signal_connect (self->pictures[kind], "child-activated", G_CALLBACK (on_image), self);
      gtk_box_append (GTK_BOX (self->parts), self->headings[kind]);
      gtk_box_append (GTK_BOX (self->parts), self->pictures[kind]);
    }
  gtk_label_set_ellipsize (GTK_LABEL (self->title), PANGO_ELLIPSIZE_END);
  adw_bin_set_child (ADW_BIN (self), studio_column (6, self->title, self->note, self->parts, NULL));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}
