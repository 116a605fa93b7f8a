/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gi18n.h>
#include <locale.h>

#include "core/base/leave.h"
#include "studio/app/application.h"
#include "studio/app/measure.h"
#include "tosst/context.h"

int
main (int argc, char *argv[])
{
  g_autoptr (StudioApplication) application = NULL;
  int status;

  studio_measure_begin ();
  tosst_blas_select_kernel (g_getenv (TOSST_BLAS_VARIABLE));
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  g_set_application_name ("TOSST Studio"); /* sender of notifications */
  application = studio_application_new (0);
  status = g_application_run (G_APPLICATION (application), argc, argv);
  studio_measure_end ();
  g_clear_object (&application);
  tosst_leave (status);
}
