/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/run/learn-checkpoint.h"

#include <string.h>

#include "core/dictionary/private.h"

gboolean
tosst_learning_file_save (const TosstDictionary *dictionary, const TosstDictionaryMeta *meta,
                          const TosstCheckpoint *state, GFile *file, GError **error)
{
  g_autoptr (TosstNpz) npz = tosst_dictionary_make_npz (dictionary, meta);

  if (state)
    tosst_checkpoint_to_npz (state, npz);
  return tosst_npz_write (npz, file, error);
}

/* The atoms of the state, to the last bit: whoever changes those of the file changes what learning goes on from. */
static gboolean
is_of (const TosstCheckpoint *state, TosstNpz *npz)
{
  static const char *const members[] = { "B", "b", "scale" };
  g_autoptr (TosstNpz) own = tosst_npz_new ();

  tosst_dictionary_to_npz (state->dictionary, own);
  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    {
      const TosstNpy *a = tosst_npz_array (own, members[i]), *b = tosst_npz_array (npz, members[i]);

      if (!b || b->type != a->type || b->count != a->count
          || memcmp (a->data, b->data, a->count * sizeof (double)) != 0)
        return FALSE;
    }
  return TRUE;
}

TosstDictionary *
tosst_learning_file_load (GFile *file, TosstDictionaryMeta *meta, TosstCheckpoint **state, GError **error)
{
  g_autofree char *name = g_file_get_parse_name (file);
  g_autoptr (TosstNpz) npz = tosst_npz_read (file, NULL, error);
  TosstDictionary *dictionary = tosst_dictionary_read_npz (npz, name, meta, error);

  *state = dictionary ? tosst_checkpoint_from_npz (npz, dictionary->shape, dictionary->K) : NULL;
  if (*state && !is_of (*state, npz))
    g_clear_pointer (state, tosst_checkpoint_free);
  return dictionary;
}
