/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/store/store.h"
#include "studio/tasks/waker.h"

G_BEGIN_DECLS

/* A thread that follows a store of runs: it polls once a second for changes by any program, reads the changed runs, and
 * writes the edits of the user. Plain data behind a lock, as in run-job.h.
 *
 *   main thread                          worker
 *   start(): thread begins      ----->   reads all runs, then waits for a second, a poke or an edit
 *   wake()                      <-----   announces news once until they are taken
 *   take(): moves the news out
 *   edit(): returns at once     ----->   writes it, reads that run again
 *   release(): joins            ----->   writes the remaining edits, ends
 */
typedef struct StudioRunFeed StudioRunFeed;

/* The value of a parameter. */
typedef struct
{
  const char *name; /* interned */
  char *text;       /* GRefString */
  double number;    /* value of a numeric text, else NAN */
} StudioRunValue;

/* Membership of a run in a sweep. */
typedef struct
{
  gint64 sweep;
  int number; /* position in the sweep */
} StudioRunMember;

/* The record of a run in the store: reference-counted, immutable, any thread. */
typedef struct
{
  gatomicrefcount references;
  TosstStoreRun *run;
  GArray *values;  /* StudioRunValue, by name; NULL: none */
  GArray *members; /* StudioRunMember, by sweep; NULL: none */
} StudioRunRecord;

StudioRunRecord *studio_run_record_ref (StudioRunRecord *self);
void studio_run_record_unref (StudioRunRecord *self);
const StudioRunValue *studio_run_record_find (const StudioRunRecord *self, const char *name); /* NULL: none */

/* Changes since the last take(). */
typedef struct
{
  GPtrArray *changed; /* StudioRunRecord *, new and changed runs, by id; NULL: none */
  GArray *removed;    /* gint64; NULL: none */
  guint64 edits;      /* number of the last edit written before this was read */
  gboolean loaded;    /* the store was read once, or there is none */
  char *problem;      /* why the store cannot be read, or NULL */
  char *failure;      /* why an edit could not be written, or NULL */
} StudioRunNews;

void studio_run_news_clear (StudioRunNews *news);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (StudioRunNews, studio_run_news_clear)

typedef enum
{
  STUDIO_RUN_EDIT_TAG,   /* text, on */
  STUDIO_RUN_EDIT_NOTE,  /* text */
  STUDIO_RUN_EDIT_TITLE, /* text */
  STUDIO_RUN_EDIT_DELETE,
} StudioRunEditKind;

/* All of these: main thread. wake is called there with data until studio_run_feed_release(). */
StudioRunFeed *studio_run_feed_start (GFile *file, StudioWakeFunc wake, gpointer data);
void studio_run_feed_take (StudioRunFeed *self, StudioRunNews *news);
void studio_run_feed_poke (StudioRunFeed *self); /* poll now */
/* The number of the edit, as StudioRunNews counts them. */
guint64 studio_run_feed_edit (StudioRunFeed *self, StudioRunEditKind kind, gint64 run, const char *text, gboolean on);
void studio_run_feed_release (StudioRunFeed *self);

G_END_DECLS
