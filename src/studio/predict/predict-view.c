/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/predict/predict-view.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/error.h"
#include "core/image/files.h"
#include "studio/tasks/task.h"
#include "studio/widgets/build.h"
#include "studio/widgets/fold.h"
#include "studio/widgets/format.h"
#include "studio/widgets/save-dialog.h"
#include "studio/widgets/table-columns.h"

#define ROW_SIDE 40
#define MOST_LINES 3 /* of a name, and of why there is no prediction */

G_DEFINE_FINAL_TYPE (StudioPredictView, studio_predict_view, ADW_TYPE_BIN)

/* Rows of the list: picture, name and class. Delete removes the selected one. */

static void
let_wrap (GtkWidget *label)
{
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_lines (GTK_LABEL (label), MOST_LINES);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
}

static void
set_up_row (gconstpointer data, GtkListItem *item)
{
  GtkWidget *name = studio_label (NULL, NULL), *detail = studio_label (NULL, "caption", "dim-label", "numeric", NULL);
  GtkWidget *texts = studio_column (2, name, detail, NULL), *picture = studio_thumbnail (ROW_SIDE);
  GtkWidget *clamp = g_object_new (ADW_TYPE_CLAMP, "maximum-size", ROW_SIDE, "child", picture, NULL);
  GtkWidget *row = studio_row (12, clamp, texts, NULL);

  let_wrap (name);
  let_wrap (detail);
  gtk_widget_set_valign (texts, GTK_ALIGN_CENTER);
  gtk_widget_set_valign (clamp, GTK_ALIGN_CENTER); /* a square, also beside several lines */
  gtk_widget_set_margin_top (row, 3);
  gtk_widget_set_margin_bottom (row, 3);
  gtk_widget_set_hexpand (texts, TRUE);
  g_object_set_data (G_OBJECT (row), "picture", picture);
  g_object_set_data (G_OBJECT (row), "name", name);
  g_object_set_data (G_OBJECT (row), "detail", detail);
  gtk_list_item_set_child (item, row);
}

/* "linen 93 %", "corduroy, not linen" of a correction, or why there is none */
static char *
describe_row (StudioPredictItem *item)
{
  g_autofree char *text = studio_predict_item_describe (item), *value = NULL;

  if (item->state == STUDIO_PREDICT_FAILED) /* the name is above */
    return g_str_has_prefix (item->problem, item->name) && g_str_has_prefix (item->problem + strlen (item->name), ": ")
               ? g_strdup (item->problem + strlen (item->name) + 2)
               : g_strdup (item->problem);
  if (item->state != STUDIO_PREDICT_DONE)
    return g_steal_pointer (&text);
  if (item->truth != NULL && g_strcmp0 (item->truth, text) != 0)
    return g_strdup_printf (_ ("%s, not %s"), item->truth, text);
  if (tosst_recipe_has_several_labels (item->model->recipe))
    return g_steal_pointer (&text);
  value = studio_predict_item_format (item, item->class_index);
  return g_strdup_printf ("%s %s", text, value);
}

static void
show_row (gconstpointer data, GtkListItem *list_item)
{
  StudioPredictItem *item = gtk_list_item_get_item (list_item);
  GtkWidget *row = gtk_list_item_get_child (list_item), *detail = g_object_get_data (G_OBJECT (row), "detail");
  g_autofree char *text = describe_row (item), *both = g_strconcat (item->name, ": ", text, NULL);

  gtk_picture_set_paintable (g_object_get_data (G_OBJECT (row), "picture"),
                             item->texture != NULL ? GDK_PAINTABLE (item->texture) : NULL);
  gtk_label_set_label (g_object_get_data (G_OBJECT (row), "name"), item->name);
  gtk_label_set_label (GTK_LABEL (detail), text);
  studio_set_class (detail, "error", item->state == STUDIO_PREDICT_FAILED);
  studio_set_class (detail, "dim-label", item->state != STUDIO_PREDICT_FAILED);
  gtk_widget_set_tooltip_text (row, item->state == STUDIO_PREDICT_FAILED ? text : NULL);
  studio_name_list_item (list_item, both);
}

/* Predictions. */

static TosstModel *
model_of (StudioPredictView *self)
{
  return self->file_model != NULL ? self->file_model : self->retrained != NULL ? self->retrained : self->run_model;
}

static StudioPredictItem *
chosen (StudioPredictView *self)
{
  return gtk_single_selection_get_selected_item (self->selection);
}

/* Requests. */

static void
show_progress (StudioPredictView *self)
{
  gboolean busy = studio_predict_view_is_busy (self);
  guint all = g_list_model_get_n_items (G_LIST_MODEL (self->items)),
        waiting = studio_predict_items_count (G_LIST_MODEL (self->items), STUDIO_PREDICT_WAITING);
  g_autofree char *text = self->retraining ? g_strdup (_ ("Training with the corrections"))
                          : waiting > 0    ? g_strdup_printf (_ ("%u of %u images"), all - waiting, all)
                                           : g_strdup (_ ("Map of the image"));
  g_autofree char *counts
      = model_of (self) != NULL ? studio_predict_items_summarise (G_LIST_MODEL (self->items), model_of (self)) : NULL;

  studio_label_show_problem (self->counts, all > 1 ? counts : NULL);
  gtk_widget_set_visible (self->progress_box, busy);
  gtk_progress_bar_set_text (GTK_PROGRESS_BAR (self->progress), text);
  gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (self->progress),
                                 waiting > 0 ? (double)(all - waiting) / all : self->map_fraction);
  studio_enable (self, "predict.cancel", busy);
}

static StudioPredictDetail *
detail_of (StudioPredictView *self)
{
  return STUDIO_PREDICT_DETAIL (self->detail);
}

static void on_wake (StudioPredictView *self);

/* Asks for what is missing: the map of the chosen image, and the classes of all that wait, the chosen one first. */
static void
ask (StudioPredictView *self)
{
  StudioPredictItem *first = chosen (self);

  if (model_of (self) == NULL || self->cancelled || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  StudioPredictQuestion *question = studio_predict_question_new (self->retraining ? self->run_model : model_of (self));
  if (self->retraining)
    studio_predict_items_add_corrections (G_LIST_MODEL (self->items), self->run, question);
  else
    studio_predict_items_add_waiting (G_LIST_MODEL (self->items), first, question);
  if (!self->retraining && studio_predict_detail_wants_map (detail_of (self)))
    {
      question->wants_map = TRUE;
      question->map = (StudioPredictFile){ first->id, g_object_ref (first->file) };
      question->window = detail_of (self)->window_size;
    }
  if (self->worker == NULL)
    self->worker = studio_predict_worker_new ((StudioNotifyFunc)on_wake, self);
  self->map_fraction = 0;
  studio_worker_ask (self->worker, question);
  show_progress (self);
}

gboolean
studio_predict_view_is_busy (StudioPredictView *self)
{
  return self->worker != NULL && studio_worker_is_busy (self->worker) && !self->cancelled;
}

/* The chosen image. */

static void
update_actions (StudioPredictView *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->items));

  studio_enable (self, "predict.clear", n > 0);
  studio_enable (self, "predict.sort-by-doubt", n > 1);
  studio_enable (self, "predict.remove", n > 0);
  studio_enable (self, "predict.run-model", self->run_model != NULL && self->model_file);
}

static void
show_item (StudioPredictView *self)
{
  studio_predict_detail_show (detail_of (self), model_of (self), chosen (self));
  show_progress (self);
}

/* In a narrow window the chosen image is a page of its own. */
static void
on_activated (StudioPredictView *self)
{
  studio_fold_show_last (STUDIO_FOLD (self->fold), chosen (self) != NULL);
}

static void
on_selected (StudioPredictView *self)
{
  StudioPredictItem *item = chosen (self);

  on_activated (self);
  if (item != NULL && item->state == STUDIO_PREDICT_CANCELLED)
    {
      self->cancelled = FALSE;
      studio_predict_item_wait (item);
    }
  show_item (self);
  ask (self);
}

/* Answers. */

static void change_model (StudioPredictView *self);

static void
take (StudioPredictView *self, StudioPredictAnswer *answer)
{
  StudioPredictItem *item = answer->id != 0 ? studio_predict_items_find (G_LIST_MODEL (self->items), answer->id) : NULL;
  gboolean shown = item != NULL && item == chosen (self);

  if (self->retraining && answer->model == self->run_model && answer->id == 0)
    {
      self->retraining = FALSE;
      if (answer->retrained != NULL)
        {
          g_clear_pointer (&self->retrained, tosst_model_free);
          self->retrained = g_steal_pointer (&answer->retrained);
          change_model (self);
        }
      studio_predict_detail_say (detail_of (self),
                                 answer->problem != NULL
                                     ? answer->problem
                                     : _ ("The model was trained again with the corrections. Its accuracy is "
                                          "known after the next run."));
      return;
    }
  if (answer->model != model_of (self))
    return;
  if (answer->id == 0)
    studio_label_show_problem (self->list_problem, answer->problem);
  if (item == NULL)
    return;
  if (answer->fraction >= 0)
    self->map_fraction = shown ? answer->fraction : self->map_fraction;
  else if (answer->margins != NULL || answer->problem != NULL)
    {
      gboolean trained
          = item->truth != NULL
            && (answer->model == self->retrained || (answer->model == self->run_model && item->from_run <= self->run));

      if (answer->texture != NULL)
        studio_predict_item_set_texture (item, answer->texture);
      if (answer->margins != NULL)
        studio_predict_item_set (item, answer->model, answer->class_index, g_steal_pointer (&answer->margins), trained);
      else
        studio_predict_item_fail (item, answer->problem);
    }
  else if (shown)
    {
      studio_predict_detail_take_map (detail_of (self), g_steal_pointer (&answer->map), answer->map_problem);
      self->map_fraction = 1;
    }
  if (shown && answer->fraction < 0)
    show_item (self);
}

static void
on_wake (StudioPredictView *self)
{
  StudioPredictAnswer *answer;

  while ((answer = studio_worker_take (self->worker)) != NULL)
    {
      if (!self->cancelled)
        take (self, answer);
      studio_predict_answer_free (answer);
    }
  show_progress (self);
  g_signal_emit_by_name (self, "changed");
}

/* Models. */

static void
show_model (StudioPredictView *self)
{
  TosstModel *model = model_of (self);
  g_autofree char *base = self->model_file != NULL ? g_file_get_basename (self->model_file) : NULL;
  g_autofree char *name = base != NULL && self->file_model != NULL ? g_filename_display_name (base)
                          : self->retrained != NULL                ? g_strdup (_ ("Model of the run, with corrections"))
                                                                   : g_strdup (_ ("Model of the run"));
  g_autofree char *text = NULL;
  const char *page = model == NULL                                                ? "no-model"
                     : g_list_model_get_n_items (G_LIST_MODEL (self->items)) == 0 ? "no-images"
                                                                                  : "work";

  if (model != NULL)
    text = g_strdup_printf (ngettext ("%s · %d class. Drop images or a folder here.",
                                      "%s · %d classes. Drop images or a folder here.",
                                      (gulong)tosst_model_classes (model)),
                            name, tosst_model_classes (model));
  gtk_label_set_label (GTK_LABEL (self->model_name), name);
  gtk_widget_set_tooltip_text (self->model_name, name);
  if (text != NULL)
    {
      g_autofree char *escaped = g_markup_escape_text (text, -1);
      adw_status_page_set_description (ADW_STATUS_PAGE (self->drop_page), escaped);
    }
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), page);
  update_actions (self);
}

/* Another model: all images wait again. */
static void
change_model (StudioPredictView *self)
{
  self->cancelled = FALSE;
  studio_label_show_problem (self->list_problem, NULL);
  studio_predict_items_wait (G_LIST_MODEL (self->items));
  show_model (self);
  show_item (self);
  ask (self);
  g_signal_emit_by_name (self, "changed");
}

void
studio_predict_view_set_run (StudioPredictView *self, TosstModel *model, guint run)
{
  if (model == self->run_model)
    return;
  self->run = run;
  self->retraining = FALSE;
  g_clear_pointer (&self->retrained, tosst_model_free);
  g_clear_pointer (&self->run_model, tosst_model_free);
  self->run_model = model != NULL ? tosst_model_share (model) : NULL;
  if (self->file_model == NULL)
    change_model (self);
  else
    update_actions (self);
}

static void
show_problem (StudioPredictView *self, const char *problem)
{
  g_autofree char *sentence = problem != NULL ? studio_format_problem (problem) : NULL;

  studio_label_show_problem (self->model_problem, sentence);
  studio_label_show_problem (self->images_problem, sentence);
  studio_label_show_problem (self->list_problem, sentence);
}

/* A file that is read in a thread: a model, or the images of a folder; an image is listed as it is. */
typedef struct
{
  GFile *file;
  TosstModel *model;
  GPtrArray *images;
} Reading;

TOSST_DEFINE_FREE (Reading, reading_free, (file, g_object_unref), (model, tosst_model_free),
                   (images, g_ptr_array_unref))

static void
read_file (StudioPredictView *self, GFile *file, StudioTaskFunc read, StudioTaskDone done)
{
  Reading *reading = g_new0 (Reading, 1);

  reading->file = g_object_ref (file);
  studio_task_run (self, read, reading, reading_free, done);
}

static gboolean
load_model (gpointer data, GError **error)
{
  Reading *reading = data;

  reading->model = tosst_model_load (reading->file, error);
  return reading->model != NULL;
}

static void
on_model_loaded (gpointer object, gpointer data, const GError *error)
{
  StudioPredictView *self = object;
  const Reading *reading = data;

  if (reading->file != self->model_file) /* another was chosen since */
    return;
  show_problem (self, error != NULL ? error->message : NULL);
  if (error != NULL)
    {
      if (self->file_model == NULL)
        g_clear_object (&self->model_file);
      return;
    }
  g_clear_pointer (&self->file_model, tosst_model_free);
  self->file_model = tosst_model_share (reading->model);
  change_model (self);
}

void
studio_predict_view_open_model (StudioPredictView *self, GFile *file)
{
  g_set_object (&self->model_file, file);
  read_file (self, file, load_model, on_model_loaded);
}

static void
use_run_model (StudioPredictView *self)
{
  g_clear_object (&self->model_file);
  g_clear_pointer (&self->file_model, tosst_model_free);
  change_model (self);
}

/* Images. */

static gboolean
list_images (gpointer data, GError **error)
{
  Reading *reading = data;
  g_autofree char *name = g_file_get_parse_name (reading->file);

  if (g_file_query_file_type (reading->file, G_FILE_QUERY_INFO_NONE, NULL) == G_FILE_TYPE_DIRECTORY)
    reading->images = tosst_image_files_list (reading->file, tosst_image_files_is_any, error);
  else
    {
      reading->images = g_ptr_array_new_with_free_func (g_object_unref);
      g_ptr_array_add (reading->images, g_object_ref (reading->file));
    }
  if (reading->images != NULL && reading->images->len == 0)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s: no image in this folder"), name);
  return reading->images != NULL;
}

static void
add_files (StudioPredictView *self, GPtrArray *files, const char *problem)
{
  guint had = g_list_model_get_n_items (G_LIST_MODEL (self->items));

  show_problem (self, problem);
  self->cancelled = FALSE;
  for (guint i = 0; files != NULL && i < files->len; i++)
    {
      g_autoptr (StudioPredictItem) item = studio_predict_item_new (files->pdata[i]);
      g_list_store_append (self->items, item);
    }
  if (g_list_model_get_n_items (G_LIST_MODEL (self->items)) == had)
    return;
  show_model (self);
  /* The page with the button that was pressed has gone. */
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  if (gtk_widget_get_mapped (GTK_WIDGET (self)) && (focus == NULL || gtk_widget_is_ancestor (focus, GTK_WIDGET (self))))
    gtk_widget_grab_focus (self->list);
  if (had > 0)
    gtk_single_selection_set_selected (self->selection, had);
  else
    ask (self);
  g_signal_emit_by_name (self, "changed");
}

static void
on_listed (gpointer object, gpointer data, const GError *error)
{
  add_files (object, ((Reading *)data)->images, error != NULL ? error->message : NULL);
}

void
studio_predict_view_add (StudioPredictView *self, GPtrArray *images)
{
  add_files (self, images, NULL);
}

gboolean
studio_predict_view_take (StudioPredictView *self, GFile *file)
{
  g_autofree char *name = g_file_get_basename (file), *lower = g_ascii_strdown (name, -1);

  if (g_str_has_suffix (lower, ".npz"))
    {
      studio_predict_view_open_model (self, file);
      return TRUE;
    }
  if (!tosst_image_files_is_any (name)
      && (model_of (self) == NULL
          || g_file_query_file_type (file, G_FILE_QUERY_INFO_NONE, NULL) != G_FILE_TYPE_DIRECTORY))
    return FALSE;
  read_file (self, file, list_images, on_listed);
  return TRUE;
}

static void
on_chosen_file (GtkWidget *widget, GFile *file)
{
  studio_predict_view_take (STUDIO_PREDICT_VIEW (widget), file);
}

static void
open_as (GtkWidget *widget, const char *name)
{
  static const char *const models[] = { "npz", NULL };
  gboolean model = strcmp (name, "predict.open-model") == 0, folder = strcmp (name, "predict.add-folder") == 0;
  GtkFileChooser *dialog
      = studio_file_dialog_new (widget, folder ? GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER : GTK_FILE_CHOOSER_ACTION_OPEN,
                                model    ? _ ("Open Model")
                                : folder ? _ ("Folder of Images")
                                         : _ ("Images to Predict"),
                                _ ("_Open"), model ? _ ("Models") : _ ("Images"),
                                model    ? models
                                : folder ? NULL
                                         : tosst_image_files_suffixes,
                                on_chosen_file);

  gtk_file_chooser_set_select_multiple (dialog, !model && !folder);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
clear (StudioPredictView *self)
{
  g_list_store_remove_all (self->items);
  show_model (self);
  ask (self); /* ends the request under way */
  g_signal_emit_by_name (self, "changed");
}

static void
remove_chosen (StudioPredictView *self)
{
  guint position = gtk_single_selection_get_selected (self->selection);

  if (position == GTK_INVALID_LIST_POSITION)
    return;
  g_list_store_remove (self->items, position);
  show_model (self);
  g_signal_emit_by_name (self, "changed");
}

static int
compare_leads (gconstpointer a, gconstpointer b, gpointer data)
{
  double x = studio_predict_item_lead ((gpointer)a), y = studio_predict_item_lead ((gpointer)b);

  return x < y ? -1 : x > y;
}

/* The most doubtful first. */
static void
sort_by_doubt (StudioPredictView *self)
{
  g_list_store_sort (self->items, compare_leads, NULL);
}

static void
cancel (StudioPredictView *self)
{
  if (self->worker == NULL || model_of (self) == NULL)
    return;
  self->cancelled = TRUE;
  studio_worker_ask (self->worker, studio_predict_question_new (model_of (self)));
  studio_predict_items_cancel (G_LIST_MODEL (self->items));
  show_item (self);
}

/* The chosen image. */

static void
on_window (StudioPredictView *self)
{
  self->cancelled = FALSE;
  ask (self);
}

static void
on_drawing (StudioPredictView *self)
{
  g_signal_emit_by_name (self, "changed");
}

static void
on_corrected (StudioPredictView *self, GFile *file, const char *class_name)
{
  g_signal_emit_by_name (self, "corrected", file, class_name);
}

/* The classifier alone where the signatures that it was trained on are known, else by a run. */
static void
retrain (StudioPredictView *self)
{
  StudioPredictQuestion *question;

  if (self->file_model == NULL && self->run_model != NULL && self->run_model->training != NULL)
    {
      question = studio_predict_question_new (self->run_model);
      self->retraining = studio_predict_items_add_corrections (G_LIST_MODEL (self->items), self->run, question) > 0;
      studio_predict_question_free (question);
    }
  self->cancelled = FALSE;
  if (self->retraining)
    ask (self);
  else
    gtk_widget_activate_action (GTK_WIDGET (self), "win.start", NULL);
}

void
studio_predict_view_correct (StudioPredictView *self, GFile *file, const char *class_name, guint from_run)
{
  studio_predict_items_set_truth (G_LIST_MODEL (self->items), file, class_name, from_run);
  if (class_name == NULL && self->retrained != NULL)
    {
      g_clear_pointer (&self->retrained, tosst_model_free);
      change_model (self);
    }
  show_item (self);
}

/* Exports. */

static gboolean
can_export (gpointer view, const char *kind)
{
  StudioPredictView *self = view;

  if (strcmp (kind, "model") == 0)
    return model_of (self) != NULL;
  return strcmp (kind, "map") == 0 ? detail_of (self)->map_picture.map != NULL
                                   : studio_predict_items_count (G_LIST_MODEL (self->items), STUDIO_PREDICT_DONE) > 0;
}

static gboolean
write_model (gpointer model, GFile *file, GError **error)
{
  return tosst_model_save (model, file, error);
}

static StudioContent
take_content (gpointer view, const StudioSaveKind *kind, const char *suffix, GError **error)
{
  StudioPredictView *self = view;

  if (strcmp (kind->kind, "map") == 0)
    return (StudioContent){ studio_map_picture_copy (&detail_of (self)->map_picture), studio_map_picture_free,
                            studio_map_picture_write };
  if (strcmp (kind->kind, "model") == 0)
    return (StudioContent){ tosst_model_share (model_of (self)), (GDestroyNotify)tosst_model_free, write_model };
  return (StudioContent){ studio_predict_items_to_csv (G_LIST_MODEL (self->items), model_of (self)), g_free };
}

static const StudioSaveKind kinds[]
    = { { "map", N_ ("Export Map"), "map.png", "png svg pdf", take_content },
        { "predictions", N_ ("Export Predictions"), "predictions.csv", "csv", take_content },
        { "model", N_ ("Save Model"), "model.npz", "npz", take_content } };

static void
on_written (gpointer self, const char *sentence, const char *problem, GFile *file)
{
  g_autofree char *base = file != NULL ? g_file_get_basename (file) : NULL,
                  *name = base != NULL ? g_filename_display_name (base) : NULL;

  if (name != NULL)
    g_signal_emit_by_name (self, "exported", name, problem);
}

static const StudioExports exports = { kinds, G_N_ELEMENTS (kinds), can_export, G_CALLBACK (on_written) };

static void
export_as (GtkWidget *widget, const char *name, GVariant *parameter)
{
  studio_export_ask (widget, g_variant_get_string (parameter, NULL));
}

/* State. */

static void
studio_predict_view_map (GtkWidget *widget)
{
  StudioPredictView *self = STUDIO_PREDICT_VIEW (widget);

  GTK_WIDGET_CLASS (studio_predict_view_parent_class)->map (widget);
  if (studio_predict_items_count (G_LIST_MODEL (self->items), STUDIO_PREDICT_WAITING) > 0
      || studio_predict_detail_wants_map (detail_of (self)))
    ask (self);
}

STUDIO_DEFINE_DISPOSE (StudioPredictView, studio_predict_view, (worker, studio_worker_free),
                       (run_model, tosst_model_free), (retrained, tosst_model_free), (file_model, tosst_model_free),
                       (model_file, g_object_unref), (items, g_object_unref))

static void
studio_predict_view_class_init (StudioPredictViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  STUDIO_ENSURE_TYPES (STUDIO_TYPE_FOLD, STUDIO_TYPE_PREDICT_DETAIL);
  G_OBJECT_CLASS (klass)->dispose = studio_predict_view_dispose;
  widget_class->map = studio_predict_view_map;
  studio_add_signal (klass, "corrected", 2, G_TYPE_FILE, G_TYPE_STRING);
  studio_add_signal (klass, "exported", 2, G_TYPE_STRING, G_TYPE_STRING);
  studio_add_signal (klass, "changed", 0);
  STUDIO_SET_TEMPLATE (klass, StudioPredictView, "predict-view", stack, fold, drop_page, model_problem, images_problem,
                       list_problem, model_name, counts, model_button, list, progress_box, progress, detail, selection);
  STUDIO_BIND_CALLBACKS (klass, studio_menu, on_activated, on_selected, on_drawing, on_window, on_corrected);
  STUDIO_INSTALL_ACTIONS (klass, ("predict.add-images", NULL, open_as), ("predict.add-folder", NULL, open_as),
                          ("predict.open-model", NULL, open_as), ("predict.run-model", NULL, use_run_model),
                          ("predict.clear", NULL, clear), ("predict.remove", NULL, remove_chosen),
                          ("predict.cancel", NULL, cancel), ("predict.sort-by-doubt", NULL, sort_by_doubt),
                          ("predict.retrain", NULL, retrain), ("predict.export", "s", export_as));
}

static void
studio_predict_view_init (StudioPredictView *self)
{
  static const StudioCells cells = { set_up_row, show_row };
  g_autoptr (GtkListItemFactory) factory = studio_list_factory_new (&cells, NULL, NULL);
  GtkEventController *keys = gtk_shortcut_controller_new ();

  gtk_widget_init_template (GTK_WIDGET (self));
  self->items = g_list_store_new (STUDIO_TYPE_PREDICT_ITEM);
  gtk_single_selection_set_model (self->selection, G_LIST_MODEL (self->items));
  gtk_list_view_set_factory (GTK_LIST_VIEW (self->list), factory);
  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (keys),
      gtk_shortcut_new (gtk_keyval_trigger_new (GDK_KEY_Delete, 0), gtk_named_action_new ("predict.remove")));
  gtk_widget_add_controller (self->list, keys);
  studio_exports_set (self, &exports);
  show_model (self);
}
