/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* Tensors whose slices meet in one product. */
#define BATCH 8
