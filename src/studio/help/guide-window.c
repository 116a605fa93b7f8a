/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/help/guide-window.h"

#include <string.h>

#include "studio/tasks/task.h"
#include "studio/widgets/build.h"
#include "studio/widgets/fold.h"
#include "studio/widgets/wrap.h"

/* In reading order. */
static const char *const names[]
    = { "start",   "data",    "recipe",   "learn", "atoms", "inspect",  "results",   "sweep",          "compare",
        "predict", "lessons", "teaching", "runs",  "files", "terminal", "shortcuts", "troubleshooting" };

TOSST_DEFINE_FREE (StudioBlock, block_free, (number, g_free), (text, g_free), (anchor, g_free),
                   (cells, g_ptr_array_unref))

/* "The Window, in Short" is the-window-in-short. */
static char *
anchor_of (const char *heading)
{
  g_autofree char *plain = studio_guide_plain (heading), *small = g_utf8_strdown (plain, -1);
  GString *out = g_string_new (NULL);

  for (const char *c = small; *c != 0; c = g_utf8_next_char (c))
    {
      gunichar letter = g_utf8_get_char (c);

      if (g_unichar_isalnum (letter))
        g_string_append_unichar (out, letter);
      else if ((letter == ' ' || letter == '-') && out->len > 0 && out->str[out->len - 1] != '-')
        g_string_append_c (out, '-');
    }
  return g_string_free (out, FALSE);
}

static StudioBlock *
add_block (GPtrArray *blocks, StudioBlockKind kind, const char *text)
{
  StudioBlock *block = g_new0 (StudioBlock, 1);

  block->kind = kind;
  block->text = g_strdup (text);
  g_ptr_array_add (blocks, block);
  return block;
}

/* A continuation line of the last block. */
static void
join (StudioBlock *block, const char *line)
{
  char *text = g_strconcat (block->text, block->kind == STUDIO_BLOCK_CODE ? "\n" : " ", line, NULL);

  g_free (block->text);
  block->text = text;
}

static void
add_table_row (GPtrArray *blocks, StudioBlock *last, const char *line)
{
  g_auto (GStrv) cells = g_strsplit (line, "|", -1);
  guint n = g_strv_length (cells); /* the cells before the first and after the last bar are empty */
  StudioBlock *table = last;

  if (n < 3 || line[1 + strspn (line + 1, " ")] == '-')
    return;
  if (table == NULL || table->kind != STUDIO_BLOCK_TABLE)
    {
      table = add_block (blocks, STUDIO_BLOCK_TABLE, NULL);
      table->columns = (int)n - 2;
      table->cells = g_ptr_array_new_with_free_func (g_free);
    }
  for (int i = 0; i < table->columns; i++)
    g_ptr_array_add (table->cells, g_strstrip (g_strdup (i + 2 < (int)n ? cells[i + 1] : "")));
}

static gsize
item_mark (const char *line)
{
  gsize digits = strspn (line, "0123456789");

  if (g_str_has_prefix (line, "- "))
    return 2;
  return digits > 0 && g_str_has_prefix (line + digits, ". ") ? digits + 2 : 0;
}

static void
add_line (GPtrArray *blocks, const char *line, gboolean after_space)
{
  StudioBlock *last = blocks->len > 0 ? blocks->pdata[blocks->len - 1] : NULL;
  gsize mark = item_mark (line);

  if (line[0] == '#')
    {
      int level = (int)strspn (line, "#");
      StudioBlock *block = add_block (blocks, STUDIO_BLOCK_HEADING, line + level + strspn (line + level, " "));

      block->level = MIN (level, 3);
      block->anchor = anchor_of (block->text);
    }
  else if (line[0] == '|')
    add_table_row (blocks, after_space ? NULL : last, line);
  else if (mark > 0)
    {
      StudioBlock *item = add_block (blocks, STUDIO_BLOCK_ITEM, line + mark);

      item->number = line[0] != '-' ? g_strndup (line, mark - 1) : NULL;
    }
  else if (g_str_has_prefix (line, "    ") && (after_space || (last != NULL && last->kind == STUDIO_BLOCK_CODE)))
    {
      if (last != NULL && last->kind == STUDIO_BLOCK_CODE)
        join (last, line + 4);
      else
        add_block (blocks, STUDIO_BLOCK_CODE, line + 4);
    }
  else if (!after_space && last != NULL && (last->kind == STUDIO_BLOCK_PARAGRAPH || last->kind == STUDIO_BLOCK_ITEM))
    join (last, line + strspn (line, " "));
  else
    add_block (blocks, STUDIO_BLOCK_PARAGRAPH, line + strspn (line, " "));
}

GPtrArray *
studio_guide_parse (const char *markdown)
{
  GPtrArray *blocks = g_ptr_array_new_with_free_func (block_free);
  g_auto (GStrv) lines = g_strsplit (markdown, "\n", -1);
  gboolean after_space = TRUE;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_strchomp (lines[i]);
      if (lines[i][0] != 0 && !g_str_has_prefix (lines[i], "<!--"))
        add_line (blocks, lines[i], after_space);
      after_space = lines[i][0] == 0;
    }
  return blocks;
}

/* Lines. */

/* From one mark to the next: the end of the span, or NULL if it is not closed. */
static const char *
closed (const char *text, const char *mark)
{
  const char *end = strstr (text, mark);

  return end != NULL && end > text ? end : NULL;
}

static void append (GString *out, const char *text, gsize length, gboolean markup);

static void
append_between (GString *out, const char *tag, const char *from, const char *to, gboolean markup)
{
  if (markup)
    g_string_append_printf (out, "<%s>", tag);
  append (out, from, to - from, markup);
  if (markup)
    g_string_append_printf (out, "</%s>", tag);
}

static void
append_text (GString *out, const char *text, gsize length, gboolean markup)
{
  g_autofree char *escaped = markup ? g_markup_escape_text (text, (gssize)length) : g_strndup (text, length);

  g_string_append (out, escaped);
}

/* "[words](target)": the position after it, or NULL if it is not a link. */
static const char *
append_link (GString *out, const char *text, gboolean markup)
{
  const char *middle = strstr (text, "]("), *end = middle != NULL ? strchr (middle, ')') : NULL;

  if (end == NULL)
    return NULL;
  g_autofree char *target = g_markup_escape_text (middle + 2, end - middle - 2);
  if (markup)
    g_string_append_printf (out, "<a href=\"%s\">", target);
  append (out, text + 1, middle - text - 1, markup);
  if (markup)
    g_string_append (out, "</a>");
  return end + 1;
}

static void
append (GString *out, const char *text, gsize length, gboolean markup)
{
  g_autofree char *copy = g_strndup (text, length);

  for (const char *c = copy; *c != 0;)
    {
      gsize plain = strcspn (c, "`*[");
      const char *end;

      append_text (out, c, plain, markup);
      c += plain;
      if (*c == '`' && (end = closed (c + 1, "`")) != NULL)
        {
          g_string_append (out, markup ? "<tt>" : "");
          append_text (out, c + 1, end - c - 1, markup);
          g_string_append (out, markup ? "</tt>" : "");
          c = end + 1;
        }
      else if (g_str_has_prefix (c, "**") && (end = closed (c + 2, "**")) != NULL)
        {
          append_between (out, "b", c + 2, end, markup);
          c = end + 2;
        }
      else if (*c == '*' && (end = closed (c + 1, "*")) != NULL)
        {
          append_between (out, "i", c + 1, end, markup);
          c = end + 1;
        }
      else if (*c == '[' && (end = append_link (out, c, markup)) != NULL)
        c = end;
      else if (*c != 0)
        append_text (out, c++, 1, markup);
    }
}

char *
studio_guide_markup (const char *text)
{
  GString *out = g_string_new (NULL);

  append (out, text, strlen (text), TRUE);
  return g_string_free (out, FALSE);
}

char *
studio_guide_plain (const char *text)
{
  GString *out = g_string_new (NULL);

  append (out, text, strlen (text), FALSE);
  return g_string_free (out, FALSE);
}

/* Chapters. */

const char *
studio_guide_name (guint chapter)
{
  return chapter < G_N_ELEMENTS (names) ? names[chapter] : NULL;
}

int
studio_guide_find (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_strcmp0 (names[i], name) == 0)
      return (int)i;
  return -1;
}

static GBytes *
page_at (const char *folder, const char *name)
{
  g_autofree char *path = g_strdup_printf ("/io/github/tosst/Studio/guide/%s%s.md", folder, name);

  return g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
}

/* In the first of the user's languages that has this page; English, the last of them, has no folder. */
static GBytes *
page_of (const char *name)
{
  const char *const *languages = g_get_language_names ();
  GBytes *page = NULL;

  for (guint i = 0; page == NULL && languages[i] != NULL && !g_str_has_prefix (languages[i], "en"); i++)
    {
      g_autofree char *folder = g_strconcat (languages[i], "/", NULL);

      page = page_at (folder, name);
    }
  return page != NULL ? page : page_at ("", name);
}

StudioChapter *
studio_guide_load (guint chapter)
{
  g_autoptr (GBytes) bytes = page_of (names[chapter]);
  StudioChapter *self = g_new0 (StudioChapter, 1);

  if (bytes == NULL)
    g_error ("the guide has no page %s", names[chapter]);
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  self->name = g_strdup (names[chapter]);
  self->blocks = studio_guide_parse (text);
  self->title
      = self->blocks->len > 0 ? studio_guide_plain (((StudioBlock *)self->blocks->pdata[0])->text) : g_strdup ("");
  return self;
}

TOSST_DEFINE_PUBLIC_FREE (StudioChapter, studio_chapter_free, StudioChapter *, (name, g_free), (title, g_free),
                          (blocks, g_ptr_array_unref))

static gboolean
has_anchor (guint chapter, const char *anchor)
{
  g_autoptr (StudioChapter) self = studio_guide_load (chapter);

  for (guint i = 0; i < self->blocks->len; i++)
    if (g_strcmp0 (((StudioBlock *)self->blocks->pdata[i])->anchor, anchor) == 0)
      return TRUE;
  return FALSE;
}

gboolean
studio_guide_resolve (const char *link, guint from, guint *chapter, char **anchor)
{
  const char *mark = strchr (link, '#');
  g_autofree char *file = mark != NULL ? g_strndup (link, mark - link) : g_strdup (link);

  if (g_str_has_suffix (file, ".md"))
    file[strlen (file) - 3] = 0;
  int found = *file == 0 ? (int)from : studio_guide_find (file);
  if (found < 0 || (mark != NULL && !has_anchor ((guint)found, mark + 1)))
    return FALSE;
  *chapter = (guint)found;
  *anchor = mark != NULL ? g_strdup (mark + 1) : NULL;
  return TRUE;
}

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
static void
on_scroll (StudioGuideWindow *self)
{
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scroller));
  GtkWidget *heading = self->wanted != NULL ? g_hash_table_lookup (self->headings, self->wanted) : NULL;
  double x, y = 0;

  if (heading != NULL && !gtk_widget_translate_coordinates (heading, self->page, 0, 0, &x, &y))
    y = 0;
  gtk_adjustment_set_value (adjustment, MAX (y - 6, 0));
  show_selected_row (self);
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
  studio_later (&self->scroll_source, 40, on_scroll, self);
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

  if (block->text != NULL)
    g_string_append (text, block->text);
  for (guint i = 0; block->cells != NULL && i < block->cells->len; i++)
    g_string_append_printf (text, " %s", (char *)block->cells->pdata[i]);
  g_autofree char *folded = folded_of (text->str);
  for (guint i = 0; words[i] != NULL; i++)
    if (strstr (folded, words[i]) == NULL)
      return FALSE;
  return TRUE;
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
  else
    {
      /* The sections with a block that contains the words. */
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
}

static void
on_row (StudioGuideWindow *self, GtkListBoxRow *row)
{
  studio_guide_window_show (self, GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (row), "chapter")),
                            g_object_get_data (G_OBJECT (row), "anchor"));
}

static void
focus_search (StudioGuideWindow *self)
{
  studio_fold_show_last (STUDIO_FOLD (self->fold), FALSE);
  gtk_widget_grab_focus (self->search);
}

/* The window. */

STUDIO_DEFINE_DISPOSE (StudioGuideWindow, studio_guide_window, (scroll_source, g_source_remove), (wanted, g_free))

STUDIO_DEFINE_FINALIZE (StudioGuideWindow, studio_guide_window, (headings, g_hash_table_unref),
                        (chapters, g_ptr_array_unref))

static void
studio_guide_window_class_init (StudioGuideWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = studio_guide_window_dispose;
  G_OBJECT_CLASS (klass)->finalize = studio_guide_window_finalize;
  STUDIO_INSTALL_ACTIONS (klass, ("guide.search", NULL, focus_search));
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_f, GDK_CONTROL_MASK, "guide.search", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
  STUDIO_ENSURE_TYPES (STUDIO_TYPE_FOLD, STUDIO_TYPE_TAB_STOP);
  STUDIO_SET_TEMPLATE (klass, StudioGuideWindow, "guide-window", fold, search, contents, page, scroller, window_title,
                       header_bar);
  STUDIO_BIND_CALLBACKS (klass, on_search, on_row);
}

static void
studio_guide_window_init (StudioGuideWindow *self)
{
  self->headings = g_hash_table_new (g_str_hash, g_str_equal);
  self->chapters = g_ptr_array_new_with_free_func ((GDestroyNotify)studio_chapter_free);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
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
