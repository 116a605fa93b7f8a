/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Scripts of tosst cluster: what they ask for, what they refuse, and what they do where no Slurm is. */

#include <string.h>

#include "harness.h"

#define RECIPE "[dictionary]\natoms=20\niterations=5\ntolerance=0\n[dataset]\nsplits=1\n"

/* mpirun and scontrol of a test: they tell what they were called with. */
#define TOOLS                                                                                                          \
  "mkdir -p bin && printf '#!/bin/sh\\necho \"mpirun $*\" >>said\\nwhile [ \"$1\" != \"$T\" ]; do shift; done\\nexec " \
  "\"$@\"\\n' >bin/mpirun && printf '#!/bin/sh\\necho \"scontrol $*\" >>said\\n' >bin/scontrol && chmod +x bin/*; "    \
  "export PATH=\"$PWD/bin:$PATH\" SLURM_JOB_ID=7 SLURM_CPUS_ON_NODE=2; "

static void
write_inputs (Shell *shell)
{
  shell_write (shell, "my recipe's.tosst", RECIPE, strlen (RECIPE));
  shell_write_tensors (shell, "T.npy", TOSST_NPY_FLOAT32, 60, 35, 0.5);
}

static char *
read_script (Shell *shell, const char *name)
{
  g_autoptr (GBytes) bytes = shell_read (shell, name);
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);

  return g_strndup (text, size);
}

static void
test_directives (Shell *shell, gconstpointer data)
{
  static const char *const lines[]
      = { "#SBATCH --job-name=my_recipe_s\n", "#SBATCH --nodes=4\n", "#SBATCH --ntasks-per-node=2\n",
          "#SBATCH --cpus-per-task=8\n",      "#SBATCH --mem=",      "#SBATCH --time=1-12:00:00\n",
          "#SBATCH --partition=long\n",       "#SBATCH --requeue\n", "#SBATCH --open-mode=append\n",
          "#SBATCH --signal=B:USR1@300\n",    "mpirun -n 8 ",        "--account=ours\n" };
  g_autofree char *script = NULL;

  write_inputs (shell);
  shell_expect_done (shell, "cluster \"my recipe's.tosst\" --tensors T.npy --nodes 4 --ranks-per-node 2 --threads 8 "
                            "--time 1-12 --partition long --account ours --seed 3 -o job.sh");
  g_assert_nonnull (strstr (shell->output, "4 × 2 processes"));
  script = read_script (shell, "job.sh");
  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    if (!strstr (script, lines[i]))
      g_error ("no %s in %s", lines[i], script);
  g_assert_nonnull (strstr (script, "--set 'dictionary.seed=3'"));
  /* The directives stand before the first command, where Slurm reads them. */
  g_assert_true (g_strrstr (script, "#SBATCH") < strstr (script, "tosst='"));
  g_assert_cmpint (shell_script (shell, "bash -n job.sh"), ==, 0);
  if (shell_script (shell, "command -v shellcheck") == 0 && shell_script (shell, "shellcheck job.sh") != 0)
    g_error ("%s", shell->output);
}

/* The memory is that which learning states, for each of so many processes. */
static void
test_memory (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) job = NULL, report = NULL;
  double stated, asked;

  write_inputs (shell);
  shell_expect_done (shell, "cluster \"my recipe's.tosst\" --tensors T.npy --threads 2 --time 5 -o job.sh --json");
  job = shell_said (shell);
  shell_expect_done (shell, "learn T.npy -o D.npz --recipe \"my recipe's.tosst\" --threads 2 --report r.json");
  report = shell_read_json (shell, "r.json");
  stated = json_object_get_double_member (report, "memory_stated_mb");
  asked = json_object_get_double_member (job, "memory_rank_mb");
  /* The job's includes the tensors. */
  g_assert_cmpfloat (asked, >=, stated);
  g_assert_cmpfloat (asked, <=, stated + 60 * 35 * 4e-6 + 1e-6);
  g_assert_cmpfloat (json_object_get_double_member (job, "memory_node_mb"), >=, asked);
}

/* The script learns, goes on where it was stopped, and has the bits of an undisturbed command. */
static void
test_learns (Shell *shell, gconstpointer data)
{
  write_inputs (shell);
  shell_expect_done (shell, "learn T.npy -o alone.npz --recipe \"my recipe's.tosst\" --threads 1 --trace alone.csv");
  g_assert_cmpint (
      shell_script (shell,
                    "\"$T\" cluster \"my recipe's.tosst\" --tensors T.npy --dictionary \"it's D.npz\" --threads 1 "
                    "--time 5 -o job.sh --program \"$T\" && grep -q mpirun job.sh"),
      ==, 0);
  g_assert_cmpint (shell_script (shell, TOOLS "bash job.sh && test ! -e said"), ==, 0);
  g_assert_cmpint (shell_script (shell,
                                 "unzip -p alone.npz B.npy >a; unzip -p \"it's D.npz\" B.npy >b; cmp a b || "
                                 "{ \"$T\" export alone.npz -o a.csv && \"$T\" export \"it's D.npz\" -o b.csv && "
                                 "cmp a.csv b.csv; }"),
                   ==, 0);
  /* It has finished: a further job, as one that is queued again in its last second, leaves the dictionary as it is. */
  g_assert_cmpint (shell_script (shell, TOOLS "cp \"it's D.npz\" before; bash job.sh && test ! -e said && "
                                              "cmp \"it's D.npz\" before"),
                   ==, 0);
  /* Written for an existing dictionary only if that is meant. */
  shell_expect_failure (shell,
                        "cluster \"my recipe's.tosst\" --tensors T.npy --dictionary \"it's D.npz\" --time 5 -o x.sh", 1,
                        "--resume");
  g_assert_false (shell_exists (shell, "x.sh"));
  shell_expect_done (shell,
                     "cluster \"my recipe's.tosst\" --tensors T.npy --dictionary \"it's D.npz\" --time 5 -o x.sh "
                     "--resume");
}

/* Signals to the script only, to all, and none but a killed command: the dictionary is there, and the job is queued again
 * after the end of its time and after a loss, but not after it was cancelled. */
static void
test_signals (Shell *shell, gconstpointer data)
{
  static const struct
  {
    const char *signal;
    gboolean again;
  } cases[] = { { "kill -s USR1 $job", TRUE },
                { "kill -s TERM $job", FALSE },
                { "kill -s TERM $job $(pgrep -P $job)", FALSE },
                { "kill -s KILL $(pgrep -P $job)", TRUE },
                { "export SLURM_RESTART_COUNT=5; kill -s KILL $(pgrep -P $job)", TRUE } };

  write_inputs (shell);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *line = g_strdup_printf (
          TOOLS
          "rm -f D.npz* said; \"$T\" cluster \"my recipe's.tosst\" --tensors T.npy --dictionary D.npz --set "
          "dictionary.iterations=100000 --threads 1 --time 5 -o job.sh --program \"$T\" -q && sed -i 's/--output/"
          "--checkpoint 0.01 &/' job.sh && { bash job.sh & job=$!; while [ ! -e D.npz.checkpoint ]; do kill -0 $job "
          "|| exit 9; sleep 0.02; done; %s; wait $job; status=$?; [ $status -gt 2 ] && "
          "if [ -e D.npz ] || [ -e D.npz.checkpoint ]; then cat said; true; fi; }",
          cases[i].signal);
      int status = shell_script (shell, line);

      if (status != 0)
        g_error ("%s: %d, %s%s", cases[i].signal, status, shell->output, shell->errors);
      g_assert_true ((strstr (shell->output, "scontrol requeue 7") != NULL) == cases[i].again);
    }

  /* A program that is not there, or cannot be started, is not there at another try either. */
  int status = shell_script (
      shell,
      TOOLS "rm -f said; \"$T\" cluster \"my recipe's.tosst\" --tensors T.npy --dictionary D.npz --threads 1 --time "
            "5 -o job.sh --program ./none -q; bash job.sh; [ $? = 127 ] || exit 9; touch none; bash job.sh; [ $? "
            "= 126 ] || exit 8; touch said; cat said");

  g_assert_cmpint (status, ==, 0);
  g_assert_null (strstr (shell->output, "requeue"));
}

/* A run of a store, which a second job does not repeat. */
static void
test_sweeps (Shell *shell, gconstpointer data)
{
  const char *recipe = "[descriptor]\nkind=linear\nstep=40\n[dataset]\nsplits=1\n[dictionary]\niterations=2\n[sweep]\n"
                       "dictionary.atoms=10;20\n";

  shell_write (shell, "s.tosst", recipe, strlen (recipe));
  shell_expect_failure (shell, "cluster s.tosst --run classify --time 5 -o job.sh", 2, "only --run sweep");
  g_assert_cmpint (
      shell_script (shell, "\"$T\" cluster s.tosst --threads 1 --time 5 -o job.sh --program \"$T\" -w w.sqlite"), ==,
      0);
  g_assert_nonnull (strstr (shell->output, "tosst sweep"));
  for (int i = 0; i < 2; i++)
    g_assert_cmpint (shell_script (shell, TOOLS "bash job.sh"), ==, 0);
  shell_expect_done (shell, "runs w.sqlite --json -f state=done");
  g_assert_cmpint (shell_script (shell,
                                 "test $(\"$T\" runs w.sqlite --csv - | tail -n +2 | wc -l) = 2 || "
                                 "{ \"$T\" runs w.sqlite --csv r.csv && test $(tail -n +2 r.csv | wc -l) = 2; }"),
                   ==, 0);
}

static void
test_errors (Shell *shell, gconstpointer data)
{
  static const struct
  {
    const char *words;
    int status;
    const char *fragment;
  } cases[] = {
    { "r.tosst -o job.sh", 2, "--time" },
    { "r.tosst --time 5", 2, "--output" },
    { "r.tosst --time soon -o job.sh", 2, "soon" },
    { "r.tosst --time 0 -o job.sh", 2, "time limit" },
    { "r.tosst --time 1:2:3:4 -o job.sh", 2, "1:2:3:4" },
    { "r.tosst --time 1- -o job.sh", 2, "1-" },
    { "r.tosst --time 99999-0 -o job.sh", 2, "99999-0" },
    { "r.tosst --time 5 --nodes 0 -o job.sh", 2, "--nodes" },
    { "r.tosst --time 5 --ranks-per-node x -o job.sh", 2, "--ranks-per-node" },
    { "r.tosst --time 5 --partition 'a b' -o job.sh", 2, "a b" },
    { "r.tosst --time 5 --account '' -o job.sh", 2, "account" },
    { "r.tosst --time 5 --run dance -o job.sh", 2, "dance" },
    { "r.tosst --time 5 --run learn -o job.sh", 2, "--tensors" },
    { "r.tosst --time 5 --set dictionary.atoms=x -o job.sh", 2, "dictionary.atoms" },
    { "r.tosst --time 5 --tensors T.npy --workspace w.sqlite -o job.sh", 2, "--workspace" },
    { "r.tosst --time 5 --tensors T.npy -o T.npy", 2, "same file" },
    { "r.tosst --time 5 --tensors T.npy -o r.npz", 2, "job writes" },
    { "r.tosst --time 5 --tensors none.npy -o job.sh", 1, "none.npy" },
    { "r.tosst --time 5 --tensors T.npy --nodes 61 -o job.sh", 1, "more ranks than tensors" },
    { "r.tosst --time 5 --tensors T.npy --nodes 2 --set dictionary.solver=pqn -o job.sh", 1, "solver" },
    { "r.tosst --time 5 --tensors T.npy -o none/job.sh", 1, "none" },
    { "none.tosst --time 5 -o job.sh", 1, "none.tosst" },
    { ". --time 5 -o job.sh", 2, "recipe" },
  };

  shell_write (shell, "r.tosst", RECIPE, strlen (RECIPE));
  shell_write_tensors (shell, "T.npy", TOSST_NPY_FLOAT32, 60, 35, 0.5);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *line = g_strconcat ("cluster ", cases[i].words, NULL);

      shell_expect_failure (shell, line, cases[i].status, cases[i].fragment);
      g_assert_false (shell_exists (shell, "job.sh"));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) g_test_add ("/cluster/" path, Shell, NULL, shell_set_up, function, shell_tear_down)
  ADD ("directives", test_directives);
  ADD ("memory", test_memory);
  ADD ("learns", test_learns);
  ADD ("signals", test_signals);
  ADD ("sweeps", test_sweeps);
  ADD ("errors", test_errors);
#undef ADD
  return g_test_run ();
}
