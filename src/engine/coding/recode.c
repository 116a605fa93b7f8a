/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recoding: codes of a few tensors for one lambda and gamma after the other (tosst/code.h).
 *
 * Each code is the Lasso of coding/lasso.h with an active set: the kernel solves it on the active atoms; r = q - H alpha
 * over all atoms, from the residual of the tensor, certifies the code or names the violators that become active. H of the
 * active atoms is computed in float, since it is the largest part of a new gamma. Each solution is that of the Lasso
 * whose q is r + H alpha for the last code and its exact r, so that solutions converge to that of the exact H. Without
 * much lambda H has a ridge, and each solution is a proximal step.
 *
 * With beta >= 0 and finite gamma the solver is that of coding/nonnegative.h, from the last alpha. With gamma =
 * infinity that problem is the Lasso of the atoms whose b_k has one sign.
 */

#include "engine/base/base.h"
#include "engine/coding/coder-private.h"
#include "engine/coding/tuning.h"

struct TosstRecoding
{
  TosstCodingOptions options; /* current options */
  bool current;               /* W and q, or beta, are those of options.gamma */
  bool given;                 /* codes were set by the caller */
  int D, S, K;
  size_t n;
  TosstDictionary *dictionary;
  TosstMemory memory; /* of arrays that live as long as the recoding */
  double *x;          /* n x S x D: slices, divided by the scale */
  double *q;          /* n x K */
  double *codes;      /* n x K */
  double *largest;    /* n: max |q| */
  double *kkt;        /* n: relative KKT residual */
  double *VV;         /* D x D: V V', lower triangle */
  double *L;          /* D x D */
  float *L_f32;       /* D x D: L in float */
  /* Products of a residual with all atoms: */
  double *r;          /* K: q - H alpha of the code last evaluated */
  double *left;       /* S x D */
  double *transposed; /* D x padded: transpose of left, zero-padded */
  int padded;         /* S rounded up to a multiple of TOSST_GRAIN */
  int32_t *row;       /* D: row offsets of transposed */
  double *gathered;   /* BUNDLE x (D + S) */
  /* Active atoms: those of any code since gamma changed, and violators. */
  int *active;       /* K, the first `count` of them in use */
  int *active_index; /* K: index of an atom in active, or -1 */
  int *entering;     /* K: atoms to activate */
  size_t count, room;
  TosstMemory grown; /* of the arrays below */
  float *U;          /* room x D: L^{-1} v */
  float *b;          /* room x S, times the sign of alpha if that is given */
  double *H;         /* room x room, rounded to float but for a ridge; zero after the last atom */
  double *p;         /* 4 x room: diagonal of H without the ridge; q, code and residual of a Lasso */
  float *strip;      /* 2 x ACTIVE_STRIP x room */
  TosstLassoWork *work;
  /* With beta >= 0, else NULL: */
  TosstNonnegative *joint;
  double *c;         /* n x (K x S): V' x */
  double *beta;      /* n x (K x S), for finite gamma */
  signed char *sign; /* K: feasible sign of alpha_k for gamma = infinity; 0: none */
};

static bool
is_joint (const TosstRecoding *self)
{
  return self->joint && isfinite (self->options.problem.gamma);
}

static const double *
b_of (const TosstRecoding *self, int k)
{
  return self->dictionary->b + (size_t)k * self->S;
}

/* For beta >= 0 the Lasso is that of |alpha|. */
static double
sign_of (const TosstRecoding *self, int k)
{
  return self->sign ? self->sign[k] : 1;
}

/* For small lambda the restricted Gram matrix may be singular, and with rounding errors indefinite: the iteration
 * would not terminate. */
static bool
is_ill_conditioned (const TosstRecoding *self, size_t i)
{
  return self->options.problem.lambda / 2 < TOSST_ILL_CONDITIONED_BELOW * self->largest[i];
}

static int
nonzeros_of (const TosstRecoding *self, size_t i)
{
  int count = 0;
  for (int k = 0; k < self->K; k++)
    count += self->codes[i * self->K + k] != 0;
  return count;
}

/* L L' = I + V V' / gamma, W = L^{-T} L^{-1}. */
static TosstStatus
factorise (TosstRecoding *self, TosstContext *context)
{
  size_t D = self->D;
  if (!isfinite (self->options.problem.gamma))
    return TOSST_OK;
  for (size_t i = 0; i < D * D; i++)
    self->L[i] = self->VV[i] / self->options.problem.gamma;
  for (size_t i = 0; i < D; i++)
    self->L[i * D + i] += 1;
  TosstStatus status = tosst_cholesky (context, D, self->L);
  for (size_t i = 0; i < D * D; i++)
    self->L_f32[i] = (float)self->L[i];
  return status;
}

/* Multiplies the S slices by W. */
static void
apply_W (const TosstRecoding *self, double *slices)
{
  int D = self->D, S = self->S;
  if (!isfinite (self->options.problem.gamma))
    return;
  cblas_dtrsm (CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, D, S, 1, self->L, D, slices, D);
  cblas_dtrsm (CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, D, S, 1, self->L, D, slices, D);
}

/* Residuals. */

/* left (S x D) = x - V c of tensor i, BUNDLE atoms of its code at a time. */
static void
find_tied_residual (const TosstRecoding *self, size_t i, double *left)
{
  size_t D = self->D, S = self->S, count = 0;
  const double *alpha = self->codes + i * self->K;
  double *atoms = self->gathered, *c = atoms + BUNDLE * D;
  memcpy (left, self->x + i * S * D, sizeof *left * S * D);
  for (int k = 0; k < self->K; k++)
    {
      if (alpha[k] != 0)
        {
          memcpy (atoms + count * D, self->dictionary->V + (size_t)k * D, sizeof *atoms * D);
          for (size_t s = 0; s < S; s++)
            c[count * S + s] = alpha[k] * b_of (self, k)[s];
          count++;
        }
      if (count == BUNDLE || (count > 0 && k == self->K - 1))
        {
          cblas_dgemm (CblasColMajor, CblasNoTrans, CblasTrans, D, S, count, -1, atoms, D, c, S, 1, left, D);
          count = 0;
        }
    }
}

typedef struct
{
  const TosstRecoding *self;
  double *r;
} Correlation;

/* With few slices and many atoms BLAS would pack all of V, which takes as long as the products. */
static TosstStatus
correlate_atoms (size_t item, int worker, void *data)
{
  const Correlation *job = data;
  const TosstRecoding *self = job->self;
  int first = (int)item * CORRELATED_ATOMS, S = self->S,
      count = self->K - first < CORRELATED_ATOMS ? self->K - first : CORRELATED_ATOMS;
  double *out = aligned_alloc (64, sizeof *out * CORRELATED_ATOMS * self->padded);
  if (!out)
    return TOSST_ERROR_MEMORY;
  tosst_kernels ()->product_double (self->dictionary->V + (size_t)first * self->D, self->D, 1, count, self->transposed,
                                    self->row, self->D, self->padded, out, self->padded, false);
  for (int k = 0; k < count; k++)
    {
      const double *b = b_of (self, first + k), *product = out + (size_t)k * self->padded;
      double sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int s = 0; s < S; s++)
        sum += product[s] * b[s];
      job->r[first + k] = sum;
    }
  free (out);
  return TOSST_OK;
}

/* r_k = sum_s b_k^s v_k . W e^s for all atoms and the slices e in self->left, which are overwritten: q for x, and
 * q - H alpha for x - V c. */
static TosstStatus
correlate (TosstRecoding *self, TosstContext *context, double *r)
{
  size_t D = self->D, S = self->S;
  Correlation job = { self, r };
  apply_W (self, self->left);
  for (size_t p = 0; p < D; p++)
    for (size_t s = 0; s < S; s++)
      self->transposed[p * self->padded + s] = self->left[s * D + p];
  return tosst_parallel (context, (self->K + CORRELATED_ATOMS - 1) / CORRELATED_ATOMS, correlate_atoms, &job, 0, 0);
}

static void
forget_active (TosstRecoding *self)
{
  self->count = 0;
  for (int k = 0; k < self->K; k++)
    self->active_index[k] = -1;
}

/* W and q for a new gamma. */
static TosstStatus
set_gamma (TosstRecoding *self, TosstContext *context, double gamma)
{
  size_t K = self->K, slices = (size_t)self->S * self->D;
  if (self->current && gamma == self->options.problem.gamma)
    return TOSST_OK;
  self->current = false;
  self->options.problem.gamma = gamma;
  forget_active (self);
  TosstStatus status = factorise (self, context);
  for (size_t i = 0; status == TOSST_OK && i < self->n; i++)
    {
      double *q = self->q + i * K;
      memcpy (self->left, self->x + i * slices, sizeof *self->left * slices);
      status = correlate (self, context, q);
      self->largest[i] = 0;
      for (size_t k = 0; k < K; k++)
        self->largest[i] = fmax (self->largest[i], fabs (q[k]));
    }
  self->current = status == TOSST_OK;
  return status;
}

/* Active atoms. */

/* Reserves a quarter more than needed, with a row length that avoids cache set conflicts. The rows of H are moved. */
static bool
make_room (TosstRecoding *self, size_t needed)
{
  size_t room = (needed + needed / 4) / 16 * 16 + 24, D = self->D, S = self->S;
  TosstMemory grown = { 0 };
  float *U = tosst_keep (&grown, malloc (sizeof *U * room * D)),
        *b = tosst_keep (&grown, malloc (sizeof *b * room * S));
  double *p = tosst_keep (&grown, malloc (sizeof *p * 4 * room));
  float *strip = tosst_keep (&grown, malloc (sizeof *strip * 2 * ACTIVE_STRIP * room));
  /* Ordinary pages, touched as atoms become active: the page fault of a huge page may exceed the time of a step. */
  double *H = tosst_keep (&grown, aligned_alloc (64, (sizeof *H * room * room + 63) / 64 * 64));
  TosstLassoWork *work = tosst_lasso_work_new ((int)room, 1, sizeof (double));
  if (grown.failed || !work)
    {
      tosst_release (&grown);
      tosst_lasso_work_free (work);
      return false;
    }
  for (size_t i = 0; i < self->count; i++)
    {
      p[i] = self->p[i];
      memcpy (U + i * D, self->U + i * D, sizeof *U * D);
      memcpy (b + i * S, self->b + i * S, sizeof *b * S);
      memcpy (H + i * room, self->H + i * self->room, sizeof *H * self->count);
      memset (H + i * room + self->count, 0, sizeof *H * (room - self->count));
    }
  tosst_release (&self->grown);
  tosst_lasso_work_free (self->work);
  self->grown = grown;
  self->U = U;
  self->b = b;
  self->p = p;
  self->strip = strip;
  self->H = H;
  self->work = work;
  self->room = room;
  return true;
}

/* Rows `from` to `all` of H up to their diagonal, and the columns that mirror them. */
static TosstStatus
fill_rows (TosstRecoding *self, TosstContext *context, size_t from, size_t all)
{
  size_t D = self->D, S = self->S, room = self->room, count = all - from;
  float *product = self->strip, *across = product + count * all;
  double *H = self->H;
  TosstStatus status = tosst_sgemm (context, CblasTrans, CblasNoTrans, all, count, D, 1, self->U, D, self->U + from * D,
                                    D, 0, product, all);
  TOSST_THEN (status, tosst_sgemm (context, CblasTrans, CblasNoTrans, all, count, S, 1, self->b, S, self->b + from * S,
                                   S, 0, across, all));
  for (size_t j = from; status == TOSST_OK && j < all; j++)
    {
      for (size_t i = 0; i <= j; i++, product++, across++)
        H[j * room + i] = *product * *across;
      product += all - j - 1;
      across += all - j - 1;
      memset (H + j * room + all, 0, sizeof *H * (room - all));
      self->p[j] = H[j * room + j];
    }
  for (size_t i = 0; status == TOSST_OK && i < all; i++)
    for (size_t j = i < from ? from : i + 1; j < all; j++)
      H[i * room + j] = H[j * room + i];
  return status;
}

/* Extends U and H to the atoms of code i and to the first `entered` ones of self->entering. */
static TosstStatus
activate (TosstRecoding *self, TosstContext *context, size_t i, int entered)
{
  size_t D = self->D, S = self->S, K = self->K, first = self->count;
  TosstStatus status = TOSST_OK;
  for (size_t k = 0; k < K; k++)
    if (self->codes[i * K + k] != 0 && self->active_index[k] < 0)
      self->entering[entered++] = (int)k;
  if (first + entered > self->room && !make_room (self, first + entered))
    return TOSST_ERROR_MEMORY;
  for (int j = 0; j < entered; j++)
    {
      int k = self->entering[j];
      size_t a = self->count++;
      self->active_index[k] = (int)a;
      self->active[a] = k;
      for (size_t s = 0; s < S; s++)
        self->b[a * S + s] = (float)(sign_of (self, k) * b_of (self, k)[s]);
      for (size_t p = 0; p < D; p++)
        self->U[a * D + p] = (float)self->dictionary->V[k * D + p];
    }
  if (isfinite (self->options.problem.gamma) && entered > 0)
    cblas_strsm (CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, D, entered, 1, self->L_f32, D,
                 self->U + first * D, D);
  for (size_t from = first; status == TOSST_OK && from < self->count; from += ACTIVE_STRIP)
    status = fill_rows (self, context, from, from + ACTIVE_STRIP < self->count ? from + ACTIVE_STRIP : self->count);
  if (status != TOSST_OK)
    forget_active (self);
  return status;
}

/* Rounds. */

/* Excess over the threshold of an atom outside the code. */
static double
excess (const TosstRecoding *self, int k, double r)
{
  double size = self->sign ? self->sign[k] * r : self->options.problem.signed_alpha ? fabs (r) : r;
  return size - self->options.problem.lambda / 2;
}

/* Violation of optimality by r = q - H alpha at a coordinate with value a. */
static double
violation (const TosstRecoding *self, int k, double a, double r)
{
  double sign = sign_of (self, k);
  if (a != 0)
    return fabs (sign * r - copysign (self->options.problem.lambda / 2, sign * a));
  return fmax (excess (self, k, r), 0);
}

/* Sets self->r of code i. Returns its largest violation in *worst; a non-finite value certifies nothing. */
static TosstStatus
evaluate (TosstRecoding *self, TosstContext *context, size_t i, double *worst)
{
  const double *alpha = self->codes + i * self->K, *q = self->q + i * self->K;
  TosstStatus status = TOSST_OK;
  if (nonzeros_of (self, i) == 0)
    memcpy (self->r, q, sizeof *q * self->K);
  else
    {
      find_tied_residual (self, i, self->left);
      status = correlate (self, context, self->r);
    }
  *worst = 0;
  for (int k = 0; k < self->K; k++)
    {
      double size = violation (self, k, alpha[k], self->r[k]);
      *worst = size <= *worst ? *worst : isfinite (alpha[k]) && isfinite (size) ? size : INFINITY;
    }
  return status;
}

typedef struct
{
  double size;
  int k;
} Violator;

static int
by_size (const void *a, const void *b)
{
  const Violator *x = a, *y = b;
  return x->size < y->size ? 1 : x->size > y->size ? -1 : x->k - y->k;
}

/* Lists atoms outside the code to activate, worst first, about `most` of them. Returns their number, -1 without memory;
 * violators: number of all that violate. */
static int
choose_entering (TosstRecoding *self, const double *alpha, double limit, int most, int *violators)
{
  int count = 0, wanted;
  Violator *list = malloc (sizeof *list * self->K);
  *violators = 0;
  for (int k = 0; list && k < self->K; k++)
    if (self->active_index[k] < 0 && alpha[k] == 0)
      {
        double size = excess (self, k, self->r[k]);
        *violators += size > limit;
        if (size > (RECODE_NEAR - 1) * self->options.problem.lambda / 2)
          list[count++] = (Violator){ size, k };
      }
  if (!list)
    return -1;
  qsort (list, count, sizeof *list, by_size);
  most = most > RECODE_LEAST_TAKEN ? most : RECODE_LEAST_TAKEN;
  wanted = *violators == 0 ? 0 : *violators < RECODE_FEW ? RECODE_FEW : *violators < most ? *violators : most;
  count = wanted < count ? wanted : count;
  for (int j = 0; j < count; j++)
    self->entering[j] = list[j].k;
  free (list);
  return count;
}

/* Solves the Lasso on the active atoms to the violation `goal`; evaluated: self->r is that of the code. */
static void
solve (TosstRecoding *self, size_t i, bool evaluated, double goal)
{
  const TosstKernels *kernels = tosst_kernels ();
  static const int row = 0;
  int room = (int)self->room;
  size_t count = self->count;
  double *alpha = self->codes + i * self->K, *diagonal_H = self->p, *q = self->p + room, *x = q + room,
         *rest = x + room;
  double largest = 0, ridge = 0;
  memset (q, 0, sizeof *q * 2 * room);
  for (size_t a = 0; a < count; a++)
    {
      largest = fmax (largest, diagonal_H[a]);
      x[a] = alpha[self->active[a]] * sign_of (self, self->active[a]);
    }
  if (is_ill_conditioned (self, i))
    ridge = TOSST_RIDGE * sqrt ((double)count) * largest;
  for (size_t a = 0; a < count; a++)
    self->H[a * room + a] = diagonal_H[a] + ridge;
  if (evaluated)
    kernels->lasso_residuals_double (self->H, room, q, x, &row, 1, rest, self->work); /* -H x */
  for (size_t a = 0; a < count; a++)
    {
      int k = self->active[a];
      q[a] = evaluated ? self->r[k] * sign_of (self, k) - rest[a] : self->q[i * self->K + k] * sign_of (self, k);
    }
  kernels->lasso_double (self->H, room, q, self->options.problem.lambda / 2,
                         self->options.problem.signed_alpha && !self->sign, goal, x, self->work);
  for (size_t a = 0; a < count; a++)
    alpha[self->active[a]] = x[a] * sign_of (self, self->active[a]);
}

/* Improves code i until it is certified, or makes no progress: its violation is then at rounding level. */
static TosstStatus
improve (TosstRecoding *self, TosstContext *context, size_t i)
{
  double limit = fmax (self->options.tolerance, TOSST_FLOOR_DOUBLE) * self->largest[i],
         t = self->options.problem.lambda / 2;
  /* Below that over all atoms, whose r has different rounding errors. */
  double last = 0.3 * limit, gain = is_ill_conditioned (self, i) ? ILL_CONDITIONED_GAIN : 0.5;
  int used = nonzeros_of (self, i), entered = 0, violators;
  /* Short codes are solved exactly in the first round, which may be their last. */
  double goal = used >= RECODE_LONG ? fmax (RECODE_FIRST_LEAVES * t, last) : last, worst;
  for (int round = 0; round <= RECODE_ROUNDS; round++)
    {
      bool evaluated = round > 0 || self->given;
      TosstStatus status = tosst_context_checkpoint (context) ? TOSST_CANCELLED : TOSST_OK;
      if (evaluated && status == TOSST_OK)
        {
          double before = self->kkt[i];
          TOSST_TRY (evaluate (self, context, i, &worst));
          used = nonzeros_of (self, i);
          entered = choose_entering (self, self->codes + i * self->K, limit, round > 1 ? used : used / 4, &violators);
          self->kkt[i] = self->largest[i] > 0 ? worst / self->largest[i] : 0;
          if (worst <= limit || (round > 1 && goal <= last && entered == 0 && self->kkt[i] > before * gain))
            return TOSST_OK;
          goal = violators * RECODE_MANY_FROM > used ? fmax (worst * RECODE_MANY_LEAVE, last) : last;
        }
      if (entered < 0)
        return TOSST_ERROR_MEMORY;
      TOSST_THEN (status, activate (self, context, i, entered));
      if (status != TOSST_OK)
        return status;
      if (self->count > 0)
        solve (self, i, evaluated, goal);
    }
  return TOSST_OK;
}

/* With beta >= 0. */

static TosstStatus
begin_joint (TosstRecoding *self, TosstContext *context)
{
  size_t D = self->D, S = self->S, K = self->K, columns = self->n * S;
  TosstMemory *memory = &self->memory;
  self->sign = tosst_keep (memory, malloc (K));
  self->c = tosst_keep (memory, malloc (sizeof *self->c * K * columns));
  self->beta = tosst_keep (memory, calloc (K * columns, sizeof *self->beta));
  if (memory->failed)
    return TOSST_ERROR_MEMORY;
  for (size_t k = 0; k < K; k++)
    self->sign[k] = tosst_nonnegative_sign (b_of (self, k), S, self->options.problem.signed_alpha);
  TosstCodingOptions options = self->options;
  options.problem.gamma = isfinite (options.problem.gamma) ? options.problem.gamma : 1;
  TosstStatus status = tosst_nonnegative_new (context, self->dictionary, S, NULL, &options, &self->joint);
  TOSST_THEN (status, tosst_dgemm (context, CblasTrans, CblasNoTrans, K, columns, D, 1, self->dictionary->V, D, self->x,
                                   D, 0, self->c, K));
  return status;
}

/* A cancelled call does not change the code, because beta must be consistent with alpha. */
static TosstStatus
improve_joint (TosstRecoding *self, TosstContext *context)
{
  size_t K = self->K, slices = K * self->S;
  TosstNonnegativeWork *work = tosst_nonnegative_work_new (self->D, self->S, self->K);
  TosstStatus status = work ? TOSST_OK : TOSST_ERROR_MEMORY;
  tosst_nonnegative_set (self->joint, self->options.problem.lambda, self->options.problem.gamma);
  for (size_t i = 0; i < self->n && status == TOSST_OK; i++)
    {
      memcpy (self->r, self->codes + i * K, sizeof *self->r * K);
      status = tosst_nonnegative_solve (self->joint, context, self->c + i * slices, TOSST_NONNEGATIVE_WARM,
                                        fmax (self->options.tolerance, TOSST_FLOOR_DOUBLE), self->r,
                                        self->beta + i * slices, &self->kkt[i], work);
      if (status == TOSST_OK)
        memcpy (self->codes + i * K, self->r, sizeof *self->r * K);
    }
  tosst_nonnegative_work_free (work);
  self->current = status == TOSST_OK;
  return status;
}

/* Sets codes to zero that are infeasible for gamma = infinity. */
static void
drop_infeasible (TosstRecoding *self)
{
  size_t K = self->K;
  for (size_t i = 0; self->sign && i < self->n * K; i++)
    if (!(self->codes[i] * self->sign[i % K] > 0))
      self->codes[i] = 0;
}

static double
joint_proximity (const TosstRecoding *self, size_t i)
{
  size_t S = self->S, K = self->K;
  const double *beta = self->beta + i * K * S, *alpha = self->codes + i * K;
  double sum = 0;
  for (size_t s = 0; s < S; s++)
    for (size_t k = 0; k < K; k++)
      sum += pow (beta[s * K + k] - b_of (self, k)[s] * alpha[k], 2);
  return self->options.problem.gamma * sum;
}

/* Interface. */

static bool
allocate (TosstRecoding *self, const TosstDictionary *dictionary)
{
  size_t D = self->D, K = self->K, n = self->n, slice = self->S * D;
  TosstMemory *memory = &self->memory;
  self->padded = tosst_grain (self->S);
  self->dictionary = tosst_dictionary_copy (dictionary);
  self->x = tosst_keep (memory, malloc (sizeof *self->x * n * slice));
  self->q = tosst_keep (memory, malloc (sizeof *self->q * n * K));
  self->codes = tosst_keep (memory, calloc (n * K, sizeof *self->codes));
  self->largest = tosst_keep (memory, calloc (n, sizeof *self->largest));
  self->kkt = tosst_keep (memory, calloc (n, sizeof *self->kkt));
  self->VV = tosst_keep (memory, malloc (sizeof *self->VV * D * D));
  self->L = tosst_keep (memory, malloc (sizeof *self->L * D * D));
  self->L_f32 = tosst_keep (memory, malloc (sizeof *self->L_f32 * D * D));
  self->r = tosst_keep (memory, malloc (sizeof *self->r * K));
  self->left = tosst_keep (memory, tosst_alloc_aligned (slice, sizeof *self->left));
  self->transposed = tosst_keep (memory, tosst_alloc_aligned (D * self->padded, sizeof *self->transposed));
  self->row = tosst_keep (memory, malloc (sizeof *self->row * D));
  self->gathered = tosst_keep (memory, tosst_alloc_aligned (BUNDLE * (D + self->S), sizeof *self->gathered));
  self->active = tosst_keep (memory, malloc (sizeof *self->active * K));
  self->active_index = tosst_keep (memory, malloc (sizeof *self->active_index * K));
  self->entering = tosst_keep (memory, malloc (sizeof *self->entering * K));
  if (memory->failed)
    return false;
  memset (self->transposed, 0, sizeof *self->transposed * D * self->padded);
  for (size_t p = 0; p < D; p++)
    self->row[p] = (int32_t)(p * self->padded);
  return self->dictionary != NULL;
}

void
tosst_recoding_free (TosstRecoding *self)
{
  if (!self)
    return;
  tosst_nonnegative_free (self->joint);
  tosst_lasso_work_free (self->work);
  tosst_dictionary_free (self->dictionary);
  tosst_release (&self->memory);
  tosst_release (&self->grown);
  free (self);
}

static TosstStatus
take_slices (TosstRecoding *self, TosstContext *context, const TosstLayout *layout, const float *tensors)
{
  double *x = self->x;
  for (size_t i = 0; i < self->n; i++)
    for (int s = 0; s < self->S; s++)
      for (int p = 0; p < self->D; p++, x++)
        {
          *x = layout->weight[p] * tensors[i * layout->m + layout->index[(size_t)s * self->D + p]]
               / self->dictionary->scale;
          if (!isfinite (*x))
            return tosst_context_fail (context, TOSST_ERROR_NUMERIC,
                                       "tensor %zu holds NaN or infinity, or is too large", i);
        }
  return TOSST_OK;
}

TosstStatus
tosst_recoding_new (TosstContext *context, const TosstDictionary *dictionary, const TosstLayout *layout,
                    const TosstCodingOptions *options, const float *tensors, size_t n, TosstRecoding **result)
{
  TOSST_REQUIRE (context, context && dictionary && layout && options && tensors && result);
  *result = NULL;
  TOSST_REFUSE (context, tosst_coding_options_check (options));
  TOSST_TRY (tosst_coding_check_dictionary (context, dictionary, layout));
  if (n == 0)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "there is no tensor to code");
  TosstRecoding *self = calloc (1, sizeof *self);
  if (!self)
    return tosst_coding_no_memory (context);
  self->options = *options;
  self->D = layout->D;
  self->S = layout->S;
  self->K = dictionary->K;
  self->n = n;
  TosstStatus status = allocate (self, dictionary) ? take_slices (self, context, layout, tensors) : TOSST_ERROR_MEMORY;
  TOSST_THEN (status, tosst_dgemm_lower (context, CblasNoTrans, CblasTrans, self->D, self->K, 1, dictionary->V, self->D,
                                         dictionary->V, self->D, 0, self->VV, self->D));
  if (status == TOSST_OK && options->problem.nonnegative_beta)
    status = begin_joint (self, context);
  if (status == TOSST_OK)
    *result = self;
  else
    tosst_recoding_free (self);
  return status == TOSST_ERROR_MEMORY ? tosst_coding_no_memory (context) : status;
}

TosstStatus
tosst_recoding_set_codes (TosstContext *context, TosstRecoding *self, const double *codes)
{
  TOSST_REQUIRE (context, context && self && codes);
  size_t count = self->n * self->K;
  for (size_t i = 0; i < count; i++)
    if (!isfinite (codes[i]) || (codes[i] < 0 && !self->options.problem.signed_alpha))
      return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "code %zu of tensor %zu is %g", i % self->K,
                                 i / self->K, codes[i]);
  memcpy (self->codes, codes, sizeof *codes * count);
  self->given = true;
  return TOSST_OK;
}

const double *
tosst_recoding_codes (const TosstRecoding *self)
{
  return self->codes;
}

TosstStatus
tosst_recode (TosstContext *context, TosstRecoding *self, double lambda, double gamma, TosstCodingReport *report)
{
  TOSST_REQUIRE (context, context && self);
  double start = tosst_context_seconds (context);
  TosstCodingOptions options = self->options;
  options.problem.lambda = lambda;
  options.problem.gamma = gamma;
  TOSST_REFUSE (context, tosst_coding_options_check (&options));
  self->options.problem.lambda = lambda;
  if (self->dictionary->shape.kind == TOSST_SHAPE_WHOLE)
    gamma = INFINITY;
  bool joint = self->joint && isfinite (gamma);
  self->current = self->current && joint == is_joint (self);
  if (joint)
    self->options.problem.gamma = gamma;
  else
    drop_infeasible (self);
  TosstStatus status = joint ? TOSST_OK : set_gamma (self, context, gamma);
  double middle = tosst_context_seconds (context);
  if (status == TOSST_OK && joint)
    status = improve_joint (self, context);
  for (size_t i = 0; status == TOSST_OK && !joint && i < self->n; i++)
    status = improve (self, context, i);
  self->given = self->given && status != TOSST_OK;
  if (status != TOSST_OK)
    return status == TOSST_ERROR_MEMORY ? tosst_coding_no_memory (context) : status;
  if (report)
    {
      *report = (TosstCodingReport){ .seconds = tosst_context_seconds (context) - start,
                                     .seconds_products = middle - start };
      for (size_t i = 0; i < self->n; i++)
        {
          report->worst_kkt = fmax (report->worst_kkt, self->kkt[i]);
          report->mean_nonzeros += (double)nonzeros_of (self, i) / (double)self->n;
        }
    }
  return TOSST_OK;
}

TosstStatus
tosst_recoding_residual (TosstContext *context, const TosstRecoding *self, size_t i, bool tied, double *residual)
{
  TOSST_REQUIRE (context, context && self && residual);
  size_t D = self->D, S = self->S, K = self->K;
  if (!tied && !self->current)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "the tensors have not been coded yet");
  if (tied || !is_joint (self))
    find_tied_residual (self, i, residual);
  if (!tied && !is_joint (self))
    apply_W (self, residual); /* x - V beta = W (x - V c) */
  else if (!tied)
    {
      memcpy (residual, self->x + i * S * D, sizeof *residual * S * D);
      cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, D, S, K, -1, self->dictionary->V, D,
                   self->beta + i * K * S, K, 1, residual, D);
    }
  return TOSST_OK;
}

/* With r = x - V c the minimum over beta is r' W r; the fit is ||W r||^2. */
TosstStatus
tosst_recoding_state (TosstContext *context, const TosstRecoding *self, size_t i, TosstRecodingState *state)
{
  TOSST_REQUIRE (context, context && self && state);
  size_t size = (size_t)self->S * self->D;
  double *free_residual = tosst_alloc_aligned (2 * size, sizeof *free_residual), *tied = free_residual + size;
  if (!free_residual)
    return tosst_coding_no_memory (context);
  TosstStatus status = tosst_recoding_residual (context, self, i, false, free_residual);
  if (status == TOSST_OK)
    {
      find_tied_residual (self, i, tied);
      *state = (TosstRecodingState){ .fit = tosst_dot (size, free_residual, free_residual), .kkt = self->kkt[i] };
      if (is_joint (self))
        state->proximity = joint_proximity (self, i);
      else if (isfinite (self->options.problem.gamma))
        state->proximity = fmax (tosst_dot (size, tied, free_residual) - state->fit, 0);
      state->sparsity = self->options.problem.lambda * tosst_sum_abs (self->K, self->codes + i * self->K);
      state->objective = state->fit + state->proximity + state->sparsity;
      state->nonzeros = nonzeros_of (self, i);
    }
  free (free_residual);
  return status;
}
