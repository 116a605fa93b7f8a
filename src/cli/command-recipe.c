/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/call.h"
#include "core/base/base.h"

static JsonObject *
parameter_json (const TosstParameter *p)
{
  JsonObject *object = json_object_new ();
  const struct
  {
    const char *name, *text;
  } texts[] = { { "label", _ (p->label) },
                { "help", _ (p->help) },
                { "symbol", p->symbol },
                { "equation", p->equation },
                { "unit", p->unit ? _ (p->unit) : NULL },
                { "default", p->default_text },
                { "typical", p->typical ? _ (p->typical) : NULL } };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (texts[i].text)
      json_object_set_string_member (object, texts[i].name, texts[i].text);
  json_object_set_boolean_member (object, "basic", p->basic);
  if (p->choices)
    {
      JsonArray *choices = json_array_new ();

      for (const char *const *choice = p->choices; *choice; choice++)
        json_array_add_string_element (choices, *choice);
      json_object_set_array_member (object, "choices", choices);
    }
  else if (p->type == TOSST_PARAMETER_INTEGER || p->type == TOSST_PARAMETER_REAL)
    TOSST_JSON_SET (object, ("minimum", p->minimum), ("maximum", p->maximum));
  return object;
}

/* Explains "dictionary.lambda", or all parameters with a key given without group. With --json one object per
 * parameter. */
static gboolean
explain (CliCall *call, const char *key, GError **error)
{
  g_autoptr (JsonObject) object = json_object_new ();
  GError *cause = NULL;

  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    {
      if (strcmp (p->name, key) != 0 && strcmp (p->key, key) != 0)
        continue;
      json_object_set_object_member (object, p->name, parameter_json (p));
      if (cli_call_flag (call, "json") || cli_call_flag (call, "quiet"))
        continue;
      if (json_object_get_size (object) > 1)
        putchar ('\n');
      cli_help_parameter (p);
    }
  if (json_object_get_size (object) > 0 && cli_call_flag (call, "json"))
    cli_call_result (call, json_object_ref (object), "%s", "");
  if (json_object_get_size (object) > 0)
    return TRUE;
  /* Reports an unknown key with the most similar known one. */
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  tosst_recipe_set (recipe, key, "", &cause);
  return cli_usage_from (error, cause);
}

/* Parameters without influence on the recipe are left out, unless all are wanted. */
static char *
to_text (const TosstRecipe *recipe, gboolean all)
{
  g_autofree char *text = tosst_recipe_to_text (recipe, FALSE);
  g_autoptr (GKeyFile) file = g_key_file_new ();

  g_key_file_load_from_data (file, text, (gsize)-1, G_KEY_FILE_NONE, NULL);
  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    if (!all && tosst_recipe_why_inactive (recipe, p))
      g_key_file_remove_key (file, p->group, p->key, NULL);
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  for (char **group = groups; *group; group++)
    {
      g_auto (GStrv) keys = g_key_file_get_keys (file, *group, NULL, NULL);

      if (*keys == NULL)
        g_key_file_remove_group (file, *group, NULL);
    }
  return g_key_file_to_data (file, NULL, NULL);
}

static JsonObject *
to_json (const TosstRecipe *recipe, gboolean all)
{
  JsonObject *object = json_object_new ();

  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    {
      g_autofree char *value = tosst_recipe_get (recipe, p);

      if (all || !tosst_recipe_why_inactive (recipe, p))
        json_object_set_string_member (object, p->name, value);
    }
  return object;
}

static gboolean
run (CliCall *call, GError **error)
{
  const char *key = cli_call_value (call, "explain"), *path = NULL;
  g_autoptr (TosstRecipe) recipe = NULL, base = NULL;
  gboolean defaults = cli_call_flag (call, "defaults");

  if (key)
    return explain (call, key, error);
  if (call->operands && defaults)
    return cli_usage_error (error, _ ("--defaults takes no recipe file"));
  if (call->operands)
    path = call->operand[0];
  if (cli_call_flag (call, "samples"))
    base = tosst_recipe_new_samples ();
  if (base && path)
    return cli_usage_error (error, _ ("--samples takes no recipe file"));
  recipe = base ? cli_call_recipe (call, NULL, base, error) : cli_folder_recipe (call, path, error);
  if (!recipe)
    return FALSE;
  if (!defaults && !tosst_recipe_check (recipe, error))
    return FALSE;
  g_autofree char *text = g_strchomp (to_text (recipe, defaults));
  cli_call_result (call, to_json (recipe, defaults), "%s", text);
  return TRUE;
}

static const CliOption options[] = {
  CLI_PRESET_OPTION,
  { "defaults", 0, NULL, N_ ("Print a recipe with all defaults") },
  { "samples", 0, NULL, N_ ("Print the recipe for the sample textures") },
  { "explain", 0, "KEY", N_ ("Explain a parameter, such as dictionary.lambda") },
  { NULL },
};

const CliCommand cli_recipe
    = { "recipe", "[FOLDER|RECIPE]", N_ ("Check, print and explain parameters"), options, cli_all_groups, 0, 1, run };
