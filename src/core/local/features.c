/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/local/features.h"

#include "core/base/base.h"
#include "core/data/feature-files.h"
#include "core/data/frames.h"
#include "core/format/npz.h"

/* Cubes of larger numbers are too large for float32. */
#define LARGEST 1e12

TosstFeatures *
tosst_features_copy (const TosstFeatures *self)
{
  TosstFeatures *copy = g_memdup2 (self, sizeof *self);

  copy->x = g_memdup2 (self->x, self->n * (gsize)self->D * sizeof *self->x);
  copy->xy = g_memdup2 (self->xy, 2 * self->n * sizeof *self->xy);
  copy->scale = self->scale != NULL ? g_memdup2 (self->scale, self->n * sizeof *self->scale) : NULL;
  copy->frames = self->frames != NULL ? g_memdup2 (self->frames, self->n * sizeof *self->frames) : NULL;
  copy->name = g_strdup (self->name);
  return copy;
}

TOSST_DEFINE_PUBLIC_FREE (TosstFeatures, tosst_features_free, TosstFeatures *, (x, g_free), (xy, g_free),
                          (scale, g_free), (frames, g_free), (name, g_free))

/* Names the features, and leaves descriptors of a small mass out. FALSE with an error if none is left. */
static gboolean
keep_described (TosstFeatures *self, const float *mass, double flat, const char *name, GError **error)
{
  gsize kept = 0;

  for (gsize i = 0; i < self->n; i++)
    if (mass[i] >= (float)flat)
      {
        memmove (self->x + kept * TOSST_SIFT_LENGTH, self->x + i * TOSST_SIFT_LENGTH,
                 TOSST_SIFT_LENGTH * sizeof *self->x);
        self->xy[2 * kept] = self->xy[2 * i];
        self->xy[2 * kept + 1] = self->xy[2 * i + 1];
        if (self->scale != NULL)
          self->scale[kept] = self->scale[i];
        if (self->frames != NULL)
          self->frames[kept] = self->frames[i];
        kept++;
      }
  self->n = kept;
  self->name = g_strdup (name);
  return kept > 0 || tosst_fail_empty (error, name, _ ("is flat: no descriptor has a gradient"));
}

/* Memory for n features; FALSE without memory. */
static gboolean
allocate (TosstFeatures *self, gsize n, float **mass)
{
  self->n = n;
  self->D = TOSST_SIFT_LENGTH;
  self->x = g_try_new (float, n *TOSST_SIFT_LENGTH);
  self->xy = g_try_new (double, 2 * n);
  *mass = g_try_new (float, n);
  return self->x != NULL && self->xy != NULL && *mass != NULL;
}

TosstFeatures *
tosst_features_sift (const TosstImage *image, const TosstSiftOptions *options, int longest_side, double flat,
                     const char *name, GError **error)
{
  int width = 0, height = 0;
  g_autofree float *plane = tosst_image_grey (image, longest_side, &width, &height), *mass = NULL;
  g_autoptr (TosstFeatures) self = g_new0 (TosstFeatures, 1);
  TosstStatus status = TOSST_ERROR_MEMORY;
  gsize n;

  if (plane != NULL && (n = tosst_sift_count (options, width, height)) == 0)
    {
      tosst_fail_empty (error, name, _ ("has %d × %d pixels, too few for a descriptor of any scale"), width, height);
      return NULL;
    }
  if (plane != NULL && allocate (self, n, &mass) && (self->scale = g_try_new (int, n)) != NULL)
    status = tosst_sift (options, plane, width, height, self->x, self->xy, mass, self->scale);
  if (!tosst_error_from_status (status, NULL, name, error))
    return NULL;
  for (gsize i = 0; i < 2 * self->n; i++)
    self->xy[i] = (self->xy[i] + 0.5) / (i % 2 == 0 ? width : height);
  return keep_described (self, mass, flat, name, error) ? g_steal_pointer (&self) : NULL;
}

TosstFeatures *
tosst_features_at_frames (const TosstImage *image, const TosstFrameOptions *options, gboolean root, int longest_side,
                          double flat, const char *name, GError **error)
{
  int width = 0, height = 0;
  g_autofree float *plane = tosst_image_grey (image, longest_side, &width, &height), *mass = NULL;
  g_autoptr (TosstFeatures) self = g_new0 (TosstFeatures, 1);
  TosstStatus status = TOSST_ERROR_MEMORY;
  gsize n;

  if (plane == NULL)
    tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, name, error);
  if (plane == NULL || (self->frames = tosst_frames_of_plane (options, plane, width, height, &n, name, error)) == NULL)
    return NULL;
  if (allocate (self, n, &mass))
    status = tosst_frames_sift (plane, width, height, self->frames, n, root, self->x, mass);
  if (!tosst_error_from_status (status, NULL, name, error))
    return NULL;
  for (gsize i = 0; i < self->n; i++)
    {
      self->xy[2 * i] = CLAMP ((self->frames[i].x + 0.5) / width, 0, 1);
      self->xy[2 * i + 1] = CLAMP ((self->frames[i].y + 0.5) / height, 0, 1);
    }
  /* Frames in pixels of the image from those of a reduced one. */
  tosst_frames_to_image (self->frames, self->n, width, height, image);
  return keep_described (self, mass, flat, name, error) ? g_steal_pointer (&self) : NULL;
}

/* Copies an array as float32. */
static float *
copy_floats (const TosstNpy *array)
{
  float *copy = g_new (float, array->count);

  for (gsize i = 0; i < array->count; i++)
    copy[i]
        = array->type == TOSST_NPY_FLOAT32 ? ((const float *)array->data)[i] : (float)((const double *)array->data)[i];
  return copy;
}

/* Features of two arrays. x_name, xy_name: for messages. */
static TosstFeatures *
from_arrays (const TosstNpy *x, const char *x_name, const TosstNpy *xy, const char *xy_name, GError **error)
{
  g_autoptr (TosstFeatures) self = g_new0 (TosstFeatures, 1);

  if (x->ndim != 2 || x->count == 0 || x->shape[1] > G_MAXINT)
    tosst_fail_input (error, x_name, _ ("does not hold features: an array (N, D) is expected"));
  else if (xy->ndim != 2 || xy->shape[1] != 2 || xy->shape[0] != x->shape[0])
    tosst_fail_input (error, xy_name, _ ("does not hold the positions of %zu features: an array (%zu, 2) is expected"),
                      x->shape[0], x->shape[0]);
  else
    {
      self->name = g_strdup (x_name);
      self->n = x->shape[0];
      self->D = (int)x->shape[1];
      self->x = copy_floats (x);
      self->xy = g_new (double, xy->count);
      for (gsize i = 0; i < xy->count; i++)
        {
          self->xy[i] = xy->type == TOSST_NPY_FLOAT32 ? ((const float *)xy->data)[i] : ((const double *)xy->data)[i];
          if (!(self->xy[i] >= 0 && self->xy[i] <= 1))
            return tosst_fail_input (error, xy_name, _ ("has the position %g in row %zu; positions are from 0 to 1"),
                                     self->xy[i], i / 2),
                   NULL;
        }
      return g_steal_pointer (&self);
    }
  return NULL;
}

/* Features of a map, row by row. */
static TosstFeatures *
from_map (const TosstNpy *map, const char *name, GError **error)
{
  if (map->count == 0 || map->shape[2] > G_MAXINT)
    return tosst_fail_input (error, name, _ ("is empty: a map (H, W, D) is expected")), NULL;
  TosstFeatures *self = g_new0 (TosstFeatures, 1);
  self->name = g_strdup (name);
  self->n = map->shape[0] * map->shape[1];
  self->D = (int)map->shape[2];
  self->x = copy_floats (map);
  self->xy = g_new (double, 2 * self->n);
  for (gsize i = 0; i < self->n; i++)
    {
      self->xy[2 * i] = ((double)(i % map->shape[1]) + 0.5) / (double)map->shape[1];
      self->xy[2 * i + 1] = ((double)(i / map->shape[1]) + 0.5) / (double)map->shape[0];
    }
  return self;
}

static const char *const members[] = { "x.npy", "xy.npy", "scale.npy", "frames.npy", NULL };

/* npz NULL: error is already set. */
static TosstFeatures *
from_npz (TosstNpz *npz, const char *name, GError **error)
{
  if (npz == NULL)
    return NULL;
  const TosstNpy *x = tosst_npz_array (npz, "x"), *xy = tosst_npz_array (npz, "xy"),
                 *scale = tosst_npz_array (npz, "scale"), *frames = tosst_npz_array (npz, "frames");
  if (x == NULL || xy == NULL)
    return tosst_fail_input (error, name, _ ("has no member %s"), x == NULL ? "x" : "xy"), NULL;
  TosstFeatures *self = from_arrays (x, name, xy, name, error);
  if (self != NULL && scale != NULL && scale->count == self->n)
    {
      g_autofree float *values = copy_floats (scale);
      self->scale = g_new (int, self->n);
      for (gsize i = 0; i < self->n; i++)
        self->scale[i] = (int)CLAMP (values[i], 0, G_MAXSHORT);
    }
  if (self != NULL && frames != NULL && frames->count == 6 * self->n)
    self->frames = (TosstFrame *)(void *)copy_floats (frames);
  return self;
}

TosstFeatures *
tosst_features_from_bytes (GBytes *bytes, const char *name, GError **error)
{
  g_autoptr (TosstNpz) npz = tosst_npz_from_bytes (bytes, members, name, error);

  return from_npz (npz, name, error);
}

static TosstFeatures *
read_npy (GFile *file, GError **error)
{
  g_autoptr (GFile) positions = tosst_feature_files_positions (file);
  g_autoptr (TosstNpy) x = tosst_npy_read (file, error), xy = NULL;
  g_autofree char *name = g_file_get_parse_name (file), *xy_name = g_file_get_parse_name (positions);

  if (x == NULL)
    return NULL;
  if (x->ndim == 3)
    return from_map (x, name, error);
  xy = tosst_npy_read (positions, error);
  return xy != NULL ? from_arrays (x, name, xy, xy_name, error) : NULL;
}

TosstFeatures *
tosst_features_read_file (GFile *file, GError **error)
{
  g_autofree char *name = g_file_get_parse_name (file);
  gboolean alone = g_str_has_suffix (name, ".npy");
  g_autoptr (TosstNpz) npz = alone ? NULL : tosst_npz_read (file, members, error);
  g_autoptr (TosstFeatures) self = alone ? read_npy (file, error) : from_npz (npz, name, error);
  double largest = 0;

  for (gsize i = 0; self != NULL && i < self->n * (gsize)self->D; i++)
    largest = MAX (largest, fabs (self->x[i]));
  if (largest <= LARGEST)
    return g_steal_pointer (&self);
  tosst_fail_input (error, name, _ ("has entries up to %.3g, more than %.0e: scale all of them down"), largest,
                    LARGEST);
  return NULL;
}

TosstFeatures *
tosst_features_read (GFile *folder, const char *id, GError **error)
{
  g_autoptr (GFile) file = tosst_feature_files_find (folder, id);
  g_autofree char *name = g_file_get_parse_name (folder);

  if (file != NULL)
    return tosst_features_read_file (file, error);
  tosst_fail_input (error, name, _ ("has no features of %s: neither %s.npz nor %s.npy"), id, id, id);
  return NULL;
}

G_STATIC_ASSERT (sizeof (TosstFrame) == 6 * sizeof (float));

/* An array with a copy of the numbers. */
static TosstNpy *
new_array (TosstNpyType type, gsize rows, gsize columns, gconstpointer data)
{
  gsize shape[2] = { rows, columns };
  TosstNpy *array = tosst_npy_new (type, columns > 1 ? 2 : 1, shape);

  memcpy (array->data, data, array->count * (type == TOSST_NPY_FLOAT32 ? sizeof (float) : sizeof (double)));
  return array;
}

static TosstNpz *
to_npz (const TosstFeatures *self)
{
  TosstNpz *npz = tosst_npz_new ();

  tosst_npz_steal_array (npz, "x", new_array (TOSST_NPY_FLOAT32, self->n, (gsize)self->D, self->x));
  tosst_npz_steal_array (npz, "xy", new_array (TOSST_NPY_FLOAT64, self->n, 2, self->xy));
  if (self->scale != NULL)
    {
      g_autofree float *scale = g_new (float, self->n);
      for (gsize i = 0; i < self->n; i++)
        scale[i] = (float)self->scale[i];
      tosst_npz_steal_array (npz, "scale", new_array (TOSST_NPY_FLOAT32, self->n, 1, scale));
    }
  if (self->frames != NULL)
    tosst_npz_steal_array (npz, "frames", new_array (TOSST_NPY_FLOAT32, self->n, 6, self->frames));
  return npz;
}

gboolean
tosst_features_write (const TosstFeatures *self, GFile *file, GError **error)
{
  g_autoptr (TosstNpz) npz = to_npz (self);

  return tosst_npz_write (npz, file, error);
}

GBytes *
tosst_features_to_bytes (const TosstFeatures *self, const char *name, GError **error)
{
  g_autoptr (TosstNpz) npz = to_npz (self);

  return tosst_npz_to_bytes (npz, name, error);
}
