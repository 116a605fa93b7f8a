/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <glib/gi18n.h>

#include "commands.h"
#include "error.h"
#include "image-io.h"
#include "model.h"

static JsonObject *
make_entry (const TosstModel *model, const char *name, int class_index, const double *margins)
{
  JsonObject *entry = json_object_new (), *all = json_object_new ();

  for (int c = 0; c < model->svm->classes; c++)
    json_object_set_double_member (all, model->class_names[c], margins[c]);
  json_object_set_string_member (entry, "image", name);
  json_object_set_string_member (entry, "class", model->class_names[class_index]);
  json_object_set_double_member (entry, "margin", margins[class_index]);
  json_object_set_object_member (entry, "margins", all);
  return entry;
}

static gboolean
predict (CliCall *call, const TosstModel *model, const char *name, JsonArray *entries, GString *text, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (name);
  g_autoptr (TosstImage) image = tosst_image_read (file, 0, error);
  g_autofree double *margins = NULL;
  int class_index;

  if (!image)
    return FALSE;
  class_index = tosst_model_predict (model, cli_call_context (call), image, &margins, error);
  if (class_index < 0 && g_error_matches (*error, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    {
      g_clear_error (error);
      return cli_fail_interrupted (error);
    }
  if (class_index < 0)
    {
      g_prefix_error (error, "%s: ", name);
      return FALSE;
    }
  json_array_add_object_element (entries, make_entry (model, name, class_index, margins));
  g_string_append_printf (text, "%s%s\t%s\t%.4f", text->len ? "\n" : "", name, model->class_names[class_index],
                          margins[class_index]);
  return TRUE;
}

static gboolean
run (CliCall *call, GError **error)
{
  g_autoptr (GFile) file = cli_call_file (call, "model");
  g_autoptr (TosstModel) model = tosst_model_load (file, error);
  g_autoptr (JsonArray) entries = json_array_new ();
  g_autoptr (GString) text = g_string_new (NULL);
  JsonObject *object;

  if (!model)
    return FALSE;
  for (guint i = 0; i < cli_call_operands (call); i++)
    if (!predict (call, model, cli_call_operand (call, i), entries, text, error))
      return FALSE;
  object = json_object_new ();
  json_object_set_array_member (object, "predictions", g_steal_pointer (&entries));
  cli_call_result (call, object, text->str);
  return TRUE;
}

static const CliOption options[] = {
  { "model", 'm', "M.npz", N_ ("A model that tosst classify --model wrote"), TRUE },
  { NULL },
};

const CliCommand cli_predict
    = { "predict", "IMAGE...", N_ ("Tell the class of images by a trained model"), options, NULL, 1, G_MAXUINT, run };
