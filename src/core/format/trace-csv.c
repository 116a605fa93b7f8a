/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "core/format/trace-csv.h"

#include "core/base/text.h"

char *
tosst_trace_to_csv (const TosstIteration *iterations, gsize n)
{
  GString *csv
      = g_string_new ("iteration,seconds,objective,fit,proximity,sparsity,mean_nonzeros,unused_atoms,worst_kkt\n");

  for (gsize i = 0; i < n; i++)
    {
      const TosstIteration *it = &iterations[i];

      g_string_append_printf (csv, "%d", it->iteration);
      tosst_csv_next_real (csv, it->seconds);
      tosst_csv_next_real (csv, it->objective);
      tosst_csv_next_real (csv, it->fit);
      tosst_csv_next_real (csv, it->proximity);
      tosst_csv_next_real (csv, it->sparsity);
      tosst_csv_next_real (csv, it->mean_nonzeros);
      g_string_append_printf (csv, ",%d", it->unused_atoms);
      tosst_csv_next_real (csv, it->worst_kkt);
      g_string_append_c (csv, '\n');
    }
  return g_string_free (csv, FALSE);
}
