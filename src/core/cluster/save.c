/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A job as two files: its script, and the recipe that this reads.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/atomic-file.h"
#include "core/base/error.h"
#include "core/cluster/job.h"

/* The same job may be written again, for more nodes or another time. */
static gboolean
save_recipe (GFile *file, const char *text, GError **error)
{
  g_autofree char *present = NULL, *name = g_file_get_parse_name (file);

  if (!g_file_query_exists (file, NULL))
    return tosst_atomic_write (file, text, strlen (text), error);
  if (g_file_load_contents (file, NULL, &present, NULL, NULL, NULL) && strcmp (present, text) == 0)
    return TRUE;
  return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s is another recipe: choose another name for the script"), name);
}

gboolean
tosst_job_save (const TosstJob *job, const char *recipe, GFile *script, GError **error)
{
  g_autoptr (GFile) folder = g_file_get_parent (script), file = NULL;
  g_autofree char *base = g_file_get_basename (script), *name = NULL, *text = NULL;
  const char *dot = strrchr (base, '.');
  int stem = dot != NULL && dot != base ? (int)(dot - base) : (int)strlen (base);
  TosstJob named = *job;

  name = g_strdup_printf ("%.*s.tosst", stem, base);
  file = g_file_get_child (folder, name);
  if (g_file_equal (file, script))
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s is the name of the recipe: choose another one for the script"),
                       name);
  named.recipe = name;
  text = tosst_job_script (&named);
  return save_recipe (file, recipe, error) && tosst_atomic_write (script, text, strlen (text), error);
}
