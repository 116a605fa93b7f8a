/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "studio-test.h"
#include "studio/compare/compare-view.h"
#include "studio/data/data-view.h"
#include "studio/sweep/sweep-view.h"

/* The export menu follows the visible view. */

static char *folder;

static gpointer
view_of (gpointer window, const char *name)
{
  return studio_test_child (window, STUDIO_TYPE_WINDOW, name);
}

static void
show (StudioWindow *window, const char *view)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.view", "s", view));
  studio_test_spin (0.1);
}

static GtkWidget *
find_widget (GtkWidget *widget, gboolean (*is_it) (GtkWidget *widget, const char *text), const char *text)
{
  if (is_it (widget, text))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_widget (child, is_it, text);
      if (found != NULL)
        return found;
    }
  return NULL;
}

static gboolean
is_main_menu (GtkWidget *widget, const char *text)
{
  return GTK_IS_MENU_BUTTON (widget) && gtk_menu_button_get_primary (GTK_MENU_BUTTON (widget));
}

static gboolean
is_entry (GtkWidget *widget, const char *text)
{
  g_autofree char *label = NULL;

  if (strcmp (G_OBJECT_TYPE_NAME (widget), "GtkModelButton") != 0)
    return FALSE;
  g_object_get (widget, "text", &label, NULL);
  return g_strcmp0 (label, text) == 0;
}

/* The enabled entries of the menu among picture, numbers, report and dictionary: "pn--". */
static void
expect (StudioWindow *window, const char *view, const char *enabled)
{
  static const char *const entries[] = { "Picture (SVG, PDF, PNG)…", "Numbers as CSV…", "Report…",
                                         "Dictionary (NPZ, MAT)…",   "Recipe…",         "Copy Command Line" };
  GtkWidget *menu = find_widget (GTK_WIDGET (window), is_main_menu, NULL);
  char found[] = "------";

  if (view != NULL)
    show (window, view);
  g_assert_nonnull (menu);
  gtk_menu_button_popup (GTK_MENU_BUTTON (menu));
  studio_test_spin (0.1);
  for (guint i = 0; i < G_N_ELEMENTS (entries); i++)
    {
      GtkWidget *entry
          = find_widget (GTK_WIDGET (gtk_menu_button_get_popover (GTK_MENU_BUTTON (menu))), is_entry, entries[i]);

      g_assert_nonnull (entry);
      if (gtk_widget_get_sensitive (entry))
        found[i] = "pnrdRC"[i];
    }
  gtk_menu_button_popdown (GTK_MENU_BUTTON (menu));
  studio_test_spin (0.05);
  g_assert_cmpstr (found, ==, enabled);
}

static char *
export_to (StudioWindow *window, const char *kind, const char *suffix)
{
  static int number;
  g_autofree char *name = g_strdup_printf ("%d.%s", ++number, suffix), *path = g_build_filename (folder, name, NULL);
  char *contents = studio_test_export (window, kind, folder, name);

  g_remove (path);
  return contents;
}

/* Its picture is a valid file, and its numbers begin with the given text. */
static void
check_view (StudioWindow *window, const char *view, const char *heading)
{
  g_autofree char *svg = NULL, *pdf = NULL, *png = NULL, *csv = NULL;

  show (window, view);
  svg = export_to (window, "picture", "svg");
  pdf = export_to (window, "picture", "pdf");
  png = export_to (window, "picture", "png");
  csv = export_to (window, "numbers", "csv");
  g_assert_nonnull (strstr (svg, "<svg"));
  g_assert_true (g_str_has_prefix (pdf, "%PDF"));
  g_assert_cmpmem (png, 4, "\211PNG", 4);
  if (!g_str_has_prefix (csv, heading))
    g_error ("the numbers of %s begin with %.60s", view, csv);
}

/* Pictures of charts have the width that Preferences give to figures. */
static void
check_width (StudioWindow *window, const char *view)
{
  static const TosstFigure page = { .width = TOSST_FIGURE_PAGE }, none = { 0 };
  static const char width[] = " width=\"493.22"; /* points */
  g_autofree char *usual = NULL, *wide = NULL;

  show (window, view);
  usual = export_to (window, "picture", "svg");
  tosst_figure_set (&page);
  wide = export_to (window, "picture", "svg");
  tosst_figure_set (&none);
  g_assert_null (strstr (usual, width));
  g_assert_nonnull (strstr (wide, width));
}

static gboolean
has_image (gpointer window)
{
  return studio_data_view_has_image (view_of (window, "data_view"));
}

static gboolean
is_planned (gpointer window)
{
  return studio_window_get_project (window)->sweep->planned;
}

static gboolean
is_at_rest (gpointer window)
{
  return !studio_project_is_sweeping (studio_window_get_project (window));
}

static void
check_sweep (StudioWindow *window)
{
  StudioSweepView *view = view_of (window, "sweep_view");
  g_autofree char *recipe = NULL;

  show (window, "sweep");
  studio_sweep_editor_add (STUDIO_SWEEP_EDITOR (view->editor), "dictionary.atoms", "10;12");
  studio_test_wait (is_planned, window, 30);
  gtk_widget_activate_action (GTK_WIDGET (view), "sweep.start", NULL);
  studio_test_wait (is_at_rest, window, 60);
  studio_test_spin (0.3);
  expect (window, "sweep", "pnrdRC");
  check_view (window, "sweep", "run,");
  recipe = export_to (window, "recipe", "ini");
  g_assert_nonnull (strstr (recipe, "[sweep]")); /* it includes the axes */
}

static gboolean
compares_one (gpointer window)
{
  StudioCompareSet *set = STUDIO_COMPARE_VIEW (view_of (window, "compare_view"))->set;

  return set != NULL && set->runs->len == 1;
}

static void
check_compare (StudioWindow *window)
{
  gint64 run = studio_window_get_project (window)->runner->run;
  g_autofree char *report = NULL;

  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare-runs", "@ax",
                              g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, &run, 1, sizeof run));
  studio_test_wait (compares_one, window, 20);
  studio_test_spin (1);
  expect (window, "compare", "pnrdRC");
  check_view (window, "compare", "");
  report = export_to (window, "report", "html");
  g_assert_nonnull (strstr (report, "<html"));
}

static void
test_each_view (void)
{
  StudioWindow *window = studio_test_window ();
  g_autofree char *mat = NULL, *recipe = NULL;

  expect (window, NULL, "----RC");
  studio_test_tiny (window);
  studio_test_wait (has_image, window, 20);
  expect (window, "data", "pn--RC");
  expect (window, "learn", "----RC");
  expect (window, "inspect", "----RC");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  studio_test_wait (studio_test_is_idle, window, 60);
  expect (window, "learn", "pnrdRC");
  expect (window, "atoms", "pnrdRC");
  show (window, "inspect");
  studio_test_wait (studio_test_has_code, window, 20);
  expect (window, "inspect", "pnrdRC");
  expect (window, "results", "pnrdRC");
  expect (window, "sweep", "--rdRC");

  check_view (window, "data", "image,class,width,height,samples\n");
  check_view (window, "learn", "iteration,seconds,objective");
  check_view (window, "atoms", "atom,energy,rank");
  check_view (window, "inspect", "atom,alpha,rank");
  check_view (window, "results", "true\\said,");
  mat = export_to (window, "dictionary", "mat");
  g_assert_true (g_str_has_prefix (mat, "MATLAB 5.0"));
  recipe = export_to (window, "recipe", "ini");
  g_assert_null (strstr (recipe, "[sweep]"));
  check_sweep (window);
  check_compare (window);
  check_width (window, "learn");
  check_width (window, "sweep");
  check_width (window, "compare");
  studio_test_close (window);
}

int
main (int argc, char *argv[])
{
  int status;

  if (!studio_test_init (&argc, &argv))
    return 0;
  folder = g_dir_make_tmp ("tosst-XXXXXX", NULL);
  g_test_add_func ("/export-menu/each-view", test_each_view);
  status = g_test_run ();
  g_rmdir (folder);
  return status;
}
