/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Transformed atoms as in simd/atom-impl.h, TOSST_PANEL interleaved: a panel of product_packed(). A register
 * contains one element of TOSST_ABREAST atoms, interleaved by set_abreast(); each store writes half a line of the
 * panel.
 */

#if defined(__AVX512F__)

typedef float AtomPart __attribute__ ((vector_size (4 * TOSST_ABREAST), may_alias));

/* Computes entries i, j, k = j .. d - 1 of half a panel. */
static inline __attribute__ ((always_inline)) void
symmetric_atom_rows (const Vector_double *ci, const Vector_double *cj, const Vector_double *b, int i, int j, int d,
                     float *out)
{
  Vector_double bi = j == i ? (Vector_double){ 0 } : b[i], bj = b[j], cij = ci[j];
  Vector_double first = j == i ? cij * bj : cij * bj + cj[j] * bi;
  *(AtomPart *)out = __builtin_convertvector(first, AtomPart);
  for (int k = j + 1; k < d; k++)
    {
      Vector_double x = cij * b[k] + ci[k] * bj + cj[k] * bi;
      *(AtomPart *)(out + (size_t)(k - j) * TOSST_PANEL) = __builtin_convertvector(x, AtomPart);
    }
}

static void
symmetric_atoms_panel (const double *C, const double *b, int d, float *out)
{
  size_t pairs = (size_t)d * (d + 1) / 2;
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++)
      {
        for (int part = 0; part < TOSST_PANEL / TOSST_ABREAST; part++)
          {
            const Vector_double *c = (const Vector_double *)C + part * pairs,
                                *factor = (const Vector_double *)b + (size_t)part * d;
            symmetric_atom_rows (c + i * d - i * (i + 1) / 2, c + j * d - j * (j + 1) / 2, factor, i, j, d,
                                 out + part * TOSST_ABREAST);
          }
        out += (size_t)(d - j) * TOSST_PANEL;
      }
}

#endif
