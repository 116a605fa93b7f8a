/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Ticks at 1, 2 or 5 times a power of ten, on linear and logarithmic axes, and their labels. */

#include "config.h"

#include "core/plot/chart-private.h"

#include <math.h>
#include <string.h>

/* Returns the smallest step of 1, 2 or 5 times a power of ten that is at least about range / wanted. */
static double
nice_step (double range, guint wanted)
{
  double raw = range / MAX (wanted, 1u), power = pow (10.0, floor (log10 (raw))), share = raw / power;

  return power * (share <= 1.0000001 ? 1.0 : share <= 2.0000001 ? 2.0 : share <= 5.0000001 ? 5.0 : 10.0);
}

/* The nearest of 1, 2, 5 times a power of ten below (direction -1) or above (+1) value. */
static double
nice_decimal (double value, int direction)
{
  static const double steps[] = { 1.0, 2.0, 5.0, 10.0 };
  double power = pow (10.0, floor (log10 (value))), share = value / power;

  if (direction > 0)
    {
      for (guint i = 0; i < 4; i++)
        if (share <= steps[i] * (1.0 + 1e-9))
          return steps[i] * power;
      return 10.0 * power;
    }
  for (guint i = 4; i-- > 0;)
    if (share >= steps[i] * (1.0 - 1e-9))
      return steps[i] * power;
  return power;
}

void
tosst_axis_nice_range (double *low, double *high, gboolean logarithmic, guint wanted)
{
  double step;

  if (!isfinite (*low) || !isfinite (*high) || *low > *high || (logarithmic && *low <= 0.0))
    {
      *low = logarithmic ? 0.1 : 0.0;
      *high = logarithmic ? 10.0 : 1.0;
      return;
    }
  if (logarithmic)
    {
      /* The next power of ten, or twice it, would overflow a double. */
      *low = MAX (nice_decimal (MAX (*low, 1e-300), -1), 1e-300);
      *high = nice_decimal (MIN (*high, 1e300), 1);
      if (*high <= *low * 1.0000001)
        {
          *low /= 2.0;
          *high *= 2.0;
        }
      return;
    }
  if (*high - *low <= 1e-12 * MAX (fabs (*low), fabs (*high)))
    {
      double pad = *low != 0.0 ? 0.1 * fabs (*low) : 1.0;
      *low -= pad;
      *high += pad;
    }
  step = nice_step (*high - *low, wanted);
  /* Half steps: whole ones can leave a third of the plot empty. */
  *low = floor (*low / (0.5 * step) + 1e-9) * 0.5 * step;
  *high = ceil (*high / (0.5 * step) - 1e-9) * 0.5 * step;
}

/* Appends a number in the user's locale, with a real minus sign. */
static void
append_number (GString *string, double value, int decimals)
{
  g_autofree char *plain = g_strdup_printf ("%.*f", decimals, fabs (value));

  if (value < 0.0 && strpbrk (plain, "123456789"))
    g_string_append (string, "−");
  g_string_append (string, plain);
}

static void
append_power (GString *string, double mantissa, int decimals, int exponent)
{
  if (decimals > 0 || fabs (fabs (mantissa) - 1.0) > 1e-9)
    {
      append_number (string, mantissa, decimals);
      g_string_append (string, "×");
    }
  else if (mantissa < 0.0)
    g_string_append (string, "−");
  g_string_append (string, "10");

  static const char *const digits[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };
  g_autofree char *plain = g_strdup_printf ("%d", abs (exponent));

  if (exponent < 0)
    g_string_append (string, "⁻");
  for (const char *c = plain; *c; c++)
    g_string_append (string, digits[*c - '0']);
}

char *
tosst_number_label (double value, int digits)
{
  GString *string = g_string_new (NULL);
  int exponent;

  if (isnan (value))
    g_string_append (string, "NaN");
  else if (isinf (value))
    g_string_append (string, value > 0 ? "∞" : "−∞");
  else if (value == 0.0)
    g_string_append (string, "0");
  else
    {
      exponent = (int)floor (log10 (fabs (value)) + 1e-12);
      if (exponent >= 6 || exponent < -4)
        {
          double mantissa = value / pow (10.0, exponent);
          int decimals = MAX (digits - 1, 0);
          while (decimals > 0
                 && fabs (mantissa * pow (10, decimals - 1) - round (mantissa * pow (10, decimals - 1))) < 1e-9)
            decimals--;
          append_power (string, mantissa, decimals, exponent);
        }
      else
        {
          int decimals = MAX (digits - 1 - exponent, 0);
          while (decimals > 0 && fabs (value * pow (10, decimals - 1) - round (value * pow (10, decimals - 1))) < 1e-9)
            decimals--;
          append_number (string, value, decimals);
        }
    }
  return g_string_free (string, FALSE);
}

static void
clear_tick (gpointer data)
{
  g_free (((TosstTick *)data)->label);
}

static void
append_tick (GArray *ticks, double value, char *label)
{
  TosstTick tick = { value, label };

  if (ticks->len < TOSST_MAX_TICKS)
    g_array_append_val (ticks, tick);
  else
    g_free (label);
}

/* All labels of an axis have the same number of decimals and the same power of ten. */
static void
linear_ticks (GArray *ticks, double low, double high, guint wanted)
{
  double step = nice_step (high - low, wanted), largest = MAX (fabs (low), fabs (high));
  double first = ceil (low / step - 1e-9), last = floor (high / step + 1e-9);
  int power = (int)floor (log10 (largest) + 1e-12), step_power = (int)floor (log10 (step) + 1e-9);
  gboolean scientific = power >= 6 || power < -3;
  int decimals;

  /* 2, 4, ... 12 times a power instead of 0.2, 0.4, ... 1.2 times the next. */
  if (scientific && power == step_power + 1)
    power = step_power;
  decimals = MAX (scientific ? power - step_power : -step_power, 0);

  for (double i = first; i <= last && ticks->len < TOSST_MAX_TICKS; i++)
    {
      double value = i == 0.0 ? 0.0 : i * step;
      GString *label = g_string_new (NULL);
      if (value == 0.0)
        g_string_append (label, "0");
      else if (scientific)
        append_power (label, value / pow (10.0, power), MIN (decimals, 12), power);
      else
        append_number (label, value, MIN (decimals, 12));
      append_tick (ticks, value, g_string_free (label, FALSE));
    }
}

static char *
log_label (double mantissa, int exponent, gboolean plain)
{
  GString *label = g_string_new (NULL);

  if (plain)
    append_number (label, mantissa * pow (10.0, exponent), MAX (-exponent, 0));
  else
    append_power (label, mantissa, 0, exponent);
  return g_string_free (label, FALSE);
}

static int
powers_inside (double low, double high, int every)
{
  double first = ceil (log10 (low) / every - 1e-9), last = floor (log10 (high) / every + 1e-9);

  return (int)(last - first) + 1;
}

/* Decades between labels: at most about the wanted number of labels, but two if the range has two powers. */
static int
decades_between_labels (double low, double high, guint wanted)
{
  int every = MAX (1, (int)ceil ((log10 (high) - log10 (low)) / MAX (wanted, 1u)));

  while (every > 1 && powers_inside (low, high, every) < 2)
    every--;
  return every;
}

static void
log_ticks (GArray *ticks, double low, double high, guint wanted)
{
  double decades = log10 (high) - log10 (low);
  int first = (int)floor (log10 (low) + 1e-9), last = (int)ceil (log10 (high) - 1e-9);
  int every = decades_between_labels (low, high, wanted);
  /* One or two decades: 2 and 5 are labelled as well. Short numbers are more readable than powers. */
  gboolean labels_between = powers_inside (low, high, 1) < 2 || decades * 3.0 <= 1.3 * MAX (wanted, 3u) + 1.0;
  gboolean plain = low >= 0.0000999 && high <= 20000.0;

  for (int exponent = first; exponent <= last; exponent++)
    for (int mantissa = 1; mantissa <= 9; mantissa++)
      {
        double value = mantissa * pow (10.0, exponent);
        gboolean labelled = mantissa == 1 ? ((exponent % every) + every) % every == 0
                                          : labels_between && (mantissa == 2 || mantissa == 5);
        if (value < low * (1.0 - 1e-9) || value > high * (1.0 + 1e-9))
          continue;
        if (labelled)
          append_tick (ticks, value, log_label (mantissa, exponent, plain));
        else if (decades < (mantissa == 1 ? 60.0 : 8.0))
          append_tick (ticks, value, NULL);
      }
}

guint
tosst_axis_count_labels (const GArray *ticks)
{
  guint labels = 0;

  for (guint i = 0; i < ticks->len; i++)
    labels += g_array_index (ticks, TosstTick, i).label != NULL;
  return labels;
}

GArray *
tosst_axis_ticks (double low, double high, gboolean logarithmic, guint wanted)
{
  GArray *ticks = g_array_new (FALSE, FALSE, sizeof (TosstTick));

  g_array_set_clear_func (ticks, clear_tick);
  if (!(high > low) || !isfinite (high - low))
    return ticks;
  if (logarithmic)
    log_ticks (ticks, low, high, wanted);
  /* Within less than a decade a logarithmic axis is nearly linear. */
  if (!logarithmic || (tosst_axis_count_labels (ticks) < 2 && high / low < 10.0))
    {
      g_array_set_size (ticks, 0);
      linear_ticks (ticks, low, high, wanted);
    }
  return ticks;
}

GArray *
tosst_axis_integer_ticks (double low, double high, guint wanted)
{
  GArray *ticks;
  double whole = ceil (low - 1e-9);

  /* At most as many ticks as whole numbers, so that their steps are whole. */
  if (!(high - low < 1.0))
    return tosst_axis_ticks (low, high, FALSE, MIN (wanted, (guint)MIN (floor (high - low), TOSST_MAX_TICKS)));
  ticks = g_array_new (FALSE, FALSE, sizeof (TosstTick));
  g_array_set_clear_func (ticks, clear_tick);
  if (whole <= high)
    append_tick (ticks, whole, tosst_number_label (whole, 15));
  return ticks;
}

GArray *
tosst_axis_category_ticks (double low, double high, const char *const *names, guint n)
{
  GArray *ticks = g_array_new (FALSE, FALSE, sizeof (TosstTick));

  g_array_set_clear_func (ticks, clear_tick);
  for (guint i = 0; i < n; i++)
    if (i >= low && i <= high)
      append_tick (ticks, i, g_strdup (names[i]));
  return ticks;
}

gboolean
tosst_axis_can_show (const TosstAxis *axis, double value)
{
  return isfinite (value) && (!axis->logarithmic || value > 0.0);
}

double
tosst_axis_position (const TosstAxis *axis, double value)
{
  double share = axis->logarithmic ? (log10 (value) - log10 (axis->low)) / (log10 (axis->high) - log10 (axis->low))
                                   : (value - axis->low) / (axis->high - axis->low);

  return axis->from + share * (axis->to - axis->from);
}

double
tosst_axis_value (const TosstAxis *axis, double position)
{
  double share = (position - axis->from) / (axis->to - axis->from);

  return axis->logarithmic ? pow (10.0, log10 (axis->low) + share * (log10 (axis->high) - log10 (axis->low)))
                           : axis->low + share * (axis->high - axis->low);
}
