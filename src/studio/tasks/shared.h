/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/base/each.h"

/* Outside of functions: defines unref (Type *self) for structures of g_atomic_rc_box_new0(), which any thread shares. The
 * last one frees what the members own, each given as in TOSST_CLEAR_MEMBERS(). */
#define STUDIO_DEFINE_UNREF(Type, unref, ...)                                                                          \
  static void unref##_last (gpointer data)                                                                             \
  {                                                                                                                    \
    Type *self = data;                                                                                                 \
                                                                                                                       \
    TOSST_CLEAR_MEMBERS (self, __VA_ARGS__);                                                                           \
  }                                                                                                                    \
  void unref (Type *self) { g_atomic_rc_box_release_full (self, unref##_last); }
