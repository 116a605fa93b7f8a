/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Limits on memory of the control groups of a process, from folders as the kernel shows them.
 */
#include "config.h"

#include <glib/gstdio.h>

#include "core/base/machine.h"

#define MB ((gsize)1 << 20)

static void
write_number (const char *root, const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (root, folder, NULL), *file = g_build_filename (path, name, NULL);

  g_assert_cmpint (g_mkdir_with_parents (path, 0700), ==, 0);
  g_assert_true (g_file_set_contents (file, text, -1, NULL));
}

/* The job of a scheduler has the limit, the step of the process and all others have none. */
static void
test_job (void)
{
  g_autofree char *root = g_dir_make_tmp ("tosst-groups-XXXXXX", NULL);
  g_autofree char *remove = g_strdup_printf ("rm -r '%s'", root);

  write_number (root, "system.slice", "memory.max", "max\n");
  write_number (root, "system.slice/job_7", "memory.max", "1048576000\n");
  write_number (root, "system.slice/job_7", "memory.current", "104857600\n");
  write_number (root, "system.slice/job_7/step_0/task_0", "memory.max", "max\n");
  g_assert_cmpuint (tosst_memory_of_groups ("0::/system.slice/job_7/step_0/task_0\n", root, 9999 * MB, TRUE), ==,
                    900 * MB);
  g_assert_cmpuint (tosst_memory_of_groups ("0::/system.slice/job_7/step_0/task_0\n", root, 10 * MB, TRUE), ==,
                    10 * MB);
  g_assert_cmpuint (tosst_memory_of_groups ("0::/system.slice/job_8\n", root, 9999 * MB, TRUE), ==, 9999 * MB);
  g_assert_cmpuint (tosst_memory_of_groups ("0::/../job_7\n", root, 9999 * MB, TRUE), ==, 9999 * MB);
  /* Nothing is left. */
  write_number (root, "system.slice/job_7", "memory.current", "1048580000\n");
  g_assert_cmpuint (tosst_memory_of_groups ("0::/system.slice/job_7/step_0\n", root, 9999 * MB, TRUE), ==, 0);
  /* In a container the limit is at the root. */
  write_number (root, "", "memory.max", "2097152\n");
  g_assert_cmpuint (tosst_memory_of_groups ("", root, 9999 * MB, TRUE), ==, 2 * MB);
  g_assert_cmpuint (tosst_memory_of_groups ("0::/\n", root, 9999 * MB, TRUE), ==, 2 * MB);
  g_assert_cmpint (g_spawn_command_line_sync (remove, NULL, NULL, NULL, NULL), ==, TRUE);
}

/* The older form of control groups has a tree for each resource. */
static void
test_older (void)
{
  g_autofree char *root = g_dir_make_tmp ("tosst-groups-XXXXXX", NULL);
  g_autofree char *remove = g_strdup_printf ("rm -r '%s'", root);
  const char *groups = "5:cpuset:/slurm/uid_0/job_7\n4:memory:/slurm/uid_0/job_7/step_0\n";

  write_number (root, "memory", "memory.limit_in_bytes", "9223372036854771712\n");
  write_number (root, "memory/slurm/uid_0/job_7", "memory.limit_in_bytes", "524288000\n");
  write_number (root, "memory/slurm/uid_0/job_7", "memory.usage_in_bytes", "104857600\n");
  g_assert_cmpuint (tosst_memory_of_groups (groups, root, 9999 * MB, TRUE), ==, 400 * MB);
  g_assert_cmpuint (tosst_memory_of_groups (groups, root, 9999 * MB, FALSE), ==, 500 * MB);
  g_assert_cmpint (g_spawn_command_line_sync (remove, NULL, NULL, NULL, NULL), ==, TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/memory/job", test_job);
  g_test_add_func ("/memory/older", test_older);
  return g_test_run ();
}
