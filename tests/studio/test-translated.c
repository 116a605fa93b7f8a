/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every view in a language that does not exist: each sentence of this program is accented, so that one that is not
 * translated shows, and longer by two fifths, as German is. This program's gettext takes the place of the C library's,
 * so that a new string is in it at once. Then the same in a window that is read from right to left.
 *
 * With TOSST_TEST_PICTURES=FOLDER each view is saved there as PNG.
 */
#include "config.h"

#include <libintl.h>
#include <string.h>

#include "studio-test.h"
#include "studio/app/window-private.h"
#include "studio/results/results-view.h"
#include "studio/sweep/sweep-view.h"
#include "studio/widgets/confusion-view.h"

/* The language. */

#undef gettext
#undef dgettext
#undef dcgettext
#undef ngettext
#undef dngettext
#undef dcngettext

static const char *
accented (char letter)
{
  static const char plain[] = "aeiouycnAEIOUYCN";
  static const char *const letters[]
      = { "á", "é", "í", "ó", "ú", "ý", "ç", "ñ", "Á", "É", "Í", "Ó", "Ú", "Ý", "Ç", "Ñ" };
  const char *at = letter != '\0' ? strchr (plain, letter) : NULL;

  return at != NULL ? letters[at - plain] : NULL;
}

/* Length of the part without words at the start of a text: a conversion of printf, a tag or an entity of markup; 0:
 * nothing. */
static gsize
length_of_code (const char *text)
{
  const char *end;

  if (*text == '%')
    return 1 + strspn (text + 1, "0123456789$.-+ #'lhzjt") + 1;
  end = *text == '<' ? strchr (text, '>') : *text == '&' ? strchr (text, ';') : NULL;
  return end != NULL && end - text < 60 ? (gsize)(end - text) + 1 : 0;
}

static const char *
lengthened (const char *text)
{
  static const char *const tail[] = { "ó", "n", "é", " ", "t", "w", "ó", " ", "t", "h", "r", "é", "é", " " };
  g_autoptr (GString) made = g_string_new ("");
  guint letters = 0;

  for (const char *at = text; *at != '\0';)
    {
      gsize code = MIN (length_of_code (at), strlen (at));

      if (code > 0)
        g_string_append_len (made, at, (gssize)code);
      else if (accented (*at) != NULL)
        g_string_append (made, accented (*at));
      else
        g_string_append_c (made, *at);
      letters += code == 0 && g_ascii_isalpha (*at);
      at += MAX (code, 1);
    }
  for (guint i = 0; i < (2 * letters + 4) / 5; i++)
    g_string_append (made, i == 0 ? " " : tail[(i - 1) % G_N_ELEMENTS (tail)]);
  return g_intern_string (made->str);
}

static gboolean
is_ours (const char *domain)
{
  return domain == NULL || strcmp (domain, GETTEXT_PACKAGE) == 0;
}

char *
dcgettext (const char *domain, const char *text, int category)
{
  return (char *)(is_ours (domain) ? lengthened (text) : text);
}

char *
dcngettext (const char *domain, const char *one, const char *many, gulong n, int category)
{
  return dcgettext (domain, n == 1 ? one : many, category);
}

char *
dgettext (const char *domain, const char *text)
{
  return dcgettext (domain, text, 0);
}

char *
dngettext (const char *domain, const char *one, const char *many, gulong n)
{
  return dcngettext (domain, one, many, n, 0);
}

char *
gettext (const char *text)
{
  return dcgettext (NULL, text, 0);
}

char *
ngettext (const char *one, const char *many, gulong n)
{
  return dcngettext (NULL, one, many, n, 0);
}

/* Inspection of widgets. */

/* An ellipsized text has a tooltip with the full text, its own or of an ancestor. */
static gboolean
has_tooltip (GtkWidget *widget)
{
  for (int up = 0; widget != NULL && up < 4; up++, widget = gtk_widget_get_parent (widget))
    if (gtk_widget_get_has_tooltip (widget))
      return TRUE;
  return FALSE;
}

static gboolean
is_scrolled (GtkWidget *widget, GtkOrientation orientation)
{
  GtkPolicyType across, down;

  for (widget = gtk_widget_get_ancestor (widget, GTK_TYPE_SCROLLED_WINDOW); widget != NULL;
       widget = gtk_widget_get_ancestor (gtk_widget_get_parent (widget), GTK_TYPE_SCROLLED_WINDOW))
    {
      gtk_scrolled_window_get_policy (GTK_SCROLLED_WINDOW (widget), &across, &down);
      if ((orientation == GTK_ORIENTATION_HORIZONTAL ? across : down) != GTK_POLICY_NEVER)
        return TRUE;
    }
  return FALSE;
}

/* The title of a column may be wider than the column, which clips it. */
static gboolean
is_cut_by_column (GtkWidget *label)
{
  graphene_rect_t bounds;

  for (GtkWidget *up = gtk_widget_get_parent (label); up != NULL; up = gtk_widget_get_parent (up))
    if (strcmp (G_OBJECT_TYPE_NAME (up), "GtkColumnViewTitle") == 0)
      return gtk_widget_compute_bounds (label, up, &bounds)
             && (bounds.origin.x < -1 || bounds.origin.x + bounds.size.width > (float)gtk_widget_get_width (up) + 1);
  return FALSE;
}

/* NULL, or the fault of a visible label. */
static const char *
fault_of (GtkWidget *label, GtkWidget *window)
{
  PangoLayout *layout = gtk_label_get_layout (GTK_LABEL (label));
  int width, height;
  graphene_rect_t bounds;

  pango_layout_get_pixel_size (layout, &width, &height);
  if (width == 0)
    return NULL;
  if (pango_layout_is_ellipsized (layout) && gtk_widget_has_css_class (label, "stat-value"))
    return "is a number that is cut short";
  if (pango_layout_is_ellipsized (layout))
    return has_tooltip (label) ? NULL : "is cut short, and no tooltip says it in full";
  if (width > gtk_widget_get_width (label) + 1 || height > gtk_widget_get_height (label) + 1)
    return "is larger than its place";
  if (is_cut_by_column (label))
    return "is cut by its column";
  if (!gtk_widget_compute_bounds (label, window, &bounds))
    return NULL;
  if (!is_scrolled (label, GTK_ORIENTATION_HORIZONTAL)
      && (bounds.origin.x < -1 || bounds.origin.x + bounds.size.width > (float)gtk_widget_get_width (window) + 1))
    return "leaves the window at its side";
  if (!is_scrolled (label, GTK_ORIENTATION_VERTICAL)
      && bounds.origin.y + bounds.size.height > (float)gtk_widget_get_height (window) + 1)
    return "leaves the window at its foot";
  return NULL;
}

static gboolean
begins_with_first (GtkScrollable *table)
{
  GtkAdjustment *place = gtk_scrollable_get_hadjustment (table);
  double last = gtk_adjustment_get_upper (place) - gtk_adjustment_get_page_size (place);

  return gtk_adjustment_get_value (place) == (gtk_widget_get_default_direction () == GTK_TEXT_DIR_RTL ? last : 0);
}

static int
count_faults (GtkWidget *widget, GtkWidget *window)
{
  const char *fault = NULL;
  int faults = 0;

  if (!gtk_widget_get_mapped (widget))
    return 0;
  if (GTK_IS_LABEL (widget))
    fault = fault_of (widget, window);
  if (fault != NULL)
    g_test_message ("\"%s\" in a %s %s", gtk_label_get_label (GTK_LABEL (widget)),
                    G_OBJECT_TYPE_NAME (gtk_widget_get_parent (widget)), fault);
  if (GTK_IS_COLUMN_VIEW (widget) && !begins_with_first (GTK_SCROLLABLE (widget)))
    {
      g_test_message ("a table does not begin with its first column");
      faults++;
    }
  faults += fault != NULL;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    faults += count_faults (child, window);
  return faults;
}

/* NULL between a change and the next frame. */
static GskRenderNode *
render (GtkWidget *window)
{
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (window);
  g_autoptr (GtkSnapshot) snapshot = gtk_snapshot_new ();

  gdk_paintable_snapshot (paintable, GDK_SNAPSHOT (snapshot), gtk_widget_get_width (window),
                          gtk_widget_get_height (window));
  return gtk_snapshot_free_to_node (g_steal_pointer (&snapshot));
}

static void
save_picture (GtkWidget *window, const char *name)
{
  const char *folder = g_getenv ("TOSST_TEST_PICTURES");
  g_autofree char *file = g_strdup_printf ("%s-%s.png", g_test_get_path () + 1, name);
  g_autofree char *path = g_build_filename (folder != NULL ? folder : "", g_strdelimit (file, "/", '-'), NULL);
  g_autoptr (GdkTexture) texture = NULL;
  GskRenderNode *node;

  if (folder == NULL)
    return;
  while ((node = render (window)) == NULL)
    studio_test_spin (0.02);
  texture = gsk_renderer_render_texture (gtk_native_get_renderer (GTK_NATIVE (window)), node, NULL);
  g_assert_true (gdk_texture_save_to_png (texture, path));
  gsk_render_node_unref (node);
}

/* Visible texts are complete, and the window still fits a small screen. */
static int
look (StudioWindow *window, const char *name)
{
  int minimum, faults;

  studio_test_spin (0.4);
  g_test_message ("%s", name);
  save_picture (GTK_WIDGET (window), name);
  faults = count_faults (GTK_WIDGET (window), GTK_WIDGET (window));
  for (int more = 0; faults > 0 && more < 5; more++) /* on a loaded machine some of it may be pending */
    {
      studio_test_spin (1);
      g_test_message ("%s, again", name);
      faults = count_faults (GTK_WIDGET (window), GTK_WIDGET (window));
    }
  gtk_widget_measure (GTK_WIDGET (window), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  if (minimum > 1280)
    g_test_message ("the window needs %d pixels", minimum);
  return faults + (minimum > 1280);
}

static gboolean
is_planned (gpointer sweep)
{
  return STUDIO_SWEEP_PLANNER (sweep)->planned;
}

/* With a table and axes. */
static int
look_at_sweep (StudioWindow *window)
{
  StudioSweepView *sweep = STUDIO_SWEEP_VIEW (studio_test_child (window, STUDIO_TYPE_WINDOW, "sweep_view"));

  studio_window_show_view (window, "sweep");
  studio_sweep_editor_add (STUDIO_SWEEP_EDITOR (sweep->editor), "dictionary.atoms", "6;8;12");
  studio_test_wait (is_planned, studio_window_get_project (window)->sweep, 60);
  return look (window, "sweep-planned");
}

static int
count_cut (GtkWidget *widget)
{
  int cut = 0;

  /* The title of a window may be shortened. */
  if (!gtk_widget_get_mapped (widget) || ADW_IS_WINDOW_TITLE (widget))
    return 0;
  if (GTK_IS_LABEL (widget) && pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (widget))))
    {
      g_test_message ("“%s” is cut off in a window of %d pixels", gtk_label_get_label (GTK_LABEL (widget)),
                      gtk_widget_get_width (GTK_WIDGET (gtk_widget_get_root (widget))));
      cut++;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    cut += count_cut (child);
  return cut;
}

static gboolean
has_width (gpointer data)
{
  GtkWidget *const *window = data;

  return abs (gtk_widget_get_width (window[0]) - GPOINTER_TO_INT (window[1])) < 60; /* a frame may be part of it */
}

/* The names of views are complete in small windows, at the top or at the bottom. */
static int
look_at_switcher (StudioWindow *window)
{
  static const int widths[] = { 800, 1000, 1120, 1280 };
  int cut = 0, minimum;

  gtk_widget_measure (GTK_WIDGET (window), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      gpointer data[] = { window, GINT_TO_POINTER (widths[i]) };

      if (widths[i] < minimum)
        continue;
      gtk_window_set_default_size (GTK_WINDOW (window), widths[i], 800);
      studio_test_wait (has_width, data, 10);
      studio_test_spin (0.5);
      cut += count_cut (studio_test_child (window, STUDIO_TYPE_WINDOW, "view_title"));
      cut += count_cut (studio_test_child (window, STUDIO_TYPE_WINDOW, "bottom_switcher"));
    }
  return cut;
}

static void
look_everywhere (void)
{
  static const char *const views[] = { "data", "learn", "atoms", "inspect", "results", "sweep", "compare" };
  StudioWindow *window = studio_test_window ();
  GtkWidget *results;
  int faults;

  gtk_window_set_default_size (GTK_WINDOW (window), 1280, 800);
  faults = look (window, "empty");
  studio_test_tiny (window);
  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    {
      g_autofree char *name = g_strconcat (views[i], "-before", NULL);

      studio_window_show_view (window, views[i]);
      faults += look (window, name);
    }
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  studio_test_wait (studio_test_is_idle, window, 120);
  results = studio_test_child (window, STUDIO_TYPE_WINDOW, "results_view");
  g_signal_emit_by_name (studio_test_child (results, STUDIO_TYPE_RESULTS_VIEW, "confusion"), "cell-activated", 0, 0);
  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    {
      studio_window_show_view (window, views[i]);
      faults += look (window, views[i]);
    }
  faults += look_at_sweep (window);
  faults += look_at_switcher (window);
  studio_test_close (window);
  g_assert_cmpint (faults, ==, 0);
}

/* The texts of the program are in that language, those of the toolkit are not. */
static void
test_language (void)
{
  g_assert_cmpstr (gettext ("Start"), ==, "Stárt ó");
  g_assert_cmpstr (gettext ("%d of <b>%s</b> &amp; %.1f %%"), ==, "%d óf <b>%s</b> &amp; %.1f %% ");
  g_assert_cmpstr (g_dgettext ("gtk40", "Cancel"), ==, "Cancel");
}

static void
test_longer (void)
{
  look_everywhere ();
}

/* With a font 1.5 times as large. */
static void
test_larger (void)
{
  GtkSettings *settings = gtk_settings_get_default ();
  int dpi;

  g_object_get (settings, "gtk-xft-dpi", &dpi, NULL);
  g_object_set (settings, "gtk-xft-dpi", dpi * 3 / 2, NULL);
  look_everywhere ();
  g_object_set (settings, "gtk-xft-dpi", dpi, NULL);
}

static void
test_mirrored (void)
{
  gtk_widget_set_default_direction (GTK_TEXT_DIR_RTL);
  look_everywhere ();
  gtk_widget_set_default_direction (GTK_TEXT_DIR_LTR);
}

int
main (int argc, char *argv[])
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/translated/language", test_language);
  g_test_add_func ("/translated/longer", test_longer);
  g_test_add_func ("/translated/larger", test_larger);
  g_test_add_func ("/translated/mirrored", test_mirrored);
  return g_test_run ();
}
