/* SPDX-License-Identifier: GPL-3.0-or-later */

#define _GNU_SOURCE
#include "config.h"

#include "cli/doctor-ranks.h"

#include <glib/gi18n.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "cli/ranks.h"
#include "core/base/error.h"

/* Where a process is. */
typedef struct
{
  char host[64];
  int allowed, processors; /* processors that it may use, and all of its machine */
  int threads;
  cpu_set_t set; /* those that it may use */
} Place;

/* "0-3,8", new. */
static char *
list_of (const cpu_set_t *set)
{
  GString *text = g_string_new (NULL);

  for (int first = 0, last; first < CPU_SETSIZE; first = last + 1)
    {
      last = first;
      if (!CPU_ISSET (first, set))
        continue;
      while (last + 1 < CPU_SETSIZE && CPU_ISSET (last + 1, set))
        last++;
      g_string_append_printf (text, last > first ? "%s%d-%d" : "%s%d", text->len ? "," : "", first, last);
    }
  return g_string_free (text, FALSE);
}

/* What started this process, or NULL. */
static const char *
launcher_of (void)
{
  if (g_getenv ("OMPI_COMM_WORLD_SIZE") != NULL)
    return g_getenv ("SLURM_JOB_ID") ? "mpirun, Slurm" : "mpirun";
  if (g_getenv ("PMI_SIZE") != NULL)
    return g_getenv ("SLURM_JOB_ID") ? "mpiexec, Slurm" : "mpiexec";
  return g_getenv ("SLURM_STEP_NUM_TASKS") ? "srun" : NULL;
}

/* Warns once for each machine whose processes have more threads than the processors that they may use together: they are
 * too many, or bound to the same ones. */
static void
warn_of_sharing (const Place *place, int n, int r, GPtrArray *warnings)
{
  int ranks = 0, threads = 0, allowed;
  cpu_set_t all;

  CPU_ZERO (&all);

  for (int i = 0; i < n; i++)
    if (strcmp (place[i].host, place[r].host) == 0)
      {
        if (i < r)
          return;
        ranks++;
        threads += place[i].threads;
        CPU_OR (&all, &all, &place[i].set);
      }
  allowed = CPU_COUNT (&all);
  if (threads <= allowed)
    return;
  g_ptr_array_add (
      warnings,
      allowed < place[r].processors
          ? g_strdup_printf (_ ("%s has %d processors, and its %d ranks of %d threads may use %d of them: give mpirun "
                                "--bind-to none, or fewer ranks"),
                             place[r].host, place[r].processors, ranks, threads, allowed)
          : g_strdup_printf (_ ("%s has %d processors for %d threads of %d ranks: fewer ranks, or a smaller --threads, "
                                "would be faster"),
                             place[r].host, place[r].processors, threads, ranks));
}

static void
add_place (const Place *place, int r, GString *text, JsonArray *array, GPtrArray *warnings)
{
  JsonObject *object = json_object_new ();
  g_autofree char *list = list_of (&place->set);

  json_object_set_string_member (object, "host", place->host);
  json_object_set_string_member (object, "bound_to", list);
  json_object_set_int_member (object, "processors", place->allowed);
  json_object_set_int_member (object, "threads", place->threads);
  json_array_add_object_element (array, object);
  g_string_append_printf (text, _ ("            rank %d on %s: %d of %d processors (%s), --threads %d\n"), r,
                          place->host, place->allowed, place->processors, list, place->threads);
  if (place->threads > place->allowed)
    g_ptr_array_add (warnings, g_strdup_printf (_ ("rank %d has %d threads and may use %d processors: give mpirun "
                                                   "--map-by slot:PE=%d, or srun --cpus-per-task=%d"),
                                                r, place->threads, place->allowed, place->threads, place->threads));
}

char *
doctor_describe_ranks (CliCall *call, JsonObject *object, GPtrArray *warnings, GError **error)
{
  TosstRanks *ranks = cli_ranks ();
  g_autofree char *library = ranks ? g_strdup (cli_processes ()->library) : tosst_processes_library ();
  GString *text = g_string_new (NULL);
  g_autofree Place *place = g_new0 (Place, ranks ? ranks->size : 1);
  JsonArray *array;

  json_object_set_string_member (object, "mpi", library ? library : "");
  json_object_set_int_member (object, "ranks", ranks ? ranks->size : 1);
  if (launcher_of ())
    json_object_set_string_member (object, "launcher", launcher_of ());
  if (!ranks)
    {
      if (library)
        g_string_append_printf (text, _ ("MPI:        %s; mpirun -n N starts N ranks\n"), library);
      else
        g_string_append (text, _ ("MPI:        not installed; runs on one machine need none\n"));
      return g_string_free (text, FALSE);
    }
  Place *own = &place[ranks->rank];
  g_strlcpy (own->host, g_get_host_name (), sizeof own->host);
  if (sched_getaffinity (0, sizeof own->set, &own->set) != 0)
    CPU_ZERO (&own->set);
  own->allowed = CPU_COUNT (&own->set) > 0 ? CPU_COUNT (&own->set) : (int)g_get_num_processors ();
  own->processors = (int)sysconf (_SC_NPROCESSORS_ONLN);
  own->threads = cli_call_threads (call);
  if (tosst_ranks_gather (ranks, TOSST_OK, place, sizeof *place, 1, (gsize)ranks->size) != TOSST_OK)
    {
      g_string_free (text, TRUE);
      tosst_fail (error, TOSST_FAILED_CANCELLED, _ ("another process of the job has ended"));
      return NULL;
    }
  g_string_append_printf (text, _ ("MPI:        %s, %d ranks of %s\n"), library, ranks->size, launcher_of ());
  array = json_array_new ();
  for (int r = 0; r < ranks->size; r++)
    {
      add_place (&place[r], r, text, array, warnings);
      warn_of_sharing (place, ranks->size, r, warnings);
    }
  json_object_set_array_member (object, "places", array);
  return g_string_free (text, FALSE);
}
