/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* Status of a public engine call. A failure stores an English message in the context (tosst_context_message()); a
 * cancelled call is not a failure. */
typedef enum
{
  TOSST_OK = 0,
  TOSST_CANCELLED,      /* cancelled by the caller; partial results as documented by each call */
  TOSST_ERROR_ARGUMENT, /* invalid value or shape */
  TOSST_ERROR_MEMORY,   /* an allocation failed */
  TOSST_ERROR_NUMERIC,  /* NaN or infinity where values must be finite, or a failed factorisation */
} TosstStatus;
