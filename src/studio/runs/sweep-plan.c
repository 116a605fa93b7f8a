/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/runs/sweep-plan.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "studio/recipe/value-text.h"

#define NO_EFFECT "–" /* in the place of a value while values are sorted */

static char *
read_text (const TosstSweepPlan *plan, guint run, const TosstParameter *parameter)
{
  const TosstRecipe *recipe = tosst_sweep_plan_run (plan, run)->recipe;

  return tosst_recipe_why_inactive (recipe, parameter) != NULL ? NULL : tosst_recipe_get (recipe, parameter);
}

static double
number_of (const TosstParameter *parameter, const char *text)
{
  char *end;

  if (text == NULL || *text == 0)
    return NAN;
  if (parameter->type == TOSST_PARAMETER_BOOLEAN)
    return strcmp (text, "true") == 0;
  double number = g_ascii_strtod (text, &end);
  return *end == 0 ? number : NAN;
}

static int
compare_texts (gconstpointer a, gconstpointer b, const TosstParameter *parameter)
{
  const char *p = *(const char *const *)a, *q = *(const char *const *)b;
  double x = g_ascii_strtod (p, NULL), y = g_ascii_strtod (q, NULL);

  if (parameter->type == TOSST_PARAMETER_CHOICE)
    for (int i = 0; parameter->choices[i] != NULL; i++)
      {
        gboolean first = strcmp (parameter->choices[i], p) == 0;

        if (first || strcmp (parameter->choices[i], q) == 0)
          return first ? -1 : 1;
      }
  return x != y ? (x < y ? -1 : 1) : strcmp (p, q);
}

/* Fills index with the order in which the values are met, and returns them in that order. */
static GPtrArray *
read_values (StudioSweepValues *self, const TosstSweepPlan *plan, const TosstParameter *parameter)
{
  g_autoptr (GHashTable) met = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *texts = g_ptr_array_new ();

  for (guint run = 0; run < plan->runs->len; run++)
    {
      char *text = read_text (plan, run, parameter);
      gpointer at;

      if (text == NULL)
        text = g_strdup (NO_EFFECT);
      if (g_hash_table_lookup_extended (met, text, NULL, &at))
        g_free (text);
      else
        {
          at = GUINT_TO_POINTER (texts->len);
          g_hash_table_insert (met, text, at);
          g_ptr_array_add (texts, text);
        }
      self->index[run] = GPOINTER_TO_UINT (at);
    }
  return texts;
}

static void
values_init (StudioSweepValues *self, const TosstSweepPlan *plan, const TosstParameter *parameter)
{
  g_autoptr (GHashTable) place = g_hash_table_new (NULL, NULL);

  self->index = g_new (guint, plan->runs->len);
  g_autoptr (GPtrArray) met = read_values (self, plan, parameter);
  g_autoptr (GPtrArray) sorted = g_ptr_array_copy (met, NULL, NULL);
  g_ptr_array_sort_with_data (sorted, (GCompareDataFunc)compare_texts, (gpointer)parameter);
  self->n = sorted->len;
  self->numbers = g_new (double, self->n);
  for (guint i = 0; i < self->n; i++)
    g_hash_table_insert (place, sorted->pdata[i], GUINT_TO_POINTER (i));
  for (guint run = 0; run < plan->runs->len; run++)
    self->index[run] = GPOINTER_TO_UINT (g_hash_table_lookup (place, met->pdata[self->index[run]]));
  self->texts = (char **)g_ptr_array_steal (sorted, NULL);
  for (guint i = 0; i < self->n; i++)
    {
      if (strcmp (self->texts[i], NO_EFFECT) == 0)
        g_clear_pointer (&self->texts[i], g_free);
      self->numbers[i] = number_of (parameter, self->texts[i]);
    }
}

StudioSweepPlan *
studio_sweep_plan_new (TosstSweepPlan *plan)
{
  StudioSweepPlan *self = g_atomic_rc_box_new0 (StudioSweepPlan);

  self->plan = plan;
  self->values = g_new0 (StudioSweepValues, plan->varying->len);
  for (guint i = 0; i < plan->varying->len; i++)
    values_init (&self->values[i], plan, g_ptr_array_index (plan->varying, i));
  return self;
}

static void
clear_plan (StudioSweepPlan *self)
{
  for (guint i = 0; i < self->plan->varying->len; i++)
    {
      for (guint j = 0; j < self->values[i].n; j++)
        g_free (self->values[i].texts[j]);
      g_free (self->values[i].texts);
      g_free (self->values[i].numbers);
      g_free (self->values[i].index);
    }
  g_free (self->values);
  tosst_sweep_plan_free (self->plan);
}

void
studio_sweep_plan_unref (StudioSweepPlan *self)
{
  g_atomic_rc_box_release_full (self, (GDestroyNotify)clear_plan);
}

const StudioSweepValues *
studio_sweep_plan_values (const StudioSweepPlan *self, const TosstParameter *parameter)
{
  for (guint i = 0; i < self->plan->varying->len; i++)
    if (g_ptr_array_index (self->plan->varying, i) == parameter)
      return &self->values[i];
  return NULL;
}

char *
studio_sweep_plan_text (const StudioSweepPlan *self, guint run, const TosstParameter *parameter)
{
  const StudioSweepValues *values = studio_sweep_plan_values (self, parameter);

  return values != NULL ? g_strdup (values->texts[values->index[run]]) : read_text (self->plan, run, parameter);
}

double
studio_sweep_plan_number (const StudioSweepPlan *self, guint run, const TosstParameter *parameter)
{
  const StudioSweepValues *values = studio_sweep_plan_values (self, parameter);
  g_autofree char *text = values == NULL ? read_text (self->plan, run, parameter) : NULL;

  return values != NULL ? values->numbers[values->index[run]] : number_of (parameter, text);
}

char *
studio_tied_label (const TosstParameter *parameter, const GPtrArray *tied, gboolean brief)
{
  g_autofree char *first = g_strjoin (" ", _ (parameter->label), parameter->symbol, NULL);
  GString *label = NULL, *groups = NULL;

  if (tied == NULL || tied->len == 0)
    return brief ? studio_parameter_text (parameter) : g_steal_pointer (&first);
  label = g_string_new (brief && parameter->symbol != NULL ? parameter->symbol : first);
  groups = g_string_new (_ (tosst_parameter_group_label (parameter->group)));
  for (guint i = 0; i < tied->len; i++)
    {
      const TosstParameter *p = tied->pdata[i];

      if (g_strcmp0 (parameter->label, p->label) == 0)
        g_string_append_printf (groups, " + %s", _ (tosst_parameter_group_label (p->group)));
      else
        g_string_append_printf (label, " + %s%s%s", _ (p->label), p->symbol != NULL ? " " : "",
                                p->symbol != NULL ? p->symbol : "");
    }
  if (strchr (groups->str, '+') != NULL)
    g_string_append_printf (label, " (%s)", groups->str);
  g_string_free (groups, TRUE);
  return g_string_free (label, FALSE);
}

char *
studio_sweep_label (const GPtrArray *axes, const TosstParameter *parameter, gboolean brief)
{
  const GPtrArray *tied = NULL;

  for (guint i = 0; axes != NULL && i < axes->len; i++)
    if (((const TosstSweepAxis *)axes->pdata[i])->parameter == parameter)
      tied = ((const TosstSweepAxis *)axes->pdata[i])->tied;
  return studio_tied_label (parameter, tied, brief);
}
