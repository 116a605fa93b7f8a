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

/* The members that are numbers or flags. */
static const struct
{
  const char *key;
  gsize offset;
  gboolean flag;
} keys[] = {
  { "jobs", G_STRUCT_OFFSET (StudioSession, jobs) },
  { "open", G_STRUCT_OFFSET (StudioSession, open), TRUE },
  { "interrupted", G_STRUCT_OFFSET (StudioSession, interrupted), TRUE },
  { "logarithmic-x", G_STRUCT_OFFSET (StudioSession, logarithmic_x), TRUE },
  { "logarithmic", G_STRUCT_OFFSET (StudioSession, logarithmic), TRUE },
  { "over-seconds", G_STRUCT_OFFSET (StudioSession, over_seconds), TRUE },
  { "patch", G_STRUCT_OFFSET (StudioSession, has_patch), TRUE },
  { "image", G_STRUCT_OFFSET (StudioSession, image) },
  { "x", G_STRUCT_OFFSET (StudioSession, x) },
  { "y", G_STRUCT_OFFSET (StudioSession, y) },
  { "atom", G_STRUCT_OFFSET (StudioSession, atom) },
  { "patch-tiles", G_STRUCT_OFFSET (StudioSession, patch_tiles), TRUE },
  { "tile-size", G_STRUCT_OFFSET (StudioSession, tile_size) },
  { "uncertain", G_STRUCT_OFFSET (StudioSession, uncertain), TRUE },
};

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

StudioSession *
studio_session_load (void)
{
  g_autoptr (GKeyFile) file = studio_state_load_session ();
  g_autofree char *text = file != NULL ? g_key_file_get_string (file, GROUP, "recipe", NULL) : NULL;
  g_autofree char *base = file != NULL ? g_key_file_get_string (file, GROUP, "base", NULL) : NULL;
  TosstRecipe *recipe = text != NULL ? tosst_recipe_parse (text, "session.ini", NULL) : NULL;

  if (recipe == NULL)
    return NULL;
  StudioSession *self = studio_session_new ();
  tosst_recipe_free (self->recipe);
  self->recipe = recipe;
  self->base = base != NULL ? tosst_recipe_parse (base, "session.ini", NULL) : NULL;
  self->sweep = g_key_file_get_string (file, GROUP, "sweep", NULL);
  self->dictionary = file_of (file, "dictionary");
  g_free (self->view);
  self->view = g_key_file_get_string (file, GROUP, "view", NULL);
  self->run = g_key_file_get_int64 (file, GROUP, "run", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (g_key_file_has_key (file, GROUP, keys[i].key, NULL))
      G_STRUCT_MEMBER (int, self, keys[i].offset)
          = (keys[i].flag ? g_key_file_get_boolean : g_key_file_get_integer) (file, GROUP, keys[i].key, NULL);
  self->jobs = MAX (self->jobs, 0);
  self->image = (guint)MAX ((int)self->image, 0);
  self->tile_contrast = g_key_file_get_double (file, GROUP, "tile-contrast", NULL);
  g_auto (GStrv) uris = g_key_file_get_string_list (file, GROUP, "predicted", NULL, NULL);
  self->model = file_of (file, "model");
  for (guint i = 0; uris != NULL && uris[i] != NULL; i++)
    g_ptr_array_add (self->predicted, g_file_new_for_uri (uris[i]));
  if (g_key_file_has_key (file, GROUP, "opacity", NULL))
    self->opacity = g_key_file_get_double (file, GROUP, "opacity", NULL);
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
  set_file (file, "dictionary", self->dictionary);
  g_key_file_set_string (file, GROUP, "view", self->view != NULL ? self->view : "data");
  g_key_file_set_int64 (file, GROUP, "run", self->run);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    (keys[i].flag ? g_key_file_set_boolean : g_key_file_set_integer) (file, GROUP, keys[i].key,
                                                                      G_STRUCT_MEMBER (int, self, keys[i].offset));
  g_key_file_set_double (file, GROUP, "tile-contrast", self->tile_contrast);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  for (guint i = 0; i < self->predicted->len; i++)
    {
      g_autofree char *uri = g_file_get_uri (self->predicted->pdata[i]);
      g_strv_builder_add (builder, uri);
    }
  g_auto (GStrv) uris = g_strv_builder_end (builder);
  set_file (file, "model", self->model);
  g_key_file_set_string_list (file, GROUP, "predicted", (const char *const *)uris, self->predicted->len);
  if (self->opacity >= 0)
    g_key_file_set_double (file, GROUP, "opacity", self->opacity);
  studio_state_save_session (file, now);
}
