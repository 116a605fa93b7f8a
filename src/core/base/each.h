/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

/* DO (x, y, a); DO (x, y, b); … for up to 64 arguments. A macro is not expanded within its own expansion: its name waits
 * for the parentheses until the next scan. */
#define TOSST_EACH(DO, x, y, ...) TOSST_SCAN (TOSST_STEP (DO, x, y, __VA_ARGS__))
#define TOSST_STEP(DO, x, y, a, ...) DO (x, y, a) __VA_OPT__ (; TOSST_NEXT TOSST_WAIT (DO, x, y, __VA_ARGS__))
#define TOSST_NEXT() TOSST_STEP
#define TOSST_WAIT ()
#define TOSST_SCAN(...) TOSST_SCAN_16 (TOSST_SCAN_16 (TOSST_SCAN_16 (TOSST_SCAN_16 (__VA_ARGS__))))
#define TOSST_SCAN_16(...) TOSST_SCAN_4 (TOSST_SCAN_4 (TOSST_SCAN_4 (TOSST_SCAN_4 (__VA_ARGS__))))
#define TOSST_SCAN_4(...) TOSST_SCAN_1 (TOSST_SCAN_1 (TOSST_SCAN_1 (TOSST_SCAN_1 (__VA_ARGS__))))
#define TOSST_SCAN_1(...) __VA_ARGS__

/* Frees what members of *self own, unless they are NULL or 0, and sets them to that. Each is given as (member, function
 * that frees it); the id of a source by (member, g_source_remove). */
#define TOSST_CLEAR_MEMBERS(self, ...) TOSST_EACH (TOSST_CLEAR_PAIR, self, , __VA_ARGS__)
#define TOSST_CLEAR_PAIR(self, none, pair) TOSST_CLEAR_MEMBER (self, TOSST_UNWRAP pair)
#define TOSST_UNWRAP(...) __VA_ARGS__
#define TOSST_CLEAR_MEMBER(self, ...) TOSST_CLEAR_ONE (self, __VA_ARGS__)
#define TOSST_CLEAR_ONE(self, member, func)                                                                            \
  if ((self)->member)                                                                                                  \
    {                                                                                                                  \
      __typeof__ ((self)->member) owned = (self)->member;                                                              \
                                                                                                                       \
      (self)->member = 0;                                                                                              \
      func (owned);                                                                                                    \
    }

/* Outside of functions: defines func (gpointer), a GDestroyNotify, or a public function of an argument of that type, that
 * frees a structure of g_new(), if there is one, and what its members own, given as above. */
#define TOSST_DEFINE_FREE(Type, func, ...) static TOSST_DEFINE_PUBLIC_FREE (Type, func, gpointer, __VA_ARGS__)
#define TOSST_DEFINE_PUBLIC_FREE(Type, func, Argument, ...)                                                            \
  void func (Argument data)                                                                                            \
  {                                                                                                                    \
    Type *self = data;                                                                                                 \
                                                                                                                       \
    if (self == NULL)                                                                                                  \
      return;                                                                                                          \
    TOSST_CLEAR_MEMBERS (self, __VA_ARGS__);                                                                           \
    g_free (self);                                                                                                     \
  }

/* The same of a structure that its owner keeps, which owns nothing afterwards. */
#define TOSST_DEFINE_CLEAR(Type, func, ...) static TOSST_DEFINE_PUBLIC_CLEAR (Type, func, gpointer, __VA_ARGS__)
#define TOSST_DEFINE_PUBLIC_CLEAR(Type, func, Argument, ...)                                                           \
  void func (Argument data)                                                                                            \
  {                                                                                                                    \
    Type *self = data;                                                                                                 \
                                                                                                                       \
    TOSST_CLEAR_MEMBERS (self, __VA_ARGS__);                                                                           \
  }

/* prefix_ref() and prefix_unref() of a structure of g_atomic_rc_box_new(), whose members own what is given as above. */
#define TOSST_DEFINE_SHARED(Type, prefix, ...)                                                                         \
  TOSST_DEFINE_CLEAR (Type, prefix##_clear_members, __VA_ARGS__)                                                       \
                                                                                                                       \
  Type *prefix##_ref (Type *self) { return g_atomic_rc_box_acquire (self); }                                           \
                                                                                                                       \
  void prefix##_unref (Type *self)                                                                                     \
  {                                                                                                                    \
    if (self != NULL)                                                                                                  \
      g_atomic_rc_box_release_full (self, prefix##_clear_members);                                                     \
  }

/* Walks the elements of a GArray of Type, or those of a GPtrArray that point to Type: `one` points to each in turn. The
 * array must stay as it is meanwhile. */
#define TOSST_FOR_EACH(Type, one, array)                                                                               \
  for (Type *one = (gpointer)(array)->data, *one##_end = (array)->len ? one + (array)->len : one; one < one##_end;     \
       one++)
#define TOSST_FOR_EACH_POINTER(Type, one, array)                                                                       \
  for (Type **one##_at = (gpointer)(array)->pdata, *one = NULL;                                                        \
       (gsize)(one##_at - (Type **)(gpointer)(array)->pdata) < (array)->len && (one = *one##_at, TRUE); one##_at++)
