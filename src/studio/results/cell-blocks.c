/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/results/cell-blocks.h"

#include <glib/gi18n.h>

#include "studio/atoms/shared-atoms.h"
#include "studio/results/flow-picture.h"
#include "studio/widgets/build.h"

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
    studio_flow_clear (GTK_FLOW_BOX (boxes[i]), self->loader);
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

  studio_flow_add_picture (GTK_FLOW_BOX (box), self->loader, item, text, NULL);
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
      studio_flow_clear (GTK_FLOW_BOX (boxes[side]), self->loader);
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
  guint n = tosst_dataset_samples (dataset);
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

  for (guint i = 0; i < tosst_dataset_samples (self->dataset); i++)
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
  g_autofree const TosstPrediction **first = g_new0 (const TosstPrediction *, tosst_dataset_samples (dataset));
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
  gtk_scrolled_window_set_min_content_height (
      GTK_SCROLLED_WINDOW (self->scroll), samples > ROW ? 2 * STUDIO_FLOW_SIDE + STUDIO_FLOW_GAP : STUDIO_FLOW_SIDE);
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
on_activated (GtkFlowBox *box, GtkFlowBoxChild *child, StudioCellBlocks *self)
{
  guint number = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (child), "sample"));
  const TosstSample *sample = tosst_dataset_sample (self->dataset, number);

  g_signal_emit_by_name (self, "block-chosen", (guint)sample->image, sample->x, sample->y);
}

static void
on_atom (StudioCellBlocks *self, int atom)
{
  g_signal_emit_by_name (self, "atom-chosen", atom);
}

static void
studio_cell_blocks_dispose (GObject *object)
{
  StudioCellBlocks *self = STUDIO_CELL_BLOCKS (object);

  if (self->loader != NULL)
    clear_pictures (self);
  g_clear_object (&self->loader);
  g_clear_object (&self->binding);
  g_clear_pointer (&self->predictions, g_ptr_array_unref);
  g_clear_pointer (&self->dataset, tosst_dataset_unref);
  G_OBJECT_CLASS (studio_cell_blocks_parent_class)->dispose (object);
}

static void
studio_cell_blocks_class_init (StudioCellBlocksClass *klass)
{
  g_type_ensure (STUDIO_TYPE_SHARED_ATOMS);
  G_OBJECT_CLASS (klass)->dispose = studio_cell_blocks_dispose;
  studio_add_signal (klass, "block-chosen", 3, G_TYPE_UINT, G_TYPE_INT, G_TYPE_INT);
  studio_add_signal (klass, "atom-chosen", 1, G_TYPE_INT);
  STUDIO_SET_TEMPLATE (klass, StudioCellBlocks, "cell-blocks", title, note, scroll, pictures, beside, large, large_name,
                       said_title, said, true_title, truth, shared);
  STUDIO_BIND_CALLBACKS (klass, on_activated, on_atom, show_beside);
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
