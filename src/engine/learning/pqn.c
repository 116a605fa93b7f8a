/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Minimisation of f (x) over a set C with a Euclidean projection.
 *
 * SPG: d = Proj (x - t g) - x with the spectral step t = s's / s'y, then a backtracking search along the feasible d.
 *
 * PQN: d is determined by the minimum over C of the model
 *     q (z) = g'(z - x) + (z - x)' B (z - x) / 2,   B = sigma I - N M^{-1} N',
 *     N = [sigma S  Y],   M = [sigma S'S  L; L'  -diag (s_i'y_i)],   L_ij = s_i'y_j for i > j,
 * the compact form of limited-memory BFGS (Byrd, Nocedal & Schnabel 1994) with the last steps S and changes of
 * gradient Y. SPG computes this minimum, which takes projections but no evaluations of f.
 *
 * For non-convex C the segment from x to x + d may leave C. The search is then along the projections of x + l d and,
 * if none of these is a descent, of x - t g, which is a descent for small t.
 */
#include "engine/learning/pqn.h"
#include "engine/base/base.h"
#include "engine/learning/tuning.h"

#include <float.h>
#include <lapacke.h>

/* Current point of a minimisation, and the next trial point. */
typedef struct
{
  const TosstProjected *problem;
  TosstContext *context;
  double *x, *g, *trial, *trial_g, *d; /* n each; x is the caller's */
  double f, trial_f;
} Walk;

static bool
walk_init (Walk *self, TosstContext *context, const TosstProjected *problem, double *x)
{
  size_t n = problem->n;
  double *block = malloc (sizeof *block * 4 * n);
  *self = (Walk){ .problem = problem, .context = context, .x = x, .g = block };
  if (!block)
    return false;
  self->trial = block + n;
  self->trial_g = block + 2 * n;
  self->d = block + 3 * n;
  return true;
}

static TosstStatus
walk_start (Walk *self)
{
  const TosstProjected *problem = self->problem;
  return problem->project (self->x, problem->data) ?: problem->evaluate (self->x, &self->f, self->g, problem->data);
}

static void
walk_accept (Walk *self)
{
  double *g = self->g;
  memcpy (self->x, self->trial, sizeof *self->x * self->problem->n);
  self->f = self->trial_f;
  self->g = self->trial_g;
  self->trial_g = g;
}

/* The start of the block is exchanged between g and trial_g. */
static void
walk_clear (Walk *self)
{
  free (self->g < self->trial_g ? self->g : self->trial_g);
}

/* trial = x + l d, projected if the set is not convex. */
static TosstStatus
try_along (Walk *self, double l)
{
  const TosstProjected *problem = self->problem;
  memcpy (self->trial, self->x, sizeof *self->trial * problem->n);
  cblas_daxpy (problem->n, l, self->d, 1, self->trial, 1);
  TosstStatus status = problem->convex ? TOSST_OK : problem->project (self->trial, problem->data);
  return status ?: problem->evaluate (self->trial, &self->trial_f, self->trial_g, problem->data);
}

/* Decrease from x to trial predicted by the gradient, and their squared distance. */
static double
predicted_fall (const Walk *self, double *distance)
{
  double fall = 0, square = 0;
  for (size_t i = 0; i < self->problem->n; i++)
    {
      double step = self->trial[i] - self->x[i];
      fall -= self->g[i] * step;
      square += step * step;
    }
  *distance = square;
  return fall;
}

/* Next length after l, where f was trial_f: minimum of the interpolating parabola. */
static double
shorter (double f, double slope, double l, double trial_f)
{
  double curvature = 2 * (trial_f - f - slope * l) / (l * l), best = -slope / curvature;
  return isfinite (best) ? fmin (fmax (best, 0.02 * l), 0.5 * l) : 0.1 * l;
}

/* Finds a point on x + l d, l <= 1, with a sufficient decrease of f. *found is false if rounding permits none. */
static TosstStatus
search_segment (Walk *self, bool *found)
{
  double slope = tosst_dot (self->problem->n, self->g, self->d), l = 1, distance;
  *found = false;
  if (!(slope < 0))
    return TOSST_OK;
  for (int i = 0; i < SEARCH_POINTS; i++)
    {
      if (tosst_context_checkpoint (self->context))
        return TOSST_CANCELLED;
      TOSST_TRY (try_along (self, l));
      double fall = self->problem->convex ? -l * slope : fmax (predicted_fall (self, &distance), 0);
      if (self->trial_f < self->f && self->trial_f <= self->f - SUFFICIENT * fall)
        {
          *found = true;
          return TOSST_OK;
        }
      l = shorter (self->f, slope, l, self->trial_f);
      if (-l * slope < DBL_EPSILON * fabs (self->f) / 8)
        break;
    }
  return TOSST_OK;
}

/* Search along Proj (x - t g): this is the point of the set nearest to x - t g, so that f decreases for all t below
 * the inverse of its curvature, in any closed set. */
static TosstStatus
search_arc (Walk *self, double t, bool *found)
{
  const TosstProjected *problem = self->problem;
  *found = false;
  for (int i = 0; i < SEARCH_POINTS; i++, t /= 2)
    {
      double distance;
      if (tosst_context_checkpoint (self->context))
        return TOSST_CANCELLED;
      memcpy (self->trial, self->x, sizeof *self->trial * problem->n);
      cblas_daxpy (problem->n, -t, self->g, 1, self->trial, 1);
      TosstStatus status = problem->project (self->trial, problem->data);
      TOSST_THEN (status, problem->evaluate (self->trial, &self->trial_f, self->trial_g, problem->data));
      if (status != TOSST_OK)
        return status;
      predicted_fall (self, &distance);
      if (self->trial_f < self->f && self->trial_f <= self->f - SUFFICIENT * distance / (2 * t))
        {
          *found = true;
          return TOSST_OK;
        }
      if (distance / t < DBL_EPSILON * fabs (self->f) / 8)
        break;
    }
  return TOSST_OK;
}

/* d = Proj (x - t g) - x */
static TosstStatus
project_direction (Walk *self, double t)
{
  const TosstProjected *problem = self->problem;
  memcpy (self->d, self->x, sizeof *self->d * problem->n);
  cblas_daxpy (problem->n, -t, self->g, 1, self->d, 1);
  TosstStatus status = problem->project (self->d, problem->data);
  cblas_daxpy (problem->n, -1, self->x, 1, self->d, 1);
  return status;
}

/* Initial step of the length of x, without curvature information; shortened by the search. */
static double
first_step (const Walk *self)
{
  size_t n = self->problem->n;
  double size = tosst_norm (n, self->g);
  return size > 0 ? fmax (1, tosst_norm (n, self->x)) / size : 1;
}

static TosstStatus
spg_walk (Walk *self, int iterations, double tolerance)
{
  TosstStatus status = walk_start (self);
  double t = status == TOSST_OK ? first_step (self) : 0;
  for (int i = 0; i < iterations && status == TOSST_OK; i++)
    {
      bool found = false;
      if (self->problem->convex)
        status = project_direction (self, t) ?: search_segment (self, &found);
      else
        status = search_arc (self, t, &found);
      if (status != TOSST_OK || !found)
        break;
      double before = self->f;
      /* s's / s'y from x to trial; the previous step if the curvature is not sufficiently positive. */
      double ss = 0, sy = 0;
      for (size_t k = 0; k < self->problem->n; k++)
        {
          double s = self->trial[k] - self->x[k];
          ss += s * s;
          sy += s * (self->trial_g[k] - self->g[k]);
        }
      t = sy > 0 ? fmin (fmax (ss / sy, 1e-30), 1e30) : t;
      walk_accept (self);
      if (before - self->f <= tolerance * fabs (self->f))
        break;
    }
  return status;
}

TosstStatus
tosst_spg (TosstContext *context, const TosstProjected *problem, int iterations, double tolerance, double *x, double *f)
{
  Walk walk;
  if (!walk_init (&walk, context, problem, x))
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to minimise over %zu numbers",
                               problem->n);
  TosstStatus status = spg_walk (&walk, iterations, tolerance);
  *f = walk.f;
  walk_clear (&walk);
  return status;
}

/* Quadratic model around x. */
typedef struct
{
  const Walk *walk;
  double *S, *Y; /* n x MEMORY each; the oldest pair comes first */
  int pairs;
  double sigma;
  double M[4 * MEMORY * MEMORY];
  lapack_int pivots[2 * MEMORY];
} Model;

static bool
model_factor (Model *self)
{
  size_t n = self->walk->problem->n;
  int m = self->pairs, side = 2 * m;
  double *M = self->M, SS[MEMORY * MEMORY], SY[MEMORY * MEMORY];
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, m, m, n, 1, self->S, n, self->S, n, 0, SS, m);
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, m, m, n, 1, self->S, n, self->Y, n, 0, SY, m);
  const double *y = self->Y + (m - 1) * n;
  self->sigma = tosst_dot (n, y, y) / SY[(m - 1) * m + m - 1];
  memset (M, 0, sizeof *M * side * side);
  for (int j = 0; j < m; j++)
    {
      for (int i = 0; i < m; i++)
        M[j * side + i] = self->sigma * SS[j * m + i];
      for (int i = j + 1; i < m; i++)
        M[(m + j) * side + i] = M[i * side + m + j] = SY[j * m + i];
      M[(m + j) * side + m + j] = -SY[j * m + j];
    }
  return LAPACKE_dgetrf (LAPACK_COL_MAJOR, side, side, M, side, self->pivots) == 0;
}

/* Adds a pair, dropping the oldest one when full. A pair that would make B ill-conditioned is skipped; if M cannot
 * be factorised, all pairs are dropped. */
static void
model_update (Model *self)
{
  const Walk *walk = self->walk;
  size_t n = walk->problem->n;
  if (self->pairs == MEMORY)
    {
      memmove (self->S, self->S + n, sizeof *self->S * n * (MEMORY - 1));
      memmove (self->Y, self->Y + n, sizeof *self->Y * n * (MEMORY - 1));
      self->pairs--;
    }
  double *s = self->S + self->pairs * n, *y = self->Y + self->pairs * n;
  for (size_t i = 0; i < n; i++)
    {
      s[i] = walk->trial[i] - walk->x[i];
      y[i] = walk->trial_g[i] - walk->g[i];
    }
  if (tosst_dot (n, s, y) > PQN_CURVED * tosst_norm (n, s) * tosst_norm (n, y))
    self->pairs++;
  if (self->pairs > 0 && !model_factor (self))
    self->pairs = 0;
}

static TosstStatus
model_evaluate (const double *x, double *f, double *gradient, void *data)
{
  const Model *self = data;
  const Walk *walk = self->walk;
  size_t n = walk->problem->n;
  int m = self->pairs;
  double *step = walk->trial, w[2 * MEMORY];
  for (size_t i = 0; i < n; i++)
    step[i] = x[i] - walk->x[i];
  cblas_dgemv (CblasColMajor, CblasTrans, n, m, self->sigma, self->S, n, step, 1, 0, w, 1);
  cblas_dgemv (CblasColMajor, CblasTrans, n, m, 1, self->Y, n, step, 1, 0, w + m, 1);
  if (LAPACKE_dgetrs (LAPACK_COL_MAJOR, 'N', 2 * m, 1, self->M, 2 * m, self->pivots, w, 2 * m) != 0)
    return tosst_context_fail (walk->context, TOSST_ERROR_NUMERIC, "the quadratic model is no longer finite");
  for (size_t i = 0; i < n; i++)
    gradient[i] = self->sigma * step[i];
  cblas_dgemv (CblasColMajor, CblasNoTrans, n, m, -self->sigma, self->S, n, w, 1, 1, gradient, 1);
  cblas_dgemv (CblasColMajor, CblasNoTrans, n, m, -1, self->Y, n, w + m, 1, 1, gradient, 1);
  *f = tosst_dot (n, walk->g, step) + tosst_dot (n, gradient, step) / 2;
  cblas_daxpy (n, 1, walk->g, 1, gradient, 1);
  return TOSST_OK;
}

static TosstStatus
model_project (double *x, void *data)
{
  const TosstProjected *problem = ((Model *)data)->walk->problem;
  return problem->project (x, problem->data);
}

static TosstStatus
pqn_step (Model *model, Walk *walk, Walk *inner, int iterations, bool *found)
{
  size_t n = walk->problem->n;
  TosstStatus status;
  if (model->pairs > 0)
    {
      /* d = (minimum of the model over the set) - x. */
      memcpy (inner->x, walk->x, sizeof *inner->x * n);
      status = spg_walk (inner, iterations, MODEL_ACCURACY);
      memcpy (walk->d, inner->x, sizeof *walk->d * n);
      cblas_daxpy (n, -1, walk->x, 1, walk->d, 1);
    }
  else
    status = project_direction (walk, first_step (walk));
  TOSST_THEN (status, search_segment (walk, found));
  if (status != TOSST_OK || *found || (model->pairs == 0 && walk->problem->convex))
    return status;
  /* The step of the model fails: uses the projected gradient and resets the model. */
  double t = model->pairs > 0 ? 1 / model->sigma : first_step (walk);
  model->pairs = 0;
  if (!walk->problem->convex)
    return search_arc (walk, t, found);
  return project_direction (walk, t) ?: search_segment (walk, found);
}

static TosstStatus
pqn_walk (Walk *walk, Model *model, Walk *inner, int iterations, int inner_iterations, double tolerance)
{
  TosstStatus status = walk_start (walk);
  for (int i = 0; i < iterations && status == TOSST_OK; i++)
    {
      bool found = false;
      status = pqn_step (model, walk, inner, inner_iterations, &found);
      if (status != TOSST_OK || !found)
        break;
      double before = walk->f;
      model_update (model);
      walk_accept (walk);
      if (before - walk->f <= tolerance * fabs (walk->f))
        break;
    }
  return status;
}

TosstStatus
tosst_pqn (TosstContext *context, const TosstProjected *problem, int iterations, int inner, double tolerance, double *x,
           double *f)
{
  size_t n = problem->n;
  Walk walk, inner_walk = { 0 };
  Model model = { .walk = &walk };
  TosstProjected quadratic = { n, problem->convex, model_evaluate, model_project, &model };
  TosstMemory memory = { .count = 0 };
  double *target = tosst_keep (&memory, malloc (sizeof *target * n));
  model.S = tosst_keep (&memory, malloc (sizeof *model.S * n * MEMORY));
  model.Y = tosst_keep (&memory, malloc (sizeof *model.Y * n * MEMORY));
  bool fine = walk_init (&walk, context, problem, x) && walk_init (&inner_walk, context, &quadratic, target);
  TosstStatus status = TOSST_ERROR_MEMORY;
  if (fine && !memory.failed)
    status = pqn_walk (&walk, &model, &inner_walk, iterations, inner, tolerance);
  else
    tosst_context_fail (context, status, "not enough memory to minimise over %zu numbers", n);
  *f = walk.f;
  walk_clear (&walk);
  walk_clear (&inner_walk);
  tosst_release (&memory);
  return status;
}

size_t
tosst_pqn_memory (size_t n)
{
  return n * (2 * MEMORY + 9);
}

/* min f (x) with x_i >= 0 for some i, by limited-memory BFGS with an active set (the two-metric projection of
 * Bertsekas 1982).
 * 
 * Entries at their bound with a gradient directed against it are fixed in a step. For the others
 *     p = -H g,   H from the last pairs of steps and changes of gradient, both restricted to these entries,
 * and the search is along x (l) = max (0, x + l p). If the projected p is not a descent direction, p = -t g is used. */

struct TosstBounded
{
  size_t n;
  double *block;                   /* storage of all following arrays */
  double *g, *p, *trial, *trial_g; /* n each */
  double *S[MEMORY], *Y[MEMORY];   /* n each; the newest pair is the last */
  int pairs;
  double size[MEMORY]; /* |s| |y| of each pair */
  double *is_free;     /* n: 0 for entries fixed at the bound, else 1; a factor in vectorised sums */
};

TosstBounded *
tosst_bounded_new (size_t n)
{
  TosstBounded *self = calloc (1, sizeof *self);
  if (!self)
    return NULL;
  self->n = n;
  self->block = malloc (sizeof *self->block * n * (5 + 2 * MEMORY));
  if (!self->block)
    {
      tosst_bounded_free (self);
      return NULL;
    }
  self->g = self->block;
  self->p = self->g + n;
  self->trial = self->p + n;
  self->trial_g = self->trial + n;
  self->is_free = self->trial_g + n;
  for (int i = 0; i < MEMORY; i++)
    {
      self->S[i] = self->block + (5 + 2 * i) * n;
      self->Y[i] = self->S[i] + n;
    }
  return self;
}

void
tosst_bounded_free (TosstBounded *work)
{
  if (!work)
    return;
  free (work->block);
  free (work);
}

size_t
tosst_bounded_memory (size_t n)
{
  return n * sizeof (double) * (5 + 2 * MEMORY);
}

/* Marks the fixed entries. Returns the largest entry of the projected gradient. */
static double
mark_active_bounds (TosstBounded *self, const double *x, size_t first)
{
  double worst = 0;
  for (size_t i = 0; i < self->n; i++)
    {
      bool active = i >= first && x[i] <= 0 && self->g[i] > 0;
      self->is_free[i] = active ? 0 : 1;
      /* Using the factor causes an internal error of gcc 12 for arm64. */
      worst = fmax (worst, active ? 0 : fabs (self->g[i]));
    }
  return worst;
}

static double
free_dot (const TosstBounded *self, const double *a, const double *b)
{
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t i = 0; i < self->n; i++)
    sum += self->is_free[i] * a[i] * b[i];
  return sum;
}

static void
set_gradient (TosstBounded *self, double factor)
{
  for (size_t i = 0; i < self->n; i++)
    self->p[i] = -factor * self->is_free[i] * self->g[i];
}

/* p = -H g by the two-loop recursion of Nocedal (1980) over the pairs with positive curvature on the free entries. */
static void
set_newton (TosstBounded *self)
{
  double rho[MEMORY], factor[MEMORY], scale = 0;
  set_gradient (self, 1);
  for (int i = self->pairs - 1; i >= 0; i--)
    {
      double sy = free_dot (self, self->S[i], self->Y[i]);
      rho[i] = sy > BOUNDED_CURVED * self->size[i] ? 1 / sy : 0;
      if (rho[i] == 0)
        continue;
      if (scale == 0)
        scale = sy / free_dot (self, self->Y[i], self->Y[i]);
      factor[i] = rho[i] * free_dot (self, self->S[i], self->p);
      cblas_daxpy (self->n, -factor[i], self->Y[i], 1, self->p, 1);
    }
  cblas_dscal (self->n, scale > 0 ? scale : 1, self->p, 1);
  for (int i = 0; i < self->pairs; i++)
    if (rho[i] > 0)
      cblas_daxpy (self->n, factor[i] - rho[i] * free_dot (self, self->Y[i], self->p), self->S[i], 1, self->p, 1);
  for (size_t i = 0; i < self->n; i++)
    self->p[i] *= self->is_free[i];
}

/* trial = max (0, x + l p); returns the change of f predicted by the gradient. */
static double
step_to (TosstBounded *self, const double *x, size_t first, double l)
{
  double promise = 0;
  for (size_t i = 0; i < self->n; i++)
    {
      double to = x[i] + l * self->p[i];
      self->trial[i] = i >= first && to < 0 ? 0 : to;
      promise += self->g[i] * (self->trial[i] - x[i]);
    }
  return promise;
}

/* Line search; *f receives the value at trial if a point is found. */
static TosstStatus
search (TosstBounded *self, TosstEvaluateFunc evaluate, void *data, size_t first, const double *x, double *f,
        bool *found)
{
  double l = 1;
  *found = false;
  for (int i = 0; i < SEARCH_POINTS; i++)
    {
      double at, promise = step_to (self, x, first, l);
      if (!(promise < -DBL_EPSILON * fabs (*f) / 8))
        break;
      TOSST_TRY (evaluate (self->trial, &at, self->trial_g, data));
      if (at < *f && at <= *f + SUFFICIENT * promise)
        {
          *f = at;
          *found = true;
          break;
        }
      /* Minimum of the parabola through both values and the slope. */
      double shorter = -promise / (2 * (at - *f - promise));
      l *= isfinite (shorter) ? fmin (fmax (shorter, 0.02), 0.5) : 0.1;
    }
  return TOSST_OK;
}

static void
accept_trial (TosstBounded *self, double *x)
{
  int last = self->pairs;
  if (last == MEMORY)
    {
      double *s = self->S[0], *y = self->Y[0];
      last--;
      memmove (self->S, self->S + 1, sizeof *self->S * last);
      memmove (self->Y, self->Y + 1, sizeof *self->Y * last);
      memmove (self->size, self->size + 1, sizeof *self->size * last);
      self->S[last] = s;
      self->Y[last] = y;
    }
  for (size_t i = 0; i < self->n; i++)
    {
      self->S[last][i] = self->trial[i] - x[i];
      self->Y[last][i] = self->trial_g[i] - self->g[i];
    }
  self->size[last] = tosst_norm (self->n, self->S[last]) * tosst_norm (self->n, self->Y[last]);
  self->pairs = last + 1;
  memcpy (x, self->trial, sizeof *x * self->n);
  double *g = self->g;
  self->g = self->trial_g;
  self->trial_g = g;
}

TosstStatus
tosst_bounded_minimise (TosstBounded *work, TosstEvaluateFunc evaluate, void *data, size_t first, int iterations,
                        double tolerance, double *x, double *violation)
{
  double f;
  for (size_t i = first; i < work->n; i++)
    x[i] = fmax (x[i], 0);
  work->pairs = 0;
  TosstStatus status = evaluate (x, &f, work->g, data);
  *violation = status == TOSST_OK ? mark_active_bounds (work, x, first) : INFINITY;
  for (int i = 0; i < iterations && status == TOSST_OK && *violation > tolerance; i++)
    {
      bool found = false;
      if (work->pairs > 0)
        {
          set_newton (work);
          status = search (work, evaluate, data, first, x, &f, &found);
        }
      if (status == TOSST_OK && !found)
        {
          work->pairs = 0;
          /* Initial step of the length of x, without curvature information. */
          double size = sqrt (free_dot (work, work->g, work->g));
          set_gradient (work, size > 0 ? fmax (1, tosst_norm (work->n, x)) / size : 0);
          status = search (work, evaluate, data, first, x, &f, &found);
        }
      if (status != TOSST_OK || !found)
        break;
      accept_trial (work, x);
      *violation = mark_active_bounds (work, x, first);
    }
  return status;
}
