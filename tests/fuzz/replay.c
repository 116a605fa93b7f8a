/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * replay FOLDER...: every target takes the files that are in the folder of its name in each of these; no fuzzer is needed.
 */
#include "targets.h"

static char **folders;

typedef void (*Target) (const guint8 *data, gsize size);

static const struct
{
  const char *name;
  Target target;
} targets[] = {
#define ROW(name) { #name, fuzz_##name },
  FUZZ_TARGETS (ROW)
#undef ROW
};

static guint
replay_folder (const char *path, Target target)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  guint files = 0;

  for (; dir && (name = g_dir_read_name (dir)); files++)
    {
      g_autofree char *file = g_build_filename (path, name, NULL), *data = NULL;
      gsize size;

      g_assert_true (g_file_get_contents (file, &data, &size, NULL));
      g_test_message ("%s", file);
      target ((const guint8 *)data, size);
    }
  return files;
}

static void
replay (gconstpointer i)
{
  guint files = 0;

  for (char **folder = folders; *folder; folder++)
    {
      g_autofree char *path = g_build_filename (*folder, targets[GPOINTER_TO_SIZE (i)].name, NULL);

      files += replay_folder (path, targets[GPOINTER_TO_SIZE (i)].target);
    }
  g_assert_cmpuint (files, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  folders = argv + 1;
  for (gsize i = 0; i < G_N_ELEMENTS (targets); i++)
    {
      g_autofree char *path = g_strdup_printf ("/replay/%s", targets[i].name);

      g_test_add_data_func (path, GSIZE_TO_POINTER (i), replay);
    }
  return g_test_run ();
}
