/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/inspect/code-session.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/machine.h"
#include "core/local/image-tensors.h"
#include "studio/tasks/shared.h"
#include "studio/widgets/image-loader.h"
#include "tosst/code.h"
#include "tosst/tensor.h"

/* A copy that owns its members. */
static StudioCodeQuestion *
studio_code_question_copy (const StudioCodeQuestion *question)
{
  StudioCodeQuestion *self = g_memdup2 (question, sizeof *question);

  self->atoms = studio_atom_set_ref (question->atoms);
  self->recipe = tosst_recipe_copy (question->recipe);
  self->dataset = tosst_dataset_ref (question->dataset);
  return self;
}

/* frees such a copy */
static void
studio_code_question_free (StudioCodeQuestion *self)
{
  studio_atom_set_unref (self->atoms);
  tosst_recipe_free ((TosstRecipe *)self->recipe);
  tosst_dataset_unref (self->dataset);
  g_free (self);
}

STUDIO_DEFINE_UNREF (StudioCode, studio_code_unref, (atoms, studio_atom_set_unref), (problem, g_free), (tensor, g_free),
                     (reconstruction, g_free), (residual, g_free), (code, g_free))

char *
studio_code_place (const StudioCode *self)
{
  return self->local    ? g_strdup (studio_region_name (self->point.x))
         : self->framed ? g_strdup_printf (_ ("frame %d"), self->point.x + 1)
                        : g_strdup_printf (_ ("patch at %d, %d"), self->point.x, self->point.y);
}

TosstSlicesDrawing
studio_code_slices (const StudioCode *self, int chosen, GArray *groups)
{
  return (TosstSlicesDrawing){ .map = { self->tensor, self->reconstruction, self->residual },
                               .planes = self->planes,
                               .rows = self->rows,
                               .columns = self->columns,
                               .chosen = chosen,
                               .groups = groups };
}

struct StudioCodeSession
{
  TosstContext *context;

  StudioPixels *pixels; /* NULL: none yet */

  /* Local features need the components of the training images of a data set, by a recipe. */
  TosstDataset *dataset; /* NULL: none yet */
  TosstRecipe *source;
  TosstPca *pca; /* or NULL: the recipe has none */

  TosstRecipe *recipe;     /* recipe of the tensor */
  TosstDataset *described; /* with its image, of local features */
  guint image;
  TosstPoint point;
  float *tensor; /* m, NULL: none yet */
  int rank;      /* its TRank */

  StudioAtomSet *atoms;
  int n_atoms;
  TosstDictionary *dictionary; /* the first n_atoms of them */
  int *chosen;                 /* n_atoms: their numbers */
  double *code;                /* K of all atoms: the last code */

  TosstLayout *layout;     /* of the dictionary */
  TosstRecoding *recoding; /* of tensor and dictionary; NULL: to be recomputed */
};

/* Caches, and their release. */

StudioCodeSession *
studio_code_session_new (TosstContext *context)
{
  StudioCodeSession *self = g_new0 (StudioCodeSession, 1);

  self->context = context;
  return self;
}

static void
forget_tensor (StudioCodeSession *self)
{
  g_clear_pointer (&self->recoding, tosst_recoding_free);
  g_clear_pointer (&self->tensor, g_free);
  g_clear_pointer (&self->recipe, tosst_recipe_free);
  g_clear_pointer (&self->described, tosst_dataset_unref);
}

static void
forget_components (StudioCodeSession *self)
{
  g_clear_pointer (&self->dataset, tosst_dataset_unref);
  g_clear_pointer (&self->source, tosst_recipe_free);
  g_clear_pointer (&self->pca, tosst_pca_free);
}

static void
forget_dictionary (StudioCodeSession *self)
{
  g_clear_pointer (&self->recoding, tosst_recoding_free);
  g_clear_pointer (&self->dictionary, tosst_dictionary_free);
  g_clear_pointer (&self->chosen, g_free);
  g_clear_pointer (&self->layout, tosst_layout_free);
}

static void
forget_atoms (StudioCodeSession *self)
{
  forget_dictionary (self);
  g_clear_pointer (&self->code, g_free);
  g_clear_pointer (&self->atoms, studio_atom_set_unref);
}

void
studio_code_session_free (StudioCodeSession *self)
{
  forget_atoms (self);
  forget_tensor (self);
  forget_components (self);
  g_clear_pointer (&self->pixels, studio_pixels_unref);
  g_free (self);
}

static gboolean
check (StudioCodeSession *self, TosstStatus status, GError **error)
{
  return tosst_error_from_status (status, self->context, _ ("Coding"), error);
}

/* Steps: each recomputes missing or outdated results. */

static gboolean
read_image (StudioCodeSession *self, const StudioCodeQuestion *q, GError **error)
{
  if (studio_pixels_are (self->pixels, q->dataset, q->image))
    return TRUE;
  forget_tensor (self);
  g_clear_pointer (&self->pixels, studio_pixels_unref);
  self->pixels = studio_pixels_get (q->dataset, q->image, error);
  return self->pixels != NULL;
}

static gboolean
rank_tensor (StudioCodeSession *self, TosstShape shape, gsize m, GError **error)
{
  g_autofree double *wide = g_new (double, m);
  TosstTensorRank rank;

  for (gsize i = 0; i < m; i++)
    wide[i] = self->tensor[i];
  if (!check (self, tosst_tensor_rank (self->context, shape, wide, 1, tosst_rank_tolerance (shape, FALSE), &rank, NULL),
              error))
    return FALSE;
  self->rank = rank.rank;
  return TRUE;
}

static gboolean
describe (StudioCodeSession *self, const StudioCodeQuestion *q, GError **error)
{
  TosstShape shape = tosst_moment_shape (tosst_recipe_moment (q->recipe), tosst_recipe_dimension (q->recipe));
  gsize m = tosst_shape_numbers (shape);
  TosstPoint place = q->point;
  TosstFrame frame;

  if (self->tensor != NULL && self->point.x == q->point.x && self->point.y == q->point.y
      && tosst_recipe_equal (self->recipe, q->recipe))
    return TRUE;
  forget_tensor (self);
  TosstImage *part = studio_patch_cut (self->pixels, q->recipe, &place, &frame, error);
  if (part == NULL)
    return FALSE;
  self->tensor = g_new (float, m);
  gboolean fine
      = check (self, studio_patch_describe (self->pixels, q->recipe, self->context, part, place, &frame, self->tensor),
               error)
        && rank_tensor (self, shape, m, error);
  tosst_image_free (part);
  self->point = q->point;
  self->recipe = tosst_recipe_copy (q->recipe);
  if (!fine)
    forget_tensor (self);
  return fine;
}

/* Local features. */

static TosstFeatures *
read_features (guint image, gpointer data, GError **error)
{
  const StudioCodeQuestion *q = data;

  return tosst_local_features (q->recipe, q->dataset, image, error);
}

/* Those of the run that learned the atoms; else, as a run computes them, those of the training images. */
static gboolean
find_components (StudioCodeSession *self, const StudioCodeQuestion *q, const TosstPca **pca, GError **error)
{
  gboolean have = self->dataset == q->dataset && tosst_recipe_equal (self->source, q->recipe);

  *pca = q->atoms->pca;
  if (*pca != NULL || q->recipe->descriptor.pca == 0)
    return TRUE;
  if (!have)
    {
      forget_components (self);
      if (!tosst_local_components_of_split (q->recipe, self->context, q->dataset, 0, &self->pca, error))
        return FALSE;
      self->dataset = tosst_dataset_ref (q->dataset);
      self->source = tosst_recipe_copy (q->recipe);
    }
  *pca = self->pca;
  return TRUE;
}

static gboolean
describe_part (StudioCodeSession *self, const StudioCodeQuestion *q, GError **error)
{
  TosstShape shape = tosst_moment_shape (tosst_recipe_moment (q->recipe), tosst_recipe_dimension (q->recipe));
  gsize m = tosst_shape_numbers (shape);
  TosstLocalPart part = { q->image, (guint)q->point.x };
  const TosstPca *pca;

  if (self->tensor != NULL && self->atoms == q->atoms && self->described == q->dataset && self->image == q->image
      && self->point.x == q->point.x && tosst_recipe_equal (self->recipe, q->recipe))
    return TRUE;
  forget_tensor (self);
  if (!find_components (self, q, &pca, error))
    return FALSE;
  g_autoptr (TosstRecipe) recipe = tosst_recipe_copy (q->recipe);
  recipe->descriptor.regions = TRUE; /* of any image, whether they were learned from or not */
  self->tensor = g_new (float, m);
  self->described = tosst_dataset_ref (q->dataset);
  self->image = q->image;
  self->point = q->point;
  self->recipe = tosst_recipe_copy (q->recipe);
  if (tosst_local_describe (recipe, pca, self->context, &part, 1, read_features, (gpointer)q, self->tensor, error)
      && rank_tensor (self, shape, m, error))
    return TRUE;
  forget_tensor (self);
  return FALSE;
}

static gboolean
find_tensor (StudioCodeSession *self, const StudioCodeQuestion *q, GError **error)
{
  return tosst_recipe_is_local (q->recipe) ? describe_part (self, q, error)
                                           : read_image (self, q, error) && describe (self, q, error);
}

/* Three D x D matrices and copies of the atoms: whole atoms of a long feature vector exceed the memory. */
static gboolean
fits_memory (const StudioCodeSession *self, GError **error)
{
  gsize D = (gsize)self->dictionary->D, K = (gsize)self->dictionary->K;
  gsize needed = sizeof (double) * (3 * D * D + 3 * D * K), available = tosst_memory_available ();

  if (needed < available / 2)
    return TRUE;
  g_autofree char *needs = g_format_size (needed);
  g_autofree char *has = g_format_size (available);
  return tosst_fail (error, TOSST_FAILED_MEMORY, _ ("Recoding with these atoms needs %s of memory, and %s are free"),
                     needs, has);
}

static gboolean
select_atoms (StudioCodeSession *self, const StudioCodeQuestion *q, GError **error)
{
  if (self->atoms == q->atoms && self->dictionary != NULL && self->n_atoms == q->n_atoms)
    return TRUE;
  if (self->atoms != q->atoms)
    {
      forget_atoms (self);
      self->atoms = studio_atom_set_ref (q->atoms);
      self->code = g_new0 (double, q->atoms->dictionary->K);
    }
  forget_dictionary (self);
  self->n_atoms = q->n_atoms;
  self->chosen = g_new (int, q->n_atoms);
  self->dictionary = studio_atom_set_select (q->atoms, q->n_atoms, self->chosen);
  self->layout = tosst_layout_new_shape (q->atoms->dictionary->shape);
  if (self->dictionary == NULL || self->layout == NULL)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Coding"), error);
  return fits_memory (self, error);
}

/* For a new tensor or other atoms, starts from the last code of the common atoms. */
static gboolean
begin_recoding (StudioCodeSession *self, const StudioCodeQuestion *q, GError **error)
{
  TosstCodingOptions options;
  TosstStatus status;

  if (self->recoding != NULL)
    return TRUE;
  tosst_recipe_coding_options (q->recipe, &options);
  options.problem.lambda = q->lambda;
  options.problem.gamma = q->gamma;
  status
      = tosst_recoding_new (self->context, self->dictionary, self->layout, &options, self->tensor, 1, &self->recoding);
  if (status != TOSST_OK)
    return check (self, status, error);
  g_autofree double *start = g_new (double, self->n_atoms);
  for (int i = 0; i < self->n_atoms; i++)
    start[i] = options.problem.signed_alpha ? self->code[self->chosen[i]] : fmax (self->code[self->chosen[i]], 0);
  return check (self, tosst_recoding_set_codes (self->context, self->recoding, start), error);
}

/* Answers. */

/* Slices as vectors (S x D, tosst/tensor.h) to planes, multiplied by scale. */
static void
unfold (const StudioCodeSession *self, const double *slices, double scale, double *planes)
{
  TosstShape shape = self->dictionary->shape;
  gsize numbers = tosst_shape_atom_numbers (shape), count = numbers * self->dictionary->S;

  for (int s = 0; s < self->dictionary->S; s++)
    tosst_atom_to_array (shape, slices + (gsize)s * self->dictionary->D, planes + s * numbers);
  for (gsize i = 0; i < count; i++)
    planes[i] *= scale;
}

static double
size_of (const double *values, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += values[i] * values[i];
  return sqrt (sum);
}

static gboolean
fill_planes (StudioCodeSession *self, StudioCode *answer, GError **error)
{
  TosstShape shape = self->dictionary->shape;
  gsize length = (gsize)self->layout->S * self->layout->D;
  gsize count = tosst_shape_atom_numbers (shape) * self->dictionary->S;
  g_autofree double *slices = g_new (double, length);

  answer->planes = tosst_planes (shape);
  answer->rows = shape.d1;
  answer->columns = shape.d2;
  answer->tensor = g_new (double, count);
  answer->residual = g_new (double, count);
  answer->reconstruction = g_new (double, count);
  for (gsize i = 0; i < length; i++)
    slices[i] = self->layout->weight[i % self->layout->D] * self->tensor[self->layout->index[i]];
  unfold (self, slices, 1, answer->tensor);
  if (!check (self, tosst_recoding_residual (self->context, self->recoding, 0, answer->tied, slices), error))
    return FALSE;
  unfold (self, slices, self->dictionary->scale, answer->residual);
  for (gsize i = 0; i < count; i++)
    answer->reconstruction[i] = answer->tensor[i] - answer->residual[i];
  answer->error = size_of (answer->residual, count) / MAX (size_of (answer->tensor, count), G_MINDOUBLE);
  return TRUE;
}

/* Theorem 2 bounds sum_k alpha_k B_k (x) b_k, for either reconstruction. */
static gboolean
fill_ranks (StudioCodeSession *self, StudioCode *answer, GError **error)
{
  TosstShape shape = self->dictionary->shape;
  int limit = tosst_plane_rank_limit (shape), planes = tosst_planes (shape);
  gsize square = (gsize)shape.d1 * shape.d2;
  g_autofree double *values = g_new (double, limit), *all = g_new (double, square *planes);
  g_autofree double *B = g_new (double, tosst_shape_atom_numbers (shape));
  gpointer work = g_aligned_alloc (1, tosst_plane_work (shape), 64);
  TosstStatus status = TOSST_OK;

  answer->rank = self->rank;
  answer->rank_limit = limit;
  answer->bound
      = tosst_code_rank_bound (self->code, self->atoms->ranks, self->atoms->dictionary->K, limit, &answer->rank_sum);
  tosst_code_planes (self->dictionary, tosst_recoding_codes (self->recoding), B, all);
  for (int s = 0; s < planes && status == TOSST_OK; s++)
    {
      status = tosst_plane_spectrum (shape, all + s * square, work, values);
      if (status == TOSST_OK)
        answer->rank_reconstructed = MAX (answer->rank_reconstructed,
                                          tosst_spectrum_rank (values, limit, tosst_rank_tolerance (shape, FALSE), 0));
    }
  g_aligned_free (work);
  return check (self, status, error);
}

static gboolean
answer_question (StudioCodeSession *self, const StudioCodeQuestion *q, StudioCode *answer, GError **error)
{
  if (!find_tensor (self, q, error) || !select_atoms (self, q, error) || !begin_recoding (self, q, error)
      || !check (self, tosst_recode (self->context, self->recoding, q->lambda, q->gamma, NULL), error)
      || !check (self, tosst_recoding_state (self->context, self->recoding, 0, &answer->state), error))
    return FALSE;
  const double *code = tosst_recoding_codes (self->recoding);
  memset (self->code, 0, sizeof *self->code * self->atoms->dictionary->K);
  for (int i = 0; i < self->n_atoms; i++)
    self->code[self->chosen[i]] = code[i];
  answer->code = g_memdup2 (self->code, sizeof *self->code * self->atoms->dictionary->K);
  return fill_planes (self, answer, error) && fill_ranks (self, answer, error);
}

StudioCode *
studio_code_session_answer (StudioCodeSession *self, const StudioCodeQuestion *q)
{
  g_autoptr (StudioCode) answer = g_atomic_rc_box_new0 (StudioCode);
  g_autoptr (GError) error = NULL;
  gint64 start = g_get_monotonic_time ();

  answer->atoms = studio_atom_set_ref (q->atoms);
  answer->image = q->image;
  answer->local = tosst_recipe_is_local (q->recipe);
  answer->framed = tosst_recipe_has_frames (q->recipe);
  answer->point = q->point;
  answer->lambda = q->lambda;
  answer->gamma = q->gamma;
  answer->n_atoms = q->n_atoms;
  answer->tied = q->tied;
  if (!answer_question (self, q, answer, &error))
    {
      if (g_error_matches (error, TOSST_ERROR, TOSST_FAILED_CANCELLED))
        return NULL;
      answer->problem = g_strdup (error->message);
      g_clear_pointer (&self->recoding, tosst_recoding_free);
    }
  answer->seconds = (g_get_monotonic_time () - start) / 1e6;
  return g_steal_pointer (&answer);
}

/* In a thread. */

static void
work (StudioWorker *worker, TosstContext *context, gpointer question, gpointer *session)
{
  if (*session == NULL)
    *session = studio_code_session_new (context);
  StudioCode *answer = studio_code_session_answer (*session, question);
  if (answer != NULL)
    studio_worker_put (worker, answer);
}

StudioWorker *
studio_code_worker_new (StudioNotifyFunc wake, gpointer data)
{
  static const StudioWork coding = { .work = G_CALLBACK (work),
                                     .free_question = (GDestroyNotify)studio_code_question_free,
                                     .free_answer = (GDestroyNotify)studio_code_unref,
                                     .free_session = (GDestroyNotify)studio_code_session_free,
                                     .parallel = TRUE };

  return studio_worker_new (&coding, wake, data);
}

void
studio_code_worker_ask (StudioWorker *worker, const StudioCodeQuestion *question)
{
  studio_worker_ask (worker, studio_code_question_copy (question));
}

StudioCode *
studio_code_worker_take (StudioWorker *worker)
{
  StudioCode *newest = NULL, *next;

  while ((next = studio_worker_take (worker)) != NULL)
    {
      g_clear_pointer (&newest, studio_code_unref);
      newest = next;
    }
  return newest;
}
