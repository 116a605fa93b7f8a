/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "cli/ranks.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/base/base.h"
#include "core/base/input-file.h"

static TosstProcesses *joined;
static gboolean leaves; /* by cli_ranks_leave() */

static gboolean speaks;     /* instead of rank 0 */
static gboolean has_agreed; /* to stop: rank 0 saves, and no process was lost */

/* SIGUSR1 leaves the others the time to finish what they write. */
static bool
is_cancelled (void)
{
  gboolean is_patient = has_agreed || !cli_interrupt_is_urgent ();

  joined->patience = is_patient ? TOSST_RANKS_SAVING : TOSST_RANKS_PATIENCE;
  return cli_interrupted ();
}

TosstRanks *
cli_ranks (void)
{
  return joined ? &joined->ranks : NULL;
}

static gboolean
fail_elsewhere (GError **error)
{
  return tosst_fail (error, TOSST_FAILED_CANCELLED, _ ("another process of the job has ended"));
}

/* Digits of a sum that are compared. */
#define SUM 32

/* Larger files are compared by that many blocks, evenly spread from the first to the last, and their length. */
#define WHOLE_BYTES ((gsize)256 << 20)
#define BLOCK ((gsize)1 << 20)

/* The sum of a file; new, NULL: there is none. */
static char *
sum_of_file (const char *path)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree guint8 *block = g_malloc (BLOCK);
  struct stat info;
  int file = tosst_input_open_path (path, &info);
  gsize size = file >= 0 ? (gsize)info.st_size : 0, blocks = (MIN (size, WHOLE_BYTES) + BLOCK - 1) / BLOCK;
  gboolean ok = file >= 0;

  for (gsize i = 0; ok && i < blocks; i++)
    {
      gsize at = size <= WHOLE_BYTES ? i * BLOCK : (gsize)((double)(size - BLOCK) * (double)i / (double)(blocks - 1)),
            bytes = MIN (BLOCK, size - at);

      ok = tosst_file_transfer (file, FALSE, (char *)block, bytes, at);
      g_checksum_update (checksum, block, (gssize)bytes);
    }
  g_checksum_update (checksum, (const guchar *)&size, sizeof size);
  if (file >= 0)
    close (file);
  return ok ? g_strdup (g_checksum_get_string (checksum)) : NULL;
}

/* Whether all ranks have the same n contents, by sums (hex digits, or NULL of what is missing); names are for the sentence on the
 * first that differs. Collective; TRUE for a process alone. */
static gboolean
check_contents (const char *const *names, const char *const *sums, guint n, GError **error)
{
  TosstRanks *ranks = cli_ranks ();
  g_autoptr (GChecksum) whole = g_checksum_new (G_CHECKSUM_SHA256);
  gsize size = ranks ? (gsize)ranks->size : 0, one = (gsize)n * SUM;
  g_autofree char *digests = g_malloc0 (size * SUM + 1), *own = NULL, *all = NULL;
  g_autofree guint *counts = g_new0 (guint, size + 1);

  if (!ranks)
    return TRUE;
  own = g_malloc0 (one + 1);
  for (guint i = 0; i < n; i++)
    memcpy (own + (gsize)i * SUM, sums[i] ? sums[i] : "missing", sums[i] ? SUM : strlen ("missing"));
  g_checksum_update (whole, (const guchar *)own, (gssize)one);
  counts[ranks->rank] = n;
  memcpy (digests + (gsize)ranks->rank * SUM, g_checksum_get_string (whole), SUM);
  tosst_ranks_start (ranks);
  if (tosst_ranks_gather (ranks, TOSST_OK, counts, sizeof *counts, 1, size) != TOSST_OK
      || tosst_ranks_gather (ranks, TOSST_OK, digests, SUM, 1, size) != TOSST_OK)
    return fail_elsewhere (error);
  for (gsize r = 1; r < size; r++)
    if (counts[r] != counts[0])
      return tosst_fail (error, TOSST_FAILED_INPUT,
                         _ ("rank %d reads %u files or images, rank 0 %u: all need the same"), (int)r, counts[r],
                         counts[0]);
  for (gsize r = 1; r < size && !all; r++)
    if (memcmp (digests, digests + r * SUM, SUM) != 0)
      all = g_malloc0 (size * one + 1);
  if (!all)
    return TRUE;
  memcpy (all + (gsize)ranks->rank * one, own, one);
  if (tosst_ranks_gather (ranks, TOSST_OK, all, one, 1, size) != TOSST_OK)
    return fail_elsewhere (error);
  for (gsize r = 1; r < size; r++)
    for (guint i = 0; i < n; i++)
      if (memcmp (all + (gsize)i * SUM, all + r * one + (gsize)i * SUM, SUM) != 0)
        return tosst_fail (error, TOSST_FAILED_INPUT,
                           _ ("%s is another file for rank %d than for rank 0: all need the same"), names[i], (int)r);
  return TRUE;
}

gboolean
cli_ranks_check_images (TosstDataset *dataset, GError **error)
{
  guint n = dataset->entries->len;
  g_autofree const char **names = g_new0 (const char *, n + 1), **sums = g_new0 (const char *, n + 1);

  for (guint i = 0; i < n; i++)
    {
      const char *sum = tosst_dataset_image_sum (dataset, i);

      names[i] = tosst_dataset_image (dataset, i)->name;
      sums[i] = *sum ? sum : NULL;
    }
  return check_contents (names, sums, n, error);
}

/* The files that the command line names to be read. */
static gboolean
check_inputs (CliCall *call, const CliCommand *command, GError **error)
{
  static const char *const all[] = { "recipe", NULL }, *const coding[] = { "recipe", "dictionary", NULL },
                           *const models[] = { "recipe", "model", NULL };
  const char *const *options = command == &cli_code                                  ? coding
                               : command == &cli_describe || command == &cli_predict ? models
                                                                                     : all;
  g_autoptr (GPtrArray) names = g_ptr_array_new (), sums = g_ptr_array_new_with_free_func (g_free);

  for (; *options; options++)
    if (cli_call_value (call, *options))
      g_ptr_array_add (names, (gpointer)cli_call_value (call, *options));
  /* The recipe of a sweep is read by rank 0 alone. */
  for (guint i = 0; command != &cli_sweep && i < call->operands; i++)
    g_ptr_array_add (names, (gpointer)call->operand[i]);
  for (guint i = 0; i < names->len; i++)
    g_ptr_array_add (sums, sum_of_file (names->pdata[i]));
  return check_contents ((const char *const *)names->pdata, (const char *const *)sums->pdata, names->len, error);
}

gboolean
cli_ranks_join (CliCall *call, const CliCommand *command, GError **error)
{
  GError *cause = NULL;

  /* A process of doctor that measures another kernel. */
  if (cli_call_flag (call, "products"))
    return TRUE;
  cli_interrupt_silence (tosst_launched_rank () > 0);
  if (tosst_launched_tasks () > 1 && !command->in_ranks)
    return tosst_fail (error, TOSST_FAILED_INPUT,
                       _ ("the command is not divided over processes: start it without mpirun or srun"));
  joined = tosst_processes_join (is_cancelled, &cause);
  if (cause)
    return tosst_pass_error (error, &cause);
  if (joined)
    cli_call_share_processors (call, joined->node_size);
  return !joined || check_inputs (call, command, error);
}

void
cli_ranks_speak (void)
{
  speaks = TRUE;
}

const TosstProcesses *
cli_processes (void)
{
  return joined;
}

gboolean
cli_is_writer (void)
{
  return tosst_launched_rank () == 0;
}

gsize
cli_ranks_share (gsize n, gsize *first)
{
  gsize rank = joined ? (gsize)joined->ranks.rank : 0, size = joined ? (gsize)joined->ranks.size : 1;

  *first = n * rank / size;
  return n * (rank + 1) / size - *first;
}

gboolean
cli_ranks_check_same (CliCall *call, GError **error)
{
  g_autofree char *blas = tosst_machine_blas (), *text = NULL;

  if (!joined)
    return TRUE;
  text = g_strdup_printf ("tosst " PACKAGE_VERSION ", %s, --threads %d", blas, call->threads);
  return tosst_processes_check_same (&joined->ranks, text, error);
}

gboolean
cli_ranks_open (GFile *file, TosstNpyType type, int ndim, const gsize *shape, TosstNpyWriter **writer, GError **error)
{
  *writer = NULL;
  if (cli_is_writer ())
    *writer = tosst_npy_writer_new (file, type, ndim, shape, error);
  return *writer || !cli_is_writer ();
}

GBytes *
cli_ranks_share_bytes (GBytes *own, GError **error)
{
  guint64 bytes = own ? g_bytes_get_size (own) : 0;

  tosst_ranks_start (&joined->ranks);
  if (tosst_ranks_broadcast (&joined->ranks, TOSST_OK, 0, &bytes, sizeof bytes) != TOSST_OK)
    return fail_elsewhere (error), NULL;
  g_autofree char *data = own ? g_memdup2 (g_bytes_get_data (own, NULL), bytes) : g_malloc0 (bytes);
  if (bytes > 0 && tosst_ranks_broadcast (&joined->ranks, TOSST_OK, 0, data, bytes) != TOSST_OK)
    return fail_elsewhere (error), NULL;
  return g_bytes_new_take (g_steal_pointer (&data), bytes);
}

gboolean
cli_ranks_spread (GBytes **items, gsize n, gboolean ok, GError **error)
{
  TosstRanks *ranks = cli_ranks ();
  g_autofree guint64 *bytes = g_new0 (guint64, n + 1);
  gsize size = ranks ? (gsize)ranks->size : 1;

  if (!ranks)
    return ok;
  for (gsize i = (gsize)ranks->rank; ok && i < n; i += size)
    bytes[i] = g_bytes_get_size (items[i]);
  tosst_ranks_start (ranks);
  TosstStatus status = tosst_ranks_gather (ranks, ok ? TOSST_OK : TOSST_ERROR_ARGUMENT, bytes, sizeof *bytes, 1, n);
  for (gsize i = 0; i < n && status == TOSST_OK; i++)
    {
      int root = (int)(i % size);
      gpointer data
          = root == ranks->rank ? g_memdup2 (g_bytes_get_data (items[i], NULL), bytes[i]) : g_malloc0 (bytes[i]);

      status = tosst_ranks_broadcast (ranks, TOSST_OK, root, data, bytes[i]);
      g_clear_pointer (&items[i], g_bytes_unref);
      items[i] = g_bytes_new_take (data, bytes[i]);
    }
  return ok && (status == TOSST_OK || fail_elsewhere (error));
}

/* Rows of each rank on rank 0, NULL on others; FALSE with an error. */
static gboolean
collect (gconstpointer rows, gsize n, gsize bytes, GPtrArray **parts, GError **error)
{
  g_autoptr (GBytes) own = g_bytes_new_static (rows, n * bytes);
  TosstStatus status;

  *parts = tosst_processes_collect (&joined->ranks, own, &status);
  return status == TOSST_OK || fail_elsewhere (error);
}

gboolean
cli_ranks_write (TosstNpyWriter *writer, gconstpointer rows, gsize n, gsize bytes, GError **error)
{
  g_autoptr (GPtrArray) parts = NULL;

  if (!joined)
    return n == 0 || tosst_npy_writer_rows (writer, rows, n, error);
  if (!collect (rows, n, bytes, &parts, error))
    return FALSE;
  for (guint r = 0; parts && r < parts->len; r++)
    {
      gsize size;
      gconstpointer data = g_bytes_get_data (g_ptr_array_index (parts, r), &size);

      if (size > 0 && !tosst_npy_writer_rows (writer, data, size / bytes, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
cli_ranks_copy (gpointer *end, gconstpointer rows, gsize n, gsize bytes, GError **error)
{
  g_autoptr (GPtrArray) parts = NULL;

  if (!collect (rows, n, bytes, &parts, error))
    return FALSE;
  for (guint r = 0; parts && r < parts->len; r++)
    {
      gsize size;
      gconstpointer data = g_bytes_get_data (g_ptr_array_index (parts, r), &size);

      if (size > 0)
        memcpy (*end, data, size);
      *end = (char *)*end + size;
    }
  return TRUE;
}

gboolean
cli_ranks_keep (TosstNpyWriter *writer, GError **error)
{
  return !writer || tosst_npy_writer_keep (writer, error);
}

gboolean
cli_ranks_sum (double *values, gsize n, GError **error)
{
  return tosst_ranks_sum (cli_ranks (), TOSST_OK, values, n) == TOSST_OK || fail_elsewhere (error);
}

gboolean
cli_ranks_max (double *value, GError **error)
{
  TosstRanks *ranks = cli_ranks ();
  g_autofree double *all = ranks ? g_new0 (double, ranks->size) : NULL;

  if (!ranks)
    return TRUE;
  all[ranks->rank] = *value;
  if (tosst_ranks_gather (ranks, TOSST_OK, all, sizeof *all, 1, (gsize)ranks->size) != TOSST_OK)
    return fail_elsewhere (error);
  for (int r = 0; r < ranks->size; r++)
    *value = MAX (*value, all[r]);
  return TRUE;
}

/* Its own error, not that another rank failed: the first rank with one prints it. */
static gboolean
is_first (TosstRanks *ranks, gboolean has_error)
{
  g_autofree gboolean *errors = g_new0 (gboolean, ranks->size);

  errors[ranks->rank] = has_error;
  tosst_ranks_start (ranks);
  if (tosst_ranks_gather (ranks, TOSST_OK, errors, sizeof *errors, 1, (gsize)ranks->size) != TOSST_OK)
    return ranks->rank == 0;
  for (int r = 0; r < ranks->rank; r++)
    if (errors[r])
      return FALSE;
  return has_error;
}

gboolean
cli_ranks_finish (gboolean ok, gboolean *prints)
{
  TosstRanks *ranks = cli_ranks ();

  *prints = !ok && (ranks || cli_is_writer ());
  if (!ranks)
    return ok;
  if (ok && ranks->lost)
    {
      *prints = FALSE;
      return TRUE;
    }
  gboolean own = !ok && !ranks->elsewhere;
  has_agreed = !ranks->lost;
  cli_interrupt_hold (has_agreed);
  if (!ranks->stopped && tosst_ranks_agree (ranks, ok ? TOSST_OK : TOSST_ERROR_ARGUMENT) == TOSST_OK)
    {
      leaves = TRUE;
      return TRUE;
    }
  own = own || (!ok && !ranks->elsewhere);
  *prints = ranks->lost ? ranks->rank == 0 || speaks : is_first (ranks, own);
  leaves = TRUE;
  return FALSE;
}

void
cli_ranks_leave (void)
{
  if (leaves)
    tosst_processes_leave (joined);
  leaves = FALSE;
}

/* What one rank has sent and used. */
typedef struct
{
  double messages, bytes, seconds, peak;
} Counts;

void
cli_ranks_report (JsonObject *object)
{
  TosstRanks *ranks = cli_ranks ();
  static const char *const names[] = { "messages", "bytes_sent", "seconds_exchanging", "peak_memory_mb" };

  if (!ranks)
    return;
  g_autofree Counts *counts = g_new0 (Counts, ranks->size);
  counts[ranks->rank]
      = (Counts){ (double)ranks->messages, (double)ranks->bytes, ranks->seconds, tosst_memory_peak_mb () };
  if (tosst_ranks_gather (ranks, TOSST_OK, counts, sizeof *counts, 1, (gsize)ranks->size) != TOSST_OK)
    return;
  json_object_set_int_member (object, "ranks", ranks->size);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      JsonArray *values = json_array_new ();

      for (int r = 0; r < ranks->size; r++)
        json_array_add_double_element (values, ((const double *)&counts[r])[i]);
      json_object_set_array_member (object, names[i], values);
    }
}
