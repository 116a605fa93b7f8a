/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Choice of C by cross-validation: for each fold in turn, classifiers for all values of C are trained on the other
 * folds and tested on it.
 */
#include "engine/base/base.h"
#include "engine/classify/kernel-private.h"
#include "tosst/context.h"

/* Random stream of the seed, distinct from those of splits and learning. */
#define FOLD_STREAM 2000000000u

/* Fold index of samples that are never held out. */
#define ALWAYS_TRAINS (-1)

typedef struct
{
  TosstContext *context;
  const float *x; /* NULL: gram is of a kernel */
  size_t n;
  int p, classes;
  const int *labels;
  const TosstSvmOptions *options;
  const double *gram; /* n x n with the 1 of the bias, or NULL */
  int *fold;          /* n */

  /* Training samples of the current fold; allocated for all n. */
  size_t count;
  size_t *index;
  float *rows;
  int *row_labels;
  double *row_gram; /* count x count, or NULL like gram */
  double *margins;  /* classes */

  TosstSvmChoice *choice;
  TosstMemory memory;
} Chooser;

double
tosst_svm_grid (int i)
{
  static const double grid[TOSST_SVM_GRID] = { 0.1, 1, 10, 100, 1000, 10000 };

  return grid[i];
}

/* Assigns the shuffled samples of each class to the folds in turn, continuing after the fold of the previous class.
 * Returns the number of samples that are held out in some fold. */
static size_t
assign_folds (Chooser *self, int folds, uint64_t seed)
{
  TosstRandom random;
  size_t dealt = 0;

  tosst_random_init (&random, seed, FOLD_STREAM);
  for (int label = 0; label < self->classes; label++)
    {
      size_t members = 0;
      for (size_t i = 0; i < self->n; i++)
        if (self->labels[i] == label)
          self->index[members++] = i;
      tosst_random_shuffle (&random, self->index, members);
      if (members == 1)
        self->fold[self->index[0]] = ALWAYS_TRAINS;
      for (size_t i = 0; i < members && members > 1; i++)
        self->fold[self->index[i]] = (int)(dealt++ % (size_t)folds);
    }
  return dealt;
}

static bool
chooser_init (Chooser *self)
{
  size_t n = self->n;
  TosstMemory *memory = &self->memory;

  self->fold = tosst_keep (memory, malloc (n * sizeof *self->fold));
  self->index = tosst_keep (memory, malloc (n * sizeof *self->index));
  if (self->x)
    self->rows = tosst_keep (memory, malloc (n * (size_t)self->p * sizeof *self->rows));
  self->row_labels = tosst_keep (memory, malloc (n * sizeof *self->row_labels));
  self->margins = tosst_keep (memory, malloc ((size_t)self->classes * sizeof *self->margins));
  return !memory->failed;
}

static bool
gather_rest (Chooser *self, int fold)
{
  size_t p = (size_t)self->p;

  self->count = 0;
  for (size_t i = 0; i < self->n; i++)
    if (self->fold[i] != fold)
      {
        if (self->x)
          memcpy (self->rows + self->count * p, self->x + i * p, p * sizeof *self->rows);
        self->row_labels[self->count] = self->labels[i];
        self->index[self->count++] = i;
      }
  if (!self->gram)
    return true;
  free (self->row_gram);
  self->row_gram = malloc (self->count * self->count * sizeof *self->row_gram);
  for (size_t a = 0; self->row_gram && a < self->count; a++)
    for (size_t b = 0; b < self->count; b++)
      self->row_gram[a * self->count + b] = self->gram[self->index[a] * self->n + self->index[b]];
  return self->row_gram != NULL;
}

static size_t
count_right (const Chooser *self, const TosstSvm *svm, int fold)
{
  size_t right = 0;

  for (size_t i = 0; i < self->n; i++)
    if (self->fold[i] == fold)
      {
        tosst_svm_margins (svm, self->x + i * (size_t)self->p, 1, self->margins);
        right += tosst_svm_decide (svm, self->margins) == self->labels[i];
      }
  return right;
}

/* f_c of a held-out sample, from its row of the Gram matrix; sum a_i (k_i + 1) contains the bias. */
static int
decide_by_kernel (const Chooser *self, const TosstKernelMachine *machine, size_t sample)
{
  for (int c = 0; c < machine->classes; c++)
    {
      const double *factor = machine->coefficients + (size_t)c * self->count;
      self->margins[c] = 0.0;
      for (size_t a = 0; a < self->count; a++)
        self->margins[c] += factor[a] * self->gram[sample * self->n + self->index[a]];
    }
  return tosst_kernel_decide (machine, self->margins);
}

static TosstStatus
try_kernel (Chooser *self, int fold, const TosstSvmOptions *options, size_t *right)
{
  TosstKernelMachine *machine = NULL;
  TosstStatus status = tosst_kernel_solve (self->context, self->row_gram, self->count, self->row_labels, NULL,
                                           self->classes, options, NULL, &machine);

  for (size_t i = 0; i < self->n && status == TOSST_OK; i++)
    *right += self->fold[i] == fold && decide_by_kernel (self, machine, i) == self->labels[i];
  tosst_kernel_machine_free (machine);
  return status;
}

static TosstStatus
try_linear (Chooser *self, int fold, const TosstSvmOptions *options, size_t *right)
{
  TosstSvm *svm = NULL;
  TosstStatus status = tosst_svm_solve (self->context, self->rows, self->count, self->p, self->row_labels, NULL,
                                        self->classes, options, self->row_gram, NULL, &svm);

  if (status == TOSST_OK)
    *right = count_right (self, svm, fold);
  tosst_svm_free (svm);
  return status;
}

/* Trains and tests one C on one fold. If training does not converge, C is excluded: right becomes NAN. */
static TosstStatus
try_c (Chooser *self, int fold, double c, double *right)
{
  TosstSvmOptions options = *self->options;
  size_t found = 0;

  options.c = c;
  TosstStatus status = self->x ? try_linear (self, fold, &options, &found) : try_kernel (self, fold, &options, &found);
  if (status == TOSST_ERROR_NUMERIC)
    {
      *right = NAN;
      return TOSST_OK;
    }
  *right += (double)found;
  return status;
}

/* Evaluates the current fold with the values of C that have not been tested on it. */
static TosstStatus
try_part (Chooser *self, int fold, int folds)
{
  TosstSvmChoice *choice = self->choice;

  for (int i = choice->fits - fold * TOSST_SVM_GRID; i < TOSST_SVM_GRID; i++)
    {
      double done = fold + (double)i / TOSST_SVM_GRID;
      TosstStatus status = TOSST_OK;

      /* With fewer samples than folds the last folds are empty. */
      if (self->count < self->n && !isnan (choice->right[i]))
        {
          TosstRange range = tosst_context_narrow (self->context, done / folds, (done + 1.0 / TOSST_SVM_GRID) / folds);
          status = try_c (self, fold, tosst_svm_grid (i), &choice->right[i]);
          tosst_context_set_range (self->context, range);
        }
      if (status != TOSST_OK)
        return status;
      choice->fits++;
      if (choice->report)
        choice->report (choice, choice->data);
    }
  return TOSST_OK;
}

static TosstStatus
choose (Chooser *self, int folds, uint64_t seed, double *accuracy, double *c)
{
  const double *right = self->choice->right;
  size_t held_out = assign_folds (self, folds, seed);
  int best = -1;

  for (int fold = self->choice->fits / TOSST_SVM_GRID; fold < folds; fold++)
    {
      if (!gather_rest (self, fold))
        return tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to choose C");
      TOSST_TRY (try_part (self, fold, folds));
    }
  for (int i = 0; i < TOSST_SVM_GRID; i++)
    {
      if (accuracy)
        accuracy[i] = right[i] / (double)held_out;
      if (!isnan (right[i]) && (best < 0 || right[i] > right[best]))
        best = i;
    }
  if (best < 0)
    return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "the classifier did not converge for any C");
  if (held_out > 0)
    *c = tosst_svm_grid (best);
  return TOSST_OK;
}

static TosstStatus
check_choice (const Chooser *self, int folds)
{
  if (folds < 2)
    return tosst_context_fail (self->context, TOSST_ERROR_ARGUMENT, "cross-validation needs at least 2 parts, not %d",
                               folds);
  if (self->choice->fits < 0 || self->choice->fits > folds * TOSST_SVM_GRID)
    return tosst_context_fail (self->context, TOSST_ERROR_ARGUMENT,
                               "a choice of C cannot be resumed after %d of %d steps", self->choice->fits,
                               folds * TOSST_SVM_GRID);
  return TOSST_OK;
}

static TosstStatus
run_choice (Chooser *self, int folds, uint64_t seed, double *accuracy, double *c)
{
  TosstStatus status = chooser_init (self)
                           ? choose (self, folds, seed, accuracy, c)
                           : tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to choose C");

  tosst_release (&self->memory);
  free (self->row_gram);
  return status;
}

TosstStatus
tosst_svm_choose_c (TosstContext *context, const float *x, size_t n, int p, const int *labels, int classes,
                    const TosstSvmOptions *options, int folds, uint64_t seed, TosstSvmChoice *choice, double *accuracy,
                    double *c)
{
  TOSST_REQUIRE (context, context && options && c && x && labels);
  TosstSvmChoice own = { 0 };
  Chooser self = { .context = context,
                   .x = x,
                   .n = n,
                   .p = p,
                   .classes = classes,
                   .labels = labels,
                   .options = options,
                   .choice = choice ? choice : &own };
  double *gram = NULL;

  TOSST_TRY (tosst_svm_check (context, x, n, p, labels, classes, options) ?: check_choice (&self, folds));
  TosstRange range = tosst_context_narrow (context, 0, 0);
  TosstStatus status = tosst_svm_gram (context, x, n, p, &gram);
  tosst_context_set_range (context, range);
  self.gram = gram;
  TOSST_THEN (status, run_choice (&self, folds, seed, accuracy, c));
  free (gram);
  return status;
}

TosstStatus
tosst_kernel_choose_c (TosstContext *context, const double *gram, size_t n, const int *labels, int classes,
                       const TosstSvmOptions *options, int folds, uint64_t seed, TosstSvmChoice *choice,
                       double *accuracy, double *c)
{
  TOSST_REQUIRE (context, context && gram && labels && options && c);
  TosstSvmChoice own = { 0 };
  Chooser self = { .context = context,
                   .n = n,
                   .classes = classes,
                   .labels = labels,
                   .options = options,
                   .choice = choice ? choice : &own };

  TOSST_TRY (tosst_kernel_check (context, gram, n, labels, NULL, classes, options) ?: check_choice (&self, folds));
  double *biased = tosst_kernel_add_bias (gram, n);
  self.gram = biased;
  TosstStatus status = biased ? run_choice (&self, folds, seed, accuracy, c)
                              : tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to choose C");
  free (biased);
  return status;
}
