/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Images that are nearly equal: encoded again, or of another size. An image is reduced to SIDE x SIDE means of its luminance,
 * and of each that is lighter or darker than the mean of the cells around it one bit is kept. Of unrelated images half of the
 * bits agree, with a deviation of a fiftieth, also where they have the same light from one side: what varies slowly is left
 * out. Of one image in two files nineteen of twenty agree.
 */
#include "core/base/base.h"
#include "core/base/disk-cache.h"
#include "core/data/private.h"
#include "tosst/context.h"

#define SIDE 32
#define WORDS (SIDE * SIDE / 64)

/* Longest side for decoding. */
#define DECODED 128

/* A cell that differs by less is neither: a quarter of a grey level of 255. */
#define FLAT 0.001f

/* What agrees, as a share of what is a bit in both; and that, of what is one in either. */
#define AGREE 0.85
#define IN_BOTH 0.5
/* With fewer bits an image is too flat to be known. */
#define FEWEST 64

typedef struct
{
  guint64 lighter[WORDS], darker[WORDS];
} Bits;

static TosstKnown known = { .bytes = sizeof (Bits), .most = 100000 }; /* Bits by sum */

typedef struct
{
  TosstDataset *dataset;
  Bits *bits; /* of images */
  GMutex lock;
  GArray *pairs; /* TosstNearPair */
} Near;

/* Mean of the pixels of a cell, with parts of pixels at its borders. */
static float
mean_of_cell (const TosstImage *image, int column, int row)
{
  static const float weights[] = { 0.299f, 0.587f, 0.114f };
  double sx = (double)image->width / SIDE, sy = (double)image->height / SIDE, sum = 0, area = 0;
  gsize plane = (gsize)image->width * (gsize)image->height;

  for (int y = (int)(row * sy); y < image->height && y < (row + 1) * sy; y++)
    for (int x = (int)(column * sx); x < image->width && x < (column + 1) * sx; x++)
      {
        double w = (fmin (x + 1, (column + 1) * sx) - fmax (x, column * sx))
                   * (fmin (y + 1, (row + 1) * sy) - fmax (y, row * sy));
        const float *pixel = image->data + (gsize)y * (gsize)image->width + (gsize)x;

        sum += w
               * (image->channels == 3
                      ? weights[0] * pixel[0] + weights[1] * pixel[plane] + weights[2] * pixel[2 * plane]
                      : pixel[0]);
        area += w;
      }
  return area > 0 ? (float)(sum / area) : 0;
}

static void
set_bits (const TosstImage *image, Bits *bits)
{
  float cells[SIDE][SIDE];

  memset (bits, 0, sizeof *bits);
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++)
      cells[i][j] = mean_of_cell (image, j, i);
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++)
      {
        float around = 0;
        int n = 0;
        guint64 bit = G_GUINT64_CONSTANT (1) << (i * SIDE + j) % 64;

        for (int k = MAX (i - 1, 0); k < MIN (i + 2, SIDE); k++)
          for (int l = MAX (j - 1, 0); l < MIN (j + 2, SIDE); l++, n++)
            around += cells[k][l];
        if (cells[i][j] - around / (float)n > FLAT)
          bits->lighter[(i * SIDE + j) / 64] |= bit;
        else if (cells[i][j] - around / (float)n < -FLAT)
          bits->darker[(i * SIDE + j) / 64] |= bit;
      }
}

/* In this process and in the cache, by content. An image that cannot be read has none: a run says so. */
static TosstStatus
find_bits (size_t item, int worker G_GNUC_UNUSED, void *data)
{
  Near *self = data;
  const TosstDatasetEntry *entry = tosst_dataset_entry (self->dataset, item);
  Bits *bits = &self->bits[item];
  gint64 start = g_get_monotonic_time ();

  if (*entry->sum == '\0' || entry->header.bytes == 0 || entry->copy != NULL)
    return TOSST_OK;
  if (tosst_known_recall (&known, entry->sum, bits))
    return TOSST_OK;
  g_autofree char *text = g_strconcat ("bits of ", entry->sum, NULL);
  g_autofree char *key = tosst_disk_cache_key (text);
  if (!tosst_disk_cache_read (key, 0, bits, sizeof *bits))
    {
      g_autoptr (TosstImage) image = tosst_dataset_read_reduced (self->dataset, (guint)item, DECODED, NULL);
      if (image == NULL)
        return TOSST_OK;
      set_bits (image, bits);
      tosst_disk_cache_write (key, (double)(g_get_monotonic_time () - start) / G_USEC_PER_SEC, bits, sizeof *bits, NULL,
                              0);
    }
  tosst_known_remember (&known, entry->sum, bits);
  return TOSST_OK;
}

static gboolean
is_near (const Bits *a, const Bits *b)
{
  int same = 0, other = 0, either = 0;

  for (int i = 0; i < WORDS; i++)
    {
      same += __builtin_popcountll ((a->lighter[i] & b->lighter[i]) | (a->darker[i] & b->darker[i]));
      other += __builtin_popcountll ((a->lighter[i] & b->darker[i]) | (a->darker[i] & b->lighter[i]));
      either += __builtin_popcountll (a->lighter[i] | b->lighter[i] | a->darker[i] | b->darker[i]);
      /* A quarter of the bits is enough: unrelated images are ten deviations below. */
      if (i == WORDS / 4 - 1 && same <= other)
        return FALSE;
    }
  return same + other >= FEWEST && same >= AGREE * (same + other) && same + other >= IN_BOTH * either;
}

static TosstStatus
compare_with_others (size_t item, int worker G_GNUC_UNUSED, void *data)
{
  Near *self = data;
  guint a = (guint)item;
  const TosstDatasetEntry *first = tosst_dataset_entry (self->dataset, a);

  for (guint b = a + 1; b < self->dataset->entries->len; b++)
    if (is_near (&self->bits[a], &self->bits[b])
        && ((const TosstDatasetEntry *)g_ptr_array_index (self->dataset->entries, b))->content != first->content)
      {
        TosstNearPair pair = { a, b };

        g_mutex_lock (&self->lock);
        g_array_append_val (self->pairs, pair);
        g_mutex_unlock (&self->lock);
      }
  return TOSST_OK;
}

static int
compare_pairs (gconstpointer a, gconstpointer b)
{
  const TosstNearPair *p = a, *q = b;

  return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

GArray *
tosst_dataset_find_near (TosstDataset *dataset, TosstContext *context)
{
  Near self = { .dataset = dataset, .pairs = g_array_new (FALSE, FALSE, sizeof (TosstNearPair)) };
  guint n = dataset->entries->len;

  self.bits = g_new0 (Bits, n + 1);
  g_mutex_init (&self.lock);
  if (tosst_parallel (context, n, find_bits, &self, 0, 0) != TOSST_OK
      || tosst_parallel (context, n, compare_with_others, &self, 0, 0) != TOSST_OK)
    g_array_set_size (self.pairs, 0);
  g_array_sort (self.pairs, compare_pairs);
  g_mutex_clear (&self.lock);
  g_free (self.bits);
  return self.pairs;
}

static const char *
name_of (const TosstDataset *self, guint image)
{
  return tosst_dataset_entry (self, image)->public.name;
}

GStrv
tosst_dataset_find_duplicates (TosstDataset *self, const TosstRecipe *recipe, guint splits, TosstContext *context)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  g_autoptr (GArray) pairs = self->measures ? NULL : tosst_dataset_find_near (self, context);
  g_autofree gboolean *named = g_new0 (gboolean, self->entries->len + 1);

  for (guint split = 0; pairs != NULL && pairs->len > 0 && split < splits; split++)
    {
      g_autoptr (GArray) train = NULL, test = NULL;
      g_autofree guint8 *side = g_new0 (guint8, self->entries->len + 1);

      if (!tosst_dataset_split (self, recipe, split, &train, &test, NULL))
        break;
      for (guint i = 0; i < train->len; i++)
        side[g_array_index (self->samples, TosstSample, g_array_index (train, guint, i)).image] |= 1;
      for (guint i = 0; i < test->len; i++)
        side[g_array_index (self->samples, TosstSample, g_array_index (test, guint, i)).image] |= 2;
      for (guint i = 0; i < pairs->len; i++)
        {
          TosstNearPair pair = g_array_index (pairs, TosstNearPair, i);
          gboolean straight = (side[pair.a] & 1) && (side[pair.b] & 2),
                   crossed = (side[pair.b] & 1) && (side[pair.a] & 2);
          guint tests = straight ? pair.b : pair.a;

          if (!(straight || crossed) || named[tests])
            continue;
          named[tests] = TRUE;
          g_strv_builder_add_many (names, name_of (self, straight ? pair.a : pair.b), name_of (self, tests), NULL);
        }
    }
  return g_strv_builder_end (names);
}

char *
tosst_dataset_describe_duplicates (const GStrv names)
{
  guint n = names != NULL ? g_strv_length (names) / 2 : 0;
  g_autofree char *train = n > 0 ? tosst_clean_line (names[0]) : NULL;
  g_autofree char *test = n > 0 ? tosst_clean_line (names[1]) : NULL;

  if (n == 0)
    return NULL;
  return g_strdup_printf (ngettext ("%u test image is nearly a training image: %s looks like %s. The score may be too "
                                    "high.",
                                    "%u test images are nearly training images: the first, %s, looks like %s. The "
                                    "score may be too high.",
                                    n),
                          n, test, train);
}

char *
tosst_dataset_warn_of_duplicates (TosstDataset *self, const TosstRecipe *recipe, GCancellable *cancellable)
{
  gulong handler = 0;
  TosstContext *context = tosst_dataset_context (cancellable, &handler);

  if (context == NULL)
    return NULL;
  g_auto (GStrv) names = tosst_dataset_find_duplicates (self, recipe, tosst_dataset_splits (self, recipe), context);
  g_cancellable_disconnect (cancellable, handler);
  tosst_context_free (context);
  return tosst_dataset_describe_duplicates (names);
}
