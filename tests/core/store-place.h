/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A folder with a store of its own for a test, and what tests put in and ask.
 */
#pragma once

#include "core/base/error.h"
#include "core/store/store.h"

typedef struct
{
  char *folder, *path;
  GFile *file;
} Place;

#define ADD_TEST(name, data, function) g_test_add ("/store/" name, Place, data, set_up, function, tear_down)

/* The fixture. */
void set_up (Place *place, gconstpointer data);
void tear_down (Place *place, gconstpointer data);
/* The functions below fail the test on errors. */
TosstStore *open_store (Place *place, TosstStoreMode mode);
void assert_fails (Place *place, TosstStoreMode mode, TosstFailure failure, const char *fragment);
gint64 add_run (TosstStore *store, const TosstRecipe *recipe, TosstRunState state);
double objective_of (gint64 run, int split, int iteration);
void add_iterations (TosstStore *store, gint64 run, int split, int n);
void add_split (TosstStore *store, gint64 run, int split, double accuracy);
void finish_run (TosstStore *store, gint64 run, TosstRunState state, const char *reason);
/* The contents of the artifact of a run of this number. */
GBytes *content_of (gint64 run, gsize size);
/* Done, with 3 splits of 5, 6 and 7 iterations, and the artifact model.npz of 6000 bytes. */
gint64 add_whole_run (TosstStore *store, const TosstRecipe *recipe);
GPtrArray *list_runs (TosstStore *store, const char *sort, const char *filter);
TosstStoreRun *only_run (TosstStore *store, GPtrArray **runs);
void run_sql (Place *place, const char *sql);
/* Adds 2000 runs to a sweep and drops the index of members: listing the sweep takes some 10^7 steps. */
void fill_slow_sweep (Place *place, gint64 sweep);
gint64 count_rows (Place *place, const char *sql);
void assert_order (TosstStore *store, const char *sort, const char *filter, const char *wanted);
GBytes *file_contents (const char *path);
