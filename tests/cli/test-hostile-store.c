/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whole commands on stores made to do harm.
 */
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "core/base/machine.h"
#include "core/store/store.h"
#include "harness.h"

#define HASH "0123456789abcdef0123456789abcdef"

/* SQL without functions of the program. */
static void
run_sql (Shell *shell, const char *name, const char *sql)
{
  g_autofree char *path = shell_path (shell, name);
  char *message = NULL;
  sqlite3 *db;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  sqlite3_exec (db, sql, NULL, NULL, &message);
  g_assert_cmpstr (message, ==, NULL);
  sqlite3_close (db);
}

/* A store with a finished run of two classes; then executes sql. */
static void
make_store (Shell *shell, const char *name, const char *sql)
{
  static const char *const classes[] = { "one", "two", NULL };
  const TosstStoreOrigin origin = { .hash = HASH,
                                    .version = "1",
                                    .numerics = TOSST_NUMERICS,
                                    .cpu = "cpu",
                                    .blas = "blas",
                                    .threads = 1,
                                    .data = "data",
                                    .dataset = "set",
                                    .class_names = classes,
                                    .splits = 1,
                                    .title = "",
                                    .split = -1 };
  g_autoptr (GFile) file = shell_file (shell, name);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstStore) store = tosst_store_open (file, TOSST_STORE_WRITE, &error);
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();

  g_assert_no_error (error);
  g_assert_cmpint (tosst_store_add (store, recipe, &origin, TOSST_RUN_RUNNING, &error), ==, 1);
  g_assert_true (tosst_store_finish (store, 1, TOSST_RUN_DONE, NULL, &error));
  g_assert_no_error (error);
  g_clear_pointer (&store, tosst_store_free);
  run_sql (shell, name, sql);
}

static void
remove_store (Shell *shell, const char *name)
{
  g_autofree char *path = shell_path (shell, name);

  g_assert_cmpint (g_unlink (path), ==, 0);
}

static void
add_artifact (Shell *shell, const char *store, int split, const char *name, const char *content)
{
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, content, -1);
  char *sql = sqlite3_mprintf ("INSERT INTO artifacts (run, split, name, bytes, sha256, content) "
                               "VALUES (1, %d, %Q, %d, %Q, CAST (%Q AS BLOB))",
                               split, name, (int)strlen (content), sum, content);

  run_sql (shell, store, sql);
  sqlite3_free (sql);
}

/* Nothing is written outside of the folder, nor hidden in it, nor through a link in it. */
static void
test_artifact_names (Shell *shell, gconstpointer data)
{
  static const char *const names[] = { "../out", "a/b", "/tmp/out", "..", ".", "", ".hidden", "a\033[2J", "a\nb" };
  g_autofree char *absolute = shell_path (shell, "absolute"), *link = shell_path (shell, "f/model.npz"),
                  *outside = shell_path (shell, "outside");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      make_store (shell, "w.sqlite", "");
      add_artifact (shell, "w.sqlite", -1, names[i], "harm");
      shell_expect_failure (shell, "runs w.sqlite --show 1 --extract f/g", 1, "is not a plain file name");
      g_assert_false (shell_exists (shell, "f"));
      g_assert_false (shell_exists (shell, "out"));
      remove_store (shell, "w.sqlite");
    }
  make_store (shell, "w.sqlite", "");
  add_artifact (shell, "w.sqlite", -1, absolute, "harm");
  shell_expect_failure (shell, "runs w.sqlite --show 1 --extract f", 1, "is not a plain file name");
  g_assert_false (shell_exists (shell, "absolute"));
  remove_store (shell, "w.sqlite");

  make_store (shell, "w.sqlite", "");
  add_artifact (shell, "w.sqlite", -1, "model.npz", "harm");
  shell_expect_done (shell, "runs w.sqlite --show 1 --extract f");
  g_assert_cmpint (g_unlink (link), ==, 0);
  shell_write (shell, "outside", "mine", 4);
  g_assert_cmpint (symlink (outside, link), ==, 0);
  shell_expect_failure (shell, "runs w.sqlite --show 1 --extract f", 1, "is a symbolic link");
  g_autoptr (GBytes) bytes = shell_read (shell, "outside");
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, 4);
  g_assert_cmpint (g_unlink (outside), ==, 0);
  shell_expect_failure (shell, "runs w.sqlite --show 1 --extract f", 1, "is a symbolic link");
  g_assert_false (shell_exists (shell, "outside"));
}

/* The hash is part of the names of files that go with a run: a hash with a path to another folder names none. */
static void
test_hash (Shell *shell, gconstpointer data)
{
  static const char *const kept[] = { "other/x-1.checkpoint", "w.sqlite-1-x-1.checkpoint" };
  g_autofree char *folder = shell_path (shell, "other"), *through = shell_path (shell, "w.sqlite-1-a");

  make_store (shell, "w.sqlite", "");
  g_assert_cmpint (g_mkdir (folder, 0755), ==, 0);
  g_assert_cmpint (g_mkdir (through, 0755), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    shell_write (shell, kept[i], "mine", 4);
  shell_write (shell, "w.sqlite-1-" HASH "-1.checkpoint", "gone", 4);
  shell_expect_done (shell, "runs w.sqlite --delete 1");
  g_assert_false (shell_exists (shell, "w.sqlite-1-" HASH "-1.checkpoint"));
  remove_store (shell, "w.sqlite");

  make_store (shell, "w.sqlite", "UPDATE runs SET hash = 'a/../other/x'");
  shell_expect_done (shell, "runs w.sqlite --delete 1");
  remove_store (shell, "w.sqlite");
  make_store (shell, "w.sqlite", "UPDATE runs SET hash = 'x'");
  shell_expect_done (shell, "runs w.sqlite --delete 1");
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    g_assert_true (shell_exists (shell, kept[i]));
}

/* Texts of the store that are JSON: nested without limit, or of another type than a list of names. */
static void
test_classes (Shell *shell, gconstpointer data)
{
  static const char *const commands[]
      = { "runs w.sqlite --show 1", "runs w.sqlite --export all.json", "report -w w.sqlite 1 -o r.html" };
  static const char *const texts[]
      = { "{\"a\": 1}", "\"one\"", "3", "[1]", "[null]", "[[\"one\"]]", "[{}]", "[", "true" };
  g_autoptr (GString) deep = g_string_new (NULL);

  for (int i = 0; i < 200000; i++)
    g_string_append_c (deep, '[');
  for (guint i = 0; i <= G_N_ELEMENTS (texts); i++)
    {
      char *sql = sqlite3_mprintf ("UPDATE runs SET classes = %Q", i ? texts[i - 1] : deep->str);

      make_store (shell, "w.sqlite", sql);
      sqlite3_free (sql);
      for (guint j = 0; j < G_N_ELEMENTS (commands); j++)
        shell_expect_failure (shell, commands[j], 1, "are not a list of names");
      shell_expect_done (shell, "runs w.sqlite");
      remove_store (shell, "w.sqlite");
    }
  g_assert_false (shell_exists (shell, "r.html"));
  make_store (shell, "w.sqlite", "UPDATE runs SET classes = NULL");
  shell_expect_done (shell, "report -w w.sqlite 1 -o r.html");
}

static void
expect_damaged (Shell *shell, const char *sentence)
{
  g_autoptr (GBytes) page = shell_read (shell, "r.html");

  if (!g_strstr_len (g_bytes_get_data (page, NULL), (gssize)g_bytes_get_size (page), sentence))
    g_error ("not in the report: %s", sentence);
}

/* The number of classes in the store requires a matrix larger than the memory; the stored data are a few bytes. */
static void
test_sizes (Shell *shell, gconstpointer data)
{
  static const char *const matrices[] = { "1,2\n3,4\n", "", "2147483647,1\n0,2147483647\n", "1,-2\n3,4\n" };
  static const char *const scores[]
      = { "sample,margin,label\n0,1,1\n", "", "sample,margin,margin,label,label\n0,nan,1,1,1\n" };
  g_autoptr (GString) names = g_string_new ("[\"a\"");
  struct rusage usage;
  char *sql;

  for (int i = 1; i < 200000; i++)
    g_string_append (names, ",\"a\"");
  g_string_append_c (names, ']');
  sql = sqlite3_mprintf ("UPDATE runs SET splits = 9223372036854775807, classes = %Q", names->str);
  for (guint i = 0; i < G_N_ELEMENTS (scores); i++)
    {
      make_store (shell, "w.sqlite", i ? "" : sql);
      add_artifact (shell, "w.sqlite", 0, "scores.csv", scores[i]);
      shell_expect_done (shell, "runs w.sqlite --show 1"); /* without a table */
      shell_expect_done (shell, "report -w w.sqlite 1 -o r.html");
      expect_damaged (shell, "the scores of split 1 are damaged");
      remove_store (shell, "w.sqlite");
    }
  for (guint i = 0; i < G_N_ELEMENTS (matrices); i++)
    {
      make_store (shell, "w.sqlite", i ? "" : sql);
      add_artifact (shell, "w.sqlite", 0, "confusion.csv", matrices[i]);
      shell_expect_done (shell, "report -w w.sqlite 1 -o r.html");
      expect_damaged (shell, "the confusion matrix of split 1 is damaged");
      remove_store (shell, "w.sqlite");
    }
  sqlite3_free (sql);
  getrusage (RUSAGE_CHILDREN, &usage);
  g_assert_cmpint (usage.ru_maxrss, <, 1000 * 1024);
}

/* Output has no control characters of ASCII or Latin 1, nor bidirectional controls, which would alter the stored text
 * on a terminal. */
static void
expect_harmless (const char *text)
{
  g_assert_true (g_utf8_validate (text, -1, NULL));
  for (const char *c = text; *c; c = g_utf8_next_char (c))
    {
      gunichar letter = g_utf8_get_char (c);

      if ((letter < 0x20 && letter != '\n') || (letter >= 0x7f && letter < 0xa0) || letter == 0x202e
          || letter == 0x2066)
        g_error ("U+%04X is in: %s", letter, text);
    }
}

/* Texts of a store are printed without control characters. */
static void
test_texts (Shell *shell, gconstpointer data)
{
#define BAD "'a' || char (27) || '[2J' || char (10) || 'tosst: b' || char (127, 155, 8238, 8294, 7, 13) || 'c'"
  make_store (shell, "w.sqlite",
              "INSERT INTO sweeps (title, recipe, created) VALUES (" BAD ", " BAD ", 0); INSERT INTO members VALUES "
              "(1, 0, 1); INSERT INTO tags VALUES (1, " BAD "); INSERT INTO timings VALUES (1, " BAD
              ", 2); INSERT INTO "
              "metrics VALUES (1, " BAD ", " BAD ", 3, NULL); INSERT INTO artifacts (run, split, name, bytes, sha256, "
              "content) VALUES (1, 0, " BAD ", 1, " BAD ", x'00'); UPDATE parameters SET text = " BAD " WHERE name = "
              "'dataset.path'; INSERT INTO parameters VALUES (1, " BAD ", " BAD
              ", NULL, 1); UPDATE runs SET reason = " BAD ", version = " BAD ", cpu = " BAD ", blas = " BAD
              ", data = " BAD ", dataset = " BAD ", title = " BAD ", note = " BAD ", state = 'failed'");
#undef BAD
  static const char *const lines[]
      = { "runs w.sqlite", "runs w.sqlite --show 1", "runs w.sqlite --sweeps", "runs w.sqlite --sort dataset.path" };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      shell_expect_done (shell, lines[i]);
      expect_harmless (shell->output);
      g_assert_null (strstr (shell->output, "\ntosst: b"));
    }
  shell_expect_failure (shell, "runs w.sqlite --show 1 --extract f", 1, "is not a plain file name");
  expect_harmless (shell->errors);
  shell_expect_done (shell, "runs w.sqlite --json --show 1");
  json_object_unref (shell_said (shell));
  shell_expect_done (shell, "runs w.sqlite --json");
  json_object_unref (shell_said (shell));
  shell_expect_done (shell, "runs w.sqlite --check"); /* it salvages the rest of a store with a wrong checksum */
  expect_harmless (shell->output);
}

#define ENDLESS "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "

/* A database with endless views, some of them in place of tables of a store. */
static void
test_schemas (Shell *shell, gconstpointer data)
{
  static const struct
  {
    const char *sql, *name;
  } schemas[] = {
    { "DROP TABLE members; CREATE VIEW members AS " ENDLESS "i AS sweep, i AS number, 1 AS run FROM n", "members" },
    { "CREATE VIEW more AS " ENDLESS "i FROM n", "more" },
    { "ALTER TABLE runs RENAME TO old; CREATE VIEW runs AS " ENDLESS "i AS id, old.* FROM n, old", "runs" },
    { "CREATE TRIGGER t AFTER UPDATE ON runs BEGIN DELETE FROM parameters; END", "t" },
    { "CREATE TRIGGER t AFTER DELETE ON tags BEGIN INSERT INTO tags " ENDLESS "i, 'a' FROM n; END", "t" },
    { "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('table', 'v', 'v', 0, "
      "'CREATE VIRTUAL TABLE v USING fts5 (a)')",
      "v" },
    { "DROP TABLE tags; CREATE TABLE tags (run INTEGER, tag TEXT GENERATED ALWAYS AS (hex (zeroblob (400000000))))",
      "tags" },
    { "DROP TABLE timings; CREATE TABLE timings (run INTEGER, stage TEXT, seconds REAL)", "timings" },
    { "DROP TABLE results; CREATE TABLE results (run, split, name, value, PRIMARY KEY (value, run))", "results" },
  };
  static const char *const commands[] = { "runs w.sqlite",
                                          "runs w.sqlite --sweeps",
                                          "runs w.sqlite --show 1",
                                          "runs w.sqlite --show 1 --note x",
                                          "runs w.sqlite --delete 1",
                                          "runs w.sqlite --check",
                                          "report -w w.sqlite 1 -o r.html" };

  for (guint i = 0; i < G_N_ELEMENTS (schemas); i++)
    {
      g_autofree char *fragment = g_strdup_printf ("is not a store of runs: its table “%s” has", schemas[i].name);

      make_store (shell, "w.sqlite", schemas[i].sql);
      for (guint j = 0; j < G_N_ELEMENTS (commands); j++)
        shell_expect_failure (shell, commands[j], 1, fragment);
      remove_store (shell, "w.sqlite");
    }
}

/* Additions of other programs to a store, and values that no column of a store forbids. */
static void
test_values (Shell *shell, gconstpointer data)
{
  static const char *const sql[] = {
    "CREATE TABLE mine (a); CREATE INDEX by_title ON runs (title); ANALYZE",
    "UPDATE runs SET started = 1e300, finished = -1e300, splits = -5, threads = 9223372036854775807, numerics = -1",
    "UPDATE runs SET started = 9e999, finished = -9e999, splits = 9223372036854775807, owner = 'x', heard = 9e999",
    "UPDATE runs SET state = 'running', owner = '  ', heard = -1e308",
    "INSERT INTO results VALUES (1, -9223372036854775808, 'accuracy', 9e999), (1, 0, 'accuracy', -1e308), "
    "(1, 9223372036854775807, 'accuracy', 1e308)",
    "INSERT INTO series VALUES (1, 0, 'objective', -5, 9e999), (1, 0, 'objective', 9223372036854775807, NULL)",
    "INSERT INTO timings VALUES (1, 'total', -1e300), (1, 'learn', 9e999), (1, 'x', NULL)",
    "INSERT INTO metrics VALUES (1, 'accuracy', 'mean', -1e300, -1), (1, 'accuracy', 'std', 9e999, 0)",
    "INSERT INTO members VALUES (99, -7, 1)",
    "UPDATE parameters SET text = '1e300', number = 9e999; INSERT INTO parameters VALUES (1, '', '', NULL, -3)",
    "UPDATE runs SET title = CAST (x'ff00fe' AS TEXT), dataset = CAST (x'c328' AS TEXT), note = CAST (x'80' AS TEXT)",
    "DROP TABLE metrics; CREATE TABLE metrics (run, name, kind, value, step, PRIMARY KEY (run, name, kind)) WITHOUT "
    "ROWID; INSERT INTO metrics VALUES (1, 'accuracy', 'mean', 'text', 'x'), (1, x'ff', x'00', x'ff', NULL)",
  };

  for (guint i = 0; i < G_N_ELEMENTS (sql); i++)
    {
      g_autoptr (JsonObject) all = NULL;

      make_store (shell, "w.sqlite", sql[i]);
      shell_expect_done (shell, "runs w.sqlite --csv r.csv --export r.json");
      all = shell_read_json (shell, "r.json");
      shell_expect_done (shell, "runs w.sqlite --sort -accuracy --filter 'dictionary.atoms>=0, sweep=99'");
      shell_expect_done (shell, "runs w.sqlite --show 1");
      shell_expect_done (shell, "runs w.sqlite --show 1 --json");
      json_object_unref (shell_said (shell));
      shell_expect_done (shell, "report -w w.sqlite 1 -o r.html");
      shell_expect_done (shell, "runs w.sqlite --check");
      shell_expect_done (shell, "runs w.sqlite --delete 1");
      remove_store (shell, "w.sqlite");
    }
}

/* Without its index a table of members is searched for each run: this is detected before its end. */
static void
test_endless (Shell *shell, gconstpointer data)
{
  make_store (shell, "w.sqlite",
              "DROP INDEX members_run; INSERT INTO runs (hash, state) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL "
              "SELECT i + 1 FROM n LIMIT 40000) SELECT '', 'done' FROM n; "
              "INSERT INTO sweeps (id, recipe, created) VALUES (7, '', 0); "
              "INSERT INTO members SELECT 7, id, 1 FROM runs");
  shell_expect_failure (shell, "runs w.sqlite --filter sweep=7 -q", 1, "takes far too long for a store");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) g_test_add ("/hostile-store/" path, Shell, NULL, shell_set_up, function, shell_tear_down)
  ADD ("artifact-names", test_artifact_names);
  ADD ("hash", test_hash);
  ADD ("classes", test_classes);
  ADD ("texts", test_texts);
  ADD ("schemas", test_schemas);
  ADD ("values", test_values);
  ADD ("endless", test_endless);
  ADD ("sizes", test_sizes);
#undef ADD
  return g_test_run ();
}
