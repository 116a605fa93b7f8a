/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Descriptors of your own: arrays of d x d x d numbers, here third-order statistics of random walks, are packed, coded
 * with a dictionary and pooled to one signature per sample.
 *
 *     cc descriptors.c $(pkg-config --cflags --libs tosst) -lm -o descriptors
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tosst/tosst.h>

enum
{
  SIDE = 5,
  SAMPLES = 8, /* such as images */
  PARTS = 40,  /* descriptors of each */
  N = SAMPLES * PARTS,
  ATOMS = 16,
};

/* Stands for a descriptor computed elsewhere: full[i][j][k] = mean of h_i h_j h_k over histograms h of steps. */
static void
describe (TosstRandom *random, int bias, float *full)
{
  for (int i = 0; i < SIDE * SIDE * SIDE; i++)
    full[i] = 0;
  for (int walk = 0; walk < 10; walk++)
    {
      float h[SIDE] = { 0 };
      for (int step = 0; step < 20; step++)
        h[(tosst_random_below (random, 3) + (uint64_t)bias) % SIDE] += .05f;
      for (int i = 0; i < SIDE * SIDE * SIDE; i++)
        full[i] += h[i / (SIDE * SIDE)] * h[i / SIDE % SIDE] * h[i % SIDE] / 10;
    }
}

static int
fail (const char *what, TosstContext *context)
{
  fprintf (stderr, "%s: %s\n", what, tosst_context_message (context));
  return 1;
}

int
main (void)
{
  static float full[N][SIDE * SIDE * SIDE], codes[N][ATOMS], signature[SAMPLES][ATOMS];
  TosstShape shape = tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, SIDE);
  TosstLayout *layout = tosst_layout_new_shape (shape);
  TosstContext *context = tosst_context_new (1);
  float *tensors = malloc (sizeof *tensors * N * layout->m);
  TosstRandom random;

  tosst_random_init (&random, 7, 0);
  for (int n = 0; n < N; n++)
    describe (&random, n / PARTS % 2 * 2, full[n]);
  printf ("largest deviation from symmetry: %.0e\n", tosst_pack (shape, full[0], N, tensors));

  TosstLearnOptions learning;
  TosstDictionary *dictionary = NULL;
  tosst_learn_options_default (&learning);
  learning.atoms = ATOMS;
  learning.problem.lambda = .01;
  if (tosst_learn (context, layout, tensors, N, &learning, NULL, NULL, NULL, &dictionary) != TOSST_OK)
    return fail ("learning", context);

  TosstCodingOptions coding;
  TosstCoder *coder = NULL;
  tosst_learn_coding_options (&learning, &coding);
  if (tosst_coder_new (context, dictionary, layout, &coding, &coder) != TOSST_OK
      || tosst_code (context, coder, tensors, N, false, codes[0], NULL) != TOSST_OK)
    return fail ("coding", context);

  /* Samples of one kind have close signatures, of two kinds distant ones. */
  for (int s = 0; s < SAMPLES; s++)
    {
      tosst_pool (TOSST_POOL_AVERAGE, NAN, codes[s * PARTS], ATOMS, NULL, PARTS, signature[s]);
      tosst_normalise_signature (signature[s], ATOMS, 1, 1);
    }
  double same = 0, other = 0;
  for (int k = 0; k < ATOMS; k++)
    {
      same += signature[0][k] * signature[2][k];
      other += signature[0][k] * signature[1][k];
    }
  printf ("cosine of signatures: %.3f of the same kind, %.3f of another\n", same, other);

  tosst_coder_free (coder);
  tosst_dictionary_free (dictionary);
  tosst_context_free (context);
  tosst_layout_free (layout);
  free (tensors);
  return same > other ? 0 : 1;
}
