/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Generator xoshiro256++ seeded by splitmix64: the same stream on every machine. */
typedef struct
{
  uint64_t s[4];
} TosstRandom;

/* Seeds the generator; stream separates independent uses of one seed (splits, initialisation, ...). */
void tosst_random_init (TosstRandom *random, uint64_t seed, uint64_t stream);
uint64_t tosst_random_next (TosstRandom *random);
/* Uniform in [0, bound), unbiased; bound >= 1. */
uint64_t tosst_random_below (TosstRandom *random, uint64_t bound);
/* Uniform in [0, 1), 53 bits. */
double tosst_random_uniform (TosstRandom *random);
/* Standard normal. */
double tosst_random_normal (TosstRandom *random);
/* Fisher-Yates shuffle of n indices. */
void tosst_random_shuffle (TosstRandom *random, size_t *index, size_t n);
