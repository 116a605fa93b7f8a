/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/store/project.h"

#include <glib/gstdio.h>
#include <sys/stat.h>
#include <zip.h>

#include "core/base/base.h"
#include "core/store/private.h"

#define BLOCK (1 << 16)
#define MOST_MEMBERS 1000000
#define ROOM ((guint64)64 << 20) /* that remains free on the disk */

/* --- writing --- */

typedef struct
{
  const TosstProject *project;
  zip_t *zip;
  char *folder;     /* of temporary files, which the archive reads at its end */
  GString *listed;  /* additions.txt */
  GHashTable *done; /* names of members */
} Packing;

static gboolean
add (Packing *self, zip_source_t *source, const char *name, gboolean compress, GError **error)
{
  zip_int64_t index = source != NULL ? zip_file_add (self->zip, name, source, ZIP_FL_ENC_UTF_8) : -1;

  if (index < 0 && source != NULL)
    zip_source_free (source);
  if (index < 0
      || zip_set_file_compression (self->zip, (zip_uint64_t)index, compress ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0) != 0)
    return tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s cannot be put into the project: %s"), name,
                       zip_strerror (self->zip));
  return TRUE;
}

static gboolean
add_text (Packing *self, const char *text, const char *name, GError **error)
{
  return add (self, zip_source_buffer (self->zip, g_strdup (text), strlen (text), 1), name, TRUE, error);
}

static gboolean
add_file (Packing *self, const char *path, const char *name, gboolean compress, GError **error)
{
  return add (self, zip_source_file (self->zip, path, 0, -1), name, compress, error);
}

/* Adds an image of dataset.additions where it is outside of the folder of the data set. */
static gboolean
add_image (Packing *self, guint image, GFile *folder, GError **error)
{
  TosstDataset *dataset = self->project->dataset;
  GFile *file = tosst_dataset_image_file (dataset, image);
  g_autofree char *relative = file != NULL ? g_file_get_relative_path (folder, file) : NULL, *name = NULL;

  if (file == NULL)
    return TRUE; /* a copy of another image */
  if (relative != NULL)
    name = g_strconcat ("images/", relative, NULL);
  else
    {
      g_autofree char *base = g_file_get_basename (file);

      name = g_strdup_printf ("additions/%u/%s", image, base);
      g_string_append_printf (
          self->listed, "%s\t%s\n",
          tosst_dataset_class_name (dataset, (guint)tosst_dataset_image (dataset, image)->class_index), name);
    }
  if (!g_utf8_validate (name, -1, NULL) || strchr (name, '\n') != NULL)
    {
      g_autofree char *shown = g_file_get_parse_name (file);

      return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s: a project cannot contain this name"), shown);
    }
  if (!g_hash_table_add (self->done, g_strdup (name)))
    return TRUE;
  return add_file (self, g_file_peek_path (file), name, FALSE, error);
}

static gboolean
add_images (Packing *self, TosstRecipe *recipe, GError **error)
{
  g_autoptr (GFile) folder = g_file_new_for_path (recipe->dataset.path);

  for (guint i = 0; i < self->project->dataset->entries->len; i++)
    if (!add_image (self, i, folder, error))
      return FALSE;
  tosst_recipe_set (recipe, "dataset.path", "images", NULL);
  tosst_recipe_set (recipe, "dataset.additions", self->listed->len > 0 ? "additions.txt" : "", NULL);
  return self->listed->len == 0 || add_text (self, self->listed->str, "additions.txt", error);
}

/* Copies the finished runs on a data set into a new store. *n: their number. */
static gboolean
extract (TosstStore *self, const char *path, TosstDataset *dataset, guint *n, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  if (!tosst_store_copy_to (self, path, SQLITE_OPEN_CREATE))
    return tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s: the runs cannot be copied"), self->name);
  g_autoptr (TosstStore) copy = tosst_store_open (file, TOSST_STORE_WRITE, error);
  g_autoptr (GPtrArray) runs = copy != NULL && tosst_store_renew_hashes (copy, dataset, error)
                                   ? tosst_store_list (copy, NULL, NULL, error)
                                   : NULL;
  for (guint i = *n = 0; runs != NULL && i < runs->len; i++)
    {
      const TosstStoreRun *run = runs->pdata[i];

      if (run->state == TOSST_RUN_DONE && g_strcmp0 (run->data, dataset->fingerprint) == 0)
        ++*n;
      else if (!tosst_store_do (copy, error, "UPDATE runs SET state = 'stopped' WHERE id = ? AND state = 'running'",
                                "i", run->id)
               || !tosst_store_delete (copy, run->id, error))
        return FALSE;
    }
  return runs != NULL;
}

/* Missing and empty stores are left out. */
static gboolean
add_runs (Packing *self, GError **error)
{
  g_autofree char *path = g_build_filename (self->folder, "runs.sqlite", NULL);
  guint runs = 0;

  if (self->project->store == NULL || !g_file_query_exists (self->project->store, NULL))
    return TRUE;
  g_autoptr (TosstStore) store = tosst_store_open (self->project->store, TOSST_STORE_READ, error);
  if (store == NULL || !extract (store, path, self->project->dataset, &runs, error))
    return FALSE;
  return runs == 0 || add_file (self, path, "runs.sqlite", TRUE, error);
}

static gboolean
add_model (Packing *self, GError **error)
{
  g_autofree char *path = g_build_filename (self->folder, "model.npz", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  return self->project->model == NULL
         || (tosst_model_save (self->project->model, file, error) && add_file (self, path, "model.npz", TRUE, error));
}

static gboolean
pack (Packing *self, GError **error)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_copy (self->project->recipe);

  if (self->project->images && !add_images (self, recipe, error))
    return FALSE;
  g_autofree char *text = tosst_recipe_to_text (recipe, TRUE);
  return add_text (self, text, "recipe.tosst", error) && add_runs (self, error) && add_model (self, error);
}

gboolean
tosst_project_takes_images (const TosstRecipe *recipe, TosstDataset *dataset)
{
  return recipe->dataset.kind == TOSST_DATASET_FOLDERS && dataset->entries->len > 0
         && tosst_dataset_image_file (dataset, 0) != NULL;
}

gboolean
tosst_project_save (const TosstProject *project, GFile *file, GError **error)
{
  g_autoptr (TosstAtomicFile) target = tosst_atomic_file_open_named (file, error);
  Packing self = { .project = project };
  int cause;

  if (target == NULL)
    return FALSE;
  self.folder = g_dir_make_tmp ("tosst-project-XXXXXX", error);
  if (self.folder == NULL)
    return FALSE;
  self.listed = g_string_new (NULL);
  self.done = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self.zip = zip_open (tosst_atomic_file_temporary_path (target), ZIP_CREATE | ZIP_TRUNCATE, &cause);
  gboolean ok = self.zip != NULL || tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("the project cannot be written"));
  ok = ok && pack (&self, error);
  if (ok && zip_close (self.zip) != 0)
    ok = tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("the project cannot be written: %s"), zip_strerror (self.zip));
  else if (ok)
    self.zip = NULL;
  if (self.zip != NULL)
    zip_discard (self.zip);
  tosst_remove_tree (self.folder);
  g_free (self.folder);
  g_string_free (self.listed, TRUE);
  g_hash_table_unref (self.done);
  return ok && tosst_atomic_file_commit (target, error);
}

/* --- reading --- */

/* A member that a project has; others are left alone. Names lead nowhere else. */
static gboolean
is_member (const char *name)
{
  static const char *const files[] = { "recipe.tosst", "runs.sqlite", "model.npz", "additions.txt", NULL };
  g_auto (GStrv) parts = g_strsplit (name, "/", -1);
  gboolean safe = parts[0] != NULL && parts[1] != NULL;

  for (guint i = 0; parts[i] != NULL; i++)
    safe = safe && *parts[i] != '\0' && !g_str_equal (parts[i], ".") && !g_str_equal (parts[i], "..")
           && strchr (parts[i], '\\') == NULL;
  return g_strv_contains (files, name)
         || (safe && (g_str_equal (parts[0], "images") || g_str_equal (parts[0], "additions")));
}

static gboolean
fail (GFile *file, const char *why, GError **error)
{
  g_autofree char *name = g_file_get_parse_name (file);

  return tosst_fail (error, TOSST_FAILED_INPUT, "%s: %s", name, why);
}

/* Reads no more than the size that the archive states, which was compared with the disk. */
static gboolean
unpack_member (zip_t *zip, zip_uint64_t index, zip_uint64_t size, const char *path, GFile *file, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path), *block = g_malloc (BLOCK);
  g_autoptr (GFile) to = g_file_new_for_path (path);
  zip_int64_t n = 0;
  zip_uint64_t done = 0;

  g_mkdir_with_parents (folder, 0700); /* creating the file fails with a sentence where this does */
  g_autoptr (GFileOutputStream) stream = g_file_create (to, G_FILE_CREATE_PRIVATE, NULL, error);
  if (stream == NULL)
    return FALSE;
  zip_file_t *member = zip_fopen_index (zip, index, 0);
  while (member != NULL && done <= size && (n = zip_fread (member, block, BLOCK)) > 0)
    {
      done += (zip_uint64_t)n;
      if (done > size || !g_output_stream_write_all (G_OUTPUT_STREAM (stream), block, (gsize)n, NULL, NULL, error))
        break;
    }
  if (member != NULL && zip_fclose (member) != 0)
    n = -1;
  if (member == NULL || n < 0 || done != size)
    {
      if (error == NULL || *error == NULL) /* writing has a sentence of its own */
        fail (file, _ ("the project is damaged"), error);
      return FALSE;
    }
  return g_output_stream_close (G_OUTPUT_STREAM (stream), NULL, error);
}

static gboolean
has_room (const char *folder, guint64 bytes, GError **error)
{
  g_autoptr (GFile) place = g_file_new_for_path (folder);
  g_autoptr (GFileInfo) info = g_file_query_filesystem_info (place, G_FILE_ATTRIBUTE_FILESYSTEM_FREE, NULL, NULL);
  guint64 there
      = info != NULL ? g_file_info_get_attribute_uint64 (info, G_FILE_ATTRIBUTE_FILESYSTEM_FREE) : G_MAXUINT64;

  if (bytes < there && there - bytes > ROOM)
    return TRUE;
  g_autofree char *much = g_format_size (bytes), *available = g_format_size (there);
  return tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("the project needs %s of the disk and %s are free"), much,
                     available);
}

static gboolean
unpack_all (zip_t *zip, const char *folder, GFile *file, GError **error)
{
  zip_int64_t n = zip_get_num_entries (zip, 0);
  guint64 bytes = 0;
  zip_stat_t stat;

  if (n > MOST_MEMBERS || zip_name_locate (zip, "recipe.tosst", 0) < 0)
    return fail (file, _ ("is not a project of TOSST Studio"), error);
  for (int pass = 0; pass < 2; pass++)
    for (zip_int64_t i = 0; i < n; i++)
      {
        if (zip_stat_index (zip, (zip_uint64_t)i, 0, &stat) != 0 || !(stat.valid & ZIP_STAT_SIZE)
            || stat.size > G_MAXUINT64 / MOST_MEMBERS / 2)
          return fail (file, _ ("the project is damaged"), error);
        if (!is_member (stat.name))
          continue;
        g_autofree char *path = g_build_filename (folder, stat.name, NULL);
        bytes += stat.size;
        if (pass == 1 && !unpack_member (zip, (zip_uint64_t)i, stat.size, path, file, error))
          return FALSE;
        if (pass == 0 && i == n - 1 && !has_room (folder, bytes, error))
          return FALSE;
      }
  return TRUE;
}

/* The paths of its own images are those of the folder. */
static gboolean
set_paths (const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "recipe.tosst", NULL),
                  *images = g_build_filename (folder, "images", NULL),
                  *additions = g_build_filename (folder, "additions.txt", NULL), *text = NULL;
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (TosstRecipe) recipe = tosst_recipe_load (file, error);

  if (recipe == NULL)
    return FALSE;
  if (g_file_test (images, G_FILE_TEST_IS_DIR) && !tosst_recipe_set (recipe, "dataset.path", images, error))
    return FALSE;
  if (g_file_test (additions, G_FILE_TEST_EXISTS) && !tosst_recipe_set (recipe, "dataset.additions", additions, error))
    return FALSE;
  text = tosst_recipe_to_text (recipe, TRUE);
  return tosst_atomic_write (file, text, strlen (text), error);
}

GFile *
tosst_project_unpack (GFile *file, GFile *parent, GError **error)
{
  g_autofree char *base = g_file_get_basename (file), *folder = NULL;
  const char *path = g_file_peek_path (file), *above = g_file_peek_path (parent);
  int cause = 0;

  if (g_str_has_suffix (base, TOSST_PROJECT_SUFFIX))
    base[strlen (base) - strlen (TOSST_PROJECT_SUFFIX)] = '\0';
  zip_t *zip = path != NULL ? zip_open (path, ZIP_RDONLY, &cause) : NULL;
  if (zip == NULL)
    return fail (file, cause == ZIP_ER_NOZIP ? _ ("is not a project of TOSST Studio") : _ ("cannot be read"), error),
           NULL;
  g_mkdir_with_parents (above, 0700); /* creating the next one fails with a sentence where this does */
  for (guint i = 1; folder == NULL; i++)
    {
      g_autofree char *name = i > 1 ? g_strdup_printf ("%s-%u", base, i) : g_strdup (base);

      folder = g_build_filename (above, name, NULL);
      if (g_mkdir (folder, 0700) == 0)
        break;
      if (!g_file_test (folder, G_FILE_TEST_EXISTS))
        {
          zip_discard (zip);
          return tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s: the folder cannot be created: %s"), folder,
                             g_strerror (errno)),
                 NULL;
        }
      g_clear_pointer (&folder, g_free);
    }
  gboolean ok = unpack_all (zip, folder, file, error);
  zip_discard (zip);
  ok = ok && set_paths (folder, error);
  if (!ok)
    tosst_remove_tree (folder);
  return ok ? g_file_new_for_path (folder) : NULL;
}
