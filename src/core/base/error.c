/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/base/error.h"

#include <errno.h>
#include <gio/gio.h>

G_DEFINE_QUARK (tosst - error - quark, tosst_error)

/* Failures of the engine, and their default sentences. */
static const struct
{
  TosstFailure failure;
  const char *text;
} failures[] = {
  [TOSST_CANCELLED] = { TOSST_FAILED_CANCELLED, N_ ("cancelled") },
  [TOSST_ERROR_ARGUMENT] = { TOSST_FAILED_INPUT, N_ ("invalid value or shape") },
  [TOSST_ERROR_MEMORY] = { TOSST_FAILED_MEMORY, N_ ("not enough memory") },
  [TOSST_ERROR_NUMERIC] = { TOSST_FAILED_NUMERIC, N_ ("a number is not finite, or a factorisation failed") },
};

gboolean
tosst_pass_error (GError **error, GError **cause)
{
  g_propagate_error (error, g_steal_pointer (cause));
  return FALSE;
}

gboolean
tosst_error_from_status (TosstStatus status, TosstContext *context, const char *what, GError **error)
{
  if (status == TOSST_OK)
    return TRUE;
  /* A cancelled context may still contain the message of an earlier failure. */
  const char *message = context != NULL && status != TOSST_CANCELLED ? tosst_context_message (context) : "";
  if (*message == '\0')
    message = _ (failures[status].text);
  g_set_error (error, TOSST_ERROR, failures[status].failure, "%s: %s", what, message);
  return FALSE;
}

gboolean
tosst_fail (GError **error, TosstFailure failure, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  if (error != NULL)
    *error = g_error_new_valist (TOSST_ERROR, failure, format, arguments);
  va_end (arguments);
  return FALSE;
}

gboolean
tosst_fail_about (GError **error, TosstFailure failure, const char *name, const char *between, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  return tosst_fail (error, failure, "%s%s%s", name, between, what);
}

const char *
tosst_error_reason (const GError *cause)
{
  if (cause->domain != G_IO_ERROR)
    return cause->message;
  switch (cause->code)
    {
    case G_IO_ERROR_NOT_FOUND:
      return g_strerror (ENOENT);
    case G_IO_ERROR_NOT_DIRECTORY:
      return g_strerror (ENOTDIR);
    case G_IO_ERROR_IS_DIRECTORY:
      return g_strerror (EISDIR);
    case G_IO_ERROR_PERMISSION_DENIED:
      return g_strerror (EACCES);
    default:
      return cause->message;
    }
}
