/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Atoms that belong together: found again in any order and with any sign, and the best of all assignments.
 */
#include <math.h>

#include "core/dictionary/common-atoms.h"
#include "tosst/context.h"

static double
sum_of (const double *weights, int rows, int columns, const int *column)
{
  double sum = 0;
  g_autofree gboolean *taken = g_new0 (gboolean, columns);
  int matched = 0;

  for (int i = 0; i < rows; i++)
    {
      if (column[i] < 0)
        continue;
      g_assert_cmpint (column[i], <, columns);
      g_assert_false (taken[column[i]]); /* each has its own match */
      taken[column[i]] = TRUE;
      sum += weights[i * columns + column[i]];
      matched++;
    }
  g_assert_cmpint (matched, ==, MIN (rows, columns));
  return sum;
}

/* Maximum over all assignments; rows <= columns. */
static double
best_sum (const double *weights, int rows, int columns, int row, guint taken)
{
  double best = 0;

  if (row == rows)
    return 0;
  for (int j = 0; j < columns; j++)
    if (!(taken >> j & 1))
      best = fmax (best, weights[row * columns + j] + best_sum (weights, rows, columns, row + 1, taken | 1u << j));
  return best;
}

static void
test_best (void)
{
  TosstRandom random;

  tosst_random_init (&random, 7, 0);
  for (int trial = 0; trial < 200; trial++)
    {
      int rows = 1 + (int)tosst_random_below (&random, 6), columns = 1 + (int)tosst_random_below (&random, 6);
      double weights[36], turned[36];
      int column[6];

      for (int i = 0; i < rows * columns; i++)
        /* Also with few distinct values: ties. */
        weights[i] = trial % 2 ? tosst_random_uniform (&random) : (double)tosst_random_below (&random, 3) / 2;
      for (int i = 0; i < rows * columns; i++)
        turned[i % columns * rows + i / columns] = weights[i];
      g_assert_true (tosst_match (weights, rows, columns, column));
      double best = rows <= columns ? best_sum (weights, rows, columns, 0, 0) : best_sum (turned, columns, rows, 0, 0);
      g_assert_cmpfloat_with_epsilon (sum_of (weights, rows, columns, column), best, 1e-12);
    }
}

static TosstDictionary *
random_dictionary (int d, int K, guint seed)
{
  TosstDictionary *dictionary = tosst_dictionary_new (d, K);
  TosstRandom random;

  tosst_random_init (&random, seed, 0);
  for (gsize i = 0; i < (gsize)dictionary->D * (gsize)K; i++)
    dictionary->V[i] = tosst_random_uniform (&random) - 0.5;
  return dictionary;
}

/* The atoms of one dictionary in another order, with other lengths and signs. */
static void
check_found_again (int d, int K)
{
  TosstDictionary *first = random_dictionary (d, K, 1), *second = random_dictionary (d, K, 2);
  g_autofree double *similarity = g_new (double, (gsize)K *(gsize)K);
  g_autofree int *column = g_new (int, K);

  for (int k = 0; k < K; k++)
    for (int i = 0; i < first->D; i++)
      second->V[(gsize)((k * 7 + 3) % K) * (gsize)first->D + (gsize)i]
          = (k % 2 ? -2.0 : 0.5) * first->V[(gsize)k * (gsize)first->D + (gsize)i];
  g_assert_cmpint (tosst_dictionary_similarity (first, second, similarity), ==, TOSST_OK);
  g_assert_true (tosst_match (similarity, K, K, column));
  for (int k = 0; k < K; k++)
    {
      g_assert_cmpint (column[k], ==, (k * 7 + 3) % K);
      g_assert_cmpfloat_with_epsilon (similarity[(gsize)k * (gsize)K + (gsize)column[k]], 1, 1e-12);
    }
  tosst_dictionary_free (first);
  tosst_dictionary_free (second);
}

static void
test_found_again (void)
{
  check_found_again (9, 50);
  check_found_again (9, TOSST_MATCH_EXACT + 1); /* pair by pair */
}

/* The definition, with an atom that is zero. */
static void
test_similarity (void)
{
  TosstDictionary *first = random_dictionary (4, 3, 3), *second = random_dictionary (4, 2, 4);
  double similarity[6], B[3 * 16], C[2 * 16], b[12];

  for (int i = 0; i < second->D; i++)
    second->V[second->D + i] = 0;
  g_assert_cmpint (tosst_dictionary_similarity (first, second, similarity), ==, TOSST_OK);
  tosst_dictionary_get (first, B, b);
  tosst_dictionary_get (second, C, b);
  for (int k = 0; k < 3; k++)
    {
      double product = 0, x = 0, y = 0;

      for (int i = 0; i < 16; i++)
        {
          product += B[k * 16 + i] * C[i];
          x += B[k * 16 + i] * B[k * 16 + i];
          y += C[i] * C[i];
        }
      g_assert_cmpfloat_with_epsilon (similarity[k * 2], fabs (product) / sqrt (x * y), 1e-12);
      g_assert_cmpfloat (similarity[k * 2 + 1], ==, 0);
    }
  tosst_dictionary_free (first);
  tosst_dictionary_free (second);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/atom-match/best", test_best);
  g_test_add_func ("/atom-match/found-again", test_found_again);
  g_test_add_func ("/atom-match/similarity", test_similarity);
  return g_test_run ();
}
