/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the start of tosst-studio on the sample textures to its first painted frame. Target: 1 s. Needs a display and says
 * where there is none. TOSST_STUDIO names the program.
 */
#include <json-glib/json-glib.h>
#include <signal.h>

#include <glib/gstdio.h>

#include "bench.h"

#define RUNS 5
#define WAIT 2 /* seconds from the start until the window is closed */

typedef struct
{
  GMainLoop *loop;
  GPid pid;
} Child;

static gboolean
terminate (gpointer data)
{
  Child *child = data;

  kill (child->pid, SIGTERM);
  return G_SOURCE_REMOVE;
}

static void
ended (GPid pid, int status, gpointer data)
{
  Child *child = data;

  g_spawn_close_pid (pid);
  g_main_loop_quit (child->loop);
}

/* Milliseconds from here to the first frame; a negative number where there was none. */
static double
open_once (const char *program, const char *file, double *work)
{
  g_auto (GStrv) environment = g_environ_setenv (g_get_environ (), "TOSST_STUDIO_MEASURE", file, TRUE);
  char *argv[] = { (char *)program, "--samples", NULL };
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  Child child = { .loop = g_main_loop_new (NULL, FALSE) };
  gint64 start = g_get_monotonic_time ();

  if (!g_spawn_async (NULL, argv, environment, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &child.pid, &error))
    g_error ("%s", error->message);
  g_child_watch_add (child.pid, ended, &child);
  guint timeout = g_timeout_add_seconds (WAIT, terminate, &child);
  g_main_loop_run (child.loop);
  g_main_loop_unref (child.loop);
  GSource *left = g_main_context_find_source_by_id (NULL, timeout);
  if (left != NULL)
    g_source_destroy (left);
  if (!json_parser_load_from_file (parser, file, NULL))
    return -1;
  JsonObject *object = json_node_get_object (json_parser_get_root (parser));
  if (json_object_get_null_member (object, "first_frame_at_ms"))
    return -1;
  *work = json_object_get_double_member (object, "longest_work_ms");
  return json_object_get_double_member (object, "first_frame_at_ms") - (double)start / 1e3;
}

int
main (void)
{
  const char *program = g_getenv ("TOSST_STUDIO");
  g_autofree char *folder = NULL, *file = NULL;
  double ms[RUNS], work[RUNS];

  if (program == NULL || (g_getenv ("DISPLAY") == NULL && g_getenv ("WAYLAND_DISPLAY") == NULL))
    {
      g_print ("there is no display, or TOSST_STUDIO does not name the program: nothing was measured\n");
      return 0;
    }
  folder = g_dir_make_tmp ("tosst-bench-XXXXXX", NULL);
  file = g_build_filename (folder, "measure.json", NULL);
  /* Nothing of an earlier session is opened, and nothing is left of this one. */
  g_setenv ("XDG_STATE_HOME", folder, TRUE);
  g_setenv ("XDG_DATA_HOME", folder, TRUE);
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_setenv ("XDG_CONFIG_HOME", folder, TRUE);
  for (int i = 0; i < RUNS; i++)
    {
      ms[i] = open_once (program, file, &work[i]);
      if (ms[i] < 0)
        g_error ("no frame was painted within %d s", WAIT);
      g_unlink (file);
    }
  g_print ("first frame on the sample textures: first start %.0f ms, ", ms[0]);
  double median = bench_median (ms, RUNS);
  g_print (
      "median of %d %.0f ms, worst %.0f ms, by the clock; longest work of the main thread later %.1f ms (median)\n",
      RUNS, median, ms[RUNS - 1], bench_median (work, RUNS));
  return 0;
}
