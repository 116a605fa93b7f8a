/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What tests of coding code: tensors, and the dictionary that they are coded with.
 */
#pragma once

#include "objects.h"

typedef struct
{
  TosstLayout *layout;
  TosstDictionary *dictionary;
  double *tensors;       /* n x m */
  float *narrow;         /* the same ones; NULL where a test needs none */
  TosstContext *context; /* NULL where a test has one of its own */
  gsize n;               /* 0 where it is a constant */
} Problem;

static inline void
problem_clear (Problem *p)
{
  tosst_layout_free (p->layout);
  tosst_dictionary_free (p->dictionary);
  tosst_context_free (p->context);
  g_free (p->tensors);
  g_free (p->narrow);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Problem, problem_clear)
