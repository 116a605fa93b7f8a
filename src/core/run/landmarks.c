/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signatures of samples, and landmarks: training samples that all others are compared with where they are too many to be
 * compared with each other.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/dictionary/model.h"
#include "core/run/private.h"

/* Landmarks, and bytes of the similarities of all samples to them. */
#define MOST 2000
#define LEAST 500
#define SIMILAR_BYTES ((gsize)3 << 30)

void
tosst_signatures_release (const TosstSignatures *self, gsize length, gsize first, gsize count)
{
  gsize row = length * sizeof (float), page = (gsize)sysconf (_SC_PAGESIZE);
  gsize begin = first * row / page * page;

  if (self->mapped && count > 0)
    madvise ((char *)self->values + begin, (first + count) * row - begin, MADV_DONTNEED);
}

float *
tosst_run_select_rows (const TosstRun *self, const TosstSignatures *signatures, const GArray *samples, gsize first,
                       gsize count)
{
  gsize K = self->length;
  float *rows = g_try_malloc_n (count, sizeof (float) * K);

  for (gsize i = 0; rows != NULL && i < count; i++)
    {
      gsize sample = g_array_index (samples, guint, first + i);

      memcpy (rows + i * K, signatures->values + sample * K, sizeof (float) * K);
      tosst_signatures_release (signatures, K, sample, 1);
    }
  return rows;
}

gsize
tosst_run_choosing (const TosstRun *self, const GArray *train)
{
  guint own = tosst_dataset_own_samples (self->dataset);
  gsize n = 0;

  while (n < train->len && g_array_index (train, guint, n) < own)
    n++;
  return n;
}

/* Number of landmarks among so many training samples, of so many samples with the tests. */
static gsize
count_landmarks (const TosstRunOptions *options, gsize train, gsize samples, guint parts)
{
  gsize exact = options != NULL && options->exact > 0 ? options->exact : TOSST_RUN_EXACT;
  gsize most = options != NULL && options->landmarks > 0 ? options->landmarks : MOST;

  if (train <= exact)
    return train;
  return MIN (train, CLAMP (SIMILAR_BYTES / (samples * parts * sizeof (double)), MIN (LEAST, most), most));
}

gsize
tosst_run_similar_bytes (gsize samples, guint parts)
{
  gsize row = samples * parts * sizeof (double);

  if (samples <= TOSST_RUN_EXACT)
    return row * samples;
  return MIN (row * TOSST_RUN_EXACT, MAX (SIMILAR_BYTES, row * LEAST)) + 6 * MOST * MOST * sizeof (double);
}

GArray *
tosst_run_landmarks (const TosstRun *self, const GArray *train, const GArray *test, guint parts)
{
  gsize most = count_landmarks (self->options, train->len, (gsize)train->len + test->len, parts);
  gsize n = tosst_run_choosing (self, train), classes = (gsize)self->result->classes;
  g_autofree gsize *members = g_new0 (gsize, classes), *seen = g_new0 (gsize, classes);
  gboolean several = tosst_recipe_has_several_labels (self->recipe);

  if (most == train->len)
    return NULL;
  GArray *landmarks = g_array_new (FALSE, FALSE, sizeof (guint));
  for (int pass = 0; pass < 2; pass++)
    for (gsize i = 0; i < n; i++)
      {
        guint sample = g_array_index (train, guint, i);
        gsize c = several ? 0 : (gsize)tosst_dataset_sample (self->dataset, sample)->class_index;
        gsize wanted = (members[c] * MIN (most, n) + n - 1) / n;

        if (pass == 0)
          members[c]++;
        else
          {
            if ((seen[c] + 1) * wanted / members[c] > seen[c] * wanted / members[c])
              g_array_append_val (landmarks, sample);
            seen[c]++;
          }
      }
  return landmarks;
}

TosstStatus
tosst_run_compare (const TosstRun *self, double width, const TosstSignatures *signatures, const GArray *samples,
                   const float *rows, gsize n, const double *diagonal, double *values, gboolean *empty)
{
  TosstKernel kernel = self->recipe->classifier.kernel;
  int p = (int)self->length;
  double own[TOSST_RUN_ROWS];
  TosstStatus status = TOSST_OK;

  for (gsize first = 0; first < samples->len && status == TOSST_OK; first += TOSST_RUN_ROWS)
    {
      gsize count = MIN (TOSST_RUN_ROWS, samples->len - first);
      double *block = values + first * n;

      g_autofree float *others = tosst_run_select_rows (self, signatures, samples, first, count);

      status = others == NULL
                   ? tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to compare signatures")
                   : tosst_kernel_compare (self->context, kernel, others, count, rows, n, p, block);
      if (status != TOSST_OK)
        break;
      tosst_kernel_apply (kernel, width, block, count * n);
      if (diagonal != NULL)
        {
          tosst_kernel_diagonal (kernel, others, count, p, own);
          tosst_kernel_normalise (block, count, n, own, diagonal);
        }
      for (gsize i = 0; empty != NULL && i < count; i++)
        empty[first + i] = tosst_signature_is_empty (others + i * self->length, p);
    }
  return status;
}
