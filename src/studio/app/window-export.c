/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/each.h"
#include "studio/app/window-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/base/atomic-file.h"
#include "core/base/error.h"
#include "core/dictionary/file.h"
#include "core/format/trace-csv.h"
#include "core/plot/draw-code.h"
#include "core/report/dictionary-export.h"
#include "core/report/report.h"
#include "core/store/project.h"
#include "studio/widgets/save-dialog.h"

#define CHART_WIDTH 900
#define CHART_HEIGHT 560
#define MATRIX_SIZE 720
#define SHEET_WIDTH 960
#define SHEET_HEIGHT 680

/* What a thread writes, copied from the window before: each kind of file has some of it. */
typedef struct
{
  TosstDictionary *dictionary;
  TosstDictionaryMeta meta;
  GFile *source;  /* to load the dictionary from; or NULL */
  int *confusion; /* classes x classes */
  int classes;
  char **class_names;
  StudioCode *code;
  GArray *groups;
  int slice;
  StudioAtom *atom;
  char *title, *facts;
} Job;

TOSST_DEFINE_FREE (Job, job_free, (dictionary, tosst_dictionary_free), (meta.recipe, g_free),
                   (meta.fingerprint, g_free), (meta.version, g_free), (source, g_object_unref), (confusion, g_free),
                   (class_names, g_strfreev), (code, studio_code_unref), (groups, g_array_unref),
                   (atom, studio_atom_unref), (title, g_free), (facts, g_free))

/* Worker. */

static gboolean
write_text (char *text, GFile *file, GError **error)
{
  g_autofree char *taken = text;

  return tosst_atomic_write (file, taken, strlen (taken), error);
}

static gboolean
has_suffix (GFile *file, const char *suffix)
{
  g_autofree char *name = g_file_get_basename (file);
  g_autofree char *lower = g_ascii_strdown (name, -1);

  return g_str_has_suffix (lower, suffix);
}

static gboolean
write_dictionary (gpointer data, GFile *file, GError **error)
{
  Job *job = data;

  if (job->source != NULL && (job->dictionary = tosst_dictionary_load (job->source, &job->meta, error)) == NULL)
    return FALSE;
  if (has_suffix (file, ".mat"))
    return tosst_dictionary_export_mat (job->dictionary, &job->meta, file, error);
  if (has_suffix (file, ".csv"))
    return tosst_dictionary_export_csv (job->dictionary, file, error);
  return tosst_dictionary_save (job->dictionary, &job->meta, file, error);
}

static void
project_free (gpointer data)
{
  TosstProject *self = data;

  tosst_recipe_free ((TosstRecipe *)self->recipe);
  tosst_dataset_unref (self->dataset);
  g_object_unref (self->store);
  tosst_model_free ((TosstModel *)self->model);
  g_free (self);
}

static gboolean
write_project (gpointer project, GFile *file, GError **error)
{
  return tosst_project_save (project, file, error);
}

static gboolean
write_chart (gpointer chart, GFile *file, GError **error)
{
  return tosst_chart_save (chart, CHART_WIDTH, CHART_HEIGHT, file, error);
}

static void
draw_confusion (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  const Job *job = data;

  tosst_draw_confusion (cr, width, height, style, job->confusion, job->classes, (const char *const *)job->class_names);
}

static void
draw_patch (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  const Job *job = data;
  const StudioCode *code = job->code;
  TosstCodeSheet sheet = { .slices = studio_code_slices (code, job->slice, job->groups),
                           .stems = { code->code, code->atoms->dictionary->K, -1 },
                           .title = job->title,
                           .facts = job->facts };

  tosst_draw_code_sheet (cr, width, height, style, &sheet);
}

static void
draw_atom (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  const Job *job = data;
  TosstAtomSheet sheet = { .matrix = studio_atom_matrix (job->atom),
                           .b = studio_atom_b (job->atom),
                           .eigenvalues = studio_atom_eigenvalues (job->atom),
                           .strip = studio_atom_strip (job->atom),
                           .title = job->title,
                           .facts = job->facts };

  tosst_draw_atom_sheet (cr, width, height, style, &sheet);
}

static gboolean
write_atoms (gpointer atoms, GFile *file, GError **error)
{
  return write_text (studio_atom_set_to_csv (atoms), file, error);
}

static gboolean
write_images (gpointer dataset, GFile *file, GError **error)
{
  return write_text (tosst_dataset_to_csv (dataset), file, error);
}

/* Main thread: the content of each kind. */

static StudioContent
drawn (Job job, TosstDrawFunc draw, double width, double height)
{
  return (StudioContent){ g_memdup2 (&job, sizeof job), job_free, NULL, draw, width, height };
}

/* The visible one: that of a file, or of the run, of the split that is shown, with its recipe and objective. */
static StudioContent
take_dictionary (gpointer window, const StudioSaveKind *kind, const char *suffix, GError **error)
{
  StudioProject *project = ((StudioWindow *)window)->project;
  StudioRunner *runner = project->runner;
  int split = project->atoms != NULL ? project->atoms->split : 0;
  const GArray *iterations = studio_runner_get_iterations (runner, split);
  Job *job = g_new0 (Job, 1);

  if (project->dictionary_file != NULL)
    job->source = g_object_ref (project->dictionary_file);
  else
    {
      job->dictionary = tosst_dictionary_copy (split > 0 ? studio_runner_get_dictionary (runner, split)
                                                         : runner->result->dictionary);
      job->meta.recipe = tosst_recipe_to_text (runner->recipe, FALSE);
      job->meta.objective = NAN;
      if (iterations != NULL && iterations->len > 0)
        {
          job->meta.objective = g_array_index (iterations, TosstIteration, iterations->len - 1).objective;
          job->meta.iterations = iterations->len;
        }
      job->meta.fingerprint = g_strdup (runner->dataset != NULL ? runner->dataset->fingerprint : NULL);
      job->meta.version = g_strdup (PACKAGE_VERSION);
    }
  return (StudioContent){ job, job_free, write_dictionary };
}

static StudioContent
take_confusion (gpointer window, const StudioSaveKind *kind, const char *suffix, GError **error)
{
  const TosstRunResult *result = ((StudioWindow *)window)->project->runner->result;
  Job job = { .classes = result->classes };

  if (strcmp (suffix, "csv") == 0)
    return (StudioContent){ tosst_run_result_confusion_csv (result), g_free };
  job.confusion = g_memdup2 (result->confusion, sizeof *job.confusion * result->classes * result->classes);
  job.class_names = g_new0 (char *, result->classes + 1);
  for (int i = 0; i < result->classes; i++)
    job.class_names[i] = g_strdup (result->class_names[i]);
  return drawn (job, draw_confusion, MATRIX_SIZE, MATRIX_SIZE);
}

/* Precision-recall curves of all classes. */
static StudioContent
take_precision (gpointer window, const StudioSaveKind *kind, const char *suffix, GError **error)
{
  const TosstRunResult *result = ((StudioWindow *)window)->project->runner->result;

  if (strcmp (suffix, "csv") == 0)
    return (StudioContent){ tosst_run_result_curves_csv (result, error), g_free };
  return (StudioContent){ tosst_precision_recall_chart (result->split[0].scores, result->class_names, error),
                          (GDestroyNotify)tosst_chart_free, write_chart };
}

/* Only the support of the code; numbers in the C locale. */
static StudioContent
take_patch (gpointer window, const StudioSaveKind *kind, const char *suffix, GError **error)
{
  StudioInspectView *view = STUDIO_INSPECT_VIEW (((StudioWindow *)window)->inspect_view);
  StudioCode *code = view->panel->code;
  Job job = { .slice = view->panel->slice };
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (strcmp (suffix, "csv") != 0)
    {
      job.code = studio_code_ref (code);
      job.groups = view->panel->groups != NULL ? g_array_ref (view->panel->groups) : NULL;
      job.title = studio_inspect_view_title (view);
      job.facts = studio_code_facts (code);
      return drawn (job, draw_patch, SHEET_WIDTH, SHEET_HEIGHT);
    }
  GString *text = g_string_new ("atom,alpha,rank\n");
  for (int k = 0; k < code->atoms->dictionary->K; k++)
    if (code->code[k] != 0)
      g_string_append_printf (text, "%d,%s,%d\n", k + 1, g_ascii_dtostr (number, sizeof number, code->code[k]),
                              code->atoms->ranks[k]);
  return (StudioContent){ g_string_free (text, FALSE), g_free };
}

static StudioAtom *
shown_atom (StudioWindow *self)
{
  return STUDIO_ATOM_PANEL (STUDIO_ATOMS_VIEW (self->atoms_view)->panel)->atom;
}

static StudioContent
take_atom (gpointer window, const StudioSaveKind *kind, const char *suffix, GError **error)
{
  StudioAtom *atom = shown_atom (window);
  const Job job
      = { .atom = studio_atom_ref (atom), .title = studio_atom_title (atom), .facts = studio_atom_facts (atom) };

  return drawn (job, draw_atom, SHEET_WIDTH, SHEET_HEIGHT);
}

static StudioContent
take_image (gpointer window, const StudioSaveKind *kind, const char *suffix, GError **error)
{
  StudioImageSheet *image = studio_data_view_copy_image (STUDIO_DATA_VIEW (((StudioWindow *)window)->data_view));
  double width, height;

  studio_image_sheet_size (image, SHEET_WIDTH, &width, &height);
  return (
      StudioContent){ image, (GDestroyNotify)studio_image_sheet_free, NULL, studio_image_sheet_draw, width, height };
}

static StudioContent
take_chart (gpointer window, const StudioSaveKind *kind, const char *suffix, GError **error)
{
  TosstChart *chart = tosst_chart_copy (STUDIO_LEARN_VIEW (((StudioWindow *)window)->learn_view)->chart);

  /* The heading of the window is missing in a file, so the picture has a title. */
  tosst_chart_set_title (chart, _ ("Objective"));
  return (StudioContent){ chart, (GDestroyNotify)tosst_chart_free, write_chart };
}

/* A page for people, or all numbers. A run that is not in the store has the latter only. */
static StudioContent
take_report (gpointer window, const StudioSaveKind *kind, const char *suffix, GError **error)
{
  StudioProject *project = ((StudioWindow *)window)->project;

  if (strcmp (suffix, "json") == 0)
    return (StudioContent){ tosst_run_result_to_json (project->runner->result, project->runner->recipe), g_free };
  if (project->runner->run != 0)
    return studio_report_content (project->workspace->file, project->runner->run);
  tosst_fail (error, TOSST_FAILED_INPUT, "%s", _ ("This run is not recorded: its report can only be saved as .json"));
  return (StudioContent){ NULL };
}

/* The recipe, with the runs on its data set and the model of the last one. */
static StudioContent
take_project (gpointer window, const StudioSaveKind *kind, const char *suffix, GError **error)
{
  StudioProject *project = ((StudioWindow *)window)->project;
  TosstModel *model = project->runner->model;
  const TosstProject job = { tosst_recipe_copy (project->model->recipe), tosst_dataset_ref (project->dataset),
                             strcmp (kind->kind, "project-images") == 0, g_object_ref (project->workspace->file),
                             model != NULL ? tosst_model_share (model) : NULL };

  return (StudioContent){ g_memdup2 (&job, sizeof job), project_free, write_project };
}

/* Kinds that are a text, or made of one object by the thread. */
static StudioContent
take_numbers (gpointer window, const StudioSaveKind *kind, const char *suffix, GError **error)
{
  StudioWindow *self = window;
  StudioRunner *runner = self->project->runner;

  if (strcmp (kind->kind, "atoms") == 0)
    return (StudioContent){ studio_atom_set_ref (self->project->atoms), (GDestroyNotify)studio_atom_set_unref,
                            write_atoms };
  if (strcmp (kind->kind, "images") == 0)
    return (StudioContent){ tosst_dataset_ref (self->project->dataset), (GDestroyNotify)tosst_dataset_unref,
                            write_images };
  if (strcmp (kind->kind, "counts") == 0)
    return (StudioContent){ tosst_run_result_confusion_csv (runner->result), g_free };
  if (strcmp (kind->kind, "scores") == 0)
    return (StudioContent){ tosst_run_result_scores_csv (runner->result, runner->dataset), g_free };
  if (strcmp (kind->kind, "recipe") == 0)
    return (StudioContent){ tosst_recipe_to_text (self->project->model->recipe, TRUE), g_free };
  const GArray *iterations = studio_runner_get_iterations (runner, STUDIO_LEARN_VIEW (self->learn_view)->split);
  return (StudioContent){ tosst_trace_to_csv ((const TosstIteration *)iterations->data, iterations->len), g_free };
}

static const StudioSaveKind kinds[] = {
  { "dictionary", N_ ("Export Dictionary (NPZ, MAT or CSV)"), "dictionary.npz", "npz mat csv", take_dictionary },
  { "curve", N_ ("Export Curve as CSV"), "objective.csv", "csv", take_numbers },
  { "chart", N_ ("Export Chart (SVG, PDF or PNG)"), "objective.svg", "svg pdf png", take_chart },
  { "confusion", N_ ("Export Confusion Matrix (SVG, PDF, PNG or CSV)"), "confusion.svg", "svg pdf png csv",
    take_confusion },
  { "counts", N_ ("Export Confusion Matrix as CSV"), "confusion.csv", "csv", take_numbers },
  { "precision", N_ ("Export Precision-Recall Curves (SVG, PDF, PNG or CSV)"), "precision-recall.svg",
    "svg pdf png csv", take_precision },
  { "scores", N_ ("Export Scores as CSV"), "scores.csv", "csv", take_numbers },
  { "image", N_ ("Export Image with Its Grids (SVG, PDF or PNG)"), "image.png", "png svg pdf", take_image },
  { "images", N_ ("Export List of Images as CSV"), "images.csv", "csv", take_numbers },
  { "code", N_ ("Export Code as CSV"), "code.csv", "csv", take_patch },
  { "patch", N_ ("Export Patch and Code (SVG, PDF, PNG or CSV)"), "patch.svg", "svg pdf png csv", take_patch },
  { "atom", N_ ("Export Atom (SVG, PDF or PNG)"), "atom.svg", "svg pdf png", take_atom },
  { "atoms", N_ ("Export Table of Atoms as CSV"), "atoms.csv", "csv", take_numbers },
  { "report", N_ ("Export Report (HTML, PDF or JSON)"), "report.html", "html pdf json", take_report },
  { "project", N_ ("Save Project"), "work.tosst-project", "tosst-project", take_project },
  { "project-images", N_ ("Save Project with Its Images"), "work.tosst-project", "tosst-project", take_project },
  { "recipe", N_ ("Save Recipe"), "recipe.tosst", "tosst ini", take_numbers },
};

static gboolean
can_write (gpointer window, const char *kind)
{
  StudioWindow *self = window;
  const TosstRunResult *result = self->project->runner->result;

  if (strcmp (kind, "recipe") == 0)
    return TRUE;
  if (strcmp (kind, "atom") == 0)
    return shown_atom (self) != NULL;
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

/* A failure stays until dismissed; without a data set, whose page shows it, it is a toast. */
static void
on_written (StudioWindow *self, const char *sentence, const char *problem, GFile *file)
{
  if (gtk_widget_get_root (self->toasts) == NULL) /* the window is being closed */
    return;
  if (problem != NULL && self->project->dataset != NULL)
    studio_window_show_problem (self, sentence);
  else
    studio_window_toast (self, sentence);
}

static const StudioExports exports = { kinds, G_N_ELEMENTS (kinds), can_write, G_CALLBACK (on_written) };

/* The export menu follows the visible view: its picture, its numbers, and the functions that write them. */

typedef struct
{
  const char *view, *picture, *numbers;
} ViewExports;

static const ViewExports view_exports[] = {
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
  return g_strcmp0 (shown_view (self), "sweep") == 0 && studio_export_can (self->sweep_view, "recipe");
}

/* The widget that writes the file, and the kind of export. */
typedef struct
{
  gpointer widget;  /* the window, or the Sweep, the Compare or the Predict view */
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

  for (guint i = 0; i < G_N_ELEMENTS (view_exports); i++)
    if (g_strcmp0 (view_exports[i].view, shown) == 0)
      of = &view_exports[i];
  if (picture || numbers)
    kind = of == NULL ? NULL : picture ? of->picture : of->numbers;
  if (g_strcmp0 (shown, "sweep") == 0
      && (picture || numbers || (strcmp (kind, "recipe") == 0 && studio_window_shows_sweep (self))))
    return (Target){ self->sweep_view, kind };
  if (g_strcmp0 (shown, "compare") == 0 && (picture || numbers || strcmp (kind, "report") == 0))
    return (Target){ self->compare_view, kind };
  if (g_strcmp0 (shown, "predict") == 0 && (picture || numbers))
    return (Target){ self->predict_view, kind };
  return (Target){ self, kind != NULL ? kind_of_result (self, kind) : NULL };
}

static gboolean
can_export (StudioWindow *self, const char *kind)
{
  Target target = find_target (self, kind);

  return target.kind != NULL && studio_export_can (target.widget, target.kind);
}

/* Actions. */

static void
copy_command (StudioWindow *self)
{
  if (find_target (self, "recipe").widget != self)
    {
      gtk_widget_activate_action (self->sweep_view, "sweep.copy-command", NULL);
      return;
    }
  g_autofree char *command = tosst_recipe_command (self->project->model->recipe);
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
  else
    studio_export_write (target.widget, target.kind, file);
}

static void
export_as (StudioWindow *self, const char *name)
{
  g_autofree char *kind = kind_of (name);
  Target target = find_target (self, kind);

  if (target.kind != NULL)
    studio_export_ask (target.widget, target.kind);
}

static void
update_actions (StudioWindow *self)
{
  static const char *const names[]
      = { "picture", "numbers", "dictionary", "report", "curve", "chart", "confusion", "atom", "atoms", "patch" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *action = g_strdup_printf ("win.export-%s-as", names[i]);
      studio_enable (self, action, can_export (self, names[i]));
    }
}

void
studio_window_install_export_actions (GtkWidgetClass *widget_class)
{
  static const char *const names[]
      = { "picture", "numbers", "dictionary", "curve",  "chart",   "confusion",     "patch",
          "atom",    "atoms",   "report",     "recipe", "project", "project-images" };

  STUDIO_INSTALL_WINDOW_ACTIONS (widget_class, ("win.copy-command", NULL, copy_command));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *to = g_strconcat ("win.export-", names[i], NULL), *as = g_strconcat (to, "-as", NULL);

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

  studio_exports_set (self, &exports);
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    g_signal_connect_object (changes[i].object, changes[i].signal, G_CALLBACK (update_actions), self,
                             G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  update_actions (self);
}
