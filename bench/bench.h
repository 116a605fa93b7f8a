/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "tosst/code.h"
#include "tosst/describe.h"
#include "tosst/learn.h"

/* Chooses the BLAS kernel as the programs do, whatever OPENBLAS_CORETYPE says. Reads --threads N (default: all processors).
 * Returns the context to measure with. */
TosstContext *bench_start (int *argc, char ***argv);

/* Brodatz image i modulo 112, or a sample texture where those are not there. */
TosstImage *bench_image (gsize i, gboolean *real);

/* n tensors of random patches of Brodatz images, or of the sample textures where those are not there (and says which). */
float *bench_tensors (TosstContext *context, const TosstFeatureOptions *options, int patch, size_t n,
                      TosstLayout **layout);

/* K positive semi-definite atoms of rank 1 with trace 1, b on the simplex; the caller's. */
TosstDictionary *bench_random_dictionary (int d, int K);

double bench_seconds (void);
double bench_processor_seconds (void); /* of all threads: others may use the machine too */
/* Sorts the n times and returns the middle one. */
double bench_median (double *seconds, int n);
