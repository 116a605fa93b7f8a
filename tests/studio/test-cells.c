/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cells of a confusion matrix: the blocks that each counts, and the atoms that these share.
 */
#include "config.h"

#include "studio-test.h"
#include "studio/atoms/atoms-view.h"
#include "studio/inspect/inspect-view.h"
#include "studio/results/result-images.h"
#include "studio/results/results-view.h"

/* The samples of a cell, of all splits, each once, in ascending order. */
static GArray *
samples_of_cell (const TosstRunResult *result, int truth, int said)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  GArray *samples = g_array_new (FALSE, FALSE, sizeof (guint));

  for (int s = 0; s < result->splits; s++)
    for (guint i = 0; i < result->split[s].predictions->len; i++)
      {
        const TosstPrediction *one = &g_array_index (result->split[s].predictions, TosstPrediction, i);

        if (one->truth == truth && one->predicted == said && g_hash_table_add (seen, GUINT_TO_POINTER (one->sample)))
          g_array_append_val (samples, one->sample);
      }
  return samples;
}

static void
check_block (GtkWidget *pictures, int i, TosstDataset *dataset, const GArray *samples)
{
  GtkWidget *child = GTK_WIDGET (gtk_flow_box_get_child_at_index (GTK_FLOW_BOX (pictures), i));
  gboolean found = FALSE;

  for (guint j = 0; j < samples->len && !found; j++)
    {
      const TosstSample *sample = tosst_dataset_sample (dataset, g_array_index (samples, guint, j));
      const TosstDatasetImage *image = tosst_dataset_image (dataset, (guint)sample->image);
      g_autofree char *place = sample->width == image->width && sample->height == image->height
                                   ? g_strdup_printf ("%s: in", image->name)
                                   : g_strdup_printf ("%s at %d, %d: in", image->name, sample->x, sample->y);

      found = g_str_has_prefix (gtk_widget_get_tooltip_text (child), place);
    }
  g_assert_true (found);
}

/* A wrong prediction is large, beside training images of the class that was predicted and of its own. */
static void
check_beside (GtkWidget *blocks, GtkWidget *pictures, TosstDataset *dataset, int truth, int said, gboolean any)
{
  const char *const names[] = { "said", "truth" };
  GtkWidget *beside = studio_test_child (blocks, STUDIO_TYPE_CELL_BLOCKS, "beside");

  g_assert_cmpint (gtk_widget_get_visible (beside), ==, any && truth != said);
  if (!gtk_widget_get_visible (beside))
    return;
  g_assert_true (gtk_flow_box_child_is_selected (gtk_flow_box_get_child_at_index (GTK_FLOW_BOX (pictures), 0)));
  for (int side = 0; side < 2; side++)
    {
      GtkWidget *box = studio_test_child (blocks, STUDIO_TYPE_CELL_BLOCKS, names[side]);
      GtkWidget *child = gtk_widget_get_first_child (box);
      int n = 0;

      for (; child != NULL; child = gtk_widget_get_next_sibling (child), n++)
        {
          const char *text = gtk_widget_get_tooltip_text (child);
          gboolean found = FALSE;

          for (guint i = 0; i < dataset->entries->len; i++)
            found = found
                    || (tosst_dataset_image (dataset, i)->class_index == (side == 0 ? said : truth)
                        && g_str_has_prefix (text, tosst_dataset_image (dataset, i)->name));
          g_assert_true (found);
        }
      g_assert_cmpint (n, ==, TOSST_NEAREST);
    }
}

/* Each cell shows the blocks it counts; a label says if not all have a picture. */
static void
check_cells (GtkWidget *confusion, GtkWidget *blocks, TosstDataset *dataset, const TosstRunResult *result)
{
  GtkWidget *pictures = studio_test_child (blocks, STUDIO_TYPE_CELL_BLOCKS, "pictures");
  GtkWidget *note = studio_test_child (blocks, STUDIO_TYPE_CELL_BLOCKS, "note");

  for (int cell = 0; cell < result->classes * result->classes; cell++)
    {
      int truth = cell / result->classes, said = cell % result->classes, n = 0;
      g_autoptr (GArray) samples = samples_of_cell (result, truth, said);

      g_assert_cmpint (samples->len > 0, ==, result->confusion[cell] > 0);
      g_signal_emit_by_name (confusion, "cell-activated", (guint)truth, (guint)said);
      for (GtkWidget *child = gtk_widget_get_first_child (pictures); child != NULL;
           child = gtk_widget_get_next_sibling (child))
        check_block (pictures, n++, dataset, samples);
      g_assert_cmpint (n, ==, MIN (samples->len, 48));
      g_assert_cmpint (gtk_widget_get_visible (note), ==, samples->len > 48);
      check_beside (blocks, pictures, dataset, truth, said, n > 0);
    }
}

static gboolean
is_visible (gpointer widget)
{
  return gtk_widget_get_visible (widget);
}

/* The atoms shared by the blocks of a cell are shown, and open in Atoms. */
static void
check_shared (StudioWindow *window, GtkWidget *blocks)
{
  GtkWidget *shared = studio_test_child (blocks, STUDIO_TYPE_CELL_BLOCKS, "shared");
  GtkWidget *grid = studio_test_child (shared, STUDIO_TYPE_SHARED_ATOMS, "grid");
  GtkWidget *atoms = studio_test_child (window, STUDIO_TYPE_WINDOW, "atoms_view");

  studio_test_wait (is_visible, grid, 60);
  g_assert_false (gtk_widget_get_visible (studio_test_child (shared, STUDIO_TYPE_SHARED_ATOMS, "note")));
  g_signal_emit_by_name (grid, "activated", 7);
  g_assert_true (gtk_widget_get_mapped (atoms));
  g_assert_cmpint (STUDIO_ATOM_PANEL (STUDIO_ATOMS_VIEW (atoms)->panel)->atom->number, ==, 7);
}

static void
test_cells (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWidget *results = studio_test_child (window, STUDIO_TYPE_WINDOW, "results_view");
  GtkWidget *inspect = studio_test_child (window, STUDIO_TYPE_WINDOW, "inspect_view");
  GtkWidget *confusion = studio_test_child (results, STUDIO_TYPE_RESULTS_VIEW, "confusion");
  GtkWidget *blocks = studio_test_child (results, STUDIO_TYPE_RESULTS_VIEW, "blocks");
  GtkWidget *pictures = studio_test_child (blocks, STUDIO_TYPE_CELL_BLOCKS, "pictures");
  TosstRunResult *result;
  TosstDataset *dataset;
  guint image;
  int x, y;

  studio_test_tiny (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  g_assert_false (gtk_widget_get_visible (blocks));
  studio_test_wait (studio_test_is_idle, window, 60);
  result = (TosstRunResult *)studio_window_get_project (window)->runner->result;
  dataset = studio_window_get_project (window)->runner->dataset;
  check_cells (confusion, blocks, dataset, result);

  g_signal_emit_by_name (confusion, "cell-activated", 0, 0);
  g_assert_true (gtk_widget_get_visible (blocks));
  check_shared (window, blocks);
  g_assert_true (gtk_widget_activate (gtk_widget_get_first_child (pictures)));
  g_assert_true (gtk_widget_get_mapped (inspect));
  g_assert_true (studio_inspect_view_get_patch (STUDIO_INSPECT_VIEW (inspect), &image, &x, &y));
  g_assert_cmpint (tosst_dataset_image (dataset, image)->class_index, ==, 0);

  /* Like a run stored by an earlier version. */
  g_clear_pointer (&result->split[1].predictions, g_array_unref);
  g_signal_emit_by_name (confusion, "cell-activated", 0, 0);
  g_assert_null (gtk_widget_get_first_child (pictures));
  g_assert_true (gtk_widget_get_visible (studio_test_child (blocks, STUDIO_TYPE_CELL_BLOCKS, "note")));
  studio_test_close (window);
}

int
main (int argc, char **argv)
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/cells", test_cells);
  return g_test_run ();
}
