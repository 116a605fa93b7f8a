/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The definition of a sweep, and its text form.
 */
#include "config.h"

#include "core/sweep/sweep.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/error.h"
#include "core/recipe/recipe.h"

#define fail(error, ...) tosst_fail (error, TOSST_FAILED_RECIPE, __VA_ARGS__)

static const char *const method_names[] = { "grid", "random", NULL };

static void
unref_axis (gpointer axis)
{
  tosst_sweep_axis_unref (axis);
}

TosstSweep *
tosst_sweep_new (const TosstRecipe *base)
{
  TosstSweep *self = g_new0 (TosstSweep, 1);

  self->base = tosst_recipe_copy (base);
  self->axes = g_ptr_array_new_with_free_func (unref_axis);
  self->runs = 20;
  self->seed = 1;
  return self;
}

void
tosst_sweep_free (TosstSweep *self)
{
  if (!self)
    return;
  tosst_recipe_free (self->base);
  g_ptr_array_unref (self->axes);
  g_free (self);
}

TosstSweep *
tosst_sweep_copy (const TosstSweep *self)
{
  TosstSweep *copy = tosst_sweep_new (self->base);

  for (guint i = 0; i < self->axes->len; i++)
    g_ptr_array_add (copy->axes, tosst_sweep_axis_ref (g_ptr_array_index (self->axes, i)));
  copy->method = self->method;
  copy->runs = self->runs;
  copy->seed = self->seed;
  return copy;
}

gboolean
tosst_sweep_set (TosstSweep *self, const char *name, const char *text, GError **error)
{
  return tosst_recipe_set (self->base, name, text, error) && tosst_sweep_set_axis (self, name, NULL, error);
}

gboolean
tosst_sweep_set_axis (TosstSweep *self, const char *name, const char *text, GError **error)
{
  TosstSweepAxis *axis = text ? tosst_sweep_axis_new (name, text, error) : NULL;
  g_autofree char *first = g_strstrip (g_strndup (name, strcspn (name, "+")));
  const TosstParameter *parameter = tosst_parameter_find (first);
  guint i = 0;

  if (text && !axis)
    return FALSE;
  while (i < self->axes->len && ((TosstSweepAxis *)g_ptr_array_index (self->axes, i))->parameter != parameter)
    i++;
  if (i < self->axes->len)
    g_ptr_array_remove_index (self->axes, i);
  if (axis)
    g_ptr_array_insert (self->axes, (int)i, axis);
  return TRUE;
}

gboolean
tosst_sweep_check (const TosstSweep *self, GError **error)
{
  double points = 1;

  if (self->method == TOSST_SWEEP_RANDOM)
    return TRUE;
  for (guint i = 0; i < self->axes->len; i++)
    {
      const TosstSweepAxis *axis = g_ptr_array_index (self->axes, i);

      if (!axis->values)
        return fail (error, _ ("%s.%s=%s: a grid needs a number of values, as in %s:N; without one, set method=random"),
                     axis->parameter->group, axis->parameter->key, axis->text, axis->text);
      points *= g_strv_length (axis->values);
    }
  return points <= TOSST_SWEEP_MAX_RUNS
         || fail (error,
                  _ ("[sweep] has more than %d combinations: vary fewer parameters, or draw combinations with "
                     "method=random"),
                  TOSST_SWEEP_MAX_RUNS);
}

gboolean
tosst_sweep_set_line (TosstSweep *self, const char *key, const char *value, GError **error)
{
  gint64 runs;

  if (g_str_equal (key, "method"))
    {
      if (!g_strv_contains (method_names, value))
        return fail (error, _ ("sweep.method must be grid or random, not “%s”"), value);
      self->method = g_str_equal (value, method_names[TOSST_SWEEP_RANDOM]) ? TOSST_SWEEP_RANDOM : TOSST_SWEEP_GRID;
      return TRUE;
    }
  if (g_str_equal (key, "runs"))
    {
      if (!g_ascii_string_to_signed (value, 10, 1, TOSST_SWEEP_MAX_RUNS, &runs, NULL))
        return fail (error, _ ("sweep.runs must be a whole number from 1 to %d, not “%s”"), TOSST_SWEEP_MAX_RUNS,
                     value);
      self->runs = (int)runs;
      return TRUE;
    }
  if (g_str_equal (key, "seed"))
    return g_ascii_string_to_unsigned (value, 10, 0, G_MAXUINT64, &self->seed, NULL)
           || fail (error, _ ("sweep.seed must be a whole number, not “%s”"), value);
  if (!strchr (key, '.'))
    return fail (error, _ ("unknown key %s; [sweep] accepts group.key=VALUES, method, runs and seed"), key);
  return tosst_sweep_set_axis (self, key, value, error);
}

static gboolean
take_line (const char *key, guint line, const char *value, gpointer data, GError **error)
{
  return tosst_sweep_set_line (data, key, value, error);
}

TosstSweep *
tosst_sweep_parse (const char *text, const char *name, GError **error)
{
  g_autoptr (TosstRecipe) defaults = tosst_recipe_new ();
  g_autoptr (TosstSweep) self = tosst_sweep_new (defaults);
  TosstRecipe *base = tosst_recipe_parse_sweep (text, name, take_line, self, error);

  if (!base)
    return NULL;
  tosst_recipe_free (self->base);
  self->base = base;
  return g_steal_pointer (&self);
}

TosstSweep *
tosst_sweep_load (GFile *file, GError **error)
{
  g_autofree char *name = g_file_get_parse_name (file), *text = tosst_recipe_read (file, error);

  return text ? tosst_sweep_parse (text, name, error) : NULL;
}

char *
tosst_sweep_to_text (const TosstSweep *self)
{
  g_autofree char *base = tosst_recipe_to_text (self->base, FALSE);
  GString *text = g_string_new (base);

  g_string_append_printf (text, "\n[" SWEEP_GROUP "]\nmethod=%s\n", method_names[self->method]);
  if (self->method == TOSST_SWEEP_RANDOM)
    g_string_append_printf (text, "runs=%d\nseed=%" G_GUINT64_FORMAT "\n", self->runs, self->seed);
  for (guint i = 0; i < self->axes->len; i++)
    {
      const TosstSweepAxis *axis = g_ptr_array_index (self->axes, i);
      g_autofree char *name = tosst_sweep_axis_name (axis);

      g_string_append_printf (text, "%s=%s\n", name, axis->text);
    }
  return g_string_free (text, FALSE);
}

static void
append_setting (GString *text, const char *key, const char *value)
{
  g_autofree char *setting = g_strdup_printf ("sweep.%s=%s", key, value), *quoted = g_shell_quote (setting);

  g_string_append_printf (text, " --set %s", quoted);
}

/* The command of the base recipe with the axes added. */
char *
tosst_sweep_command (const TosstSweep *self)
{
  g_autofree char *base = tosst_recipe_command (self->base), *runs = g_strdup_printf ("%d", self->runs);
  g_autofree char *seed = g_strdup_printf ("%" G_GUINT64_FORMAT, self->seed);
  GString *text = g_string_new ("tosst sweep");

  g_string_append (text, base + strlen ("tosst classify"));
  for (guint i = 0; i < self->axes->len; i++)
    {
      const TosstSweepAxis *axis = g_ptr_array_index (self->axes, i);
      g_autofree char *name = tosst_sweep_axis_name (axis);

      append_setting (text, name, axis->text);
    }
  if (self->method == TOSST_SWEEP_RANDOM)
    {
      append_setting (text, "method", method_names[self->method]);
      append_setting (text, "runs", runs);
      append_setting (text, "seed", seed);
    }
  return g_string_free (text, FALSE);
}
