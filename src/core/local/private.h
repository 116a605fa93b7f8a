/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/local/image-tensors.h"

/* Takes count vectors of an image. */
typedef TosstStatus (*TosstLocalSink) (const float *x, gsize count, gpointer data);

/* Features that are drawn from each of the images (guint), up to `most`, and encoded. */
typedef struct
{
  TosstLocalEncoding encoding;
  guint64 seed, stream; /* the number of the image is added to the stream */
  const guint *numbers; /* by image, or NULL: its place */
  gsize most;
  TosstLocalSource source;
  gpointer data;
  const TosstLocalShare *share; /* or NULL */
} TosstLocalDraw;
