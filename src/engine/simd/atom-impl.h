/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Packed sym (U (x) b), whose inner product with a packed super-symmetric tensor X is sum_s b_s <U, X^s>. With C = U
 * on the diagonal and 2 U off it, entry i < j < k is C_ij b_k + C_ik b_j + C_jk b_i, the sum over the three
 * positions (slice, pair) of X_ijk; if two of i, j, k are equal there are two positions, if all are equal, one. Rows
 * over k are contiguous in inputs and output.
 */

static void
NAME (symmetric_atom) (const double *restrict C, const double *restrict b, int d, REAL *restrict out)
{
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++)
      {
        const double *ci = C + (size_t)i * d, *cj = C + (size_t)j * d;
        double bi = j == i ? 0 : b[i], bj = b[j], cij = ci[j];
        REAL *row = out - j;
        for (int k = j; k < d; k++)
          row[k] = cij * b[k] + ci[k] * bj + cj[k] * bi;
        row[j] = j == i ? cij * bj : cij * bj + cj[j] * bi;
        out += d - j;
      }
}
