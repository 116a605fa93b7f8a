/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learns a dictionary of third-order tensors and codes them:
 *
 *     cc learn.c $(pkg-config --cflags --libs tosst) -lm -o learn
 */
#include <stdio.h>
#include <stdlib.h>
#include <tosst/tosst.h>

enum
{
  N = 300,      /* tensors */
  SIDE = 6,     /* X is d x d x d */
  VECTORS = 20, /* of which each tensor is the mean of x (x) x (x) x */
  ATOMS = 24,   /* K */
};

/* Vectors of three kinds, with noise. */
static void
draw_vectors (TosstRandom *random, int kind, float *x)
{
  for (int i = 0; i < VECTORS * SIDE; i++)
    x[i] = (i % SIDE) % 3 == kind ? 1 + .3 * tosst_random_normal (random) : .1 * tosst_random_uniform (random);
}

int
main (void)
{
  tosst_blas_select_kernel (getenv (TOSST_BLAS_VARIABLE));
  TosstLayout *layout = tosst_layout_new (SIDE);
  TosstLocalEncoding mean_of_cubes = { .D = SIDE, .q = SIDE, .order = 3 };
  float *tensors = malloc (sizeof *tensors * N * layout->m), *codes = malloc (sizeof *codes * N * ATOMS),
        x[VECTORS * SIDE];
  TosstRandom random;
  tosst_random_init (&random, 1, 0);
  for (int n = 0; n < N; n++)
    {
      draw_vectors (&random, n % 3, x);
      tosst_local_tensor (&mean_of_cubes, x, NULL, VECTORS, NULL, tensors + n * layout->m, NULL);
    }

  TosstContext *context = tosst_context_new (2);
  TosstLearnOptions learning;
  tosst_learn_options_default (&learning);
  learning.atoms = ATOMS;
  learning.problem.lambda = .02;
  TosstDictionary *dictionary = NULL;
  TosstStatus status = tosst_learn (context, layout, tensors, N, &learning, NULL, NULL, NULL, &dictionary);

  TosstCodingOptions coding;
  tosst_learn_coding_options (&learning, &coding);
  TosstCoder *coder = NULL;
  TosstCodingReport report;
  if (status == TOSST_OK)
    status = tosst_coder_new (context, dictionary, layout, &coding, &coder);
  if (status == TOSST_OK)
    status = tosst_code (context, coder, tensors, N, false, codes, &report);

  if (status == TOSST_OK)
    printf ("%d atoms; %.1f non-zeros in a code of %d; optimal to %.0e\n", dictionary->K, report.mean_nonzeros, ATOMS,
            report.worst_kkt);
  else
    fprintf (stderr, "learn: %s\n", tosst_context_message (context));
  tosst_coder_free (coder);
  tosst_dictionary_free (dictionary);
  tosst_context_free (context);
  tosst_layout_free (layout);
  free (tensors);
  free (codes);
  return status == TOSST_OK ? 0 : 1;
}
