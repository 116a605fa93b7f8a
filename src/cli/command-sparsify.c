/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "cli/call.h"
#include "core/base/error.h"
#include "core/data/frames.h"
#include "core/dictionary/patch-coder.h"
#include "core/image/probe.h"
#include "tosst/describe.h"
#include "tosst/tensor.h"

typedef struct
{
  TosstContext *context;
  const char *name;
  float *vectors; /* n x d */
  gsize n;
  int d;
  gboolean separate;
  GArray *atoms;  /* gsize, ascending */
  GArray *points; /* TosstSparsification */
} Job;

/* Default numbers: multiples of the dimension, up to the number of vectors. */
static gboolean
default_atoms (Job *job, GError **error)
{
  static const double factors[] = { 1.1, 1.25, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128 };
  int dimension = 0;

  if (!cli_check_status (
          job->context, job->name,
          tosst_sparsify_dimension (job->context, job->vectors, job->n, job->d, job->separate, &dimension), error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    {
      gsize atoms = MAX ((gsize)(factors[i] * dimension), (gsize)dimension + 1);

      if (atoms < job->n && (job->atoms->len == 0 || g_array_index (job->atoms, gsize, job->atoms->len - 1) < atoms))
        g_array_append_val (job->atoms, atoms);
    }
  if (job->atoms->len > 0)
    {
      g_array_append_val (job->atoms, job->n);
      return TRUE;
    }
  return tosst_fail (error, TOSST_FAILED_INPUT,
                     _ ("the slices have %d dimensions and the patch only %zu pixels: no pixel can be left out; use "
                        "--separate, a larger descriptor.patch or fewer features"),
                     dimension, job->n);
}

static gboolean
parse_atoms (Job *job, const char *text, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);

  for (char **word = words; *word; word++)
    {
      char *end = NULL;
      gint64 count = g_ascii_strtoll (*word, &end, 10);
      gsize atoms = (gsize)count;

      if (end == *word || *end || count < 1)
        return cli_usage_error (error, _ ("--atoms needs whole numbers, such as 40,80,160, not “%s”"), text);
      g_array_append_val (job->atoms, atoms);
    }
  /* An empty text gives an empty array. */
  return job->atoms->len > 0
         || cli_usage_error (error, _ ("--atoms needs whole numbers, such as 40,80,160, not “%s”"), text);
}

/* Replaces the image by the patch at the frame with the centre nearest to *point, and *point by its place in that. */
static gboolean
resample (CliCall *call, const TosstRecipe *recipe, TosstImage **image, TosstPoint *point, GError **error)
{
  const char *name = call->operand[0];
  gsize n;
  g_autofree TosstFrame *frames = tosst_frames_of_image (recipe, *image, &n, NULL, name, error);

  if (!frames)
    return FALSE;
  TosstImage *patch
      = tosst_frame_patch (recipe, *image, &frames[tosst_frames_nearest (frames, n, point->x, point->y)], point);
  tosst_image_free (*image);
  *image = patch;
  return patch || tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, name, error);
}

static gboolean
read_vectors (CliCall *call, Job *job, GError **error)
{
  g_autoptr (TosstRecipe) recipe = cli_call_recipe (call, cli_call_value (call, "recipe"), NULL, error);
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (call->operand[0]);
  const char *at = cli_call_value (call, "at");
  TosstFeatureOptions features;
  TosstPoint point = { 0, 0 };

  if (!recipe || (at && !cli_parse_at (at, &point.x, &point.y, error)))
    return FALSE;
  if (!tosst_recipe_has_patches (recipe))
    {
      g_autofree char *kind = tosst_recipe_get (recipe, tosst_parameter_find ("descriptor.kind"));

      return cli_usage_error (error, _ ("needs features of the pixels of a patch: set descriptor.kind=rbf, not %s"),
                              kind);
    }
  tosst_recipe_feature_options (recipe, &features);
  if (features.kind == TOSST_FEATURES_LINEAR && (!features.absolute || features.opponent))
    return cli_usage_error (error, _ ("features must not be negative: set descriptor.kind=rbf, or "
                                      "descriptor.absolute=true without descriptor.opponent"));
  g_autoptr (TosstImage) image = tosst_image_read_for (file, 0, 0, error);
  if (!image || (tosst_recipe_has_frames (recipe) && !resample (call, recipe, &image, &point, error)))
    return FALSE;
  job->d = tosst_recipe_dimension (recipe);
  job->n = (gsize)recipe->descriptor.patch * recipe->descriptor.patch;
  job->vectors = g_new (float, job->n * job->d);
  return cli_check_status (
      job->context, job->name,
      tosst_patch_features (job->context, image, &features, recipe->descriptor.patch, point, job->vectors), error);
}

static gboolean
run_points (CliCall *call, Job *job, GError **error)
{
  g_autoptr (CliProgress) progress = cli_progress_new (call, _ ("Choosing atoms"), 0, NULL);
  double whole = 0, done = 0;

  for (guint i = 0; i < job->atoms->len; i++)
    whole += (double)g_array_index (job->atoms, gsize, i);
  for (guint i = 0; i < job->atoms->len; i++)
    {
      gsize atoms = g_array_index (job->atoms, gsize, i);
      TosstSparsification point;

      cli_progress_span (progress, job->context, done / whole, (done + (double)atoms) / whole);
      if (!cli_check_status (
              job->context, job->name,
              tosst_sparsify (job->context, job->vectors, job->n, job->d, job->separate, atoms, NULL, NULL, &point),
              error))
        return FALSE;
      g_array_append_val (job->points, point);
      done += (double)atoms;
    }
  return TRUE;
}

static char *
to_csv (const Job *job)
{
  GString *text = g_string_new ("atoms,nonzeros,epsilon,bound\n");
  char epsilon[G_ASCII_DTOSTR_BUF_SIZE], bound[G_ASCII_DTOSTR_BUF_SIZE];

  TOSST_FOR_EACH (const TosstSparsification, point, job->points)
    g_string_append_printf (text, "%zu,%zu,%s,%s\n", point->atoms, point->nonzeros,
                            g_ascii_formatd (epsilon, sizeof epsilon, "%.9g", point->epsilon),
                            g_ascii_formatd (bound, sizeof bound, "%.9g", point->bound));
  return g_string_free (text, FALSE);
}

static JsonObject *
to_json (const Job *job)
{
  JsonArray *curve = json_array_new ();

  TOSST_FOR_EACH (const TosstSparsification, point, job->points)
    json_array_add_object_element (curve, TOSST_JSON (("atoms", point->atoms), ("nonzeros", point->nonzeros),
                                                      ("epsilon", point->epsilon), ("bound", point->bound)));
  return TOSST_JSON (("d", job->d), ("pixels", job->n),
                     ("dimension", g_array_index (job->points, TosstSparsification, 0).dimension),
                     ("separate", (bool)job->separate), ("curve", curve));
}

/* Right-aligned by characters; printf() counts bytes. */
static void
append_right (GString *text, const char *word, int width)
{
  g_string_append_printf (text, "%*s%s", MAX (width - (int)g_utf8_strlen (word, -1), 0), "", word);
}

static gboolean
finish (CliCall *call, const Job *job, GError **error)
{
  g_autofree char *csv = to_csv (job);
  GString *text = g_string_new (NULL);

  if (!cli_keep_text (call, "output", csv, error))
    {
      g_string_free (text, TRUE);
      return FALSE;
    }
  g_string_printf (text, _ ("%zu pixels, d = %d, %d dimensions: X ≤ Σ ≤ (1 + ε) X, slice by slice"), job->n, job->d,
                   g_array_index (job->points, TosstSparsification, 0).dimension);
  g_string_append_c (text, '\n');
  append_right (text, _ ("atoms"), 8);
  append_right (text, _ ("non-zero"), 10);
  append_right (text, _ ("ε"), 11);
  append_right (text, _ ("ε proved"), 11);
  TOSST_FOR_EACH (const TosstSparsification, point, job->points)
    g_string_append_printf (text, "\n%8zu %9zu %10.4g %10.4g", point->atoms, point->nonzeros, point->epsilon,
                            point->bound);
  cli_call_result (call, to_json (job), "%s", text->str);
  g_string_free (text, TRUE);
  return TRUE;
}

static gboolean
run (CliCall *call, GError **error)
{
  static const char *const outputs[] = { "output", NULL };
  g_autoptr (GArray) atoms = g_array_new (FALSE, FALSE, sizeof (gsize));
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (TosstSparsification));
  const char *wanted = cli_call_value (call, "atoms");
  Job job = { .context = cli_call_context (call),
              .name = call->operand[0],
              .separate = cli_call_flag (call, "separate"),
              .atoms = atoms,
              .points = points };
  gboolean ok = cli_call_check_outputs (call, outputs, error) && (!wanted || parse_atoms (&job, wanted, error))
                && read_vectors (call, &job, error) && (wanted || default_atoms (&job, error))
                && run_points (call, &job, error) && finish (call, &job, error);

  g_free (job.vectors);
  return ok;
}

static const CliOption options_table[] = {
  { "at", 0, "X,Y", N_ ("Top left pixel of the patch, or a point near the centre of a frame (default: 0,0)") },
  { "output", 'o', "FILE.csv", N_ ("Output file of the curve: atoms, nonzeros, epsilon, bound") },
  { "atoms", 0, "N,N,...", N_ ("Numbers of atoms (default: multiples of the dimension)") },
  { "separate", 0, NULL, N_ ("Separate weights for each slice (Lemma 1) instead of one set (Theorem 1)") },
  { "recipe", 0, "FILE", N_ ("Recipe for describing") },
  { NULL },
};
static const char *const groups[] = { "descriptor", NULL };

const CliCommand cli_sparsify = { "sparsify",
                                  "IMAGE",
                                  N_ ("Approximate the tensor of a patch by few of its pixels (Theorem 1)"),
                                  options_table,
                                  groups,
                                  1,
                                  1,
                                  run };
