/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/dictionary/atom-usage.h"

#include <math.h>

TosstAtomUsage *
tosst_atom_usage_new (int K, int classes)
{
  g_autoptr (TosstAtomUsage) self = g_new0 (TosstAtomUsage, 1);

  g_atomic_ref_count_init (&self->references);
  self->K = K;
  self->classes = classes;
  self->use = g_try_new0 (double, K);
  self->count = g_try_new0 (gsize, K);
  self->by_class = g_try_new0 (double, (gsize)K *classes);
  self->n_patches = g_try_new0 (int, K);
  self->patches = g_try_new0 (TosstAtomPatch, (gsize)K * TOSST_ATOM_PATCHES);
  if (self->use == NULL || self->count == NULL || self->by_class == NULL || self->n_patches == NULL
      || self->patches == NULL)
    return NULL;
  return g_steal_pointer (&self);
}

TosstAtomUsage *
tosst_atom_usage_ref (TosstAtomUsage *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
tosst_atom_usage_unref (TosstAtomUsage *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_free (self->use);
  g_free (self->count);
  g_free (self->by_class);
  g_free (self->n_patches);
  g_free (self->patches);
  g_free (self);
}

gsize
tosst_atom_usage_bytes (int K, int classes)
{
  return (gsize)K
         * (sizeof (double) * (1 + (gsize)classes) + sizeof (gsize) + sizeof (int)
            + sizeof (TosstAtomPatch) * TOSST_ATOM_PATCHES);
}

/* Insertion into a short sorted list: most codes are smaller than all entries and return after one comparison. */
static void
offer (TosstAtomUsage *self, int k, TosstAtomPatch patch)
{
  TosstAtomPatch *list = self->patches + (gsize)k * TOSST_ATOM_PATCHES;
  int n = self->n_patches[k], at;

  if (n == TOSST_ATOM_PATCHES && fabsf (patch.code) <= fabsf (list[n - 1].code))
    return;
  at = n < TOSST_ATOM_PATCHES ? n : n - 1;
  for (; at > 0 && fabsf (list[at - 1].code) < fabsf (patch.code); at--)
    list[at] = list[at - 1];
  list[at] = patch;
  self->n_patches[k] = MIN (n + 1, TOSST_ATOM_PATCHES);
}

void
tosst_atom_usage_add (TosstAtomUsage *self, const float *codes, gsize n, const TosstPoint *points, guint image,
                      int class_index)
{
  for (gsize i = 0; i < n; i++)
    for (int k = 0; k < self->K; k++)
      {
        float code = codes[i * (gsize)self->K + (gsize)k];

        if (code == 0)
          continue;
        self->use[k] += fabsf (code);
        self->count[k]++;
        self->by_class[(gsize)k * (gsize)self->classes + (gsize)class_index] += fabsf (code);
        offer (self, k, (TosstAtomPatch){ .image = image, .point = points[i], .code = code });
      }
  self->tensors += n;
}

void
tosst_atom_usage_set_frames (TosstAtomUsage *self, const TosstPatches *patches)
{
  static GMutex lock;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&lock);

  for (int k = 0; k < self->K && patches->frames != NULL && !self->framed; k++)
    for (int i = 0; i < self->n_patches[k]; i++)
      {
        TosstAtomPatch *patch = &self->patches[k * TOSST_ATOM_PATCHES + i];

        patch->frame = patches->frames[patches->first[patch->image] + (gsize)patch->point.x];
      }
  self->framed = patches->frames != NULL;
}

int
tosst_atom_usage_class (const TosstAtomUsage *self, int k, double *share)
{
  const double *row = self->by_class + (gsize)k * (gsize)self->classes;
  int most = 0;

  *share = 0;
  if (!(self->use[k] > 0))
    return -1;
  for (int c = 1; c < self->classes; c++)
    if (row[c] > row[most])
      most = c;
  *share = row[most] / self->use[k];
  return most;
}
