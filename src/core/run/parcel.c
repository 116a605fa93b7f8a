/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Results that runs of several processes share, as bytes. Tensors are sent as they are in memory, where they stay; those
 * that do not fit into memory each process describes for itself. Numbers keep all their bits, so that it does not matter
 * where a result was made.
 */
#include "config.h"

#include <string.h>

#include "core/run/private.h"

static gboolean
travels (const TosstRun *run, TosstRunPart part)
{
  const TosstRecipe *recipe = run->recipe;

  return tosst_recipe_has_tensors (recipe) && !tosst_recipe_is_combined (recipe) && !tosst_recipe_is_fisher (recipe)
         && (part != TOSST_PART_TENSORS
             || (!tosst_recipe_has_split_tensors (recipe) && tosst_run_tensors_may_stay (recipe, run->dataset)));
}

static GBytes *
pack_tensors (TosstShared *shared)
{
  const TosstTensors *self = shared->data;

  if (self->tensors == NULL)
    return g_bytes_new (NULL, 0);
  return g_bytes_new_with_free_func (self->tensors, (self->end - self->begin) * self->layout->m * sizeof (float),
                                     (GDestroyNotify)tosst_shared_unref, tosst_shared_ref (shared));
}

/* Numbers one after another. */
typedef struct
{
  const char *at;
  gsize left;
} Reader;

static gboolean
read_bytes (Reader *self, gpointer to, gsize n)
{
  if (n > self->left)
    return FALSE;
  if (n > 0)
    memcpy (to, self->at, n);
  self->at += n;
  self->left -= n;
  return TRUE;
}

/* A part of the bytes of a result. */
typedef struct
{
  gconstpointer data;
  gsize bytes;
} Piece;

static GBytes *
join (const Piece *piece, guint n)
{
  gsize bytes = 0;
  char *all, *at;

  for (guint i = 0; i < n; i++)
    bytes += piece[i].bytes;
  all = at = g_try_malloc (bytes);
  for (guint i = 0; all != NULL && i < n; at += piece[i++].bytes)
    if (piece[i].bytes > 0)
      memcpy (at, piece[i].data, piece[i].bytes);
  return all != NULL ? g_bytes_new_take (all, bytes) : NULL;
}

/* Numbers before the arrays. */
typedef struct
{
  gint64 K, D, S, iterations, usage;
  double scale;
} LearnedHead;

static GBytes *
pack_learned (const TosstLearned *self)
{
  const TosstDictionary *atoms = self->dictionary;
  const LearnedHead head = { atoms->K, atoms->D, atoms->S, self->trace->len, self->usage != NULL, atoms->scale };
  gsize K = (gsize)atoms->K;

  return join ((const Piece[]){ { &head, sizeof head },
                                { atoms->V, (gsize)atoms->D * K * sizeof (double) },
                                { atoms->b, (gsize)atoms->S * K * sizeof (double) },
                                { self->trace->data, self->trace->len * sizeof (TosstIteration) },
                                { self->usage, self->usage != NULL ? K * sizeof (double) : 0 } },
               5);
}

static TosstShared *
unpack_learned (const TosstRun *run, Reader *reader)
{
  TosstDictionary *atoms = tosst_dictionary_new_shape (run->layout->shape, run->recipe->dictionary.atoms);
  g_autofree TosstLearned *made = g_new0 (TosstLearned, 1);
  g_autofree double *usage = NULL;
  g_autoptr (GArray) trace = g_array_new (FALSE, FALSE, sizeof (TosstIteration));
  LearnedHead head;
  gsize K = (gsize)run->recipe->dictionary.atoms, bytes = reader->left;
  gboolean fine = atoms != NULL && read_bytes (reader, &head, sizeof head) && head.K == atoms->K && head.D == atoms->D
                  && head.S == atoms->S && head.iterations >= 0 && head.iterations < G_MAXINT
                  && read_bytes (reader, atoms->V, (gsize)atoms->D * K * sizeof (double))
                  && read_bytes (reader, atoms->b, (gsize)atoms->S * K * sizeof (double))
                  && (gsize)head.iterations * sizeof (TosstIteration) <= reader->left;

  if (fine)
    {
      atoms->scale = head.scale;
      g_array_set_size (trace, (guint)head.iterations);
      read_bytes (reader, trace->data, trace->len * sizeof (TosstIteration));
      usage = head.usage ? g_new (double, K) : NULL;
      fine = usage == NULL || read_bytes (reader, usage, K * sizeof (double));
    }
  if (!fine)
    {
      tosst_dictionary_free (atoms);
      return NULL;
    }
  *made = (TosstLearned){ atoms, g_steal_pointer (&trace), g_steal_pointer (&usage) };
  return tosst_shared_new (g_steal_pointer (&made), tosst_learned_free, bytes);
}

static GBytes *
pack_codes (const TosstCachedCodes *self)
{
  const double head[] = { self->worst_kkt, self->mean_nonzeros };
  g_autoptr (GBytes) codes = tosst_codes_to_bytes (self->codes);

  return join ((const Piece[]){ { head, sizeof head }, { g_bytes_get_data (codes, NULL), g_bytes_get_size (codes) } },
               2);
}

static TosstShared *
unpack_codes (const TosstRun *run, Reader *reader)
{
  double head[2];
  TosstCachedCodes made = { NULL };

  if (!read_bytes (reader, head, sizeof head))
    return NULL;
  made = (TosstCachedCodes){ tosst_codes_from_bytes (reader->at, reader->left, run->codes), head[0], head[1] };
  if (made.codes != NULL && tosst_codes_rows (made.codes) == tosst_run_count_codes (run))
    return tosst_shared_new (g_memdup2 (&made, sizeof made), tosst_cached_codes_free, tosst_codes_bytes (made.codes));
  g_clear_pointer (&made.codes, tosst_codes_free);
  return NULL;
}

static GBytes *
pack_signatures (const TosstSignatures *self)
{
  const double head[] = { self->worst_kkt, self->mean_nonzeros };

  return join ((const Piece[]){ { head, sizeof head }, { self->values, self->bytes } }, 2);
}

static TosstShared *
unpack_signatures (const TosstRun *run, Reader *reader)
{
  gsize bytes = run->patches->samples * run->length * sizeof (float);
  TosstSignatures *made;
  double head[2];

  if (!read_bytes (reader, head, sizeof head) || reader->left != bytes)
    return NULL;
  made = g_new0 (TosstSignatures, 1);
  *made = (TosstSignatures){ g_try_malloc (MAX (bytes, 1)), bytes, .worst_kkt = head[0], .mean_nonzeros = head[1] };
  if (made->values != NULL && read_bytes (reader, made->values, bytes))
    return tosst_shared_new (made, tosst_signatures_free, bytes);
  tosst_signatures_free (made);
  return NULL;
}

static GBytes *
pack (TosstShared *self, TosstRunPart part)
{
  switch (part)
    {
    case TOSST_PART_TENSORS:
      return pack_tensors (self);
    case TOSST_PART_DICTIONARY:
      return pack_learned (self->data);
    case TOSST_PART_CODES:
      return pack_codes (self->data);
    case TOSST_PART_SIGNATURES:
      return pack_signatures (self->data);
    default:
      return NULL;
    }
}

static TosstShared *
unpack (TosstRun *run, GBytes *content, TosstRunPart part, int split)
{
  Reader reader = { NULL, 0 };

  reader.at = g_bytes_get_data (content, &reader.left);
  switch (part)
    {
    case TOSST_PART_TENSORS:
      return reader.left > 0 ? tosst_run_tensors_received (run, split, content) : NULL;
    case TOSST_PART_DICTIONARY:
      return unpack_learned (run, &reader);
    case TOSST_PART_CODES:
      return unpack_codes (run, &reader);
    case TOSST_PART_SIGNATURES:
      return unpack_signatures (run, &reader);
    default:
      return NULL;
    }
}

const struct TosstStageForm *
tosst_stage_form (void)
{
  static const struct TosstStageForm form = { travels, pack, unpack };

  return &form;
}
