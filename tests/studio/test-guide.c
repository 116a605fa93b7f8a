/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The user guide: its Markdown, its links in every language, its coverage of the window, the chapter opened by F1, and
 * its language. The equivalence of translations is checked by po/check-guide. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "studio-test.h"
#include "studio/help/guide-window.h"
#include "studio/help/lesson-window.h"

static guint
count_chapters (void)
{
  guint n = 0;

  while (studio_guide_name (n) != NULL)
    n++;
  return n;
}

/* Without the delay of the entry. */
static void
search (StudioGuideWindow *guide, const char *words)
{
  gtk_editable_set_text (GTK_EDITABLE (guide->search), words);
  g_signal_emit_by_name (guide->search, "search-changed");
}

/* Lines of the contents list. */
static guint
count_rows (StudioGuideWindow *guide)
{
  guint n = 0;

  while (gtk_list_box_get_row_at_index (GTK_LIST_BOX (guide->contents), (int)n) != NULL)
    n++;
  return n;
}

static GString *
whole_text (void)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < count_chapters (); i++)
    {
      g_autoptr (StudioChapter) chapter = studio_guide_load (i);

      for (guint j = 0; j < chapter->blocks->len; j++)
        {
          const StudioBlock *block = chapter->blocks->pdata[j];

          g_string_append_printf (out, "%s\n", block->text != NULL ? block->text : "");
          for (guint c = 0; block->cells != NULL && c < block->cells->len; c++)
            g_string_append_printf (out, "%s\n", (char *)block->cells->pdata[c]);
        }
    }
  return out;
}

/* Markdown. */

static void
test_parse (void)
{
  g_autoptr (GPtrArray) blocks = studio_guide_parse ("# One, *Two*\n\nwords\nmore\n\n- a\n  b\n- c\n2. d\n\n    code\n"
                                                     "      in\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\nend\n");
  static const StudioBlockKind kinds[]
      = { STUDIO_BLOCK_HEADING, STUDIO_BLOCK_PARAGRAPH, STUDIO_BLOCK_ITEM,  STUDIO_BLOCK_ITEM,
          STUDIO_BLOCK_ITEM,    STUDIO_BLOCK_CODE,      STUDIO_BLOCK_TABLE, STUDIO_BLOCK_PARAGRAPH };
  const StudioBlock *const *at = (const StudioBlock *const *)blocks->pdata;

  g_assert_cmpuint (blocks->len, ==, G_N_ELEMENTS (kinds));
  for (guint i = 0; i < blocks->len; i++)
    g_assert_cmpint (at[i]->kind, ==, kinds[i]);
  g_assert_cmpstr (at[0]->anchor, ==, "one-two");
  g_assert_cmpstr (at[1]->text, ==, "words more");
  g_assert_cmpstr (at[2]->text, ==, "a b");
  g_assert_cmpstr (at[4]->number, ==, "2.");
  g_assert_cmpstr (at[5]->text, ==, "code\n  in");
  g_assert_cmpint (at[6]->columns, ==, 2);
  g_assert_cmpuint (at[6]->cells->len, ==, 4);
  g_assert_cmpstr (at[6]->cells->pdata[3], ==, "2");
}

static void
test_markup (void)
{
  static const char *const lines[][2] = {
    { "a < b & c", "a &lt; b &amp; c" },
    { "`x < y`", "<tt>x &lt; y</tt>" },
    { "**bold *and* more**", "<b>bold <i>and</i> more</b>" },
    { "[**b** c](d.md#e)", "<a href=\"d.md#e\"><b>b</b> c</a>" },
    { "2 * 3 and [x", "2 * 3 and [x" },
    { "`open", "`open" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autofree char *markup = studio_guide_markup (lines[i][0]);

      g_assert_cmpstr (markup, ==, lines[i][1]);
    }
}

/* Chapters. */

/* Every line is valid Pango markup; every link has a target. */
static void
check_line (const char *text, guint chapter)
{
  g_autofree char *markup = studio_guide_markup (text);
  g_autoptr (GError) error = NULL;

  if (strstr (markup, "<a ") == NULL && !pango_parse_markup (markup, -1, 0, NULL, NULL, NULL, &error))
    g_error ("%s: %s", text, error->message);
  for (const char *link = strstr (markup, "href=\""); link != NULL; link = strstr (link + 1, "href=\""))
    {
      g_autofree char *target = g_strndup (link + 6, strcspn (link + 6, "\""));
      g_autofree char *anchor = NULL;
      guint to;

      if (strstr (target, "://") == NULL && !studio_guide_resolve (target, chapter, &to, &anchor))
        g_error ("%s links to %s", studio_guide_name (chapter), target);
    }
}

static void
check_links (void)
{
  for (guint i = 0; i < count_chapters (); i++)
    {
      g_autoptr (StudioChapter) chapter = studio_guide_load (i);
      g_autoptr (GHashTable) anchors = g_hash_table_new (g_str_hash, g_str_equal);

      g_assert_cmpstr (chapter->title, !=, "");
      for (guint j = 0; j < chapter->blocks->len; j++)
        {
          const StudioBlock *block = chapter->blocks->pdata[j];

          if (block->kind == STUDIO_BLOCK_HEADING)
            g_assert_true (g_hash_table_add (anchors, block->anchor)); /* each once */
          if (block->text != NULL && block->kind != STUDIO_BLOCK_CODE)
            check_line (block->text, i);
          for (guint c = 0; block->cells != NULL && c < block->cells->len; c++)
            check_line (block->cells->pdata[c], i);
        }
    }
}

static void
in_language (const char *language, void (*check) (void))
{
  g_setenv ("LANGUAGE", language, TRUE);
  check ();
  g_setenv ("LANGUAGE", "en", TRUE);
}

/* Folders of translations. */
static GStrv
translations (void)
{
  g_auto (GStrv) all = g_resources_enumerate_children ("/io/github/tosst/Studio/guide", 0, NULL);
  g_autoptr (GStrvBuilder) folders = g_strv_builder_new ();

  for (guint i = 0; all[i] != NULL; i++)
    if (g_str_has_suffix (all[i], "/"))
      {
        g_autofree char *folder = g_strndup (all[i], strlen (all[i]) - 1);

        g_strv_builder_add (folders, folder);
      }
  return g_strv_builder_end (folders);
}

static void
test_links (void)
{
  g_auto (GStrv) languages = translations ();

  g_assert_cmpuint (g_strv_length (languages), >=, 3);
  check_links ();
  for (guint i = 0; languages[i] != NULL; i++)
    in_language (languages[i], check_links);
}

/* "<Control><Shift>o" as the guide writes it. */
static char *
key_label (const char *accelerator)
{
  GdkModifierType modifiers;
  guint key;
  g_autofree char *label = NULL;

  g_assert_true (gtk_accelerator_parse (accelerator, &key, &modifiers));
  label = key == GDK_KEY_period ? g_strdup ("Ctrl+.") : gtk_accelerator_get_label (key, modifiers);
  if (!g_str_has_prefix (label, "Shift+Ctrl+"))
    return g_steal_pointer (&label);
  return g_strconcat ("Ctrl+Shift+", label + strlen ("Shift+Ctrl+"), NULL);
}

static void
test_shortcuts (void)
{
  GtkApplication *application = GTK_APPLICATION (g_application_get_default ());
  g_auto (GStrv) actions = gtk_application_list_action_descriptions (application);
  g_autoptr (GString) text = whole_text ();

  g_assert_cmpuint (g_strv_length (actions), >, 20);
  for (guint i = 0; actions[i] != NULL; i++)
    {
      g_auto (GStrv) keys = gtk_application_get_accels_for_action (application, actions[i]);

      for (guint j = 0; keys[j] != NULL; j++)
        {
          g_autofree char *label = key_label (keys[j]);

          if (strstr (text->str, label) == NULL)
            g_error ("the guide does not tell of %s, which is %s", label, actions[i]);
        }
    }
}

/* Every entry of the two menus occurs in the guide, without its underline and dots. */
static void
check_menu (GMenuModel *menu, const char *text)
{
  for (int i = 0; i < g_menu_model_get_n_items (menu); i++)
    {
      static const char *const links[] = { G_MENU_LINK_SECTION, G_MENU_LINK_SUBMENU };
      g_autofree char *label = NULL;

      for (guint l = 0; l < G_N_ELEMENTS (links); l++)
        {
          g_autoptr (GMenuModel) part = g_menu_model_get_item_link (menu, i, links[l]);

          if (part != NULL)
            check_menu (part, text);
        }
      if (g_menu_model_get_item_attribute (menu, i, G_MENU_ATTRIBUTE_LABEL, "s", &label))
        {
          g_auto (GStrv) parts = g_strsplit (label, "_", -1);
          g_autofree char *plain = g_strjoinv ("", parts);
          char *dots = strstr (plain, "…");

          if (dots != NULL)
            *dots = 0;
          if (strstr (text, plain) == NULL && strncmp (plain, "Export", 6) != 0 && strncmp (plain, "About", 5) != 0
              && strcmp (plain, "Open Recent") != 0)
            g_error ("the guide does not tell of the menu's %s", plain);
        }
    }
}

static void
find_menus (GtkWidget *widget, const char *text, guint *found)
{
  if (GTK_IS_MENU_BUTTON (widget) && gtk_menu_button_get_menu_model (GTK_MENU_BUTTON (widget)) != NULL)
    {
      check_menu (gtk_menu_button_get_menu_model (GTK_MENU_BUTTON (widget)), text);
      ++*found;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    find_menus (child, text, found);
}

static void
test_menus (void)
{
  StudioWindow *window = studio_test_window ();
  g_autoptr (GString) text = whole_text ();
  guint found = 0;

  find_menus (GTK_WIDGET (window), text->str, &found);
  g_assert_cmpuint (found, >=, 2);
  studio_test_close (window);
}

/* The window. */

static GtkWidget *
child_of (StudioGuideWindow *guide, const char *name)
{
  return GTK_WIDGET (gtk_widget_get_template_child (GTK_WIDGET (guide), STUDIO_TYPE_GUIDE_WINDOW, name));
}

static StudioGuideWindow *
guide_of (void)
{
  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (g_application_get_default ())); l != NULL; l = l->next)
    if (STUDIO_IS_GUIDE_WINDOW (l->data))
      return l->data;
  return NULL;
}

static void
expect_help (GtkWindow *from, const char *chapter)
{
  gtk_window_present (from);
  studio_test_spin (0.05);
  g_action_group_activate_action (G_ACTION_GROUP (g_application_get_default ()), "help", NULL);
  studio_test_spin (0.05);
  g_assert_nonnull (guide_of ());
  g_assert_cmpstr (studio_guide_name (guide_of ()->chapter), ==, chapter);
}

static void
test_context (void)
{
  static const char *const views[] = { "data", "learn", "atoms", "inspect", "results", "sweep" };
  StudioWindow *window = studio_test_window ();
  GtkWidget *lessons;

  expect_help (GTK_WINDOW (window), "start");
  gtk_window_close (GTK_WINDOW (guide_of ()));
  studio_test_tiny (window);
  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    {
      gtk_widget_activate_action (GTK_WIDGET (window), "win.view", "s", views[i]);
      g_assert_cmpstr (studio_window_get_topic (window), ==, views[i]);
      expect_help (GTK_WINDOW (window), views[i]);
      gtk_window_close (GTK_WINDOW (guide_of ()));
    }
  lessons = studio_lesson_window_new (GTK_APPLICATION (g_application_get_default ()));
  expect_help (GTK_WINDOW (lessons), "lessons");
  gtk_window_close (GTK_WINDOW (guide_of ()));
  gtk_window_destroy (GTK_WINDOW (lessons));
  studio_test_close (window);
}

/* The row of the contents that marks the present section. */
static gboolean
is_row_in_sight (gpointer guide)
{
  GtkWidget *contents = GTK_WIDGET (gtk_widget_get_template_child (guide, STUDIO_TYPE_GUIDE_WINDOW, "contents"));
  GtkWidget *row = GTK_WIDGET (gtk_list_box_get_selected_row (GTK_LIST_BOX (contents)));
  GtkWidget *scroller = gtk_widget_get_ancestor (contents, GTK_TYPE_SCROLLED_WINDOW);
  graphene_rect_t bounds;

  return row != NULL && gtk_widget_compute_bounds (row, scroller, &bounds) && bounds.origin.y >= 0
         && bounds.origin.y + bounds.size.height <= (float)gtk_widget_get_height (scroller);
}

/* Every chapter is shown, links open their targets, and a search finds words and is cleared. */
static void
test_window (void)
{
  StudioGuideWindow *guide
      = STUDIO_GUIDE_WINDOW (studio_guide_window_new (GTK_APPLICATION (g_application_get_default ())));
  guint all;

  gtk_window_present (GTK_WINDOW (guide));
  for (guint i = 0; i < count_chapters (); i++)
    {
      studio_guide_window_show (guide, i, NULL);
      studio_test_spin (0.05);
      g_assert_cmpuint (guide->chapter, ==, i);
    }
  studio_test_wait (is_row_in_sight, guide, 10); /* of the last one */
  g_assert_true (studio_guide_window_follow (guide, "inspect.md#recoding"));
  studio_test_spin (0.1);
  g_assert_cmpstr (studio_guide_name (guide->chapter), ==, "inspect");
  g_assert_false (studio_guide_window_follow (guide, "https://example.org/"));
  all = count_rows (guide);
  g_assert_cmpuint (all, >, count_chapters ());
  search (guide, "Workspace salvaged");
  g_assert_cmpuint (count_rows (guide), >=, 1);
  g_assert_cmpuint (count_rows (guide), <, all);
  search (guide, "no such words there");
  g_assert_cmpuint (count_rows (guide), ==, 0);
  search (guide, "");
  g_assert_cmpuint (count_rows (guide), ==, all);
  gtk_window_destroy (GTK_WINDOW (guide));
}

/* Languages. */

static char *
title_in (const char *language, const char *name)
{
  g_autoptr (StudioChapter) chapter = NULL;

  g_setenv ("LANGUAGE", language, TRUE);
  chapter = studio_guide_load ((guint)studio_guide_find (name));
  g_setenv ("LANGUAGE", "en", TRUE);
  return g_strdup (chapter->title);
}

static void
test_languages (void)
{
  static const char *const titles[][3] = {
    { "en", "learn", "Learn" },       { "C", "learn", "Learn" },          { "xx", "learn", "Learn" },
    { "de", "learn", "Lernen" },      { "de_AT.UTF-8", "data", "Daten" }, { "fr", "files", "Fichiers" },
    { "pl_PL", "atoms", "Atomy" },    { "xx:pl:de", "data", "Dane" },     { "en_GB:de", "data", "Data" },
    { "eo", "start", "Unuaj Paŝoj" }, { "eo", "learn", "Learn" },         { "eo:fr", "learn", "Apprendre" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    {
      g_autofree char *title = title_in (titles[i][0], titles[i][1]);

      g_assert_cmpstr (title, ==, titles[i][2]);
    }
}

static gboolean
is_laid_out (gpointer widget)
{
  return gtk_widget_get_width (widget) > 0;
}

/* The labels of the page, and whether one exceeds its allocation. */
static guint
count_labels (GtkWidget *widget)
{
  guint n = GTK_IS_LABEL (widget);
  int width;

  if (GTK_IS_LABEL (widget))
    {
      pango_layout_get_pixel_size (gtk_label_get_layout (GTK_LABEL (widget)), &width, NULL);
      if (width > gtk_widget_get_width (widget) + 1)
        g_error ("\"%s\" is wider than its place", gtk_label_get_text (GTK_LABEL (widget)));
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += count_labels (child);
  return n;
}

/* The window shows every page in the language within the same width. */
static void
check_window (void)
{
  StudioGuideWindow *guide
      = STUDIO_GUIDE_WINDOW (studio_guide_window_new (GTK_APPLICATION (g_application_get_default ())));
  GtkWidget *title = child_of (guide, "window_title"), *page = child_of (guide, "page");
  int width;

  gtk_window_set_default_size (GTK_WINDOW (guide), 600, 400);
  gtk_window_present (GTK_WINDOW (guide));
  for (guint i = 0; i < count_chapters (); i++)
    {
      g_autoptr (StudioChapter) chapter = studio_guide_load (i);

      studio_guide_window_show (guide, i, NULL);
      studio_test_wait (is_laid_out, gtk_widget_get_last_child (page), 20);
      g_assert_cmpstr (adw_window_title_get_subtitle (ADW_WINDOW_TITLE (title)), ==, chapter->title);
      g_assert_cmpuint (count_labels (page), >=, chapter->blocks->len);
      gtk_widget_measure (GTK_WIDGET (guide), GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
      g_assert_cmpint (width, <=, 720);
    }
  gtk_window_destroy (GTK_WINDOW (guide));
}

static void
test_translated (void)
{
  g_auto (GStrv) languages = translations ();

  check_window ();
  for (guint i = 0; languages[i] != NULL; i++)
    in_language (languages[i], check_window);
}

static guint
count_found (StudioGuideWindow *guide, const char *words)
{
  search (guide, words);
  return count_rows (guide);
}

/* A search ignores accents. */
static void
check_search (void)
{
  static const char *const words[][2] = { { "l’échelle", "L'echelle" }, { "własne", "Wlasne" }, { "größe", "GROSSE" } };
  StudioGuideWindow *guide
      = STUDIO_GUIDE_WINDOW (studio_guide_window_new (GTK_APPLICATION (g_application_get_default ())));
  guint found = 0;

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      g_assert_cmpuint (count_found (guide, words[i][0]), ==, count_found (guide, words[i][1]));
      found += count_rows (guide);
    }
  g_assert_cmpuint (found, >, 0); /* one of them is of this language */
  gtk_window_destroy (GTK_WINDOW (guide));
}

static void
test_search (void)
{
  in_language ("fr", check_search);
  in_language ("pl", check_search);
  in_language ("de", check_search);
}

/* A page that only exists in English opens from one in another language, at its beginning. */
static void
check_half (void)
{
  StudioGuideWindow *guide
      = STUDIO_GUIDE_WINDOW (studio_guide_window_new (GTK_APPLICATION (g_application_get_default ())));

  studio_guide_window_show (guide, (guint)studio_guide_find ("start"), NULL);
  g_assert_true (studio_guide_window_follow (guide, "files.md#eksportoj"));
  g_assert_cmpstr (studio_guide_name (guide->chapter), ==, "files");
  gtk_window_destroy (GTK_WINDOW (guide));
}

static void
test_half (void)
{
  in_language ("eo", check_half);
}

/* A language with one translated page. */
static char *
begin_language (void)
{
  char *folder = g_dir_make_tmp ("tosst-guide-XXXXXX", NULL);
  g_autofree char *page = g_build_filename (folder, "start.md", NULL);
  g_autofree char *overlay = g_strconcat ("/io/github/tosst/Studio/guide/eo=", folder, NULL);

  g_assert_true (g_file_set_contents (page, "# Unuaj Paŝoj\n\n[dosieroj](files.md#eksportoj)\n", -1, NULL));
  g_setenv ("G_RESOURCE_OVERLAYS", overlay, TRUE);
  return folder;
}

static void
end_language (const char *folder)
{
  g_autofree char *page = g_build_filename (folder, "start.md", NULL);

  g_remove (page);
  g_rmdir (folder);
}

static gboolean
has_only_close (gpointer bar)
{
  return g_strcmp0 (adw_header_bar_get_decoration_layout (bar), ":close") == 0;
}

static gboolean
has_all_buttons (gpointer bar)
{
  return adw_header_bar_get_decoration_layout (bar) == NULL;
}

/* The title has the room of two buttons in a narrow window. */
static void
test_narrow (void)
{
  GtkWidget *guide = studio_guide_window_new (GTK_APPLICATION (g_application_get_default ()));
  GtkWidget *bar = studio_test_child (guide, STUDIO_TYPE_GUIDE_WINDOW, "header_bar");

  gtk_window_set_default_size (GTK_WINDOW (guide), 400, 600);
  gtk_window_present (GTK_WINDOW (guide));
  studio_test_wait (has_only_close, bar, 10);
  gtk_window_set_default_size (GTK_WINDOW (guide), 900, 600);
  studio_test_wait (has_all_buttons, bar, 10);
  gtk_window_destroy (GTK_WINDOW (guide));
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = begin_language ();
  int status;

  g_setenv ("LANGUAGE", "en", TRUE);
  if (!studio_test_init (&argc, &argv))
    {
      end_language (folder);
      return 0;
    }
  g_test_add_func ("/guide/parse", test_parse);
  g_test_add_func ("/guide/markup", test_markup);
  g_test_add_func ("/guide/links", test_links);
  g_test_add_func ("/guide/shortcuts", test_shortcuts);
  g_test_add_func ("/guide/menus", test_menus);
  g_test_add_func ("/guide/window", test_window);
  g_test_add_func ("/guide/narrow", test_narrow);
  g_test_add_func ("/guide/context", test_context);
  g_test_add_func ("/guide/languages", test_languages);
  g_test_add_func ("/guide/translated", test_translated);
  g_test_add_func ("/guide/search", test_search);
  g_test_add_func ("/guide/half-translated", test_half);
  status = g_test_run ();
  end_language (folder);
  return status;
}
