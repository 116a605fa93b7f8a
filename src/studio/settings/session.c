/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/settings/session.h"

#include "studio/settings/state.h"

#define GROUP "session"

StudioSession *
studio_session_new (void)
{
  StudioSession *self = g_new0 (StudioSession, 1);

  self->recipe = tosst_recipe_new ();
  self->view = g_strdup ("data");
  self->atom = -1;
  return self;
}

void
studio_session_free (StudioSession *self)
{
  tosst_recipe_free (self->recipe);
  g_clear_pointer (&self->base, tosst_recipe_free);
  g_free (self->sweep);
  g_clear_object (&self->dictionary);
  g_free (self->view);
  g_free (self);
}

static gboolean
flag (GKeyFile *file, const char *key)
{
  return g_key_file_get_boolean (file, GROUP, key, NULL);
}

static int
number (GKeyFile *file, const char *key)
{
  return g_key_file_get_integer (file, GROUP, key, NULL);
}

StudioSession *
studio_session_load (void)
{
  g_autoptr (GKeyFile) file = studio_state_load_session ();
  g_autofree char *text = file != NULL ? g_key_file_get_string (file, GROUP, "recipe", NULL) : NULL, *uri = NULL;
  g_autofree char *base = file != NULL ? g_key_file_get_string (file, GROUP, "base", NULL) : NULL;
  TosstRecipe *recipe = text != NULL ? tosst_recipe_parse (text, "session.ini", NULL) : NULL;
  StudioSession *self;

  if (recipe == NULL)
    return NULL;
  self = studio_session_new ();
  tosst_recipe_free (self->recipe);
  self->recipe = recipe;
  self->base = base != NULL ? tosst_recipe_parse (base, "session.ini", NULL) : NULL;
  self->sweep = g_key_file_get_string (file, GROUP, "sweep", NULL);
  self->jobs = MAX (number (file, "jobs"), 0);
  self->open = flag (file, "open");
  uri = g_key_file_get_string (file, GROUP, "dictionary", NULL);
  self->dictionary = uri != NULL && *uri != '\0' ? g_file_new_for_uri (uri) : NULL;
  g_free (self->view);
  self->view = g_key_file_get_string (file, GROUP, "view", NULL);
  self->run = g_key_file_get_int64 (file, GROUP, "run", NULL);
  self->interrupted = flag (file, "interrupted");
  self->logarithmic = flag (file, "logarithmic");
  self->over_seconds = flag (file, "over-seconds");
  self->has_patch = flag (file, "patch");
  self->image = (guint)MAX (number (file, "image"), 0);
  self->x = number (file, "x");
  self->y = number (file, "y");
  self->atom = g_key_file_has_key (file, GROUP, "atom", NULL) ? number (file, "atom") : -1;
  return self;
}

void
studio_session_save (const StudioSession *self, gboolean now)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *text = tosst_recipe_to_text (self->recipe, TRUE),
                  *uri = self->dictionary != NULL ? g_file_get_uri (self->dictionary) : g_strdup ("");

  g_key_file_set_string (file, GROUP, "recipe", text);
  if (self->base != NULL)
    {
      g_autofree char *base = tosst_recipe_to_text (self->base, TRUE);

      g_key_file_set_string (file, GROUP, "base", base);
    }
  if (self->sweep != NULL)
    g_key_file_set_string (file, GROUP, "sweep", self->sweep);
  g_key_file_set_integer (file, GROUP, "jobs", self->jobs);
  g_key_file_set_boolean (file, GROUP, "open", self->open);
  g_key_file_set_string (file, GROUP, "dictionary", uri);
  g_key_file_set_string (file, GROUP, "view", self->view != NULL ? self->view : "data");
  g_key_file_set_int64 (file, GROUP, "run", self->run);
  g_key_file_set_boolean (file, GROUP, "interrupted", self->interrupted);
  g_key_file_set_boolean (file, GROUP, "logarithmic", self->logarithmic);
  g_key_file_set_boolean (file, GROUP, "over-seconds", self->over_seconds);
  g_key_file_set_boolean (file, GROUP, "patch", self->has_patch);
  g_key_file_set_integer (file, GROUP, "image", (int)self->image);
  g_key_file_set_integer (file, GROUP, "x", self->x);
  g_key_file_set_integer (file, GROUP, "y", self->y);
  g_key_file_set_integer (file, GROUP, "atom", self->atom);
  studio_state_save_session (file, now);
}
