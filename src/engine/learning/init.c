/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Initial atoms: B_k is a projected slice of a sampled tensor, scaled to the boundary of its set (a larger atom
 * needs a smaller code), b_k the similarity of each slice of that tensor to B_k. Alternatively random atoms.
 */
#include "engine/base/base.h"
#include "engine/learning/divided.h"
#include "tosst/dictionary.h"

void
tosst_learning_slice (const TosstLearning *self, const float *tensor, int s, double *out)
{
  const TosstLayout *layout = self->layout;
  for (int p = 0; p < self->D; p++)
    out[p] = layout->weight[p] * tensor[layout->index[(size_t)s * self->D + p]] / self->dictionary->scale;
}

static double
dot (const double *a, const double *b, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* Draws a slice with probability proportional to its squared norm; taken: see state.h. Returns -1 if all slices with
 * a norm are taken. */
static int
draw_slice (const TosstLearning *self, const float *tensor, bool *taken, TosstRandom *random, double *slice)
{
  double norm[self->S], total = 0;
  for (int s = 0; s < self->S; s++)
    {
      norm[s] = 0;
      if (taken && taken[s])
        continue;
      tosst_learning_slice (self, tensor, s, slice);
      total += norm[s] = dot (slice, slice, self->D);
    }
  if (taken && !(total > 0))
    return -1;
  double u = tosst_random_uniform (random) * total;
  int s = 0;
  while (s < self->S - 1 && (u -= norm[s]) > 0)
    s++;
  if (!taken)
    return s;
  while (norm[s] == 0) /* by rounding of u */
    s--;
  taken[s] = true;
  return s;
}

bool
tosst_learning_init_atom (TosstLearning *self, int k, const float *tensor, bool *taken, TosstRandom *random,
                          double *work)
{
  const TosstLearnOptions *options = self->options;
  int D = self->D, S = self->S;
  double *v = self->dictionary->V + (size_t)k * D, *b = self->dictionary->b + (size_t)k * S;
  double *slice = work + tosst_atom_set_work (&self->set);
  int drawn = draw_slice (self, tensor, taken, random, slice);
  if (drawn < 0)
    return false;
  tosst_learning_slice (self, tensor, drawn, v);
  if (tosst_atom_set_project (&self->set, v, work) != TOSST_OK)
    return false;
  double size = tosst_atom_set_size (&self->set, v);
  if (!(size > 1e-9))
    return false;
  for (int p = 0; p < D; p++)
    v[p] /= size;

  double sum = 0;
  for (int s = 0; s < S; s++)
    {
      tosst_learning_slice (self, tensor, s, slice);
      b[s] = dot (slice, v, D);
      if (!options->signed_b && b[s] < 0)
        b[s] = 0;
      sum += fabs (b[s]);
    }
  for (int s = 0; s < S; s++)
    b[s] = sum > 0 ? b[s] / sum : 1.0 / S;
  return true;
}

size_t
tosst_learning_init_atom_work (const TosstLearning *self)
{
  return tosst_atom_set_work (&self->set) + self->D;
}

/* Projects the atoms of an earlier learning onto the constraint set of this one. */
static TosstStatus
continue_from (TosstLearning *self, const TosstDictionary *initial)
{
  const TosstLearnOptions *options = self->options;
  double *work = malloc (sizeof *work * tosst_atom_set_work (&self->set));
  TosstStatus status = work ? TOSST_OK : TOSST_ERROR_MEMORY;
  tosst_learning_restore_atoms (self, initial);
  for (int k = 0; k < self->K && status == TOSST_OK; k++)
    {
      status = tosst_atom_set_project (&self->set, self->dictionary->V + (size_t)k * self->D, work);
      tosst_project_l1 (self->dictionary->b + (size_t)k * self->S, self->S, !options->signed_b, work);
    }
  free (work);
  return status == TOSST_OK
             ? TOSST_OK
             : tosst_context_fail (
                 self->context, status,
                 "atoms of the initial dictionary cannot be projected onto the constraints of the scheme");
}

/* Initialises atoms independently of the tensors. */
static TosstStatus
start_randomly (TosstLearning *self)
{
  const TosstLearnOptions *options = self->options;
  double *work = malloc (sizeof *work * tosst_atom_set_work (&self->set));
  TosstStatus status = TOSST_OK;
  TosstRandom random;
  if (!work)
    return tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to start learning");
  tosst_random_init (&random, options->seed, 0);
  for (int k = 0; k < self->K && status == TOSST_OK; k++)
    if (tosst_context_checkpoint (self->context))
      status = TOSST_CANCELLED;
    else if (!tosst_random_atom (&self->set, options->signed_b, &random, self->dictionary->V + (size_t)k * self->D,
                                 self->dictionary->b + (size_t)k * self->S, work))
      status = tosst_context_fail (self->context, TOSST_ERROR_NUMERIC,
                                   "no random atom has a nonzero projection onto the constraints of the scheme");
  free (work);
  return status;
}

typedef struct
{
  size_t *order; /* n: order of the tensors, repeated */
  size_t next;   /* position in it */
  bool *taken;   /* n x S: see tosst_learning_init_atom(); or NULL */
  double *work;
} Start;

/* Sets atom k from the next tensor with a usable slice. Others (zero, or slices without a positive eigenvalue) are
 * skipped, up to two rounds; with taken, until all slices have been tried. */
static TosstStatus
start_atom (TosstLearning *self, int k, TosstRandom *random, Start *start)
{
  size_t S = self->S, end = start->next + self->total * (start->taken ? S + 1 : 2);
  while (start->next < end)
    {
      size_t n = start->order[start->next++ % self->total];
      TosstFetched row;
      if (tosst_context_checkpoint (self->context) || tosst_learning_fetch (self, &n, 1, false, &row) != TOSST_OK)
        return TOSST_CANCELLED;
      if (tosst_learning_init_atom (self, k, row.tensor, start->taken ? start->taken + n * S : NULL, random,
                                    start->work))
        return TOSST_OK;
    }
  return TOSST_ERROR_NUMERIC;
}

static TosstStatus
start_with_slices (TosstLearning *self, TosstRandom *random, Start *start)
{
  TosstStatus status = TOSST_OK;
  for (size_t i = 0; i < self->total; i++)
    start->order[i] = i;
  tosst_random_shuffle (random, start->order, self->total);
  for (int k = 0; k < self->K && status == TOSST_OK; k++)
    {
      status = start_atom (self, k, random, start);
      if (status == TOSST_ERROR_NUMERIC && start->taken)
        {
          /* Fewer usable slices than atoms: they are drawn again. */
          memset (start->taken, 0, sizeof *start->taken * self->total * self->S);
          status = start_atom (self, k, random, start);
        }
      if (status == TOSST_ERROR_NUMERIC)
        tosst_context_fail (self->context, status,
                            "no slice of the tensors has a nonzero projection onto the constraints of the scheme");
    }
  return status;
}

TosstStatus
tosst_learning_init_atoms (TosstLearning *self)
{
  if (self->run.initial)
    return continue_from (self, self->run.initial);
  if (self->options->init == TOSST_INIT_RANDOM)
    return start_randomly (self);
  TosstRandom random;
  TosstMemory memory = { .count = 0 };
  tosst_random_init (&random, self->options->seed, 0);
  Start start = { .order = tosst_keep (&memory, malloc (sizeof *start.order * self->total)),
                  .work = tosst_keep (&memory, malloc (sizeof *start.work * tosst_learning_init_atom_work (self))) };
  if (self->spreads)
    start.taken = tosst_keep (&memory, calloc (self->total * self->S, sizeof *start.taken));
  TosstStatus status
      = memory.failed ? tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to start learning")
                      : start_with_slices (self, &random, &start);
  tosst_release (&memory);
  return status;
}
