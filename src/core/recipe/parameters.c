/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of all parameters. A new parameter is one row of a file parameters-GROUP.c and one field of TosstRecipe:
 * files, --set, --help, tosst recipe --explain, validation and the rows of the window are derived from it. */

#include "config.h"

#include <string.h>

#include "core/recipe/rows.h"

static const TosstParameterGroup *const groups[]
    = { &tosst_parameters_dataset, &tosst_parameters_descriptor, &tosst_parameters_dictionary,
        &tosst_parameters_coding,  &tosst_parameters_pooling,    &tosst_parameters_classifier };

/* The rows of all groups, joined once. */
static GArray *
join (void)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (TosstParameter));

  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    g_array_append_vals (all, groups[i]->rows, groups[i]->n);
  return all;
}

const TosstParameter *
tosst_parameters (guint *n)
{
  static GArray *all;

  if (g_once_init_enter (&all))
    g_once_init_leave (&all, join ());
  if (n)
    *n = all->len;
  return (const TosstParameter *)(gpointer)all->data;
}

const TosstParameter *
tosst_parameter_find (const char *name)
{
  const char *dot = strchr (name, '.');
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  for (guint i = 0; dot && i < n; i++)
    if (strlen (p[i].group) == (gsize)(dot - name) && strncmp (p[i].group, name, dot - name) == 0
        && strcmp (p[i].key, dot + 1) == 0)
      return &p[i];
  return NULL;
}

gboolean
tosst_parameter_sets_defaults (const char *name)
{
  return g_str_equal (name, "descriptor.kind") || g_str_equal (name, "coding.method")
         || g_str_equal (name, "descriptor.frames");
}

const char *
tosst_parameter_group_label (const char *group)
{
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    if (strcmp (groups[i]->name, group) == 0)
      return groups[i]->label;
  return group;
}

/* Levenshtein distance, one row at a time. */
static guint
edit_distance (const char *a, const char *b)
{
  guint row[65], na = strlen (a), nb = strlen (b);

  if (na > 64 || nb > 64)
    return G_MAXUINT;
  for (guint j = 0; j <= nb; j++)
    row[j] = j;
  for (guint i = 1; i <= na; i++)
    {
      guint diagonal = row[0];

      row[0] = i;
      for (guint j = 1; j <= nb; j++)
        {
          guint above = row[j];

          row[j] = MIN (MIN (row[j] + 1, row[j - 1] + 1), diagonal + (a[i - 1] != b[j - 1]));
          diagonal = above;
        }
    }
  return row[nb];
}

static void
consider (const char *wrong, const char *candidate, guint *best, const char **guess)
{
  guint distance = edit_distance (wrong, candidate);

  if (distance < *best)
    {
      *best = distance;
      *guess = candidate;
    }
}

const char *
tosst_parameter_guess_group (const char *wrong)
{
  const char *guess = NULL;
  guint best = 3;

  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    consider (wrong, groups[i]->name, &best, &guess);
  return guess;
}

const char *
tosst_parameter_guess_key (const char *group, const char *wrong)
{
  const char *guess = NULL;
  guint n, best = MIN (3, MAX (2, strlen (wrong) / 2));
  const TosstParameter *p = tosst_parameters (&n);

  for (guint i = 0; i < n; i++)
    if (strcmp (p[i].group, group) == 0)
      consider (wrong, p[i].key, &best, &guess);
  return guess;
}
