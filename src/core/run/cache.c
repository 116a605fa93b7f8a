/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A table of finished and pending results, by hash and split: a request for a pending result waits, so that no two
 * jobs compute the same. Results are evicted when no reserved run uses their hash any more, or the least recently used
 * first when memory is short.
 */
#include "core/base/base.h"
#include "core/method/parts.h"
#include "core/run/private.h"

/* Interval at which a waiting request checks for cancellation, microseconds. */
#define TICK 50000

typedef struct
{
  TosstShared *made; /* NULL while it is computed */
  char *hash;        /* of its part of the run */
  guint64 used;      /* last use, by the clock of the cache */
  TosstRunPart part;
  GArray *waiting;          /* int: processes that wait for it; NULL: none */
  gboolean asked, answered; /* whether other processes have it */
  GBytes *content;          /* their answer; NULL: it is to be made here */
  double seconds;           /* that it took there */
} Entry;

struct TosstStageCache
{
  GMutex lock;
  GCond changed;
  GHashTable *entries;  /* hash and split, to Entry * */
  GHashTable *reserved; /* hash of a part, to the number of runs that have reserved it */
  GPtrArray *kept;      /* hashes of the kept run and its parts */
  gsize bytes, max_bytes;
  guint64 clock;
  TosstStageCounts counts;
  TosstStageExchange exchange; /* ask NULL: none */
};

TosstShared *
tosst_shared_new (gpointer data, GDestroyNotify free, gsize bytes)
{
  TosstShared *self = g_atomic_rc_box_new (TosstShared);

  *self = (TosstShared){ .data = data, .free = free, .bytes = bytes };
  return self;
}

TOSST_DEFINE_SHARED (TosstShared, tosst_shared, (data, self->free))

TOSST_DEFINE_FREE (Entry, free_entry, (made, tosst_shared_unref), (waiting, g_array_unref), (content, g_bytes_unref),
                   (hash, g_free))

TosstStageCache *
tosst_stage_cache_new (gsize bytes)
{
  TosstStageCache *self = g_new0 (TosstStageCache, 1);

  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->entries = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_entry);
  self->reserved = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->kept = g_ptr_array_new_with_free_func (g_free);
  self->max_bytes = bytes;
  return self;
}

void
tosst_stage_cache_free (TosstStageCache *self)
{
  if (!self)
    return;
  g_ptr_array_unref (self->kept);
  g_hash_table_unref (self->entries);
  g_hash_table_unref (self->reserved);
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* The functions below, up to the next public one, are called with the lock held. */

static guint
count_reserved (TosstStageCache *self, const char *hash)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->reserved, hash));
}

/* Evicts the least recently used result. */
static gboolean
drop_oldest (TosstStageCache *self)
{
  GHashTableIter at;
  Entry *entry, *oldest = NULL;
  gpointer key, found = NULL;

  g_hash_table_iter_init (&at, self->entries);
  while (g_hash_table_iter_next (&at, &key, (gpointer *)&entry))
    if (entry->made && (!oldest || entry->used < oldest->used))
      {
        oldest = entry;
        found = key;
      }
  if (!oldest)
    return FALSE;
  self->bytes -= oldest->made->bytes;
  g_hash_table_remove (self->entries, found);
  return TRUE;
}

/* The results of the run read most recently: with them in use, evicting its tensors would free no memory. */
static void
touch_tensors (TosstStageCache *self, const TosstShared *tensors)
{
  GHashTableIter at;
  Entry *entry;

  g_hash_table_iter_init (&at, self->entries);
  while (g_hash_table_iter_next (&at, NULL, (gpointer *)&entry))
    if (entry->made && entry->made == tensors)
      entry->used = ++self->clock;
}

/* Up to here with the lock held. */

/* Appends the hashes of all results of a run, and of the parts of a combination. */
static void
list_hashes (const TosstRecipe *recipe, TosstDataset *dataset, GPtrArray *hashes)
{
  g_autoptr (TosstParts) parts = tosst_recipe_has_parts (recipe) ? tosst_parts_new (recipe, NULL) : NULL;

  for (guint i = 0; parts && i < parts->n; i++)
    list_hashes (parts->recipe[i], dataset, hashes);
  for (int part = 0; !parts && part < TOSST_N_RUN_PARTS; part++)
    g_ptr_array_add (hashes, tosst_run_part_hash (recipe, dataset->key, part));
}

/* With the lock held. */
static void
count_all (TosstStageCache *self, const GPtrArray *hashes, int change)
{
  TOSST_FOR_EACH_POINTER (const char, hash, hashes)
    {
      GHashTableIter at;
      Entry *entry;
      guint n = (guint)((int)count_reserved (self, hash) + change);

      g_hash_table_iter_init (&at, self->entries);
      while (n == 0 && g_hash_table_iter_next (&at, NULL, (gpointer *)&entry))
        if (entry->made && strcmp (entry->hash, hash) == 0)
          {
            self->bytes -= entry->made->bytes;
            g_hash_table_iter_remove (&at);
          }
      g_hash_table_insert (self->reserved, g_strdup (hash), GUINT_TO_POINTER (n));
    }
}

static void
count_run (TosstStageCache *self, const TosstRecipe *recipe, TosstDataset *dataset, int change)
{
  g_autoptr (GPtrArray) hashes = g_ptr_array_new_with_free_func (g_free);

  list_hashes (recipe, dataset, hashes);
  g_mutex_lock (&self->lock);
  count_all (self, hashes, change);
  g_mutex_unlock (&self->lock);
}

void
tosst_stage_cache_reserve (TosstStageCache *self, const TosstRecipe *recipe, TosstDataset *dataset)
{
  count_run (self, recipe, dataset, 1);
}

void
tosst_stage_cache_release (TosstStageCache *self, const TosstRecipe *recipe, TosstDataset *dataset)
{
  count_run (self, recipe, dataset, -1);
}

/* Reserved for the run itself and for one after it. */
void
tosst_stage_cache_keep (TosstStageCache *self, const TosstRecipe *recipe, TosstDataset *dataset)
{
  GPtrArray *hashes = g_ptr_array_new_with_free_func (g_free);

  if (recipe)
    list_hashes (recipe, dataset, hashes);
  g_mutex_lock (&self->lock);
  count_all (self, hashes, 2);
  g_autoptr (GPtrArray) old = self->kept;
  self->kept = hashes;
  count_all (self, old, -2);
  g_mutex_unlock (&self->lock);
}

gsize
tosst_stage_cache_bytes (TosstStageCache *self)
{
  g_mutex_lock (&self->lock);
  gsize bytes = self->bytes;
  g_mutex_unlock (&self->lock);
  return bytes;
}

/* Codes are reused by runs with different pooling. */
static gboolean
is_reserved_again (TosstStageCache *self, const char *hash, const TosstRecipe *recipe, TosstDataset *dataset,
                   TosstRunPart part, int split)
{
  g_autofree char *pooled = NULL;

  if (part == TOSST_PART_CODES)
    pooled = tosst_run_part_hash (recipe, dataset->key, TOSST_PART_SIGNATURES);
  return count_reserved (self, hash) > (pooled                                       ? count_reserved (self, pooled)
                                        : part == TOSST_PART_SIGNATURES && split < 0 ? 0
                                                                                     : 1);
}

/* --- other processes --- */

void
tosst_stage_cache_count (TosstStageCache *self, TosstStageCounts *counts)
{
  g_mutex_lock (&self->lock);
  *counts = self->counts;
  g_mutex_unlock (&self->lock);
}

void
tosst_stage_cache_connect (TosstStageCache *self, const TosstStageExchange *exchange)
{
  self->exchange = exchange ? *exchange : (TosstStageExchange){ NULL };
}

void
tosst_stage_cache_answer (TosstStageCache *self, const char *key, GBytes *content, double seconds)
{
  g_mutex_lock (&self->lock);
  Entry *entry = g_hash_table_lookup (self->entries, key);
  if (entry && entry->asked && !entry->answered)
    {
      entry->answered = TRUE;
      entry->content = content ? g_bytes_ref (content) : NULL;
      entry->seconds = seconds;
    }
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

void
tosst_stage_cache_want (TosstStageCache *self, const char *key, int rank)
{
  TosstRunPart part = TOSST_N_RUN_PARTS;
  TosstShared *made = NULL;

  g_mutex_lock (&self->lock);
  Entry *entry = g_hash_table_lookup (self->entries, key);
  gboolean waits = entry && !entry->made;
  if (waits)
    {
      entry->waiting = entry->waiting ? entry->waiting : g_array_new (FALSE, FALSE, sizeof rank);
      g_array_append_val (entry->waiting, rank);
    }
  else if (entry)
    {
      entry->used = ++self->clock;
      part = entry->part;
      made = tosst_shared_ref (entry->made);
    }
  g_mutex_unlock (&self->lock);
  if (waits)
    return;
  g_autoptr (GBytes) content = made ? self->exchange.form->pack (made, part) : NULL;

  self->exchange.send (rank, key, content, made ? made->seconds : 0, self->exchange.data);
  tosst_shared_unref (made);
}

void
tosst_stage_cache_ask_again (TosstStageCache *self)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func (g_free);
  GHashTableIter at;
  const char *key;
  Entry *entry;

  g_mutex_lock (&self->lock);
  g_hash_table_iter_init (&at, self->entries);
  while (g_hash_table_iter_next (&at, (gpointer *)&key, (gpointer *)&entry))
    if (entry->asked && !entry->answered)
      g_ptr_array_add (keys, g_strdup (key));
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < keys->len; i++)
    self->exchange.ask (g_ptr_array_index (keys, i), self->exchange.data);
}

/* The result of a pending entry by another process; NULL: it is to be made here, or the run was cancelled. */
static TosstShared *
ask_others (TosstRun *self, const char *key, TosstRunPart part, int split, gboolean *cancelled)
{
  TosstStageCache *cache = self->options->cache;

  if (!cache->exchange.ask || !cache->exchange.form->is_sent (self, part))
    return NULL;
  g_mutex_lock (&cache->lock);
  Entry *entry = g_hash_table_lookup (cache->entries, key);
  entry->asked = TRUE;
  g_mutex_unlock (&cache->lock);
  cache->exchange.ask (key, cache->exchange.data);
  g_mutex_lock (&cache->lock);
  while (!entry->answered && !*cancelled)
    {
      g_cond_wait_until (&cache->changed, &cache->lock, g_get_monotonic_time () + TICK);
      g_mutex_unlock (&cache->lock);
      *cancelled = tosst_context_checkpoint (self->context);
      g_mutex_lock (&cache->lock);
    }
  g_autoptr (GBytes) content = g_steal_pointer (&entry->content);
  g_mutex_unlock (&cache->lock);
  TosstShared *made = content && !*cancelled ? cache->exchange.form->unpack (self, content, part, split) : NULL;
  if (made)
    made->seconds = entry->seconds;
  return made;
}

/* --- requests of runs --- */

/* Ends a request with its result, NULL: there is none. */
static void
settle (TosstRun *self, TosstCacheRequest *request, TosstShared *made, gboolean received)
{
  TosstStageCache *cache = self->options->cache;

  g_mutex_lock (&cache->lock);
  touch_tensors (cache, self->shared_tensors);
  while (made && made->bytes <= cache->max_bytes && cache->bytes + made->bytes > cache->max_bytes
         && drop_oldest (cache))
    ;
  Entry *entry = g_hash_table_lookup (cache->entries, request->key);
  g_autoptr (GArray) waiting = g_steal_pointer (&entry->waiting);
  TosstRunPart part = entry->part;
  cache->counts.made[part] += made && !received;
  cache->counts.received[part] += made && received;
  if (made && made->bytes <= cache->max_bytes)
    {
      entry->made = tosst_shared_ref (made);
      entry->used = ++cache->clock;
      cache->bytes += made->bytes;
    }
  else
    g_hash_table_remove (cache->entries, request->key);
  g_cond_broadcast (&cache->changed);
  g_mutex_unlock (&cache->lock);
  g_autoptr (GBytes) content = waiting && made ? cache->exchange.form->pack (made, part) : NULL;
  for (guint i = 0; waiting && i < waiting->len; i++)
    cache->exchange.send (g_array_index (waiting, int, i), request->key, content, made ? made->seconds : 0,
                          cache->exchange.data);
  g_clear_pointer (&request->key, g_free);
}

/* A result of a divided run is found if all processes have theirs: memory may be short in one of them. */
static gboolean
agree_found (TosstRun *self, TosstShared **found, GError **error)
{
  double missing = *found == NULL;

  tosst_ranks_start (self->options->ranks);
  TosstStatus status = tosst_ranks_sum (self->options->ranks, TOSST_OK, &missing, 1);
  if (missing > 0 || status != TOSST_OK)
    g_clear_pointer (found, tosst_shared_unref);
  return status == TOSST_OK
         || tosst_error_from_status (TOSST_CANCELLED, self->context, _ ("Waiting for another run"), error);
}

gboolean
tosst_run_cache_get (TosstRun *self, TosstCacheRequest *request, TosstRunPart part, int split, TosstShared **found,
                     GError **error)
{
  TosstStageCache *cache = self->options->cache;
  double asked = tosst_context_seconds (self->context);
  gboolean cancelled = FALSE;
  Entry *entry;

  *request = (TosstCacheRequest){ .start = asked };
  *found = NULL;
  if (!cache)
    return TRUE;
  g_autofree char *hash = tosst_run_part_hash (self->recipe, self->dataset->key, part);
  g_autofree char *key = g_strdup_printf ("%s %d", hash, split);
  g_mutex_lock (&cache->lock);
  while ((entry = g_hash_table_lookup (cache->entries, key)) && !entry->made && !cancelled)
    {
      g_cond_wait_until (&cache->changed, &cache->lock, g_get_monotonic_time () + TICK);
      g_mutex_unlock (&cache->lock);
      cancelled = tosst_context_checkpoint (self->context);
      g_mutex_lock (&cache->lock);
    }
  if (entry && entry->made)
    {
      entry->used = ++cache->clock;
      *found = tosst_shared_ref (entry->made);
      cache->counts.found[part]++;
    }
  else if (!cancelled && is_reserved_again (cache, hash, self->recipe, self->dataset, part, split))
    {
      request->key = g_strdup (key);
      entry = g_new0 (Entry, 1);
      entry->hash = g_steal_pointer (&hash);
      entry->part = part;
      g_hash_table_insert (cache->entries, g_steal_pointer (&key), entry);
    }
  g_mutex_unlock (&cache->lock);
  if (request->key && ((*found = ask_others (self, request->key, part, split, &cancelled)) || cancelled))
    settle (self, request, *found, TRUE);
  if (self->options->ranks && !agree_found (self, found, error))
    {
      tosst_run_cache_put (self, request, NULL);
      return FALSE;
    }
  /* Waiting counts as time of this run. */
  request->start = tosst_context_seconds (self->context);
  if (*found)
    self->result->seconds_shared += MAX ((*found)->seconds - (request->start - asked), 0);
  return *found || !cancelled
         || tosst_error_from_status (TOSST_CANCELLED, self->context, _ ("Waiting for another run"), error);
}

void
tosst_run_cache_put (TosstRun *self, TosstCacheRequest *request, TosstShared *made)
{
  if (made)
    made->seconds = tosst_context_seconds (self->context) - request->start;
  if (!request->key)
    return;
  settle (self, request, made, FALSE);
}
