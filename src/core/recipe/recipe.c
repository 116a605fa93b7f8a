/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/recipe/private.h"

#define FIELD(recipe, parameter, Type) (*(Type *)((char *)(recipe) + (parameter)->offset))
#define CONST_FIELD(recipe, parameter, Type) (*(const Type *)((const char *)(recipe) + (parameter)->offset))

/* Value of an integer field with a derived default. */
static int
unset_integer (const TosstParameter *p)
{
  return (int)p->minimum - 1;
}

static gboolean
may_be_unset (const TosstParameter *p)
{
  return p->default_text[0] == '\0';
}

/* Shortest decimal text that reads back as the same number. */
static char *
real_to_text (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (isinf (value))
    return g_strdup (value > 0 ? "inf" : "-inf");
  /* At least 6 digits, so that 100 is not written as 1e+02. */
  for (int digits = 6; digits <= 17; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, value);
      if (g_ascii_strtod (text, NULL) == value)
        break;
    }
  return g_strdup (text);
}

static gboolean
fail_range (const TosstParameter *p, const char *text, GError **error)
{
  g_autofree char *low = real_to_text (p->minimum), *high = real_to_text (p->maximum);

  return fail (error,
               p->allow_infinite ? _ ("%s.%s must be between %s and %s or inf, not %s")
                                 : _ ("%s.%s must be between %s and %s, not %s"),
               p->group, p->key, low, high, text);
}

static gboolean
set_integer (TosstRecipe *recipe, const TosstParameter *p, const char *text, GError **error)
{
  char *end = NULL;
  gint64 value = g_ascii_strtoll (text, &end, 10);

  if (end == text || *end)
    return fail (error, _ ("%s.%s must be a whole number, not “%s”"), p->group, p->key, text);
  if (value < p->minimum || value > p->maximum)
    return fail_range (p, text, error);
  FIELD (recipe, p, int) = (int)value;
  return TRUE;
}

static gboolean
set_seed (TosstRecipe *recipe, const TosstParameter *p, const char *text, GError **error)
{
  guint64 value;

  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64, &value, NULL))
    return fail (error, _ ("%s.%s must be a whole number from 0 to 18446744073709551615, not “%s”"), p->group, p->key,
                 text);
  FIELD (recipe, p, guint64) = value;
  return TRUE;
}

static gboolean
set_real (TosstRecipe *recipe, const TosstParameter *p, const char *text, GError **error)
{
  char *end = NULL;
  double value = strcmp (text, "∞") == 0 ? INFINITY : g_ascii_strtod (text, &end);

  if ((end && (end == text || *end)) || isnan (value))
    return fail (error, _ ("%s.%s must be a number, not “%s”"), p->group, p->key, text);
  if (!(value == INFINITY && p->allow_infinite) && (value < p->minimum || value > p->maximum))
    return fail_range (p, text, error);
  FIELD (recipe, p, double) = value;
  return TRUE;
}

static gboolean
set_boolean (TosstRecipe *recipe, const TosstParameter *p, const char *text, GError **error)
{
  static const char *const yes[] = { "true", "yes", "on", "1", NULL }, *const no[]
                                                                       = { "false", "no", "off", "0", NULL };

  if (!g_strv_contains (yes, text) && !g_strv_contains (no, text))
    return fail (error, _ ("%s.%s must be true or false, not “%s”"), p->group, p->key, text);
  FIELD (recipe, p, gboolean) = g_strv_contains (yes, text);
  return TRUE;
}

static gboolean
set_choice (TosstRecipe *recipe, const TosstParameter *p, const char *text, GError **error)
{
  g_autofree char *all = NULL;

  for (int i = 0; p->choices[i]; i++)
    if (strcmp (p->choices[i], text) == 0)
      {
        FIELD (recipe, p, int) = i;
        return TRUE;
      }
  all = g_strjoinv (", ", (char **)p->choices);
  return fail (error, _ ("%s.%s must be one of %s, not “%s”"), p->group, p->key, all, text);
}

static void
set_unset (TosstRecipe *recipe, const TosstParameter *p)
{
  if (p->type == TOSST_PARAMETER_INTEGER)
    FIELD (recipe, p, int) = unset_integer (p);
  else if (p->type == TOSST_PARAMETER_REAL)
    FIELD (recipe, p, double) = NAN;
  else if (p->type == TOSST_PARAMETER_TEXT)
    g_clear_pointer (&FIELD (recipe, p, char *), g_free);
}

static gboolean
set_value (TosstRecipe *recipe, const TosstParameter *p, const char *text, GError **error)
{
  if (text[0] == '\0')
    {
      if (!may_be_unset (p))
        return fail (error, _ ("%s.%s needs a value"), p->group, p->key);
      set_unset (recipe, p);
      return TRUE;
    }
  switch (p->type)
    {
    case TOSST_PARAMETER_BOOLEAN:
      return set_boolean (recipe, p, text, error);
    case TOSST_PARAMETER_INTEGER:
      return set_integer (recipe, p, text, error);
    case TOSST_PARAMETER_SEED:
      return set_seed (recipe, p, text, error);
    case TOSST_PARAMETER_REAL:
      return set_real (recipe, p, text, error);
    case TOSST_PARAMETER_CHOICE:
      return set_choice (recipe, p, text, error);
    case TOSST_PARAMETER_TEXT:
      if (!g_utf8_validate (text, -1, NULL))
        return fail (error, _ ("%s.%s is not valid UTF-8 text"), p->group, p->key);
      if (p->maximum > 0 && !tosst_parameter_numbers (p, text, NULL, error))
        return FALSE;
      g_free (FIELD (recipe, p, char *));
      FIELD (recipe, p, char *) = g_strdup (text);
      return TRUE;
    default:
      g_assert_not_reached ();
    }
}

/* descriptor.features names the features of matrices, and also takes the folder of descriptor.folder. */
static gboolean
names_folder (const char *text)
{
  return strchr (text, G_DIR_SEPARATOR) || g_file_test (text, G_FILE_TEST_IS_DIR);
}

gboolean
tosst_recipe_set (TosstRecipe *recipe, const char *name, const char *text, GError **error)
{
  g_return_val_if_fail (recipe != NULL, FALSE);
  g_return_val_if_fail (name != NULL, FALSE);
  g_return_val_if_fail (text != NULL, FALSE);

  const TosstParameter *p = tosst_parameter_find (name);

  if (p && p->offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.features) && names_folder (text))
    p = tosst_parameter_find ("descriptor.folder");
  if (p)
    return tosst_recipe_set_parameter (recipe, p, text, error);

  g_auto (GStrv) parts = g_strsplit (name, ".", 2);
  const char *group = NULL, *key = NULL;

  if (!parts[0] || !parts[1])
    return fail (error, _ ("unknown key %s; a key is written group.key, such as dictionary.atoms"), name);
  group = tosst_parameter_guess_group (parts[0]);
  if (!group)
    return fail (error, _ ("unknown key %s; there is no group %s"), name, parts[0]);
  key = tosst_parameter_guess_key (group, parts[1]);
  if (key && strcmp (group, parts[0]) == 0)
    return fail (error, _ ("unknown key %s; did you mean %s?"), name, key);
  if (key)
    return fail (error, _ ("unknown key %s; did you mean %s.%s?"), name, group, key);
  return fail (error, _ ("unknown key %s"), name);
}

/* Defaults of some kinds; NULL: that of the table. With local features whitening is on, a dictionary of whole images needs
 * a smaller sparsity, plain tensors are not raised to a power again, and Fisher vectors need fewer components. Projections
 * onto the span of atoms are treated as plain tensors, their inner products being those of projected tensors, and free
 * atoms span more of these than psd ones. Short vectors of a sample need a kernel, and are compared as they are. These and
 * sums of similarities suit regression, whose C leaving one out chooses. */
static const struct
{
  const char *name, *sparse, *span, *plain, *fisher; /* of local features */
  const char *lbp, *covariance, *invariant, *combined;
} own_defaults[] = {
  { "descriptor.gamma-eigen", "0.3", "0.3", "0.3", "0.3", NULL, NULL, NULL, NULL },
  { "descriptor.pca", "90", "90", "90", "64", NULL, NULL, NULL, NULL },
  { "dictionary.lambda", "1e-4", "1e-4", "1e-4", "1e-4", NULL, NULL, NULL, NULL },
  { "dictionary.scheme", "psd", "free", "psd", "psd", NULL, NULL, NULL, NULL },
  { "dictionary.signed-b", "false", "true", "false", "false", NULL, NULL, NULL, NULL },
  { "coding.signed-alpha", "false", "true", "false", "false", NULL, NULL, NULL, NULL },
  { "pooling.power", "0.5", "1", "1", "0.5", "1", "1", "1", NULL },
  { "pooling.normalise", "l2", "none", "l2", "l2", "none", "none", "none", NULL },
  { "descriptor.spatial", "spm", "spm", "spm", "spm", NULL, NULL, NULL, NULL },
  { "classifier.kernel", NULL, NULL, NULL, NULL, "chi2", "rbf", "rbf", NULL },
  { "classifier.sharpness", NULL, NULL, NULL, NULL, NULL, NULL, "10", NULL },
  { "classifier.loss", NULL, NULL, NULL, NULL, NULL, "squares", "squares", "squares" },
  { "classifier.choose-c", NULL, NULL, NULL, NULL, NULL, "true", "true", "true" },
};

static const char *
own_default (const TosstRecipe *recipe, gsize i)
{
  if (tosst_recipe_is_local (recipe))
    return tosst_recipe_is_fisher (recipe)                ? own_defaults[i].fisher
           : recipe->coding.method == TOSST_CODING_SPARSE ? own_defaults[i].sparse
           : recipe->coding.method == TOSST_CODING_SPAN   ? own_defaults[i].span
                                                          : own_defaults[i].plain;
  return recipe->descriptor.kind == TOSST_DESCRIPTOR_LBP                    ? own_defaults[i].lbp
         : recipe->descriptor.kind == TOSST_DESCRIPTOR_IMAGE_COVARIANCE     ? own_defaults[i].covariance
         : recipe->descriptor.kind == TOSST_DESCRIPTOR_INVARIANT_COVARIANCE ? own_defaults[i].invariant
         : tosst_recipe_is_combined (recipe)                                ? own_defaults[i].combined
                                                                            : NULL;
}

const char *
tosst_recipe_default_text (const TosstRecipe *recipe, const TosstParameter *p)
{
  /* Keypoints are used where the place in an image says nothing. */
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.spatial)
      && recipe->descriptor.frames == TOSST_FRAMES_KEYPOINTS)
    return "none";
  gsize group = strlen (p->group);
  for (gsize i = 0; i < G_N_ELEMENTS (own_defaults); i++)
    if (own_default (recipe, i) && strncmp (own_defaults[i].name, p->group, group) == 0
        && strcmp (own_defaults[i].name + group + 1, p->key) == 0)
      return own_default (recipe, i);
  return p->default_text;
}

gboolean
tosst_recipe_set_parameter (TosstRecipe *recipe, const TosstParameter *p, const char *text, GError **error)
{
  g_autofree char *trimmed = g_strstrip (g_strdup (text));
  gboolean kept[G_N_ELEMENTS (own_defaults)] = { FALSE };
  gboolean moves = p->offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.kind)
                   || p->offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.frames)
                   || p->offset == G_STRUCT_OFFSET (TosstRecipe, coding.method);

  for (gsize i = 0; i < G_N_ELEMENTS (kept) && moves; i++)
    kept[i] = tosst_recipe_is_default (recipe, tosst_parameter_find (own_defaults[i].name));
  if (!set_value (recipe, p, trimmed, error))
    return FALSE;
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, dataset.kind))
    recipe->dataset.kind_given = TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (kept); i++)
    if (kept[i])
      {
        const TosstParameter *other = tosst_parameter_find (own_defaults[i].name);
        set_value (recipe, other, tosst_recipe_default_text (recipe, other), NULL);
      }
  return TRUE;
}

char *
tosst_recipe_get (const TosstRecipe *recipe, const TosstParameter *p)
{
  g_return_val_if_fail (recipe != NULL, NULL);
  g_return_val_if_fail (p != NULL, NULL);

  const char *text;

  switch (p->type)
    {
    case TOSST_PARAMETER_BOOLEAN:
      return g_strdup (CONST_FIELD (recipe, p, gboolean) ? "true" : "false");
    case TOSST_PARAMETER_INTEGER:
      if (may_be_unset (p) && CONST_FIELD (recipe, p, int) == unset_integer (p))
        return g_strdup ("");
      return g_strdup_printf ("%d", CONST_FIELD (recipe, p, int));
    case TOSST_PARAMETER_SEED:
      return g_strdup_printf ("%" G_GUINT64_FORMAT, CONST_FIELD (recipe, p, guint64));
    case TOSST_PARAMETER_REAL:
      return isnan (CONST_FIELD (recipe, p, double)) ? g_strdup ("") : real_to_text (CONST_FIELD (recipe, p, double));
    case TOSST_PARAMETER_CHOICE:
      return g_strdup (p->choices[CONST_FIELD (recipe, p, int)]);
    case TOSST_PARAMETER_TEXT:
      text = CONST_FIELD (recipe, p, char *);
      return g_strdup (text ? text : "");
    default:
      g_assert_not_reached ();
    }
}

TosstRecipe *
tosst_recipe_new (void)
{
  TosstRecipe *recipe = g_new0 (TosstRecipe, 1);
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GError) error = NULL;

      if (!set_value (recipe, &p[i], p[i].default_text, &error))
        g_error ("the table has a wrong default: %s", error->message);
    }
  return recipe;
}

TosstRecipe *
tosst_recipe_new_samples (void)
{
  static const char *const settings[][2] = {
    { "dataset.kind", "samples" }, { "dataset.splits", "3" },         { "descriptor.step", "20" },
    { "dictionary.atoms", "60" },  { "dictionary.iterations", "20" }, { "dictionary.sample", "4000" },
  };
  TosstRecipe *recipe = tosst_recipe_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      g_autoptr (GError) error = NULL;

      if (!tosst_recipe_set (recipe, settings[i][0], settings[i][1], &error))
        g_error ("the recipe of the samples is wrong: %s", error->message);
    }
  return recipe;
}

TosstRecipe *
tosst_recipe_copy (const TosstRecipe *recipe)
{
  TosstRecipe *copy = g_memdup2 (recipe, sizeof *recipe);
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  for (guint i = 0; i < n; i++)
    if (p[i].type == TOSST_PARAMETER_TEXT)
      FIELD (copy, &p[i], char *) = g_strdup (CONST_FIELD (recipe, &p[i], char *));
  return copy;
}

void
tosst_recipe_free (TosstRecipe *recipe)
{
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  if (!recipe)
    return;
  for (guint i = 0; i < n; i++)
    if (p[i].type == TOSST_PARAMETER_TEXT)
      g_free (FIELD (recipe, &p[i], char *));
  g_free (recipe);
}

/* Values, not texts, are compared: 0.001 is the default 1e-3. */
gboolean
tosst_recipe_is_default (const TosstRecipe *recipe, const TosstParameter *parameter)
{
  g_autoptr (TosstRecipe) defaults = g_new0 (TosstRecipe, 1);
  g_autofree char *mine = tosst_recipe_get (recipe, parameter), *theirs = NULL;

  set_value (defaults, parameter, tosst_recipe_default_text (recipe, parameter), NULL);
  theirs = tosst_recipe_get (defaults, parameter);
  return strcmp (mine, theirs) == 0;
}

gboolean
tosst_recipe_equal (const TosstRecipe *a, const TosstRecipe *b)
{
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *x = tosst_recipe_get (a, &p[i]), *y = tosst_recipe_get (b, &p[i]);

      if (strcmp (x, y) != 0)
        return FALSE;
    }
  return TRUE;
}

/* Values of a recipe beside those of another one, its base. */

char *
tosst_recipe_base_text (const TosstRecipe *recipe, const TosstRecipe *base, const TosstParameter *p)
{
  return tosst_recipe_is_default (base, p) ? g_strdup (tosst_recipe_default_text (recipe, p))
                                           : tosst_recipe_get (base, p);
}

gboolean
tosst_recipe_is_changed (const TosstRecipe *recipe, const TosstRecipe *base, const TosstParameter *p)
{
  g_autofree char *mine = NULL, *theirs = NULL;

  if (tosst_recipe_is_default (base, p))
    return !tosst_recipe_is_default (recipe, p);
  mine = tosst_recipe_get (recipe, p);
  theirs = tosst_recipe_get (base, p);
  return strcmp (mine, theirs) != 0;
}

gboolean
tosst_parameter_is_source (const TosstParameter *p)
{
  return p->offset == G_STRUCT_OFFSET (TosstRecipe, dataset.kind)
         || p->offset == G_STRUCT_OFFSET (TosstRecipe, dataset.path);
}

GPtrArray *
tosst_recipe_carry_changes (TosstRecipe *to, const TosstRecipe *recipe, const TosstRecipe *base)
{
  GPtrArray *carried = g_ptr_array_new ();
  gboolean same = to->dataset.kind == recipe->dataset.kind && g_strcmp0 (to->dataset.path, recipe->dataset.path) == 0;
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  /* Those that determine defaults of others come first. */
  for (int pass = 0; pass < 2; pass++)
    for (guint i = 0; i < n; i++)
      {
        g_autofree char *name = g_strconcat (p[i].group, ".", p[i].key, NULL), *text = tosst_recipe_get (recipe, &p[i]);

        /* A list of additional images belongs to one data set. */
        if (tosst_parameter_is_source (&p[i])
            || (p[i].offset == G_STRUCT_OFFSET (TosstRecipe, dataset.additions) && !same)
            || tosst_parameter_sets_defaults (name) != (pass == 0) || !tosst_recipe_is_changed (recipe, base, &p[i]))
          continue;
        tosst_recipe_set_parameter (to, &p[i], text, NULL);
        g_ptr_array_add (carried, (gpointer)&p[i]);
      }
  return carried;
}
