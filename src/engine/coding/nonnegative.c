/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Solver of the problem in coding/nonnegative.h. Given beta, the optimal alpha has a closed form, so the search is
 * over beta alone, by projected Newton steps. A step fixes the entries Z^s of beta^s that are zero with r^s <= 0,
 * and solves for the other entries together with the non-zero alpha, by conjugate gradients with an accuracy
 * proportional to the current residual. From the Lasso's alpha about six steps and twenty products with V' V suffice.
 *
 * A step is accepted if it lowers the objective, else halved. If no length lowers the objective, a limited number of
 * nonmonotone steps is tried, once. From then on steps are monotone and may end at the first bound; where they do
 * not lower the objective, they are replaced by passes of coordinate descent, which never increase it. If
 * convergence is still slow, because zeros released together block each other, the last steps form an active-set
 * method: the problem is minimised over the non-zero entries, and one zero is released at a time. The objective
 * decreases from each of these minima to the next, so that the method terminates.
 */
#include "engine/coding/nonnegative.h"

#include <lapacke.h>

#include "engine/base/base.h"
#include "engine/coding/tuning.h"

struct TosstNonnegativeWork
{
  int K, S;
  double *r;                              /* K x S: half of the negative gradient in beta */
  double *u, *moved, *next;               /* K x S each: scratch */
  double *step;                           /* K x S: the Newton step in beta */
  double *rest, *direction, *conditioned; /* K x S each: residual, direction, preconditioned residual */
  double *next_alpha;                     /* K */
  double *q;                              /* K: scratch */
  double *right;                          /* K: right-hand side for alpha, then the step in alpha */
  double *schur;             /* at most K x K: factored Schur complement of the step in alpha; storage of the Lasso */
  double *copy;              /* its lower triangle before factorisation, by columns: K (K + 1) / 2 */
  double *small;             /* rank x S: root times K x S */
  double *factor;            /* S times head^2: Cholesky factors */
  double *gathered;          /* S head x K: columns of the head of the root, for one slice or for all */
  double *tail;              /* rank x K: rows of the root below the head */
  int *support;              /* K: atoms with alpha != 0 */
  bool *is_free;             /* K x S: entries that a step may change */
  bool *factored;            /* S: factor is up to date with is_free */
  double *kept, *kept_alpha; /* K x S, K: point before the nonmonotone steps */
  double rise;               /* increase of the objective by nonmonotone steps */
  bool monotone;             /* nonmonotone steps have failed: only monotone, more exact steps from then on */
  bool one_release;          /* monotone steps have failed too: one bound is released at a time from then on */
  size_t released;           /* entry of K x S to release; K S: none */
  int nonmonotone;           /* remaining nonmonotone steps; 0: none in progress */
  TosstLassoWork *lasso;
  TosstMemory memory; /* of all arrays but those of the Lasso */
};

/* Functions of a point (alpha, beta). c: K x S, the linear term. */

/* max |x_i|. */
static inline double
tosst_nonnegative_largest (const double *x, size_t n)
{
  return fabs (x[cblas_idamax (n, x, 1)]);
}

static void multiply (const TosstNonnegative *self, double factor, const double *in, double add, double *out,
                      double *small);

/* Evaluation of a point (alpha, beta) for the solver in coding/nonnegative.c: gradient, optimal alpha for a beta,
 * violation of the optimality conditions, and change of the objective by a move. */

/* out^s += gamma b^s . alpha, out_k = b_k . beta_k out^s += gamma b^s . alpha */
static void
add_tied (const TosstNonnegative *self, const double *alpha, double *out)
{
  for (int s = 0; s < self->S; s++)
    {
      const double *b = self->columns + (size_t)s * self->K;
      double *column = out + (size_t)s * self->K;
      for (int k = 0; k < self->K; k++)
        column[k] += self->gamma * b[k] * alpha[k];
    }
}

/* out_k = b_k . beta_k */
static void
tie (const TosstNonnegative *self, const double *beta, double *out)
{
  memset (out, 0, sizeof *out * self->K);
  for (int s = 0; s < self->S; s++)
    {
      const double *b = self->columns + (size_t)s * self->K, *column = beta + (size_t)s * self->K;
      for (int k = 0; k < self->K; k++)
        out[k] += b[k] * column[k];
    }
}

/* Optimal alpha_k for weight = b_k . beta_k, and all optimal alpha for beta. Optimal alpha_k for weight = b_k .
 * beta_k. */
static double
best_alpha (const TosstNonnegative *self, int k, double weight)
{
  double z = self->gamma * weight, t = self->lambda / 2, curvature = self->gamma * self->norm[k];
  if (!(curvature > 0))
    return 0;
  if (z > t)
    return (z - t) / curvature;
  return self->signed_alpha && z < -t ? (z + t) / curvature : 0;
}

static void
best_alphas (const TosstNonnegative *self, const double *beta, double *alpha)
{
  tie (self, beta, alpha);
  for (int k = 0; k < self->K; k++)
    alpha[k] = best_alpha (self, k, alpha[k]);
}

/* Gradient w->r, and the largest violation of the optimality conditions given w->r; fixed: alpha is given. r = c - G
 * beta - gamma (beta - b . alpha) */
static void
tosst_nonnegative_gradient (const TosstNonnegative *self, const double *c, const double *alpha, const double *beta,
                            TosstNonnegativeWork *w)
{
  double *r = w->r;
  size_t n = (size_t)self->K * self->S;
  for (size_t i = 0; i < n; i++)
    r[i] = c[i] - self->gamma * beta[i];
  add_tied (self, alpha, r);
  multiply (self, -1, beta, 1, r, w->small);
}

/* Change of the objective for a move of beta by w->moved and of alpha to w->next_alpha. w->u receives G w->moved.
 * Change of the objective for a move of beta by w->moved and of alpha to w->next_alpha, computed from differences,
 * so that it is accurate to the rounding of the step itself. w->u receives G w->moved. */
static double
tosst_nonnegative_change (const TosstNonnegative *self, const double *alpha, const double *beta,
                          TosstNonnegativeWork *w)
{
  const double *next = w->next_alpha, *step = w->moved, *r = w->r;
  double *product = w->u, *slope = w->q;
  size_t K = self->K, n = K * self->S;
  double sum = 0;
  multiply (self, 1, step, 0, product, w->small);
  for (size_t i = 0; i < n; i++)
    sum += step[i] * (product[i] - 2 * r[i]);
  for (int s = 0; s < self->S; s++)
    {
      const double *b = self->columns + s * K, *d = step + s * K;
      double squares = 0;
      for (size_t k = 0; k < K; k++)
        {
          double apart = d[k] - b[k] * (next[k] - alpha[k]);
          squares += apart * apart;
        }
      sum += self->gamma * squares;
    }
  /* -2 a_k dalpha + lambda (|alpha + dalpha| - |alpha|), where 2 a_k = sign (alpha_k) lambda cancels for alpha_k != 0.
   */
  tie (self, beta, slope);
  for (size_t k = 0; k < K; k++)
    {
      double d = next[k] - alpha[k], size = fabs (next[k]) - fabs (alpha[k]);
      if (d == 0)
        continue;
      if (alpha[k] != 0)
        sum += self->lambda * (size - (alpha[k] > 0 ? d : -d));
      else
        sum += self->lambda * size - 2 * self->gamma * slope[k] * d;
    }
  return sum;
}

/* Largest violation of the optimality conditions, given w->r. */
static double
tosst_nonnegative_violation (const TosstNonnegative *self, bool fixed, const double *alpha, const double *beta,
                             TosstNonnegativeWork *w)
{
  const double *r = w->r, *a = w->q;
  double t = self->lambda / 2, worst = 0;
  for (size_t i = 0; i < (size_t)self->K * self->S; i++)
    {
      double size = beta[i] > 0 ? fabs (r[i]) : r[i];
      worst = size > worst ? size : worst;
    }
  if (!fixed)
    tie (self, beta, w->q);
  for (int k = 0; k < self->K && !fixed; k++)
    {
      double slope = self->gamma * (a[k] - self->norm[k] * alpha[k]);
      if (alpha[k] != 0)
        worst = fmax (worst, fabs (slope - copysign (t, alpha[k])));
      else
        worst = fmax (worst, (self->signed_alpha ? fabs (slope) : slope) - t);
    }
  return worst;
}

/* The Newton step of coding/nonnegative.c: for the free entries F^s of all slices
 *
 *     G_FF dbeta^s + gamma (dbeta^s - b^s . dalpha) = r^s,   dalpha_k = b_k . dbeta_k / ||b_k||^2 for alpha_k != 0
 *
 * by conjugate gradients. With G = R' R, rows of R by decreasing eigenvalue, the leading rows (the head, Rh) replace
 * R in a preconditioner that is solved exactly, at a cost that does not grow with K^2:
 *     N^s = (I - Rh_F' C^{-1} Rh_F) / gamma,   C = gamma I + Rh_F Rh_F' = gamma I + diag (eigenvalues) - Rh_Z Rh_Z'
 * (Woodbury). Eliminating beta gives the system of the non-zero alpha,
 *     gamma (b' b) .* (Rt' diag (1 / (gamma + eigenvalue)) Rt)   Rt: rows below the head; their contribution to H
 *     + gamma diag (sum of b_ks^2 over the slices where k is not free) + gamma sum_s (b^s b^s') .* (Rh_F' C^{-1} Rh_F).
 * Eigenvalues below the head are small relative to gamma, so that a few iterations suffice. */

/* out (K x S) = factor V' V in + add out. small: rank x S, scratch. */
static void
multiply (const TosstNonnegative *self, double factor, const double *in, double add, double *out, double *small)
{
  int K = self->K, S = self->S, rank = self->rank;
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, rank, S, K, 1, self->root, rank, in, K, 0, small, rank);
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, S, rank, factor, self->root, rank, small, rank, add, out, K);
}

/* out (K x S) = (V' V + gamma I)^{-1} in; out may equal in. */
static void
invert (const TosstNonnegative *self, const double *in, double *out, double *small)
{
  int K = self->K, S = self->S, rank = self->rank;
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, rank, S, K, 1, self->root, rank, in, K, 0, small, rank);
  for (int s = 0; s < S; s++)
    for (int i = 0; i < rank; i++)
      small[(size_t)s * rank + i] /= self->gamma + self->eigenvalue[i];
  if (out != in)
    memcpy (out, in, sizeof *out * K * S);
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, S, rank, -1 / self->gamma, self->root, rank, small, rank,
               1 / self->gamma, out, K);
}

/* Selects the free entries of slice s: those that are positive, and those at zero with r > 0, of which only the
 * released one if one bound is released at a time. */
static void
choose_free (const TosstNonnegative *self, int s, const double *beta, TosstNonnegativeWork *w)
{
  size_t K = self->K;
  const double *column = beta + s * K, *r = w->r + s * K;
  bool *is_free = w->is_free + s * K, same = w->factored[s];
  for (size_t k = 0; k < K; k++)
    {
      bool now = column[k] > 0 || (w->one_release ? s * K + k == w->released : r[k] > 0);
      same = same && now == is_free[k];
      is_free[k] = now;
    }
  w->factored[s] = same;
}

/* Gathers the columns of the head of the root whose is_free equals wanted into w->gathered. Returns their number. */
static int
gather_columns (const TosstNonnegative *self, const bool *is_free, bool wanted, TosstNonnegativeWork *w)
{
  size_t head = self->head, n = 0;
  for (size_t k = 0; k < (size_t)self->K; k++)
    if (is_free[k] == wanted)
      memcpy (w->gathered + head * n++, self->root + k * self->rank, sizeof *w->gathered * head);
  return (int)n;
}

/* Computes and factors C of slice s from its free entries or its zeros, whichever are fewer. */
static bool
factor_slice (const TosstNonnegative *self, int s, TosstNonnegativeWork *w)
{
  size_t K = self->K, head = self->head;
  const bool *is_free = w->is_free + s * K;
  double *C = w->factor + s * head * head;
  int count = 0;
  for (size_t k = 0; k < K; k++)
    count += is_free[k];
  bool by_zeros = 2 * (size_t)count > K;
  int n = gather_columns (self, is_free, !by_zeros, w);
  memset (C, 0, sizeof *C * head * head);
  for (size_t i = 0; i < head; i++)
    C[i * head + i] = self->gamma + (by_zeros ? self->eigenvalue[i] : 0);
  if (n > 0)
    cblas_dsyrk (CblasColMajor, CblasLower, CblasNoTrans, head, n, by_zeros ? -1 : 1, w->gathered, head, 1, C, head);
  return LAPACKE_dpotrf_work (LAPACK_COL_MAJOR, 'L', head, C, head) == 0;
}

/* out = N in for all slices; in is zero outside the free entries. */
static void
apply_slices (const TosstNonnegative *self, const double *in, double *out, TosstNonnegativeWork *w)
{
  size_t K = self->K, S = self->S, head = self->head;
  double *small = w->small;
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, head, S, K, 1, self->root, self->rank, in, K, 0, small, head);
  for (size_t s = 0; s < S; s++)
    {
      const double *L = w->factor + s * head * head;
      cblas_dtrsv (CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, head, L, head, small + s * head, 1);
      cblas_dtrsv (CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, head, L, head, small + s * head, 1);
    }
  memcpy (out, in, sizeof *out * K * S);
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, S, head, -1 / self->gamma, self->root, self->rank, small,
               head, 1 / self->gamma, out, K);
  for (size_t i = 0; i < K * S; i++)
    out[i] = w->is_free[i] ? out[i] : 0;
}

/* Adds the contribution of slice s: the rows gamma^{1/2} L^{-1} Rh_F diag (b^s) for the non-zero atoms, at slice s of
 * S times head rows, whose Gram matrix is added later; and the diagonal contribution of its zeros. */
static void
add_slice (const TosstNonnegative *self, int s, int atoms, TosstNonnegativeWork *w)
{
  size_t K = self->K, head = self->head, rows = head * self->S;
  const double *b = self->columns + s * K, *L = w->factor + s * head * head;
  double *first = w->gathered + s * head;
  const bool *is_free = w->is_free + s * K;
  double root_gamma = sqrt (self->gamma);
  for (int j = 0; j < atoms; j++)
    {
      int k = w->support[j];
      const double *from = self->root + (size_t)k * self->rank;
      double *to = first + j * rows, factor = is_free[k] ? root_gamma * b[k] : 0;
      for (size_t i = 0; i < head; i++)
        to[i] = factor * from[i];
      if (!is_free[k])
        w->schur[(size_t)j * atoms + j] += self->gamma * b[k] * b[k];
    }
  cblas_dtrsm (CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, head, atoms, 1, L, head, first, rows);
}

/* Initialises the Schur complement with the contribution to H of the rows of the root below the head, for the
 * non-zero atoms. */
static void
begin_schur (const TosstNonnegative *self, int atoms, TosstNonnegativeWork *w)
{
  size_t S = self->S, head = self->head, tail = self->rank - head, n = atoms;
  memset (w->schur, 0, sizeof *w->schur * n * n);
  if (tail == 0)
    return;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < tail; i++)
      w->tail[j * tail + i] = self->root[(size_t)w->support[j] * self->rank + head + i]
                              * sqrt (self->gamma / (self->gamma + self->eigenvalue[head + i]));
  cblas_dsyrk (CblasColMajor, CblasLower, CblasTrans, atoms, tail, 1, w->tail, tail, 0, w->schur, atoms);
  for (size_t j = 0; j < n; j++)
    for (size_t i = j; i < n; i++)
      w->schur[j * n + i] *= tosst_dot (S, self->b + w->support[j] * S, self->b + w->support[i] * S);
}

/* Factors the system of alpha. A matrix that is singular to rounding, which happens with more atoms than a tensor has
 * values, is regularised by a ridge; this is admissible because it is a preconditioner. */
static bool
factor_schur (int atoms, TosstNonnegativeWork *w)
{
  double most = 0;
  size_t n = atoms;
  for (size_t i = 0; i < n; i++)
    most = fmax (most, w->schur[i * n + i]);
  /* Packs the lower triangle by columns, because the Lasso's storage has no room for a second full matrix. */
  double *out = w->copy;
  for (size_t j = 0; j < n; out += n - j, j++)
    memcpy (out, w->schur + j * n + j, sizeof *out * (n - j));
  for (double ridge = 1e-14; ridge < 1e-3; ridge *= 100)
    {
      for (size_t i = 0; i < n; i++)
        w->schur[i * n + i] += ridge * most;
      if (LAPACKE_dpotrf_work (LAPACK_COL_MAJOR, 'L', n, w->schur, n) == 0)
        return true;
      const double *from = w->copy;
      for (size_t j = 0; j < n; from += n - j, j++)
        memcpy (w->schur + j * n + j, from, sizeof *from * (n - j));
    }
  return false;
}

/* w->conditioned = preconditioner times w->rest. */
static void
precondition (const TosstNonnegative *self, int atoms, TosstNonnegativeWork *w)
{
  size_t K = self->K, S = self->S;
  apply_slices (self, w->rest, w->conditioned, w);
  if (atoms == 0)
    return;
  for (int j = 0; j < atoms; j++)
    {
      size_t k = w->support[j];
      w->right[j] = self->gamma * tosst_dot_strided (S, self->b + k * S, w->conditioned + k, K);
    }
  LAPACKE_dpotrs_work (LAPACK_COL_MAJOR, 'L', atoms, 1, w->schur, atoms, w->right, atoms);
  memcpy (w->moved, w->rest, sizeof *w->moved * K * S);
  for (int j = 0; j < atoms; j++)
    {
      size_t k = w->support[j];
      for (size_t s = 0; s < S; s++)
        if (w->is_free[s * K + k])
          w->moved[s * K + k] += self->gamma * self->b[k * S + s] * w->right[j];
    }
  apply_slices (self, w->moved, w->conditioned, w);
}

/* out = G in + gamma in with the product in float: the system is solved to a few per cent, until nonmonotone steps
 * fail. */
static void
multiply_narrow (const TosstNonnegative *self, const double *in, double *out, TosstNonnegativeWork *w)
{
  int K = self->K, S = self->S, rank = self->rank;
  size_t n = (size_t)K * S;
  float *x = (float *)w->moved, *y = x + n, *small = (float *)w->small;
  for (size_t i = 0; i < n; i++)
    x[i] = (float)in[i];
  if (self->narrow_gram)
    cblas_sgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, K, S, K, 1, self->narrow, K, x, K, 0, y, K);
  else
    {
      cblas_sgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, rank, S, K, 1, self->narrow, rank, x, K, 0, small, rank);
      cblas_sgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, S, rank, 1, self->narrow, rank, small, rank, 0, y, K);
    }
  for (size_t i = 0; i < n; i++)
    out[i] = y[i] + self->gamma * in[i];
}

/* w->u = matrix of the step times w->direction, on the free entries. */
static void
multiply_direction (const TosstNonnegative *self, int atoms, TosstNonnegativeWork *w)
{
  size_t K = self->K, S = self->S;
  const double *in = w->direction;
  double *out = w->u;
  if (w->monotone)
    {
      memcpy (out, in, sizeof *out * K * S);
      multiply (self, 1, in, self->gamma, out, w->small);
    }
  else
    multiply_narrow (self, in, out, w);
  for (int j = 0; j < atoms; j++)
    {
      size_t k = w->support[j];
      const double *b = self->b + k * S;
      double weight = self->gamma * tosst_dot_strided (S, b, in + k, K) / self->norm[k];
      for (size_t s = 0; s < S; s++)
        out[s * K + k] -= weight * b[s];
    }
  for (size_t i = 0; i < K * S; i++)
    out[i] = w->is_free[i] ? out[i] : 0;
}

/* Computes w->step by preconditioned conjugate gradients from zero. */
static TosstStatus
iterate (const TosstNonnegative *self, TosstContext *context, int atoms, double target, TosstNonnegativeWork *w)
{
  size_t n = (size_t)self->K * self->S;
  double slope = 0;
  memset (w->step, 0, sizeof *w->step * n);
  for (int i = 0; i < STEP_ITERATIONS && tosst_nonnegative_largest (w->rest, n) > target; i++)
    {
      if (tosst_context_checkpoint (context))
        return TOSST_CANCELLED;
      precondition (self, atoms, w);
      double before = slope;
      slope = tosst_dot (n, w->rest, w->conditioned);
      if (i == 0)
        memcpy (w->direction, w->conditioned, sizeof *w->direction * n);
      else
        cblas_daxpby (n, 1, w->conditioned, 1, slope / before, w->direction, 1);
      multiply_direction (self, atoms, w);
      double curvature = tosst_dot (n, w->direction, w->u);
      if (!(slope > 0) || !(curvature > 0))
        break;
      cblas_daxpy (n, slope / curvature, w->direction, 1, w->step, 1);
      cblas_daxpy (n, -slope / curvature, w->u, 1, w->rest, 1);
    }
  return TOSST_OK;
}

/* Computes w->step from w->r; the residual of its linear system is at most target. Returns TOSST_ERROR_NUMERIC if a
 * factorisation fails. */
static TosstStatus
tosst_nonnegative_step (const TosstNonnegative *self, TosstContext *context, bool fixed, double target,
                        const double *alpha, const double *beta, TosstNonnegativeWork *w)
{
  size_t K = self->K, n = K * self->S;
  int atoms = 0;
  for (size_t k = 0; k < K && !fixed; k++)
    if (alpha[k] != 0)
      w->support[atoms++] = k;
  for (int s = 0; s < self->S; s++)
    {
      if (tosst_context_checkpoint (context))
        return TOSST_CANCELLED;
      choose_free (self, s, beta, w);
      if (!w->factored[s] && !factor_slice (self, s, w))
        return TOSST_ERROR_NUMERIC;
      w->factored[s] = true;
    }
  if (atoms > 0)
    {
      begin_schur (self, atoms, w);
      for (int s = 0; s < self->S; s++)
        {
          if (tosst_context_checkpoint (context))
            return TOSST_CANCELLED;
          add_slice (self, s, atoms, w);
        }
      int rows = self->S * self->head;
      cblas_dsyrk (CblasColMajor, CblasLower, CblasTrans, atoms, rows, 1, w->gathered, rows, 1, w->schur, atoms);
      if (!factor_schur (atoms, w))
        return TOSST_ERROR_NUMERIC;
    }
  for (size_t i = 0; i < n; i++)
    w->rest[i] = w->is_free[i] ? w->r[i] : 0;
  return iterate (self, context, atoms, target, w);
}

/* Data of the solver for beta >= 0: a root of V' V shared by all tensors, and the workspace of one worker. From V V'
 * = U diag (eigenvalues) U' the root is U' V; from V' V = Q diag (eigenvalues) Q', which is smaller for few atoms, it
 * is diag (eigenvalues)^{1/2} Q'. */

void
tosst_nonnegative_free (TosstNonnegative *self)
{
  if (!self)
    return;
  tosst_release (&self->memory);
  free (self);
}

/* Replaces a symmetric matrix by its eigenvectors as rows, by decreasing eigenvalue. */
static TosstStatus
find_eigenvectors (TosstContext *context, size_t n, double *A, double *values)
{
  if (LAPACKE_dsyevd (LAPACK_COL_MAJOR, 'V', 'L', n, A, n, values) != 0)
    return tosst_context_fail (context, TOSST_ERROR_NUMERIC, "eigenvalues of the atoms cannot be found");
  for (size_t i = 0; i < n / 2; i++)
    {
      double value = values[i];
      values[i] = values[n - 1 - i];
      values[n - 1 - i] = value;
      cblas_dswap (n, A + i * n, 1, A + (n - 1 - i) * n, 1);
    }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++)
      {
        double other = A[i * n + j];
        A[i * n + j] = A[j * n + i];
        A[j * n + i] = other;
      }
  for (size_t i = 0; i < n; i++)
    values[i] = fmax (values[i], 0);
  return TOSST_OK;
}

static TosstStatus
find_root (TosstNonnegative *self, TosstContext *context, const double *V, int D)
{
  size_t K = self->K, n = self->rank;
  double *square = self->rank < self->K ? malloc (sizeof *square * n * n) : self->root;
  if (!square)
    return tosst_coding_no_memory (context);
  bool by_atoms = square == self->root;
  TosstStatus status = tosst_dgemm (context, by_atoms ? CblasTrans : CblasNoTrans, by_atoms ? CblasNoTrans : CblasTrans,
                                    n, n, by_atoms ? (size_t)D : K, 1, V, D, V, D, 0, square, n);
  TOSST_THEN (status, find_eigenvectors (context, n, square, self->eigenvalue));
  if (status == TOSST_OK && by_atoms)
    for (size_t k = 0; k < K; k++)
      for (size_t i = 0; i < n; i++)
        self->root[k * n + i] *= sqrt (self->eigenvalue[i]);
  else if (status == TOSST_OK)
    status = tosst_dgemm (context, CblasNoTrans, CblasNoTrans, n, K, n, 1, square, n, V, D, 0, self->root, n);
  if (!by_atoms)
    free (square);
  return status;
}

/* The product of G with S columns costs 2 K^2 S operations with G and 4 K rank S with the root. */
static TosstStatus
round_narrow (TosstNonnegative *self, TosstContext *context)
{
  size_t K = self->K, n = self->rank;
  self->narrow_gram = K <= 2 * n;
  size_t rows = self->narrow_gram ? K : n;
  float *root = self->narrow = tosst_keep (&self->memory, malloc (sizeof *root * rows * K));
  if (self->narrow && self->narrow_gram)
    root = malloc (sizeof *root * n * K);
  if (!self->narrow || !root)
    return tosst_coding_no_memory (context);
  for (size_t i = 0; i < n * K; i++)
    root[i] = (float)self->root[i];
  if (self->narrow_gram)
    {
      cblas_sgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, K, n, 1, root, n, root, n, 0, self->narrow, K);
      free (root);
    }
  return TOSST_OK;
}

static void
fill (TosstNonnegative *self)
{
  size_t K = self->K, S = self->S;
  for (size_t k = 0; k < K; k++)
    {
      self->norm[k] = tosst_dot (S, self->b + k * S, self->b + k * S);
      for (size_t s = 0; s < S; s++)
        self->columns[s * K + k] = self->b[k * S + s];
    }
  self->head = 1;
  while (self->head < self->rank && self->head < MOST_HEAD && self->eigenvalue[self->head] > HEAD_PART * self->gamma)
    self->head++;
}

TosstStatus
tosst_nonnegative_new (TosstContext *context, const TosstDictionary *dictionary, int S, const double *H,
                       const TosstCodingOptions *options, TosstNonnegative **result)
{
  size_t K = dictionary->K, rank = dictionary->D < dictionary->K ? dictionary->D : dictionary->K;
  TosstNonnegative *self = calloc (1, sizeof *self);
  *result = NULL;
  if (!self)
    return tosst_coding_no_memory (context);
  *self = (TosstNonnegative){ .K = K,
                              .S = S,
                              .rank = rank,
                              .lambda = options->problem.lambda,
                              .gamma = options->problem.gamma,
                              .signed_alpha = options->problem.signed_alpha,
                              .b = dictionary->b,
                              .H = H };
  TosstMemory *memory = &self->memory;
  self->root = tosst_keep (memory, malloc (sizeof *self->root * rank * K));
  self->eigenvalue = tosst_keep (memory, malloc (sizeof *self->eigenvalue * rank));
  self->columns = tosst_keep (memory, malloc (sizeof *self->columns * K * S));
  self->norm = tosst_keep (memory, malloc (sizeof *self->norm * K));
  TosstStatus status
      = memory->failed ? tosst_coding_no_memory (context) : find_root (self, context, dictionary->V, dictionary->D);
  if (status == TOSST_OK)
    {
      fill (self);
      status = round_narrow (self, context);
    }
  if (status == TOSST_OK)
    *result = self;
  else
    tosst_nonnegative_free (self);
  return status;
}

void
tosst_nonnegative_set (TosstNonnegative *self, double lambda, double gamma)
{
  self->lambda = lambda;
  self->gamma = gamma;
  fill (self);
}

size_t
tosst_nonnegative_bytes (int D, int S, int K)
{
  size_t k = K, rank = D < K ? D : K, square = D < K ? rank * rank : 0;
  size_t narrow = k <= 2 * rank ? k * k + rank * k : rank * k;
  /* The workspace of dsyevd is twice the matrix. */
  return (rank * k + k * S + k + rank + square + 2 * rank * rank) * sizeof (double) + narrow * sizeof (float);
}

int
tosst_nonnegative_sign (const double *b, int S, bool signed_alpha)
{
  bool positive = false, negative = false;
  for (int s = 0; s < S; s++)
    {
      positive = positive || b[s] > 0;
      negative = negative || b[s] < 0;
    }
  return positive && !negative ? 1 : negative && !positive && signed_alpha ? -1 : 0;
}

static size_t
most_head (size_t D, size_t K)
{
  size_t rank = D < K ? D : K;
  return rank < MOST_HEAD ? rank : MOST_HEAD;
}

size_t
tosst_nonnegative_work_bytes (int D, int S, int K)
{
  size_t k = K, s = S, head = most_head (D, K), rank = D < K ? D : K;
  size_t numbers = 9 * k * s + 4 * k + rank * s + s * head * head + s * head * k + rank * k;
  return numbers * sizeof (double) + k * sizeof (int) + s * k + s + tosst_lasso_work_bytes (K, 1, K, sizeof (double));
}

TosstNonnegativeWork *
tosst_nonnegative_work_new (int D, int S, int K)
{
  size_t k = K, s = S, n = k * s, head = most_head (D, K), rank = D < K ? D : K;
  TosstNonnegativeWork *w = calloc (1, sizeof *w);
  if (!w)
    return NULL;
  TosstMemory *memory = &w->memory;
  double **values[]
      = { &w->r, &w->u, &w->moved, &w->next, &w->step, &w->rest, &w->direction, &w->conditioned, &w->kept };
  double **rows[] = { &w->kept_alpha, &w->next_alpha, &w->q, &w->right };
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    *values[i] = tosst_keep (memory, malloc (sizeof (double) * n));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i] = tosst_keep (memory, malloc (sizeof (double) * k));
  w->small = tosst_keep (memory, malloc (sizeof (double) * rank * s));
  w->factor = tosst_keep (memory, malloc (sizeof (double) * s * head * head));
  w->gathered = tosst_keep (memory, malloc (sizeof (double) * s * head * k));
  w->tail = tosst_keep (memory, malloc (sizeof (double) * rank * k));
  w->support = tosst_keep (memory, malloc (sizeof (int) * k));
  w->is_free = tosst_keep (memory, malloc (sizeof (bool) * n));
  w->factored = tosst_keep (memory, calloc (s, sizeof (bool)));
  w->lasso = tosst_lasso_work_new (K, 1, sizeof (double));
  if (memory->failed || !w->lasso)
    {
      tosst_nonnegative_work_free (w);
      return NULL;
    }
  /* The Lasso is used for the starting point only: its matrices then serve the steps. */
  w->schur = w->lasso->L;
  w->copy = w->lasso->G;
  return w;
}

void
tosst_nonnegative_work_free (TosstNonnegativeWork *w)
{
  if (!w)
    return;
  tosst_release (&w->memory);
  tosst_lasso_work_free (w->lasso);
  free (w);
}

/* Coordinate descent by exact minimisation over beta_k and alpha_k in turn, which never increases the objective. With
 * y = R beta, which is updated after each coordinate, (G beta)_k is the product of column k of R and y. */
static void
descend (const TosstNonnegative *self, const double *c, bool fixed, double *alpha, double *beta,
         TosstNonnegativeWork *w)
{
  size_t K = self->K, S = self->S, rank = self->rank;
  double product[S], step[S], next[S], *y = w->small;
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, rank, S, K, 1, self->root, rank, beta, K, 0, y, rank);
  for (int pass = 0; pass < DESCENT_PASSES; pass++)
    for (size_t k = 0; k < K; k++)
      {
        const double *b = self->b + k * S, *column = self->root + k * rank;
        double square = tosst_dot (rank, column, column);
        cblas_dgemv (CblasColMajor, CblasTrans, rank, S, 1, y, rank, column, 1, 0, product, 1);
        for (int round = 0; round < (fixed ? 1 : 3); round++)
          {
            double weight = 0;
            for (size_t s = 0; s < S; s++)
              {
                double free_beta = c[s * K + k] - product[s] + square * beta[s * K + k];
                next[s] = fmax (free_beta + self->gamma * b[s] * alpha[k], 0) / (square + self->gamma);
                weight += b[s] * next[s];
              }
            if (!fixed)
              alpha[k] = best_alpha (self, (int)k, weight);
          }
        for (size_t s = 0; s < S; s++)
          {
            step[s] = next[s] - beta[s * K + k];
            beta[s * K + k] = next[s];
          }
        cblas_dger (CblasColMajor, rank, S, 1, column, 1, step, 1, y, rank);
      }
}

/* Sets the starting point: the Lasso's alpha, or the given one, and the corresponding unconstrained beta with
 * negative entries set to zero. */
static void
begin (const TosstNonnegative *self, const double *c, TosstNonnegativeStart start, double scale, double *alpha,
       double *beta, TosstNonnegativeWork *w)
{
  size_t K = self->K, S = self->S;
  if (start == TOSST_NONNEGATIVE_COLD)
    {
      invert (self, c, w->u, w->small);
      tie (self, w->u, w->q);
      cblas_dscal (self->K, self->gamma, w->q, 1);
      memset (alpha, 0, sizeof *alpha * K);
      tosst_kernels ()->lasso_double (self->H, self->K, w->q, self->lambda / 2, self->signed_alpha, 1e-6 * scale, alpha,
                                      w->lasso);
    }
  memcpy (w->r, c, sizeof *w->r * K * S);
  add_tied (self, alpha, w->r);
  invert (self, w->r, beta, w->small);
  for (size_t i = 0; i < K * S; i++)
    beta[i] = fmax (beta[i], 0);
  if (start != TOSST_NONNEGATIVE_FIXED)
    best_alphas (self, beta, alpha);
}

/* Computes the point at a fraction `length` of the step, with negative entries set to zero, into w->next and
 * w->next_alpha. Returns the change of the objective. */
static double
look_ahead (const TosstNonnegative *self, bool fixed, double length, const double *alpha, const double *beta,
            TosstNonnegativeWork *w)
{
  size_t n = (size_t)self->K * self->S;
  for (size_t i = 0; i < n; i++)
    {
      w->next[i] = beta[i] + length * w->step[i] > 0 ? beta[i] + length * w->step[i] : 0;
      w->moved[i] = w->next[i] - beta[i];
    }
  if (fixed)
    memcpy (w->next_alpha, alpha, sizeof *alpha * self->K);
  else
    best_alphas (self, w->next, w->next_alpha);
  return tosst_nonnegative_change (self, alpha, beta, w);
}

static void
copy_point (const TosstNonnegative *self, const double *from_alpha, const double *from_beta, double *alpha,
            double *beta)
{
  memcpy (alpha, from_alpha, sizeof *alpha * self->K);
  memcpy (beta, from_beta, sizeof *beta * self->K * self->S);
}

static void
accept (const TosstNonnegative *self, double *alpha, double *beta, TosstNonnegativeWork *w)
{
  /* Updates r for the move evaluated by the last look_ahead(), for which w->u contains G w->moved. */
  size_t K = self->K;
  for (size_t k = 0; k < K; k++)
    w->q[k] = w->next_alpha[k] - alpha[k];
  for (size_t i = 0; i < K * self->S; i++)
    w->r[i] -= w->u[i] + self->gamma * w->moved[i];
  add_tied (self, w->q, w->r);
  copy_point (self, w->next_alpha, w->next, alpha, beta);
}

/* Fraction of the step at which the first non-zero alpha_k or beta_k^s becomes zero, 1 if none does; the quadratic
 * model of the step is valid up to this point. */
static double
first_crossing (const TosstNonnegative *self, bool fixed, const double *alpha, const double *beta,
                TosstNonnegativeWork *w)
{
  size_t K = self->K, n = K * self->S;
  double first = 1;
  tie (self, w->step, w->q);
  for (size_t k = 0; k < K && !fixed; k++)
    {
      double moved = alpha[k] != 0 ? w->q[k] / self->norm[k] : 0;
      if (moved * alpha[k] < 0)
        first = fmin (first, -alpha[k] / moved);
    }
  for (size_t i = 0; i < n; i++)
    if (beta[i] > 0 && w->step[i] < 0)
      first = fmin (first, -beta[i] / w->step[i]);
  return fmin (first * (1 + BEYOND_BOUND), 1);
}

/* Monotone step: halved while it does not lower the objective, then cut at the first bound, which the next step
 * keeps; otherwise coordinate descent. */
static bool
advance_monotone (const TosstNonnegative *self, const double *c, bool fixed, bool has_step, double *alpha, double *beta,
                  TosstNonnegativeWork *w)
{
  double change = INFINITY, length = 2;
  while (has_step && !(change < 0) && length > NEWTON_SHORTEST)
    change = look_ahead (self, fixed, length /= 2, alpha, beta, w);
  if (has_step && !(change < 0))
    change = look_ahead (self, fixed, first_crossing (self, fixed, alpha, beta, w), alpha, beta, w);
  if (change < 0)
    copy_point (self, w->next_alpha, w->next, alpha, beta);
  else
    descend (self, c, fixed, alpha, beta, w);
  return false;
}

/* Selects the zero to release: the one with the largest r, provided that the residual of the positive entries is
 * small in comparison. */
static void
choose_released (const TosstNonnegative *self, const double *beta, TosstNonnegativeWork *w)
{
  size_t n = (size_t)self->K * self->S;
  double rest = 0, most = 0;
  w->released = n;
  for (size_t i = 0; i < n; i++)
    if (beta[i] > 0)
      rest = fmax (rest, fabs (w->r[i]));
    else if (w->r[i] > most)
      {
        most = w->r[i];
        w->released = i;
      }
  if (rest > RELEASE_BELOW * most)
    w->released = n;
}

/* Moves to a point of lower objective, by the step or by coordinate descent; or, if no length of the step lowers it,
 * by full nonmonotone steps for a limited number of iterations, once. Returns whether w->r belongs to the new point. */
static bool
advance (const TosstNonnegative *self, const double *c, bool fixed, bool has_step, double *alpha, double *beta,
         TosstNonnegativeWork *w)
{
  if (w->one_release)
    {
      /* Step of the active-set method: up to the first bound. */
      if (has_step && look_ahead (self, fixed, first_crossing (self, fixed, alpha, beta, w), alpha, beta, w) < 0)
        copy_point (self, w->next_alpha, w->next, alpha, beta);
      else
        descend (self, c, fixed, alpha, beta, w);
      return false;
    }
  if (w->monotone)
    return advance_monotone (self, c, fixed, has_step, alpha, beta, w);
  double change = has_step ? look_ahead (self, fixed, 1, alpha, beta, w) : INFINITY, length = 1;
  if (w->nonmonotone == 0)
    {
      while (has_step && !(change < 0) && length > NEWTON_SHORTEST)
        change = look_ahead (self, fixed, length /= 2, alpha, beta, w);
      if (change < 0)
        {
          accept (self, alpha, beta, w);
          return true;
        }
      if (!has_step)
        {
          descend (self, c, fixed, alpha, beta, w);
          return false;
        }
      copy_point (self, alpha, beta, w->kept_alpha, w->kept);
      w->rise = 0;
      w->nonmonotone = NONMONOTONE_STEPS;
      change = look_ahead (self, fixed, 1, alpha, beta, w);
    }
  w->rise += change;
  if (has_step)
    accept (self, alpha, beta, w);
  if (w->rise < 0)
    w->nonmonotone = 0;
  else if (!has_step || --w->nonmonotone == 0)
    {
      w->nonmonotone = 0;
      w->monotone = true;
      copy_point (self, w->kept_alpha, w->kept, alpha, beta);
      descend (self, c, fixed, alpha, beta, w);
      return false;
    }
  return true;
}

TosstStatus
tosst_nonnegative_solve (const TosstNonnegative *self, TosstContext *context, const double *c,
                         TosstNonnegativeStart start, double tolerance, double *alpha, double *beta, double *kkt,
                         TosstNonnegativeWork *w)
{
  size_t n = (size_t)self->K * self->S, monotone = 0;
  bool fixed = start == TOSST_NONNEGATIVE_FIXED, fresh = false;
  double scale = tosst_nonnegative_largest (c, n), best = INFINITY, worst;
  int stale = 0;

  begin (self, c, start, scale, alpha, beta, w);
  memset (w->factored, 0, sizeof *w->factored * self->S);
  w->nonmonotone = 0;
  w->monotone = w->one_release = false;
  for (int i = 0;; i++)
    {
      if (!fresh)
        tosst_nonnegative_gradient (self, c, alpha, beta, w);
      worst = tosst_nonnegative_violation (self, fixed, alpha, beta, w);
      if (fresh && worst <= tolerance * scale)
        {
          /* The certificate is computed from a recomputed gradient. */
          tosst_nonnegative_gradient (self, c, alpha, beta, w);
          worst = tosst_nonnegative_violation (self, fixed, alpha, beta, w);
        }
      stale = worst < best ? 0 : stale + 1;
      best = fmin (best, worst);
      int patience = w->one_release ? RELEASE_PATIENCE : NEWTON_PATIENCE;
      if (worst <= tolerance * scale || i == NEWTON_STEPS || (stale > patience && worst <= 1e-7 * scale))
        break;
      monotone += w->monotone;
      w->one_release = monotone > (n < MONOTONE_STEPS ? n : MONOTONE_STEPS);
      if (w->one_release)
        choose_released (self, beta, w);
      double target = w->one_release ? NEWTON_EXACT * worst
                      : w->monotone  ? fmax (NEWTON_EXACT * worst, 0.1 * tolerance * scale)
                                     : fmax (NEWTON_INEXACT * worst, 0.3 * tolerance * scale);
      TosstStatus status = tosst_nonnegative_step (self, context, fixed, target, alpha, beta, w);
      if (status == TOSST_CANCELLED)
        return status;
      fresh = advance (self, c, fixed, status == TOSST_OK, alpha, beta, w) && i % 8 != 7;
    }
  *kkt = scale > 0 ? worst / scale : 0;
  return TOSST_OK;
}
