/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Finite Newton for
 *
 *     f(w) = 1/2 ||w||^2 + C sum_i max (0, 1 - t_i w' x_i)^2          x_i with a trailing 1, w with w_0 at its end
 *
 * f is piecewise quadratic and strongly convex. With A = {i : t_i w' x_i < 1} the gradient is w - 2 C X_A' (t_A - X_A
 * w), and the minimiser of the quadratic piece that contains w has two equivalent forms:
 *
 *     primal  (I + 2 C X_A' X_A) w = 2 C X_A' t_A                     order p + 1
 *     dual    (X_A X_A' + I / (2 C)) beta = t_A,  w = X_A' beta       order |A|
 *
 * Each step solves the smaller of them, followed by an exact line search from w to that point. Once the piece
 * contains the solution, one full step reaches it. Both forms give beta = 2 C (t_A - X_A w), so w is represented as
 * X' alpha together with the products margin = X w; with a Gram matrix no vector of length p is accessed until the
 * end.
 *
 * The initial active set matters: at w = 0 every sample is active. The first active set is therefore estimated: all
 * samples of the class, the other samples most similar to its mean, which contain most of the final A, and some
 * samples of the whole set. Without the last group w_0 and the components of w common to all samples are
 * undetermined, and the first step may violate nearly all samples. If an active set is large nevertheless, it is not
 * the final one, and a few steps of conjugate gradients towards its minimiser suffice. */

#include "engine/classify/svm-private.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/vector.h"
#include "engine/classify/tuning.h"

/* Derivative of s -> f (w + s d) and its slope. linear: w' d; square: d' d. candidate holds X d here. */
static double
line_derivative (const TosstSvmProblem *problem, const TosstSvmWorkspace *work, double s, double linear, double square,
                 double *slope)
{
  const double *candidate = work->candidate, *target = work->target, *margin = work->margin;
  double value = 0.0, curvature = 0.0;

#pragma omp simd reduction(+ : value, curvature) aligned(candidate, target, margin : 64)
  for (size_t i = 0; i < problem->n; i++)
    {
      double short_of = target[i] - margin[i] - s * candidate[i];
      double step = target[i] * short_of > 0.0 ? candidate[i] : 0.0;
      value -= short_of * step;
      curvature += step * step;
    }
  *slope = square + 2.0 * problem->c * curvature;
  return linear + s * square + 2.0 * problem->c * value;
}

/* Zero of an increasing piecewise linear function by bracketed Newton steps. Returns 0 if there is no descent. */
static double
search_line (const TosstSvmProblem *problem, const TosstSvmWorkspace *work, double linear, double square)
{
  double slope, low = 0.0, high = INFINITY, s = 1.0;
  double first = line_derivative (problem, work, 0.0, linear, square, &slope);

  if (!(first < 0.0))
    return 0.0;
  for (int i = 0; i < 60; i++)
    {
      double value = line_derivative (problem, work, s, linear, square, &slope), next;
      if (fabs (value) <= -1e-11 * first)
        return s;
      if (value < 0.0)
        low = s;
      else
        high = s;
      next = s - value / slope;
      s = next > low && next < high ? next : isinf (high) ? 2.0 * s : 0.5 * (low + high);
    }
  return s;
}

/* Moves alpha and margin towards beta and candidate by exact line search. Returns false if that is not a descent
 * direction. */
static bool
move (const TosstSvmProblem *problem, TosstSvmWorkspace *work)
{
  double linear, square, s;

  for (size_t i = 0; i < problem->n; i++)
    work->candidate[i] -= work->margin[i];
  linear = tosst_dot (problem->n, work->alpha, work->candidate);
  square = tosst_dot (problem->n, work->beta, work->candidate) - linear;
  s = search_line (problem, work, linear, fmax (square, 0.0));
  for (size_t i = 0; i < problem->n; i++)
    {
      work->margin[i] += s * work->candidate[i];
      /* A full step must produce exact zeros: the cost of later products depends on the support of alpha. */
      work->alpha[i] = s == 1.0 ? work->beta[i] : work->alpha[i] + s * (work->beta[i] - work->alpha[i]);
    }
  return s > 0.0;
}

static size_t
find_active (const TosstSvmProblem *problem, TosstSvmWorkspace *work)
{
  size_t count = 0;

  for (size_t i = 0; i < problem->n; i++)
    if (work->target[i] * work->margin[i] < fabs (work->target[i]))
      work->active[count++] = i;
  return count;
}

/* ||X' r|| for n coefficients r, many of them zero. Overwrites work->active and work->beta. */
static double
combination_norm (const TosstSvmProblem *problem, TosstSvmWorkspace *work, const double *r)
{
  double *value = work->beta, sum = 0.0;
  size_t count = 0;

  for (size_t i = 0; i < problem->n; i++)
    if (r[i] != 0.0)
      {
        value[count] = r[i];
        work->active[count++] = i;
      }
  if (!problem->gram)
    {
      tosst_svm_combine_rows (problem, work->active, count, value, work->w);
      return tosst_norm ((size_t)problem->p + 1, work->w);
    }
  for (size_t a = 0; a < count; a++)
    {
      const double *row = problem->gram + work->active[a] * problem->n;
      double even = 0.0, odd = 0.0;
      for (size_t b = 0; b + 2 <= a; b += 2)
        {
          even += row[work->active[b]] * value[b];
          odd += row[work->active[b + 1]] * value[b + 1];
        }
      if (a % 2 == 1)
        even += row[work->active[a - 1]] * value[a - 1];
      sum += value[a] * (2.0 * (even + odd) + row[work->active[a]] * value[a]);
    }
  return sqrt (fmax (sum, 0.0));
}

/* Computes residual = r = alpha - 2 C (t - margin)_A, where X' r is the gradient. */
static void
find_residual (const TosstSvmProblem *problem, TosstSvmWorkspace *work)
{
  for (size_t i = 0; i < problem->n; i++)
    {
      double short_of = work->target[i] - work->margin[i];
      work->residual[i] = work->alpha[i] - (work->target[i] * short_of > 0.0 ? 2.0 * problem->c * short_of : 0.0);
    }
}

/* Selects the value of rank `rank` (0: the largest) among n > rank values. Reorders them. */
static double
ranked (double *x, size_t n, size_t rank)
{
  size_t low = 0, high = n - 1;

  while (low < high)
    {
      double pivot = x[low + (high - low) / 2];
      size_t i = low, j = high;
      for (;; i++, j--)
        {
          while (x[i] > pivot)
            i++;
          while (x[j] < pivot)
            j--;
          if (i >= j)
            break;
          double other = x[i];
          x[i] = x[j];
          x[j] = other;
        }
      /* Values low .. j are at least the pivot, the others at most. */
      if (rank <= j)
        high = j;
      else
        low = j + 1;
    }
  return x[low];
}

/* Sets candidate to the similarity of each sample to the sum of the class. */
static void
similarity (const TosstSvmProblem *problem, TosstSvmWorkspace *work)
{
  size_t members = 0;

  for (size_t i = 0; i < problem->n; i++)
    if (work->target[i] > 0.0)
      {
        work->active[members] = i;
        work->residual[members++] = 1.0;
      }
  memset (work->candidate, 0, problem->n * sizeof *work->candidate);
  if (problem->gram)
    for (size_t a = 0; a < members; a++)
      for (size_t i = 0; i < problem->n; i++)
        work->candidate[i] += problem->gram[work->active[a] * problem->n + i];
  else
    {
      tosst_svm_combine_rows (problem, work->active, members, work->residual, work->w);
      for (size_t i = 0; i < problem->n; i++)
        work->candidate[i] = tosst_svm_row_product (problem, i, work->w);
    }
}

/* Initial active set: the class, the other samples most similar to it and some of all samples. Returns their number. */
static size_t
guess_active (const TosstSvmProblem *problem, TosstSvmWorkspace *work)
{
  size_t others = 0, members = 0, wanted, count = 0, stride = (problem->n + FIRST_ANYWHERE - 1) / FIRST_ANYWHERE;
  double least = -INFINITY;

  similarity (problem, work);
  for (size_t i = 0; i < problem->n; i++)
    if (work->target[i] < 0.0)
      work->beta[others++] = work->candidate[i];
    else
      members += work->target[i] > 0.0;
  wanted = 4 * members > FIRST_NEGATIVES ? 4 * members : FIRST_NEGATIVES;
  if (wanted < others)
    least = ranked (work->beta, others, wanted);
  for (size_t i = 0; i < problem->n; i++)
    if (work->target[i] > 0.0 || (work->target[i] < 0.0 && (work->candidate[i] > least || i % stride == stride / 2)))
      work->active[count++] = i;
  return count;
}

static TosstStatus
fail (TosstContext *context, TosstStatus status, int positive, double reached)
{
  if (status == TOSST_ERROR_MEMORY)
    return tosst_context_fail (context, status, "not enough memory to train the classifier");
  if (status == TOSST_ERROR_NUMERIC)
    return tosst_context_fail (context, status, "the classifier of class %d did not converge (relative gradient %.1e)",
                               positive, reached);
  return status;
}

static double
hinge_loss (const TosstSvmProblem *problem, const TosstSvmWorkspace *work)
{
  const double *target = work->target, *margin = work->margin;
  double loss = 0.0;

#pragma omp simd reduction(+ : loss) aligned(target, margin : 64)
  for (size_t i = 0; i < problem->n; i++)
    {
      double hinge = fabs (target[i]) - target[i] * margin[i];
      loss += hinge > 0.0 ? hinge * hinge : 0.0;
    }
  return problem->c * loss;
}

/* Estimate of the rounding error of the gradient; size: ||w||. A product w' x_i has an error of a few units in the
 * last place of ||w|| ||x_i||, and the gradient 2 C times that for every violated sample, along x_i. The sum over
 * samples is rounded too, even at w = 0, where classes with equal means cancel. */
static double
rounding (const TosstSvmProblem *problem, const TosstSvmWorkspace *work, double size)
{
  double sum = 0.0;

  for (size_t i = 0; i < problem->n; i++)
    if (work->target[i] * work->margin[i] < fabs (work->target[i]))
      {
        double square = 1.0;
        const float *x = problem->x ? problem->x + i * (size_t)problem->p : NULL;
        for (int j = 0; x && j < problem->p; j++)
          square += (double)x[j] * x[j];
        if (!x)
          square = problem->gram[i * problem->n + i];
        sum += square * size + sqrt (square) * fabs (work->target[i] - work->margin[i]);
      }
  return 4.0 * DBL_EPSILON * 2.0 * problem->c * sum;
}

/* f is strongly convex with modulus 1, so ||gradient||^2 / 2 bounds the distance of f (w) from the minimum. A
 * gradient that is small relative to its value at zero, which is large for a large C, does not imply a small
 * distance, so that both criteria are required. */
static bool
is_solved (const TosstSvmProblem *problem, double gradient, double scale, double value)
{
  return gradient <= problem->tolerance * scale && 0.5 * gradient * gradient <= OBJECTIVE_GAP * value;
}

double
tosst_svm_sum_norm (const TosstSvmProblem *problem, int positive, TosstSvmWorkspace *work)
{
  for (size_t i = 0; i < problem->n; i++)
    work->target[i] = tosst_svm_target (problem, positive, i);
  return combination_norm (problem, work, work->target);
}

/* is_solved() from bounds of the gradient, which avoids a product with the Gram matrix, the main cost of a step:
 * sum_i |r_i| ||x_i|| from above and |w' X' r| / ||w|| from below. *gradient: its norm, or such a bound. */
static bool
is_solved_here (const TosstSvmProblem *problem, TosstSvmWorkspace *work, double scale, double value, double *gradient,
                bool *exact)
{
  double upper = 0.0, along, square;

  find_residual (problem, work);
  *exact = false;
  for (size_t i = 0; problem->gram && i < problem->n; i++)
    if (work->residual[i] != 0.0)
      upper += fabs (work->residual[i]) * sqrt (problem->gram[i * problem->n + i]);
  along = tosst_dot (problem->n, work->residual, work->margin);
  square = tosst_dot (problem->n, work->alpha, work->margin);
  if (problem->gram && is_solved (problem, *gradient = upper, scale, value))
    return true;
  if (problem->gram && square > 0.0 && !is_solved (problem, *gradient = fabs (along) / sqrt (square), scale, value))
    return false;
  *exact = true;
  *gradient = combination_norm (problem, work, work->residual);
  return is_solved (problem, *gradient, scale, value);
}

/* Newton steps from the initial active set work->active of count samples, up to a maximum number. */
static TosstStatus
descend (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work, size_t count, int most,
         double scale, TosstSvmDescent *descent)
{
  double gradient = INFINITY, least = INFINITY;
  TosstStatus status;
  bool exact = false;
  int idle = 0;

  descent->solved = false;
  for (int step = 0;; step++)
    {
      bool roughly = step > 0 && step <= ROUGH_STEPS && tosst_svm_is_large (problem, count);
      status = roughly ? tosst_svm_cg_steps (context, problem, work, count)
                       : tosst_svm_solve_active_set (context, problem, work, count);
      if (status != TOSST_OK)
        return status;
      /* The initial active set need not give a descent direction; the search then starts from the current point. */
      if (!move (problem, work) && step > 0)
        break;
      /* ||w||^2 = alpha' margin. */
      double value = hinge_loss (problem, work) + 0.5 * tosst_dot (problem->n, work->alpha, work->margin);
      descent->solved = is_solved_here (problem, work, scale, value, &gradient, &exact);
      idle = value < least - LEAST_GAIN * fabs (value) ? 0 : idle + 1;
      least = fmin (least, value);
      if (descent->solved || idle == IDLE_STEPS || step == most)
        break;
      count = find_active (problem, work);
    }
  if (!descent->solved && !exact)
    {
      find_residual (problem, work);
      gradient = combination_norm (problem, work, work->residual);
    }
  descent->reached = gradient / scale;
  descent->at_rounding = !descent->solved && gradient <= rounding (problem, work, sqrt (2.0 * fmax (least, 0.0)));
  return TOSST_OK;
}

/* For a large C and inseparable samples the pieces are nearly singular, and exact steps change the active set by one
 * sample each. The solution for a smaller C has nearly the same active set: continuation in C from below, by factors
 * of sqrt 10. */
static TosstStatus
continue_upwards (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work, double scale,
                  TosstSvmDescent *descent)
{
  TosstSvmProblem easier = *problem;
  TosstStatus status = TOSST_OK;

  for (size_t i = 0; i < problem->n; i++)
    work->alpha[i] = work->margin[i] = 0.0;
  for (int power = EASIER; power >= 0 && status == TOSST_OK; power--)
    {
      easier.c = problem->c * pow (CONTINUATION, -power);
      status = descend (context, &easier, work, find_active (&easier, work), MAX_STEPS, scale * easier.c / problem->c,
                        descent);
    }
  return status;
}

/* Computes ||gradient|| and the gradient (p + 1) at w from its margins. work->active becomes the active set of w. */
static double
gradient_at (const TosstSvmProblem *problem, TosstSvmWorkspace *work, const double *w, double *gradient, size_t *count)
{
  *count = find_active (problem, work);
  for (size_t a = 0; a < *count; a++)
    {
      size_t i = work->active[a];
      work->residual[a] = 2.0 * problem->c * (work->target[i] - work->margin[i]);
    }
  tosst_svm_combine_rows (problem, work->active, *count, work->residual, gradient);
  for (int j = 0; j <= problem->p; j++)
    gradient[j] = w[j] - gradient[j];
  return tosst_norm ((size_t)problem->p + 1, gradient);
}

static void
find_margins (const TosstSvmProblem *problem, TosstSvmWorkspace *work, const double *w)
{
  for (size_t i = 0; i < problem->n; i++)
    work->margin[i] = tosst_svm_row_product (problem, i, w);
}

/* w computed from alpha, which 2 C amplifies from small differences, is not consistent with the margins in finite
 * precision: for a large C and long samples it needs Newton steps on w itself until the gradient no longer decreases.
 * Margins are those of w. gradient, best: p + 1 each. */
static TosstStatus
polish (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work, double scale, double *w,
        double *gradient, double *best, TosstSvmDescent *descent)
{
  size_t count = 0, bytes = ((size_t)problem->p + 1) * sizeof *w;
  double least = INFINITY;
  TosstStatus status = TOSST_OK;
  int idle = 0;

  for (int step = 0;; step++)
    {
      double norm = gradient_at (problem, work, w, gradient, &count);
      idle = norm < least ? 0 : idle + 1;
      if (idle == 0)
        {
          double value = 0.5 * tosst_dot ((size_t)problem->p + 1, w, w) + hinge_loss (problem, work);
          least = norm;
          memcpy (best, w, bytes);
          descent->solved = is_solved (problem, norm, scale, value);
          descent->at_rounding
              = !descent->solved && norm <= rounding (problem, work, sqrt (tosst_dot ((size_t)problem->p + 1, w, w)));
        }
      if (descent->solved || step == MOST_POLISH || idle == IDLE_STEPS || !isfinite (norm))
        break;
      status = tosst_svm_solve_hessian (context, problem, work, count, gradient);
      if (status != TOSST_OK)
        break;
      for (int j = 0; j <= problem->p; j++)
        w[j] -= gradient[j];
      find_margins (problem, work, w);
    }
  if (memcmp (w, best, bytes) != 0)
    {
      memcpy (w, best, bytes);
      find_margins (problem, work, w);
    }
  descent->reached = scale > 0.0 ? least / scale : 0.0;
  return status == TOSST_ERROR_NUMERIC ? TOSST_OK : status;
}

static void
begin_class (const TosstSvmProblem *problem, int positive, TosstSvmWorkspace *work)
{
  for (size_t i = 0; i < problem->n; i++)
    {
      work->target[i] = tosst_svm_target (problem, positive, i);
      work->alpha[i] = work->margin[i] = 0.0;
    }
}

/* Leaves the solution in work->alpha. */
static TosstStatus
find_alpha (TosstContext *context, const TosstSvmProblem *problem, int positive, double scale, TosstSvmWorkspace *work,
            TosstSvmDescent *descent)
{
  TosstStatus status;

  *descent = (TosstSvmDescent){ .reached = INFINITY };
  begin_class (problem, positive, work);
  status = descend (context, problem, work, guess_active (problem, work), FIRST_STEPS, scale, descent);
  if (status == TOSST_ERROR_NUMERIC || (status == TOSST_OK && !descent->solved && !descent->at_rounding))
    status = continue_upwards (context, problem, work, scale, descent);
  return status == TOSST_OK ? TOSST_OK : fail (context, status, positive, descent->reached);
}

TosstStatus
tosst_svm_solve_class (TosstContext *context, const TosstSvmProblem *problem, int positive, double scale,
                       TosstSvmWorkspace *work, double *w, TosstSvmDescent *descent)
{
  TosstStatus status = find_alpha (context, problem, positive, scale, work, descent);

  if (status != TOSST_OK)
    return status;
  /* w = X' alpha. */
  size_t count = 0;
  for (size_t i = 0; i < problem->n; i++)
    if (work->alpha[i] != 0.0)
      {
        work->residual[count] = work->alpha[i];
        work->active[count++] = i;
      }
  tosst_svm_combine_rows (problem, work->active, count, work->residual, w);
  return TOSST_OK;
}

TosstStatus
tosst_svm_refine (TosstContext *context, const TosstSvmProblem *problem, int positive, double scale,
                  const double *margins, size_t stride, TosstSvmWorkspace *work, double *w, double *objective,
                  TosstSvmDescent *descent)
{
  double *space = malloc (2 * ((size_t)problem->p + 1) * sizeof *space);
  TosstStatus status;

  if (!space)
    return fail (context, TOSST_ERROR_MEMORY, positive, 0.0);
  begin_class (problem, positive, work);
  for (size_t i = 0; i < problem->n; i++)
    work->margin[i] = margins[i * stride];
  status = polish (context, problem, work, scale, w, space, space + problem->p + 1, descent);
  free (space);
  /* If rounding ends the descent, the gradient alone decides. */
  if (status == TOSST_OK && descent->reached > problem->tolerance && !descent->at_rounding)
    status = TOSST_ERROR_NUMERIC;
  if (status == TOSST_OK && objective)
    *objective = 0.5 * tosst_dot ((size_t)problem->p + 1, w, w) + hinge_loss (problem, work);
  return status == TOSST_OK ? TOSST_OK : fail (context, status, positive, descent->reached);
}

/* polish() for coefficients alpha: margins are computed from alpha, as users of the machine compute them, before each
 * step. The best alpha so far is in `best`. */
static TosstStatus
polish_alpha (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work, double scale,
              double *best, double *objective, TosstSvmDescent *descent)
{
  size_t bytes = problem->n * sizeof *best;
  double least = INFINITY;
  TosstStatus status = TOSST_OK;

  for (int step = 0, idle = 0;; step++)
    {
      tosst_svm_combine_gram (problem, work->alpha, work->margin);
      find_residual (problem, work);
      double norm = combination_norm (problem, work, work->residual);
      idle = norm < least ? 0 : idle + 1;
      if (idle == 0)
        {
          double size = fmax (tosst_dot (problem->n, work->alpha, work->margin), 0.0);
          double value = 0.5 * size + hinge_loss (problem, work);
          least = norm;
          memcpy (best, work->alpha, bytes);
          descent->solved = is_solved (problem, norm, scale, value);
          descent->at_rounding = !descent->solved && norm <= rounding (problem, work, sqrt (size));
          if (objective)
            *objective = value;
        }
      if (descent->solved || step == MOST_POLISH || idle == IDLE_STEPS || !isfinite (norm))
        break;
      status = tosst_svm_solve_active_set (context, problem, work, find_active (problem, work));
      if (status != TOSST_OK)
        break;
      memcpy (work->alpha, work->beta, bytes);
    }
  descent->reached = scale > 0.0 ? least / scale : 0.0;
  return status == TOSST_ERROR_NUMERIC ? TOSST_OK : status;
}

TosstStatus
tosst_svm_solve_kernel (TosstContext *context, const TosstSvmProblem *problem, int positive, double scale,
                        TosstSvmWorkspace *work, double *alpha, double *objective, TosstSvmDescent *descent)
{
  TosstStatus status = find_alpha (context, problem, positive, scale, work, descent);

  if (status == TOSST_OK)
    status = polish_alpha (context, problem, work, scale, alpha, objective, descent);
  if (status == TOSST_OK && descent->reached > problem->tolerance && !descent->at_rounding)
    status = TOSST_ERROR_NUMERIC;
  return status == TOSST_OK ? TOSST_OK : fail (context, status, positive, descent->reached);
}
