/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "tosst/context.h"

/* The sample: number of tensors of textures, d = 35, and of atoms. */
#define DOCTOR_TENSORS 800
#define DOCTOR_ATOMS 256

/* Speed of this machine in the stages of a run; rates are totals over all threads of the context. */
typedef struct
{
  double sgemm, dgemm; /* 10^9 operations per second */
  /* Of the sample: microseconds per tensor, and the ratio to the time of its arithmetic at the rate of sgemm. */
  double describe_us, describe_ratio;
  double code_us, code_ratio;
  double learn_ms, learn_ratio; /* per iteration, and ratio to the time of its two large products */
} DoctorRates;

/* Measures median rates of large matrix products, as in DoctorRates. */
void doctor_measure_products (TosstContext *context, double *sgemm, double *dgemm);

/* Measures all rates. Takes about a second and 100 MB. */
gboolean doctor_measure (TosstContext *context, DoctorRates *rates, GError **error);
