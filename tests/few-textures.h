/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* For dataset.exclude: five of the sample textures are left. In a small run drawing them takes most of the time. */
#define ALL_BUT_FIVE_TEXTURES "corduroy,denim,grass,knit,leopard,marble,mud,sand,scales,weave,wood"
