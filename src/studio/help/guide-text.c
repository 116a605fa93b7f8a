/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/help/guide-text.h"

#include <string.h>

/* In reading order. */
static const char *const names[]
    = { "start",   "data",    "recipe",   "learn", "atoms", "inspect",  "results",   "sweep",          "compare",
        "predict", "lessons", "teaching", "runs",  "files", "terminal", "shortcuts", "troubleshooting" };

static void
block_free (gpointer data)
{
  StudioBlock *block = data;

  g_free (block->number);
  g_free (block->text);
  g_free (block->anchor);
  g_clear_pointer (&block->cells, g_ptr_array_unref);
  g_free (block);
}

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
add_heading (GPtrArray *blocks, const char *line)
{
  int level = (int)strspn (line, "#");
  StudioBlock *block = add_block (blocks, STUDIO_BLOCK_HEADING, line + level + strspn (line + level, " "));

  block->level = MIN (level, 3);
  block->anchor = anchor_of (block->text);
}

static void
add_row (GPtrArray *blocks, StudioBlock *last, const char *line)
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
    add_heading (blocks, line);
  else if (line[0] == '|')
    add_row (blocks, after_space ? NULL : last, line);
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
  g_autofree char *target = NULL;

  if (end == NULL)
    return NULL;
  target = g_markup_escape_text (middle + 2, end - middle - 2);
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

guint
studio_guide_count (void)
{
  return G_N_ELEMENTS (names);
}

const char *
studio_guide_name (guint chapter)
{
  return names[chapter];
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
  g_autofree char *text = NULL;

  if (bytes == NULL)
    g_error ("the guide has no page %s", names[chapter]);
  text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  self->name = g_strdup (names[chapter]);
  self->blocks = studio_guide_parse (text);
  self->title
      = self->blocks->len > 0 ? studio_guide_plain (((StudioBlock *)self->blocks->pdata[0])->text) : g_strdup ("");
  return self;
}

void
studio_chapter_free (StudioChapter *self)
{
  g_free (self->name);
  g_free (self->title);
  g_ptr_array_unref (self->blocks);
  g_free (self);
}

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
  int found;

  if (g_str_has_suffix (file, ".md"))
    file[strlen (file) - 3] = 0;
  found = *file == 0 ? (int)from : studio_guide_find (file);
  if (found < 0 || (mark != NULL && !has_anchor ((guint)found, mark + 1)))
    return FALSE;
  *chapter = (guint)found;
  *anchor = mark != NULL ? g_strdup (mark + 1) : NULL;
  return TRUE;
}
