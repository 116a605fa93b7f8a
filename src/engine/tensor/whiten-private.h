/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/simd/kernels.h"
#include "tosst/tensor.h"

/* tosst_whiten() of n super-symmetric tensors with the given kernels, gamma_eigen < 1: in lanes, and tensor by
 * tensor. */
TosstStatus tosst_whiten_lanes (TosstContext *context, const TosstKernels *kernels, const TosstLayout *layout,
                                float *tensors, size_t n, double gamma_eigen, double gamma_coefficient);
TosstStatus tosst_whiten_alone (TosstContext *context, const TosstKernels *kernels, const TosstLayout *layout,
                                float *tensors, size_t n, double gamma_eigen, double gamma_coefficient);
