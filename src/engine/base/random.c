/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tosst/context.h"

#include <math.h>

/* Blackman & Vigna's xoshiro256++: 256 bits of state, period 2^256 - 1. The state must not be all zero, which
 * splitmix64 cannot produce four times in a row. */

static uint64_t
splitmix64 (uint64_t *state)
{
  uint64_t z = *state += UINT64_C (0x9e3779b97f4a7c15);

  z = (z ^ (z >> 30)) * UINT64_C (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static uint64_t
rotate_left (uint64_t x, int bits)
{
  return (x << bits) | (x >> (64 - bits));
}

void
tosst_random_init (TosstRandom *random, uint64_t seed, uint64_t stream)
{
  uint64_t state = seed;
  /* seed and stream are both mixed, so that neighbouring seeds and streams are unrelated; (a, b) and (b, a) differ. */
  uint64_t mixed = splitmix64 (&state) ^ rotate_left (stream, 32);

  state = splitmix64 (&mixed) + stream;
  for (int i = 0; i < 4; i++)
    random->s[i] = splitmix64 (&state);
}

uint64_t
tosst_random_next (TosstRandom *random)
{
  uint64_t *s = random->s;
  uint64_t result = rotate_left (s[0] + s[3], 23) + s[0];
  uint64_t t = s[1] << 17;

  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate_left (s[3], 45);
  return result;
}

uint64_t
tosst_random_below (TosstRandom *random, uint64_t bound)
{
  if (random == NULL || bound == 0)
    return 0;
  /* The lowest 2^64 mod bound values are rejected, so that the others divide evenly. */
  uint64_t threshold = (UINT64_C (0) - bound) % bound, value;
  do
    value = tosst_random_next (random);
  while (value < threshold);
  return value % bound;
}

double
tosst_random_uniform (TosstRandom *random)
{
  return (double)(tosst_random_next (random) >> 11) * 0x1.0p-53;
}

double
tosst_random_normal (TosstRandom *random)
{
  double x, y, r;

  /* Marsaglia's polar method; the second value of the pair is discarded, so that the state consists of the four
   * words alone. */
  do
    {
      x = 2.0 * tosst_random_uniform (random) - 1.0;
      y = 2.0 * tosst_random_uniform (random) - 1.0;
      r = x * x + y * y;
    }
  while (r >= 1.0 || r == 0.0);
  return x * sqrt (-2.0 * log (r) / r);
}

void
tosst_random_shuffle (TosstRandom *random, size_t *index, size_t n)
{
  for (size_t i = n; i > 1; i--)
    {
      size_t j = (size_t)tosst_random_below (random, i);
      size_t swap = index[i - 1];

      index[i - 1] = index[j];
      index[j] = swap;
    }
}
