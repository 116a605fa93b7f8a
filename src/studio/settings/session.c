/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/settings/session.h"

#include "core/base/each.h"
#include "studio/settings/state.h"

#define GROUP "session"

StudioSession *
studio_session_new (void)
{
  StudioSession *self = g_new0 (StudioSession, 1);

  self->recipe = tosst_recipe_new ();
  self->view = g_strdup ("data");
  self->atom = -1;
  self->predicted = g_ptr_array_new_with_free_func (g_object_unref);
  self->opacity = -1;
  return self;
}

TOSST_DEFINE_PUBLIC_FREE (StudioSession, studio_session_free, StudioSession *, (recipe, tosst_recipe_free),
                          (base, tosst_recipe_free), (sweep, g_free), (dictionary, g_object_unref), (view, g_free),
                          (model, g_object_unref), (predicted, g_ptr_array_unref))

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

/* The file of a key; NULL: none. */
static GFile *
file_of (GKeyFile *file, const char *key)
{
  g_autofree char *uri = g_key_file_get_string (file, GROUP, key, NULL);

  return uri != NULL && *uri != '\0' ? g_file_new_for_uri (uri) : NULL;
}

static void
set_file (GKeyFile *file, const char *key, GFile *value)
{
  g_autofree char *uri = value != NULL ? g_file_get_uri (value) : g_strdup ("");

  g_key_file_set_string (file, GROUP, key, uri);
}

static void
load_predictions (StudioSession *self, GKeyFile *file)
{
  g_auto (GStrv) uris = g_key_file_get_string_list (file, GROUP, "predicted", NULL, NULL);

  self->model = file_of (file, "model");
  for (guint i = 0; uris != NULL && uris[i] != NULL; i++)
    g_ptr_array_add (self->predicted, g_file_new_for_uri (uris[i]));
  if (g_key_file_has_key (file, GROUP, "opacity", NULL))
    self->opacity = g_key_file_get_double (file, GROUP, "opacity", NULL);
  self->uncertain = flag (file, "uncertain");
}

static void
save_predictions (const StudioSession *self, GKeyFile *file)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) uris = NULL;

  for (guint i = 0; i < self->predicted->len; i++)
    {
      g_autofree char *uri = g_file_get_uri (self->predicted->pdata[i]);
      g_strv_builder_add (builder, uri);
    }
  uris = g_strv_builder_end (builder);
  set_file (file, "model", self->model);
  g_key_file_set_string_list (file, GROUP, "predicted", (const char *const *)uris, self->predicted->len);
  if (self->opacity >= 0)
    g_key_file_set_double (file, GROUP, "opacity", self->opacity);
  g_key_file_set_boolean (file, GROUP, "uncertain", self->uncertain);
}

StudioSession *
studio_session_load (void)
{
  g_autoptr (GKeyFile) file = studio_state_load_session ();
  g_autofree char *text = file != NULL ? g_key_file_get_string (file, GROUP, "recipe", NULL) : NULL;
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
  self->dictionary = file_of (file, "dictionary");
  g_free (self->view);
  self->view = g_key_file_get_string (file, GROUP, "view", NULL);
  self->run = g_key_file_get_int64 (file, GROUP, "run", NULL);
  self->interrupted = flag (file, "interrupted");
  self->logarithmic_x = flag (file, "logarithmic-x");
  self->logarithmic = flag (file, "logarithmic");
  self->patch_tiles = flag (file, "patch-tiles");
  self->tile_size = g_key_file_get_integer (file, GROUP, "tile-size", NULL);
  self->tile_contrast = g_key_file_get_double (file, GROUP, "tile-contrast", NULL);
  self->over_seconds = flag (file, "over-seconds");
  self->has_patch = flag (file, "patch");
  self->image = (guint)MAX (number (file, "image"), 0);
  self->x = number (file, "x");
  self->y = number (file, "y");
  self->atom = g_key_file_has_key (file, GROUP, "atom", NULL) ? number (file, "atom") : -1;
  load_predictions (self, file);
  return self;
}

void
studio_session_save (const StudioSession *self, gboolean now)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *text = tosst_recipe_to_text (self->recipe, TRUE);

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
  set_file (file, "dictionary", self->dictionary);
  g_key_file_set_string (file, GROUP, "view", self->view != NULL ? self->view : "data");
  g_key_file_set_int64 (file, GROUP, "run", self->run);
  g_key_file_set_boolean (file, GROUP, "interrupted", self->interrupted);
  g_key_file_set_boolean (file, GROUP, "logarithmic-x", self->logarithmic_x);
  g_key_file_set_boolean (file, GROUP, "logarithmic", self->logarithmic);
  g_key_file_set_boolean (file, GROUP, "patch-tiles", self->patch_tiles);
  g_key_file_set_integer (file, GROUP, "tile-size", self->tile_size);
  g_key_file_set_double (file, GROUP, "tile-contrast", self->tile_contrast);
  g_key_file_set_boolean (file, GROUP, "over-seconds", self->over_seconds);
  g_key_file_set_boolean (file, GROUP, "patch", self->has_patch);
  g_key_file_set_integer (file, GROUP, "image", (int)self->image);
  g_key_file_set_integer (file, GROUP, "x", self->x);
  g_key_file_set_integer (file, GROUP, "y", self->y);
  g_key_file_set_integer (file, GROUP, "atom", self->atom);
  save_predictions (self, file);
  studio_state_save_session (file, now);
}
