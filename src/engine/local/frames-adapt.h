/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/local/pyramid.h"

/* Replaces a disc by an ellipse in which the second moments of gradients are the same in all directions. The smallest
 * radius and the vertical direction remain. A frame without gradient remains as it is. */
TosstStatus tosst_frame_shape (TosstPyramid *pyramid, TosstFrame *frame);

/* Turns a frame into the dominant direction of its gradient; several directions of nearly the same strength give several
 * frames, the strongest first. frames: TOSST_FRAME_DIRECTIONS, the first one is the frame; *n: their number, >= 1. */
TosstStatus tosst_frame_directions (TosstPyramid *pyramid, TosstFrame *frames, int *n);
