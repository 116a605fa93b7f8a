/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* SHUFFLE_ONE (a, places): lane i of the result is lane places[i] of a. SHUFFLE_TWO (a, b, places): the same over the
 * concatenation of a and b. clang has no builtin for non-literal indices; where unrolling makes them constant, its
 * optimiser selects the shuffle instruction. For literal indices both compilers provide __builtin_shufflevector(). */
#if defined(__clang__)
#define SHUFFLE_ONE(a, places) SHUFFLE_TWO (a, a, places)
#define SHUFFLE_TWO(a, b, places)                                                                                      \
  __extension__({                                                                                                      \
    __typeof__ (a) first_ = (a), second_ = (b), shuffled_ = first_;                                                    \
    __typeof__ (places) places_ = (places);                                                                            \
    enum                                                                                                               \
    {                                                                                                                  \
      lanes_ = sizeof first_ / sizeof first_[0]                                                                        \
    };                                                                                                                 \
    _Pragma ("clang loop unroll(full)") for (int i_ = 0; i_ < lanes_; i_++) shuffled_[i_]                              \
        = places_[i_] & lanes_ ? second_[places_[i_] & (lanes_ - 1)] : first_[places_[i_] & (lanes_ - 1)];             \
    shuffled_;                                                                                                         \
  })
#else
#define SHUFFLE_ONE(a, places) __builtin_shuffle (a, places)
#define SHUFFLE_TWO(a, b, places) __builtin_shuffle (a, b, places)
#endif
