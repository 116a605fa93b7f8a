/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <sqlite3.h>

#include "core/store/store.h"

struct TosstStore
{
  sqlite3 *db;
  char *name; /* as messages show it */
  char *notice;
  GHashTable *statements; /* text to sqlite3_stmt * */
  gboolean failed;        /* the last tosst_store_query() or tosst_store_row() */
  double steps;           /* of SQLite's virtual machine, taken by the current statement */
  GCancellable *cancellable;
  TosstContext *context; /* see tosst_store_set_cancel() */
};

/* Numbers of TosstIteration in the database, without unused_atoms, an int. */
#define TOSST_STORE_ITERATION_NUMBERS 7
extern const TosstNumber tosst_store_iteration_numbers[TOSST_STORE_ITERATION_NUMBERS];

/* sql.c. Arguments of statements follow a format: i gint64, n int, s text or NULL, d double (NaN: NULL), b GBytes *. */
gboolean tosst_store_fail (TosstStore *self, int code, GError **error);
/* Returns a cached statement with its arguments bound; it is reset by tosst_store_row() at its end or by
 * sqlite3_reset(). NULL with error, which tosst_store_row() accepts: a loop over rows is
 *   rows = tosst_store_query (self, error, ...); while (tosst_store_row (self, rows, error)) ...; return !self->failed;
 */
sqlite3_stmt *tosst_store_query (TosstStore *self, GError **error, const char *sql, const char *format, ...);
/* Advances to the next row. Returns FALSE at the end or, with self->failed, with error. */
gboolean tosst_store_row (TosstStore *self, sqlite3_stmt *statement, GError **error);
/* Reads the first column of all rows: gint64. New; NULL with error. */
GArray *tosst_store_ids (TosstStore *self, GError **error, const char *sql, const char *format, ...);
/* Reads one number, `missing` if there is no row or the value is not a number; or, without value, executes a statement. */
gboolean tosst_store_number (TosstStore *self, gint64 *value, gint64 missing, GError **error, const char *sql,
                             const char *format, ...);
#define tosst_store_do(self, error, ...) tosst_store_number (self, NULL, 0, error, __VA_ARGS__)
gboolean tosst_store_begin (TosstStore *self, GError **error);
/* Commits if ok, else rolls back. Returns TRUE after a successful commit. */
gboolean tosst_store_end (TosstStore *self, gboolean ok, GError **error);
const char *tosst_store_text (sqlite3_stmt *statement, int column); /* "" for NULL; valid UTF-8 */
double tosst_store_real (sqlite3_stmt *statement, int column);      /* NAN for NULL */

#define TOSST_STORE_SCHEMA 3
#define TOSST_STORE_APPLICATION 0x54535354 /* TSST */
/* store.c */
TosstStore *tosst_store_open_path (const char *path, const char *name, int flags, GError **error);
/* Reads program and schema of a database. FALSE with error unless this program can use it; *version is 0 for an empty
 * file. */
gboolean tosst_store_identify (TosstStore *self, int *version, GError **error);
gboolean tosst_store_prepare (TosstStore *self, GError **error);

/* Called before the first statement: denies operations that no store needs, and interrupts statements that
 * are cancelled or take far more steps than a store of its size requires. salvage: the schema may be damaged. */
void tosst_store_guard (TosstStore *self, gboolean salvage);
gboolean tosst_store_is_cancelled (TosstStore *self);
/* salvage.c. Copies the database to a file, with flags of sqlite3_open_v2(). */
gboolean tosst_store_copy_to (TosstStore *self, const char *path, int flags);
/* Whether a damaged file was a store. */
gboolean tosst_store_has_signature (const char *path);

/* owner.c */
char *tosst_store_owner (void); /* of this process; new */
gboolean tosst_store_owner_is_gone (const char *owner, double heartbeat);
double tosst_store_now (void);

/* store.c. Deletes the files of tensors that earlier versions left beside the store. */
void tosst_store_drop_tensors (TosstStore *self);

/* list.c */
TosstRunState tosst_store_state (sqlite3_stmt *statement, int state, int owner, int heartbeat, const char **reason);

/* write.c */
gboolean tosst_store_fail_missing (TosstStore *self, gint64 run, GError **error); /* there is no such run */
/* tosst_store_add() within a transaction. */
gint64 tosst_store_insert (TosstStore *self, const TosstRecipe *recipe, const TosstStoreOrigin *origin,
                           TosstRunState state, GError **error);
