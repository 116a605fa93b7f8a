/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Chi-squared distance of two rows. There are eight sums whatever the register, so that all builds give the same bits.
 */

typedef double Chi2Sums __attribute__ ((vector_size (64), aligned (8)));
typedef int64_t Chi2Bits __attribute__ ((vector_size (64)));

static double
chi2_distance (const double *a, const double *b, size_t n)
{
  const Chi2Bits magnitude = (Chi2Bits){ 0 } + INT64_MAX, one = (Chi2Bits)((Chi2Sums){ 0 } + 1.0);
  Chi2Sums sum = { 0 };

  for (size_t j = 0; j < n; j += 8)
    {
      Chi2Sums left = *(const Chi2Sums *)(const void *)(a + j), right = *(const Chi2Sums *)(const void *)(b + j);
      Chi2Sums difference = left - right;
      Chi2Sums size = (Chi2Sums)((Chi2Bits)left & magnitude) + (Chi2Sums)((Chi2Bits)right & magnitude);
      Chi2Bits positive = (Chi2Bits)(size > 0.0);

      size = (Chi2Sums)(((Chi2Bits)size & positive) | (one & ~positive));
      sum += difference * difference / size;
    }
  return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}
