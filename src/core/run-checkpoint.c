/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A checkpoint is memory as it is: a dictionary file would round its atoms, and going on would come to other bits. It is
 * for the machine and the version that wrote it; any other begins the split anew.
 */
#include "config.h"

#include "run-checkpoint.h"

#include <string.h>

/* Raised when what follows changes. */
#define FORMAT "tosst checkpoint 2 " PACKAGE_VERSION

/* format, size of an iteration, scale, learned, images, worst_kkt, nonzeros; V, b, trace, codes, signatures; done,
 * objective, seconds, parts */
#define TYPE "(sudbuddayayayayayiddaay)"

void
tosst_checkpoint_free (TosstCheckpoint *self)
{
  if (!self)
    return;
  tosst_dictionary_free (self->dictionary);
  g_clear_pointer (&self->trace, g_array_unref);
  tosst_codes_free (self->codes);
  g_clear_pointer (&self->parts, g_ptr_array_unref);
  g_free (self->signatures);
  g_free (self);
}

static GVariant *
raw (gconstpointer data, gsize size)
{
  return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, data, data ? size : 0, 1);
}

static GVariant *
parts_variant (const TosstCheckpoint *self)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aay"));
  for (guint i = 0; self->parts && i < self->parts->len; i++)
    g_variant_builder_add_value (
        &builder, g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, g_ptr_array_index (self->parts, i), TRUE));
  return g_variant_builder_end (&builder);
}

GBytes *
tosst_checkpoint_to_bytes (const TosstCheckpoint *self)
{
  const TosstDictionary *atoms = self->dictionary;
  g_autoptr (GVariant) variant = NULL;
  g_autoptr (GBytes) codes = self->codes ? tosst_codes_to_bytes (self->codes) : NULL;
  gsize size = 0, V = atoms ? (gsize)atoms->D * (gsize)atoms->K * sizeof (double) : 0,
        b = atoms ? (gsize)atoms->S * (gsize)atoms->K * sizeof (double) : 0;
  gconstpointer data = codes ? g_bytes_get_data (codes, &size) : NULL;

  variant = g_variant_ref_sink (g_variant_new (
      "(sudbudd@ay@ay@ay@ay@ayidd@aay)", FORMAT, (guint)sizeof (TosstIteration), atoms ? atoms->scale : 1,
      self->learned, self->images, self->worst_kkt, self->nonzeros, raw (atoms ? atoms->V : NULL, V),
      raw (atoms ? atoms->b : NULL, b),
      raw (self->trace ? self->trace->data : NULL, self->trace ? self->trace->len * sizeof (TosstIteration) : 0),
      raw (data, size), raw (self->signatures, self->numbers * sizeof (float)), self->done, self->objective,
      self->seconds, parts_variant (self)));
  return g_variant_get_data_as_bytes (variant);
}

/* Copies the bytes of a child where there are as many as expected. */
static gboolean
take (GVariant *variant, gsize child, gpointer to, gsize expected)
{
  g_autoptr (GVariant) array = g_variant_get_child_value (variant, child);
  gsize size;
  gconstpointer data = g_variant_get_fixed_array (array, &size, 1);

  if (size != expected)
    return FALSE;
  if (size > 0)
    memcpy (to, data, size);
  return TRUE;
}

static gsize
bytes_of (GVariant *variant, gsize child)
{
  g_autoptr (GVariant) array = g_variant_get_child_value (variant, child);

  return g_variant_n_children (array);
}

enum
{
  CHILD_V = 7,
  CHILD_b,
  CHILD_TRACE,
  CHILD_CODES,
  CHILD_SIGNATURES,
  CHILD_DONE,
  CHILD_OBJECTIVE,
  CHILD_SECONDS,
  CHILD_PARTS
};

static gboolean
take_dictionary (TosstCheckpoint *self, GVariant *variant, TosstShape shape, int atoms, double scale)
{
  TosstDictionary *dictionary;
  gsize iterations = bytes_of (variant, CHILD_TRACE) / sizeof (TosstIteration);

  self->trace = g_array_new (FALSE, FALSE, sizeof (TosstIteration));
  if (atoms == 0)
    return bytes_of (variant, CHILD_V) == 0;
  self->dictionary = dictionary = tosst_dictionary_new_shape (shape, atoms);
  if (!dictionary)
    return FALSE;
  dictionary->scale = scale;
  g_array_set_size (self->trace, (guint)iterations);
  return take (variant, CHILD_V, dictionary->V, (gsize)dictionary->D * (gsize)atoms * sizeof (double))
         && take (variant, CHILD_b, dictionary->b, (gsize)dictionary->S * (gsize)atoms * sizeof (double))
         && take (variant, CHILD_TRACE, self->trace->data, iterations * sizeof (TosstIteration));
}

/* They share the memory of the whole. */
static gboolean
take_parts (TosstCheckpoint *self, GVariant *variant)
{
  g_autoptr (GVariant) parts = g_variant_get_child_value (variant, CHILD_PARTS);

  self->parts = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  for (gsize i = 0; i < g_variant_n_children (parts); i++)
    {
      g_autoptr (GVariant) part = g_variant_get_child_value (parts, i);

      g_ptr_array_add (self->parts, g_variant_get_data_as_bytes (part));
    }
  return self->parts->len == TOSST_LEARN_PARTS;
}

static gboolean
take_codes (TosstCheckpoint *self, GVariant *variant, int atoms)
{
  g_autoptr (GVariant) array = g_variant_get_child_value (variant, CHILD_CODES);
  gsize size;
  gconstpointer data = g_variant_get_fixed_array (array, &size, 1);

  g_variant_get_child (variant, CHILD_DONE, "i", &self->done);
  g_variant_get_child (variant, CHILD_OBJECTIVE, "d", &self->objective);
  g_variant_get_child (variant, CHILD_SECONDS, "d", &self->seconds);
  if (self->learned)
    return TRUE;
  if (size == 0)
    return take_parts (self, variant);
  self->codes = tosst_codes_from_bytes (data, size, (gsize)atoms);
  return self->codes != NULL && self->trace->len > 0;
}

static gboolean
take_signatures (TosstCheckpoint *self, GVariant *variant, gsize numbers)
{
  if (self->images == 0)
    return TRUE;
  self->numbers = numbers;
  self->signatures = g_try_new (float, numbers);
  return self->signatures && take (variant, CHILD_SIGNATURES, self->signatures, numbers * sizeof (float));
}

TosstCheckpoint *
tosst_checkpoint_from_bytes (GBytes *bytes, TosstShape shape, int atoms, gsize numbers)
{
  g_autoptr (GVariant) variant = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE (TYPE), bytes, FALSE));
  g_autoptr (TosstCheckpoint) self = g_new0 (TosstCheckpoint, 1);
  const char *format;
  guint iteration;
  double scale;

  if (!g_variant_is_normal_form (variant))
    return NULL;
  g_variant_get_child (variant, 0, "&s", &format);
  g_variant_get_child (variant, 1, "u", &iteration);
  g_variant_get_child (variant, 2, "d", &scale);
  g_variant_get_child (variant, 3, "b", &self->learned);
  g_variant_get_child (variant, 4, "u", &self->images);
  g_variant_get_child (variant, 5, "d", &self->worst_kkt);
  g_variant_get_child (variant, 6, "d", &self->nonzeros);
  if (strcmp (format, FORMAT) != 0 || iteration != sizeof (TosstIteration)
      || !take_dictionary (self, variant, shape, atoms, scale) || !take_codes (self, variant, atoms)
      || !take_signatures (self, variant, numbers))
    return NULL;
  return g_steal_pointer (&self);
}
