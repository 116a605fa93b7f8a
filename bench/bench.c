/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "core/base/machine.h"
#include "core/data/textures.h"
#include "core/image/probe.h"
#include "engine/simd/kernels.h"
#include "tosst/context.h"
#include "tosst/describe.h"

/* Patches drawn from one image. */
#define PER_IMAGE 50

TosstContext *
bench_start (int *argc, char ***argv)
{
  int threads = (int)g_get_num_processors ();
  TosstBlasLibrary blas;

  g_unsetenv (TOSST_BLAS_VARIABLE);
  tosst_blas_select_kernel (NULL);
  tosst_blas_describe (&blas);
  for (int i = 1; i + 1 < *argc; i++)
    if (g_str_equal ((*argv)[i], "--threads"))
      threads = atoi ((*argv)[i + 1]);
  g_autofree char *cpu = tosst_machine_cpu ();
  g_print ("%s, %d threads, %s kernels, %s %s\n", cpu, threads, tosst_kernels ()->name, blas.name,
           blas.kernel != NULL ? blas.kernel : "");
  return tosst_context_new (threads);
}

TosstImage *
bench_image (gsize i, gboolean *real)
{
  const char *shared = g_getenv ("TOSST_SHARED");
  g_autofree char *path = g_strdup_printf ("%s/datasets/brodatz/D%d.gif",
                                           shared != NULL ? shared : TOSST_SHARED_DEFAULT, (int)(i % 112) + 1);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  TosstImage *image = tosst_image_read_for (file, 0, 0, NULL);

  *real = image != NULL;
  return image != NULL ? image : tosst_textures_render (i % TOSST_TEXTURES, i / TOSST_TEXTURES, TRUE);
}

float *
bench_tensors (TosstContext *context, const TosstFeatureOptions *options, int patch, size_t n, TosstLayout **layout)
{
  TosstPoint points[PER_IMAGE];
  TosstRandom random;
  gboolean real = FALSE;

  *layout = tosst_layout_new (tosst_feature_dimension (options));
  float *tensors = g_new (float, n *(*layout)->m);
  tosst_random_init (&random, 1, 0);
  for (size_t first = 0, i = 0; first < n; first += PER_IMAGE, i++)
    {
      g_autoptr (TosstImage) image = bench_image (i, &real);
      size_t count = MIN (n - first, PER_IMAGE);
      for (size_t p = 0; p < count; p++)
        {
          points[p].x = tosst_random_below (&random, image->width - patch + 1);
          points[p].y = tosst_random_below (&random, image->height - patch + 1);
        }
      if (tosst_describe (context, image, options, patch, points, count, tensors + first * (*layout)->m) != TOSST_OK)
        g_error ("%s", tosst_context_message (context));
    }
  g_print ("%zu tensors, d = %d, of %s\n", n, (*layout)->d, real ? "Brodatz images" : "sample textures");
  return tensors;
}

TosstDictionary *
bench_random_dictionary (int d, int K)
{
  TosstDictionary *dictionary = tosst_dictionary_new (d, K);
  g_autofree double *B = g_new (double, d *d), *x = g_new (double, d);
  TosstRandom random;

  tosst_random_init (&random, 1, 0);
  for (gsize k = 0; k < (gsize)K; k++)
    {
      double *b = dictionary->b + k * d, sum = 0, square = 0;
      for (int i = 0; i < d; i++)
        {
          x[i] = pow (tosst_random_uniform (&random), 4);
          b[i] = x[i] * tosst_random_uniform (&random);
          square += x[i] * x[i];
          sum += b[i];
        }
      for (int i = 0; i < d; i++)
        {
          for (int j = 0; j < d; j++)
            B[i * d + j] = x[i] * x[j] / square;
          b[i] /= sum;
        }
      tosst_matrix_to_vec (d, B, dictionary->V + k * dictionary->D);
    }
  return dictionary;
}

double
bench_seconds (void)
{
  return 1e-6 * g_get_monotonic_time ();
}

double
bench_processor_seconds (void)
{
  struct timespec time;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

static int
ascending (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double
bench_median (double *seconds, int n)
{
  qsort (seconds, n, sizeof *seconds, ascending);
  return seconds[n / 2];
}
