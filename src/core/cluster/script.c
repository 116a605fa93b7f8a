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

#include "core/base/text.h"
#include "core/cluster/job.h"

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
                          tosst_job_warning (job->seconds));
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
                          "  ,1) ;; # an error that would be repeated\n"
                          "  ,*) [ \"${SLURM_RESTART_COUNT:-0}\" -ge %d ] || again=yes ;; # a process was lost\n"
                          "esac\n"
                          "[ -z \"$again\" ] || scontrol requeue \"$SLURM_JOB_ID\"\n"
                          "exit \"$status\"\n",
                          RETRIES);
  return g_string_free (script, FALSE);
}
