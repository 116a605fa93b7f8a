/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "engine/base/context.h"

/* The sample: that many tensors of textures, d = 35, and atoms. */
#define DOCTOR_TENSORS 800
#define DOCTOR_ATOMS 256

/* How fast this machine does what runs consist of; rates are of all threads of the context together. */
typedef struct
{
  double sgemm, dgemm; /* 10^9 operations a second */
  /* Of the sample: microseconds a tensor, and how many times its arithmetic at the rate of sgemm that is. */
  double describe_us, describe_ratio;
  double code_us, code_ratio;
  double learn_ms, learn_ratio; /* an iteration, and its two large products */
} DoctorRates;

/* Median rates of large matrix products, as in DoctorRates. */
void doctor_measure_products (TosstContext *context, double *sgemm, double *dgemm);

/* Takes about a second and 100 MB. */
gboolean doctor_measure (TosstContext *context, DoctorRates *rates, GError **error);
