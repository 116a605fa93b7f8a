/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/base/base.h"
#include "core/data/private.h"
#include "tosst/context.h"

/* Random streams for dividing training samples; no protocol has as many splits. */
#define WITHIN_STREAMS (UINT64_C (1) << 32)

/* A unit is assigned to one side as a whole: for Brodatz, where a class has one image, a block; elsewhere an image,
 * as blocks of one image on both sides would make the test too easy. Units are numbered as samples or images. */

static gboolean
units_are_samples (const TosstDataset *self)
{
  return self->kind == TOSST_DATASET_BRODATZ;
}

/* Copies are no units. */
static guint
n_units (const TosstDataset *self)
{
  return (units_are_samples (self) ? self->samples->len : self->entries->len)
         - (self->copied != NULL ? self->copied->len : 0);
}

guint
tosst_dataset_unit (const TosstDataset *self, guint sample)
{
  return units_are_samples (self) ? sample : (guint)g_array_index (self->samples, TosstSample, sample).image;
}

static int
unit_class (const TosstDataset *self, guint unit)
{
  if (units_are_samples (self))
    return g_array_index (self->samples, TosstSample, unit).class_index;
  return tosst_dataset_entry (self, unit)->public.class_index;
}

static TosstSide
unit_side (const TosstDataset *self, guint unit)
{
  return units_are_samples (self) ? TOSST_SIDE_ANY : tosst_dataset_entry (self, unit)->side;
}

/* Such a unit trains in every split; the protocol divides the others. */
static gboolean
is_added (const TosstDataset *self, guint unit)
{
  return !units_are_samples (self) && tosst_dataset_entry (self, unit)->added;
}

/* Units of the same content are on the same side: for those of an album, of which each class has one image, the unit itself. */
static guint
unit_content (const TosstDataset *self, guint unit)
{
  return units_are_samples (self) ? unit : tosst_dataset_entry (self, unit)->content;
}

/* Without added ones, each content once. */
static guint
count_contents (const TosstDataset *self, int class_index)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint unit = 0; unit < n_units (self); unit++)
    if (unit_class (self, unit) == class_index && !is_added (self, unit))
      g_hash_table_add (seen, GUINT_TO_POINTER (unit_content (self, unit)));
  return g_hash_table_size (seen);
}

/* Without added ones. */
static guint
count_units (const TosstDataset *self, int class_index, TosstSide side)
{
  guint n = 0;

  for (guint unit = 0; unit < n_units (self); unit++)
    n += unit_class (self, unit) == class_index && !is_added (self, unit)
         && (side == TOSST_SIDE_ANY || unit_side (self, unit) == side);
  return n;
}

static gboolean
check_sides (const TosstDataset *self, int class_index, GError **error)
{
  const char *name = g_ptr_array_index (self->classes, (guint)class_index);

  if (count_units (self, class_index, TOSST_SIDE_TRAIN) == 0)
    g_set_error (error, TOSST_ERROR, TOSST_FAILED_INPUT, _ ("%s: class “%s” has no usable image in the folder train"),
                 self->where, name);
  else if (count_units (self, class_index, TOSST_SIDE_TEST) == 0)
    g_set_error (error, TOSST_ERROR, TOSST_FAILED_INPUT, _ ("%s: class “%s” has no usable image in the folder test"),
                 self->where, name);
  else
    return TRUE;
  return FALSE;
}

static void
remove_class (TosstDataset *self, int class_index)
{
  for (guint i = 0; i < self->entries->len;)
    {
      TosstDatasetImage *image = &tosst_dataset_entry (self, i)->public;

      if (image->class_index == class_index)
        {
          g_ptr_array_remove_index (self->entries, i);
          continue;
        }
      image->class_index -= image->class_index > class_index;
      i++;
    }
  g_ptr_array_insert (self->left_out, 0, g_ptr_array_steal_index (self->classes, (guint)class_index));
}

void
tosst_dataset_leave_out (TosstDataset *self, const TosstRecipe *recipe)
{
  if (tosst_recipe_train_per_class (recipe) > 0 || self->has_sides || self->labels)
    return;
  for (int class_index = (int)self->classes->len - 1; class_index >= 0; class_index--)
    if (count_units (self, class_index, TOSST_SIDE_ANY) == 1)
      remove_class (self, class_index);
}

/* Fails if given lists or folders have the same image on both sides. */
static gboolean
check_separate (const TosstDataset *self, const TosstRecipe *recipe, GError **error)
{
  TosstSide tests = recipe->dataset.within > 0 && self->labels ? TOSST_SIDE_VALIDATE : TOSST_SIDE_TEST;
  g_autoptr (GHashTable) trained = g_hash_table_new (NULL, NULL);
  const TosstDatasetEntry *first = NULL, *same = NULL;
  guint n = 0;

  if (!self->has_equal || self->origin || !(self->has_sides || self->labels))
    return TRUE;
  for (guint i = 0; i < n_units (self); i++)
    if (unit_side (self, i) == TOSST_SIDE_TRAIN
        || (unit_side (self, i) == TOSST_SIDE_VALIDATE && tests == TOSST_SIDE_TEST))
      g_hash_table_insert (trained, GUINT_TO_POINTER (unit_content (self, i)), g_ptr_array_index (self->entries, i));
  for (guint i = 0; i < n_units (self); i++)
    if (unit_side (self, i) == tests && g_hash_table_contains (trained, GUINT_TO_POINTER (unit_content (self, i)))
        && n++ == 0)
      {
        first = g_ptr_array_index (self->entries, i);
        same = g_hash_table_lookup (trained, GUINT_TO_POINTER (first->content));
      }
  if (n == 0)
    return TRUE;
  return tosst_fail (
      error, TOSST_FAILED_INPUT,
      ngettext ("%s: %u test image is a training image, too: %s is the same as %s; remove one",
                "%s: %u test images are training images, too: the first, %s, is the same as %s; remove one "
                "of each",
                n),
      self->where, n, first->public.name, same->public.name);
}

gboolean
tosst_dataset_check_units (TosstDataset *self, const TosstRecipe *recipe, GError **error)
{
  if (!check_separate (self, recipe, error))
    return FALSE;
  if (self->origin)
    return TRUE;
  if (self->labels)
    return tosst_dataset_check_lists (self, recipe, error);
  for (int class_index = 0; class_index < (int)self->classes->len; class_index++)
    {
      guint units = count_units (self, class_index, TOSST_SIDE_ANY);
      guint train = (guint)tosst_recipe_train_units (recipe, units);

      if (self->has_sides)
        {
          if (!check_sides (self, class_index, error))
            return FALSE;
        }
      else if (units < 2 || (recipe->dataset.protocol != TOSST_PROTOCOL_LEAVE_ONE_OUT && units < train + 1))
        {
          const char *name = g_ptr_array_index (self->classes, (guint)class_index);
          const char *words;

          if (units < 2)
            words = units_are_samples (self)
                        ? _ ("%s: class “%s” needs at least two usable blocks to train and to test, it has %u")
                        : _ ("%s: class “%s” needs at least two usable images to train and to test, it has %u");
          else
            words = units_are_samples (self)
                        ? _ ("%s: class “%s” has %u blocks, but dataset.train-per-class is %d: lower it to %u or less")
                        : _ ("%s: class “%s” has %u images, but dataset.train-per-class is %d: lower it to %u or less");
          return tosst_fail (error, TOSST_FAILED_INPUT, words, self->where, name, units, (int)train, units - 1);
        }
      else if (self->has_equal && count_contents (self, class_index) < 2)
        return tosst_fail (
            error, TOSST_FAILED_INPUT,
            _ ("%s: the %u images of class “%s” are the same: two different ones are needed to train and "
               "to test"),
            self->where, units, (const char *)g_ptr_array_index (self->classes, (guint)class_index));
    }
  return TRUE;
}

/* Number of splits of the protocol, without dataset.within. */
static guint
outer_splits (TosstDataset *self, const TosstRecipe *recipe)
{
  guint most = 0;

  if (self->labels)
    return 1;
  if (recipe->dataset.protocol == TOSST_PROTOCOL_RANDOM)
    return (guint)recipe->dataset.splits;
  if (recipe->dataset.protocol == TOSST_PROTOCOL_FIXED)
    return 1;
  for (int class_index = 0; class_index < (int)self->classes->len; class_index++)
    most = MAX (most,
                self->has_equal ? count_contents (self, class_index) : count_units (self, class_index, TOSST_SIDE_ANY));
  return most;
}

guint
tosst_dataset_splits (TosstDataset *self, const TosstRecipe *recipe)
{
  return recipe->dataset.within > 0 && !self->labels ? (guint)recipe->dataset.splits : outer_splits (self, recipe);
}

/* Moves the units of one content to the front of those from `from` on, which begin with one of them, without another change
 * of their order. Returns their number. */
static gsize
gather (const TosstDataset *self, gsize *unit, gsize from, gsize n)
{
  guint content = unit_content (self, (guint)unit[from]);
  gsize m = 1;

  for (gsize i = from + 1; self->has_equal && i < n; i++)
    if (unit_content (self, (guint)unit[i]) == content)
      {
        gsize moved = unit[i];

        memmove (unit + from + m + 1, unit + from + m, (i - from - m) * sizeof *unit);
        unit[from + m++] = moved;
      }
  return m;
}

/* Marks `wanted` of n units, the first ones. Units of one content are marked together: they are passed over where they do not
 * fit, unless none would be marked. */
static void
mark_first (const TosstDataset *self, gsize *unit, gsize n, gsize wanted, gboolean *marks)
{
  gsize taken = 0, m;

  for (gsize i = 0; i < n && taken < wanted; i += m)
    {
      m = gather (self, unit, i, n);
      for (gsize k = 0; k < m && taken + m <= wanted; k++)
        marks[unit[i + k]] = TRUE;
      taken += taken + m <= wanted ? m : 0;
    }
  m = wanted > 0 && taken == 0 && n > 0 ? gather (self, unit, 0, n) : 0;
  for (gsize k = 0; k < m; k++)
    marks[unit[k]] = TRUE;
}

/* Marks the training units among the n of one class; only the random protocol uses random. */
static void
choose_units (const TosstDataset *self, const TosstRecipe *recipe, guint split, TosstRandom *random, gsize *unit,
              gsize n, gboolean *trains)
{
  gsize train = tosst_recipe_train_units (recipe, n), m;

  switch (recipe->dataset.protocol)
    {
    case TOSST_PROTOCOL_LEAVE_ONE_OUT:
      for (gsize i = 0, number = 0; i < n; i += m, number++)
        {
          m = gather (self, unit, i, n);
          for (gsize k = 0; k < m; k++)
            trains[unit[i + k]] = number != split;
        }
      break;
    case TOSST_PROTOCOL_RANDOM:
      tosst_random_shuffle (random, unit, n);
      G_GNUC_FALLTHROUGH;
    case TOSST_PROTOCOL_FIXED:
    default:
      mark_first (self, unit, n, train, trains);
      break;
    }
}

/* Units of a class that train (trains NULL: all), without added ones, in unit; returns their number. */
static gsize
units_of_class (const TosstDataset *self, int class_index, const gboolean *trains, gsize *unit)
{
  gsize m = 0;

  for (guint i = 0; i < n_units (self); i++)
    if (unit_class (self, i) == class_index && !is_added (self, i) && (!trains || trains[i]))
      unit[m++] = i;
  return m;
}

/* The training units by the protocol. */
static gboolean *
draw_split (const TosstDataset *self, const TosstRecipe *recipe, guint split)
{
  guint n = n_units (self);
  gboolean *trains = g_new0 (gboolean, n);
  g_autofree gsize *unit = g_new (gsize, n);
  TosstRandom random;

  tosst_random_init (&random, recipe->dataset.seed, split);
  for (guint i = 0; self->origin && i < n; i++)
    trains[i] = TRUE;
  if (self->origin)
    return trains;
  if (self->has_sides)
    for (guint i = 0; i < n; i++)
      trains[i] = unit_side (self, i) == TOSST_SIDE_TRAIN;
  for (int class_index = 0; !self->has_sides && class_index < (int)self->classes->len; class_index++)
    choose_units (self, recipe, split, &random, unit, units_of_class (self, class_index, NULL, unit), trains);
  for (guint i = 0; i < n; i++)
    trains[i] |= is_added (self, i);
  return trains;
}

/* Moves dataset.validate units of each class from training to validation. Returns FALSE if a class would have no
 * training units, or no class has one to leave out. */
static gboolean
draw_validation (const TosstDataset *self, const TosstRecipe *recipe, guint split, gboolean *trains,
                 gboolean *validates, GError **error)
{
  guint n = n_units (self);
  g_autofree gsize *unit = g_new (gsize, n);
  gsize moved = 0;
  TosstRandom random;

  tosst_random_init (&random, recipe->dataset.seed, WITHIN_STREAMS + split);
  for (int class_index = 0; class_index < (int)self->classes->len; class_index++)
    {
      gsize m = units_of_class (self, class_index, trains, unit);
      gboolean one = m > 0 && self->has_equal && gather (self, unit, 0, m) == m;
      gsize wanted = tosst_recipe_validate_units (recipe, m);

      if ((m <= wanted || one) && wanted > 0)
        return tosst_fail (
            error, TOSST_FAILED_INPUT,
            _ ("%s: class “%s” has %zu training samples to divide, but dataset.validate is %d: lower it"), self->where,
            (const char *)g_ptr_array_index (self->classes, (guint)class_index), m, (int)wanted);
      tosst_random_shuffle (&random, unit, m);
      mark_first (self, unit, m, wanted, validates);
      for (gsize i = 0; i < m; i++)
        trains[unit[i]] = !validates[unit[i]];
      moved += wanted;
    }
  return moved > 0
         || tosst_fail (error, TOSST_FAILED_INPUT,
                        _ ("%s: no class has two training samples, of which one could be left out to validate"),
                        self->where);
}

/* The sides by lists; with dataset.within the list val tests. */
static void
draw_lists (const TosstDataset *self, const TosstRecipe *recipe, gboolean **trains, gboolean **tests)
{
  guint n = n_units (self);
  gboolean within = recipe->dataset.within > 0;

  *trains = g_new0 (gboolean, n);
  *tests = g_new0 (gboolean, n);
  for (guint i = 0; i < n; i++)
    {
      TosstSide side = unit_side (self, i);

      (*trains)[i] = side == TOSST_SIDE_TRAIN || (side == TOSST_SIDE_VALIDATE && !within);
      (*tests)[i] = side == (within ? TOSST_SIDE_VALIDATE : TOSST_SIDE_TEST);
    }
}

/* Training and test units: with dataset.within the test units are those of validation, else all others. */
static gboolean
draw_sides (TosstDataset *self, const TosstRecipe *recipe, guint split, gboolean **trains, gboolean **tests,
            GError **error)
{
  gboolean divides = recipe->dataset.within > 0 && !self->labels;
  guint n = n_units (self), outer = divides ? (guint)recipe->dataset.within - 1 : split;
  guint outers = outer_splits (self, recipe);

  /* Random splits do not depend on their number. */
  if ((self->labels || recipe->dataset.protocol != TOSST_PROTOCOL_RANDOM) && !self->origin && outer >= outers)
    return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("%s: there is no split %u, this protocol has %u"), self->where,
                       outer + 1, outers);
  if (self->labels)
    {
      draw_lists (self, recipe, trains, tests);
      return TRUE;
    }
  *trains = draw_split (self, recipe, outer);
  *tests = g_new0 (gboolean, n);
  if (divides)
    return draw_validation (self, recipe, split, *trains, *tests, error);
  for (guint i = 0; i < n; i++)
    (*tests)[i] = !(*trains)[i];
  return TRUE;
}

gboolean
tosst_dataset_split (TosstDataset *self, const TosstRecipe *recipe, guint split, GArray **train, GArray **test,
                     GError **error)
{
  g_autofree gboolean *trains = NULL, *tests = NULL;

  /* The recipe may have changed since the data set was opened. */
  if (!tosst_dataset_check_units (self, recipe, error) || !draw_sides (self, recipe, split, &trains, &tests, error))
    return FALSE;
  *train = g_array_new (FALSE, FALSE, sizeof (guint));
  *test = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0, own = tosst_dataset_own_samples (self); i < self->samples->len; i++)
    {
      guint unit = tosst_dataset_unit (self, i < own ? i : g_array_index (self->copied, guint, i - own));

      if (trains[unit])
        g_array_append_val (*train, i);
      else if (i < own && tests[unit])
        g_array_append_val (*test, i);
    }
  return TRUE;
}

gboolean *
tosst_dataset_may_train (const TosstDataset *self, const TosstRecipe *recipe)
{
  gboolean divided = !self->origin && (self->has_sides || recipe->dataset.protocol == TOSST_PROTOCOL_FIXED);
  g_autofree gboolean *trains = divided ? draw_split (self, recipe, 0) : NULL;
  gboolean *may = g_new (gboolean, self->samples->len + 1);

  for (guint i = 0; i < self->samples->len; i++)
    may[i] = trains == NULL || trains[tosst_dataset_unit (self, i)];
  return may;
}
