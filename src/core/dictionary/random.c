/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/dictionary/random.h"
#include "tosst/dictionary.h"

gboolean
tosst_dictionary_randomize (const TosstRecipe *recipe, TosstContext *context, TosstDictionary **dictionary,
                            GError **error)
{
  TosstDictionary *drawn = NULL;
  TosstLearnOptions options;
  TosstShape shape;

  if (recipe->dictionary.source != TOSST_SOURCE_RANDOM || *dictionary == NULL)
    return TRUE;
  shape = (*dictionary)->shape;
  tosst_recipe_learn_options (recipe, &options);
  if (recipe->dictionary.rank <= 0)
    options.rank = MAX (1, shape.d1 / 2);
  TosstStatus status
      = tosst_dictionary_draw (context, *dictionary, &(TosstAtomSet){ shape, options.scheme, options.rank },
                               options.signed_b, (*dictionary)->K, options.seed, &drawn);
  if (!tosst_error_from_status (status, context, _ ("random dictionary"), error))
    return FALSE;
  tosst_dictionary_free (*dictionary);
  *dictionary = drawn;
  return TRUE;
}
