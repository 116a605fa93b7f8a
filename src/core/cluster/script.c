/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The text of a batch script. A job ends in one of these ways:
 *
 * - The command ends by itself: the job ends with its exit status.
 * - SIGUSR1, which --signal sends to the script before the time limit: the script passes it to mpirun, which forwards it
 *   to all processes, as it does not with SIGTERM. They save their state, and the job is queued again.
 * - SIGTERM of scancel, scontrol requeue or a preemption: the same, but whether the job is queued again is decided already.
 * - A process or a node is lost: the others save their state, and the job is queued again a few times.
 */
#include "config.h"

#include "core/base/base.h"
#include "core/cluster/job.h"
#include "core/format/npy.h"
#include "core/format/tensor-array.h"
#include "tosst/learn.h"

/* Memory beyond the estimate: a share, and what MPI and libraries take in each process. */
#define MEMORY_RESERVE 1.1
#define PROCESS_BYTES ((double)(256 << 20))

/* Time to save before the end: a share of the time limit, but not more than this many seconds. */
#define WARNING_SHARE 10
#define WARNING_MOST ((guint64)300)
#define WARNING_LEAST ((guint64)10)

/* Reads the next whole number of a time; FALSE: there is none. */
static gboolean
read_number (const char **text, guint64 *number)
{
  char *end;

  if (!g_ascii_isdigit (**text))
    return FALSE;
  *number = g_ascii_strtoull (*text, &end, 10);
  *text = end;
  return *number <= TOSST_JOB_MAX_SECONDS;
}

gboolean
tosst_job_parse_time (const char *text, guint64 *seconds, GError **error)
{
  const char *at = text;
  guint64 days = 0, part[3] = { 0 };
  gboolean has_days = strchr (text, '-') != NULL, is_valid = TRUE;
  int n = 0;

  if (has_days)
    {
      is_valid = read_number (&at, &days) && *at == '-';
      at += is_valid;
    }
  while (is_valid && n < 3)
    {
      is_valid = read_number (&at, &part[n++]);
      if (*at != ':')
        break;
      at++;
      is_valid = is_valid && n < 3;
    }
  /* One or two numbers are minutes and seconds; after days, hours and minutes. */
  if (!has_days && n < 3)
    *seconds = part[0] * 60 + part[1];
  else
    *seconds = days * 24 * 3600 + part[0] * 3600 + part[1] * 60 + part[2];
  if (is_valid && *at == '\0' && *seconds > 0 && *seconds <= TOSST_JOB_MAX_SECONDS)
    return TRUE;
  return tosst_fail (error, TOSST_FAILED_INPUT,
                     _ ("“%s” is no time limit: give minutes, hours:minutes:seconds or days-hours, as 90, 12:00:00 or "
                        "2-0"),
                     text);
}

static gboolean
check_number (const char *what, int number, int least, int most, GError **error)
{
  return (number >= least && number <= most)
         || tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s must be from %d to %d, not %d"), what, least, most, number);
}

/* Names of partitions and accounts stand in the script without quotes. */
static gboolean
check_word (const char *what, const char *word, GError **error)
{
  static const char allowed[] = G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_.,:/@+-";

  if (word == NULL || (*word != '\0' && *word != '-' && strspn (word, allowed) == strlen (word)))
    return TRUE;
  return tosst_fail (error, TOSST_FAILED_INPUT, _ ("“%s” is no name of %s"), word, what);
}

gboolean
tosst_job_check (const TosstJob *job, GError **error)
{
  return check_number (_ ("the number of nodes"), job->nodes, 1, TOSST_JOB_MAX_NODES, error)
         && check_number (_ ("the number of ranks a node"), job->ranks, 1, TOSST_JOB_MAX_RANKS, error)
         && check_number (_ ("the number of threads"), job->threads, 0, TOSST_JOB_MAX_THREADS, error)
         && check_word (_ ("a partition"), job->partition, error) && check_word (_ ("an account"), job->account, error);
}

guint64
tosst_job_node_memory (const TosstJob *job)
{
  if (job->memory == 0)
    return 0;
  return (guint64)(job->ranks * (MEMORY_RESERVE * (double)job->memory + PROCESS_BYTES));
}

/* Seconds after which mpirun kills the processes that it asked to end after the loss of another: time to write their state.
 * It waits twice as long before it ends. Slurm gives 30 by default. */
#define KILL_LEAST ((guint64)5)
#define KILL_MOST ((guint64)15)
#define BYTES_A_SECOND ((guint64)1 << 30)
/* How often a job that lost a process is queued again. */
#define RETRIES 5
#define NAME_LENGTH 40

/* Name of the job: of its recipe, in characters that need no quotes. */
static char *
name_of (const TosstJob *job)
{
  g_autofree char *base = g_path_get_basename (job->recipe);
  char *dot = strrchr (base, '.'), *name;

  if (dot != NULL && dot != base)
    *dot = '\0';
  name = g_strndup (base, NAME_LENGTH);
  return g_strcanon (name, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_.-", '_');
}

static void
append_directives (const TosstJob *job, GString *script)
{
  g_autofree char *name = name_of (job);
  guint64 memory = tosst_job_node_memory (job), s = job->seconds;
  const char *const values[][2] = { { "partition", job->partition }, { "account", job->account } };

  g_string_append_printf (script, "#SBATCH --job-name=%s\n#SBATCH --nodes=%d\n#SBATCH --ntasks-per-node=%d\n", name,
                          job->nodes, job->ranks);
  if (job->threads > 0)
    g_string_append_printf (script, "#SBATCH --cpus-per-task=%d\n", job->threads);
  else
    g_string_append (script, "#SBATCH --exclusive\n");
  if (memory > 0)
    g_string_append_printf (script, "#SBATCH --mem=%" G_GUINT64_FORMAT "M\n", (memory >> 20) + 1);
  g_string_append_printf (script,
                          "#SBATCH --time=%" G_GUINT64_FORMAT "-%02" G_GUINT64_FORMAT ":%02" G_GUINT64_FORMAT
                          ":%02" G_GUINT64_FORMAT "\n",
                          s / 86400, s / 3600 % 24, s / 60 % 60, s % 60);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    if (values[i][1] != NULL)
      g_string_append_printf (script, "#SBATCH --%s=%s\n", values[i][0], values[i][1]);
  g_string_append_printf (script,
                          "#SBATCH --output=%%x-%%j.log\n#SBATCH --open-mode=append\n#SBATCH --requeue\n"
                          "#SBATCH --signal=B:USR1@%" G_GUINT64_FORMAT "\n\n",
                          CLAMP (s / WARNING_SHARE, MIN (WARNING_LEAST, s / 2), WARNING_MOST));
}

/* Appends before, the word quoted for the shell, and after. A word that begins with a dash would be an option. */
static void
append_quoted (GString *script, const char *before, const char *word, const char *after)
{
  g_autofree char *path = *word == '-' ? g_strconcat ("./", word, NULL) : g_strdup (word);
  g_autofree char *quoted = g_shell_quote (path);

  g_string_append_printf (script, "%s%s%s", before, quoted, after);
}

static void
append_settings (const TosstJob *job, GString *script)
{
  for (guint i = 0; job->settings != NULL && job->settings[i] != NULL; i++)
    append_quoted (script, " --set ", job->settings[i], "");
}

/* The names that the rest of the script uses, and the array `task` of the command with its arguments. */
static void
append_command (const TosstJob *job, GString *script)
{
  append_quoted (script, "tosst=", job->program != NULL ? job->program : "tosst", "\n");
  if (job->threads > 0)
    g_string_append_printf (script, "threads=%d\n", job->threads);
  else
    g_string_append_printf (script, "threads=$((SLURM_CPUS_ON_NODE / %d))\n", job->ranks);
  append_quoted (script, "recipe=", job->recipe, "\n");
  if (job->kind != TOSST_JOB_LEARN)
    {
      append_quoted (script, "store=", job->output,
                     "\n\n# Finished runs and splits are in the store, and not repeated.\n");
      g_string_append_printf (script, "task=(%s \"$recipe\"", job->kind == TOSST_JOB_SWEEP ? "sweep" : "classify");
      append_settings (job, script);
      g_string_append (script, " --workspace \"$store\"");
      g_string_append (script, job->kind == TOSST_JOB_SWEEP ? " --resume)\n" : ")\n");
      return;
    }
  append_quoted (script, "tensors=", job->tensors, "\n");
  append_quoted (script, "dictionary=", job->output, "\n\n");
  g_string_append (script, "# A dictionary that is there, or its checkpoint, was left by a job that was stopped.\n"
                           "task=(learn \"$tensors\" --output \"$dictionary\")\n"
                           "if [ -e \"$dictionary\" ] || [ -e \"$dictionary.checkpoint\" ]; then\n"
                           "  task+=(--resume \"$dictionary\")\n"
                           "else\n"
                           "  task+=(--recipe \"$recipe\"");
  append_settings (job, script);
  g_string_append (script, ")\nfi\n");
}

/* One process needs no MPI. Several on a node each get processors of their own. */
static void
append_launch (const TosstJob *job, GString *script)
{
  if (job->nodes * job->ranks == 1)
    {
      g_string_append (script, "\n\"$tosst\" \"${task[@]}\" --threads \"$threads\" &\n");
      return;
    }
  g_string_append_printf (
      script, "\nmpirun -n %d --map-by \"ppr:%d:node%s --mca odls_base_sigkill_timeout %" G_GUINT64_FORMAT " \\\n",
      job->nodes * job->ranks, job->ranks, job->ranks > 1 ? ":PE=$threads\" --bind-to core" : "\" --bind-to none",
      CLAMP (job->memory / BYTES_A_SECOND, KILL_LEAST, KILL_MOST));
  g_string_append (script, "  \"$tosst\" \"${task[@]}\" --threads \"$threads\" &\n");
}

static const char handlers[]
    = "\n"
      "# SIGTERM: the job is cancelled or queued again by a user. SIGUSR1: its time is ending. After either the\n"
      "# command saves its state, which takes a signal that mpirun passes on.\n"
      "stopped=\n"
      "stop () { stopped=$1; [ -z \"${command:-}\" ] || kill -s USR1 \"$command\" 2>/dev/null; }\n"
      "trap 'stop cancelled' TERM\n"
      "trap 'stop late' USR1\n";

static const char waiting[] = "command=$!\n"
                              "[ -z \"$stopped\" ] || stop \"$stopped\"\n"
                              "\n"
                              "# A signal ends the wait, but not the command.\n"
                              "wait \"$command\"\n"
                              "status=$?\n"
                              "while kill -s 0 \"$command\" 2>/dev/null; do\n"
                              "  wait \"$command\"\n"
                              "  status=$?\n"
                              "done\n"
                              "\n"
                              "again=\n"
                              "case $stopped,$status in\n"
                              "  *,0 | *,2 | cancelled,*) ;;\n"
                              "  late,*) again=yes ;;\n";

char *
tosst_job_script (const TosstJob *job)
{
  static const char *const titles[] = { "Learns a dictionary", "Classifies a data set", "Executes a sweep" };
  g_autofree char *recipe = tosst_clean_line (job->recipe);
  GString *script = g_string_new ("#!/bin/bash\n");

  g_string_append_printf (script,
                          "# %s by %s on %d × %d processes.\n"
                          "# Written by TOSST Studio " PACKAGE_VERSION
                          ". Submit it with sbatch in the folder that the paths below start from;\n"
                          "# submitted again after it was stopped, it goes on.\n",
                          titles[job->kind], recipe, job->nodes, job->ranks);
  append_directives (job, script);
  append_command (job, script);
  g_string_append (script, handlers);
  append_launch (job, script);
  g_string_append (script, waiting);
  g_string_append_printf (script,
                          "  ,1 | ,126 | ,127) ;; # an error that would be repeated, or no such program\n"
                          "  ,*) [ \"${SLURM_RESTART_COUNT:-0}\" -ge %d ] || again=yes ;; # a process was lost\n"
                          "esac\n"
                          "[ -z \"$again\" ] || scontrol requeue \"$SLURM_JOB_ID\"\n"
                          "exit \"$status\"\n",
                          RETRIES);
  return g_string_free (script, FALSE);
}

/* A job as two files: its script, and the recipe that this reads. */

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

/* Shape of the tensors, and number of those that are learned from. */
static gboolean
look_at (GFile *file, const TosstRecipe *recipe, TosstShape *shape, gsize *n, GError **error)
{
  g_autoptr (TosstNpyRows) rows = tosst_npy_rows_open (file, error);
  g_autofree char *name = g_file_get_parse_name (file);

  if (rows == NULL)
    return FALSE;
  *n = tosst_npy_rows_count (rows);
  g_autoptr (TosstNpy) first = tosst_npy_rows_read (rows, 0, MIN (*n, 1), error);
  if (first == NULL || !tosst_tensor_array_prepare (first, name, shape, error))
    return FALSE;
  *n = MIN (*n, (gsize)recipe->dictionary.sample);
  if (recipe->dictionary.scheme == TOSST_SCHEME_FULL && shape->kind == TOSST_SHAPE_SUPER_SYMMETRIC)
    shape->kind = TOSST_SHAPE_WHOLE;
  return TRUE;
}

gboolean
tosst_job_learn_memory (const TosstRecipe *recipe, GFile *tensors, int processes, int threads, guint64 *bytes,
                        GError **error)
{
  TosstRanks ranks = { .size = processes };
  TosstLearnOptions options;
  TosstMinibatchOptions minibatch;
  TosstShape shape;
  gsize n;

  if (!look_at (tensors, recipe, &shape, &n, error))
    return FALSE;
  tosst_recipe_learn_options (recipe, &options);
  if (recipe->dictionary.rank <= 0)
    options.rank = MAX (1, shape.d1 / 2);
  const char *why = tosst_learn_options_check (&options, n, shape);
  if (why == NULL)
    why = tosst_learn_run_check (&(TosstLearnRun){ .ranks = processes > 1 ? &ranks : NULL }, &options, n, shape);
  if (why != NULL)
    return tosst_fail (error, TOSST_FAILED_RECIPE, "%s", why);
  TosstLayout *layout = tosst_layout_new_shape (shape);
  n = (n + (gsize)processes - 1) / (gsize)processes;
  *bytes = tosst_recipe_minibatch_options (recipe, &minibatch)
               ? tosst_minibatch_memory (layout, &options, &minibatch, processes > 1 ? processes : 0, threads)
               : tosst_learn_memory (layout, n, &options, processes > 1 ? processes : 0, threads)
                     + n * layout->m * sizeof (float);
  tosst_layout_free (layout);
  return TRUE;
}
