/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/report/document.h"
#include "core/store/store.h"

/* Creates a report on runs of a store: for each run its result, recipe, curves, atoms, confusions, times and the
 * command that repeats it; for several runs first their differences. Failed and stopped runs have the available
 * parts. Returns a new document, or NULL with the error of the store or, without runs, TOSST_FAILED_INPUT. */
TosstDocument *tosst_report_new (TosstStore *store, const gint64 *runs, gsize n, GError **error);

/* Saves a report as a file (tosst_document_save()), dated by the end of the last run. */
gboolean tosst_report_save (TosstStore *store, const gint64 *runs, gsize n, GFile *file, GError **error);
