/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/machine.h"

#include <string.h>

#include "tosst/context.h"

char *
tosst_machine_cpu (void)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents ("/proc/cpuinfo", &text, NULL, NULL))
    return g_strdup ("");
  lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line; line++)
    if (g_str_has_prefix (*line, "model name") && strchr (*line, ':'))
      return g_strdup (g_strstrip (strchr (*line, ':') + 1));
  return g_strdup ("");
}

char *
tosst_machine_blas (void)
{
  TosstBlasLibrary blas;

  tosst_blas_describe (&blas);
  return g_strdup (blas.kernel != NULL ? blas.kernel : blas.name);
}

char *
tosst_machine_boot (void)
{
  char *boot = NULL;

  if (!g_file_get_contents ("/proc/sys/kernel/random/boot_id", &boot, NULL, NULL))
    return g_strdup (g_get_host_name ());
  return g_strchomp (boot);
}
