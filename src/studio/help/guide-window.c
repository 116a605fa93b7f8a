/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/help/guide-window.h"

#include <string.h>

#include "studio/widgets/build.h"
#include "studio/widgets/fold.h"
#include "studio/widgets/full-screen.h"
#include "studio/widgets/tab-stop.h"

struct _StudioGuideWindow
{
  AdwWindow parent_instance;
  guint chapter;
  GPtrArray *chapters;  /* all chapters, of StudioChapter */
  GHashTable *headings; /* anchor to its label on the page, borrowed */
  char *wanted;         /* anchor to scroll to once the page is laid out; NULL: its beginning */
  guint scroll_source;
  GtkWidget *fold, *search, *contents, *page, *scroller, *window_title, *header_bar;
};

G_DEFINE_FINAL_TYPE (StudioGuideWindow, studio_guide_window, ADW_TYPE_WINDOW)

/* The page. */

static gboolean
on_link (GtkLabel *label, const char *uri, StudioGuideWindow *self)
{
  return studio_guide_window_follow (self, uri);
}

static GtkWidget *
text_label (StudioGuideWindow *self, const char *text)
{
  g_autofree char *markup = studio_guide_markup (text);
  GtkWidget *label = studio_label (NULL, NULL);

  g_object_set (label, "label", markup, "use-markup", TRUE, "wrap", TRUE, "hexpand", TRUE, "valign", GTK_ALIGN_START,
                NULL);
  g_signal_connect (label, "activate-link", G_CALLBACK (on_link), self);
  return label;
}

static GtkWidget *
heading_new (StudioGuideWindow *self, const StudioBlock *block)
{
  static const char *const styles[] = { "title-1", "title-3", "heading" };
  GtkWidget *label = text_label (self, block->text);

  gtk_widget_add_css_class (label, styles[block->level - 1]);
  gtk_widget_set_margin_top (label, block->level == 1 ? 0 : 16);
  g_hash_table_replace (self->headings, block->anchor, label);
  return label;
}

static GtkWidget *
item_new (StudioGuideWindow *self, const StudioBlock *block)
{
  GtkWidget *mark = studio_label (block->number != NULL ? block->number : "•", "dim-label", NULL);
  GtkWidget *row = studio_row (10, mark, text_label (self, block->text), NULL);

  gtk_widget_set_valign (mark, GTK_ALIGN_START);
  gtk_widget_set_margin_start (row, 8);
  return row;
}

static GtkWidget *
code_new (const StudioBlock *block)
{
  GtkWidget *plate = adw_bin_new (), *label = studio_label (block->text, "monospace", NULL);

  g_object_set (label, "wrap", TRUE, "wrap-mode", PANGO_WRAP_WORD_CHAR, "selectable", TRUE, NULL);
  gtk_widget_add_css_class (plate, "formula");
  adw_bin_set_child (ADW_BIN (plate), label);
  return plate;
}

static GtkWidget *
table_new (StudioGuideWindow *self, const StudioBlock *block)
{
  GtkWidget *grid = gtk_grid_new ();

  gtk_grid_set_column_spacing (GTK_GRID (grid), 18);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 8);
  studio_add_classes (grid, "card", "guide-table", NULL);
  for (guint i = 0; i < block->cells->len; i++)
    {
      int row = (int)i / block->columns, column = (int)i % block->columns;
      GtkWidget *label = text_label (self, block->cells->pdata[i]);

      if (row == 0)
        gtk_widget_add_css_class (label, "heading");
      if (strchr (block->cells->pdata[i], '`') != NULL) /* paths are long */
        gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
      gtk_widget_set_hexpand (label, column + 1 == block->columns);
      if (column + 1 < block->columns) /* names; descriptions are in the last column */
        {
          gtk_label_set_width_chars (GTK_LABEL (label), 32 / block->columns);
          gtk_label_set_max_width_chars (GTK_LABEL (label), 52 / block->columns);
        }
      gtk_grid_attach (GTK_GRID (grid), label, column, row, 1, 1);
    }
  return grid;
}

static GtkWidget *
block_new (StudioGuideWindow *self, const StudioBlock *block)
{
  switch (block->kind)
    {
    case STUDIO_BLOCK_HEADING:
      return heading_new (self, block);
    case STUDIO_BLOCK_ITEM:
      return item_new (self, block);
    case STUDIO_BLOCK_CODE:
      return code_new (block);
    case STUDIO_BLOCK_TABLE:
      return table_new (self, block);
    case STUDIO_BLOCK_PARAGRAPH:
      break;
    }
  return text_label (self, block->text);
}

#define ABOUT_ROW 40 /* pixels of the contents kept visible above and below */

/* Also scrolls the contents to the present section. */
static void
show_selected_row (StudioGuideWindow *self)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (GTK_LIST_BOX (self->contents));
  double x, y;

  if (row != NULL && gtk_widget_translate_coordinates (GTK_WIDGET (row), self->contents, 0, 0, &x, &y))
    gtk_adjustment_clamp_page (gtk_list_box_get_adjustment (GTK_LIST_BOX (self->contents)), y - ABOUT_ROW,
                               y + gtk_widget_get_height (GTK_WIDGET (row)) + ABOUT_ROW);
}

/* The position of a heading is known once the page has a size. */
static gboolean
on_scroll (gpointer data)
{
  StudioGuideWindow *self = data;
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scroller));
  GtkWidget *heading = self->wanted != NULL ? g_hash_table_lookup (self->headings, self->wanted) : NULL;
  double x, y = 0;

  if (heading != NULL && !gtk_widget_translate_coordinates (heading, self->page, 0, 0, &x, &y))
    y = 0;
  gtk_adjustment_set_value (adjustment, MAX (y - 6, 0));
  show_selected_row (self);
  self->scroll_source = 0;
  return G_SOURCE_REMOVE;
}

/* Marks the present section in the contents. */
static void
select_row (StudioGuideWindow *self, const char *anchor)
{
  GtkListBoxRow *row;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->contents), i)) != NULL; i++)
    if (GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (row), "chapter")) == self->chapter
        && (anchor == NULL || g_strcmp0 (g_object_get_data (G_OBJECT (row), "anchor"), anchor) == 0))
      {
        gtk_list_box_select_row (GTK_LIST_BOX (self->contents), row);
        return;
      }
}

void
studio_guide_window_show (StudioGuideWindow *self, guint number, const char *anchor)
{
  const StudioChapter *chapter = self->chapters->pdata[number];
  char *wanted = g_strdup (anchor); /* which may be the present one */

  if (number != self->chapter || gtk_widget_get_first_child (self->page) == NULL)
    {
      studio_remove_children (self->page);
      g_hash_table_remove_all (self->headings);
      for (guint i = 0; i < chapter->blocks->len; i++)
        gtk_box_append (GTK_BOX (self->page), block_new (self, chapter->blocks->pdata[i]));
      self->chapter = number;
      adw_window_title_set_subtitle (ADW_WINDOW_TITLE (self->window_title), chapter->title);
    }
  select_row (self, anchor);
  studio_fold_show_last (STUDIO_FOLD (self->fold), TRUE);
  g_free (self->wanted);
  self->wanted = wanted;
  if (self->scroll_source == 0)
    self->scroll_source = g_timeout_add (40, on_scroll, self);
}

gboolean
studio_guide_window_follow (StudioGuideWindow *self, const char *link)
{
  g_autofree char *anchor = NULL, *page = g_strndup (link, strcspn (link, "#"));
  guint chapter;

  if (strstr (link, "://") != NULL)
    return FALSE;
  /* Between a translated and an untranslated page the headings differ: opening the page suffices. */
  if (!studio_guide_resolve (link, self->chapter, &chapter, &anchor)
      && !studio_guide_resolve (page, self->chapter, &chapter, &anchor))
    {
      g_warning ("the guide has no %s", link);
      return TRUE;
    }
  studio_guide_window_show (self, chapter, anchor);
  return TRUE;
}

/* Contents. */

static void
add_row (StudioGuideWindow *self, guint chapter, const StudioBlock *heading, const char *detail)
{
  g_autofree char *title = studio_guide_plain (heading->text);
  GtkWidget *row = gtk_list_box_row_new (), *label = studio_label (title, NULL), *box = studio_column (0, label, NULL);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_widget_set_margin_start (label, heading->level == 1 || detail != NULL ? 0 : 14);
  if (heading->level > 1 && detail == NULL)
    gtk_widget_add_css_class (label, "dim-label");
  if (detail != NULL)
    {
      GtkWidget *below = studio_label (detail, "caption", "dim-label", NULL);

      gtk_label_set_ellipsize (GTK_LABEL (below), PANGO_ELLIPSIZE_END);
      gtk_box_append (GTK_BOX (box), below);
    }
  gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  studio_set_name (row, title);
  if (detail != NULL)
    studio_set_description (row, detail);
  g_object_set_data (G_OBJECT (row), "chapter", GUINT_TO_POINTER (chapter));
  g_object_set_data_full (G_OBJECT (row), "anchor", g_strdup (heading->anchor), g_free);
  gtk_list_box_append (GTK_LIST_BOX (self->contents), row);
}

/* Text normalized for search: lower case without accents, and the apostrophe of the keyboard. New. */
static char *
folded_of (const char *text)
{
  g_autofree char *small = g_utf8_casefold (text, -1), *apart = g_utf8_normalize (small, -1, G_NORMALIZE_ALL);
  GString *out = g_string_new (NULL);

  for (const char *c = apart; *c != 0; c = g_utf8_next_char (c))
    if (!g_unichar_ismark (g_utf8_get_char (c)))
      g_string_append_unichar (out, g_utf8_get_char (c));
  g_string_replace (out, "ł", "l", 0); /* not decomposed by Unicode into l and an accent */
  g_string_replace (out, "’", "'", 0);
  return g_string_free (out, FALSE);
}

/* Whether a block contains all the words, in any order. */
static gboolean
says (const StudioBlock *block, char **words)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *folded = NULL;

  if (block->text != NULL)
    g_string_append (text, block->text);
  for (guint i = 0; block->cells != NULL && i < block->cells->len; i++)
    g_string_append_printf (text, " %s", (char *)block->cells->pdata[i]);
  folded = folded_of (text->str);
  for (guint i = 0; words[i] != NULL; i++)
    if (strstr (folded, words[i]) == NULL)
      return FALSE;
  return TRUE;
}

/* The sections with a block that contains the words. */
static void
add_found (StudioGuideWindow *self, char **words)
{
  for (guint i = 0; i < self->chapters->len; i++)
    {
      const StudioChapter *chapter = self->chapters->pdata[i];
      const StudioBlock *heading = NULL, *last = NULL;

      for (guint j = 0; j < chapter->blocks->len; j++)
        {
          const StudioBlock *block = chapter->blocks->pdata[j];

          if (block->kind == STUDIO_BLOCK_HEADING)
            heading = block;
          if (heading != NULL && heading != last && says (block, words))
            {
              add_row (self, i, heading, heading->level == 1 ? "" : chapter->title);
              last = heading;
            }
        }
    }
}

static void
add_all (StudioGuideWindow *self)
{
  for (guint i = 0; i < self->chapters->len; i++)
    {
      const StudioChapter *chapter = self->chapters->pdata[i];

      for (guint j = 0; j < chapter->blocks->len; j++)
        {
          const StudioBlock *block = chapter->blocks->pdata[j];

          if (block->kind == STUDIO_BLOCK_HEADING && block->level <= 2)
            add_row (self, i, block, NULL);
        }
    }
}

static void
on_search (StudioGuideWindow *self)
{
  g_autofree char *text = folded_of (gtk_editable_get_text (GTK_EDITABLE (self->search)));
  g_auto (GStrv) words = g_strsplit_set (g_strstrip (text), " ", -1);
  GtkWidget *child;

  while ((child = GTK_WIDGET (gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->contents), 0))) != NULL)
    gtk_list_box_remove (GTK_LIST_BOX (self->contents), child);
  if (*text == 0)
    add_all (self);
  else
    add_found (self, words);
}

void
studio_guide_window_search (StudioGuideWindow *self, const char *words)
{
  gtk_editable_set_text (GTK_EDITABLE (self->search), words);
  on_search (self);
}

static void
on_row (StudioGuideWindow *self, GtkListBoxRow *row)
{
  studio_guide_window_show (self, GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (row), "chapter")),
                            g_object_get_data (G_OBJECT (row), "anchor"));
}

static void
focus_search (GtkWidget *widget, const char *name, GVariant *parameter)
{
  studio_fold_show_last (STUDIO_FOLD (STUDIO_GUIDE_WINDOW (widget)->fold), FALSE);
  gtk_widget_grab_focus (STUDIO_GUIDE_WINDOW (widget)->search);
}

/* The window. */

static void
studio_guide_window_dispose (GObject *object)
{
  StudioGuideWindow *self = STUDIO_GUIDE_WINDOW (object);

  g_clear_handle_id (&self->scroll_source, g_source_remove);
  g_clear_pointer (&self->wanted, g_free);
  G_OBJECT_CLASS (studio_guide_window_parent_class)->dispose (object);
}

static void
studio_guide_window_finalize (GObject *object)
{
  StudioGuideWindow *self = STUDIO_GUIDE_WINDOW (object);

  g_hash_table_unref (self->headings);
  g_ptr_array_unref (self->chapters);
  G_OBJECT_CLASS (studio_guide_window_parent_class)->finalize (object);
}

static void
studio_guide_window_class_init (StudioGuideWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = studio_guide_window_dispose;
  G_OBJECT_CLASS (klass)->finalize = studio_guide_window_finalize;
  gtk_widget_class_install_action (widget_class, "guide.search", NULL, focus_search);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_f, GDK_CONTROL_MASK, "guide.search", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
  STUDIO_ENSURE_TYPES (STUDIO_TYPE_FOLD, STUDIO_TYPE_TAB_STOP);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/tosst/Studio/guide-window.ui");
  STUDIO_BIND_CHILDREN (widget_class, StudioGuideWindow, fold, search, contents, page, scroller, window_title,
                        header_bar);
  STUDIO_BIND_CALLBACKS (widget_class, on_search, on_row);
}

static void
studio_guide_window_init (StudioGuideWindow *self)
{
  self->headings = g_hash_table_new (g_str_hash, g_str_equal);
  self->chapters = g_ptr_array_new_with_free_func ((GDestroyNotify)studio_chapter_free);
  for (guint i = 0; i < studio_guide_count (); i++)
    g_ptr_array_add (self->chapters, studio_guide_load (i));
  gtk_widget_init_template (GTK_WIDGET (self));
  studio_fit_window_buttons (GTK_WINDOW (self), self->header_bar);
  studio_full_screen_leave_on_escape (GTK_WINDOW (self));
  on_search (self);
}

GtkWidget *
studio_guide_window_new (GtkApplication *application)
{
  return g_object_new (STUDIO_TYPE_GUIDE_WINDOW, "application", application, NULL);
}

guint
studio_guide_window_get_chapter (StudioGuideWindow *self)
{
  return self->chapter;
}

guint
studio_guide_window_get_rows (StudioGuideWindow *self)
{
  guint n = 0;

  while (gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->contents), (int)n) != NULL)
    n++;
  return n;
}
