/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables, documents, and reports on runs of a store: well-formed whatever names hold, whole for runs that are not.
 */
#define _GNU_SOURCE /* memmem */

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/report/document.h"
#include "core/report/report.h"
#include "core/run/scores.h"
#include "execute-recorded.h"

/* --- a strict parser: HTML5 written as XML --- */

typedef struct
{
  GPtrArray *open; /* names of elements */
  GString *text;   /* of all, and of attributes */
  guint images, tables, details;
} Page;

static void
on_start (GMarkupParseContext *context, const char *name, const char **names, const char **values, gpointer data,
          GError **error)
{
  Page *page = data;

  g_ptr_array_add (page->open, g_strdup (name));
  page->images += strcmp (name, "img") == 0;
  page->tables += strcmp (name, "table") == 0;
  page->details += strcmp (name, "details") == 0;
  g_assert_cmpstr (name, !=, "script");
  for (guint i = 0; names[i]; i++)
    {
      g_assert_false (g_str_has_prefix (names[i], "on"));
      g_assert_false (g_str_equal (name, "img")
                      && g_str_equal (names[i], "style")); /* one drawing for light and dark */
      if (g_str_equal (names[i], "src"))
        g_assert_true (g_str_has_prefix (values[i], "data:image/svg+xml,"));
      if (g_str_equal (names[i], "alt"))
        g_assert_cmpuint (strlen (values[i]), >, 0);
    }
}

static void
on_end (GMarkupParseContext *context, const char *name, gpointer data, GError **error)
{
  Page *page = data;

  g_ptr_array_set_size (page->open, (int)page->open->len - 1);
}

static void
on_text (GMarkupParseContext *context, const char *text, gsize length, gpointer data, GError **error)
{
  g_string_append_len (((Page *)data)->text, text, (gssize)length);
}

static void
page_clear (Page *page)
{
  g_ptr_array_unref (page->open);
  g_string_free (page->text, TRUE);
}

static void
parse_page (GBytes *html, Page *page)
{
  const GMarkupParser parser = { on_start, on_end, on_text, NULL, NULL };
  gsize size;
  const char *bytes = g_bytes_get_data (html, &size);
  const char doctype[] = "<!DOCTYPE html>\n";
  g_autoptr (GMarkupParseContext) context = NULL;
  g_autoptr (GError) error = NULL;

  *page = (Page){ g_ptr_array_new_with_free_func (g_free), g_string_new (NULL) };
  g_assert_true (g_utf8_validate (bytes, (gssize)size, NULL));
  g_assert_cmpint (strncmp (bytes, doctype, strlen (doctype)), ==, 0);
  /* XML cannot represent these, not even as references. */
  for (gsize i = 0; i < size; i++)
    g_assert_true ((guchar)bytes[i] >= 0x20 || bytes[i] == '\n' || bytes[i] == '\t');
  context = g_markup_parse_context_new (&parser, G_MARKUP_DEFAULT_FLAGS, page, NULL);
  g_markup_parse_context_parse (context, bytes + strlen (doctype), (gssize)(size - strlen (doctype)), &error);
  g_assert_no_error (error);
  g_markup_parse_context_end_parse (context, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (page->open->len, ==, 0);
}

/* Objects of type Page: cairo writes them uncompressed. */
static guint
count_pages (GBytes *pdf)
{
  gsize size;
  const char *bytes = g_bytes_get_data (pdf, &size);
  guint pages = 0;

  g_assert_cmpint (strncmp (bytes, "%PDF-", 5), ==, 0);
  g_assert_nonnull (g_strstr_len (bytes + size - 32, 32, "%%EOF"));
  for (const char *at = bytes; (at = memmem (at, size - (gsize)(at - bytes), "/Type /Page", 11)); at++)
    pages += at[11] != 's';
  return pages;
}

/* --- tables --- */

static TosstTable *
small_table (void)
{
  TosstTable *table = tosst_table_new ("tn", "Name", "K");
  tosst_table_add (table, "a, \"b\"");
  tosst_table_add_printf (table, "%d", 7);
  tosst_table_add (table, "ü|*");
  tosst_table_add_bar (table, 0.5, "200");
  return table;
}

static void
test_table (void)
{
  g_autoptr (TosstTable) table = small_table ();
  g_autofree char *text = tosst_table_to_text (table), *csv = tosst_table_to_csv (table),
                  *markdown = tosst_table_to_markdown (table);
  g_autoptr (TosstTable) turned = tosst_table_transpose (table);
  g_autofree char *turned_csv = tosst_table_to_csv (turned);

  g_assert_cmpstr (text, ==, "Name      K\na, \"b\"    7\nü|*     200\n");
  g_assert_cmpstr (csv, ==, "Name,K\n\"a, \"\"b\"\"\",7\nü|*,200\n");
  g_assert_cmpstr (markdown, ==, "| Name | K |\n|---|---:|\n| a, \"b\" | 7 |\n| ü\\|\\* | 200 |\n");
  g_assert_cmpstr (turned_csv, ==, "Name,\"a, \"\"b\"\"\",ü|*\nK,7,200\n");
  g_assert_true (isnan (tosst_table_bar (table, 0, 1)));
  g_assert_cmpfloat (tosst_table_bar (turned, 0, 2), ==, 0.5);
}

/* --- documents --- */

/* Every kind of block with every letter that is special in some format. */
#define HOSTILE "</title><script>alert(1)</script>&amp; ]]> \"'\x01\x7f\xc3\x28 \xe2\x80\xae \xef\xbf\xbf end"

static TosstDocument *
hostile_document (void)
{
  TosstDocument *document = tosst_document_new (HOSTILE, HOSTILE);
  TosstTable *table = tosst_table_new ("");
  TosstChart *chart = tosst_chart_new ("a <b>&\"c\" ]]>", "x", "y");
  g_autofree char *endless = g_strnfill (40000, 'W');

  tosst_document_add (document, TOSST_BLOCK_PART, "%s", HOSTILE);
  tosst_document_add (document, TOSST_BLOCK_SECTION, "%s", HOSTILE);
  tosst_document_add (document, TOSST_BLOCK_TEXT, "%s", HOSTILE);
  tosst_document_add (document, TOSST_BLOCK_TEXT, "%s", endless);
  tosst_document_add (document, TOSST_BLOCK_REMARK, "%s", HOSTILE);
  tosst_document_add (document, TOSST_BLOCK_WARNING, "%s", HOSTILE);
  tosst_document_add (document, TOSST_BLOCK_CODE, "%s", HOSTILE);
  tosst_document_add_figure_of_merit (document, HOSTILE, HOSTILE, HOSTILE);
  tosst_document_add (document, TOSST_BLOCK_FOLD, "%s", HOSTILE);
  for (int i = 0; i < 30; i++)
    tosst_table_add_columns (table, i % 2 ? "n" : "t", HOSTILE);
  for (int i = 0; i < 90; i++)
    tosst_table_add_bar (table, i / 45.0, i == 60 ? endless : HOSTILE);
  tosst_document_add_table (document, table);
  tosst_document_add (document, TOSST_BLOCK_UNFOLD, "%s", "");
  tosst_chart_append (chart, tosst_chart_add_series (chart, "series"), 1, NAN);
  tosst_document_add_chart (document, chart, 400, 2000, FALSE);
  return document;
}

static void
test_hostile (void)
{
  g_autoptr (TosstDocument) document = hostile_document ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) html = tosst_document_to_html (document, &error), pdf = NULL;
  Page page;

  g_assert_no_error (error);
  parse_page (html, &page);
  g_assert_nonnull (strstr (page.text->str, "</title><script>alert(1)</script>&amp; ]]> \"'"));
  g_assert_cmpuint (page.details, ==, 1);
  page_clear (&page);
  pdf = tosst_document_to_pdf (document, NAN, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (count_pages (pdf), >=, 3);
}

static void
test_pages (void)
{
  g_autoptr (TosstDocument) document = tosst_document_new ("Three parts", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) pdf = NULL, again = NULL;

  for (int i = 0; i < 3; i++)
    {
      tosst_document_add (document, TOSST_BLOCK_PART, "Part");
      tosst_document_add_table (document, small_table ());
    }
  pdf = tosst_document_to_pdf (document, 1e9, &error);
  again = tosst_document_to_pdf (document, 1e9, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (count_pages (pdf), ==, 3);
  g_assert_true (g_bytes_equal (pdf, again));
}

static void
test_names (void)
{
  g_autoptr (TosstDocument) document = tosst_document_new ("Nothing", NULL);
  g_autoptr (GFile) text = g_file_new_for_path ("report.txt"), nowhere = g_file_new_for_path ("no/such/folder/r.html");
  g_autoptr (GError) error = NULL, second = NULL;

  g_assert_false (tosst_document_save (document, NAN, text, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_NAME);
  g_assert_nonnull (strstr (error->message, "must end in .html or .pdf"));
  g_assert_false (tosst_document_check (nowhere, &second));
  g_assert_error (second, TOSST_ERROR, TOSST_FAILED_OUTPUT);
}

/* --- reports --- */

typedef struct
{
  char *folder;
  GFile *file;
  TosstStore *store;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("tosst-report-XXXXXX", NULL);
  path = g_build_filename (fixture->folder, "w.sqlite", NULL);
  fixture->file = g_file_new_for_path (path);
  fixture->store = tosst_store_open (fixture->file, TOSST_STORE_WRITE, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GDir) dir = NULL;
  const char *name;

  tosst_store_free (fixture->store);
  dir = g_dir_open (fixture->folder, 0, NULL);
  while ((name = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename (fixture->folder, name, NULL);
      g_unlink (path);
    }
  g_rmdir (fixture->folder);
  g_object_unref (fixture->file);
  g_free (fixture->folder);
}

static gint64
add_run_of (Fixture *fixture, const TosstRecipe *recipe)
{
  static const char *const names[] = { "<b>&\"bricks\"", "]]>", NULL };
  const TosstStoreOrigin origin = { .hash = "0123",
                                    .version = "0.1.0",
                                    .numerics = 1,
                                    .cpu = "a <processor>",
                                    .blas = "a & kernel",
                                    .threads = 2,
                                    .data = "feed",
                                    .dataset = "“<data>”",
                                    .class_names = names,
                                    .splits = 3,
                                    .title = "a <title>",
                                    .split = -1 };
  g_autoptr (GError) error = NULL;

  gint64 run = tosst_store_add (fixture->store, recipe, &origin, TOSST_RUN_RUNNING, &error);
  g_assert_no_error (error);
  return run;
}

static gint64
add_run (Fixture *fixture, int atoms)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();

  recipe->dictionary.atoms = atoms;
  return add_run_of (fixture, recipe);
}

static void
add_splits (Fixture *fixture, gint64 run, int n)
{
  g_autoptr (GError) error = NULL;

  for (int split = 0; split < n; split++)
    {
      int confusion[] = { 20 + split, 5 - split, 0, 25 };
      const TosstSplitResult result = { .split = split,
                                        .accuracy = 2.0 * (45 + split),
                                        .confusion = confusion,
                                        .mean_nonzeros = 12.5,
                                        .worst_kkt = 1e-7,
                                        .objective = NAN,
                                        .c = split == 1 ? INFINITY : 100 };
      TosstStoreIteration row = { split, { .iteration = 1, .objective = 3, .fit = 1, .proximity = 1, .sparsity = 1 } };

      tosst_store_add_iterations (fixture->store, run, &row, 1, &error);
      g_assert_no_error (error);
      tosst_store_add_split (fixture->store, run, &result, 2, &error);
      g_assert_no_error (error);
    }
}

static char *
report_text (Fixture *fixture, const gint64 *runs, gsize n, guint images)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstDocument) document = tosst_report_new (fixture->store, runs, n, &error);
  g_autoptr (GBytes) html = NULL, pdf = NULL;
  Page page;
  char *text;

  g_assert_no_error (error);
  html = tosst_document_to_html (document, &error);
  g_assert_no_error (error);
  parse_page (html, &page);
  g_assert_cmpuint (page.images, ==, images);
  text = g_strdup (page.text->str);
  page_clear (&page);
  pdf = tosst_document_to_pdf (document, NAN, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (count_pages (pdf), >=, n);
  return text;
}

#define HAS(text, part) g_assert_nonnull (strstr (text, part))

static void
test_done (Fixture *fixture, gconstpointer data)
{
  gint64 run = add_run (fixture, 20);
  g_autofree char *text = NULL;

  add_splits (fixture, run, 3);
  g_assert_true (tosst_store_finish (fixture->store, run, TOSST_RUN_DONE, NULL, NULL));
  text = report_text (fixture, &run, 1, 4); /* accuracy, objective, parts, confusions */
  HAS (text, "a <title>");
  HAS (text, "92.00 ± 2.00 %");
  HAS (text, "dictionary.atoms");
  HAS (text, "<b>&\"bricks\"");
  HAS (text, "16.0 %"); /* 12 of 75: 5 + 4 + 3 */
  HAS (text, "∞");
  HAS (text, "a & kernel");
  HAS (text, "tosst classify");
}

/* Fields of CSV are no commands for a spreadsheet or a terminal; numbers stay. */
static void
test_fields (void)
{
  static const struct
  {
    const char *text, *field;
  } cases[] = { { "bricks", "bricks" }, { "=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0" },
                { "@sum", "'@sum" },    { "-2.5", "-2.5" },
                { "+1e-3", "+1e-3" },   { "-", "'-" },
                { "a,b", "\"a,b\"" },   { "red\x1b[31m", "red\xef\xbf\xbd[31m" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GString) csv = g_string_new (NULL);

      tosst_csv_append_field (csv, cases[i].text);
      g_assert_cmpstr (csv->str, ==, cases[i].field);
    }
}

static void
test_partial (Fixture *fixture, gconstpointer data)
{
  gint64 queued = add_run (fixture, 20), failed = add_run (fixture, 30), stopped = add_run (fixture, 40);
  gint64 all[] = { queued, failed, stopped };
  g_autofree char *first = NULL, *second = NULL, *third = NULL, *together = NULL;

  add_splits (fixture, stopped, 1);
  g_assert_true (tosst_store_finish (fixture->store, failed, TOSST_RUN_FAILED, "the <file> & its reason", NULL));
  g_assert_true (tosst_store_finish (fixture->store, stopped, TOSST_RUN_STOPPED, "interrupted", NULL));
  first = report_text (fixture, &queued, 1, 0);
  HAS (first, "0 of 3 splits");
  second = report_text (fixture, &failed, 1, 0);
  HAS (second, "failed after 0 of 3 splits: the <file> & its reason.");
  third = report_text (fixture, &stopped, 1, 3); /* one split needs no chart of accuracies */
  HAS (third, "stopped after 1 of 3 splits");
  together = report_text (fixture, all, 3, 4); /* accuracy against atoms */
  HAS (together, "3 runs compared");
  HAS (together, "Differences");
}

/* Scores are compared on the same splits; objectives only of one problem. */
static void
test_against (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstRecipe) other = tosst_recipe_new (), seed = tosst_recipe_new ();
  gint64 alike[] = { add_run (fixture, 20), add_run (fixture, 40) }, apart[] = { alike[0], 0 },
         moved[] = { alike[0], 0 };
  g_autofree char *text = NULL, *text_apart = NULL, *text_moved = NULL;

  other->dictionary.lambda = 0.02;
  seed->dataset.seed = 7;
  apart[1] = add_run_of (fixture, other);
  moved[1] = add_run_of (fixture, seed);
  add_splits (fixture, alike[0], 3);
  add_splits (fixture, alike[1], 3);
  add_splits (fixture, apart[1], 3);
  add_splits (fixture, moved[1], 3);
  text = report_text (fixture, alike, 2, 9); /* four of each, and both objectives */
  HAS (text, "no difference that these splits can show");
  text_apart = report_text (fixture, apart, 2, 8);
  HAS (text_apart, "no difference that these splits can show");
  text_moved = report_text (fixture, moved, 2, 8);
  g_assert_null (strstr (text_moved, "no difference that these splits can show"));
}

static void
test_damaged (Fixture *fixture, gconstpointer data)
{
  gint64 run = add_run (fixture, 20);
  g_autoptr (GBytes) nonsense = g_bytes_new_static ("nonsense", 8);
  g_autofree char *text = NULL;

  g_assert_true (tosst_store_add_artifact (fixture->store, run, 0, "model.npz", nonsense, NULL));
  g_assert_true (tosst_store_add_artifact (fixture->store, run, 1, "confusion.csv", nonsense, NULL));
  text = report_text (fixture, &run, 1, 0);
  HAS (text, "A part of this run is missing in the report");
}

static void
test_missing (Fixture *fixture, gconstpointer data)
{
  const gint64 run = 7;
  g_autoptr (GError) error = NULL, second = NULL;

  g_assert_null (tosst_report_new (fixture->store, &run, 1, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
  HAS (error->message, "has no run 7");
  g_assert_null (tosst_report_new (fixture->store, &run, 0, &second));
  g_assert_error (second, TOSST_ERROR, TOSST_FAILED_INPUT);
}

/* A run in its recorded form, with its dictionary. */
static void
test_recorded (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new_samples ();
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstStore) store = NULL;
  g_autoptr (TosstRunResult) result = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  gint64 run;
  guint wrong = 0;

  recipe->dataset.splits = 1;
  recipe->dictionary.atoms = 150; /* more than a sheet shows */
  recipe->dictionary.iterations = 1;
  recipe->dictionary.sample = 300;
  recipe->descriptor.pivots = 2;
  recipe->descriptor.patch = recipe->descriptor.step = 60;
  dataset = tosst_dataset_open (recipe, NULL, &error);
  g_assert_no_error (error);
  result = execute_recorded (fixture->file, recipe, dataset, &store, &run);
  for (guint i = 0; i < result->split[0].predictions->len; i++)
    {
      const TosstPrediction *one = &g_array_index (result->split[0].predictions, TosstPrediction, i);

      wrong += one->truth != one->predicted;
    }
  g_assert_cmpuint (wrong, >, 0);
  /* Two charts of iterations, atoms, one atom, its b, confusions, and images that were predicted wrongly. */
  text = report_text (fixture, &run, 1, 6 + MIN (wrong, 12));
  HAS (text, "Wrong images and the nearest training images");
  HAS (text, "images are classified correctly (chance: ");
  HAS (text, "150 atoms");
  HAS (text, "the first 144 of 150 atoms");
}

#define ADD(name, func) g_test_add ("/report/" name, Fixture, NULL, set_up, func, tear_down)

/* A run with several labels has no confusions, and is not called by its accuracy. */
static void
test_scores (Fixture *fixture, gconstpointer data)
{
  static const double margins[] = { 0.9, 0.1, 0.5, 0.7 };
  static const int labels[] = { 1, 1, -1, -1 };
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (TosstScores) scores = tosst_scores_new (2, 2);
  g_autoptr (GBytes) nonsense = g_bytes_new_static ("sample,margin\n", 14);
  const TosstSplitResult result = { .accuracy = 75.5, .scores = scores };
  g_autofree char *text = NULL, *compared = NULL, *damaged = NULL;

  scores->sample[1] = 1;
  memcpy (scores->margin, margins, sizeof margins);
  memcpy (scores->label, labels, sizeof labels);
  g_assert_true (tosst_recipe_set (recipe, "dataset.kind", "labels", NULL));
  gint64 runs[] = { add_run_of (fixture, recipe), add_run (fixture, 20) };
  g_assert_true (tosst_store_add_split (fixture->store, runs[0], &result, 2, NULL));
  text = report_text (fixture, runs, 1, 1); /* curves */
  HAS (text, "75.50 %");
  HAS (text, "mean average precision");
  HAS (text, "AP (11 points)");
  HAS (text, "100.00");
  HAS (text, "–"); /* of the second class, without positives */
  g_assert_null (strstr (text, "Accuracy"));
  g_assert_null (strstr (text, "onfusion"));
  add_splits (fixture, runs[1], 1);
  compared = report_text (fixture, runs, 2, 4); /* objective, parts, confusions */
  HAS (compared, "Accuracy");
  HAS (compared, "Mean average precision");
  g_assert_true (tosst_store_add_artifact (fixture->store, runs[0], 0, TOSST_STORE_SCORES, nonsense, NULL));
  damaged = report_text (fixture, runs, 1, 0);
  HAS (damaged, "the scores of split 1 are damaged");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/report/table", test_table);
  g_test_add_func ("/report/hostile", test_hostile);
  g_test_add_func ("/report/pages", test_pages);
  g_test_add_func ("/report/names", test_names);
  g_test_add_func ("/report/fields", test_fields);
  ADD ("done", test_done);
  ADD ("partial", test_partial);
  ADD ("against", test_against);
  ADD ("damaged", test_damaged);
  ADD ("missing", test_missing);
  ADD ("recorded", test_recorded);
  ADD ("scores", test_scores);
  return g_test_run ();
}
