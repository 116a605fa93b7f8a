/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/inspect/inspect-view.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/plot/draw-slices.h"
#include "studio/widgets/build.h"
#include "studio/widgets/fold.h"
#include "studio/widgets/format.h"
#include "studio/widgets/image-loader.h"
#include "studio/widgets/image-view.h"
#include "studio/widgets/wrap.h"

#define INFINITE_FROM 3.05 /* on the scale of log10 gamma: its end represents infinity */

G_DEFINE_FINAL_TYPE (StudioInspectView, studio_inspect_view, ADW_TYPE_BIN)

/* Values of the sliders. */

static void
say_value (GtkWidget *scale, GtkWidget *label, char *text)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (scale), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
  studio_label_take (label, text);
}

static double
scale_value (GtkWidget *scale)
{
  return gtk_range_get_value (GTK_RANGE (scale));
}

static double
gamma_of (StudioInspectView *self)
{
  double value = scale_value (self->gamma_scale);

  return value > INFINITE_FROM ? INFINITY : pow (10, value);
}

static int
atoms_of (StudioInspectView *self)
{
  return CLAMP ((int)lround (scale_value (self->atoms_scale)), 1, self->atoms->dictionary->K);
}

static void
show_values (StudioInspectView *self)
{
  g_autofree char *some = studio_format_count (atoms_of (self));
  g_autofree char *all = studio_format_count (self->atoms->dictionary->K);

  say_value (self->lambda_scale, self->lambda_value,
             studio_format_setting (pow (10, scale_value (self->lambda_scale))));
  say_value (self->gamma_scale, self->gamma_value, studio_format_setting (gamma_of (self)));
  say_value (self->atoms_scale, self->atoms_value, g_strdup_printf (_ ("%s of %s"), some, all));
}

/* Requests and answers. */

static gboolean
can_ask (StudioInspectView *self)
{
  return self->recipe != NULL && self->dataset != NULL && self->has_point
         && g_strcmp0 (gtk_stack_get_visible_child_name (GTK_STACK (self->stack)), "work") == 0;
}

static gboolean
is_local (StudioInspectView *self)
{
  return self->recipe != NULL && tosst_recipe_is_local (self->recipe);
}

static gboolean
is_framed (StudioInspectView *self)
{
  return self->recipe != NULL && !is_local (self) && tosst_recipe_has_frames (self->recipe);
}

static void on_wake (StudioInspectView *self);

static void
ask (StudioInspectView *self)
{
  self->asked = FALSE;
  if (!can_ask (self) || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  StudioCodeQuestion question = (StudioCodeQuestion){ .atoms = self->atoms,
                                                      .recipe = self->recipe,
                                                      .dataset = self->dataset,
                                                      .image = self->image,
                                                      .point = self->point,
                                                      .lambda = pow (10, scale_value (self->lambda_scale)),
                                                      .gamma = gamma_of (self),
                                                      .n_atoms = atoms_of (self),
                                                      .tied = studio_is_on (self->alpha_button) };
  if (self->worker == NULL)
    self->worker = studio_code_worker_new ((StudioNotifyFunc)on_wake, self);
  studio_code_worker_ask (self->worker, &question);
  self->asked = TRUE;
  if (is_local (self) && self->panel->code == NULL)
    studio_label_show_problem (self->problem, _ ("Describing the image…")); /* components may take long */
}

static void
set_changed (StudioInspectView *self, gboolean changed)
{
  gtk_widget_set_sensitive (self->reset, changed);
  gtk_widget_set_sensitive (self->use, changed);
}

static void
on_slider (StudioInspectView *self)
{
  if (self->updating || self->atoms == NULL)
    return;
  show_values (self);
  set_changed (self, TRUE);
  ask (self);
}

static void
on_reconstruction (StudioInspectView *self)
{
  if (self->atoms != NULL)
    ask (self);
}

/* The values of the recipe. */
static void
reset_sliders (StudioInspectView *self)
{
  TosstCodingOptions options;
  double lambda, gamma;

  if (self->recipe == NULL)
    return;
  tosst_recipe_coding_options (self->recipe, &options);
  lambda = log10 (MAX (options.problem.lambda, 1e-9));
  gamma = isfinite (options.problem.gamma) ? log10 (options.problem.gamma) : INFINITE_FROM + 0.05;
  self->updating = TRUE;
  gtk_range_set_range (GTK_RANGE (self->lambda_scale), MIN (-5, lambda - 1), MAX (0, lambda + 1));
  gtk_range_set_range (GTK_RANGE (self->gamma_scale), MIN (-3, gamma - 1), INFINITE_FROM + 0.05);
  gtk_range_set_range (GTK_RANGE (self->atoms_scale), 1, MAX (2, self->atoms->dictionary->K));
  gtk_range_set_increments (GTK_RANGE (self->atoms_scale), 1, MAX (1, self->atoms->dictionary->K / 20));
  gtk_range_set_value (GTK_RANGE (self->lambda_scale), lambda);
  gtk_range_set_value (GTK_RANGE (self->gamma_scale), gamma);
  gtk_range_set_value (GTK_RANGE (self->atoms_scale), self->atoms->dictionary->K);
  self->updating = FALSE;
  self->initial[0] = scale_value (self->lambda_scale);
  self->initial[1] = scale_value (self->gamma_scale);
  self->initial[2] = atoms_of (self);
  set_changed (self, FALSE);
  show_values (self);
}

static void
on_reset (StudioInspectView *self)
{
  reset_sliders (self);
  ask (self);
}

/* Only the values that were changed: the others may be of another recipe. */
static void
on_use (StudioInspectView *self)
{
  double lambda = scale_value (self->lambda_scale), gamma = scale_value (self->gamma_scale);
  int atoms = atoms_of (self);

  g_signal_emit_by_name (self, "values-chosen", lambda != self->initial[0] ? pow (10, lambda) : NAN,
                         gamma != self->initial[1] ? gamma_of (self) : NAN, atoms != (int)self->initial[2] ? atoms : 0);
}

/* Answers. */

static void
forget_code (StudioInspectView *self)
{
  studio_code_panel_set_code (self->panel, NULL);
}

/* Answers of an old dictionary or data set are dropped. */
static void
on_wake (StudioInspectView *self)
{
  g_autoptr (StudioCode) code = studio_code_worker_take (self->worker);

  if (code == NULL || !can_ask (self) || code->atoms != self->atoms || code->image != self->image)
    return;
  studio_label_show_problem (self->problem, code->problem);
  studio_code_panel_set_code (self->panel, code->problem == NULL ? code : NULL);
  g_signal_emit_by_name (self, "changed");
}

/* The image. */

static void
say_patch (StudioInspectView *self)
{
  g_autofree char *text = is_local (self)    ? g_strdup (studio_region_name (self->point.x))
                          : is_framed (self) ? studio_image_view_describe (self->image_view, self->point.x, 0)
                                             : g_strdup_printf (_ ("Patch at %d, %d"), self->point.x, self->point.y);

  studio_set_description (self->image_view, text);
  g_signal_emit_by_name (self, "selected");
}

/* With local features the whole image, or a region. */
static void
show_region (StudioInspectView *self)
{
  const TosstDatasetImage *image = tosst_dataset_image (self->dataset, self->image);
  int x, y, width, height;

  studio_region_place (self->point.x, image, &x, &y, &width, &height);
  studio_image_view_set_part (self->image_view,
                              self->point.x > 0 && image->width > 0
                                  ? (const double[4]){ (double)x / image->width, (double)y / image->height,
                                                       (double)(x + width) / image->width,
                                                       (double)(y + height) / image->height }
                                  : NULL);
  self->updating = TRUE;
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->region), (guint)self->point.x);
  self->updating = FALSE;
  say_patch (self);
}

static void
on_region (StudioInspectView *self)
{
  guint region = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->region));

  if (self->updating || !is_local (self) || self->dataset == NULL || region == GTK_INVALID_LIST_POSITION)
    return;
  self->point = (TosstPoint){ (int)region, 0 };
  show_region (self);
  ask (self);
}

/* Chooses the first frame, unless the number is one. */
static void
choose_first_frame (StudioInspectView *self)
{
  if (!self->has_point || self->point.y != 0)
    self->point = (TosstPoint){ 0, 0 };
  self->has_point = TRUE;
  studio_label_show_problem (self->problem, NULL);
  studio_image_view_set_chosen (self->image_view, self->point.x, 0);
  say_patch (self);
}

/* Chooses the patch in the middle of the first image. */
static void
choose_first_patch (StudioInspectView *self)
{
  const TosstDatasetImage *image = tosst_dataset_image (self->dataset, self->image);
  int size = self->recipe->descriptor.patch, step = self->recipe->descriptor.step;
  gboolean had = self->has_point;

  self->has_point = image->width >= size && image->height >= size;
  if (!self->has_point)
    {
      studio_image_view_set_chosen (self->image_view, -1, -1);
      forget_code (self);
      studio_label_show_problem (self->problem, _ ("The image is smaller than a patch."));
      return;
    }
  studio_label_show_problem (self->problem, NULL);
  if (!had)
    self->point = (TosstPoint){ image->width / 2, image->height / 2 };
  self->point.x = CLAMP (self->point.x, 0, image->width - size) / step * step;
  self->point.y = CLAMP (self->point.y, 0, image->height - size) / step * step;
  studio_image_view_set_chosen (self->image_view, self->point.x, self->point.y);
  say_patch (self);
}

static void
on_large (StudioImageItem *large, GParamSpec *pspec, StudioInspectView *self)
{
  const TosstDatasetImage *image = tosst_dataset_image (self->dataset, self->image);

  studio_image_view_set_texture (self->image_view, large->texture, image->width, image->height);
}

static void
forget_large (StudioInspectView *self)
{
  if (self->large == NULL)
    return;
  g_signal_handlers_disconnect_by_func (self->large, on_large, self);
  studio_image_loader_cancel (self->loader, self->large);
  g_clear_object (&self->large);
}

static void
show_image (StudioInspectView *self)
{
  const TosstDatasetImage *image = tosst_dataset_image (self->dataset, self->image);

  forget_large (self);
  self->large = studio_image_item_new (self->dataset, self->image);
  g_signal_connect (self->large, "notify::texture", G_CALLBACK (on_large), self);
  studio_image_loader_request (self->loader, self->large, STUDIO_IMAGE_SIDE);
  gtk_label_set_label (GTK_LABEL (self->image_title), image->name);
  gtk_widget_set_tooltip_text (self->image_title, image->name);
  studio_set_name (self->image_view, image->name);
  gtk_widget_set_sensitive (self->previous, self->image > 0);
  gtk_widget_set_sensitive (self->next, self->image + 1 < self->dataset->entries->len);
}

/* In a narrow window its code is a page of its own. */
static void
on_activated (StudioInspectView *self)
{
  studio_fold_show_last (STUDIO_FOLD (self->fold), TRUE);
}

static void
on_patch (StudioImageView *view, int x, int y, StudioInspectView *self)
{
  self->point = (TosstPoint){ x, y };
  say_patch (self);
  ask (self);
  on_activated (self);
}

/* A number that was kept may be none of this image. */
static void
on_frames (StudioInspectView *self)
{
  if (studio_image_view_get_frame (self->image_view, self->point.x) == NULL)
    self->has_point = FALSE;
  choose_first_frame (self);
  ask (self);
}

/* Before the first image there is none: the number wraps around. */
static void
on_step (GtkWidget *button, StudioInspectView *self)
{
  studio_inspect_view_set_image (self, button == self->next ? self->image + 1 : self->image - 1);
}

/* The visible page; each has a button to continue. */

static void
update_page (StudioInspectView *self)
{
  g_autofree char *why = self->recipe != NULL ? studio_atom_set_mismatch (self->atoms, self->recipe) : NULL;
  const char *page = self->atoms == NULL                             ? (self->waiting ? "waiting" : "empty")
                     : self->dataset == NULL || self->recipe == NULL ? "no-data"
                     : why != NULL                                   ? "mismatch"
                                                                     : "work";

  if (why != NULL)
    adw_status_page_set_description (ADW_STATUS_PAGE (self->mismatch), why);
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), page);
  if (g_strcmp0 (page, "work") != 0)
    {
      forget_code (self);
      g_signal_emit_by_name (self, "changed");
      return;
    }
  gtk_widget_set_visible (self->region, is_local (self));
  if (is_framed (self))
    studio_image_view_set_frames (self->image_view, self->dataset, self->image, self->recipe, TRUE);
  else
    studio_image_view_set_patches (self->image_view, is_local (self) ? 0 : self->recipe->descriptor.patch,
                                   is_local (self) ? 0 : self->recipe->descriptor.step, !is_local (self));
  if (!is_local (self))
    studio_image_view_set_part (self->image_view, NULL);
  if (is_local (self))
    {
      if (!self->has_point || self->point.y != 0
          || self->point.x >= (int)g_list_model_get_n_items (G_LIST_MODEL (self->regions)))
        self->point = (TosstPoint){ 0, 0 };
      self->has_point = TRUE;
      studio_label_show_problem (self->problem, NULL);
      show_region (self);
    }
  else if (is_framed (self))
    choose_first_frame (self);
  else
    choose_first_patch (self);
  ask (self);
}

/* The recipe of the atoms, or else of the window. */
static void
update_recipe (StudioInspectView *self, gboolean reset)
{
  g_autoptr (TosstRecipe) old = g_steal_pointer (&self->recipe);
  g_autoptr (GArray) groups = NULL;

  if (self->atoms != NULL && (self->atoms->recipe != NULL || self->given != NULL))
    {
      self->recipe = studio_atom_set_recipe (self->atoms, self->given);
      groups = studio_atom_set_groups (self->atoms, self->given);
      studio_code_panel_set_groups (self->panel, groups);
      if (reset || old == NULL)
        reset_sliders (self);
    }
  update_page (self);
}

static void
studio_inspect_view_map (GtkWidget *widget)
{
  StudioInspectView *self = STUDIO_INSPECT_VIEW (widget);

  GTK_WIDGET_CLASS (studio_inspect_view_parent_class)->map (widget);
  if (!self->asked)
    ask (self);
}

STUDIO_DEFINE_DISPOSE_WITH (StudioInspectView, studio_inspect_view, if (self->loader != NULL) forget_code (self);
                            forget_large (self), (worker, studio_worker_free), (loader, g_object_unref),
                            (dataset, tosst_dataset_unref), (given, tosst_recipe_free), (recipe, tosst_recipe_free),
                            (atoms, studio_atom_set_unref))

static void
studio_inspect_view_class_init (StudioInspectViewClass *klass)
{
  STUDIO_ENSURE_TYPES (STUDIO_TYPE_FOLD, STUDIO_TYPE_IMAGE_VIEW, STUDIO_TYPE_CODE_PANEL, STUDIO_TYPE_WRAP);
  G_OBJECT_CLASS (klass)->dispose = studio_inspect_view_dispose;
  GTK_WIDGET_CLASS (klass)->map = studio_inspect_view_map;
  studio_add_signal (klass, "atom-chosen", 1, G_TYPE_INT);
  studio_add_signal (klass, "changed", 0);
  studio_add_signal (klass, "values-chosen", 3, G_TYPE_DOUBLE, G_TYPE_DOUBLE, G_TYPE_INT);
  studio_add_signal (klass, "selected", 0);
  STUDIO_SET_TEMPLATE (klass, StudioInspectView, "inspect-view", fold, stack, mismatch, image_title, image_view,
                       previous, next, problem, region, regions, lambda_scale, gamma_scale, atoms_scale, lambda_value,
                       gamma_value, atoms_value, alpha_button, use, reset, panel);
  STUDIO_BIND_CALLBACKS (klass, on_region, on_slider, on_reconstruction, on_reset, on_use, on_patch, on_frames,
                         on_activated, studio_choose_atom, on_step);
}

static void
studio_inspect_view_init (StudioInspectView *self)
{
  TosstRecipe recipe = { .descriptor = { .kind = TOSST_DESCRIPTOR_SIFT, .regions = TRUE } };

  gtk_widget_init_template (GTK_WIDGET (self));
  self->updating = TRUE;
  for (guint i = 0; i < tosst_recipe_regions (&recipe, NULL); i++)
    gtk_string_list_append (self->regions, studio_region_name ((int)i));
  self->updating = FALSE;
  self->loader = studio_image_loader_new ();
  studio_image_view_set_chooses (self->image_view, TRUE);
}

void
studio_inspect_view_set_dataset (StudioInspectView *self, TosstDataset *dataset)
{
  forget_code (self);
  forget_large (self);
  studio_image_view_set_texture (self->image_view, NULL, 0, 0);
  studio_image_view_set_patches (self->image_view, 0, 0, FALSE);
  g_clear_pointer (&self->dataset, tosst_dataset_unref);
  self->dataset = dataset != NULL ? tosst_dataset_ref (dataset) : NULL;
  if (dataset != NULL)
    {
      self->image = MIN (self->image, dataset->entries->len - 1);
      show_image (self);
    }
  update_page (self);
}

void
studio_inspect_view_set_image (StudioInspectView *self, guint image)
{
  if (self->dataset == NULL || image >= self->dataset->entries->len || image == self->image)
    return;
  self->image = image;
  if (is_framed (self)) /* numbers mean nothing in another image */
    self->point = (TosstPoint){ 0, 0 };
  show_image (self);
  update_page (self);
}

void
studio_inspect_view_choose_patch (StudioInspectView *self, int x, int y)
{
  self->point = (TosstPoint){ x, y };
  self->has_point = TRUE;
  update_page (self);
}

gboolean
studio_inspect_view_get_patch (StudioInspectView *self, guint *image, int *x, int *y)
{
  *image = self->image;
  *x = self->point.x;
  *y = self->point.y;
  return self->dataset != NULL && self->has_point;
}

void
studio_inspect_view_set_recipe (StudioInspectView *self, const TosstRecipe *recipe)
{
  g_clear_pointer (&self->given, tosst_recipe_free);
  self->given = tosst_recipe_copy (recipe);
  if (self->atoms != NULL && self->atoms->recipe == NULL)
    update_recipe (self, FALSE);
}

void
studio_inspect_view_set_atoms (StudioInspectView *self, StudioAtomSet *atoms)
{
  if (atoms != NULL)
    studio_atom_set_ref (atoms);
  forget_code (self);
  g_clear_pointer (&self->atoms, studio_atom_set_unref);
  self->atoms = atoms;
  update_recipe (self, TRUE);
}

void
studio_inspect_view_set_waiting (StudioInspectView *self, gboolean waiting)
{
  if (self->waiting == waiting)
    return;
  self->waiting = waiting;
  if (self->atoms == NULL)
    update_page (self);
}

char *
studio_inspect_view_title (StudioInspectView *self)
{
  const StudioCode *code = self->panel->code;
  g_autofree char *name = tosst_feature_group_label (self->panel->groups, self->panel->slice);

  g_autofree char *place = studio_code_place (code);

  return g_strdup_printf (_ ("%s, %s, slice %s"), tosst_dataset_image (self->dataset, code->image)->name, place, name);
}
