/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/sweep/sweep-filter.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "studio/widgets/format.h"

typedef enum
{
  EVERYWHERE,
  PARAMETER,
  METRIC,
  STATE,
  REASON,
  WORDS,
} Subject;

typedef struct
{
  Subject subject;
  const TosstParameter *parameter;
  StudioSweepMetric metric;
  const char *sign; /* static; NULL: everywhere */
  char *value;      /* folded */
  double number;    /* NAN: the value is none */
} Condition;

struct StudioSweepFilter
{
  GPtrArray *conditions;
};

static const char *const operators[] = { "<=", ">=", "!=", "=", "<", ">", "~" };

static void
condition_free (gpointer data)
{
  g_free (((Condition *)data)->value);
  g_free (data);
}

static const TosstParameter *
find_parameter (const char *key, const TosstSweepPlan *plan)
{
  const TosstParameter *parameter = tosst_parameter_find (key);

  for (guint i = 0; parameter == NULL && plan != NULL && i < plan->varying->len; i++)
    {
      const TosstParameter *p = g_ptr_array_index (plan->varying, i);
      g_autofree char *label = g_utf8_casefold (_ (p->label), -1), *wanted = g_utf8_casefold (key, -1);

      if (strcmp (p->key, key) == 0 || g_strcmp0 (p->symbol, key) == 0 || strcmp (label, wanted) == 0)
        parameter = p;
    }
  return parameter;
}

static gboolean
find_subject (Condition *self, const char *key, const TosstSweepPlan *plan, GError **error)
{
  for (guint m = 0; m < STUDIO_SWEEP_N_METRICS; m++)
    if (strcmp (studio_sweep_metric_name (m), key) == 0)
      {
        self->subject = METRIC;
        self->metric = m;
        return TRUE;
      }
  if (strcmp (key, "state") == 0 || strcmp (key, "reason") == 0)
    {
      self->subject = strcmp (key, "state") == 0 ? STATE : REASON;
      return TRUE;
    }
  if (strcmp (key, "name") == 0)
    {
      self->subject = WORDS;
      return TRUE;
    }
  self->subject = PARAMETER;
  self->parameter = find_parameter (key, plan);
  return self->parameter != NULL
         || tosst_fail (
             error, TOSST_FAILED_INPUT,
             _ ("“%s” is not a column: use a parameter, accuracy, objective, seconds, state, reason or name"), key);
}

static gboolean
read_condition (Condition *self, const char *words, const TosstSweepPlan *plan, GError **error)
{
  const char *at = words + strcspn (words, "<>=!~");
  g_autofree char *key = g_strstrip (g_strndup (words, at - words)), *value = NULL, *number = NULL;
  char *end;

  for (guint i = 0; i < G_N_ELEMENTS (operators) && self->sign == NULL; i++)
    if (g_str_has_prefix (at, operators[i]))
      self->sign = operators[i];
  value = g_strstrip (g_strdup (self->sign != NULL ? at + strlen (self->sign) : words));
  self->value = g_utf8_casefold (value, -1);
  number = studio_number_to_c (value);
  self->number = g_ascii_strtod (number, &end);
  if (*number == 0 || *end != 0)
    self->number = NAN;
  if (self->sign == NULL)
    {
      self->subject = EVERYWHERE;
      return TRUE;
    }
  return find_subject (self, key, plan, error);
}

StudioSweepFilter *
studio_sweep_filter_new (const char *text, const TosstSweepPlan *plan, GError **error)
{
  g_autoptr (StudioSweepFilter) self = g_new0 (StudioSweepFilter, 1);
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);

  self->conditions = g_ptr_array_new_with_free_func (condition_free);
  for (char **part = parts; *part != NULL; part++)
    if (*g_strstrip (*part) != 0)
      {
        Condition *condition = g_new0 (Condition, 1);

        g_ptr_array_add (self->conditions, condition);
        if (!read_condition (condition, *part, plan, error))
          return NULL;
      }
  return g_steal_pointer (&self);
}

void
studio_sweep_filter_free (StudioSweepFilter *self)
{
  g_ptr_array_unref (self->conditions);
  g_free (self);
}

gboolean
studio_sweep_filter_is_empty (const StudioSweepFilter *self)
{
  return self->conditions->len == 0;
}

static gboolean
contains (char *text, const char *part)
{
  g_autofree char *owned G_GNUC_UNUSED = text, *folded = g_utf8_casefold (text != NULL ? text : "", -1);

  return strstr (folded, part) != NULL;
}

static gboolean
is_anywhere (const Condition *self, StudioSweepRow *row)
{
  const GPtrArray *varying = row->plan->plan->varying;

  for (guint i = 0; i < varying->len; i++)
    if (contains (studio_sweep_row_text (row, g_ptr_array_index (varying, i)), self->value)
        || contains (studio_sweep_row_value (row, g_ptr_array_index (varying, i)), self->value))
      return TRUE;
  return contains (g_strdup (row->words), self->value) || contains (studio_sweep_row_state (row), self->value)
         || contains (studio_sweep_row_title (row), self->value);
}

/* What the row has, as text (new), and as number. */
static char *
value_of (const Condition *self, StudioSweepRow *row, double *number)
{
  *number = NAN;
  switch (self->subject)
    {
    case PARAMETER:
      *number = studio_sweep_row_number (row, self->parameter);
      return studio_sweep_row_value (row, self->parameter);
    case METRIC:
      *number = studio_sweep_row_metric (row, self->metric);
      return NULL;
    case REASON:
      return g_strdup (row->outcome.reason);
    case WORDS:
      return g_strdup (row->words);
    case STATE:
    case EVERYWHERE:
    default:
      return g_strdup (tosst_run_state_label (row->outcome.state));
    }
}

/* Nothing is smaller, larger or equal to what does not exist. */
static gboolean
compares (const char *sign, double order)
{
  if (isnan (order))
    return strcmp (sign, "!=") == 0;
  switch (sign[0])
    {
    case '<':
      return sign[1] == '=' ? order <= 0 : order < 0;
    case '>':
      return sign[1] == '=' ? order >= 0 : order > 0;
    case '!':
      return order != 0;
    default:
      return order == 0;
    }
}

static gboolean
holds (const Condition *self, StudioSweepRow *row)
{
  double number, order = NAN;
  g_autofree char *text = NULL, *folded = NULL;

  if (self->subject == EVERYWHERE)
    return is_anywhere (self, row);
  text = value_of (self, row, &number);
  folded = g_utf8_casefold (text != NULL ? text : "", -1);
  if (self->sign[0] == '~')
    return strstr (folded, self->value) != NULL;
  if (!isnan (self->number) && !isnan (number))
    order = number < self->number ? -1 : number > self->number;
  else if (text != NULL && isnan (number))
    order = strcmp (folded, self->value);
  /* A state may be meant by the word that the store has. */
  if (self->subject == STATE && order != 0 && strcmp (tosst_run_state_name (row->outcome.state), self->value) == 0)
    order = 0;
  return compares (self->sign, order);
}

gboolean
studio_sweep_filter_match (const StudioSweepFilter *self, StudioSweepRow *row)
{
  for (guint i = 0; i < self->conditions->len; i++)
    if (!holds (g_ptr_array_index (self->conditions, i), row))
      return FALSE;
  return TRUE;
}
