/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <glib/gi18n.h>

#include "cli/predict-map.h"
#include "cli/progress.h"
#include "core/base/atomic-file.h"
#include "core/base/error.h"
#include "core/image/io.h"
#include "core/predict/class-map.h"
#include "core/predict/draw-map.h"

/* Larger than any image side. */
#define MOST_PIXELS 1000000

static const double OPACITY = 0.55;

gboolean
cli_predict_wants_map (CliCall *call)
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
} MapOptions;

static gboolean
read_options (CliCall *call, MapOptions *options, GError **error)
{
  *options = (MapOptions){ .opacity = OPACITY };

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

gboolean
cli_predict_check_map (CliCall *call, GError **error)
{
  static const char *const of_maps[] = { "window", "map-step", "opacity" };
  static const char *const outputs[] = { "map", "map-npy", NULL };
  g_autoptr (GFile) picture = cli_call_file (call, "map");
  MapOptions options;

  for (guint i = 0; !cli_predict_wants_map (call) && i < G_N_ELEMENTS (of_maps); i++)
    if (cli_call_value (call, of_maps[i]))
      return cli_usage_error (error, _ ("--%s is of no use without --map or --map-npy"), of_maps[i]);
  return read_options (call, &options, error) && cli_call_check_outputs (call, outputs, error)
         && (!picture || tosst_draw_check (picture, error));
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
  json_object_set_string_member (entry, "image", name);
  json_object_set_int_member (entry, "window", map->window);
  json_object_set_int_member (entry, "step", map->step);
  json_object_set_int_member (entry, "rows", map->rows);
  json_object_set_int_member (entry, "columns", map->columns);
  json_object_set_object_member (entry, "shares", shares);
  json_object_set_object_member (object, "map", entry);
  cli_call_result (call, object, text->str);
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

gboolean
cli_predict_map (CliCall *call, const TosstPredictor *predictor, GFile *file, const char *name, GError **error)
{
  g_autoptr (TosstImage) image = tosst_image_read (file, 0, error);
  g_autoptr (TosstClassMap) map = NULL;
  g_autoptr (CliProgress) progress = NULL;
  TosstContext *context = cli_call_context (call);
  MapOptions options;

  if (!image || !read_options (call, &options, error))
    return FALSE;
  progress = cli_progress_new (call, _ ("Mapping"), 0, NULL);
  cli_progress_span (progress, context, 0, 1);
  map = tosst_class_map_new (predictor, context, image, options.window, options.step, error);
  g_clear_pointer (&progress, cli_progress_free);
  if (!map && g_error_matches (*error, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    {
      g_clear_error (error);
      return cli_fail_interrupted (error);
    }
  if (!map)
    g_prefix_error (error, "%s: ", name);
  if (!map)
    return FALSE;
  g_autoptr (GFile) picture = cli_call_file (call, "map"), array = cli_call_file (call, "map-npy");
  TosstMapDrawing drawing = { map, image, options.opacity };
  gboolean kept = !array || tosst_atomic_keep (array, save_array, map, error);

  if (!((!picture || tosst_atomic_keep (picture, save_picture, &drawing, error)) && kept))
    return FALSE;
  print_map (call, name, map);
  return TRUE;
}
