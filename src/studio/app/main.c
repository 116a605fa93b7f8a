/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gi18n.h>
#include <locale.h>

#include "core/base/machine.h"
#include "studio/app/application.h"
#include "tosst/context.h"

/* Another instance that ends while it opens the arguments does not answer; then this one opens them. */
#define RETRY_US (50 * 1000)
#define PATIENCE_US (5 * G_USEC_PER_SEC)

static int
run (int argc, char *argv[])
{
  gint64 deadline = g_get_monotonic_time () + PATIENCE_US;

  for (;;)
    {
      g_autoptr (StudioApplication) application = studio_application_new (0);
      int status = g_application_run (G_APPLICATION (application), argc, argv);

      if (status == 0 || !studio_application_was_remote (application) || g_get_monotonic_time () >= deadline)
        return status;
      g_usleep (RETRY_US);
    }
}

int
main (int argc, char *argv[])
{
  tosst_blas_select_kernel (g_getenv (TOSST_BLAS_VARIABLE));
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  g_set_application_name ("TOSST Studio"); /* sender of notifications */
  tosst_leave (run (argc, argv));
}
