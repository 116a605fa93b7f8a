/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the Python package needs in C: rows of arrays for learning in batches, checks of all entries, and interrupts while
 * the engine works and no Python code runs. Part of the source written by bind.py.
 */
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tosst/tosst.h"

#pragma weak openblas_get_num_threads
#pragma weak openblas_set_num_threads
int openblas_get_num_threads (void);
void openblas_set_num_threads (int threads);

/* Rows of a C-ordered array, of float64 if wide, else float32. */
typedef struct
{
  const void *rows;
  size_t m;
  bool wide;
  size_t n, next; /* of tosst_python_read_next() */
} TosstPythonRows;

/* A TosstTensorSource. */
static TosstStatus
tosst_python_read (size_t first, size_t count, float *out, void *data)
{
  const TosstPythonRows *self = data;
  size_t start = first * self->m, n = count * self->m;

  if (!self->wide)
    memcpy (out, (const float *)self->rows + start, sizeof *out * n);
  else
    for (size_t i = 0; i < n; i++)
      out[i] = (float)((const double *)self->rows)[start + i];
  return TOSST_OK;
}

/* Reads the rows once, in their order, whatever the number of a row; then zeros, which change neither a code's sums nor the
 * dictionary. A batch that arrives on its own need not have the length of those that the engine makes of a stream. */
static TosstStatus
tosst_python_read_next (size_t first, size_t count, float *out, void *data)
{
  TosstPythonRows *self = data;
  size_t there = self->n - self->next, taken = count < there ? count : there;

  tosst_python_read (self->next, taken, out, self);
  self->next += taken;
  memset (out + taken * self->m, 0, sizeof *out * (count - taken) * self->m);
  return TOSST_OK;
}

/* Entries of one task. */
#define CHECKED 65536

typedef struct
{
  const void *values;
  size_t n;
  bool wide;
} TosstPythonCheck;

static bool
is_float_in_range (const float *values, size_t n)
{
  int outside = 0;

  for (size_t i = 0; i < n; i++)
    outside |= !(fabsf (values[i]) <= (float)TOSST_LARGEST);
  return !outside;
}

static bool
is_double_in_range (const double *values, size_t n)
{
  int outside = 0;

  for (size_t i = 0; i < n; i++)
    outside |= !(fabs (values[i]) <= TOSST_LARGEST);
  return !outside;
}

static TosstStatus
check_block (size_t item, int worker, void *data)
{
  const TosstPythonCheck *self = data;
  size_t first = item * CHECKED, n = self->n - first < CHECKED ? self->n - first : CHECKED;
  bool fine = self->wide ? is_double_in_range ((const double *)self->values + first, n)
                         : is_float_in_range ((const float *)self->values + first, n);

  return fine ? TOSST_OK : TOSST_ERROR_NUMERIC;
}

/* Whether all entries are finite and small enough for float32 to keep its precision. */
static bool
tosst_python_in_range (TosstContext *context, const void *values, size_t n, bool wide)
{
  TosstPythonCheck self = { values, n, wide };

  return tosst_parallel_work (context, (n + CHECKED - 1) / CHECKED, (double)n, check_block, &self)
         != TOSST_ERROR_NUMERIC;
}

/* Draws `count` of the numbers 0 .. rows - 1, ascending: the rows from which `tosst learn` learns with the same seed
 * (Knuth's algorithm S). */
static void
tosst_python_draw_rows (size_t rows, size_t count, uint64_t seed, int64_t *number)
{
  TosstRandom random;

  tosst_random_init (&random, seed, 0x726f7773);
  for (size_t i = 0, kept = 0; i < rows && kept < count; i++)
    if (tosst_random_below (&random, rows - i) < count - kept)
      number[kept++] = (int64_t)i;
}

/* Python's handler of SIGINT only notes the signal until Python code runs again. During a call of the engine this one
 * cancels the computation, too. */
static _Atomic (TosstContext *) watched;
static atomic_int inside;
static struct sigaction before;

static void
on_interrupt (int number, siginfo_t *info, void *more)
{
  atomic_fetch_add (&inside, 1);
  TosstContext *context = atomic_load (&watched);
  if (context)
    tosst_context_cancel (context);
  atomic_fetch_sub (&inside, 1);

  if (before.sa_flags & SA_SIGINFO)
    before.sa_sigaction (number, info, more);
  else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    before.sa_handler (number);
}

/* From now on an interrupt cancels the computation of this context, or with NULL none. Main thread. Returns the context
 * watched before. */
static TosstContext *
tosst_python_watch (TosstContext *context)
{
  TosstContext *old = atomic_exchange (&watched, context);
  struct sigaction now;

  if (context && !old && sigaction (SIGINT, NULL, &before) == 0)
    {
      now = before;
      now.sa_flags |= SA_SIGINFO;
      now.sa_sigaction = on_interrupt;
      sigaction (SIGINT, &now, NULL);
    }
  else if (!context && old && sigaction (SIGINT, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO
           && now.sa_sigaction == on_interrupt)
    sigaction (SIGINT, &before, NULL);
  /* The old context may be freed when no handler on another thread uses it. */
  while (atomic_load (&inside) > 0)
    ;
  return old;
}

/* Sets OpenBLAS's number of threads, which the whole process shares, unless it is 0, and returns the one before; 0 for
 * other libraries. */
static int
tosst_python_blas_threads (int threads)
{
  int old = openblas_get_num_threads ? openblas_get_num_threads () : 0;

  if (threads > 0 && openblas_set_num_threads)
    openblas_set_num_threads (threads);
  return old;
}

/* Memory that the engine allocated and its caller frees by free(). */
static void
tosst_python_free (void *memory)
{
  free (memory);
}
