/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs of learning that end early, by a signal or by damage, and go on; and tensors read from disk in pieces.
 */
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <utime.h>

#include "core/dictionary/file.h"
#include "core/format/npy.h"
#include "harness.h"
#include "tosst/context.h"

#define SIDE 6
#define TENSORS 2000
#define LONG "--set dictionary.atoms=60 --set dictionary.iterations=100000 --set dictionary.tolerance=0 "
#define FEW "--set dictionary.atoms=20 --set dictionary.sample=160 --set dictionary.tolerance=0 "
#define BATCHES "--set dictionary.atoms=20 --set dictionary.minibatch=200 --set dictionary.tolerance=0 "

/* Means of products of random vectors; bad: NaN in the last row. */
static void
write_tensors (Shell *shell, const char *name, TosstNpyType type, guint64 seed, gboolean bad)
{
  g_autoptr (TosstNpy) array = tosst_npy_new (type, 2, (gsize[]){ TENSORS, SIDE * (SIDE + 1) * (SIDE + 2) / 6 });
  g_autoptr (GFile) file = shell_file (shell, name);
  g_autoptr (GError) error = NULL;
  TosstRandom random;
  gsize at = 0;

  tosst_random_init (&random, seed, 0);
  for (int n = 0; n < TENSORS; n++)
    {
      double x[9][SIDE];

      for (int pixel = 0; pixel < 9; pixel++)
        for (int i = 0; i < SIDE; i++)
          x[pixel][i] = tosst_random_uniform (&random) * (1 + (n + i) % 3);
      for (int i = 0; i < SIDE; i++)
        for (int j = i; j < SIDE; j++)
          for (int k = j; k < SIDE; k++, at++)
            {
              float sum = 0;

              for (int pixel = 0; pixel < 9; pixel++)
                sum += (float)(x[pixel][i] * x[pixel][j] * x[pixel][k] / 9);
              if (type == TOSST_NPY_FLOAT32)
                ((float *)array->data)[at] = sum;
              else
                ((double *)array->data)[at] = sum;
            }
    }
  if (bad && type == TOSST_NPY_FLOAT32)
    ((float *)array->data)[at - 1] = NAN;
  else if (bad)
    ((double *)array->data)[at - 1] = NAN;
  g_assert_true (tosst_npy_write (array, file, &error));
  g_assert_no_error (error);
}

static TosstDictionary *
load (Shell *shell, const char *name, TosstDictionaryMeta *meta)
{
  g_autoptr (GFile) file = shell_file (shell, name);
  g_autoptr (GError) error = NULL;
  TosstDictionary *dictionary = tosst_dictionary_load (file, meta, &error);

  g_assert_no_error (error);
  return dictionary;
}

/* Rows of a trace: iteration and objective of the first one. */
static gsize
read_trace (Shell *shell, const char *name, int *iteration, double *objective)
{
  g_autoptr (GBytes) bytes = shell_read (shell, name);
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_auto (GStrv) lines = g_strsplit (g_strchomp (text), "\n", -1), cells = g_strsplit (lines[1], ",", -1);

  *iteration = atoi (cells[0]);
  *objective = g_ascii_strtod (cells[2], NULL);
  return g_strv_length (lines) - 1;
}

static rlim_t file_limit; /* of the next command; 0: none */

static void
limit_files (gpointer data)
{
  struct rlimit limit;

  if (getrlimit (RLIMIT_FSIZE, &limit) == 0)
    {
      limit.rlim_cur = file_limit;
      setrlimit (RLIMIT_FSIZE, &limit);
    }
}

/* Starts a command, sends the signal once the file is there, and returns its standard error. */
static char *
signal_when (Shell *shell, const char *line, const char *name, int number)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_PIPE | G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_autofree char *whole = g_strdup_printf ("'%s' %s", TOSST_PROGRAM, line);
  g_autoptr (GSubprocess) process = NULL;
  g_auto (GStrv) argv = NULL;
  char *errors = NULL;

  g_assert_true (g_shell_parse_argv (whole, NULL, &argv, NULL));
  g_subprocess_launcher_set_cwd (launcher, shell->folder);
  if (file_limit > 0)
    g_subprocess_launcher_set_child_setup (launcher, limit_files, NULL, NULL);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *)argv, NULL);
  for (int i = 0; i < SHELL_LOOKS && !shell_exists (shell, name); i++)
    g_usleep (10000);
  g_assert_true (shell_exists (shell, name));
  g_subprocess_send_signal (process, number);
  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, NULL, &errors, NULL));
  return errors;
}

/* The trace is complete if learning resumes after an interrupt, and else begins at the resumed iteration. */
static void
assert_goes_on (Shell *shell, int done, double reached, gboolean whole)
{
  g_autofree char *line = g_strdup_printf ("learn T.npy -o D.npz --resume D.npz --trace t.csv --set "
                                           "dictionary.iterations=%d",
                                           done + 3);
  int iteration;
  double objective;

  shell_expect_done (shell, line);
  g_assert_cmpuint (read_trace (shell, "t.csv", &iteration, &objective), ==, whole ? done + 3 : 3);
  g_assert_cmpint (iteration, ==, whole ? 1 : done + 1);
  if (!whole)
    g_assert_cmpfloat (objective, <=, reached * (1 + 1e-6));
  g_assert_false (shell_exists (shell, "D.npz.checkpoint"));
}

static void
test_killed (Shell *shell, gconstpointer data)
{
  TosstDictionaryMeta meta;

  write_tensors (shell, "T.npy", TOSST_NPY_FLOAT32, 1, FALSE);
  g_free (signal_when (shell, "learn T.npy -o D.npz --checkpoint 0.05 " LONG, "D.npz.checkpoint", SIGKILL));
  g_assert_false (shell_exists (shell, "D.npz"));
  tosst_dictionary_free (load (shell, "D.npz.checkpoint", &meta));
  g_assert_cmpint (meta.iterations, >, 0);
  assert_goes_on (shell, meta.iterations, meta.objective, TRUE);
  tosst_dictionary_meta_clear (&meta);
  tosst_dictionary_free (load (shell, "D.npz", &meta));
  assert_goes_on (shell, meta.iterations, meta.objective, FALSE);
  tosst_dictionary_meta_clear (&meta);
}

static void
test_killed_in_batches (Shell *shell, gconstpointer data)
{
  TosstDictionaryMeta meta;
  g_autofree char *line = NULL;

  write_tensors (shell, "T.npy", TOSST_NPY_FLOAT64, 1, FALSE);
  g_free (signal_when (shell, "learn T.npy -o D.npz --checkpoint 0.02 --set dictionary.iterations=100000 " BATCHES,
                       "D.npz.checkpoint", SIGKILL));
  tosst_dictionary_free (load (shell, "D.npz.checkpoint", &meta));
  g_assert_cmpuint (meta.batches, >, 0);
  g_assert_nonnull (meta.fingerprint);
  line = g_strdup_printf ("learn T.npy -o D.npz --resume D.npz --evaluate --set dictionary.iterations=%d",
                          meta.iterations + 4);
  shell_expect_done (shell, line);
  g_assert_false (shell_exists (shell, "D.npz.checkpoint"));
  tosst_dictionary_meta_clear (&meta);
}

static void
test_interrupted (Shell *shell, gconstpointer data)
{
  TosstDictionaryMeta meta;
  g_autofree char *errors = NULL;

  write_tensors (shell, "T.npy", TOSST_NPY_FLOAT32, 1, FALSE);
  errors = signal_when (shell, "learn T.npy -o D.npz --checkpoint 0.05 " LONG, "D.npz.checkpoint", SIGINT);
  g_assert_nonnull (strstr (errors, "to resume: tosst learn T.npy -o D.npz --resume D.npz"));
  g_assert_false (shell_exists (shell, "D.npz.checkpoint"));
  tosst_dictionary_free (load (shell, "D.npz", &meta));
  assert_goes_on (shell, meta.iterations, meta.objective, TRUE);
  tosst_dictionary_meta_clear (&meta);
}

static char *
trace_without_seconds (Shell *shell, const char *name)
{
  g_autoptr (GBytes) bytes = shell_read (shell, name);
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_autoptr (GRegex) seconds = g_regex_new ("^([^,]*),[^,]*", G_REGEX_MULTILINE, 0, NULL);

  return g_regex_replace (seconds, text, -1, 0, "\\1", 0, NULL);
}

static void
assert_same_traces (Shell *shell, const char *a, const char *b)
{
  g_autofree char *one = trace_without_seconds (shell, a), *other = trace_without_seconds (shell, b);

  g_assert_cmpstr (one, ==, other);
}

/* Learning options of a recipe, and how it is ended early. */
static const struct
{
  const char *name, *recipe;
  int number;
} ways[] = {
  { "psd-killed", "", SIGKILL },
  { "psd-interrupted", "", SIGINT },
  { "free", "--set dictionary.scheme=free --set coding.signed-alpha=true", SIGINT },
  { "low-rank", "--set dictionary.scheme=low-rank", SIGKILL },
  { "full", "--set dictionary.scheme=full", SIGINT },
  { "nonnegative", "--set coding.nonnegative-beta=true", SIGKILL },
  { "no-beta", "--set dictionary.gamma=inf", SIGKILL },
  { "batches-killed", "--set dictionary.minibatch=40", SIGKILL },
  { "batches-interrupted", "--set dictionary.minibatch=40", SIGINT },
  { "pqn", "--set dictionary.solver=pqn", SIGKILL },
  { "gradient", "--set dictionary.solver=gradient", SIGINT },
};

/* After any interruption the resumed run writes the same dictionary file as an uninterrupted one. */
static void
test_bits (Shell *shell, gconstpointer data)
{
  gsize way = GPOINTER_TO_SIZE (data);
  g_autofree char *start = NULL, *rest = NULL, *whole = NULL;
  const char *file = ways[way].number == SIGKILL ? "D.npz.checkpoint" : "D.npz";
  TosstDictionaryMeta meta;

  write_tensors (shell, "T.npy", TOSST_NPY_FLOAT32, 1, FALSE);
  start = g_strdup_printf ("learn T.npy -o D.npz --checkpoint 0.02 " FEW "--set dictionary.iterations=100000 %s",
                           ways[way].recipe);
  g_free (signal_when (shell, start, "D.npz.checkpoint", ways[way].number));
  tosst_dictionary_free (load (shell, file, &meta));
  rest = g_strdup_printf ("learn T.npy -o D.npz --resume D.npz --trace d.csv --set dictionary.iterations=%d",
                          meta.iterations + 2);
  whole = g_strdup_printf ("learn T.npy -o R.npz --trace r.csv " FEW "--set dictionary.iterations=%d %s",
                           meta.iterations + 2, ways[way].recipe);
  shell_expect_done (shell, rest);
  shell_expect_done (shell, whole);
  shell_expect_same_files (shell, "D.npz", "R.npz");
  assert_same_traces (shell, "d.csv", "r.csv");
  tosst_dictionary_meta_clear (&meta);
}

/* The solver state is omitted, with a message, if it is too large or the disk is full. */
static void
test_atoms_alone (Shell *shell, gconstpointer data)
{
  TosstDictionaryMeta meta;
  g_autofree char *errors = NULL;

  write_tensors (shell, "T.npy", TOSST_NPY_FLOAT32, 1, FALSE);
  g_assert_true (g_setenv ("TOSST_HELD_MB", "0", TRUE));
  errors = signal_when (shell, "learn T.npy -o D.npz --checkpoint 0.05 " LONG, "D.npz.checkpoint", SIGINT);
  g_unsetenv ("TOSST_HELD_MB");
  g_assert_nonnull (strstr (errors, "checkpoints hold only atoms"));
  tosst_dictionary_free (load (shell, "D.npz", &meta));
  assert_goes_on (shell, meta.iterations, meta.objective, FALSE);
  tosst_dictionary_meta_clear (&meta);
}

static void
test_little_room (Shell *shell, gconstpointer data)
{
  TosstDictionaryMeta meta;
  g_autofree char *errors = NULL;

  write_tensors (shell, "T.npy", TOSST_NPY_FLOAT32, 1, FALSE);
  file_limit = 40000;
  errors = signal_when (shell, "learn T.npy -o D.npz --checkpoint 0.05 " LONG, "D.npz.checkpoint", SIGINT);
  file_limit = 0;
  g_assert_nonnull (strstr (errors, "checkpoints hold only atoms"));
  g_assert_null (strstr (errors, "no checkpoints"));
  tosst_dictionary_free (load (shell, "D.npz", &meta));
  assert_goes_on (shell, meta.iterations, meta.objective, FALSE);
  tosst_dictionary_meta_clear (&meta);
}

static void
place (Shell *shell, const char *from, const char *to, time_t time)
{
  g_autoptr (GFile) source = shell_file (shell, from), target = shell_file (shell, to);

  g_assert_true (g_file_copy (source, target, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, NULL));
  g_assert_cmpint (utime (g_file_peek_path (target), &(struct utimbuf){ time, time }), ==, 0);
}

/* The choice of the more advanced of two files does not depend on their time stamps. */
static void
test_clock (Shell *shell, gconstpointer data)
{
  const time_t early = 1000000, late = 4000000000;
  int iteration;
  double objective;

  write_tensors (shell, "T.npy", TOSST_NPY_FLOAT32, 1, FALSE);
  shell_expect_done (shell, "learn T.npy -o A.npz " FEW "--set dictionary.iterations=2");
  shell_expect_done (shell, "learn T.npy -o B.npz " FEW "--set dictionary.iterations=5");
  shell_expect_done (shell, "learn T.npy -o C.npz " FEW "--set dictionary.iterations=3 --set dictionary.lambda=0.01");
  for (int ahead = 0; ahead < 2; ahead++)
    {
      place (shell, ahead ? "A.npz" : "B.npz", "D.npz", ahead ? late : early);
      place (shell, ahead ? "B.npz" : "A.npz", "D.npz.checkpoint", ahead ? early : late);
      shell_expect_done (shell, "learn T.npy -o D.npz --resume D.npz --trace t.csv --set dictionary.iterations=6");
      g_assert_cmpuint (read_trace (shell, "t.csv", &iteration, &objective), ==, 1);
      g_assert_cmpint (iteration, ==, 6);
      g_assert_false (shell_exists (shell, "D.npz.checkpoint"));
    }
  /* A checkpoint that contains only the dictionary is removed, even if no iteration remains. */
  place (shell, "B.npz", "D.npz", early);
  place (shell, "A.npz", "D.npz.checkpoint", late);
  shell_tosst (shell, "learn T.npy -o E.npz --resume D.npz --set dictionary.iterations=5");
  g_assert_false (shell_exists (shell, "D.npz.checkpoint"));
  /* A checkpoint of another learning than that of the output was started later. */
  place (shell, "B.npz", "D.npz", late);
  place (shell, "C.npz", "D.npz.checkpoint", early);
  g_assert_cmpint (
      shell_tosst (shell, "learn T.npy -o E.npz --resume D.npz --trace t.csv --set dictionary.iterations=6"), ==, 0);
  g_assert_nonnull (strstr (shell->errors, "another run"));
  read_trace (shell, "t.csv", &iteration, &objective);
  g_assert_cmpint (iteration, ==, 4);
}

/* A checkpoint that does not fit the run is refused, and the dictionary is unchanged. */
static void
test_refused (Shell *shell, gconstpointer data)
{
  g_autoptr (GBytes) before = NULL, after = NULL;
  gsize size;
  const char *bytes;

  write_tensors (shell, "T.npy", TOSST_NPY_FLOAT32, 1, FALSE);
  write_tensors (shell, "U.npy", TOSST_NPY_FLOAT32, 2, FALSE);
  shell_expect_done (shell, "learn T.npy -o D.npz --set dictionary.atoms=10 --set dictionary.iterations=3");
  before = shell_read (shell, "D.npz");
  shell_expect_failure (shell, "learn T.npy -o D.npz --resume D.npz --set dictionary.iterations=2", 1,
                        "was learned in 3 iterations");
  shell_expect_failure (shell, "learn T.npy -o D.npz --resume D.npz --set dictionary.atoms=11", 1, "has 10 atoms");
  shell_expect_failure (shell, "learn U.npy -o D.npz --resume D.npz --set dictionary.iterations=5", 1,
                        "does not hold the tensors");
  shell_expect_failure (shell,
                        "learn U.npy -o D.npz --resume D.npz --set dictionary.iterations=5 --set "
                        "dictionary.minibatch=500",
                        1, "does not hold the tensors");
  shell_expect_failure (shell, "learn T.npy -o D.npz --resume D.npz --recipe R", 2, "--resume");
  shell_expect_failure (shell, "learn T.npy -o D.npz --checkpoint often", 2, "--checkpoint");
  shell_expect_failure (shell, "learn T.npy -o D.npz --trace D.npz.checkpoint", 2, "is the name of the checkpoint");
  shell_expect_failure (shell, "learn T.npy -o ./T.npz --trace T.npz.checkpoint --checkpoint 0", 2,
                        "name of the checkpoint");
  shell_expect_failure (shell, "learn E.npz.checkpoint -o E.npz", 2, "E.npz.checkpoint is the name of the checkpoint");
  bytes = g_bytes_get_data (before, &size);
  shell_write (shell, "X.npz.checkpoint", bytes, size / 2);
  shell_expect_failure (shell, "learn T.npy -o D.npz --resume X.npz", 1, "X.npz.checkpoint");
  after = shell_read (shell, "D.npz");
  g_assert_true (g_bytes_equal (before, after));
  shell_expect_done (shell, "learn U.npy -o D.npz --resume D.npz --other-data --set dictionary.iterations=5");
}

/* As by a job that a cluster queues again after its last iteration: nothing is left to do, also where only the checkpoint has it. */
static void
test_finished (Shell *shell, gconstpointer data)
{
  g_autoptr (GBytes) learned = NULL, again = NULL, copied = NULL;

  write_tensors (shell, "T.npy", TOSST_NPY_FLOAT32, 1, FALSE);
  write_tensors (shell, "U.npy", TOSST_NPY_FLOAT32, 2, FALSE);
  shell_expect_done (shell, "learn T.npy -o D.npz --set dictionary.atoms=10 --set dictionary.iterations=3");
  learned = shell_read (shell, "D.npz");
  shell_expect_done (shell, "learn T.npy -o D.npz --resume D.npz");
  again = shell_read (shell, "D.npz");
  g_assert_true (g_bytes_equal (learned, again));
  shell_expect_failure (shell, "learn U.npy -o D.npz --resume D.npz", 1, "does not hold the tensors");

  shell_write (shell, "E.npz.checkpoint", g_bytes_get_data (learned, NULL), g_bytes_get_size (learned));
  shell_expect_done (shell, "learn T.npy -o E.npz --resume E.npz");
  copied = shell_read (shell, "E.npz");
  g_assert_true (g_bytes_equal (learned, copied));
  g_assert_false (shell_exists (shell, "E.npz.checkpoint"));
}

/* The same tensors are sampled and identified, whether they are read at once or in chunks. */
static void
test_pieces (Shell *shell, gconstpointer data)
{
  static const TosstNpyType types[] = { TOSST_NPY_FLOAT32, TOSST_NPY_FLOAT64 };

  for (int i = 0; i < 2; i++)
    {
      TosstDictionaryMeta at_once, in_pieces;
      g_autoptr (TosstDictionary) a = NULL, b = NULL;

      write_tensors (shell, "T.npy", types[i], 1, FALSE);
      shell_expect_done (shell, "learn T.npy -o A.npz --set dictionary.atoms=20 --set dictionary.sample=1500");
      shell_expect_done (shell, "learn T.npy -o B.npz --evaluate --set dictionary.sample=1500 --set "
                                "dictionary.iterations=10 " BATCHES);
      a = load (shell, "A.npz", &at_once);
      b = load (shell, "B.npz", &in_pieces);
      g_assert_cmpstr (at_once.fingerprint, ==, in_pieces.fingerprint);
      g_assert_cmpfloat_with_epsilon (a->scale, b->scale, 1e-9 * a->scale);
      g_assert_cmpfloat (in_pieces.objective, <, 1.05 * at_once.objective);
      tosst_dictionary_meta_clear (&at_once);
      tosst_dictionary_meta_clear (&in_pieces);
    }
}

/* --evaluate reports the objective of the atoms that are written: of those drawn at random, not of the learned ones. */
static void
test_drawn (Shell *shell, gconstpointer data)
{
  TosstDictionaryMeta learned, drawn;
  g_autoptr (TosstDictionary) a = NULL, b = NULL;

  write_tensors (shell, "T.npy", TOSST_NPY_FLOAT32, 1, FALSE);
  shell_expect_done (shell, "learn T.npy -o A.npz --evaluate " BATCHES);
  shell_expect_done (shell, "learn T.npy -o B.npz --evaluate --set dictionary.source=random " BATCHES);
  a = load (shell, "A.npz", &learned);
  b = load (shell, "B.npz", &drawn);
  g_assert_cmpfloat (drawn.objective, >, 1.05 * learned.objective);
  tosst_dictionary_meta_clear (&learned);
  tosst_dictionary_meta_clear (&drawn);
}

static void
test_bad_pieces (Shell *shell, gconstpointer data)
{
  g_autoptr (GBytes) whole = NULL, before = NULL, after = NULL;
  gsize size;
  const char *bytes;

  shell_write (shell, "D.npz", "mine", 4);
  write_tensors (shell, "T.npy", TOSST_NPY_FLOAT32, 1, TRUE);
  shell_expect_failure (shell, "learn T.npy -o D.npz " BATCHES, 1, "has NaN in row 1999");
  write_tensors (shell, "T.npy", TOSST_NPY_FLOAT64, 1, TRUE);
  shell_expect_failure (shell, "learn T.npy -o D.npz " BATCHES, 1, "has NaN in row 1999");
  whole = shell_read (shell, "T.npy");
  bytes = g_bytes_get_data (whole, &size);
  shell_write (shell, "T.npy", bytes, size - 1);
  shell_expect_failure (shell, "learn T.npy -o D.npz " BATCHES, 1, "is truncated");
  shell_write (shell, "T.npy", bytes, 40);
  shell_expect_failure (shell, "learn T.npy -o D.npz " BATCHES, 1, "truncated");
  shell_expect_failure (shell, "learn T.npy -o D.npz --set dictionary.minibatch=2 --set dictionary.atoms=20", 1,
                        "T.npy");
  write_tensors (shell, "T.npy", TOSST_NPY_FLOAT32, 1, FALSE);
  shell_expect_failure (shell, "learn T.npy -o D.npz --set dictionary.minibatch=2 --set dictionary.atoms=20", 1,
                        "at least as many slices");
  before = g_bytes_new_static ("mine", 4);
  after = shell_read (shell, "D.npz");
  g_assert_true (g_bytes_equal (before, after));
}

/* A data set's run learns from batches as well: the same samples, an objective that is an estimate of the same. */
static void
test_run (Shell *shell, gconstpointer data)
{
#define RUN                                                                                                            \
  "classify --set descriptor.kind=linear --set descriptor.patch=32 --set descriptor.step=32 --set "                    \
  "dictionary.atoms=10 --set dictionary.iterations=8 --set dataset.splits=1 "
  shell_expect_done (shell, RUN "--set dictionary.minibatch=100 --report r.json");
  shell_expect_failure (shell, RUN "--set dictionary.minibatch=1", 1, "dictionary.minibatch is 1");
  shell_expect_failure (shell, RUN "--set dictionary.minibatch=100 --set dictionary.solver=pqn", 1, "exact solver");
}

#define ADD(name, function) g_test_add (name, Shell, NULL, shell_set_up, function, shell_tear_down)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/resume/killed", test_killed);
  ADD ("/resume/killed-in-batches", test_killed_in_batches);
  ADD ("/resume/interrupted", test_interrupted);
  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autofree char *name = g_strconcat ("/resume/bits/", ways[i].name, NULL);

      g_test_add (name, Shell, GSIZE_TO_POINTER (i), shell_set_up, test_bits, shell_tear_down);
    }
  ADD ("/resume/atoms-alone", test_atoms_alone);
  ADD ("/resume/little-room", test_little_room);
  ADD ("/resume/clock", test_clock);
  ADD ("/resume/refused", test_refused);
  ADD ("/resume/finished", test_finished);
  ADD ("/resume/pieces", test_pieces);
  ADD ("/resume/drawn", test_drawn);
  ADD ("/resume/bad-pieces", test_bad_pieces);
  ADD ("/resume/run", test_run);
  return g_test_run ();
}
