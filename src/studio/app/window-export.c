/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/each.h"
#include "studio/app/window-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/base/atomic-file.h"
#include "core/dictionary/file.h"
#include "core/format/trace-csv.h"
#include "core/plot/draw-code.h"
#include "core/report/dictionary-export.h"
#include "core/report/report.h"
#include "core/store/project.h"
#include "studio/tasks/task.h"
#include "studio/widgets/save-dialog.h"

#define CHART_WIDTH 900
#define CHART_HEIGHT 560
#define MATRIX_SIZE 720
#define SHEET_WIDTH 960
#define SHEET_HEIGHT 680

/* The exported data, copied from the window before a thread writes it. */
typedef struct WriteJob WriteJob;
struct WriteJob
{
  gboolean (*write) (WriteJob *self, GError **error);
  GFile *file;
  char *text;
  TosstDictionary *dictionary;
  TosstDictionaryMeta meta;
  TosstChart *chart;
  int *confusion; /* classes x classes */
  int classes;
  char **class_names;
  StudioCode *code;
  StudioAtom *atom;
  StudioAtomSet *atoms;
  GFile *source; /* file to load the dictionary from, or the store of the run; or NULL */
  gint64 run;
  TosstDataset *dataset;
  TosstRecipe *recipe;
  TosstModel *model;
  gboolean images; /* are part of the project */
  StudioImageSheet *image;
  GArray *groups;
  int slice;
  char *title, *facts;
};

TOSST_DEFINE_FREE (WriteJob, write_job_free, (file, g_object_unref), (text, g_free),
                   (dictionary, tosst_dictionary_free), (meta.recipe, g_free), (meta.fingerprint, g_free),
                   (meta.version, g_free), (chart, tosst_chart_free), (confusion, g_free), (class_names, g_strfreev),
                   (code, studio_code_unref), (atom, studio_atom_unref), (atoms, studio_atom_set_unref),
                   (source, g_object_unref), (dataset, tosst_dataset_unref), (recipe, tosst_recipe_free),
                   (model, tosst_model_free), (image, studio_image_sheet_free), (groups, g_array_unref),
                   (title, g_free), (facts, g_free))

static WriteJob *
write_job_new (GFile *file, gboolean (*write) (WriteJob *self, GError **error))
{
  WriteJob *job = g_new0 (WriteJob, 1);

  job->file = g_object_ref (file);
  job->write = write;
  return job;
}

/* Worker. */

static gboolean
write_text_job (WriteJob *job, GError **error)
{
  return tosst_atomic_write (job->file, job->text, strlen (job->text), error);
}

static gboolean
has_suffix (GFile *file, const char *suffix)
{
  g_autofree char *name = g_file_get_basename (file);
  g_autofree char *lower = g_ascii_strdown (name, -1);

  return g_str_has_suffix (lower, suffix);
}

static gboolean
write_dictionary_job (WriteJob *job, GError **error)
{
  if (job->source != NULL && (job->dictionary = tosst_dictionary_load (job->source, &job->meta, error)) == NULL)
    return FALSE;
  if (has_suffix (job->file, ".mat"))
    return tosst_dictionary_export_mat (job->dictionary, &job->meta, job->file, error);
  if (has_suffix (job->file, ".csv"))
    return tosst_dictionary_export_csv (job->dictionary, job->file, error);
  return tosst_dictionary_save (job->dictionary, &job->meta, job->file, error);
}

static gboolean
write_project_job (WriteJob *job, GError **error)
{
  return tosst_project_save (&(TosstProject){ job->recipe, job->dataset, job->images, job->source, job->model },
                             job->file, error);
}

static gboolean
write_chart_job (WriteJob *job, GError **error)
{
  return tosst_chart_save (job->chart, CHART_WIDTH, CHART_HEIGHT, job->file, error);
}

static void
draw_confusion (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  const WriteJob *job = data;

  tosst_draw_confusion (cr, width, height, style, job->confusion, job->classes, (const char *const *)job->class_names);
}

static gboolean
write_confusion_job (WriteJob *job, GError **error)
{
  return tosst_draw_save (draw_confusion, job, MATRIX_SIZE, MATRIX_SIZE, job->file, error);
}

static void
draw_patch (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  const WriteJob *job = data;
  const StudioCode *code = job->code;
  TosstCodeSheet sheet = { .slices = studio_code_slices (code, job->slice, job->groups),
                           .stems = { code->code, code->atoms->dictionary->K, -1 },
                           .title = job->title,
                           .facts = job->facts };

  tosst_draw_code_sheet (cr, width, height, style, &sheet);
}

static gboolean
write_patch_job (WriteJob *job, GError **error)
{
  return tosst_draw_save (draw_patch, job, SHEET_WIDTH, SHEET_HEIGHT, job->file, error);
}

static void
draw_atom (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  const WriteJob *job = data;
  TosstAtomSheet sheet = { .matrix = studio_atom_matrix (job->atom),
                           .b = studio_atom_b (job->atom),
                           .eigenvalues = studio_atom_eigenvalues (job->atom),
                           .strip = studio_atom_strip (job->atom),
                           .title = job->title,
                           .facts = job->facts };

  tosst_draw_atom_sheet (cr, width, height, style, &sheet);
}

static gboolean
write_atom_job (WriteJob *job, GError **error)
{
  return tosst_draw_save (draw_atom, job, SHEET_WIDTH, SHEET_HEIGHT, job->file, error);
}

static gboolean
write_atoms_job (WriteJob *job, GError **error)
{
  job->text = studio_atom_set_to_csv (job->atoms);
  return write_text_job (job, error);
}

static gboolean
write_images_job (WriteJob *job, GError **error)
{
  job->text = tosst_dataset_to_csv (job->dataset);
  return write_text_job (job, error);
}

static gboolean
write_image_job (WriteJob *job, GError **error)
{
  double width, height;

  studio_image_sheet_size (job->image, SHEET_WIDTH, &width, &height);
  return tosst_draw_save (studio_image_sheet_draw, job->image, width, height, job->file, error);
}

/* From the store. */
static gboolean
write_report_job (WriteJob *job, GError **error)
{
  g_autoptr (TosstStore) store = tosst_store_open (job->source, TOSST_STORE_READ, error);

  return store != NULL && tosst_report_save (store, &job->run, 1, job->file, error);
}

static gboolean
write_job (gpointer data, GFile *file, GError **error)
{
  WriteJob *job = data;

  return job->write (job, error);
}

/* Main thread. */

/* A failure stays until dismissed; without a data set, whose page shows it, it is a toast. */
static void
on_written (GObject *window, GFile *file, const char *problem)
{
  StudioWindow *self = (StudioWindow *)window;
  g_autofree char *text = studio_written_sentence (file, problem);

  if (gtk_widget_get_root (self->toasts) == NULL) /* the window is being closed */
    return;
  if (problem != NULL && self->project->dataset != NULL)
    studio_window_show_problem (self, text);
  else
    studio_window_toast (self, text);
}

static void
write_in_thread (StudioWindow *self, WriteJob *job)
{
  studio_write_in_background (job->file, write_job, job, write_job_free, G_OBJECT (self), on_written);
}

static void
write_text (StudioWindow *self, GFile *file, char *text)
{
  WriteJob *job = write_job_new (file, write_text_job);

  job->text = text;
  write_in_thread (self, job);
}

/* The dictionary of the run, of the split that is shown, with its recipe and objective. */
static void
write_learned (StudioWindow *self, GFile *file)
{
  const TosstRunResult *result = self->project->runner->result;
  TosstDataset *dataset = self->project->runner->dataset;
  int split = self->project->atoms != NULL ? self->project->atoms->split : 0;
  const GArray *iterations = studio_runner_get_iterations (self->project->runner, split);
  WriteJob *job = write_job_new (file, write_dictionary_job);

  job->dictionary = tosst_dictionary_copy (split > 0 ? studio_runner_get_dictionary (self->project->runner, split)
                                                     : result->dictionary);
  job->meta.recipe = tosst_recipe_to_text (self->project->runner->recipe, FALSE);
  job->meta.objective = NAN;
  if (iterations != NULL && iterations->len > 0)
    {
      job->meta.objective = g_array_index (iterations, TosstIteration, iterations->len - 1).objective;
      job->meta.iterations = iterations->len;
    }
  job->meta.fingerprint = g_strdup (dataset != NULL ? tosst_dataset_fingerprint (dataset) : NULL);
  job->meta.version = g_strdup (PACKAGE_VERSION);
  write_in_thread (self, job);
}

/* The visible one. */
static void
write_dictionary (StudioWindow *self, GFile *file)
{
  WriteJob *job;

  if (self->project->dictionary_file == NULL)
    {
      write_learned (self, file);
      return;
    }
  job = write_job_new (file, write_dictionary_job);
  job->source = g_object_ref (self->project->dictionary_file);
  write_in_thread (self, job);
}

static void
write_confusion (StudioWindow *self, GFile *file)
{
  const TosstRunResult *result = self->project->runner->result;
  WriteJob *job;

  if (has_suffix (file, ".csv"))
    {
      write_text (self, file, tosst_run_result_confusion_csv (result));
      return;
    }
  job = write_job_new (file, write_confusion_job);
  job->classes = result->classes;
  job->confusion = g_memdup2 (result->confusion, sizeof *job->confusion * job->classes * job->classes);
  job->class_names = g_new0 (char *, job->classes + 1);
  for (int i = 0; i < job->classes; i++)
    job->class_names[i] = g_strdup (result->class_names[i]);
  write_in_thread (self, job);
}

/* Precision-recall curves of all classes. */
static void
write_precision (StudioWindow *self, GFile *file)
{
  const TosstRunResult *result = self->project->runner->result;
  gboolean numbers = has_suffix (file, ".csv");
  g_autoptr (GError) error = NULL;
  char *text = numbers ? tosst_run_result_curves_csv (result, &error) : NULL;
  TosstChart *chart
      = numbers ? NULL : tosst_precision_recall_chart (result->split[0].scores, result->class_names, &error);
  WriteJob *job;

  if (error != NULL)
    {
      studio_window_show_problem (self, error->message);
      return;
    }
  job = write_job_new (file, numbers ? write_text_job : write_chart_job);
  job->text = text;
  job->chart = chart;
  write_in_thread (self, job);
}

/* Only the support; numbers in the C locale. */
static void
write_code (StudioWindow *self, GFile *file)
{
  StudioCodePanel *panel = STUDIO_INSPECT_VIEW (self->inspect_view)->panel;
  const StudioCode *code = panel->code;
  GString *text = g_string_new ("atom,alpha,rank\n");
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  for (int k = 0; k < code->atoms->dictionary->K; k++)
    if (code->code[k] != 0)
      g_string_append_printf (text, "%d,%s,%d\n", k + 1, g_ascii_dtostr (number, sizeof number, code->code[k]),
                              code->atoms->ranks[k]);
  write_text (self, file, g_string_free (text, FALSE));
}

static void
write_patch (StudioWindow *self, GFile *file)
{
  StudioInspectView *view = STUDIO_INSPECT_VIEW (self->inspect_view);
  StudioCodePanel *panel = view->panel;
  StudioCode *code = panel->code;
  GArray *groups = panel->groups;
  WriteJob *job;

  if (has_suffix (file, ".csv"))
    {
      write_code (self, file);
      return;
    }
  job = write_job_new (file, write_patch_job);
  job->code = studio_code_ref (code);
  job->groups = groups != NULL ? g_array_ref (groups) : NULL;
  job->slice = panel->slice;
  job->title = studio_inspect_view_title (view);
  job->facts = studio_code_facts (code);
  write_in_thread (self, job);
}

static void
write_atom (StudioWindow *self, GFile *file)
{
  WriteJob *job = write_job_new (file, write_atom_job);

  job->atom = studio_atom_ref (STUDIO_ATOM_PANEL (STUDIO_ATOMS_VIEW (self->atoms_view)->panel)->atom);
  job->title = studio_atom_title (job->atom);
  job->facts = studio_atom_facts (job->atom);
  write_in_thread (self, job);
}

static void
write_atoms (StudioWindow *self, GFile *file)
{
  WriteJob *job = write_job_new (file, write_atoms_job);

  job->atoms = studio_atom_set_ref (self->project->atoms);
  write_in_thread (self, job);
}

static void
write_image (StudioWindow *self, GFile *file)
{
  WriteJob *job = write_job_new (file, write_image_job);

  job->image = studio_data_view_copy_image (STUDIO_DATA_VIEW (self->data_view));
  write_in_thread (self, job);
}

static void
write_images (StudioWindow *self, GFile *file)
{
  WriteJob *job = write_job_new (file, write_images_job);

  job->dataset = tosst_dataset_ref (self->project->dataset);
  write_in_thread (self, job);
}

/* A page for people, or all numbers. A run that is not in the store has the latter only. */
static void
write_report (StudioWindow *self, GFile *file)
{
  StudioRunner *runner = self->project->runner;
  WriteJob *job;

  if (has_suffix (file, ".json"))
    {
      write_text (self, file, tosst_run_result_to_json (runner->result, runner->recipe));
      return;
    }
  if (runner->run == 0)
    {
      studio_window_show_problem (self, _ ("This run is not recorded: its report can only be saved as .json"));
      return;
    }
  job = write_job_new (file, write_report_job);
  job->source = g_object_ref (self->project->workspace->file);
  job->run = runner->run;
  write_in_thread (self, job);
}

/* The recipe, with the runs on its data set and the model of the last one. */
static void
write_project (StudioWindow *self, GFile *file, gboolean images)
{
  WriteJob *job = write_job_new (file, write_project_job);
  TosstModel *model = self->project->runner->model;

  job->recipe = tosst_recipe_copy (self->project->model->recipe);
  job->dataset = tosst_dataset_ref (self->project->dataset);
  job->source = g_object_ref (self->project->workspace->file);
  job->model = model != NULL ? tosst_model_share (model) : NULL;
  job->images = images;
  write_in_thread (self, job);
}

/* kind is "dictionary", "curve", "chart", "confusion", "counts", "patch", "code", "atom", "atoms", "image", "images",
 * "report" or "recipe". */
static gboolean
can_write (StudioWindow *self, const char *kind)
{
  const TosstRunResult *result = self->project->runner->result;

  if (strcmp (kind, "recipe") == 0)
    return TRUE;
  if (strcmp (kind, "atom") == 0)
    return STUDIO_ATOM_PANEL (STUDIO_ATOMS_VIEW (self->atoms_view)->panel)->atom != NULL;
  if (strcmp (kind, "atoms") == 0)
    return self->project->atoms != NULL;
  if (strcmp (kind, "image") == 0)
    return studio_data_view_has_image (STUDIO_DATA_VIEW (self->data_view));
  if (strcmp (kind, "images") == 0 || strcmp (kind, "project") == 0)
    return self->project->dataset != NULL;
  if (strcmp (kind, "project-images") == 0)
    return self->project->dataset != NULL
           && tosst_project_takes_images (self->project->model->recipe, self->project->dataset);
  if (strcmp (kind, "patch") == 0 || strcmp (kind, "code") == 0)
    return STUDIO_INSPECT_VIEW (self->inspect_view)->panel->code != NULL;
  if (strcmp (kind, "curve") == 0 || strcmp (kind, "chart") == 0)
    return self->project->runner->last_split >= 0;
  if (strcmp (kind, "dictionary") == 0)
    return self->project->dictionary_file != NULL || (result != NULL && result->dictionary != NULL);
  if (strcmp (kind, "precision") == 0 || strcmp (kind, "scores") == 0)
    return result != NULL && result->splits > 0 && result->split[0].scores != NULL
           && self->project->runner->dataset != NULL;
  return result != NULL && result->splits > 0;
}

static void
write_kind (StudioWindow *self, const char *kind, GFile *file)
{
  const TosstRunResult *result = self->project->runner->result;

  if (!can_write (self, kind))
    studio_window_toast (self, _ ("There is nothing to export yet"));
  else if (strcmp (kind, "dictionary") == 0)
    write_dictionary (self, file);
  else if (strcmp (kind, "curve") == 0)
    {
      const GArray *iterations
          = studio_runner_get_iterations (self->project->runner, STUDIO_LEARN_VIEW (self->learn_view)->split);
      write_text (self, file, tosst_trace_to_csv ((const TosstIteration *)iterations->data, iterations->len));
    }
  else if (strcmp (kind, "chart") == 0)
    {
      WriteJob *job = write_job_new (file, write_chart_job);

      job->chart = tosst_chart_copy (STUDIO_LEARN_VIEW (self->learn_view)->chart);
      /* The heading of the window is missing in a file, so the picture has a title. */
      tosst_chart_set_title (job->chart, _ ("Objective"));
      write_in_thread (self, job);
    }
  else if (strcmp (kind, "counts") == 0)
    write_text (self, file, tosst_run_result_confusion_csv (result));
  else if (strcmp (kind, "scores") == 0)
    write_text (self, file, tosst_run_result_scores_csv (result, self->project->runner->dataset));
  else if (strcmp (kind, "precision") == 0)
    write_precision (self, file);
  else if (strcmp (kind, "image") == 0)
    write_image (self, file);
  else if (strcmp (kind, "images") == 0)
    write_images (self, file);
  else if (strcmp (kind, "code") == 0)
    write_code (self, file);
  else if (strcmp (kind, "confusion") == 0)
    write_confusion (self, file);
  else if (strcmp (kind, "atom") == 0)
    write_atom (self, file);
  else if (strcmp (kind, "atoms") == 0)
    write_atoms (self, file);
  else if (strcmp (kind, "patch") == 0)
    write_patch (self, file);
  else if (strcmp (kind, "report") == 0)
    write_report (self, file);
  else if (g_str_has_prefix (kind, "project"))
    write_project (self, file, strcmp (kind, "project-images") == 0);
  else
    write_text (self, file, tosst_recipe_to_text (self->project->model->recipe, TRUE));
}

/* The dialog. */

static void
show_save_dialog (StudioWindow *self, const char *kind)
{
  static const StudioSaveKind kinds[] = {
    { "dictionary", N_ ("Export Dictionary (NPZ, MAT or CSV)"), "dictionary.npz", "npz mat csv" },
    { "curve", N_ ("Export Curve as CSV"), "objective.csv", "csv" },
    { "chart", N_ ("Export Chart (SVG, PDF or PNG)"), "objective.svg", "svg pdf png" },
    { "confusion", N_ ("Export Confusion Matrix (SVG, PDF, PNG or CSV)"), "confusion.svg", "svg pdf png csv" },
    { "counts", N_ ("Export Confusion Matrix as CSV"), "confusion.csv", "csv" },
    { "precision", N_ ("Export Precision-Recall Curves (SVG, PDF, PNG or CSV)"), "precision-recall.svg",
      "svg pdf png csv" },
    { "scores", N_ ("Export Scores as CSV"), "scores.csv", "csv" },
    { "image", N_ ("Export Image with Its Grids (SVG, PDF or PNG)"), "image.png", "png svg pdf" },
    { "images", N_ ("Export List of Images as CSV"), "images.csv", "csv" },
    { "code", N_ ("Export Code as CSV"), "code.csv", "csv" },
    { "patch", N_ ("Export Patch and Code (SVG, PDF, PNG or CSV)"), "patch.svg", "svg pdf png csv" },
    { "atom", N_ ("Export Atom (SVG, PDF or PNG)"), "atom.svg", "svg pdf png" },
    { "atoms", N_ ("Export Table of Atoms as CSV"), "atoms.csv", "csv" },
    { "report", N_ ("Export Report (HTML, PDF or JSON)"), "report.html", "html pdf json" },
    { "project", N_ ("Save Project"), "work.tosst-project", "tosst-project" },
    { "project-images", N_ ("Save Project with Its Images"), "work.tosst-project", "tosst-project" },
    { "recipe", N_ ("Save Recipe"), "recipe.tosst", "tosst ini" },
  };

  studio_save_dialog (GTK_WIDGET (self), kinds, G_N_ELEMENTS (kinds), kind, (StudioSaveChosen)write_kind);
}

/* The export menu follows the visible view: its picture, its numbers, and the functions that write them. */

typedef struct
{
  const char *view, *picture, *numbers;
} ViewExports;

static const ViewExports exports[] = {
  { "data", "image", "images" },         { "learn", "chart", "curve" },        { "atoms", "atom", "atoms" },
  { "inspect", "patch", "code" },        { "results", "confusion", "counts" }, { "sweep", "picture", "table" },
  { "compare", "objective", "numbers" }, { "predict", "map", "predictions" },
};

/* NULL: none of a project. */
static const char *
shown_view (StudioWindow *self)
{
  gboolean work = g_strcmp0 (gtk_stack_get_visible_child_name (GTK_STACK (self->pages)), "work") == 0;

  return work ? adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (self->views)) : NULL;
}

gboolean
studio_window_shows_sweep (StudioWindow *self)
{
  return g_strcmp0 (shown_view (self), "sweep") == 0
         && studio_sweep_view_can_export (STUDIO_SWEEP_VIEW (self->sweep_view), "recipe");
}

/* The widget that writes the file, and the kind of export. */
typedef struct
{
  GtkWidget *view;  /* the Sweep, the Compare or the Predict view; NULL: the window */
  const char *kind; /* NULL: not available */
} Target;

/* A run with several labels an image has curves and scores instead of a confusion matrix. */
static const char *
kind_of_result (StudioWindow *self, const char *kind)
{
  const TosstRunResult *result = self->project->runner->result;

  if (result == NULL || result->score == TOSST_SCORE_ACCURACY)
    return kind;
  return strcmp (kind, "confusion") == 0 ? "precision" : strcmp (kind, "counts") == 0 ? "scores" : kind;
}

static Target
find_target (StudioWindow *self, const char *kind)
{
  const char *shown = shown_view (self);
  const ViewExports *of = NULL;
  gboolean picture = strcmp (kind, "picture") == 0, numbers = strcmp (kind, "numbers") == 0;

  for (guint i = 0; i < G_N_ELEMENTS (exports); i++)
    if (g_strcmp0 (exports[i].view, shown) == 0)
      of = &exports[i];
  if (picture || numbers)
    kind = of == NULL ? NULL : picture ? of->picture : of->numbers;
  if (g_strcmp0 (shown, "sweep") == 0
      && (picture || numbers || (strcmp (kind, "recipe") == 0 && studio_window_shows_sweep (self))))
    return (Target){ self->sweep_view, kind };
  if (g_strcmp0 (shown, "compare") == 0 && (picture || numbers || strcmp (kind, "report") == 0))
    return (Target){ self->compare_view, kind };
  if (g_strcmp0 (shown, "predict") == 0 && (picture || numbers))
    return (Target){ self->predict_view, kind };
  return (Target){ NULL, kind != NULL ? kind_of_result (self, kind) : NULL };
}

static gboolean
can_export (StudioWindow *self, const char *kind)
{
  Target target = find_target (self, kind);
  StudioCompareSet *set;

  if (target.kind == NULL)
    return FALSE;
  if (target.view == NULL)
    return can_write (self, target.kind);
  if (target.view == self->sweep_view)
    return studio_sweep_view_can_export (STUDIO_SWEEP_VIEW (self->sweep_view), target.kind);
  if (target.view == self->predict_view)
    return studio_predict_view_can_export (STUDIO_PREDICT_VIEW (self->predict_view), target.kind);
  set = STUDIO_COMPARE_VIEW (self->compare_view)->set;
  return set != NULL && set->runs->len > 0;
}

/* Actions. */

static void
copy_command (StudioWindow *self)
{
  g_autofree char *command = NULL;

  if (find_target (self, "recipe").view != NULL)
    {
      gtk_widget_activate_action (self->sweep_view, "sweep.copy-command", NULL);
      return;
    }
  command = tosst_recipe_command (self->project->model->recipe);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), command);
  studio_window_toast (self, _ ("Command copied"));
}

/* "win.export-chart" takes a path, "win.export-chart-as" opens a file dialog. */
static char *
kind_of (const char *action)
{
  g_autofree char *kind = g_strdup (action + strlen ("win.export-"));

  if (g_str_has_suffix (kind, "-as"))
    kind[strlen (kind) - strlen ("-as")] = 0;
  return g_steal_pointer (&kind);
}

static void
export_to (StudioWindow *self, const char *name, GVariant *parameter)
{
  g_autofree char *kind = kind_of (name);
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (g_variant_get_string (parameter, NULL));
  Target target = find_target (self, kind);

  if (target.kind == NULL)
    studio_window_toast (self, _ ("There is nothing to export yet"));
  else if (target.view == NULL)
    write_kind (self, target.kind, file);
  else if (target.view == self->sweep_view)
    studio_sweep_view_export (STUDIO_SWEEP_VIEW (self->sweep_view), target.kind, file);
  else if (target.view == self->predict_view)
    studio_predict_view_export (STUDIO_PREDICT_VIEW (self->predict_view), target.kind, file);
  else
    studio_compare_view_export (STUDIO_COMPARE_VIEW (self->compare_view), target.kind, file);
}

static void
export_as (StudioWindow *self, const char *name)
{
  g_autofree char *kind = kind_of (name);
  Target target = find_target (self, kind);

  if (target.kind == NULL)
    return;
  if (target.view == NULL)
    show_save_dialog (self, target.kind);
  else if (target.view == self->sweep_view)
    studio_sweep_view_export_dialog (STUDIO_SWEEP_VIEW (self->sweep_view), target.kind);
  else if (target.view == self->predict_view)
    studio_predict_view_export_dialog (STUDIO_PREDICT_VIEW (self->predict_view), target.kind);
  else
    gtk_widget_activate_action (target.view, "compare.export", "s", target.kind);
}

static void
update_actions (StudioWindow *self)
{
  static const char *const kinds[]
      = { "picture", "numbers", "dictionary", "report", "curve", "chart", "confusion", "atom", "atoms", "patch" };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *action = g_strdup_printf ("win.export-%s-as", kinds[i]);
      gtk_widget_action_set_enabled (GTK_WIDGET (self), action, can_export (self, kinds[i]));
    }
}

void
studio_window_install_export_actions (GtkWidgetClass *widget_class)
{
  static const char *const kinds[]
      = { "picture", "numbers", "dictionary", "curve",  "chart",   "confusion",     "patch",
          "atom",    "atoms",   "report",     "recipe", "project", "project-images" };

  STUDIO_INSTALL_WINDOW_ACTIONS (widget_class, ("win.copy-command", NULL, copy_command));
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *to = g_strconcat ("win.export-", kinds[i], NULL), *as = g_strconcat (to, "-as", NULL);

      STUDIO_INSTALL_WINDOW_ACTIONS (widget_class, (g_intern_string (to), "s", export_to),
                                     (g_intern_string (as), NULL, export_as));
    }
}

void
studio_window_exports_init (StudioWindow *self)
{
  StudioSweepPlanner *sweep = self->project->sweep;
  GtkPopover *menu = gtk_menu_button_get_popover (GTK_MENU_BUTTON (self->menu_button));
  const struct
  {
    gpointer object;
    const char *signal;
  } changes[] = {
    { self->project, "changed" },
    { self->inspect_view, "changed" },
    { self->atoms_view, "changed" },
    { self->pages, "notify::visible-child" },
    { self->views, "notify::visible-child" },
    { menu, "show" },
    { sweep, "planned" },
    { sweep, "run" },
    { self->compare_view, "changed" },
    { self->predict_view, "changed" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    g_signal_connect_object (changes[i].object, changes[i].signal, G_CALLBACK (update_actions), self,
                             G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  update_actions (self);
}
