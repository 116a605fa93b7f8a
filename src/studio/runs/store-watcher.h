/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/store/store.h"
#include "studio/tasks/worker.h"

/* The value of a parameter. */
typedef struct
{
  const char *name; /* interned */
  char *text;       /* GRefString */
  double number;    /* value of a numeric text, else NAN */
} StudioRunValue;

/* The record of a run in the store: reference-counted, immutable, any thread. */
typedef struct
{
  TosstStoreRun *run;
  GArray *values; /* StudioRunValue, by name; NULL: none */
} StudioRunRecord;

StudioRunRecord *studio_run_record_ref (StudioRunRecord *self);
void studio_run_record_unref (StudioRunRecord *self);
const StudioRunValue *studio_run_record_find (const StudioRunRecord *self, const char *name); /* NULL: none */

/* Changes since the last answer. */
typedef struct
{
  GPtrArray *changed; /* StudioRunRecord *, new and changed runs, by id; NULL: none */
  GArray *removed;    /* gint64; NULL: none */
  guint64 edits;      /* number of the last edit written before this was read */
  char *problem;      /* why the store cannot be read, or NULL */
  char *failure;      /* why an edit could not be written, or NULL */
} StudioRunNews;

void studio_run_news_free (StudioRunNews *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioRunNews, studio_run_news_free)

typedef enum
{
  STUDIO_EDIT_DELETE,
  STUDIO_EDIT_TAG,
  STUDIO_EDIT_UNTAG,
  STUDIO_EDIT_TITLE,
  STUDIO_EDIT_NOTE,
} StudioRunEditKind;

typedef struct
{
  gint64 run;
  StudioRunEditKind kind;
  char *text; /* the tag, title or note; NULL to delete */
} StudioRunEdit;

void studio_run_edit_free (StudioRunEdit *self);

/* A worker (worker.h) for one store: each request writes edits of the user and reads the runs that have changed since
 * the previous one, by any program. An answer is a StudioRunNews; without changes there is none, except to the first
 * request and to those with edits. studio_worker_free() waits until all edits are written. */
StudioWorker *studio_store_watcher_new (StudioNotifyFunc notify, gpointer data);
/* edits: of StudioRunEdit, owned by the worker from now on, or NULL; number: of the last edit of this or an earlier
 * request. */
void studio_store_watcher_ask (StudioWorker *self, GFile *file, GPtrArray *edits, guint64 number);
