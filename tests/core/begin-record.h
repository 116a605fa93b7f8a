/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/store/record.h"

/* The record of a new run in a store, which is opened. */
static inline TosstRunRecord *
begin_record (GFile *file, const TosstRecipe *recipe, TosstDataset *dataset, TosstStore **store, gint64 *run)
{
  TosstRunOrigin made;
  TosstRunRecord *record;
  g_autoptr (GError) error = NULL;

  *store = tosst_store_open (file, TOSST_STORE_WRITE, &error);
  g_assert_no_error (error);
  tosst_run_origin_init (&made, recipe, dataset, 1);
  *run = tosst_store_add (*store, recipe, &made.origin, TOSST_RUN_RUNNING, &error);
  g_assert_no_error (error);
  tosst_run_origin_clear (&made);
  record = tosst_run_record_continue (*store, *run, dataset, &error);
  g_assert_no_error (error);
  return record;
}
