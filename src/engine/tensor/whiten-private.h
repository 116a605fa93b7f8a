/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/simd/kernels.h"
#include "engine/tensor/whiten.h"

/* Whether as many tensors as a register has lanes are whitened together. The answer depends on the side alone, so that
 * a tensor's result does not depend on how many there are. */
bool tosst_whiten_fits_lanes (const TosstKernels *kernels, int d);

/* tosst_whiten() of n super-symmetric tensors by these kernels, gamma_eigen < 1: together, and one by one. */
TosstStatus tosst_whiten_lanes (TosstContext *context, const TosstKernels *kernels, const TosstLayout *layout,
                                float *tensors, size_t n, double gamma_eigen, double gamma_coefficient);
TosstStatus tosst_whiten_alone (TosstContext *context, const TosstKernels *kernels, const TosstLayout *layout,
                                float *tensors, size_t n, double gamma_eigen, double gamma_coefficient);
