/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Weighted sums of a few rows of a tile that stays in the first- or second-level cache: the sparse products of
 * learning.
 */

#define VECTORS (TOSST_TILE_COLUMNS / (int)(VECTOR_BYTES / sizeof (float)))
/* Number of sums in registers: enough for two multiply-adds per cycle. */
#define HELD (VECTORS < 8 ? VECTORS : 8)

static void
accumulate_rows (const float *value, const uint16_t *row, const uint32_t *start, int count, const float *tile,
                 float *sums, bool add)
{
  for (int k = 0; k < count; k++, sums += TOSST_TILE_COLUMNS)
    for (int part = 0; part < VECTORS; part += HELD)
      {
        Vector_float *out = (Vector_float *)sums + part, sum[HELD];
        for (int v = 0; v < HELD; v++)
          sum[v] = add ? out[v] : (Vector_float){ 0 };
        for (uint32_t j = start[k]; j < start[k + 1]; j++)
          {
            const Vector_float *from = (const Vector_float *)(tile + (size_t)row[j] * TOSST_TILE_COLUMNS) + part;
            for (int v = 0; v < HELD; v++)
              sum[v] += from[v] * value[j];
          }
        for (int v = 0; v < HELD; v++)
          out[v] = sum[v];
      }
}

#undef VECTORS
#undef HELD
