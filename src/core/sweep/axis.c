/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The values of one parameter. All of them are read by the recipe's own rules, so that what a sweep writes is what a
 * recipe of one run would say.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/sweep/private.h"

#define fail(error, ...) tosst_fail (error, TOSST_FAILED_RECIPE, __VA_ARGS__)

void
tosst_sweep_axis_free (TosstSweepAxis *self)
{
  if (!self)
    return;
  g_free (self->text);
  g_strfreev (self->values);
  g_free (self);
}

char *
tosst_sweep_axis_name (const TosstSweepAxis *self)
{
  return g_strdup_printf ("%s.%s", self->parameter->group, self->parameter->key);
}

/* As a recipe writes it. */
static char *
normalise (const TosstParameter *p, const char *text, GError **error)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autofree char *name = g_strdup_printf ("%s.%s", p->group, p->key);

  return tosst_recipe_set (recipe, name, text, error) ? tosst_recipe_get (recipe, p) : NULL;
}

static gboolean
add_value (const TosstParameter *p, GPtrArray *values, const char *text, GError **error)
{
  char *value = normalise (p, text, error);

  if (!value)
    return FALSE;
  g_ptr_array_add (values, value);
  return TRUE;
}

/* The first of those that are the same, NULL-terminated. */
static char **
take_different (GPtrArray *values)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GStrvBuilder) different = g_strv_builder_new ();

  for (guint i = 0; i < values->len; i++)
    if (g_hash_table_add (known, g_ptr_array_index (values, i)))
      g_strv_builder_add (different, g_ptr_array_index (values, i));
  return g_strv_builder_end (different);
}

/* At semicolons, but for those behind a backslash. */
static GPtrArray *
split_list (const char *text)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) part = g_string_new (NULL);

  for (const char *c = text;; c++)
    {
      if (*c == ';' || *c == '\0')
        {
          g_ptr_array_add (parts, g_strdup (part->str));
          g_string_truncate (part, 0);
          if (*c == '\0')
            break;
        }
      else if (*c == '\\' && c[1] == ';')
        g_string_append_c (part, *++c);
      else
        g_string_append_c (part, *c);
    }
  /* A semicolon may end the last one, as in key files. */
  if (parts->len > 1 && *g_strstrip (g_ptr_array_index (parts, parts->len - 1)) == '\0')
    g_ptr_array_set_size (parts, (int)parts->len - 1);
  return parts;
}

/* Why a part of a list is no value: with commas where there should be semicolons, whole lists look like one. */
static gboolean
explain_part (const TosstParameter *p, const char *part, GError **error)
{
  g_auto (GStrv) words = g_strsplit (part, ",", -1);
  g_autofree char *list = g_strjoinv (";", words);
  gboolean several = g_strv_length (words) > 1; /* of nothing there are none at all */

  for (char **word = words; several && *word; word++)
    {
      g_autofree char *value = normalise (p, *word, NULL);

      if (!value)
        return FALSE;
    }
  if (several)
    {
      g_clear_error (error);
      fail (error, _ ("%s.%s: values have ; between them, as in %s"), p->group, p->key, list);
    }
  return FALSE;
}

static gboolean
read_list (TosstSweepAxis *self, GPtrArray *values, GError **error)
{
  const TosstParameter *p = self->parameter;
  g_autoptr (GPtrArray) parts = split_list (self->text);

  if (parts->len > TOSST_SWEEP_MOST)
    return fail (error, _ ("%s.%s has more than %d values"), p->group, p->key, TOSST_SWEEP_MOST);
  for (guint i = 0; i < parts->len; i++)
    if (!add_value (p, values, g_ptr_array_index (parts, i), error))
      return explain_part (p, g_ptr_array_index (parts, i), error);
  return TRUE;
}

static gboolean
is_number (const TosstParameter *p)
{
  return p->type == TOSST_PARAMETER_INTEGER || p->type == TOSST_PARAMETER_REAL || p->type == TOSST_PARAMETER_SEED;
}

/* An end is a value of the parameter itself. */
static gboolean
read_end (const TosstParameter *p, const char *text, double *value, GError **error)
{
  g_autofree char *normal = normalise (p, text, error);

  if (!normal)
    return FALSE;
  *value = *normal ? g_ascii_strtod (normal, NULL) : NAN;
  return isfinite (*value) || fail (error, _ ("%s.%s: a range needs finite ends, not “%s”"), p->group, p->key, text);
}

char *
tosst_sweep_axis_number (const TosstSweepAxis *self, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (self->parameter->type != TOSST_PARAMETER_REAL)
    return g_strdup_printf ("%.0f", round (value));
  return g_strdup (g_ascii_formatd (text, sizeof text, "%.6g", value));
}

double
tosst_sweep_axis_between (const TosstSweepAxis *self, double part)
{
  return self->logarithmic ? self->low * pow (self->high / self->low, part)
                           : self->low + (self->high - self->low) * part;
}

static gboolean
add_between (TosstSweepAxis *self, char **ends, int n, GPtrArray *values, GError **error)
{
  for (int i = 0; i < n; i++)
    {
      /* Ends are as they were written. */
      g_autofree char *text = i == 0 || i == n - 1
                                  ? g_strdup (ends[i > 0])
                                  : tosst_sweep_axis_number (self, tosst_sweep_axis_between (self, i / (n - 1.0)));

      if (!add_value (self->parameter, values, text, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_range (TosstSweepAxis *self, GPtrArray *values, gboolean *open, GError **error)
{
  const TosstParameter *p = self->parameter;
  g_auto (GStrv) words = g_strsplit (self->text, ":", -1);
  guint length = g_strv_length (words);
  gint64 n = 0;

  self->logarithmic = g_str_equal (words[0], "log");
  if (!is_number (p))
    return fail (error, _ ("%s.%s is no number: list its values with ; between them"), p->group, p->key);
  if (length != 3 && length != 4)
    return fail (error, _ ("%s.%s: a range is written %s:FROM:TO:N, not “%s”"), p->group, p->key, words[0], self->text);
  for (guint i = 1; i < length; i++)
    g_strstrip (words[i]);
  if (!read_end (p, words[1], &self->low, error) || !read_end (p, words[2], &self->high, error))
    return FALSE;
  if (self->logarithmic && !(self->low > 0 && self->high > 0))
    return fail (error, _ ("%s.%s: both ends of log: must be above 0"), p->group, p->key);
  *open = length == 3;
  if (*open)
    return self->low < self->high
           || fail (error, _ ("%s.%s: a range without a number of values needs two ends that rise"), p->group, p->key);
  if (!g_ascii_string_to_signed (words[3], 10, 2, TOSST_SWEEP_MOST, &n, NULL))
    return fail (error, _ ("%s.%s: the number of values must be a whole number from 2 to %d, not “%s”"), p->group,
                 p->key, TOSST_SWEEP_MOST, words[3]);
  return add_between (self, words + 1, (int)n, values, error);
}

TosstSweepAxis *
tosst_sweep_axis_new (const char *name, const char *text, GError **error)
{
  g_autoptr (TosstSweepAxis) self = g_new0 (TosstSweepAxis, 1);
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func (g_free);
  gboolean open = FALSE;

  self->parameter = tosst_parameter_find (name);
  self->text = g_strstrip (g_strdup (text));
  if (!self->parameter)
    {
      g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();

      tosst_recipe_set (recipe, name, text, error); /* says what is wrong with the name */
      return NULL;
    }
  if (!(g_str_has_prefix (self->text, "lin:") || g_str_has_prefix (self->text, "log:")
            ? read_range (self, values, &open, error)
            : read_list (self, values, error)))
    return NULL;
  if (!open)
    self->values = take_different (values);
  return g_steal_pointer (&self);
}
