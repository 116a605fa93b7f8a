/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/format/npz.h"
#include "tosst/classify.h"

/* A kernel machine with what it compares new samples to: its training signatures. */
typedef struct
{
  TosstKernel kernel;
  double width;
  gsize length; /* of a signature */
  float *rows;  /* machine->n x length; NULL: the caller provides Gram matrices */
  TosstKernelMachine *machine;
} TosstKernelModel;

void tosst_kernel_model_free (TosstKernelModel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstKernelModel, tosst_kernel_model_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstKernelMachine, tosst_kernel_machine_free)

/* Margins of n signatures: n x classes. The margins of a signature do not depend on the others. */
TosstStatus tosst_kernel_model_margins (const TosstKernelModel *self, TosstContext *context, const float *signatures,
                                        gsize n, double *margins);
