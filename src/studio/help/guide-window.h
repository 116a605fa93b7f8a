/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

/* The user guide: contents with a search on the left, a chapter on the right. */
#define STUDIO_TYPE_GUIDE_WINDOW (studio_guide_window_get_type ())
G_DECLARE_FINAL_TYPE (StudioGuideWindow, studio_guide_window, STUDIO, GUIDE_WINDOW, AdwWindow)

/* Other files only read the members. */
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

GtkWidget *studio_guide_window_new (GtkApplication *application);
/* anchor NULL: its beginning. */
void studio_guide_window_show (StudioGuideWindow *self, guint chapter, const char *anchor);
/* FALSE if a link has no target; links to the web are opened by the system. */
gboolean studio_guide_window_follow (StudioGuideWindow *self, const char *link);

/* The user guide: chapters in Markdown, doc/guide/NAME.md in English and doc/guide/LANGUAGE/NAME.md, built into the
 * program. Supported Markdown: headings, paragraphs, lists, tables, indented code, `code`, **bold**, *emphasis* and
 * [links](chapter.md#heading). */

typedef enum
{
  STUDIO_BLOCK_HEADING,
  STUDIO_BLOCK_PARAGRAPH,
  STUDIO_BLOCK_ITEM, /* of a list */
  STUDIO_BLOCK_CODE,
  STUDIO_BLOCK_TABLE,
} StudioBlockKind;

typedef struct
{
  StudioBlockKind kind;
  int level;        /* of a heading, 1 to 3; of an item 1 */
  char *number;     /* of a numbered item, "2."; else NULL */
  char *text;       /* source text; of a table NULL */
  char *anchor;     /* of a heading: "the-objective" */
  int columns;      /* of a table */
  GPtrArray *cells; /* of a table, row by row, the first one its head: strings; else NULL */
} StudioBlock;

typedef struct
{
  char *name, *title;
  GPtrArray *blocks; /* of StudioBlock */
} StudioChapter;

/* Blocks of a text. Free with g_ptr_array_unref(). */
GPtrArray *studio_guide_parse (const char *markdown);
/* Pango markup of a line: code, emphasis, links. New. */
char *studio_guide_markup (const char *text);
/* The same without any marks, for a search. New. */
char *studio_guide_plain (const char *text);

const char *studio_guide_name (guint chapter); /* NULL: there are no more */
/* In the user's language, or in English where it is not translated. New. */
StudioChapter *studio_guide_load (guint chapter);
void studio_chapter_free (StudioChapter *chapter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioChapter, studio_chapter_free)
/* -1: none of this name. */
int studio_guide_find (const char *name);
/* Whether a link inside of the guide ("learn.md", "learn.md#step", "#step" in chapter) has a target. */
gboolean studio_guide_resolve (const char *link, guint from, guint *chapter, char **anchor);
