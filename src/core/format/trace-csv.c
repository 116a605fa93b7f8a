/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "core/format/trace-csv.h"

static void
append_real (GString *csv, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_c (csv, ',');
  g_string_append (csv, g_ascii_dtostr (text, sizeof text, value));
}

char *
tosst_trace_to_csv (const TosstIteration *iterations, gsize n)
{
  GString *csv
      = g_string_new ("iteration,seconds,objective,fit,proximity,sparsity,mean_nonzeros,unused_atoms,worst_kkt\n");

  for (gsize i = 0; i < n; i++)
    {
      const TosstIteration *it = &iterations[i];

      g_string_append_printf (csv, "%d", it->iteration);
      append_real (csv, it->seconds);
      append_real (csv, it->objective);
      append_real (csv, it->fit);
      append_real (csv, it->proximity);
      append_real (csv, it->sparsity);
      append_real (csv, it->mean_nonzeros);
      g_string_append_printf (csv, ",%d", it->unused_atoms);
      append_real (csv, it->worst_kkt);
      g_string_append_c (csv, '\n');
    }
  return g_string_free (csv, FALSE);
}
