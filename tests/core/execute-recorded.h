/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/store/record.h"

/* Executes a new run of a store, which is opened. */
static inline TosstRunResult *
execute_recorded (GFile *file, const TosstRecipe *recipe, TosstDataset *dataset, TosstStore **store, gint64 *run)
{
  TosstContext *context = tosst_context_new (1);
  TosstRunOrigin made;
  g_autoptr (GError) error = NULL;

  *store = tosst_store_open (file, TOSST_STORE_WRITE, &error);
  g_assert_no_error (error);
  tosst_run_origin_init (&made, recipe, dataset, 1);
  *run = tosst_store_add (*store, recipe, &made.origin, TOSST_RUN_RUNNING, &error);
  g_assert_no_error (error);
  tosst_run_origin_clear (&made);

  const TosstRecorded recorded = { .store = *store, .run = *run };
  TosstRunResult *result = tosst_run_execute_recorded (recipe, dataset, context, NULL, &recorded, NULL, &error, &error);
  g_assert_no_error (error);
  tosst_context_free (context);
  return result;
}
