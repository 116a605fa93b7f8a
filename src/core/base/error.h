/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>
#include <glib/gi18n.h> /* sentences of errors are translated */

#include "tosst/context.h"

#define TOSST_ERROR (tosst_error_quark ())
GQuark tosst_error_quark (void);

/* Every error message is one clear sentence without a final full stop. It names the file or key and the fault and,
 * where useful, the remedy. */
typedef enum
{
  TOSST_FAILED_INPUT,     /* a file, data set or value given by the user */
  TOSST_FAILED_RECIPE,    /* an unknown key, a value out of range, an invalid combination */
  TOSST_FAILED_OUTPUT,    /* could not be written; nothing was overwritten */
  TOSST_FAILED_MEMORY,    /* too little memory, or a failed allocation */
  TOSST_FAILED_NUMERIC,   /* NaN, or a failed factorisation */
  TOSST_FAILED_CANCELLED, /* cancelled by the user */
  TOSST_FAILED_NAME,      /* the suffix of an output's name is of no known format */
  TOSST_FAILED_DAMAGED,   /* a store of runs with recoverable contents */
  TOSST_FAILED_EMPTY,     /* an image without anything to describe: no keypoint, or no gradient */
} TosstFailure;

/* Sets the error to a printf-style sentence and returns FALSE, so that a caller writes: return tosst_fail (...). */
gboolean tosst_fail (GError **error, TosstFailure failure, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* As tosst_fail(), with the name of a file at the start of the sentence and " " or ": " between them. */
gboolean tosst_fail_about (GError **error, TosstFailure failure, const char *name, const char *between,
                           const char *format, ...) G_GNUC_PRINTF (5, 6);
/* "NAME holds no tensor". */
#define tosst_fail_input(error, name, ...) tosst_fail_about (error, TOSST_FAILED_INPUT, name, " ", __VA_ARGS__)
/* The same of an image without anything to describe. */
#define tosst_fail_empty(error, name, ...) tosst_fail_about (error, TOSST_FAILED_EMPTY, name, " ", __VA_ARGS__)

/* Hands on cause, which becomes NULL, and returns FALSE. */
gboolean tosst_pass_error (GError **error, GError **cause);

/* Converts an engine status into a GError; returns TRUE for TOSST_OK. what ("Learning") is the subject of the
 * sentence. */
gboolean tosst_error_from_status (TosstStatus status, TosstContext *context, const char *what, GError **error);

/* Reason why a file could not be opened or read, without the file's name, which GIO's messages repeat. */
const char *tosst_error_reason (const GError *cause);
