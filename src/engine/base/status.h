/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* What a public engine call reports. A failure leaves one English sentence in the context
 * (tosst_context_message()); a call that was cancelled is no failure. */
typedef enum
{
  TOSST_OK = 0,
  TOSST_CANCELLED,      /* the caller asked for it; partial results as each call states */
  TOSST_ERROR_ARGUMENT, /* a value or shape that makes no sense */
  TOSST_ERROR_MEMORY,   /* an allocation failed */
  TOSST_ERROR_NUMERIC,  /* NaN or infinity where numbers must be finite, or a factorisation failed */
} TosstStatus;
