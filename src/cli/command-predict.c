/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/describer.h"
#include "cli/ranks.h"
#include "core/base/base.h"
#include "core/image/probe.h"
#include "core/predict/class-map.h"
#include "core/predict/draw-map.h"
#include "core/predict/predictor.h"

/* tosst predict --map and --map-npy. */

/* Larger than any image side. */
#define MOST_PIXELS 1000000

static const double OPACITY = 0.55;

static gboolean
wants_map (CliCall *call)
{
  return cli_call_value (call, "map") || cli_call_value (call, "map-npy");
}

/* *value is unchanged if the option is not given. */
static gboolean
read_pixels (CliCall *call, const char *option, int *value, GError **error)
{
  const char *text = cli_call_value (call, option);
  guint64 number;

  if (!text)
    return TRUE;
  if (!g_ascii_string_to_unsigned (text, 10, 1, MOST_PIXELS, &number, NULL))
    return cli_usage_error (error, _ ("--%s must be a whole number of pixels, not “%s”"), option, text);
  *value = (int)number;
  return TRUE;
}

typedef struct
{
  int window, step;
  double opacity;
  gboolean uncertain;
} MapOptions;

static gboolean
read_options (CliCall *call, MapOptions *options, GError **error)
{
  *options = (MapOptions){ .opacity = OPACITY, .uncertain = cli_call_flag (call, "fade") };

  if (!read_pixels (call, "window", &options->window, error) || !read_pixels (call, "map-step", &options->step, error))
    return FALSE;
  const char *text = cli_call_value (call, "opacity");
  char *end = NULL;

  if (text)
    {
      options->opacity = g_ascii_strtod (text, &end);
      if (end == text || *end || !(options->opacity >= 0 && options->opacity <= 1))
        return cli_usage_error (error, _ ("--opacity must be a number from 0 to 1, not “%s”"), text);
    }
  return TRUE;
}

static void
print_map (CliCall *call, const char *name, const TosstClassMap *map)
{
  g_autofree gsize *counts = g_new (gsize, map->classes);
  g_autoptr (GString) text = g_string_new (NULL);
  JsonObject *object = json_object_new (), *entry = json_object_new (), *shares = json_object_new ();
  double windows = (double)map->rows * map->columns;

  tosst_class_map_count (map, counts);
  g_string_printf (text, _ ("%s: %d × %d windows of %d × %d pixels"), name, map->columns, map->rows, map->window,
                   map->window);
  for (int c = 0; c < map->classes; c++)
    {
      json_object_set_double_member (shares, map->class_names[c], counts[c] / windows);
      if (counts[c] > 0)
        g_string_append_printf (text, "\n%s\t%.1f %%", map->class_names[c], 100 * counts[c] / windows);
    }
  TOSST_JSON_SET (entry, ("image", name), ("window", map->window), ("step", map->step), ("rows", map->rows),
                  ("columns", map->columns), ("shares", shares));
  json_object_set_object_member (object, "map", entry);
  cli_call_result (call, object, "%s", text->str);
}

static gboolean
save_array (GFile *file, gpointer map, GError **error)
{
  return tosst_class_map_write_npy (map, file, error);
}

static gboolean
save_picture (GFile *file, gpointer drawing, GError **error)
{
  return tosst_class_map_save (drawing, file, error);
}

/* name: of the image in messages and results. */
static gboolean
predict_map (CliCall *call, const TosstPredictor *predictor, GFile *file, const char *name, GError **error)
{
  g_autoptr (TosstImage) image = tosst_image_read_for (file, 0, 0, error);
  TosstContext *context = cli_call_context (call);
  MapOptions options;

  if (!image || !read_options (call, &options, error))
    return FALSE;
  g_autoptr (CliProgress) progress = cli_progress_new (call, _ ("Mapping"), 0, NULL);
  cli_progress_span (progress, context, 0, 1);
  g_autoptr (TosstClassMap) map = tosst_class_map_new (predictor, context, image, options.window, options.step, error);
  g_clear_pointer (&progress, cli_progress_free);
  if (!map && g_error_matches (*error, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    {
      g_clear_error (error);
      return cli_fail_interrupted (error);
    }
  if (!map)
    {
      g_prefix_error (error, "%s: ", name);
      return FALSE;
    }
  g_autoptr (GFile) picture = cli_call_file (call, "map"), array = cli_call_file (call, "map-npy");
  TosstMapDrawing drawing = { map, image, options.opacity, options.uncertain };
  gboolean kept = !array || tosst_atomic_keep (array, save_array, map, error);

  if ((picture && !tosst_atomic_keep (picture, save_picture, &drawing, error)) || !kept)
    return FALSE;
  print_map (call, name, map);
  return TRUE;
}

/* Prediction of many images: each result is printed immediately, and an unreadable image does not stop the others. */
typedef struct
{
  CliCall *call;
  const TosstPredictor *predictor;
  const TosstModel *model;
  GArray *images;  /* CliImage */
  gboolean labels; /* several an image */
  CliProgress *progress;
  JsonArray *entries, *failures;
  GError *first; /* the first failure, printed with the second one or at the end */
} Batch;

/* --- failures --- */

static void
print_failure (Batch *self, const GError *error)
{
  if (!cli_is_writer ())
    return;
  cli_progress_wipe (self->progress);
  cli_print_problem ("predict", error->message);
}

/* Takes error. */
static void
note_failure (Batch *self, const char *name, GError *error)
{
  json_array_add_object_element (self->failures, TOSST_JSON (("image", name), ("reason", error->message)));
  if (json_array_get_length (self->failures) == 1)
    {
      self->first = error;
      return;
    }
  if (self->first)
    print_failure (self, self->first);
  g_clear_error (&self->first);
  print_failure (self, error);
  g_error_free (error);
}

static gboolean
tell_failures (Batch *self, GError **error)
{
  guint failed = json_array_get_length (self->failures);

  if (failed == 0)
    return TRUE;
  if (self->first)
    {
      g_propagate_error (error, g_steal_pointer (&self->first));
      return FALSE;
    }
  return tosst_fail (error, TOSST_FAILED_INPUT, _ ("inputs not classified: %u; images classified: %u"), failed,
                     json_array_get_length (self->entries));
}

/* --- list of images --- */

/* Path relative to the current folder if possible, as given by the user. */
static char *
name_image (GFile *file)
{
  g_autofree char *folder = g_get_current_dir ();
  g_autoptr (GFile) here = g_file_new_for_path (folder);
  g_autofree char *relative = g_file_get_relative_path (here, file);

  return relative ? g_filename_display_name (relative) : g_file_get_parse_name (file);
}

/* --- output --- */

/* The classes that an image shows, separated by ", "; "-" if it shows none. New. */
static char *
list_classes (const Batch *self, const double *margins)
{
  GString *list = g_string_new (NULL);

  for (int c = 0; c < tosst_model_classes (self->model); c++)
    if (tosst_model_shows (self->model, margins, c))
      g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", self->model->class_names[c]);
  if (list->len == 0)
    g_string_append_c (list, '-');
  return g_string_free (list, FALSE);
}

static gboolean
prints_lines (const Batch *self)
{
  return cli_is_writer () && !cli_call_flag (self->call, "quiet") && !cli_call_flag (self->call, "json");
}

/* With several labels an image there is no margin of "the" class. */
static gboolean
prints_margins (const Batch *self)
{
  return self->labels || cli_call_flag (self->call, "margins");
}

static void
print_line (Batch *self, const char *name, int class_index, const double *margins)
{
  g_autofree char *image = tosst_clean_line (name), *classes = self->labels ? list_classes (self, margins) : NULL,
                  *shown = tosst_clean_line (classes ? classes : self->model->class_names[class_index]);

  if (!prints_lines (self))
    return;
  cli_progress_wipe (self->progress);
  cli_print (stdout, "%s\t%s", image, shown);
  if (!self->labels)
    printf ("\t%.4f", margins[class_index]);
  for (int c = 0; prints_margins (self) && c < tosst_model_classes (self->model); c++)
    printf ("\t%.4f", margins[c]);
  putchar ('\n');
  fflush (stdout);
}

/* With all margins the columns have titles. */
static void
print_header (Batch *self)
{
  if (!prints_lines (self) || !prints_margins (self))
    return;
  fputs (self->labels ? "image\tclasses" : "image\tclass\tmargin", stdout);
  for (char **name = self->model->class_names; *name; name++)
    {
      g_autofree char *class_name = tosst_clean_line (*name);

      printf ("\t%s", class_name);
    }
  putchar ('\n');
}

/* --- prediction --- */

static JsonObject *
make_entry (const Batch *self, const char *name, int class_index, const double *margins)
{
  JsonObject *entry = json_object_new (), *all = json_object_new ();
  g_autofree double *probabilities = g_new (double, tosst_model_classes (self->model));
  JsonArray *classes = self->labels ? json_array_new () : NULL;

  for (int c = 0; c < tosst_model_classes (self->model); c++)
    {
      json_object_set_double_member (all, self->model->class_names[c], margins[c]);
      if (classes && tosst_model_shows (self->model, margins, c))
        json_array_add_string_element (classes, self->model->class_names[c]);
    }
  json_object_set_string_member (entry, "image", name);
  if (classes)
    json_object_set_array_member (entry, "classes", classes);
  else
    TOSST_JSON_SET (entry, ("class", self->model->class_names[class_index]), ("margin", margins[class_index]));
  json_object_set_object_member (entry, "margins", all);
  if (tosst_model_probabilities (self->model, margins, probabilities))
    {
      JsonObject *shares = json_object_new ();

      for (int c = 0; c < tosst_model_classes (self->model); c++)
        json_object_set_double_member (shares, self->model->class_names[c], probabilities[c]);
      if (!classes)
        json_object_set_double_member (entry, "probability", probabilities[class_index]);
      json_object_set_object_member (entry, "probabilities", shares);
    }
  return entry;
}

/* Returns the class of the largest margin; -1 with error. */
static int
find_margins (const Batch *self, const CliImage *source, const char *name, double *margins, GError **error)
{
  TosstContext *context = cli_call_context (self->call);
  int class_index = -1;

  if (tosst_recipe_is_local (self->model->recipe))
    {
      g_autoptr (TosstFeatures) features
          = tosst_local_features_of_file (self->model->recipe, source->file, source->id, error);
      return features ? tosst_predictor_classify_features (self->predictor, context, features, margins, error) : -1;
    }
  g_autoptr (TosstImage) image
      = tosst_image_read_for (source->file, tosst_recipe_longest (self->model->recipe), 0, error);
  if (image)
    class_index = tosst_predictor_classify (self->predictor, context, image, margins, error);
  if (image && class_index < 0 && !g_error_matches (*error, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    g_prefix_error (error, "%s: ", name);
  return class_index;
}

/* What a rank found for an image. */
typedef struct
{
  int class_index; /* -1: it failed */
  char reason[1024];
  double margins[]; /* of each class */
} Outcome;

static void
tell_outcome (Batch *self, guint i, const Outcome *outcome)
{
  g_autofree char *name = name_image (g_array_index (self->images, CliImage, i).file);
  GError *reason = NULL;

  if (outcome->class_index >= 0)
    {
      json_array_add_object_element (self->entries, make_entry (self, name, outcome->class_index, outcome->margins));
      print_line (self, name, outcome->class_index, outcome->margins);
      return;
    }
  g_autofree char *base = g_path_get_basename (name);
  /* Readers name the file alone; several folders may have one of that name. */
  gboolean alone = g_str_has_prefix (outcome->reason, base) && strstr (outcome->reason, name) == NULL;

  tosst_fail (&reason, TOSST_FAILED_INPUT, "%s%s", alone ? name : "",
              alone ? outcome->reason + strlen (base) : outcome->reason);
  note_failure (self, name, reason);
}

/* An image of each rank in a round. Returns FALSE after an interrupt. */
static gboolean
predict_all (Batch *self, GError **error)
{
  TosstContext *context = cli_call_context (self->call);
  TosstRanks *ranks = cli_ranks ();
  guint size = ranks ? (guint)ranks->size : 1, rank = ranks ? (guint)ranks->rank : 0, n = self->images->len;
  gsize bytes = sizeof (Outcome) + (gsize)tosst_model_classes (self->model) * sizeof (double);
  g_autofree char *round = g_malloc0 (bytes * size);

  for (guint first = 0; first < n; first += size)
    {
      TosstStatus status = TOSST_OK;

      cli_progress_span (self->progress, context, (double)first / n, (double)MIN (first + size, n) / n);
      if (first + rank < n)
        {
          /* Classifies the own image of a round. */
          const CliImage *source = &g_array_index (self->images, CliImage, first + rank);
          Outcome *outcome = (Outcome *)(gpointer)(round + rank * bytes);
          g_autofree char *name = name_image (source->file);
          g_autoptr (GError) cause = NULL;

          outcome->class_index = find_margins (self, source, name, outcome->margins, &cause);
          if (cause)
            g_strlcpy (outcome->reason, cause->message, sizeof outcome->reason);
          if (outcome->class_index < 0 && tosst_context_is_cancelled (context))
            status = TOSST_CANCELLED;
        }
      if (tosst_ranks_gather (ranks, status, round, bytes, 1, size) != TOSST_OK)
        return tosst_fail (error, TOSST_FAILED_CANCELLED, _ ("interrupted after %u of %u images"), first, n);
      for (guint i = first; i < MIN (first + size, n); i++)
        tell_outcome (self, i, (const Outcome *)(gpointer)(round + (i - first) * bytes));
    }
  return TRUE;
}

static gboolean
map_image (Batch *self, GError **error)
{
  if (json_array_get_length (self->failures) > 0)
    return tell_failures (self, error);
  if (cli_ranks ())
    return tosst_fail (error, TOSST_FAILED_INPUT,
                       _ ("a map is not divided over processes: start it without mpirun or srun"));
  if (self->images->len != 1)
    return cli_usage_error (error, _ ("--map and --map-npy need one image, not %u"), self->images->len);
  GFile *file = g_array_index (self->images, CliImage, 0).file;
  g_autofree char *name = name_image (file);
  return predict_map (self->call, self->predictor, file, name, error);
}

static gboolean
run_batch (Batch *self, GError **error)
{
  self->progress = cli_progress_new (self->call, _ ("Classifying"), 0, NULL);

  for (guint i = 0; i < self->call->operands; i++)
    {
      g_autoptr (GFile) file = g_file_new_for_commandline_arg (self->call->operand[i]);
      g_autofree char *name = g_file_get_parse_name (file);
      g_autoptr (GError) cause = NULL;
      guint before = self->images->len;
      gboolean features = self->model->recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES;

      if (cli_images_add (self->images, file, features, &cause) && self->images->len == before)
        tosst_fail (&cause, TOSST_FAILED_INPUT, _ ("%s: no image in this folder"), name);
      if (cause)
        note_failure (self, name, g_steal_pointer (&cause));
    }
  cli_progress_free (self->progress);
  if (wants_map (self->call))
    return map_image (self, error);
  self->progress = cli_progress_new (self->call, _ ("Classifying"), self->images->len, _ ("images"));
  print_header (self);
  gboolean complete = predict_all (self, error);
  double unfound = tosst_predictor_unfound (self->predictor);
  complete = complete && cli_ranks_sum (&unfound, 1, error);
  if (cli_call_flag (self->call, "json"))
    {
      JsonObject *object
          = TOSST_JSON (("predictions", json_array_ref (self->entries)), ("failed", json_array_ref (self->failures)),
                        ("images_without_frames", (guint)unfound));
      cli_call_result (self->call, object, "%s", "");
    }
  if (complete)
    complete = tell_failures (self, error);
  cli_progress_free (self->progress);
  if (unfound > 0 && cli_is_writer () && !cli_call_flag (self->call, "json"))
    {
      g_autofree char *text = cli_images_unfound ((guint)unfound);

      cli_print_problem ("predict", g_strchomp (text));
    }
  return complete;
}

/* The folder of --features takes the place of the model's. */
static gboolean
set_features (CliCall *call, TosstModel *model, GError **error)
{
  const char *folder = cli_call_value (call, "features");

  if (!folder)
    return TRUE;
  if (model->recipe->descriptor.kind != TOSST_DESCRIPTOR_FEATURES)
    return cli_usage_error (error, _ ("--features needs a model of features in files (descriptor.kind features)"));
  return tosst_recipe_set (model->recipe, "descriptor.folder", folder, error);
}

static gboolean
run (CliCall *call, GError **error)
{
  g_autoptr (GFile) file = cli_call_file (call, "model");
  Batch batch = { .call = call };

  /* Checks that the options of maps are valid and the outputs can be written. */
  static const char *const of_maps[] = { "window", "map-step", "opacity", "fade" };
  static const char *const outputs[] = { "map", "map-npy", NULL };
  g_autoptr (GFile) picture = cli_call_file (call, "map");
  MapOptions options;

  for (guint i = 0; !wants_map (call) && i < G_N_ELEMENTS (of_maps); i++)
    if (cli_call_value (call, of_maps[i]) || cli_call_flag (call, of_maps[i]))
      return cli_usage_error (error, _ ("--%s needs --map or --map-npy"), of_maps[i]);
  if (!(read_options (call, &options, error) && cli_call_check_outputs (call, outputs, error)
        && (!picture || tosst_draw_check (picture, error))))
    return FALSE;
  g_autoptr (TosstModel) model = tosst_model_load (file, error);
  if (!model || !set_features (call, model, error))
    return FALSE;
  if (wants_map (call) && !tosst_class_map_is_possible (model))
    return tosst_fail (
        error, TOSST_FAILED_INPUT,
        _ ("the model needs features from files, which windows of a map do not have: leave out --map and "
           "--map-npy"));
  g_autoptr (TosstPredictor) predictor = tosst_predictor_new (model, cli_call_context (call), error);
  if (!predictor)
    return FALSE;
  batch.predictor = predictor;
  batch.model = model;
  batch.labels = tosst_recipe_has_several_labels (model->recipe);
  batch.images = cli_images_new ();
  batch.entries = json_array_new ();
  batch.failures = json_array_new ();
  gboolean ok = run_batch (&batch, error);
  g_array_unref (batch.images);
  json_array_unref (batch.entries);
  json_array_unref (batch.failures);
  g_clear_error (&batch.first);
  return ok;
}

static const CliOption options[] = {
  { "model", 'm', "M.npz", N_ ("Model written by tosst classify --model"), TRUE },
  { "margins", 0, NULL, N_ ("Print the margins of all classes") },
  { "features", 0, "DIR",
    N_ ("Folder of the feature files of the images, for models of features in files (default: that of the training)") },
  { "map", 0, "FILE.png", N_ ("Output file of the map drawn over the image (.png, .svg, .pdf)") },
  { "map-npy", 0, "M.npy", N_ ("Output file of class and margins of each window of the map") },
  { "window", 0, "SIZE", N_ ("Side of the windows of the map in pixels (default: that of the training images)") },
  { "map-step", 0, "SIZE",
    N_ ("Distance of the windows in pixels, a multiple of the patch step (default: the patch step; without patches on "
        "a "
        "grid a quarter of the window)") },
  { "opacity", 0, "X", N_ ("Opacity of the map over the image, 0 to 1 (default: 0.55)") },
  { "fade", 0, NULL, N_ ("Fade the colours of the map where two classes have about equal margins") },
  CLI_FIGURE_OPTIONS,
  { NULL },
};

const CliCommand cli_predict = { "predict",
                                 "IMAGE|FOLDER...",
                                 N_ ("Predict the class of images by a trained model, or map classes over an image"),
                                 options,
                                 NULL,
                                 1,
                                 G_MAXUINT,
                                 run,
                                 TRUE };
