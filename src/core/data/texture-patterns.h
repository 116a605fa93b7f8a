/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/texture-noise.h"

/* Artificial patterns: texture-patterns-made.c. */
TosstColour tosst_pattern_bricks (double x, double y, uint32_t seed);
TosstColour tosst_pattern_corduroy (double x, double y, uint32_t seed);
TosstColour tosst_pattern_denim (double x, double y, uint32_t seed);
TosstColour tosst_pattern_gingham (double x, double y, uint32_t seed);
TosstColour tosst_pattern_knit (double x, double y, uint32_t seed);
TosstColour tosst_pattern_weave (double x, double y, uint32_t seed);

/* Natural patterns: texture-patterns-grown.c. */
TosstColour tosst_pattern_grass (double x, double y, uint32_t seed);
TosstColour tosst_pattern_honeycomb (double x, double y, uint32_t seed);
TosstColour tosst_pattern_leopard (double x, double y, uint32_t seed);
TosstColour tosst_pattern_marble (double x, double y, uint32_t seed);
TosstColour tosst_pattern_mud (double x, double y, uint32_t seed);
TosstColour tosst_pattern_pebbles (double x, double y, uint32_t seed);
TosstColour tosst_pattern_ripples (double x, double y, uint32_t seed);
TosstColour tosst_pattern_sand (double x, double y, uint32_t seed);
TosstColour tosst_pattern_scales (double x, double y, uint32_t seed);
TosstColour tosst_pattern_wood (double x, double y, uint32_t seed);
