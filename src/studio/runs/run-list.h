/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/store/store.h"
#include "studio/tasks/worker.h"

/* A run of a store, as lists show it. Edits go through StudioRunList. Main thread. Signal "changed". */
#define STUDIO_TYPE_RUN_ROW (studio_run_row_get_type ())
G_DECLARE_FINAL_TYPE (StudioRunRow, studio_run_row, STUDIO, RUN_ROW, GObject)

/* Other files only read the members. */
struct _StudioRunRow
{
  GObject parent_instance;
  struct StudioRunRecord *record; /* of run-list.c */
  const TosstStoreRun *run;       /* the record in the store: state, accuracy ...; valid until the row changes */
  guint64 edit;                   /* number of the last edit; 0: none */

  /* With pending edits: the latest ones of the user. */
  char **tags;      /* sorted */
  char *other_tags; /* except the two below, separated by spaces */
  char *title, *note;
  gboolean named; /* the title is a name */
};

gboolean studio_run_row_has_tag (StudioRunRow *self, const char *name);

#define STUDIO_TAG_STAR "star"
#define STUDIO_TAG_HIDDEN "hidden"

/* Titles of runs of sweeps list their parameters, "dictionary.atoms=60 ...": these are no names. */
const char *studio_run_row_get_name (StudioRunRow *self); /* "" without one */
char *studio_run_row_get_tag_words (StudioRunRow *self);  /* "#best #thesis"; new, "" without tags */
char *studio_run_row_get_words (StudioRunRow *self);      /* the name, then these; new, "" without both */
char *studio_run_row_get_heading (StudioRunRow *self);    /* "Run 12", or "Run 12: Name" with the name cut short; new */

/* A parameter (dictionary.atoms), as stored; "" and NAN where the run has none. */
const char *studio_run_row_get_parameter (StudioRunRow *self, const char *name);
/* A numeric parameter, or a figure of the run: id, accuracy, deviation, best (percent), objective, residual, nonzeros, seconds
 * (including those of other runs for results shared with them), queued, started, finished (s since 1970 UTC), splits.
 * NAN: unknown. */
double studio_run_row_get_number (StudioRunRow *self, const char *key);
/* A parameter, or a property of the run: state, reason, title, note, tags, dataset; numbers of
 * studio_run_row_get_number() in the user's locale. New. */
char *studio_run_row_get_text (StudioRunRow *self, const char *key);
/* The title of the number "accuracy": "Accuracy", "Mean average precision". */
const char *studio_run_row_get_score_label (StudioRunRow *self);

/* The runs of a store as a GListModel of StudioRunRow, by id: read in a thread, and kept up to date with writes of all
 * programs to the store (those of others are polled once a second). There is one list for each store, so that a star
 * set in one view appears in the others. Hidden runs are included: filters decide whether to show them. Main thread.
 *
 * Signals: "changed" when rows, loaded or the problem changed, once per batch and after items-changed, so that views
 * sort and filter again; "failed" with a sentence when an edit could not be written and its rows were reverted. */
#define STUDIO_TYPE_RUN_LIST (studio_run_list_get_type ())
G_DECLARE_FINAL_TYPE (StudioRunList, studio_run_list, STUDIO, RUN_LIST, GObject)

/* Other files only read the members. */
struct _StudioRunList
{
  GObject parent_instance;
  GFile *file;
  StudioWorker *watcher;
  guint poll_source;
  guint64 edits;        /* number of the last one */
  GHashTable *by_id;    /* gint64 to StudioRunRow *, all runs */
  GHashTable *removals; /* StudioRunRow * to its removal */
  GPtrArray *rows;      /* visible runs, by id */
  guint last_removal;
  gboolean loaded; /* the store was read once; before, the list is empty */
  char *problem;   /* why the store cannot be read, or NULL */
};

StudioRunList *studio_run_list_get (GFile *file); /* a reference; edits are written before the last one is dropped */
StudioRunRow *studio_run_list_find (StudioRunList *self, gint64 id); /* borrowed; NULL: unknown id */
void studio_run_list_refresh (GFile *file); /* after a write to the store by this program; any file */

/* One word; shown at once, written in the background. */
void studio_run_list_set_tag (StudioRunList *self, StudioRunRow *row, const char *tag, gboolean on);
/* In the same way: the title, the note, and the tags except star and hidden, as words separated by spaces or commas. */
void studio_run_list_describe (StudioRunList *self, StudioRunRow *row, const char *title, const char *note,
                               const char *tags);

/* Removes rows (StudioRunRow *) from the list, and from the store once the toast with its “Undo” has closed. Runs under
 * way stay, and the toast says so. */
void studio_run_list_delete (StudioRunList *self, const GPtrArray *rows, AdwToastOverlay *toasts);

/* Presents a dialog over the window of parent, to edit name, tags and note of a run. Nothing is changed until it is
 * saved. Returns the dialog, which owns itself. */
GtkWidget *studio_run_editor_present (GtkWidget *parent, StudioRunList *list, StudioRunRow *row);
