/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/data/data-view.h"

#include <gio/gio.h>
#include <glib/gi18n.h>

#include "studio/data/features.h"
#include "studio/tasks/task.h"
#include "studio/widgets/build.h"
#include "studio/widgets/fold.h"
#include "studio/widgets/image-loader.h"
#include "studio/widgets/wrap.h"

#define LISTS 2        /* of classes, and of the images of one */
#define ROWS_AT_ONCE 8 /* a list makes 200 rows for a long model: spread over frames, none is late */
#define ROWS_MADE 256  /* where there are so many, a list makes no more */
#define THUMBNAIL 96

struct _StudioDataView
{
  AdwBin parent_instance;
  TosstDataset *dataset;
  StudioImageLoader *loader;
  StudioImageItem *large; /* the chosen image at full size */
  GListStore *classes, *images;
  GPtrArray *waiting[LISTS]; /* items on their way into these */
  guint feed_source;
  guint *class_images, *class_samples; /* of each class */
  int block, block_step;
  TosstRecipe *recipe;     /* NULL: none yet */
  GCancellable *comparing; /* the images; NULL: compared */
  char *duplicates;        /* a sentence on images that look alike, or NULL */

  GtkWidget *fold, *summary, *class_list, *image_list, *strip, *image_title, *image_size, *problem;
  GtkWidget *features, *classes_of_image, *classes_box, *local_features;
  GtkWidget *patches_button, *blocks_button, *skipped, *skipped_label, *skipped_list;
  StudioImageView *image_view;
  GtkSingleSelection *class_selection, *image_selection;
};

G_DEFINE_FINAL_TYPE (StudioDataView, studio_data_view, ADW_TYPE_BIN)

/* Feeds the two lists a few items at a time while the main loop is idle, that of classes first: the rows of a long list
 * would take longer than a frame. */

/* A few items at once; FALSE: none is left. */
static gboolean
feed_some (StudioDataView *self, int list)
{
  GListStore *store = list == 0 ? self->classes : self->images;
  GPtrArray *waiting = self->waiting[list];
  guint there = g_list_model_get_n_items (G_LIST_MODEL (store));
  guint n = there < ROWS_MADE ? MIN (waiting->len, ROWS_AT_ONCE) : waiting->len;

  if (n == 0)
    return FALSE;
  g_list_store_splice (store, there, 0, waiting->pdata, n);
  g_ptr_array_remove_range (waiting, 0, n);
  return TRUE;
}

static gboolean
on_idle (StudioDataView *self)
{
  if (feed_some (self, 0) || feed_some (self, 1))
    return G_SOURCE_CONTINUE;
  self->feed_source = 0;
  return G_SOURCE_REMOVE;
}

/* Replaces the contents of a list by items, taken. */
static void
feed (StudioDataView *self, int list, GPtrArray *items)
{
  g_list_store_remove_all (list == 0 ? self->classes : self->images);
  g_ptr_array_unref (self->waiting[list]);
  self->waiting[list] = items;
  if (self->feed_source == 0)
    self->feed_source = g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, G_SOURCE_FUNC (on_idle), self, NULL);
}

static const char *
list_name (TosstSide side)
{
  return side == TOSST_SIDE_TRAIN      ? _ ("train")
         : side == TOSST_SIDE_VALIDATE ? _ ("val")
         : side == TOSST_SIDE_TEST     ? _ ("test")
                                       : _ ("in no list");
}

/* Numbers of images of a class by list: "13 train · 9 val · 11 test". New. */
static char *
class_lists (TosstDataset *dataset, guint class_index)
{
  static const TosstSide sides[] = { TOSST_SIDE_TRAIN, TOSST_SIDE_VALIDATE, TOSST_SIDE_TEST };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (sides); i++)
    g_string_append_printf (text, "%s%'u %s", i > 0 ? " · " : "",
                            tosst_dataset_count_label (dataset, sides[i], class_index, 1), list_name (sides[i]));
  return g_string_free (text, FALSE);
}

/* The class of an item of the list of classes, which shows one of its images. */
static guint
class_of (StudioImageItem *item)
{
  return GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (item), "class"));
}

/* The list and the classes of an image that may have several, as buttons. */

static void
on_class_of_image (GtkWidget *button, StudioDataView *self)
{
  guint class_index = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "class"));

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->classes)); i++)
    {
      g_autoptr (StudioImageItem) item = g_list_model_get_item (G_LIST_MODEL (self->classes), i);

      if (class_of (item) == class_index)
        gtk_single_selection_set_selected (self->class_selection, i);
    }
}

/* Hidden for a data set with one class an image. */
static void
show_classes_of_image (StudioDataView *self, guint image)
{
  gboolean several = self->dataset->labels != NULL;

  studio_remove_children (self->classes_box);
  gtk_widget_set_visible (self->classes_of_image, several);
  if (!several)
    return;
  gtk_box_append (GTK_BOX (self->classes_box),
                  studio_label (list_name (tosst_dataset_side (self->dataset, image)), "caption", "dim-label", NULL));
  for (int label = 1; label >= 0; label--) /* an image is a sample */
    for (guint c = 0; c < self->dataset->classes->len; c++)
      if (tosst_dataset_label (self->dataset, image, c) == label)
        {
          gboolean difficult = label == 0;
          const char *name = tosst_dataset_class_label (self->dataset, c);
          g_autofree char *text = difficult ? g_strdup_printf (_ ("%s (difficult)"), name) : g_strdup (name);
          GtkWidget *button = gtk_button_new_with_label (text);

          gtk_widget_add_css_class (button, "chip");
          studio_set_class (button, "difficult", difficult);
          gtk_widget_set_tooltip_text (button, difficult
                                                   ? _ ("Neither trains nor tests this class; click to show its images")
                                                   : _ ("Show the images of this class"));
          g_object_set_data (G_OBJECT (button), "class", GUINT_TO_POINTER (c));
          g_signal_connect (button, "clicked", G_CALLBACK (on_class_of_image), self);
          gtk_box_append (GTK_BOX (self->classes_box), button);
        }
}

/* Rows of both lists: a picture that follows the item's texture. */

static void
bind_thumbnail (StudioDataView *self, GtkListItem *list_item, GtkWidget *picture)
{
  StudioImageItem *item = gtk_list_item_get_item (list_item);

  g_object_set_data (G_OBJECT (picture), "binding",
                     g_object_bind_property (item, "texture", picture, "paintable", G_BINDING_SYNC_CREATE));
  studio_image_loader_request (self->loader, item, THUMBNAIL);
}

static void
unbind_thumbnail (StudioDataView *self, GtkListItem *list_item, GtkWidget *picture)
{
  g_binding_unbind (g_object_steal_data (G_OBJECT (picture), "binding"));
  gtk_picture_set_paintable (GTK_PICTURE (picture), NULL);
  if (self->loader != NULL)
    studio_image_loader_cancel (self->loader, gtk_list_item_get_item (list_item));
}

static void
on_class_setup (GtkSignalListItemFactory *factory, GtkListItem *item, StudioDataView *self)
{
  GtkWidget *name = studio_label (NULL, NULL), *detail = studio_label (NULL, "caption", "dim-label", NULL);
  GtkWidget *texts = studio_column (2, name, detail, NULL);
  GtkWidget *clamp = g_object_new (ADW_TYPE_CLAMP, "maximum-size", 40, "child", studio_thumbnail (40), NULL);

  gtk_label_set_ellipsize (GTK_LABEL (name), PANGO_ELLIPSIZE_END);
  gtk_label_set_wrap (GTK_LABEL (detail), TRUE);
  gtk_widget_set_valign (texts, GTK_ALIGN_CENTER);
  gtk_list_item_set_child (item, studio_row (12, clamp, texts, NULL));
}

static GtkWidget *
class_picture (GtkListItem *item)
{
  return adw_clamp_get_child (ADW_CLAMP (gtk_widget_get_first_child (gtk_list_item_get_child (item))));
}

/* Label of a whole image: 1, or 0 for a difficult one of a list, or -1. */
static int
label_of (StudioDataView *self, guint image, guint class_index)
{
  return self->dataset->labels != NULL ? tosst_dataset_label (self->dataset, image, class_index)
         : tosst_dataset_image (self->dataset, image)->class_index == (int)class_index ? 1
                                                                                       : -1;
}

static char *
describe_class (StudioDataView *self, guint class_index)
{
  guint images = self->class_images[class_index], samples = self->class_samples[class_index];
  g_autofree char *image_text = g_strdup_printf (ngettext ("%u image", "%u images", images), images);
  g_autofree char *sample_text = g_strdup_printf (ngettext ("%u block", "%u blocks", samples), samples);

  if (self->dataset->labels != NULL)
    return class_lists (self->dataset, class_index);
  return samples == images ? g_steal_pointer (&image_text) : g_strdup_printf ("%s · %s", image_text, sample_text);
}

static void
on_class_bind (GtkSignalListItemFactory *factory, GtkListItem *list_item, StudioDataView *self)
{
  StudioImageItem *item = gtk_list_item_get_item (list_item);
  GtkWidget *name = gtk_widget_get_first_child (gtk_widget_get_last_child (gtk_list_item_get_child (list_item)));
  guint index = class_of (item);
  const char *class_name = tosst_dataset_class_label (self->dataset, index);
  g_autofree char *detail = describe_class (self, index), *both = g_strconcat (class_name, ": ", detail, NULL);

  gtk_label_set_label (GTK_LABEL (name), class_name);
  studio_set_tooltip (name, class_name);
  gtk_label_set_label (GTK_LABEL (gtk_widget_get_next_sibling (name)), detail);
  studio_name_list_item (list_item, both);
  bind_thumbnail (self, list_item, class_picture (list_item));
}

static void
on_class_unbind (GtkSignalListItemFactory *factory, GtkListItem *list_item, StudioDataView *self)
{
  unbind_thumbnail (self, list_item, class_picture (list_item));
}

static void
on_image_setup (GtkSignalListItemFactory *factory, GtkListItem *list_item, StudioDataView *self)
{
  gtk_list_item_set_child (list_item, studio_thumbnail (64));
}

static void
on_image_bind (GtkSignalListItemFactory *factory, GtkListItem *list_item, StudioDataView *self)
{
  StudioImageItem *item = gtk_list_item_get_item (list_item);
  GtkWidget *picture = gtk_list_item_get_child (list_item);
  const char *file = tosst_dataset_image (self->dataset, item->image)->name;
  gboolean difficult = g_object_get_data (G_OBJECT (item), "difficult") != NULL;
  g_autofree char *name = difficult ? g_strdup_printf (_ ("%s (difficult)"), file) : g_strdup (file);

  gtk_widget_set_tooltip_text (picture, name);
  studio_set_class (picture, "difficult", difficult);
  gtk_picture_set_alternative_text (GTK_PICTURE (picture), name);
  studio_name_list_item (list_item, name);
  bind_thumbnail (self, list_item, picture);
}

static void
on_image_unbind (GtkSignalListItemFactory *factory, GtkListItem *list_item, StudioDataView *self)
{
  unbind_thumbnail (self, list_item, gtk_list_item_get_child (list_item));
}

/* The chosen image. */

static void
show_large (StudioImageItem *large, GParamSpec *pspec, StudioDataView *self)
{
  const TosstDatasetImage *image = tosst_dataset_image (self->dataset, large->image);

  studio_image_view_set_texture (self->image_view, large->texture, image->width, image->height);
  studio_label_show_problem (self->problem, large->problem);
}

static void
forget_large (StudioDataView *self)
{
  if (self->large == NULL)
    return;
  g_signal_handlers_disconnect_by_func (self->large, show_large, self);
  studio_image_loader_cancel (self->loader, self->large);
  g_clear_object (&self->large);
}

static gboolean
is_local (StudioDataView *self)
{
  return self->recipe != NULL && tosst_recipe_is_local (self->recipe);
}

static void
update_features (StudioDataView *self)
{
  StudioImageFeatures *features = STUDIO_IMAGE_FEATURES (self->local_features);

  if (self->large != NULL && is_local (self) && studio_is_on (self->patches_button))
    studio_image_features_show (features, self->dataset, self->large->image, self->recipe);
  else
    studio_image_features_hide (features);
}

static void
on_marked (StudioDataView *self, guint image, StudioImageMarks *marks)
{
  studio_image_view_set_marks (self->image_view, marks);
}

static void update_grids (StudioDataView *self);

static void
show_image (StudioDataView *self, guint index)
{
  const TosstDatasetImage *image = tosst_dataset_image (self->dataset, index);
  /* A file of features may be without an image. */
  g_autofree char *size
      = image->width > 0 ? g_strdup_printf (_ ("%d × %d px"), image->width, image->height) : g_strdup ("");

  if (self->large != NULL && self->large->image == index)
    return;
  forget_large (self);
  self->large = studio_image_item_new (self->dataset, index);
  g_signal_connect (self->large, "notify", G_CALLBACK (show_large), self);
  studio_image_loader_request (self->loader, self->large, STUDIO_IMAGE_SIDE);
  show_classes_of_image (self, index);
  update_grids (self);
  g_signal_emit_by_name (self, "image-chosen", index);
  gtk_label_set_label (GTK_LABEL (self->image_title), image->name);
  gtk_widget_set_tooltip_text (self->image_title, image->name);
  gtk_label_set_label (GTK_LABEL (self->image_size), size);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->image_view), GTK_ACCESSIBLE_PROPERTY_LABEL, image->name,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, size, -1);
}

static void
on_image_selected (StudioDataView *self)
{
  StudioImageItem *item = gtk_single_selection_get_selected_item (self->image_selection);

  if (item != NULL && self->dataset != NULL)
    show_image (self, item->image);
}

static void
on_class_selected (StudioDataView *self)
{
  StudioImageItem *item = gtk_single_selection_get_selected_item (self->class_selection);
  guint index, n;

  if (item == NULL || self->dataset == NULL)
    return;
  index = class_of (item);
  g_autoptr (GPtrArray) images = g_ptr_array_new_with_free_func (g_object_unref);
  for (int label = 1; label >= 0; label--) /* those that are difficult to see come last */
    for (guint i = 0; i < self->dataset->entries->len; i++)
      if (label_of (self, i, index) == label)
        {
          StudioImageItem *image = studio_image_item_new (self->dataset, i);

          g_object_set_data (G_OBJECT (image), "difficult", GINT_TO_POINTER (label == 0));
          g_ptr_array_add (images, image);
        }
  n = images->len;
  gtk_widget_set_visible (self->strip, n > 1);
  feed (self, 1, g_steal_pointer (&images));
}

/* The whole. */

static void
show_summary (StudioDataView *self)
{
  guint classes = self->dataset->classes->len, images = self->dataset->entries->len;
  guint samples = self->dataset->samples->len;
  g_autofree char *class_text = g_strdup_printf (ngettext ("%'u class", "%'u classes", classes), classes);
  g_autofree char *image_text = g_strdup_printf (ngettext ("%'u image", "%'u images", images), images);
  g_autofree char *sample_text = g_strdup_printf (ngettext ("%'u sample", "%'u samples", samples), samples);

  studio_label_take (self->summary, images == samples
                                        ? g_strdup_printf ("%s · %s", class_text, image_text)
                                        : g_strdup_printf ("%s · %s · %s", class_text, image_text, sample_text));
}

static void
add_remark (StudioDataView *self, const char *text)
{
  GtkWidget *label = studio_label (text, "caption", NULL);

  g_object_set (label, "wrap", TRUE, "wrap-mode", PANGO_WRAP_WORD_CHAR, "selectable", TRUE, NULL);
  gtk_box_append (GTK_BOX (self->skipped_list), label);
}

/* Warnings about the lists, and files that were skipped. */
static void
show_skipped (StudioDataView *self)
{
  const GPtrArray *skipped = self->dataset->skipped;
  g_autoptr (GPtrArray) warnings = self->recipe != NULL ? tosst_dataset_warnings (self->dataset, self->recipe) : NULL;
  if (warnings != NULL && self->duplicates != NULL)
    g_ptr_array_insert (warnings, 0, g_strdup (self->duplicates));

  guint n = skipped != NULL ? skipped->len : 0, m = warnings != NULL ? warnings->len : 0;
  g_autofree char *files = g_strdup_printf (ngettext ("%'u file skipped", "%'u files skipped", n), n);
  g_autofree char *sentences = g_strdup_printf (ngettext ("%'u warning", "%'u warnings", m), m);
  g_autofree char *title = m == 0   ? g_strdup (files)
                           : n == 0 ? g_strdup (sentences)
                                    : g_strdup_printf ("%s · %s", sentences, files);

  gtk_widget_set_visible (self->skipped, n + m > 0);
  gtk_label_set_label (GTK_LABEL (self->skipped_label), title);
  studio_set_name (self->skipped, title);
  studio_remove_children (self->skipped_list);
  for (guint i = 0; i < m; i++)
    add_remark (self, g_ptr_array_index (warnings, i));
  for (guint i = 0; i < MIN (n, 500); i++)
    {
      const TosstSkippedFile *file = skipped->pdata[i];
      g_autofree char *text = g_strdup_printf ("%s: %s", file->name, file->reason);

      add_remark (self, text);
    }
}

static StudioImageItem *
class_item (StudioDataView *self, guint class_index, guint image)
{
  StudioImageItem *item = studio_image_item_new (self->dataset, image);

  g_object_set_data (G_OBJECT (item), "class", GUINT_TO_POINTER (class_index));
  return item;
}

static void
show_classes (StudioDataView *self)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);
  guint classes = self->dataset->classes->len, images = self->dataset->entries->len;
  g_autofree gboolean *seen = g_new0 (gboolean, classes);

  /* Many classes have one label an image: one pass over these, in the order of their first images. */
  for (guint i = 0; i < images && self->dataset->labels == NULL; i++)
    {
      guint index = tosst_dataset_image (self->dataset, i)->class_index;

      if (index < classes && !seen[index])
        g_ptr_array_add (items, class_item (self, index, i));
      if (index < classes)
        seen[index] = TRUE;
    }
  for (guint c = 0; c < classes && self->dataset->labels != NULL; c++)
    for (guint i = 0; i < images && !seen[c]; i++)
      if (label_of (self, i, c) == 1)
        {
          g_ptr_array_add (items, class_item (self, c, i));
          seen[c] = TRUE;
        }
  feed (self, 0, g_steal_pointer (&items));
}

static void
on_patch_activated (StudioDataView *self, int x, int y)
{
  g_signal_emit_by_name (self, "patch-activated", x, y);
}

/* The card keeps out of the way of the patch. */
static void
on_patch_hovered (StudioDataView *self, int x, int y)
{
  StudioPatchFeatures *features = STUDIO_PATCH_FEATURES (self->features);
  const TosstFrame *frame = studio_image_view_get_frame (self->image_view, x);

  if (x < 0 || self->large == NULL || self->recipe == NULL || !tosst_recipe_has_patches (self->recipe))
    {
      gtk_widget_set_visible (self->features, FALSE);
      return;
    }
  guint index = self->large->image;
  const TosstDatasetImage *image = tosst_dataset_image (self->dataset, index);
  g_autofree char *title = studio_image_view_describe (self->image_view, x, y);
  gtk_widget_set_halign (self->features,
                         (frame != NULL ? (int)frame->x : x) < image->width / 2 ? GTK_ALIGN_END : GTK_ALIGN_START);
  gtk_widget_set_valign (self->features,
                         (frame != NULL ? (int)frame->y : y) < image->height / 2 ? GTK_ALIGN_END : GTK_ALIGN_START);
  studio_patch_features_show (features, title, self->dataset, index, self->recipe, (TosstPoint){ x, y });
  studio_set_description (self->image_view, title);
}

static void
update_grids (StudioDataView *self)
{
  gboolean described = self->recipe != NULL && tosst_recipe_has_patches (self->recipe);
  int patch = described ? self->recipe->descriptor.patch : 0, step = described ? self->recipe->descriptor.step : 0;
  gboolean patches = studio_is_on (self->patches_button);
  gboolean blocks = studio_is_on (self->blocks_button);

  /* Local features have one tensor for a whole image: features are shown instead of patches. */
  gtk_button_set_label (GTK_BUTTON (self->patches_button), is_local (self) ? _ ("Features") : _ ("Patches"));
  gtk_widget_set_tooltip_text (self->patches_button, is_local (self) ? _ ("Show the local features of the image")
                                                                     : _ ("Show the patches of the image"));
  gtk_widget_set_sensitive (self->blocks_button, self->block > 0);
  gtk_widget_set_tooltip_text (self->blocks_button, self->block > 0 ? _ ("Show the blocks of the image")
                                                                    : _ ("Each image is one sample here"));
  if (described && tosst_recipe_has_frames (self->recipe) && self->large != NULL)
    studio_image_view_set_frames (self->image_view, self->dataset, self->large->image, self->recipe, patches);
  else
    studio_image_view_set_patches (self->image_view, patch, step, patches && described);
  studio_image_view_set_blocks (self->image_view, self->block, self->block_step, blocks && self->block > 0);
  update_features (self);
}

/* Images that look alike on both sides of a split are looked for in a thread, as that decodes them. */

typedef struct
{
  TosstDataset *dataset;
  TosstRecipe *recipe;
  GCancellable *cancellable;
  char *sentence; /* result */
} Comparison;

TOSST_DEFINE_FREE (Comparison, comparison_free, (dataset, tosst_dataset_unref), (recipe, tosst_recipe_free),
                   (cancellable, g_object_unref), (sentence, g_free))

static gboolean
compare_images (Comparison *job, GError **error)
{
  job->sentence = tosst_dataset_warn_of_duplicates (job->dataset, job->recipe, job->cancellable);
  return TRUE;
}

static void
on_compared (StudioDataView *self, Comparison *job, const GError *error)
{
  if (self->comparing != job->cancellable)
    return;
  g_clear_object (&self->comparing);
  self->duplicates = g_steal_pointer (&job->sentence);
  if (self->duplicates != NULL)
    show_skipped (self);
}

static void
start_comparison (StudioDataView *self)
{
  if (self->recipe == NULL)
    return;
  self->comparing = g_cancellable_new ();
  Comparison *job = g_new0 (Comparison, 1);
  *job = (Comparison){ .dataset = tosst_dataset_ref (self->dataset),
                       .recipe = tosst_recipe_copy (self->recipe),
                       .cancellable = g_object_ref (self->comparing) };
  studio_task_run (self, compare_images, job, comparison_free, on_compared);
}

static void
clear (StudioDataView *self)
{
  if (self->comparing != NULL)
    g_cancellable_cancel (self->comparing);
  g_clear_object (&self->comparing);
  g_clear_pointer (&self->duplicates, g_free);
  forget_large (self);
  /* Items that are not in the stores yet are forgotten. */
  g_clear_handle_id (&self->feed_source, g_source_remove);
  for (int i = 0; i < LISTS; i++)
    g_ptr_array_set_size (self->waiting[i], 0);
  studio_image_view_set_texture (self->image_view, NULL, 0, 0);
  studio_image_view_set_patches (self->image_view, 0, 0, FALSE);
  studio_image_features_hide (STUDIO_IMAGE_FEATURES (self->local_features));
  g_list_store_remove_all (self->images);
  g_list_store_remove_all (self->classes);
  g_clear_pointer (&self->dataset, tosst_dataset_unref);
}

void
studio_data_view_set_dataset (StudioDataView *self, TosstDataset *dataset)
{
  guint selected = gtk_single_selection_get_selected (self->class_selection);

  clear (self);
  if (dataset == NULL)
    return;
  self->dataset = tosst_dataset_ref (dataset);
  guint classes = self->dataset->classes->len;
  g_free (self->class_images);
  g_free (self->class_samples);
  self->class_images = g_new0 (guint, classes);
  self->class_samples = g_new0 (guint, classes);
  for (guint i = 0; i < self->dataset->entries->len; i++)
    if ((guint)tosst_dataset_image (self->dataset, i)->class_index < classes)
      self->class_images[tosst_dataset_image (self->dataset, i)->class_index]++;
  for (guint i = 0; i < self->dataset->samples->len; i++)
    if ((guint)tosst_dataset_sample (self->dataset, i)->class_index < classes)
      self->class_samples[tosst_dataset_sample (self->dataset, i)->class_index]++;
  show_summary (self);
  show_skipped (self);
  show_classes (self);
  start_comparison (self);
  /* The class that was chosen stays chosen when the data set is cut differently. */
  while (selected != GTK_INVALID_LIST_POSITION && g_list_model_get_n_items (G_LIST_MODEL (self->classes)) <= selected)
    if (!feed_some (self, 0))
      return;
  gtk_single_selection_set_selected (self->class_selection, selected);
}

void
studio_data_view_set_recipe (StudioDataView *self, const TosstRecipe *recipe)
{
  if (self->recipe != NULL && tosst_recipe_equal (self->recipe, recipe))
    return;
  tosst_recipe_free (self->recipe);
  self->recipe = tosst_recipe_copy (recipe);
  self->block = tosst_recipe_block (recipe);
  self->block_step = recipe->dataset.block_step;
  update_grids (self);
  if (self->dataset != NULL && self->dataset->labels != NULL)
    show_skipped (self);
}

void
studio_data_view_set_components (StudioDataView *self, const TosstPca *pca)
{
  studio_image_features_set_components (STUDIO_IMAGE_FEATURES (self->local_features), pca);
  update_features (self);
}

static void
studio_data_view_dispose (GObject *object)
{
  StudioDataView *self = STUDIO_DATA_VIEW (object);

  if (self->loader != NULL)
    clear (self);
  g_clear_pointer (&self->recipe, tosst_recipe_free);
  g_clear_object (&self->loader);
  g_clear_pointer (&self->class_images, g_free);
  g_clear_pointer (&self->class_samples, g_free);
  for (int i = 0; i < LISTS; i++)
    g_clear_pointer (&self->waiting[i], g_ptr_array_unref);
  G_OBJECT_CLASS (studio_data_view_parent_class)->dispose (object);
}

static void
studio_data_view_class_init (StudioDataViewClass *klass)
{
  STUDIO_ENSURE_TYPES (STUDIO_TYPE_FOLD, STUDIO_TYPE_IMAGE_VIEW, STUDIO_TYPE_IMAGE_ITEM, STUDIO_TYPE_IMAGE_FEATURES,
                       STUDIO_TYPE_PATCH_FEATURES, STUDIO_TYPE_TAB_STOP, STUDIO_TYPE_WRAP);
  G_OBJECT_CLASS (klass)->dispose = studio_data_view_dispose;
  studio_add_signal (klass, "image-chosen", 1, G_TYPE_UINT);
  studio_add_signal (klass, "patch-activated", 2, G_TYPE_INT, G_TYPE_INT);
  STUDIO_SET_TEMPLATE (klass, StudioDataView, "data-view", fold, summary, class_list, image_list, strip, image_view,
                       features, classes_of_image, classes_box, local_features, image_title, image_size, problem,
                       patches_button, blocks_button, skipped, skipped_label, skipped_list, class_selection,
                       image_selection, classes, images);
  STUDIO_BIND_CALLBACKS (klass, on_class_setup, on_class_bind, on_class_unbind, on_image_setup, on_image_bind,
                         on_image_unbind, on_marked, on_class_selected, studio_fold_open, on_image_selected,
                         update_grids, on_patch_activated, on_patch_hovered);
}

static void
studio_data_view_init (StudioDataView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  studio_image_view_set_hovers (self->image_view, TRUE);
  self->loader = studio_image_loader_new ();
  for (int i = 0; i < LISTS; i++)
    self->waiting[i] = g_ptr_array_new_with_free_func (g_object_unref);
}

StudioImageSheet *
studio_data_view_copy_image (StudioDataView *self)
{
  return studio_image_view_copy (self->image_view);
}

gboolean
studio_data_view_has_image (StudioDataView *self)
{
  return studio_image_view_get_texture (self->image_view) != NULL;
}
