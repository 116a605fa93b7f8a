/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/ranks/processes.h"

#include <dlfcn.h>

#include "core/base/base.h"

#define MODULE "tosst-mpi.so"
#define TEXT 128

/* Variables of Open MPI, of MPICH and its relatives, and of a step of Slurm; a batch script of Slurm is not a step. */
static const char *const sizes[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS" };
static const char *const numbers[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID" };

static int
look_up (const char *const *names, int otherwise)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      const char *text = g_getenv (names[i]);

      if (text != NULL && g_getenv (sizes[i]) != NULL)
        return (int)CLAMP (g_ascii_strtoll (text, NULL, 10), 0, G_MAXINT);
    }
  return otherwise;
}

int
tosst_launched_tasks (void)
{
  return MAX (1, look_up (sizes, 1));
}

int
tosst_launched_rank (void)
{
  return look_up (numbers, 0);
}

/* Libraries that MPI loads itself use its symbols. */
static gpointer
open_module (void)
{
  const char *folder = g_getenv ("TOSST_MODULES");
  g_autofree char *program = folder == NULL ? g_file_read_link ("/proc/self/exe", NULL) : NULL;
  g_autofree char *place = program != NULL ? g_path_get_dirname (program) : NULL;
  /* In a build folder, beside the program. */
  g_autofree char *beside = place != NULL ? g_build_filename (place, "..", "mpi", MODULE, NULL) : NULL;
  g_autofree char *path = beside != NULL && g_file_test (beside, G_FILE_TEST_EXISTS)
                              ? g_steal_pointer (&beside)
                              : g_build_filename (folder != NULL ? folder : MODULE_DIR, MODULE, NULL);

  return dlopen (path, RTLD_NOW | RTLD_GLOBAL);
}

TosstProcesses *
tosst_processes_join (bool (*is_cancelled) (void), GError **error)
{
  TosstRanksJoin join = NULL;

  if (tosst_launched_tasks () == 1)
    return NULL;
  gpointer module = open_module ();
  if (module != NULL)
    join = (TosstRanksJoin)(gsize)dlsym (module, TOSST_RANKS_JOIN);
  if (join == NULL)
    {
      tosst_fail (
          error, TOSST_FAILED_INPUT,
          _ ("the launcher started %d processes, and the module %s that connects them cannot be loaded (TOSST_MODULES "
             "names its folder): %s"),
          tosst_launched_tasks (), MODULE, dlerror ());
      return NULL;
    }
  TosstProcesses *self = join (is_cancelled);
  if (self == NULL)
    tosst_fail (error, TOSST_FAILED_INPUT, _ ("MPI could not be started"));
  if (self == NULL || self->ranks.size > 1)
    return self;
  tosst_processes_leave (self);
  tosst_fail (error, TOSST_FAILED_INPUT,
              _ ("the launcher started %d processes that do not know each other: it belongs to another MPI library"),
              tosst_launched_tasks ());
  return NULL;
}

void
tosst_processes_leave (TosstProcesses *self)
{
  if (self == NULL || self->ranks.lost)
    return;
  TosstRanksLeave leave = (TosstRanksLeave)(gsize)dlsym (open_module (), TOSST_RANKS_LEAVE);
  leave (self);
}

char *
tosst_processes_library (void)
{
  gpointer module = open_module ();
  char text[256] = "";
  TosstRanksLibrary library = module != NULL ? (TosstRanksLibrary)(gsize)dlsym (module, TOSST_RANKS_LIBRARY) : NULL;

  if (library == NULL)
    return NULL;
  library (text, sizeof text);
  return g_strdup (text);
}

gboolean
tosst_processes_check_same (TosstRanks *ranks, const char *text, GError **error)
{
  g_autofree char *all = g_malloc0 ((gsize)ranks->size * TEXT);

  g_strlcpy (all + (gsize)ranks->rank * TEXT, text, TEXT);
  tosst_ranks_start (ranks);
  TosstStatus status = tosst_ranks_gather (ranks, TOSST_OK, all, TEXT, 1, (gsize)ranks->size);
  if (status != TOSST_OK)
    return tosst_fail (error, TOSST_FAILED_CANCELLED, _ ("interrupted"));
  for (int r = 1; r < ranks->size; r++)
    if (strcmp (all, all + (gsize)r * TEXT) != 0)
      return tosst_fail (error, TOSST_FAILED_INPUT,
                         _ ("rank %d runs with %s, rank 0 with %s: all need the same number of threads, version and "
                            "kind of processor (or the same OPENBLAS_CORETYPE)"),
                         r, all + (gsize)r * TEXT, all);
  return TRUE;
}

/* Bytes of each process to process 0, or to all. */
static GPtrArray *
send_bytes (TosstRanks *ranks, GBytes *own, gboolean to_all, TosstStatus *status)
{
  g_autofree gsize *bytes = g_new0 (gsize, (gsize)ranks->size);
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  g_autofree TosstMessage *in = g_new0 (TosstMessage, (gsize)ranks->size);
  g_autofree TosstMessage *out = g_new0 (TosstMessage, (gsize)ranks->size);
  gboolean receives = to_all || ranks->rank == 0;
  int ins = 0, outs = 0;

  bytes[ranks->rank] = g_bytes_get_size (own);
  *status = tosst_ranks_gather (ranks, TOSST_OK, bytes, sizeof *bytes, 1, (gsize)ranks->size);
  if (*status != TOSST_OK)
    return NULL;
  for (int r = 0; r < ranks->size; r++)
    {
      gboolean is_own = r == ranks->rank;

      if (!is_own && (to_all || r == 0))
        out[outs++] = (TosstMessage){ r, (gpointer)g_bytes_get_data (own, NULL), g_bytes_get_size (own) };
      if (!is_own && receives)
        in[ins++] = (TosstMessage){ r, g_malloc (MAX (bytes[r], 1)), bytes[r] };
      if (receives)
        g_ptr_array_add (parts, is_own ? g_bytes_ref (own) : g_bytes_new_take (in[ins - 1].data, bytes[r]));
    }
  *status = tosst_ranks_transfer (ranks, out, outs, in, ins);
  return receives && *status == TOSST_OK ? g_steal_pointer (&parts) : NULL;
}

GPtrArray *
tosst_processes_collect (TosstRanks *ranks, GBytes *own, TosstStatus *status)
{
  return send_bytes (ranks, own, FALSE, status);
}

GPtrArray *
tosst_processes_exchange (TosstRanks *ranks, GBytes *own, TosstStatus *status)
{
  return send_bytes (ranks, own, TRUE, status);
}
