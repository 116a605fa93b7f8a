/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "harness.h"
#include "core/base/atomic-file.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include <glib/gstdio.h>

#include "core/data/textures.h"
#include "core/image/probe.h"

void
shell_set_up (Shell *shell, gconstpointer data)
{
  shell->folder = g_dir_make_tmp ("tosst cli XXXXXX", NULL);
  g_assert_nonnull (shell->folder);
}

void
shell_tear_down (Shell *shell, gconstpointer data)
{
  tosst_remove_tree (shell->folder);
  g_free (shell->folder);
  g_free (shell->output);
  g_free (shell->errors);
}

int
shell_tosst (Shell *shell, const char *line)
{
  g_autofree char *whole = g_strdup_printf ("'%s' %s", TOSST_PROGRAM, line);
  g_auto (GStrv) argv = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  g_clear_pointer (&shell->output, g_free);
  g_clear_pointer (&shell->errors, g_free);
  g_assert_true (g_shell_parse_argv (whole, NULL, &argv, NULL));
  g_spawn_sync (shell->folder, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &shell->output, &shell->errors, &status,
                &error);
  g_assert_no_error (error);
  g_assert_true (WIFEXITED (status));
  shell->status = WEXITSTATUS (status);
  return shell->status;
}

int
shell_script (Shell *shell, const char *script)
{
  g_autofree char *whole = g_strdup_printf ("T='%s'; %s", TOSST_PROGRAM, script);
  const char *argv[] = { "sh", "-c", whole, NULL };
  int status;

  g_clear_pointer (&shell->output, g_free);
  g_clear_pointer (&shell->errors, g_free);
  g_assert_true (g_spawn_sync (shell->folder, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &shell->output,
                               &shell->errors, &status, NULL));
  g_assert_true (WIFEXITED (status));
  return WEXITSTATUS (status);
}

void
shell_expect_done (Shell *shell, const char *line)
{
  if (shell_tosst (shell, line) != 0 || shell->errors[0])
    g_error ("tosst %s: status %d, %s", line, shell->status, shell->errors);
}

void
shell_expect_failure (Shell *shell, const char *line, int status, const char *fragment)
{
  const char *newline;

  if (shell_tosst (shell, line) != status)
    g_error ("tosst %s: status %d, not %d: %s", line, shell->status, status, shell->errors);
  newline = strchr (shell->errors, '\n');
  if (!g_str_has_prefix (shell->errors, "tosst: ") || !strstr (shell->errors + 7, ": ") || !newline || newline[1])
    g_error ("tosst %s: not one line “tosst: what: why”: %s", line, shell->errors);
  if (!strstr (shell->errors, fragment))
    g_error ("tosst %s: “%s” is not in: %s", line, fragment, shell->errors);
}

char *
shell_path (Shell *shell, const char *name)
{
  return g_build_filename (shell->folder, name, NULL);
}

GFile *
shell_file (Shell *shell, const char *name)
{
  g_autofree char *path = shell_path (shell, name);

  return g_file_new_for_path (path);
}

gboolean
shell_exists (Shell *shell, const char *name)
{
  g_autofree char *path = shell_path (shell, name);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

GBytes *
shell_read (Shell *shell, const char *name)
{
  g_autoptr (GFile) file = shell_file (shell, name);
  g_autoptr (GError) error = NULL;
  GBytes *bytes = g_file_load_bytes (file, NULL, NULL, &error);

  g_assert_no_error (error);
  return bytes;
}

void
shell_write (Shell *shell, const char *name, gconstpointer data, gsize size)
{
  g_autofree char *path = shell_path (shell, name);

  g_assert_true (g_file_set_contents (path, data, size, NULL));
}

void
shell_write_texture (Shell *shell, const char *name, guint texture, guint variant)
{
  g_autoptr (TosstImage) image = tosst_textures_render (texture, variant, TRUE);
  g_autoptr (GFile) file = shell_file (shell, name);

  g_assert_true (tosst_image_write_png (image, file, NULL));
}

TosstNpy *
shell_read_array (Shell *shell, const char *name)
{
  g_autoptr (GFile) file = shell_file (shell, name);
  g_autoptr (GError) error = NULL;
  TosstNpy *array = tosst_npy_read (file, &error);

  g_assert_no_error (error);
  return array;
}

static JsonObject *
parse_json (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = json_from_string (text, &error);

  g_assert_no_error (error);
  return json_node_dup_object (root);
}

JsonObject *
shell_read_json (Shell *shell, const char *name)
{
  g_autoptr (GBytes) bytes = shell_read (shell, name);
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));

  return parse_json (text);
}

JsonObject *
shell_said (Shell *shell)
{
  return parse_json (shell->output);
}

void
shell_expect_same_files (Shell *shell, const char *a, const char *b)
{
  g_autoptr (GBytes) x = shell_read (shell, a), y = shell_read (shell, b);

  g_assert_true (g_bytes_equal (x, y));
}

void
shell_write_tensors (Shell *shell, const char *name, TosstNpyType type, gsize n, gsize m, double last)
{
  g_autoptr (GFile) file = shell_file (shell, name);
  g_autoptr (TosstNpy) array = tosst_npy_new (type, 2, (gsize[]){ n, m });

  for (gsize i = 0; i < array->count; i++)
    {
      double value = i + 1 < array->count ? 0.1 + 0.4 * sin (i * i) : last;

      if (type == TOSST_NPY_FLOAT32)
        ((float *)array->data)[i] = (float)value;
      else
        ((double *)array->data)[i] = value;
    }
  g_assert_true (tosst_npy_write (array, file, NULL));
}

/* Whether the process has a handler for the signal, or has ended. */
static gboolean
catches (const char *process, int signal_number)
{
  g_autofree char *path = g_build_filename ("/proc", process, "status", NULL), *text = NULL;
  const char *caught;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return TRUE;
  caught = strstr (text, "SigCgt:");
  return !caught || g_ascii_strtoull (caught + strlen ("SigCgt:"), NULL, 16) >> (signal_number - 1) & 1;
}

void
shell_wait_for_handler (GSubprocess *process, int number)
{
  for (int i = 0; i < SHELL_LOOKS; i++)
    {
      const char *identifier = g_subprocess_get_identifier (process);

      if (identifier == NULL || catches (identifier, number))
        return;
      g_usleep (10000);
    }
}

static void
stop (Shell *shell, const char *line, int number, int times, double seconds)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_PIPE | G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_autoptr (GSubprocess) process = NULL;
  g_autofree char *whole = g_strdup_printf ("'%s' %s", TOSST_PROGRAM, line), *errors = NULL;
  g_auto (GStrv) argv = NULL;
  const char *newline;

  g_assert_true (g_shell_parse_argv (whole, NULL, &argv, NULL));
  g_subprocess_launcher_set_cwd (launcher, shell->folder);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *)argv, NULL);
  shell_wait_for_handler (process, number);
  g_usleep ((gulong)(seconds * G_USEC_PER_SEC));
  for (int i = 0; i < times; i++)
    g_subprocess_send_signal (process, number);
  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, NULL, &errors, NULL));
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 130);
  g_assert_nonnull (strstr (errors, ": interrupted"));
  g_assert_true (strstr (errors, "run the same command again") || strstr (errors, "--resume"));
  newline = strchr (errors, '\n');
  g_assert_true (newline && newline[1] == '\0');
}

void
shell_interrupt (Shell *shell, const char *line, double seconds)
{
  stop (shell, line, SIGINT, 1, seconds);
}

void
shell_hang_up (Shell *shell, const char *line, double seconds)
{
  stop (shell, line, SIGHUP, 2, seconds);
}
