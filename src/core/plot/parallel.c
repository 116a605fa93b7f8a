/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Model of parallel coordinates: axes, lines, brushes, and a text description.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/plot/chart-private.h"
#include "core/plot/draw-parallel-private.h"

static void
free_axis (gpointer data)
{
  TosstParallelAxis *axis = data;

  g_free (axis->label);
  g_strfreev (axis->names);
  g_free (axis);
}

TosstParallel *
tosst_parallel_new (void)
{
  TosstParallel *self = g_new0 (TosstParallel, 1);

  self->axes = g_ptr_array_new_with_free_func (free_axis);
  self->values = g_array_new (FALSE, FALSE, sizeof (double));
  self->chosen = -1;
  return self;
}

TosstParallel *
tosst_parallel_copy (const TosstParallel *self)
{
  TosstParallel *copy = tosst_parallel_new ();

  for (guint i = 0; i < self->axes->len; i++)
    {
      const TosstParallelAxis *axis = tosst_parallel_axis (self, i);

      tosst_parallel_add_axis (copy, axis->label, axis->logarithmic, (const char *const *)axis->names);
      tosst_parallel_set_brush (copy, i, axis->brush_low, axis->brush_high);
      ((TosstParallelAxis *)copy->axes->pdata[i])->flipped = axis->flipped;
      ((TosstParallelAxis *)copy->axes->pdata[i])->place = axis->place;
    }
  if (self->values->len > 0)
    g_array_append_vals (copy->values, self->values->data, self->values->len);
  copy->chosen = self->chosen;
  return copy;
}

void
tosst_parallel_free (TosstParallel *self)
{
  if (!self)
    return;
  g_ptr_array_unref (self->axes);
  g_array_unref (self->values);
  g_free (self);
}

guint
tosst_parallel_add_axis (TosstParallel *self, const char *label, gboolean logarithmic, const char *const *names)
{
  TosstParallelAxis *axis = g_new0 (TosstParallelAxis, 1);

  g_return_val_if_fail (self->values->len == 0, 0);
  axis->label = g_strdup (label);
  axis->names = g_strdupv ((char **)names);
  axis->logarithmic = logarithmic;
  axis->brush_low = axis->brush_high = NAN;
  axis->place = self->axes->len;
  g_ptr_array_add (self->axes, axis);
  return self->axes->len - 1;
}

void
tosst_parallel_flip (TosstParallel *self, guint axis)
{
  TosstParallelAxis *a;

  g_return_if_fail (axis < self->axes->len);
  a = self->axes->pdata[axis];
  a->flipped = !a->flipped;
}

gboolean
tosst_parallel_is_flipped (const TosstParallel *self, guint axis)
{
  return tosst_parallel_axis (self, axis)->flipped;
}

/* Those between the two places move by one. */
void
tosst_parallel_move (TosstParallel *self, guint axis, guint place)
{
  guint from;

  g_return_if_fail (axis < self->axes->len);
  from = tosst_parallel_axis (self, axis)->place;
  place = MIN (place, self->axes->len - 1);
  for (guint i = 0; i < self->axes->len; i++)
    {
      TosstParallelAxis *other = self->axes->pdata[i];

      if (other->place > from && other->place <= place)
        other->place--;
      else if (other->place < from && other->place >= place)
        other->place++;
    }
  ((TosstParallelAxis *)self->axes->pdata[axis])->place = place;
}

guint
tosst_parallel_get_place (const TosstParallel *self, guint axis)
{
  return tosst_parallel_axis (self, axis)->place;
}

void
tosst_parallel_append (TosstParallel *self, const double *values)
{
  g_array_append_vals (self->values, values, self->axes->len);
}

guint
tosst_parallel_axes (const TosstParallel *self)
{
  return self->axes->len;
}

guint
tosst_parallel_lines (const TosstParallel *self)
{
  return self->axes->len > 0 ? self->values->len / self->axes->len : 0;
}

/* NAN if the axis cannot show the value. */
double
tosst_parallel_value (const TosstParallel *self, guint line, guint axis)
{
  double value = g_array_index (self->values, double, line * self->axes->len + axis);

  return isfinite (value) && !(tosst_parallel_axis (self, axis)->logarithmic && value <= 0) ? value : NAN;
}

char *
tosst_parallel_text (const TosstParallel *self, guint line, guint axis)
{
  double value = tosst_parallel_value (self, line, axis);
  char **names = tosst_parallel_axis (self, axis)->names;

  if (isnan (value))
    return g_strdup ("–");
  if (names)
    return g_strdup (value >= 0 && value < g_strv_length (names) ? names[(int)value] : "–");
  return tosst_number_label (value, 4);
}

const char *
tosst_parallel_label (const TosstParallel *self, guint axis)
{
  return tosst_parallel_axis (self, axis)->label;
}

void
tosst_parallel_set_chosen (TosstParallel *self, int line)
{
  self->chosen = line;
}

void
tosst_parallel_set_brush (TosstParallel *self, guint axis, double low, double high)
{
  TosstParallelAxis *a = g_ptr_array_index (self->axes, axis);

  a->brush_low = MIN (low, high);
  a->brush_high = MAX (low, high);
}

void
tosst_parallel_get_brush (const TosstParallel *self, guint axis, double *low, double *high)
{
  *low = tosst_parallel_axis (self, axis)->brush_low;
  *high = tosst_parallel_axis (self, axis)->brush_high;
}

/* A comparison with NAN is false: a missing value passes no brush. */
gboolean
tosst_parallel_passes (const TosstParallel *self, guint line)
{
  for (guint i = 0; i < self->axes->len; i++)
    {
      const TosstParallelAxis *axis = tosst_parallel_axis (self, i);
      double value = tosst_parallel_value (self, line, i);

      if (!isnan (axis->brush_low) && !(value >= axis->brush_low && value <= axis->brush_high))
        return FALSE;
    }
  return TRUE;
}

/* Spoken form of a value. */

static char *
describe_line (const TosstParallel *self, guint line)
{
  GString *words = g_string_new (NULL);

  for (guint i = 0; i < self->axes->len; i++)
    {
      g_autofree char *value = tosst_parallel_text (self, line, i);

      g_string_append_printf (words, "%s%s %s", i > 0 ? ", " : "", tosst_parallel_axis (self, i)->label, value);
    }
  return g_string_free (words, FALSE);
}

char *
tosst_parallel_describe (const TosstParallel *self)
{
  guint lines = tosst_parallel_lines (self), passing = 0, best = 0;
  double most = -INFINITY;
  g_autofree char *count = NULL, *words = NULL;

  for (guint i = 0; i < lines; i++)
    {
      double value = tosst_parallel_value (self, i, self->axes->len - 1);
      gboolean passes = tosst_parallel_passes (self, i);

      passing += passes;
      if (!passes || isnan (value) || value <= most)
        continue;
      most = value;
      best = i;
    }
  count = g_strdup_printf (ngettext ("%u run over %u axes, %u of them within the brushes",
                                     "%u runs over %u axes, %u of them within the brushes", lines),
                           lines, self->axes->len, passing);
  if (!isfinite (most))
    return g_steal_pointer (&count);
  words = describe_line (self, best);
  /* Translators: the first %s says how many runs there are, the second lists the values of one of them */
  return g_strdup_printf (_ ("%s; the largest: %s"), count, words);
}
