/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* Tensors whose slices are combined in one product. */
#define BATCH 8
