/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/call.h"
#include "core/base/base.h"
#include "core/preset/preset.h"
#include "core/ranks/processes.h"

gboolean
cli_is_folder (const char *operand)
{
  g_autofree char *lower = g_ascii_strdown (operand, -1);

  return g_file_test (operand, G_FILE_TEST_IS_DIR) || g_str_has_suffix (lower, ".csv");
}

static void
say (CliCall *call, const TosstRecipe *recipe, const TosstFacts *facts, const char *preset)
{
  g_autofree char *sentence = tosst_preset_sentence (recipe, facts), *line = tosst_clean_line (sentence);

  if (cli_call_flag (call, "quiet") || tosst_launched_rank () > 0)
    return;
  if (preset)
    fprintf (stderr, _ ("tosst: preset %s; %s\n"), preset, line);
  else
    fprintf (stderr, "tosst: %s\n", line);
}

/* The recipe base with the preset below --set. wanted: base with --set, which opens the data set. */
static TosstRecipe *
apply_preset (CliCall *call, const TosstRecipe *base, TosstRecipe *wanted, GError **error)
{
  const char *name = cli_call_value (call, "preset");
  TosstPreset preset = TOSST_PRESET_BALANCED;
  g_autoptr (TosstRecipe) recipe = tosst_recipe_copy (base);
  TosstFacts facts;
  GError *cause = NULL;

  if (name && !tosst_preset_find (name, &preset, &cause))
    return cli_usage_from (error, cause), NULL;
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (wanted, NULL, error);
  if (!dataset)
    return NULL;
  tosst_facts_init (&facts, dataset);
  if (name || (!tosst_preset_is_unfit (wanted) && !cli_call_value (call, "tune")))
    {
      tosst_preset_apply (preset, recipe, &facts);
      name = tosst_preset_name (preset);
    }
  else
    tosst_preset_set_patches (recipe, &facts);
  TosstRecipe *chosen = cli_call_recipe (call, NULL, recipe, error);
  if (chosen)
    say (call, chosen, &facts, name);
  return chosen;
}

TosstRecipe *
cli_folder_recipe (CliCall *call, const char *operand, GError **error)
{
  g_autoptr (TosstRecipe) base = NULL, wanted = NULL;

  if (!operand || !cli_is_folder (operand))
    {
      wanted = cli_call_recipe (call, operand, NULL, error);
      if (!wanted || !cli_call_value (call, "preset"))
        return g_steal_pointer (&wanted);
      base = tosst_recipe_copy (wanted);
    }
  else
    {
      g_autoptr (GFile) folder = g_file_new_for_commandline_arg (operand);

      base = tosst_recipe_new ();
      if (!tosst_preset_set_folder (base, folder, error))
        return NULL;
      wanted = cli_call_recipe (call, NULL, base, error);
      if (!wanted)
        return NULL;
    }
  return apply_preset (call, base, wanted, error);
}
