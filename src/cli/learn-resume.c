/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "cli/learn-resume.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n.h>

#include "cli/call.h"

void
cli_resumed_clear (CliResumed *self)
{
  g_clear_object (&self->file);
  g_clear_pointer (&self->dictionary, tosst_dictionary_free);
  tosst_dictionary_meta_clear (&self->meta);
  g_clear_pointer (&self->state, tosst_checkpoint_free);
  *self = (CliResumed){ .meta.objective = NAN };
}

static gboolean
load (CliResumed *self, GFile *file, GError **error)
{
  *self = (CliResumed){ .file = g_object_ref (file), .meta.objective = NAN };
  self->dictionary = tosst_learning_file_load (file, &self->meta, &self->state, error);
  return self->dictionary != NULL;
}

static char *
text_to_compare (const TosstRecipe *recipe)
{
  g_autoptr (TosstRecipe) copy = tosst_recipe_copy (recipe);

  copy->dictionary.iterations = 1;
  copy->dictionary.tolerance = 0;
  return tosst_recipe_to_text (copy, FALSE);
}

gboolean
cli_learns_alike (const TosstRecipe *a, const TosstRecipe *b)
{
  g_autofree char *one = text_to_compare (a), *other = text_to_compare (b);

  return strcmp (one, other) == 0;
}

static gboolean
is_ahead (const CliResumed *checkpoint, const CliResumed *named)
{
  const TosstDictionaryMeta *a = &checkpoint->meta, *b = &named->meta;

  if (a->iterations != b->iterations || a->batches != b->batches)
    return a->iterations > b->iterations || (a->iterations == b->iterations && a->batches > b->batches);
  return checkpoint->state && !named->state;
}

/* Chooses one of two existing files and clears the other. A program killed after writing the dictionary leaves a
 * checkpoint with the same state: that file is deleted. */
static void
choose (CliResumed *checkpoint, CliResumed *named)
{
  g_autofree char *name = g_file_get_parse_name (named->file);

  g_autoptr (TosstRecipe) one = checkpoint->meta.recipe ? tosst_recipe_parse (checkpoint->meta.recipe, "", NULL) : NULL;
  g_autoptr (TosstRecipe) other = named->meta.recipe ? tosst_recipe_parse (named->meta.recipe, "", NULL) : NULL;
  gboolean same = one && other && g_strcmp0 (checkpoint->meta.fingerprint, named->meta.fingerprint) == 0
                  && cli_learns_alike (one, other);

  if (same && !is_ahead (checkpoint, named))
    {
      g_file_delete (checkpoint->file, NULL, NULL);
      cli_resumed_clear (checkpoint);
      return;
    }
  if (!same)
    cli_print (stderr, _ ("tosst: learn: resuming from %s.checkpoint, which belongs to another run than %s\n"), name,
               name);
  cli_resumed_clear (named);
  *named = *checkpoint;
}

gboolean
cli_resumed_open (CliResumed *self, const char *path, GError **error)
{
  g_autoptr (GFile) named = g_file_new_for_commandline_arg (path), sibling = NULL;
  g_autofree char *whole = g_file_get_path (named), *other = whole ? g_strconcat (whole, ".checkpoint", NULL) : NULL;
  g_autoptr (GError) cause = NULL;
  CliResumed checkpoint = { 0 };

  if (!other || !g_file_test (other, G_FILE_TEST_EXISTS))
    return load (self, named, error);
  sibling = g_file_new_for_path (other);
  if (!g_file_test (whole, G_FILE_TEST_EXISTS))
    return load (self, sibling, error);
  if (!load (self, named, NULL))
    {
      cli_resumed_clear (self);
      return load (self, sibling, error);
    }
  if (load (&checkpoint, sibling, &cause))
    choose (&checkpoint, self);
  else
    {
      cli_print (stderr, _ ("tosst: learn: resuming from %s: %s\n"), path, cause->message);
      cli_resumed_clear (&checkpoint);
    }
  return TRUE;
}
