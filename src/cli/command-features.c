/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/describer.h"
#include "core/base/base.h"
#include "core/image/probe.h"

typedef struct
{
  GFile *image, *output;
  char *name;
} Source;

typedef struct
{
  const TosstRecipe *recipe;
  GArray *sources; /* Source */
  GError *error;   /* atomic, as features */
  gsize features;
} Job;

TOSST_DEFINE_CLEAR (Source, source_clear, (image, g_object_unref), (output, g_object_unref), (name, g_free))

static gboolean
add_operand (Job *job, const char *operand, GFile *folder, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (operand);
  g_autoptr (GArray) images = cli_images_new ();
  TosstImageProbe probe;

  if (!cli_images_add (images, file, FALSE, error))
    return FALSE;
  if (images->len == 1 && g_file_equal (g_array_index (images, CliImage, 0).file, file)
      && !tosst_image_probe (file, &probe, error))
    return FALSE;
  TOSST_FOR_EACH (const CliImage, image, images)
    {
      g_autofree char *name = g_strconcat (image->id, ".npz", NULL);
      Source source = { g_object_ref (image->file), g_file_resolve_relative_path (folder, name),
                        g_file_get_parse_name (image->file) };

      g_array_append_val (job->sources, source);
    }
  return images->len > 0 || tosst_fail_input (error, operand, _ ("has no images"));
}

/* Two images with one output, as a/1.png and b/1.png, would overwrite each other. */
static gboolean
check_outputs (const Job *job, GError **error)
{
  g_autoptr (GHashTable) owners = g_hash_table_new ((GHashFunc)g_file_hash, (GEqualFunc)g_file_equal);

  for (guint i = 0; i < job->sources->len; i++)
    {
      const Source *source = &g_array_index (job->sources, Source, i),
                   *other = g_hash_table_lookup (owners, source->output);

      if (other)
        return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s and %s would have one output; pass their folder instead"),
                           other->name, source->name);
      g_hash_table_insert (owners, source->output, (gpointer)source);
    }
  return TRUE;
}

static TosstStatus
describe_source (size_t item, int worker, void *data)
{
  Job *job = data;
  const Source *source = &g_array_index (job->sources, Source, item);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstImage) image = tosst_image_read_for (source->image, 0, 0, &error);
  g_autoptr (TosstFeatures) features
      = image ? tosst_local_features_of_image (job->recipe, image, source->name, &error) : NULL;
  g_autoptr (GFile) folder = g_file_get_parent (source->output);

  if (features && tosst_make_folder (folder, NULL, &error) && tosst_features_write (features, source->output, &error))
    g_atomic_pointer_add (&job->features, features->n);
  return tosst_local_end_task (&job->error, g_steal_pointer (&error));
}

/* With --resume images whose features are newer than they are left out. */
static void
leave_finished_out (Job *job)
{
  for (guint i = job->sources->len; i > 0; i--)
    {
      const Source *source = &g_array_index (job->sources, Source, i - 1);
      g_autoptr (GFileInfo) image
          = g_file_query_info (source->image, G_FILE_ATTRIBUTE_TIME_MODIFIED, G_FILE_QUERY_INFO_NONE, NULL, NULL);
      g_autoptr (GFileInfo) output
          = g_file_query_info (source->output, G_FILE_ATTRIBUTE_TIME_MODIFIED, G_FILE_QUERY_INFO_NONE, NULL, NULL);

      if (image && output
          && g_file_info_get_attribute_uint64 (output, G_FILE_ATTRIBUTE_TIME_MODIFIED)
                 >= g_file_info_get_attribute_uint64 (image, G_FILE_ATTRIBUTE_TIME_MODIFIED))
        g_array_remove_index (job->sources, i - 1);
    }
}

static void
print_result (CliCall *call, const Job *job, guint images, double seconds)
{
  JsonObject *object = TOSST_JSON (("images", images), ("features", job->features), ("D", TOSST_SIFT_LENGTH),
                                   ("seconds", seconds), ("threads", call->threads));
  cli_call_result (call, object,
                   ngettext ("%zu descriptors of %u image in %.2f s, written to %s",
                             "%zu descriptors of %u images in %.2f s, written to %s", images),
                   job->features, images, seconds, cli_call_value (call, "output"));
}

static gboolean
describe_all (CliCall *call, Job *job, GError **error)
{
  TosstContext *context = cli_call_context (call);
  g_autoptr (CliProgress) progress = cli_progress_new (call, _ ("Describing"), job->sources->len, _ ("images"));

  cli_progress_span (progress, context, 0, 1);
  TosstStatus status = tosst_parallel (context, job->sources->len, describe_source, job, 0, 1);
  if (status == TOSST_CANCELLED)
    return tosst_fail (error, TOSST_FAILED_CANCELLED,
                       _ ("interrupted; tosst features --resume describes the other images"));
  return tosst_local_end_parallel (status, context, &job->error, _ ("Describing"), error);
}

static gboolean
run (CliCall *call, GError **error)
{
  g_autoptr (TosstRecipe) recipe = cli_call_recipe (call, cli_call_value (call, "recipe"), NULL, error);
  g_autoptr (GFile) folder = cli_call_file (call, "output");
  g_autoptr (GArray) sources = g_array_new (FALSE, FALSE, sizeof (Source));
  Job job = { .recipe = recipe, .sources = sources };
  TosstSiftOptions sift;
  gint64 start = g_get_monotonic_time ();
  gboolean ok = TRUE;

  g_array_set_clear_func (sources, source_clear);
  if (!recipe || !tosst_recipe_sift_options (recipe, &sift, error))
    return FALSE;
  for (guint i = 0; i < call->operands && ok; i++)
    ok = add_operand (&job, call->operand[i], folder, error);
  if (!ok || !check_outputs (&job, error))
    return FALSE;
  if (cli_call_flag (call, "resume"))
    leave_finished_out (&job);
  if (!describe_all (call, &job, error))
    return FALSE;
  print_result (call, &job, sources->len, (double)(g_get_monotonic_time () - start) / G_USEC_PER_SEC);
  return TRUE;
}

static const CliOption options[] = {
  { "output", 'o', "DIR", N_ ("Folder of the feature files, one .npz an image: x, xy, scale or frames"), TRUE },
  { "recipe", 0, "FILE",
    N_ ("Recipe with the keys of SIFT: frames, radii, strides, detector, most, root, flat, longest-side and so on") },
  { "resume", 0, NULL, N_ ("Leave out images whose features are newer than they are") },
  { NULL },
};

static const char *const groups[] = { "descriptor", NULL };

const CliCommand cli_features = { "features",
                                  "IMAGE|FOLDER...",
                                  N_ ("Write the SIFT descriptors of images, on a grid or at keypoints"),
                                  options,
                                  groups,
                                  1,
                                  G_MAXUINT,
                                  run };
