/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The values of one parameter. All are parsed by the rules of recipes, so that they have the same form in a sweep and
 * in the recipe of a single run.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/sweep/private.h"

#define fail(error, ...) tosst_fail (error, TOSST_FAILED_RECIPE, __VA_ARGS__)

TosstSweepAxis *
tosst_sweep_axis_ref (TosstSweepAxis *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
tosst_sweep_axis_unref (TosstSweepAxis *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_free (self->text);
  g_clear_pointer (&self->tied, g_ptr_array_unref);
  g_strfreev (self->values);
  g_free (self);
}

char *
tosst_sweep_axis_name (const TosstSweepAxis *self)
{
  GString *name = g_string_new (NULL);

  g_string_printf (name, "%s.%s", self->parameter->group, self->parameter->key);
  for (guint i = 0; self->tied && i < self->tied->len; i++)
    {
      const TosstParameter *p = g_ptr_array_index (self->tied, i);

      g_string_append_printf (name, "+%s.%s", p->group, p->key);
    }
  return g_string_free (name, FALSE);
}

gboolean
tosst_sweep_axis_apply (const TosstSweepAxis *self, TosstRecipe *recipe, const char *value, GError **error)
{
  gboolean ok = tosst_recipe_set_parameter (recipe, self->parameter, value, error);

  for (guint i = 0; ok && self->tied && i < self->tied->len; i++)
    ok = tosst_recipe_set_parameter (recipe, g_ptr_array_index (self->tied, i), value, error);
  return ok;
}

/* Finds the parameters of a name, which are joined by +. An unknown one is reported with the most similar known one. */
static gboolean
find_parameters (TosstSweepAxis *self, TosstRecipe *recipe, const char *name, const char *text, GError **error)
{
  g_auto (GStrv) names = g_strsplit (name, "+", -1);

  for (char **one = names; *one; one++)
    {
      const TosstParameter *p = tosst_parameter_find (g_strstrip (*one));

      if (!p)
        {
          tosst_recipe_set (recipe, *one, text, error);
          return FALSE;
        }
      if (!self->parameter)
        {
          self->parameter = p;
          continue;
        }
      if (!self->tied)
        self->tied = g_ptr_array_new ();
      g_ptr_array_add (self->tied, (gpointer)p);
    }
  return TRUE;
}

static gboolean
is_number (const TosstParameter *p)
{
  return p->type == TOSST_PARAMETER_INTEGER || p->type == TOSST_PARAMETER_REAL || p->type == TOSST_PARAMETER_SEED;
}

static const char *
skip_digits (const char *text)
{
  while (g_ascii_isdigit (*text))
    text++;
  return text;
}

static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14 };

/* Whether a text is a valid number in the form of a recipe file, without a sign or an exponent. Nearly all values of a
 * long list are, and setting and getting each takes five times as long. */
static gboolean
is_normal (const TosstParameter *p, const char *text)
{
  const char *point = skip_digits (text), *end = *point == '.' ? skip_digits (point + 1) : point;
  gboolean real = p->type == TOSST_PARAMETER_REAL;
  double number = 0;

  if (!is_number (p) || point == text || *end || end - text > 15 || (*text == '0' && point > text + 1)
      || (end == point && real && end - text > 6)
      || (end > point && (!real || !strchr ("123456789", end[-1]) || g_str_has_prefix (text, "0.0000"))))
    return FALSE;
  for (const char *c = text; c < end; c++)
    number = *c == '.' ? number : 10 * number + (*c - '0');
  number /= end > point ? powers[end - point - 1] : 1;
  return p->type == TOSST_PARAMETER_SEED || (number >= p->minimum && number <= p->maximum);
}

/* Parses values of one parameter; shared by all values of an axis, as creating a recipe is expensive. */
typedef struct
{
  const TosstParameter *parameter;
  TosstRecipe *recipe;
} Reader;

/* Returns the value in the form of a recipe file. */
static char *
normalise (const Reader *reader, const char *text, GError **error)
{
  if (is_normal (reader->parameter, text))
    return g_strdup (text);
  return tosst_recipe_set_parameter (reader->recipe, reader->parameter, text, error)
             ? tosst_recipe_get (reader->recipe, reader->parameter)
             : NULL;
}

static gboolean
add_value (const Reader *reader, GPtrArray *values, const char *text, GError **error)
{
  char *value = normalise (reader, text, error);

  if (!value)
    return FALSE;
  g_ptr_array_add (values, value);
  return TRUE;
}

/* Removes duplicates; takes the values and returns a NULL-terminated array. */
static char **
take_different (GPtrArray *values)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *different = g_ptr_array_new ();

  for (guint i = 0; i < values->len; i++)
    if (g_hash_table_add (known, values->pdata[i]))
      g_ptr_array_add (different, g_steal_pointer (&values->pdata[i]));
  g_ptr_array_add (different, NULL);
  return (char **)g_ptr_array_free (different, FALSE);
}

/* Splits at semicolons without a preceding backslash. */
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
  /* The list may end with a semicolon, as in key files. */
  if (parts->len > 1 && *g_strstrip (g_ptr_array_index (parts, parts->len - 1)) == '\0')
    g_ptr_array_set_size (parts, (int)parts->len - 1);
  return parts;
}

/* Explains an invalid part of a list: with commas instead of semicolons, a whole list is a single part. */
static gboolean
explain_part (const Reader *reader, const char *part, GError **error)
{
  const TosstParameter *p = reader->parameter;
  g_auto (GStrv) words = g_strsplit (part, ",", -1);
  g_autofree char *list = g_strjoinv (";", words);
  gboolean several = g_strv_length (words) > 1; /* an empty text gives an empty array */

  for (char **word = words; several && *word; word++)
    {
      g_autofree char *value = normalise (reader, *word, NULL);

      if (!value)
        return FALSE;
    }
  if (several)
    {
      g_clear_error (error);
      fail (error, _ ("%s.%s: values must be separated by ;, as in %s"), p->group, p->key, list);
    }
  return FALSE;
}

static gboolean
read_list (TosstSweepAxis *self, const Reader *reader, GPtrArray *values, GError **error)
{
  const TosstParameter *p = self->parameter;
  g_autoptr (GPtrArray) parts = split_list (self->text);

  if (parts->len > TOSST_SWEEP_MAX_RUNS)
    return fail (error, _ ("%s.%s has more than %d values"), p->group, p->key, TOSST_SWEEP_MAX_RUNS);
  for (guint i = 0; i < parts->len; i++)
    if (!add_value (reader, values, g_ptr_array_index (parts, i), error))
      return explain_part (reader, g_ptr_array_index (parts, i), error);
  return TRUE;
}

/* An end of a range must be a valid value of the parameter. */
static gboolean
read_end (const Reader *reader, const char *text, double *value, GError **error)
{
  const TosstParameter *p = reader->parameter;
  g_autofree char *normal = normalise (reader, text, error);

  if (!normal)
    return FALSE;
  *value = *normal ? g_ascii_strtod (normal, NULL) : NAN;
  return isfinite (*value) || fail (error, _ ("%s.%s: a range needs finite ends, not “%s”"), p->group, p->key, text);
}

/* The number m / 10^decimals as text, new, without superfluous zeros. */
static char *
decimal_text (guint64 m, int decimals)
{
  char text[32], *at = text + sizeof text;

  for (; decimals > 0 && m % 10 == 0; decimals--)
    m /= 10;
  *--at = '\0';
  for (int i = 0; m > 0 || i <= decimals; i++, m /= 10)
    {
      if (i > 0 && i == decimals)
        *--at = '.';
      *--at = (char)('0' + m % 10);
    }
  return g_strdup (at);
}

/* A real as printf() writes it with "%.6g", which takes ten times as long and is used where it could round in another
 * way or write an exponent. */
char *
tosst_sweep_axis_number (const TosstSweepAxis *self, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  int decimals = 9;
  double scaled = value * 1e9;

  if (self->parameter->type != TOSST_PARAMETER_REAL)
    return value >= 0 && value < 1e15 ? decimal_text ((guint64)round (value), 0)
                                      : g_strdup_printf ("%.0f", round (value));
  for (; decimals > 0 && scaled >= 999999.5; decimals--)
    scaled = value * powers[decimals - 1];
  if (value >= 1e-4 && scaled < 999999.5 && fabs (scaled - floor (scaled) - 0.5) > 1e-6)
    return decimal_text ((guint64)round (scaled), decimals);
  return g_strdup (g_ascii_formatd (text, sizeof text, "%.6g", value));
}

double
tosst_sweep_axis_between (const TosstSweepAxis *self, double part)
{
  return self->logarithmic ? self->low * pow (self->high / self->low, part)
                           : self->low + (self->high - self->low) * part;
}

static gboolean
add_between (TosstSweepAxis *self, const Reader *reader, char **ends, int n, GPtrArray *values, GError **error)
{
  for (int i = 0; i < n; i++)
    {
      /* Ends are kept as written. */
      g_autofree char *text = i == 0 || i == n - 1
                                  ? g_strdup (ends[i > 0])
                                  : tosst_sweep_axis_number (self, tosst_sweep_axis_between (self, i / (n - 1.0)));

      if (!add_value (reader, values, text, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_range (TosstSweepAxis *self, const Reader *reader, GPtrArray *values, gboolean *open, GError **error)
{
  const TosstParameter *p = self->parameter;
  g_auto (GStrv) words = g_strsplit (self->text, ":", -1);
  guint length = g_strv_length (words);
  gint64 n = 0;

  self->logarithmic = g_str_equal (words[0], "log");
  if (!is_number (p))
    return fail (error, _ ("%s.%s is not a number: list its values, separated by ;"), p->group, p->key);
  if (length != 3 && length != 4)
    return fail (error, _ ("%s.%s: a range is written %s:FROM:TO:N, not “%s”"), p->group, p->key, words[0], self->text);
  for (guint i = 1; i < length; i++)
    g_strstrip (words[i]);
  if (!read_end (reader, words[1], &self->low, error) || !read_end (reader, words[2], &self->high, error))
    return FALSE;
  if (self->logarithmic && !(self->low > 0 && self->high > 0))
    return fail (error, _ ("%s.%s: both ends of log: must be above 0"), p->group, p->key);
  *open = length == 3;
  if (*open)
    return self->low < self->high
           || fail (error, _ ("%s.%s: a range without a number of values needs FROM below TO"), p->group, p->key);
  if (!g_ascii_string_to_signed (words[3], 10, 2, TOSST_SWEEP_MAX_RUNS, &n, NULL))
    return fail (error, _ ("%s.%s: the number of values must be a whole number from 2 to %d, not “%s”"), p->group,
                 p->key, TOSST_SWEEP_MAX_RUNS, words[3]);
  return add_between (self, reader, words + 1, (int)n, values, error);
}

TosstSweepAxis *
tosst_sweep_axis_new (const char *name, const char *text, GError **error)
{
  g_autoptr (TosstSweepAxis) self = g_new0 (TosstSweepAxis, 1);
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  gboolean open = FALSE;

  g_atomic_ref_count_init (&self->references);
  self->text = g_strstrip (g_strdup (text));
  if (!find_parameters (self, recipe, name, text, error))
    return NULL;

  const Reader reader = { self->parameter, recipe };

  if (!(g_str_has_prefix (self->text, "lin:") || g_str_has_prefix (self->text, "log:")
            ? read_range (self, &reader, values, &open, error)
            : read_list (self, &reader, values, error)))
    return NULL;
  if (!open)
    self->values = take_different (values);
  return g_steal_pointer (&self);
}
