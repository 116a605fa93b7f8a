/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/runs/project-private.h"

#include <glib/gi18n.h>
#include <math.h>

/* Presets: recipes by numbers and sizes of images, of folders that are opened and of the user's choice. */

#define MOST_NAMES 3 /* of parameters in a sentence */

/* Those that have an influence on a recipe, new; NULL: none has. */
static char *
name_parameters (const GPtrArray *parameters, const TosstRecipe *recipe)
{
  GString *names = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; parameters != NULL && i < parameters->len; i++)
    {
      const TosstParameter *p = parameters->pdata[i];

      if (!tosst_recipe_why_inactive (recipe, p) && n++ < MOST_NAMES)
        g_string_append_printf (names, "%s%s", n > 1 ? ", " : "", _ (p->label));
    }
  if (n > MOST_NAMES)
    g_string_append (names, ", …");
  return g_string_free (names, n == 0);
}

/* before: the recipe of the user; replaced: changes of it that the preset replaces, or NULL. */
static void
tell (StudioProject *self, TosstPreset preset, const TosstRecipe *before, const GPtrArray *kept,
      const GPtrArray *replaced)
{
  const TosstRecipe *recipe = self->model->recipe;
  gboolean patches = preset == TOSST_N_PRESETS;
  g_autofree char *title = patches ? NULL : tosst_preset_title (preset), *first = NULL, *text = NULL,
                  *lost = name_parameters (replaced, before), *names = name_parameters (kept, recipe);

  if (patches && tosst_recipe_why_inactive (recipe, tosst_parameter_find ("descriptor.step")) != NULL)
    return;
  first = patches ? g_strdup (_ ("Patches were chosen by the sizes of the images"))
                  : g_strdup_printf (_ ("Preset “%s” for %u images of about %d × %d pixels"), title, self->facts.images,
                                     self->facts.width, self->facts.height);
  if (lost != NULL)
    text = g_strdup_printf (_ ("%s, instead of your changes: %s"), first, lost);
  else if (names != NULL)
    text = g_strdup_printf (_ ("%s; your changes are kept: %s"), first, names);
  g_signal_emit_by_name (self, "toast", text != NULL ? text : first, _ ("_Undo"), "win.undo");
}

/* As one step to undo; says so unless nothing changes. */
static void
take_values (StudioProject *self, TosstPreset preset, const TosstRecipe *recipe, const TosstRecipe *base,
             const GPtrArray *kept, const GPtrArray *replaced)
{
  g_autofree char *title = preset < TOSST_N_PRESETS ? tosst_preset_title (preset) : NULL;
  g_autofree char *label = title != NULL ? g_strdup_printf (_ ("Preset “%s”"), title)
                                         : g_strdup (_ ("Patches by the sizes of the images"));
  g_autoptr (TosstRecipe) before = tosst_recipe_copy (self->model->recipe);

  studio_recipe_model_take_based (self->model, tosst_recipe_copy (recipe), tosst_recipe_copy (base), label);
  if (!tosst_recipe_equal (recipe, before))
    tell (self, preset, before, kept, replaced);
}

static TosstRecipe *
with_source (const TosstRecipe *recipe, const TosstRecipe *source)
{
  TosstRecipe *copy = tosst_recipe_copy (recipe);

  copy->dataset.kind = source->dataset.kind;
  copy->dataset.kind_given = source->dataset.kind_given;
  g_free (copy->dataset.path);
  copy->dataset.path = g_strdup (source->dataset.path);
  return copy;
}

void
studio_project_take_preset (StudioProject *self, TosstPreset preset, const TosstRecipe *recipe, const TosstRecipe *base,
                            const GPtrArray *kept)
{
  studio_recipe_model_take_based (self->model, with_source (self->model->recipe, recipe),
                                  with_source (self->model->base, recipe), _ ("Data Set"));
  take_values (self, preset, recipe, base, kept, NULL);
}

TosstPreset
studio_project_get_preset (StudioProject *self, gboolean *changed)
{
  const TosstRecipe *base = self->model->base;
  TosstPreset preset = self->dataset != NULL ? tosst_preset_of (base, &self->facts) : TOSST_N_PRESETS;

  *changed = FALSE;
  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    *changed = *changed || studio_recipe_model_is_changed (self->model, p);
  return preset;
}

/* Whether a preset chosen by the user replaces a value. */
static gboolean
sets (const TosstRecipe *base, const TosstParameter *p)
{
  return p->offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.kind)
         || p->offset == G_STRUCT_OFFSET (TosstRecipe, coding.method) || !tosst_recipe_is_default (base, p);
}

/* Returns the changed values that the preset does not replace; these are added to replaced. */
static TosstRecipe *
keep_others (StudioProject *self, const TosstRecipe *base, GPtrArray *replaced)
{
  const TosstRecipe *before = self->model->base;
  TosstRecipe *mine = tosst_recipe_copy (self->model->recipe);
  g_autoptr (TosstRecipe) any = tosst_recipe_new ();
  g_autoptr (GPtrArray) changes = tosst_recipe_carry_changes (any, mine, before);

  for (guint i = 0; i < changes->len; i++)
    {
      const TosstParameter *p = changes->pdata[i];
      g_autofree char *text = tosst_recipe_base_text (mine, before, p);

      if (!sets (base, p) || !tosst_recipe_is_changed (mine, before, p))
        continue;
      tosst_recipe_set_parameter (mine, p, text, NULL);
      g_ptr_array_add (replaced, (gpointer)p);
    }
  return mine;
}

void
studio_project_choose_preset (StudioProject *self, TosstPreset preset)
{
  const TosstRecipe *before = self->model->base;
  g_autoptr (GPtrArray) replaced = g_ptr_array_new (), kept = NULL;

  if (self->dataset == NULL)
    return;
  g_signal_emit_by_name (self, "commit");
  g_autoptr (TosstRecipe) base = tosst_preset_recipe (preset, self->model->recipe, &self->facts);
  g_autoptr (TosstRecipe) mine = keep_others (self, base, replaced);
  g_autoptr (TosstRecipe) recipe = tosst_recipe_copy (base);
  kept = tosst_recipe_carry_changes (recipe, mine, before);
  self->preset = preset;
  take_values (self, preset, recipe, base, kept, replaced);
}

/* Their times, one after another. */

static void
tell_time (StudioProject *self, TosstPreset preset, const TosstSweepEstimate *estimate)
{
  g_signal_emit_by_name (self, "preset-time", (guint)preset, estimate != NULL ? estimate->seconds : NAN);
}

const TosstSweepEstimate *
studio_project_find_estimate (StudioProject *self, const TosstRecipe *recipe)
{
  const TosstSweep *sweep = self->forecast->sweep;

  return sweep != NULL && tosst_recipe_equal (sweep->base, recipe) ? studio_sweep_planner_get_estimate (self->forecast)
                                                                   : NULL;
}

/* Presets from `estimating` to end. */
static void
estimate_rest (StudioProject *self, int end)
{
  for (; self->estimating < end && self->dataset != NULL && !studio_project_is_working (self); self->estimating++)
    {
      g_autoptr (TosstRecipe) recipe = tosst_preset_recipe (self->estimating, self->model->recipe, &self->facts);
      const TosstSweepEstimate *there = studio_project_find_estimate (self, recipe);

      if (there == NULL)
        {
          studio_sweep_planner_set_run (self->presets, recipe, self->dataset,
                                        studio_runner_get_kept_bytes (self->runner));
          return;
        }
      tell_time (self, self->estimating, there);
    }
  self->estimating = -1;
}

static void
on_estimated (StudioProject *self)
{
  if (self->estimating < 0)
    return;
  tell_time (self, self->estimating, studio_sweep_planner_get_estimate (self->presets));
  int end = (self->estimating / TOSST_N_EFFORTS + 1) * TOSST_N_EFFORTS;
  self->estimating++;
  estimate_rest (self, end);
}

/* The times of the efforts of the present method. That of the present recipe is told at once. */
void
studio_project_estimate_presets (StudioProject *self)
{
  gboolean changed;
  TosstPreset present = studio_project_get_preset (self, &changed);
  int first = present < TOSST_N_PRESETS ? (int)present / TOSST_N_EFFORTS * TOSST_N_EFFORTS : 0;

  for (int i = first; i < first + TOSST_N_EFFORTS && self->dataset != NULL; i++)
    {
      g_autoptr (TosstRecipe) recipe = tosst_preset_recipe (i, self->model->recipe, &self->facts);
      const TosstSweepEstimate *there = studio_project_find_estimate (self, recipe);

      if (there != NULL)
        tell_time (self, i, there);
    }
  self->estimating = first;
  estimate_rest (self, first + TOSST_N_EFFORTS);
}

static void
on_dataset (StudioProject *self)
{
  self->estimating = -1;
  studio_sweep_planner_set_sweep (self->presets, NULL, 1);
}

void
studio_project_preset_init (StudioProject *self)
{
  self->preset = TOSST_PRESET_BALANCED;
  self->estimating = -1;
  g_signal_connect_swapped (self, "dataset", G_CALLBACK (on_dataset), self);
  studio_project_connect (self, self->presets, "estimated", G_CALLBACK (on_estimated));
}
