/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "engine/base/context.h"

G_BEGIN_DECLS

#define TOSST_ERROR (tosst_error_quark ())
GQuark tosst_error_quark (void);

/* The message of every error is one clear sentence without a final full stop: it names the file or key, what is wrong,
 * and where it helps what to do. */
typedef enum
{
  TOSST_FAILED_INPUT,     /* a file, data set or value given by the user */
  TOSST_FAILED_RECIPE,    /* an unknown key, a value out of range, a combination that makes no sense */
  TOSST_FAILED_OUTPUT,    /* could not be written; nothing was overwritten */
  TOSST_FAILED_MEMORY,    /* would not fit, or an allocation failed */
  TOSST_FAILED_NUMERIC,   /* NaN, a factorisation that failed */
  TOSST_FAILED_CANCELLED, /* the user asked for it */
  TOSST_FAILED_NAME,      /* the ending of an output's name is of no known format */
  TOSST_FAILED_DAMAGED,   /* a store of runs from which something can be salvaged */
} TosstFailure;

/* Sets the error to a printf-style sentence and returns FALSE, so that a caller writes: return tosst_fail (...). */
gboolean tosst_fail (GError **error, TosstFailure failure, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* The same for an input that the sentence begins with: "NAME holds no tensor". */
gboolean tosst_fail_input (GError **error, const char *name, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* Turns an engine status into a GError; TRUE for TOSST_OK. what ("Learning") opens the sentence. */
gboolean tosst_error_from_status (TosstStatus status, TosstContext *context, const char *what, GError **error);

/* Why a file could not be opened or read, without the file's name, which GIO's sentences repeat. */
const char *tosst_error_reason (const GError *cause);

G_END_DECLS
