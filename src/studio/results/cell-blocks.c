/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/results/cell-blocks.h"

#include <glib/gi18n.h>

#include "studio/atoms/shared-atoms.h"
#include "studio/results/flow-picture.h"
#include "studio/widgets/build.h"

#define AT_ONCE 48 /* maximum number of pictures, limited by loading time */
#define ROW 6      /* pictures in a row of a narrow window */

struct _StudioCellBlocks
{
  AdwBin parent_instance;
  StudioImageLoader *loader;
  GPtrArray *items; /* StudioImageItem *, of the pictures */
  GArray *samples;  /* TosstSample, of the pictures */

  GtkWidget *title, *note, *scroll, *pictures, *shared;
};

G_DEFINE_FINAL_TYPE (StudioCellBlocks, studio_cell_blocks, ADW_TYPE_BIN)

static void
clear_pictures (StudioCellBlocks *self)
{
  for (guint i = 0; i < self->items->len; i++)
    studio_image_loader_cancel (self->loader, g_ptr_array_index (self->items, i));
  g_ptr_array_set_size (self->items, 0);
  g_array_set_size (self->samples, 0);
  studio_flow_clear (GTK_FLOW_BOX (self->pictures));
}

static void
add_picture (StudioCellBlocks *self, TosstDataset *dataset, const TosstSample *sample, int times)
{
  StudioImageItem *item
      = studio_image_item_new_part (dataset, (guint)sample->image, sample->x, sample->y, sample->width, sample->height);
  const char *name = tosst_dataset_image (dataset, (guint)sample->image)->name;
  g_autofree char *text
      = g_strdup_printf (ngettext ("%s at %d, %d: in %d split", "%s at %d, %d: in %d splits", (gulong)times), name,
                         sample->x, sample->y, times);

  g_ptr_array_add (self->items, item);
  g_array_append_val (self->samples, *sample);
  studio_flow_add_picture (GTK_FLOW_BOX (self->pictures), self->loader, item, text, NULL);
}

/* The count of each sample of the data set in the cell: new; NULL if a split has no predictions. A sample that is
 * missing in the data set, or is in another class, is of data that changed since. */
static int *
count_samples (TosstDataset *dataset, const TosstRunResult *result, int truth, int said)
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
          times[one->sample] += one->truth == truth && one->predicted == said;
        }
      if (predictions == NULL)
        return NULL;
    }
  return g_steal_pointer (&times);
}

/* Adds the first of them, with their numbers in shown. Returns how many there are. */
static guint
add_pictures (StudioCellBlocks *self, TosstDataset *dataset, const int *times, GArray *shown)
{
  guint blocks = 0;

  for (guint i = 0; i < tosst_dataset_samples (dataset); i++)
    if (times[i] > 0 && blocks++ < AT_ONCE)
      {
        add_picture (self, dataset, tosst_dataset_sample (dataset, i), times[i]);
        g_array_append_val (shown, i);
      }
  return blocks;
}

void
studio_cell_blocks_show (StudioCellBlocks *self, TosstDataset *dataset, const TosstRunResult *result,
                         StudioAtomSet *atoms, guint truth, guint said)
{
  int tests = result->confusion[truth * (guint)result->classes + said];
  g_autofree int *times = count_samples (dataset, result, (int)truth, (int)said);
  g_autofree char *note = NULL;
  g_autoptr (GArray) shown = g_array_new (FALSE, FALSE, sizeof (guint));
  guint blocks = 0;

  clear_pictures (self);
  studio_label_take (self->title, g_strdup_printf (_ ("%s predicted as %s: %d"), result->class_names[truth],
                                                   result->class_names[said], tests));
  gtk_widget_set_tooltip_text (self->title, gtk_label_get_label (GTK_LABEL (self->title)));
  if (times != NULL)
    blocks = add_pictures (self, dataset, times, shown);
  if (times == NULL)
    note = g_strdup (_ ("This run was stored without the predictions of its blocks."));
  else if (blocks > AT_ONCE)
    note = g_strdup_printf (_ ("The first %d of %u blocks"), AT_ONCE, blocks);
  else if (blocks < (guint)tests) /* several splits test a block, each with its own model */
    note = g_strdup_printf (_ ("Different blocks: %u"), blocks);
  studio_label_show_problem (self->note, note);
  gtk_widget_set_visible (self->scroll, blocks > 0);
  /* Shows whole rows when the column scrolls. */
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (self->scroll),
                                              blocks > ROW ? 2 * STUDIO_FLOW_SIDE + STUDIO_FLOW_GAP : STUDIO_FLOW_SIDE);
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
  const TosstSample *sample = &g_array_index (self->samples, TosstSample, (guint)gtk_flow_box_child_get_index (child));

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
  g_clear_pointer (&self->items, g_ptr_array_unref);
  g_clear_pointer (&self->samples, g_array_unref);
  G_OBJECT_CLASS (studio_cell_blocks_parent_class)->dispose (object);
}

static void
studio_cell_blocks_class_init (StudioCellBlocksClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (STUDIO_TYPE_SHARED_ATOMS);
  G_OBJECT_CLASS (klass)->dispose = studio_cell_blocks_dispose;
  studio_add_signal (klass, "block-chosen", 3, G_TYPE_UINT, G_TYPE_INT, G_TYPE_INT);
  studio_add_signal (klass, "atom-chosen", 1, G_TYPE_INT);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/tosst/Studio/cell-blocks.ui");
  STUDIO_BIND_CHILDREN (widget_class, StudioCellBlocks, title, note, scroll, pictures, shared);
  STUDIO_BIND_CALLBACKS (widget_class, on_activated, on_atom);
}

static void
studio_cell_blocks_init (StudioCellBlocks *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->loader = studio_image_loader_new ();
  self->items = g_ptr_array_new_with_free_func (g_object_unref);
  self->samples = g_array_new (FALSE, FALSE, sizeof (TosstSample));
}
