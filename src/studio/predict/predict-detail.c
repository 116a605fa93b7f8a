/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/predict/predict-detail.h"

#include <glib/gi18n.h>
#include <string.h>

#include "studio/tasks/task.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"
#include "studio/widgets/wrap.h"

#define WINDOW_MS 400 /* after the last change of the window */

G_DEFINE_FINAL_TYPE (StudioPredictDetail, studio_predict_detail, ADW_TYPE_BIN)

static gboolean
is_done (StudioPredictDetail *self)
{
  return self->item != NULL && self->item->state == STUDIO_PREDICT_DONE && self->item->model == self->model;
}

/* Pictures: the class map over its image, and the margins. With the pointer over them a bubble tells classes and margins. */

static TosstMapDrawing
drawing_of (const StudioMapPicture *self)
{
  return (TosstMapDrawing){ self->map->map, self->map->image, self->opacity, self->uncertain };
}

static void
draw_map (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  TosstMapDrawing drawing = drawing_of (data);

  tosst_draw_class_map (cr, width, height, style, &drawing);
}

/* "linen 0.42, then corduroy 0.35" */
static char *
label_map (StudioPicturePoint *point, gpointer data)
{
  TosstMapDrawing drawing = drawing_of (data);
  const TosstClassMap *map = drawing.map;
  int row, column, best, second;

  if (!tosst_class_map_pick (point->width, point->height, &point->style, &drawing, point->x, point->y, &row, &column))
    return NULL;
  tosst_class_map_certainty (map, row, column, &second);
  best = map->class_index[(gsize)row * map->columns + column];
  const float *margins = map->margins + ((gsize)row * map->columns + column) * map->classes;
  g_autofree char *first = studio_format_decimals (margins[best], 2);
  if (second < 0)
    return g_strdup_printf ("%s %s", map->class_names[best], first);
  g_autofree char *next = studio_format_decimals (margins[second], 2);
  /* Translators: classes and their margins at a place of an image: "linen 0.42, then corduroy 0.35" */
  return g_strdup_printf (_ ("%s %s, then %s %s"), map->class_names[best], first, map->class_names[second], next);
}

/* The shares of the classes, the largest first. */
static char *
describe_map (gpointer data)
{
  const TosstClassMap *map = ((StudioMapPicture *)data)->map->map;
  g_autofree gsize *counts = g_new (gsize, map->classes);
  g_autofree double *shares = g_new (double, map->classes);
  GString *text = g_string_new (NULL);

  tosst_class_map_count (map, counts);
  for (int c = 0; c < map->classes; c++)
    shares[c] = 100.0 * counts[c] / ((double)map->rows * map->columns);
  g_autofree int *order = tosst_margins_order (shares, map->classes);
  for (int i = 0; i < map->classes && counts[order[i]] > 0; i++)
    {
      g_autofree char *share = studio_format_percent (shares[order[i]], 1);

      g_string_append_printf (text, "%s%s %s", i > 0 ? ", " : "", map->class_names[order[i]], share);
    }
  return g_string_free (text, FALSE);
}

static const StudioPictureFuncs map_funcs
    = { .draw = G_CALLBACK (draw_map), .label = G_CALLBACK (label_map), .describe = G_CALLBACK (describe_map) };

static void
draw_margins (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  tosst_draw_margins (cr, width, height, style, data);
}

static char *
format_value (const TosstMarginsDrawing *drawing, int class_index)
{
  double value = drawing->margins[class_index];

  return drawing->probabilities ? tosst_probability_label (value) : studio_format_decimals (value, 2);
}

static char *
label_margins (StudioPicturePoint *point, const TosstMarginsDrawing *drawing)
{
  int c = tosst_margins_pick (point->width, point->height, &point->style, drawing, point->x, point->y);
  g_autofree char *margin = c >= 0 ? format_value (drawing, c) : NULL;

  return c >= 0 ? g_strdup_printf ("%s %s", drawing->class_names[c], margin) : NULL;
}

static char *
describe_all_margins (const TosstMarginsDrawing *drawing)
{
  g_autofree int *order = tosst_margins_order (drawing->margins, drawing->classes);
  GString *text = g_string_new (NULL);

  for (int i = 0; i < drawing->classes; i++)
    {
      g_autofree char *margin = format_value (drawing, order[i]);

      g_string_append_printf (text, "%s%s %s", i > 0 ? ", " : "", drawing->class_names[order[i]], margin);
    }
  return g_string_free (text, FALSE);
}

static const StudioPictureFuncs margins_funcs = { .draw = G_CALLBACK (draw_margins),
                                                  .label = G_CALLBACK (label_margins),
                                                  .describe = G_CALLBACK (describe_all_margins) };

StudioMapPicture *
studio_map_picture_copy (const StudioMapPicture *self)
{
  StudioMapPicture *copy = g_memdup2 (self, sizeof *self);

  g_atomic_rc_box_acquire (copy->map);
  return copy;
}

TOSST_DEFINE_PUBLIC_FREE (StudioMapPicture, studio_map_picture_free, gpointer, (map, studio_predict_map_unref))

gboolean
studio_map_picture_write (gpointer data, GFile *file, GError **error)
{
  TosstMapDrawing drawing = drawing_of (data);

  return tosst_class_map_save (&drawing, file, error);
}

/* Corrections. */

static void
update_correction (StudioPredictDetail *self)
{
  guint class_index = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->classes));
  gboolean possible = is_done (self) && !tosst_recipe_has_several_labels (self->model->recipe);
  gboolean same = possible && self->item->truth != NULL && class_index < (guint)tosst_model_classes (self->model)
                  && strcmp (self->item->truth, self->model->class_names[class_index]) == 0;

  if (self->updating)
    return;
  gtk_widget_set_visible (self->correction, possible);
  gtk_widget_set_visible (self->retrain, possible && self->item->truth != NULL);
  gtk_widget_set_sensitive (self->correct_button, possible && self->uncorrectable == NULL && !same);
  gtk_widget_set_tooltip_text (self->correct_button,
                               self->uncorrectable != NULL
                                   ? self->uncorrectable
                                   : _ ("The image trains this class from the next run on. It stays where it is: a "
                                        "list beside the runs names it."));
}

static void
on_correct (StudioPredictDetail *self)
{
  guint class_index = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->classes));

  if (is_done (self) && class_index < (guint)tosst_model_classes (self->model))
    g_signal_emit_by_name (self, "corrected", self->item->file, self->model->class_names[class_index]);
}

/* The class and the margins. */

/* "probability 93 % · then corduroy 5 % · trains corduroy", or margins */
static char *
describe_margins (const StudioPredictItem *item)
{
  g_autofree int *order = tosst_margins_order (item->margins, tosst_model_classes (item->model));
  g_autofree char *value = studio_predict_item_format (item, order[0]), *next = NULL;
  GString *text = g_string_new (NULL);

  g_string_printf (text, item->probabilities != NULL ? _ ("probability %s") : _ ("margin %s"), value);
  if (tosst_model_classes (item->model) > 1)
    {
      next = studio_predict_item_format (item, order[1]);
      g_string_append_printf (text, _ (" · then %s %s"), item->model->class_names[order[1]], next);
    }
  if (item->truth != NULL)
    g_string_append_printf (text, _ (" · trains %s"), item->truth);
  return g_string_free (text, FALSE);
}

static void
show_verdict (StudioPredictDetail *self)
{
  StudioPredictItem *item = self->item;
  g_autofree char *verdict = item != NULL ? studio_predict_item_describe (item) : g_strdup ("");

  gtk_label_set_label (GTK_LABEL (self->verdict), verdict);
  gtk_widget_set_tooltip_text (self->verdict, verdict);
  if (is_done (self))
    studio_label_take (self->facts, describe_margins (item));
  else
    gtk_label_set_label (GTK_LABEL (self->facts), item == NULL            ? ""
                                                  : item->problem != NULL ? item->problem
                                                                          : item->name);
  if (is_done (self))
    {
      self->margins_drawing = (TosstMarginsDrawing){ item->probabilities != NULL ? item->probabilities : item->margins,
                                                     item->probabilities != NULL, item->model->class_names,
                                                     tosst_model_classes (item->model) };
      studio_set_name (self->margins,
                       item->probabilities != NULL ? _ ("Probabilities of the classes") : _ ("Margins of the classes"));
      char **names = self->model->class_names;
      int index = self->item->class_index;
      for (int c = 0; self->item->truth != NULL && names[c] != NULL; c++)
        if (strcmp (names[c], self->item->truth) == 0)
          index = c;
      self->updating = TRUE;
      gtk_drop_down_set_selected (GTK_DROP_DOWN (self->classes), (guint)index);
      self->updating = FALSE;
    }
  studio_picture_view_show_own (STUDIO_PICTURE_VIEW (self->margins), is_done (self));
  update_correction (self);
}

/* The map. */

static gboolean
shows_map (StudioPredictDetail *self)
{
  return gtk_check_button_get_active (GTK_CHECK_BUTTON (self->show_map));
}

static gboolean
has_maps (StudioPredictDetail *self)
{
  return self->model != NULL && tosst_class_map_is_possible (self->model);
}

static void
show_picture (StudioPredictDetail *self)
{
  gboolean any = self->map_picture.map != NULL && shows_map (self), possible = has_maps (self);

  gtk_picture_set_paintable (GTK_PICTURE (self->image), self->item != NULL && self->item->texture != NULL
                                                            ? GDK_PAINTABLE (self->item->texture)
                                                            : NULL);
  studio_set_name (self->image, self->item != NULL ? self->item->name : "");
  gtk_stack_set_visible_child_name (GTK_STACK (self->picture_stack), any ? "map" : "image");
  studio_picture_view_show_own (STUDIO_PICTURE_VIEW (self->map), any);
  gtk_widget_set_visible (self->map_controls, possible);
  gtk_widget_set_sensitive (self->map_controls, any || !shows_map (self) || self->map_failed != NULL);
  studio_label_show_problem (self->map_problem, self->model != NULL && !possible
                                                    ? _ ("This model needs features from files, which gives no map.")
                                                    : self->map_failed);
}

static void
forget_map (StudioPredictDetail *self)
{
  studio_picture_view_show_own (STUDIO_PICTURE_VIEW (self->map), FALSE);
  g_clear_pointer (&self->map_picture.map, studio_predict_map_unref);
  g_clear_pointer (&self->map_failed, g_free);
  self->stale = FALSE;
}

/* The window of the map and its range. */
static void
show_window (StudioPredictDetail *self)
{
  GtkAdjustment *range = gtk_spin_button_get_adjustment (GTK_SPIN_BUTTON (self->window));
  const TosstClassMap *map = self->map_picture.map->map;
  int trained = self->model->sample_side;
  g_autofree char *text
      = trained > 0 ? g_strdup_printf (
            _ ("Side of the sliding window in pixels; the classifier was trained on %d pixels"), trained)
                    : NULL;

  self->updating = TRUE;
  gtk_adjustment_set_lower (range, self->model->recipe->descriptor.patch);
  gtk_adjustment_set_upper (range, MIN (map->image_width, map->image_height));
  gtk_adjustment_set_value (range, map->window);
  self->updating = FALSE;
  gtk_widget_set_tooltip_text (self->window, text);
}

void
studio_predict_detail_take_map (StudioPredictDetail *self, StudioPredictMap *map, const char *problem)
{
  forget_map (self);
  self->map_picture.map = map;
  self->map_failed = problem != NULL ? studio_format_problem (problem) : NULL;
  if (map != NULL)
    show_window (self);
  show_picture (self);
}

gboolean
studio_predict_detail_wants_map (StudioPredictDetail *self)
{
  return shows_map (self) && self->item != NULL && self->item->state != STUDIO_PREDICT_FAILED
         && self->item->state != STUDIO_PREDICT_CANCELLED && (self->map_picture.map == NULL || self->stale)
         && self->map_failed == NULL && has_maps (self);
}

static void
on_drawing (StudioPredictDetail *self)
{
  double opacity = gtk_range_get_value (GTK_RANGE (self->opacity));
  g_autofree char *text = studio_format_percent (100 * opacity, 0);

  self->map_picture.opacity = opacity;
  self->map_picture.uncertain = gtk_check_button_get_active (GTK_CHECK_BUTTON (self->fade));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->opacity), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
  if (self->map_picture.map != NULL)
    studio_picture_view_show_own (STUDIO_PICTURE_VIEW (self->map), TRUE);
  g_signal_emit_by_name (self, "drawing-changed");
}

void
studio_predict_detail_set_drawing (StudioPredictDetail *self, double opacity, gboolean uncertain)
{
  gtk_range_set_value (GTK_RANGE (self->opacity), opacity);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (self->fade), uncertain);
}

/* The picture comes first, without colours on it. */
static void
on_show_map (StudioPredictDetail *self)
{
  show_picture (self);
  if (studio_predict_detail_wants_map (self))
    g_signal_emit_by_name (self, "window-changed");
}

static void
on_window_settled (StudioPredictDetail *self)
{
  self->window_size = gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (self->window));
  g_clear_pointer (&self->map_failed, g_free);
  self->stale = TRUE; /* the former map stays until the new one is there */
  g_signal_emit_by_name (self, "window-changed");
}

static void
on_window (StudioPredictDetail *self)
{
  if (self->updating || self->item == NULL)
    return;
  g_clear_handle_id (&self->window_source, g_source_remove);
  studio_later (&self->window_source, WINDOW_MS, on_window_settled, self);
}

/* The whole. */

void
studio_predict_detail_show (StudioPredictDetail *self, TosstModel *model, StudioPredictItem *item)
{
  gboolean other = model != self->model || item != self->item;

  if (other)
    {
      forget_map (self);
      studio_picture_view_show_own (STUDIO_PICTURE_VIEW (self->margins), FALSE);
      g_clear_handle_id (&self->window_source, g_source_remove);
      self->window_size = 0;
      studio_predict_detail_say (self, NULL);
    }
  if (model != self->model)
    {
      g_autoptr (GtkStringList) names
          = gtk_string_list_new (model != NULL ? (const char *const *)model->class_names : NULL);

      g_clear_pointer (&self->model, tosst_model_free);
      self->model = model != NULL ? tosst_model_share (model) : NULL;
      self->updating = TRUE;
      gtk_drop_down_set_model (GTK_DROP_DOWN (self->classes), G_LIST_MODEL (names));
      self->updating = FALSE;
    }
  g_set_object (&self->item, item);
  show_verdict (self);
  show_picture (self);
}

void
studio_predict_detail_set_uncorrectable (StudioPredictDetail *self, const char *reason)
{
  g_free (self->uncorrectable);
  self->uncorrectable = g_strdup (reason);
  update_correction (self);
}

void
studio_predict_detail_say (StudioPredictDetail *self, const char *sentence)
{
  studio_label_show_problem (self->said, sentence);
}

static void
studio_predict_detail_dispose (GObject *object)
{
  StudioPredictDetail *self = STUDIO_PREDICT_DETAIL (object);

  g_clear_handle_id (&self->window_source, g_source_remove);
  if (self->item != NULL)
    {
      studio_picture_view_show_own (STUDIO_PICTURE_VIEW (self->map), FALSE);
      studio_picture_view_show_own (STUDIO_PICTURE_VIEW (self->margins), FALSE);
    }
  g_clear_pointer (&self->map_picture.map, studio_predict_map_unref);
  g_clear_pointer (&self->map_failed, g_free);
  g_clear_pointer (&self->model, tosst_model_free);
  g_clear_object (&self->item);
  g_clear_pointer (&self->uncorrectable, g_free);
  G_OBJECT_CLASS (studio_predict_detail_parent_class)->dispose (object);
}

static void
studio_predict_detail_class_init (StudioPredictDetailClass *klass)
{
  STUDIO_ENSURE_TYPES (STUDIO_TYPE_PICTURE_VIEW, STUDIO_TYPE_WRAP);
  G_OBJECT_CLASS (klass)->dispose = studio_predict_detail_dispose;
  studio_add_signal (klass, "corrected", 2, G_TYPE_FILE, G_TYPE_STRING);
  studio_add_signal (klass, "window-changed", 0);
  studio_add_signal (klass, "drawing-changed", 0);
  STUDIO_SET_TEMPLATE (klass, StudioPredictDetail, "predict-detail", verdict, facts, correction, classes,
                       correct_button, retrain, said, picture_stack, image, map, map_problem, map_controls, show_map,
                       opacity, fade, window, margins);
  STUDIO_BIND_CALLBACKS (klass, on_drawing, on_show_map, on_window, on_correct, update_correction);
}

static void
studio_predict_detail_init (StudioPredictDetail *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self->map), &map_funcs, &self->map_picture);
  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self->margins), &margins_funcs, &self->margins_drawing);
  on_drawing (self);
}
