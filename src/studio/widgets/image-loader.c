/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/widgets/image-loader.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/frames.h"
#include "core/dictionary/patch-coder.h"
#include "studio/widgets/build.h"

#define KEPT 400      /* thumbnails; at 96 x 96 pixels these take 15 MB */
#define KEPT_SIDE 256 /* pixels: larger images are not cached */

typedef struct StudioImageRequest Request;

/* The worker uses plain data only, never the item or the loader. */
struct StudioImageRequest
{
  guint number;
  StudioImageLoader *loader; /* exists unless the request is cancelled */
  StudioImageItem *item;     /* owned */
  TosstDataset *dataset;
  guint image;
  StudioImagePart part;
  int size;
  gint cancelled; /* atomic */
  GdkTexture *texture;
  StudioPixels *held; /* shared pixels, or NULL */
  GError *error;
};

struct _StudioImageLoader
{
  GObject parent_instance;
  GThreadPool *pool;
  GHashTable *requests; /* set of Request, under way */
  GQueue kept;          /* of StudioImageItem with a texture, newest first */
  guint last_number;
};

static GParamSpec *texture_property;

G_DEFINE_FINAL_TYPE (StudioImageItem, studio_image_item, G_TYPE_OBJECT)
G_DEFINE_FINAL_TYPE (StudioImageLoader, studio_image_loader, G_TYPE_OBJECT)

static void
studio_image_item_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_object (value, STUDIO_IMAGE_ITEM (object)->texture);
}

STUDIO_DEFINE_FINALIZE (StudioImageItem, studio_image_item, (texture, g_object_unref), (pixels, studio_pixels_unref),
                        (dataset, tosst_dataset_unref), (problem, g_free))

static void
studio_image_item_class_init (StudioImageItemClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->get_property = studio_image_item_get_property;
  object_class->finalize = studio_image_item_finalize;
  texture_property = g_param_spec_object ("texture", NULL, NULL, GDK_TYPE_TEXTURE, flags);
  g_object_class_install_property (object_class, 1, texture_property);
}

STUDIO_DEFINE_INIT (StudioImageItem, studio_image_item)

StudioImageItem *
studio_image_item_new (TosstDataset *dataset, guint image)
{
  StudioImageItem *self = g_object_new (STUDIO_TYPE_IMAGE_ITEM, NULL);

  self->dataset = tosst_dataset_ref (dataset);
  self->image = image;
  return self;
}

StudioImageItem *
studio_image_item_new_part (TosstDataset *dataset, guint image, int x, int y, int width, int height)
{
  StudioImageItem *self = studio_image_item_new (dataset, image);

  self->part = (StudioImagePart){ .x = x, .y = y, .width = width, .height = height };
  return self;
}

StudioImageItem *
studio_image_item_new_patch (TosstDataset *dataset, guint image, const TosstFrame *frame, int side,
                             gboolean photometric)
{
  StudioImageItem *self = studio_image_item_new_part (dataset, image, 0, 0, side, side);

  self->part.frame = *frame;
  self->part.photometric = photometric;
  return self;
}

static void
item_set_texture (StudioImageItem *self, GdkTexture *texture)
{
  if (g_set_object (&self->texture, texture))
    g_object_notify_by_pspec (G_OBJECT (self), texture_property);
}

/* Requests. */

TOSST_DEFINE_FREE (Request, request_free, (item, g_object_unref), (dataset, tosst_dataset_unref),
                   (texture, g_object_unref), (held, studio_pixels_unref), (error, g_error_free))

static void
request_cancel (Request *self)
{
  g_atomic_int_set (&self->cancelled, 1);
  self->item->request = NULL;
}

/* Mean over the box [x0, x1) x [y0, y1) of one channel, as a byte. */
static guint32
box_mean (const TosstImage *image, int channel, int x0, int x1, int y0, int y1)
{
  const float *plane = image->data + (gsize)MIN (channel, image->channels - 1) * image->width * image->height;
  double sum = 0;

  for (int y = y0; y < y1; y++)
    for (int x = x0; x < x1; x++)
      sum += plane[(gsize)y * image->width + x];
  return (guint32)CLAMP (sum / ((x1 - x0) * (y1 - y0)) * 255 + 0.5, 0, 255);
}

/* Each output pixel is the mean of the input pixels that fall into it. */
GdkTexture *
studio_image_texture (const TosstImage *image, int x, int y, int width, int height, int size)
{
  double ratio = size > 0 ? MAX (1.0, MAX (width, height) / (double)size) : 1;
  int columns = MAX (1, (int)(width / ratio)), rows = MAX (1, (int)(height / ratio));
  gsize stride = (gsize)columns * sizeof (guint32);
  guint32 *pixels = g_malloc (stride * rows); /* GDK_MEMORY_DEFAULT, opaque: no conversion on the main thread */
  g_autoptr (GBytes) bytes = g_bytes_new_take (pixels, stride * rows);

  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++)
      {
        int x0 = (int)(column * ratio), x1 = MAX (x0 + 1, MIN (width, (int)((column + 1) * ratio)));
        int y0 = (int)(row * ratio), y1 = MAX (y0 + 1, MIN (height, (int)((row + 1) * ratio)));
        guint32 rgb[3];

        for (int c = 0; c < 3; c++)
          rgb[c] = box_mean (image, c, x + x0, x + x1, y + y0, y + y1);
        pixels[(gsize)row * columns + column] = 0xff000000u | rgb[0] << 16 | rgb[1] << 8 | rgb[2];
      }
  return gdk_memory_texture_new (columns, rows, GDK_MEMORY_DEFAULT, bytes, stride);
}

static GdkTexture *
texture_of_part (const StudioImagePart *part, const TosstImage *image, int size)
{
  int x = CLAMP (part->x, 0, image->width - 1), y = CLAMP (part->y, 0, image->height - 1);

  if (part->width <= 0)
    return studio_image_texture (image, 0, 0, image->width, image->height, size);
  return studio_image_texture (image, x, y, MIN (part->width, image->width - x), MIN (part->height, image->height - y),
                               size);
}

static gboolean
on_answer (Request *request)
{
  StudioImageItem *item = request->item;

  if (g_atomic_int_get (&request->cancelled))
    return G_SOURCE_REMOVE;
  g_hash_table_remove (request->loader->requests, request);
  item->request = NULL;
  if (request->texture != NULL)
    {
      item->pixels = g_steal_pointer (&request->held);
      item_set_texture (item, request->texture);
      if (request->size > 0 && request->size <= KEPT_SIDE)
        {
          g_queue_push_head (&request->loader->kept, g_object_ref (item));
          if (request->loader->kept.length > KEPT)
            {
              g_autoptr (StudioImageItem) old = g_queue_pop_tail (&request->loader->kept);
              item_set_texture (old, NULL);
            }
        }
    }
  else if (request->error != NULL)
    {
      g_free (item->problem);
      item->problem = g_strdup (request->error->message);
      g_object_notify_by_pspec (G_OBJECT (item), texture_property);
    }
  return G_SOURCE_REMOVE;
}

/* The patch at the frame of a part instead of the image. */
static void
resample (const StudioImagePart *part, TosstImage **image, const char *name, GError **error)
{
  const TosstFramePatch options = { part->width, 0, TOSST_FRAME_EXTENT, part->photometric };
  TosstImage *patch = tosst_image_new (part->width, part->width, (*image)->channels);
  TosstStatus status
      = patch != NULL ? tosst_frames_patches (&options, *image, &part->frame, 1, patch->data) : TOSST_ERROR_MEMORY;

  tosst_image_free (*image);
  *image = patch;
  if (!tosst_error_from_status (status, NULL, name, error))
    g_clear_pointer (image, tosst_image_free);
}

static void
work (Request *request, gpointer unused)
{
  if (!g_atomic_int_get (&request->cancelled))
    {
      const TosstDatasetImage *image = tosst_dataset_image (request->dataset, request->image);
      gboolean whole = request->part.width <= 0 && request->size > 0;
      g_autoptr (TosstImage) own = NULL;

      /* Worker. An image that is shown large, at its own resolution, shares its pixels. */
      if (whole && request->size > KEPT_SIDE && MAX (image->width, image->height) <= request->size)
        request->held = studio_pixels_get (request->dataset, request->image, &request->error);
      else if (whole)
        own = tosst_dataset_read_reduced (request->dataset, request->image, request->size, &request->error);
      else
        own = tosst_dataset_read_for (request->dataset, request->image, 0, (&request->error));
      if (own != NULL && (request->part.frame.a[0] != 0 || request->part.frame.a[2] != 0))
        resample (&request->part, &own, image->name, &request->error);
      /* The window may have been closed during reading. */
      if ((own != NULL || request->held != NULL) && !g_atomic_int_get (&request->cancelled))
        request->texture = texture_of_part (&request->part, own != NULL ? own : request->held->image, request->size);
    }
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, G_SOURCE_FUNC (on_answer), request, request_free);
}

/* The latest request is on the screen now. */
static int
newest_first (gconstpointer a, gconstpointer b, gpointer data)
{
  guint x = ((const Request *)a)->number, y = ((const Request *)b)->number;

  return x > y ? -1 : x < y;
}

static void
studio_image_loader_finalize (GObject *object)
{
  StudioImageLoader *self = STUDIO_IMAGE_LOADER (object);
  GHashTableIter iter;
  gpointer request;

  g_hash_table_iter_init (&iter, self->requests);
  while (g_hash_table_iter_next (&iter, &request, NULL))
    request_cancel (request);
  g_hash_table_unref (self->requests);
  g_thread_pool_free (self->pool, FALSE, FALSE);
  g_queue_clear_full (&self->kept, g_object_unref);
  G_OBJECT_CLASS (studio_image_loader_parent_class)->finalize (object);
}

static void
studio_image_loader_class_init (StudioImageLoaderClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = studio_image_loader_finalize;
}

static void
studio_image_loader_init (StudioImageLoader *self)
{
  self->requests = g_hash_table_new (NULL, NULL);
  self->pool = g_thread_pool_new ((GFunc)work, NULL, 1, FALSE, NULL);
  g_thread_pool_set_sort_function (self->pool, newest_first, NULL);
}

StudioImageLoader *
studio_image_loader_new (void)
{
  return g_object_new (STUDIO_TYPE_IMAGE_LOADER, NULL);
}

void
studio_image_loader_request (StudioImageLoader *self, StudioImageItem *item, int size)
{
  if (item->texture != NULL || item->request != NULL)
    return;
  Request *request = item->request = g_new (Request, 1);
  *request = (Request){ .number = ++self->last_number,
                        .loader = self,
                        .item = g_object_ref (item),
                        .dataset = tosst_dataset_ref (item->dataset),
                        .image = item->image,
                        .part = item->part,
                        .size = size };
  g_hash_table_add (self->requests, request);
  g_thread_pool_push (self->pool, request, NULL);
}

void
studio_image_loader_cancel (StudioImageLoader *self, StudioImageItem *item)
{
  if (item->request == NULL)
    return;
  g_hash_table_remove (self->requests, item->request);
  request_cancel (item->request);
}

#define SEEN 2 /* pixels beyond a patch: derivatives need one, and borders are those of the image */

static GMutex reading; /* by one thread at a time: others wait, as they mostly want the same image */
static GMutex finding; /* of frames, by one thread at a time */
static GMutex lock;    /* of what follows and of references; never held for long, as the main thread takes it, too */
static StudioPixels *last; /* not a reference; NULL: none is held */

gboolean
studio_pixels_are (const StudioPixels *self, TosstDataset *dataset, guint image)
{
  return self != NULL && self->dataset == dataset && self->number == image;
}

static StudioPixels *
find (TosstDataset *dataset, guint image)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&lock);

  if (!studio_pixels_are (last, dataset, image))
    return NULL;
  last->references++;
  return last;
}

StudioPixels *
studio_pixels_get (TosstDataset *dataset, guint image, GError **error)
{
  g_autoptr (GMutexLocker) reader G_GNUC_UNUSED = g_mutex_locker_new (&reading);
  StudioPixels *self = find (dataset, image);
  TosstImage *read = self == NULL ? tosst_dataset_read_for (dataset, image, 0, error) : NULL;

  if (read == NULL)
    return self;
  self = g_new (StudioPixels, 1);
  *self = (StudioPixels){ read, tosst_dataset_ref (dataset), image, 1, NULL, NULL };
  g_mutex_lock (&lock);
  last = self;
  g_mutex_unlock (&lock);
  return self;
}

void
studio_pixels_unref (StudioPixels *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&lock);

  if (--self->references > 0)
    return;
  if (last == self)
    last = NULL;
  tosst_image_free (self->image);
  tosst_dataset_unref (self->dataset);
  tosst_recipe_free (self->recipe);
  g_clear_pointer (&self->frames, g_array_unref);
  g_free (self);
}

GArray *
studio_pixels_frames (StudioPixels *self, const TosstRecipe *recipe, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&finding);
  g_autofree TosstFrame *frames = NULL;
  gsize n;

  if (self->recipe == NULL || !tosst_frames_are_same (self->recipe, recipe))
    {
      frames = tosst_frames_of_image (recipe, self->image, &n, NULL,
                                      tosst_dataset_image (self->dataset, self->number)->name, error);
      if (frames == NULL)
        return NULL;
      tosst_recipe_free (self->recipe);
      self->recipe = tosst_recipe_copy (recipe);
      g_clear_pointer (&self->frames, g_array_unref);
      self->frames = g_array_new (FALSE, FALSE, sizeof (TosstFrame));
      g_array_append_vals (self->frames, frames, (guint)n);
    }
  return g_array_ref (self->frames);
}

TosstImage *
studio_image_cut (const TosstImage *image, int size, TosstPoint *place)
{
  int left = CLAMP (place->x - SEEN, 0, image->width - 1);
  int right = CLAMP (place->x + size + SEEN, left + 1, image->width);
  int top = CLAMP (place->y - SEEN, 0, image->height - 1);
  int bottom = CLAMP (place->y + size + SEEN, top + 1, image->height);
  TosstImage *part = tosst_image_new (right - left, bottom - top, image->channels);

  if (part == NULL)
    return NULL;
  part->maximum = image->maximum;
  for (int c = 0; c < part->channels; c++)
    for (int row = 0; row < part->height; row++)
      memcpy (part->data + ((gsize)c * part->height + row) * part->width,
              image->data + ((gsize)c * image->height + top + row) * image->width + left,
              sizeof *part->data * part->width);
  place->x -= left;
  place->y -= top;
  return part;
}

TosstImage *
studio_patch_cut (StudioPixels *self, const TosstRecipe *recipe, TosstPoint *place, TosstFrame *frame, GError **error)
{
  g_autoptr (GArray) frames = NULL;
  TosstImage *cut;

  *frame = (TosstFrame){ 0 };
  if (!tosst_recipe_has_frames (recipe))
    cut = studio_image_cut (self->image, recipe->descriptor.patch, place);
  else if ((frames = studio_pixels_frames (self, recipe, error)) == NULL)
    return NULL;
  else
    {
      *frame = g_array_index (frames, TosstFrame, (guint)place->x % frames->len);
      cut = tosst_frame_patch (recipe, self->image, frame, place);
    }
  if (cut == NULL)
    tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, tosst_dataset_image (self->dataset, self->number)->name, error);
  return cut;
}

TosstStatus
studio_patch_describe (StudioPixels *self, const TosstRecipe *recipe, TosstContext *context, const TosstImage *cut,
                       TosstPoint place, const TosstFrame *frame, float *tensor)
{
  return tosst_recipe_has_frames (recipe) ? tosst_describe_frames (recipe, context, self->image, frame, 1, tensor)
                                          : tosst_describe_patches (recipe, context, cut, &place, 1, tensor);
}

StudioPatchQuestion *
studio_patch_question_new (TosstDataset *dataset, guint image, const TosstRecipe *recipe, TosstPoint point)
{
  StudioPatchQuestion *self = g_new (StudioPatchQuestion, 1);

  *self = (StudioPatchQuestion){ tosst_dataset_ref (dataset), image, tosst_recipe_copy (recipe), point, NULL, NULL };
  return self;
}

TOSST_DEFINE_PUBLIC_FREE (StudioPatchQuestion, studio_patch_question_free, gpointer, (more, self->free_more),
                          (dataset, tosst_dataset_unref), (recipe, tosst_recipe_free))
