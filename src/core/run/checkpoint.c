/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A checkpoint contains the state unrounded, so that a resumed split gives the same bits; a dictionary file would
 * round the atoms. It is valid for the machine and the version that wrote it; others start the split again.
 */
#include "config.h"

#include "core/run/checkpoint.h"

#include "core/base/base.h"
#include "core/base/input-file.h"
#include "core/ranks/processes.h"
#include "core/run/private.h"

/* Sparse storage of codes: about 20 of 200 numbers of a code are not zero. */

typedef struct
{
  guint32 column;
  float value;
} Entry;

struct TosstCodes
{
  gsize length;
  GArray *end;     /* gsize: end of each row in entries */
  GArray *entries; /* Entry */
};

TosstCodes *
tosst_codes_new (gsize length)
{
  TosstCodes *self = g_new (TosstCodes, 1);

  self->length = length;
  self->end = g_array_new (FALSE, FALSE, sizeof (gsize));
  self->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  return self;
}

TOSST_DEFINE_PUBLIC_FREE (TosstCodes, tosst_codes_free, TosstCodes *, (end, g_array_unref), (entries, g_array_unref))

void
tosst_codes_append (TosstCodes *self, const float *rows, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      const float *row = rows + i * self->length;
      guint start = self->entries->len, count = 0;

      /* Allocates the maximum first: a test and a store per number are faster than an append per non-zero. */
      g_array_set_size (self->entries, start + (guint)self->length);
      Entry *entry = &g_array_index (self->entries, Entry, start);
      for (gsize k = 0; k < self->length; k++)
        {
          guint32 bits;

          entry[count] = (Entry){ (guint32)k, row[k] };
          memcpy (&bits, row + k, sizeof bits);
          count += bits != 0;
        }
      g_array_set_size (self->entries, start + count);
      gsize end = self->entries->len;
      g_array_append_val (self->end, end);
    }
}

static gsize
start_of (const TosstCodes *self, gsize row)
{
  return row > 0 ? g_array_index (self->end, gsize, row - 1) : 0;
}

void
tosst_codes_expand (const TosstCodes *self, gsize first, gsize n, float *rows)
{
  memset (rows, 0, sizeof *rows * n * self->length);
  for (gsize i = 0; i < n; i++)
    for (gsize e = start_of (self, first + i); e < g_array_index (self->end, gsize, first + i); e++)
      {
        const Entry *entry = &g_array_index (self->entries, Entry, e);

        rows[i * self->length + entry->column] = entry->value;
      }
}

gsize
tosst_codes_rows (const TosstCodes *self)
{
  return self->end->len;
}

gsize
tosst_codes_bytes (const TosstCodes *self)
{
  return self->end->len * sizeof (gsize) + self->entries->len * sizeof (Entry);
}

GBytes *
tosst_codes_to_bytes (const TosstCodes *self)
{
  GByteArray *bytes = g_byte_array_sized_new ((guint)(tosst_codes_bytes (self) + 16));
  guint64 rows = self->end->len;

  g_byte_array_append (bytes, (const guint8 *)&rows, sizeof rows);
  g_byte_array_append (bytes, (const guint8 *)self->end->data, (guint)(rows * sizeof (gsize)));
  g_byte_array_append (bytes, (const guint8 *)self->entries->data, (guint)(self->entries->len * sizeof (Entry)));
  return g_byte_array_free_to_bytes (bytes);
}

static gboolean
is_sound (const TosstCodes *self)
{
  gsize before = 0;

  for (guint i = 0; i < self->end->len; i++)
    {
      gsize end = g_array_index (self->end, gsize, i);

      if (end < before || end > self->entries->len)
        return FALSE;
      before = end;
    }
  for (guint e = 0; e < self->entries->len; e++)
    if (g_array_index (self->entries, Entry, e).column >= self->length)
      return FALSE;
  return before == self->entries->len;
}

TosstCodes *
tosst_codes_from_bytes (gconstpointer data, gsize size, gsize length)
{
  g_autoptr (TosstCodes) self = tosst_codes_new (length);
  const char *at = data;
  guint64 rows;

  if (size < sizeof rows)
    return NULL;
  memcpy (&rows, at, sizeof rows);
  size -= sizeof rows;
  at += sizeof rows;
  if (rows > size / sizeof (gsize) || (size - rows * sizeof (gsize)) % sizeof (Entry) != 0)
    return NULL;
  g_array_append_vals (self->end, at, (guint)rows);
  g_array_append_vals (self->entries, at + rows * sizeof (gsize),
                       (guint)((size - rows * sizeof (gsize)) / sizeof (Entry)));
  return is_sound (self) ? g_steal_pointer (&self) : NULL;
}

/* Incremented when the format below changes. */
#define FORMAT "tosst checkpoint 4 " PACKAGE_VERSION

/* format, size of an iteration, scale, learned, images, worst_kkt, nonzeros; V, b, trace, codes, signatures; done,
 * objective, seconds, parts; fits and right of the choice of C; shares */
#define TYPE "(sudbuddayayayayayiddaayiadad)"

TOSST_DEFINE_PUBLIC_FREE (TosstCheckpoint, tosst_checkpoint_free, TosstCheckpoint *,
                          (dictionary, tosst_dictionary_free), (trace, g_array_unref), (codes, tosst_codes_free),
                          (parts, g_ptr_array_unref), (signatures, g_free), (shares, g_free))

gsize
tosst_checkpoint_max_ram (gsize otherwise)
{
  const char *text = g_getenv ("TOSST_HELD_MB");

  return text ? (gsize)g_ascii_strtoull (text, NULL, 10) << 20 : otherwise;
}

/* Rows appended between two checks of the size. */
#define ROWS 256

/* Returns NULL if the codes take more than most bytes. */
static TosstCodes *
codes_of (const TosstLearnState *state, gsize n, gsize most)
{
  gsize K = (gsize)state->dictionary->K;
  g_autoptr (TosstCodes) codes = tosst_codes_new (K);

  for (gsize i = 0; i < n; i += ROWS)
    {
      tosst_codes_append (codes, state->codes + i * K, MIN (ROWS, n - i));
      if (tosst_codes_bytes (codes) > most)
        return NULL;
    }
  return g_steal_pointer (&codes);
}

static GPtrArray *
parts_of (const TosstLearnState *state, gboolean copies, gsize most)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  gsize bytes = 0;

  for (int i = 0; i < TOSST_LEARN_PARTS; i++)
    bytes += state->part[i].bytes;
  if (bytes > most)
    return NULL;
  for (int i = 0; i < TOSST_LEARN_PARTS; i++)
    g_ptr_array_add (parts, (copies ? g_bytes_new : g_bytes_new_static) (state->part[i].data, state->part[i].bytes));
  return g_steal_pointer (&parts);
}

TosstCheckpoint *
tosst_checkpoint_new (const TosstLearnState *state, gsize n, gboolean copies, gsize most)
{
  g_autoptr (TosstCheckpoint) self = g_new0 (TosstCheckpoint, 1);

  self->dictionary = tosst_dictionary_copy (state->dictionary);
  self->done = state->done;
  self->objective = state->objective;
  if (state->codes)
    self->codes = codes_of (state, n, most);
  else
    self->parts = parts_of (state, copies, most);
  return self->dictionary && (self->codes || self->parts) ? g_steal_pointer (&self) : NULL;
}

gboolean
tosst_checkpoint_get_rows (const TosstCheckpoint *self, gsize n, gsize first, gsize count, TosstLearnState *state,
                           float **codes)
{
  gsize K = (gsize)self->dictionary->K;

  if (self->codes
      && (tosst_codes_rows (self->codes) != n || !(*codes = g_try_malloc_n (MAX (count, 1), sizeof (float) * K))))
    return FALSE;
  if (self->codes)
    tosst_codes_expand (self->codes, first, count, *codes);
  *state = (TosstLearnState){ self->dictionary, self->done, self->objective, *codes };
  for (guint i = 0; self->parts && i < self->parts->len; i++)
    state->part[i].data = g_bytes_get_data (g_ptr_array_index (self->parts, i), &state->part[i].bytes);
  return TRUE;
}

GVariant *
tosst_checkpoint_raw (gconstpointer data, gsize size)
{
  return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, data, data ? size : 0, 1);
}

static GVariant *
parts_variant (GPtrArray *parts)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aay"));
  for (guint i = 0; parts && i < parts->len; i++)
    g_variant_builder_add_value (
        &builder, g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, g_ptr_array_index (parts, i), TRUE));
  return g_variant_builder_end (&builder);
}

static GBytes *
to_bytes (const TosstCheckpoint *self, GPtrArray *parts)
{
  const TosstDictionary *atoms = self->dictionary;
  g_autoptr (GBytes) codes = self->codes ? tosst_codes_to_bytes (self->codes) : NULL;
  gsize V = atoms ? (gsize)atoms->D * (gsize)atoms->K * sizeof (double) : 0,
        b = atoms ? (gsize)atoms->S * (gsize)atoms->K * sizeof (double) : 0;

  g_autoptr (GVariant) variant = g_variant_ref_sink (g_variant_new (
      "(sudbudd@ay@ay@ay@ay@ayidd@aayi@ad@ad)", FORMAT, (guint)sizeof (TosstIteration), atoms ? atoms->scale : 1,
      self->learned, self->images, self->worst_kkt, self->nonzeros, tosst_checkpoint_raw (atoms ? atoms->V : NULL, V),
      tosst_checkpoint_raw (atoms ? atoms->b : NULL, b),
      tosst_checkpoint_raw (self->trace ? self->trace->data : NULL,
                            self->trace ? self->trace->len * sizeof (TosstIteration) : 0),
      codes ? g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, codes, TRUE) : tosst_checkpoint_raw (NULL, 0),
      tosst_checkpoint_raw (self->signatures, self->numbers * sizeof (float)), self->done, self->objective,
      self->seconds, parts_variant (parts), self->choice.fits,
      g_variant_new_fixed_array (G_VARIANT_TYPE_DOUBLE, self->choice.right, TOSST_SVM_GRID, sizeof (double)),
      g_variant_new_fixed_array (G_VARIANT_TYPE_DOUBLE, self->shares, self->n_shares, sizeof (double))));
  return g_variant_get_data_as_bytes (variant);
}

GBytes *
tosst_checkpoint_to_bytes (const TosstCheckpoint *self)
{
  return to_bytes (self, self->parts);
}

gboolean
tosst_checkpoint_get_raw (GVariant *array, gpointer to, gsize expected)
{
  gsize size;
  gconstpointer data = g_variant_get_fixed_array (array, &size, 1);

  if (size == expected && size > 0)
    memcpy (to, data, size);
  return size == expected;
}

static gboolean
get_dictionary (TosstCheckpoint *self, GVariant *V, GVariant *b, GVariant *trace, TosstShape shape, int atoms,
                double scale)
{
  gsize iterations = g_variant_n_children (trace) / sizeof (TosstIteration);
  TosstDictionary *dictionary;

  self->trace = g_array_new (FALSE, FALSE, sizeof (TosstIteration));
  if (atoms == 0)
    return g_variant_n_children (V) == 0;
  self->dictionary = dictionary = tosst_dictionary_new_shape (shape, atoms);
  if (!dictionary)
    return FALSE;
  dictionary->scale = scale;
  g_array_set_size (self->trace, (guint)iterations);
  return tosst_checkpoint_get_raw (V, dictionary->V, (gsize)dictionary->D * (gsize)atoms * sizeof (double))
         && tosst_checkpoint_get_raw (b, dictionary->b, (gsize)dictionary->S * (gsize)atoms * sizeof (double))
         && tosst_checkpoint_get_raw (trace, self->trace->data, iterations * sizeof (TosstIteration));
}

/* State of unfinished learning. The parts share the memory of bytes. */
static gboolean
get_codes (TosstCheckpoint *self, GVariant *codes, GVariant *parts, int atoms)
{
  gsize size;
  gconstpointer data = g_variant_get_fixed_array (codes, &size, 1);

  if (self->learned || self->parts)
    return TRUE;
  if (size > 0)
    {
      self->codes = tosst_codes_from_bytes (data, size, (gsize)atoms);
      return self->codes != NULL && self->trace->len > 0;
    }
  self->parts = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  for (gsize i = 0; i < g_variant_n_children (parts); i++)
    {
      g_autoptr (GVariant) part = g_variant_get_child_value (parts, i);

      g_ptr_array_add (self->parts, g_variant_get_data_as_bytes (part));
    }
  return self->parts->len == TOSST_LEARN_PARTS;
}

static gboolean
get_signatures (TosstCheckpoint *self, GVariant *signatures, gsize numbers)
{
  if (self->images == 0)
    return TRUE;
  self->numbers = numbers;
  self->signatures = g_try_new (float, numbers);
  return self->signatures && tosst_checkpoint_get_raw (signatures, self->signatures, numbers * sizeof (float));
}

/* parts: large parts stored outside of bytes, taken; NULL if they are in bytes. */
static TosstCheckpoint *
from_bytes (GBytes *bytes, GPtrArray *parts, TosstShape shape, int atoms, gsize numbers)
{
  g_autoptr (GVariant) variant = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE (TYPE), bytes, FALSE));
  g_autoptr (GVariant) V = NULL, b = NULL, trace = NULL, codes = NULL, signatures = NULL, inner = NULL, right = NULL,
                       shares = NULL;
  g_autoptr (TosstCheckpoint) self = g_new0 (TosstCheckpoint, 1);
  const char *format;
  const double *numbers_right;
  guint iteration;
  double scale;
  gsize n;

  self->parts = parts;
  if (!g_variant_is_normal_form (variant))
    return NULL;
  g_variant_get (variant, "(&sudbudd@ay@ay@ay@ay@ayidd@aayi@ad@ad)", &format, &iteration, &scale, &self->learned,
                 &self->images, &self->worst_kkt, &self->nonzeros, &V, &b, &trace, &codes, &signatures, &self->done,
                 &self->objective, &self->seconds, &inner, &self->choice.fits, &right, &shares);
  numbers_right = g_variant_get_fixed_array (right, &n, sizeof *numbers_right);
  if (strcmp (format, FORMAT) != 0 || iteration != sizeof (TosstIteration)
      || !get_dictionary (self, V, b, trace, shape, atoms, scale) || !get_codes (self, codes, inner, atoms)
      || !get_signatures (self, signatures, numbers) || n != TOSST_SVM_GRID)
    return NULL;
  memcpy (self->choice.right, numbers_right, sizeof self->choice.right);
  const double *numbers_shares = g_variant_get_fixed_array (shares, &self->n_shares, sizeof *numbers_shares);
  self->shares = self->n_shares > 0 ? g_memdup2 (numbers_shares, self->n_shares * sizeof *numbers_shares) : NULL;
  return g_steal_pointer (&self);
}

TosstCheckpoint *
tosst_checkpoint_from_bytes (GBytes *bytes, TosstShape shape, int atoms, gsize numbers)
{
  return from_bytes (bytes, NULL, shape, atoms, numbers);
}

/* Appends the codes of a process. */
static gboolean
append_codes (TosstCodes *all, GBytes *bytes, gsize K)
{
  g_autoptr (TosstCodes) part = NULL;
  g_autofree float *row = g_new (float, K);

  if (g_bytes_get_size (bytes) > 0)
    part = tosst_codes_from_bytes (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), K);
  for (gsize i = 0; part != NULL && i < tosst_codes_rows (part); i++)
    {
      tosst_codes_expand (part, i, 1, row);
      tosst_codes_append (all, row, 1);
    }
  return part != NULL;
}

TosstCheckpoint *
tosst_checkpoint_collect (TosstRanks *ranks, const TosstCheckpoint *own)
{
  gboolean has_codes = own != NULL && own->codes != NULL;
  g_autoptr (GBytes) bytes = has_codes ? tosst_codes_to_bytes (own->codes) : g_bytes_new (NULL, 0);
  TosstStatus status;
  g_autoptr (GPtrArray) parts = tosst_processes_collect (ranks, bytes, &status);

  if (parts == NULL || own == NULL)
    return NULL;
  g_autoptr (TosstCheckpoint) all = g_new0 (TosstCheckpoint, 1);
  all->dictionary = tosst_dictionary_copy (own->dictionary);
  all->trace = own->trace != NULL ? g_array_ref (own->trace) : NULL;
  all->done = own->done;
  all->objective = own->objective;
  all->seconds = own->seconds;
  /* Batches go on from the atoms. */
  all->parts = own->parts != NULL ? g_ptr_array_ref (own->parts) : NULL;
  all->codes = has_codes ? tosst_codes_new ((gsize)own->dictionary->K) : NULL;
  for (guint r = 0; has_codes && r < parts->len; r++)
    if (!append_codes (all->codes, g_ptr_array_index (parts, r), (gsize)own->dictionary->K))
      return NULL;
  return all->dictionary != NULL ? g_steal_pointer (&all) : NULL;
}

/* Header of a checkpoint file. The bytes of the checkpoint without parts follow, and then the parts. */
typedef struct
{
  char magic[8];
  guint64 bytes, part[TOSST_LEARN_PARTS];
} Head;

#define MAGIC "tosstCKP"
#define ALIGNMENT 16 /* of all blocks in the file */

static guint64
aligned (guint64 bytes)
{
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static gboolean
write_aligned (TosstAtomicFile *output, gconstpointer data, guint64 size, GError **error)
{
  static const char padding[ALIGNMENT];

  return tosst_atomic_file_write (output, data, size, error)
         && tosst_atomic_file_write (output, padding, aligned (size) - size, error);
}

gboolean
tosst_checkpoint_write (const TosstCheckpoint *self, GFile *file, GError **error)
{
  g_autoptr (GBytes) bytes = to_bytes (self, NULL);
  g_autoptr (GFile) folder = g_file_get_parent (file);
  Head head = { MAGIC, g_bytes_get_size (bytes), { 0 } };
  guint64 total = sizeof head + head.bytes;

  for (guint i = 0; self->parts && i < self->parts->len; i++)
    total += head.part[i] = g_bytes_get_size (g_ptr_array_index (self->parts, i));
  if (!tosst_disk_has_room (folder, total))
    return tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("there is too little space on the disk"));
  g_autoptr (TosstAtomicFile) output = tosst_atomic_file_open (file, error);
  gboolean ok = output && write_aligned (output, &head, sizeof head, error)
                && write_aligned (output, g_bytes_get_data (bytes, NULL), head.bytes, error);
  for (guint i = 0; ok && self->parts && i < self->parts->len; i++)
    ok = write_aligned (output, g_bytes_get_data (g_ptr_array_index (self->parts, i), NULL), head.part[i], error);
  return ok && tosst_atomic_file_commit (output, error);
}

/* Returns the next size bytes without a copy; NULL at the end of the file. */
static GBytes *
next_bytes (GBytes *whole, guint64 *at, guint64 size)
{
  gsize all = g_bytes_get_size (whole);
  guint64 from = *at;

  if (size > all || aligned (size) > all - from)
    return NULL;
  *at += aligned (size);
  return g_bytes_new_from_bytes (whole, (gsize)from, (gsize)size);
}

TosstCheckpoint *
tosst_checkpoint_read (GFile *file, TosstShape shape, int atoms, gsize numbers)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  g_autoptr (GBytes) whole = tosst_input_load (file, G_MAXSIZE, NULL);
  g_autoptr (GBytes) bytes = NULL;
  guint64 at = aligned (sizeof (Head));
  Head head;

  if (!whole || g_bytes_get_size (whole) < at)
    return NULL;
  memcpy (&head, g_bytes_get_data (whole, NULL), sizeof head);
  if (memcmp (head.magic, MAGIC, sizeof head.magic) != 0 || !(bytes = next_bytes (whole, &at, head.bytes)))
    return NULL;
  for (guint i = 0; i < TOSST_LEARN_PARTS; i++)
    {
      GBytes *part = next_bytes (whole, &at, head.part[i]);

      if (!part)
        return NULL;
      g_ptr_array_add (parts, part);
    }
  return from_bytes (bytes, g_steal_pointer (&parts), shape, atoms, numbers);
}

#define MEMBER "state" /* checkpoint without parts; its parts are state-0 and so on */

/* NULL if the file has no state. */
static TosstCheckpoint *
from_npz (TosstNpz *npz, TosstShape shape, int atoms)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  GBytes *bytes = tosst_npz_bytes (npz, MEMBER);

  for (guint i = 0; i < TOSST_LEARN_PARTS; i++)
    {
      g_autofree char *name = g_strdup_printf (MEMBER "-%u", i);
      GBytes *part = tosst_npz_bytes (npz, name);

      if (part)
        g_ptr_array_add (parts, g_bytes_ref (part));
    }
  if (!bytes)
    return NULL;
  return from_bytes (bytes, parts->len == TOSST_LEARN_PARTS ? g_steal_pointer (&parts) : NULL, shape, atoms, 0);
}

gboolean
tosst_learning_file_save (const TosstDictionary *dictionary, const TosstDictionaryMeta *meta,
                          const TosstCheckpoint *state, GFile *file, GError **error)
{
  g_autoptr (TosstNpz) npz = tosst_dictionary_make_npz (dictionary, meta);
  g_autoptr (GBytes) bytes = state ? to_bytes (state, NULL) : NULL;

  if (state)
    tosst_npz_add_bytes (npz, MEMBER, bytes);
  for (guint i = 0; state && state->parts && i < state->parts->len; i++)
    {
      g_autofree char *name = g_strdup_printf (MEMBER "-%u", i);

      tosst_npz_add_bytes (npz, name, g_ptr_array_index (state->parts, i));
    }
  return tosst_npz_write (npz, file, error);
}

/* Whether the file's atoms are bitwise equal to those of the state. An edited dictionary must not be resumed from
 * the old state. */
static gboolean
has_atoms_of (const TosstCheckpoint *state, TosstNpz *npz)
{
  static const char *const members[] = { "B", "b", "scale" };
  g_autoptr (TosstNpz) own = tosst_npz_new ();

  tosst_dictionary_to_npz (state->dictionary, own);
  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    {
      const TosstNpy *a = tosst_npz_array (own, members[i]), *b = tosst_npz_array (npz, members[i]);

      if (!b || b->type != a->type || b->count != a->count
          || memcmp (a->data, b->data, a->count * sizeof (double)) != 0)
        return FALSE;
    }
  return TRUE;
}

TosstDictionary *
tosst_learning_file_load (GFile *file, TosstDictionaryMeta *meta, TosstCheckpoint **state, GError **error)
{
  g_autofree char *name = g_file_get_parse_name (file);
  g_autoptr (TosstNpz) npz = tosst_npz_read (file, NULL, error);
  TosstDictionary *dictionary = tosst_dictionary_read_npz (npz, name, meta, error);

  *state = dictionary ? from_npz (npz, dictionary->shape, dictionary->K) : NULL;
  if (*state && !has_atoms_of (*state, npz))
    g_clear_pointer (state, tosst_checkpoint_free);
  return dictionary;
}

/* Saving checkpoints of a run, and when they are due. */

/* Limit for the state of solvers and batches, and for signatures, bytes. Above it no copy is kept between checkpoints,
 * and checkpoints are written to files of their own. */
#define MAX_CHECKPOINT_RAM ((gsize)64 << 20)

gboolean
tosst_run_has_checkpoints (const TosstRun *self)
{
  return (self->options->save != NULL || self->options->ranks != NULL) && self->options->interval > 0;
}

gboolean
tosst_run_checkpoint_is_due (const TosstRun *self)
{
  double seconds = 1e-6 * (double)(g_get_monotonic_time () - self->saved);

  return tosst_run_has_checkpoints (self) && seconds >= MAX (self->options->interval, self->interval);
}

void
tosst_run_saved (TosstRun *self, gint64 start)
{
  self->saved = g_get_monotonic_time ();
  self->interval = self->saved - start > G_USEC_PER_SEC ? 1e-5 * (double)(self->saved - start) : 0;
}

gsize
tosst_run_max_checkpoint_ram (void)
{
  return tosst_checkpoint_max_ram (MAX_CHECKPOINT_RAM);
}

/* A failure is only logged: it costs time if the program is killed, and no results. */
static void
save (TosstRun *self, const TosstCheckpoint *checkpoint)
{
  gint64 start = g_get_monotonic_time ();
  gsize bytes = checkpoint->signatures != NULL ? checkpoint->numbers * sizeof (float) : 0; /* of the large parts */
  g_autoptr (GError) error = NULL;

  for (guint i = 0; checkpoint->parts != NULL && i < checkpoint->parts->len; i++)
    bytes += g_bytes_get_size (g_ptr_array_index (checkpoint->parts, i));
  if (bytes > tosst_run_max_checkpoint_ram () && self->options->place != NULL)
    {
      g_autoptr (GFile) file = self->options->place (self->split, self->options->data);

      if (file != NULL && !tosst_checkpoint_write (checkpoint, file, &error))
        g_debug ("%s", error->message);
    }
  else
    {
      g_autoptr (GBytes) content = tosst_checkpoint_to_bytes (checkpoint);

      self->options->save (self->split, content, self->options->data);
    }
  tosst_run_saved (self, start);
}

/* Process 0 of a divided run saves. */
void
tosst_run_save (TosstRun *self, const TosstCheckpoint *checkpoint)
{
  if (self->options->save != NULL)
    save (self, checkpoint);
  else
    tosst_run_saved (self, g_get_monotonic_time ());
}

void
tosst_run_save_coded (TosstRun *self, const TosstLearned *learned, const TosstSignatures *signatures, guint images,
                      const double *shares, const TosstSvmChoice *choice)
{
  tosst_run_save (self, &(TosstCheckpoint){ .dictionary = learned != NULL ? learned->dictionary : NULL,
                                            .learned = TRUE,
                                            .trace = learned != NULL ? learned->trace : NULL,
                                            .images = images,
                                            .worst_kkt = signatures->worst_kkt,
                                            .nonzeros = signatures->mean_nonzeros,
                                            .signatures = signatures->values,
                                            .numbers = self->patches->samples * self->length,
                                            .shares = (double *)shares,
                                            .n_shares = shares != NULL ? self->patches->images : 0,
                                            .choice = choice != NULL ? *choice : (TosstSvmChoice){ 0 } });
}
