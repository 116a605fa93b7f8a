/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Results that runs of several processes need are made once: process 0 knows which process makes or has each of them, and
 * that one sends it to those that ask. A result that is gone there, or was never made, is made by the process that asked.
 * Letters are few and results of learning small; tensors are sent once to each process.
 */
#include "core/sweep/private.h"

#include <string.h>

/* Letters between processes of one program on processors of the same kind: numbers as they are in memory. */

/* Content is aligned as memory is. */
G_STATIC_ASSERT (sizeof (TosstLetter) % 16 == 0);

void
tosst_letter_post (TosstMail *mail, int rank, const TosstLetter *letter, GBytes *content)
{
  tosst_mail_post (mail, rank, g_bytes_new (letter, sizeof *letter), content ? g_bytes_ref (content) : NULL);
}

gboolean
tosst_letter_read (GBytes *message, TosstLetter *letter, GBytes **content)
{
  gsize n;
  gconstpointer data = g_bytes_get_data (message, &n);

  *content = NULL;
  if (n < sizeof *letter)
    return FALSE;
  memcpy (letter, data, sizeof *letter);
  if (n > sizeof *letter)
    *content = g_bytes_new_from_bytes (message, sizeof *letter, n - sizeof *letter);
  return TRUE;
}

struct TosstSweepShare
{
  TosstMail *mail;
  TosstStageCache *cache;
  GMutex lock;
  GHashTable *place; /* on process 0: key to the process that makes or has the result */
};

static void take (TosstSweepShare *self, int rank, const TosstLetter *letter, GBytes *content);

static void
deliver (TosstSweepShare *self, int rank, int kind, const char *key, int run)
{
  TosstLetter letter = { .kind = kind, .slot = -1, .run = run };

  g_strlcpy (letter.key, key, sizeof letter.key);
  if (rank == tosst_mail_rank (self->mail))
    take (self, rank, &letter, NULL);
  else
    tosst_letter_post (self->mail, rank, &letter, NULL);
}

/* Process `rank` asks for a result, which process `gone` does not have (-1: any may have it). */
static void
place_result (TosstSweepShare *self, const char *key, int rank, int gone)
{
  gpointer found;
  int place = rank;

  g_mutex_lock (&self->lock);
  if (g_hash_table_lookup_extended (self->place, key, NULL, &found) && GPOINTER_TO_INT (found) != gone)
    place = GPOINTER_TO_INT (found);
  if (place == rank)
    g_hash_table_insert (self->place, g_strdup (key), GINT_TO_POINTER (rank));
  g_mutex_unlock (&self->lock);
  if (place == rank)
    deliver (self, rank, TOSST_LETTER_MAKE, key, -1);
  else
    deliver (self, place, TOSST_LETTER_WANT, key, rank);
}

static void
take (TosstSweepShare *self, int rank, const TosstLetter *letter, GBytes *content)
{
  switch (letter->kind)
    {
    case TOSST_LETTER_ASK:
      place_result (self, letter->key, rank, -1);
      break;
    case TOSST_LETTER_NONE:
      place_result (self, letter->key, letter->run, rank);
      break;
    case TOSST_LETTER_MAKE:
      tosst_stage_cache_answer (self->cache, letter->key, NULL, 0);
      break;
    case TOSST_LETTER_WANT:
      tosst_stage_cache_want (self->cache, letter->key, letter->run);
      break;
    case TOSST_LETTER_RESULT:
      tosst_stage_cache_answer (self->cache, letter->key, content, letter->a);
      break;
    case TOSST_LETTER_AGAIN:
      tosst_mail_forget (self->mail, letter->run);
      tosst_stage_cache_ask_again (self->cache);
      break;
    default:
      break;
    }
}

gboolean
tosst_sweep_share_take (TosstSweepShare *self, int rank, const TosstLetter *letter, GBytes *content)
{
  if (letter->kind < TOSST_LETTER_ASK)
    return FALSE;
  if (self)
    take (self, rank, letter, content);
  return TRUE;
}

static void
ask (const char *key, gpointer data)
{
  TosstSweepShare *self = data;

  deliver (self, 0, TOSST_LETTER_ASK, key, -1);
}

static void
send_result (int rank, const char *key, GBytes *content, double seconds, gpointer data)
{
  TosstSweepShare *self = data;
  TosstLetter letter = { .kind = TOSST_LETTER_RESULT, .slot = -1, .a = seconds };

  /* A file of tensors is complete now: the other process finds it. */
  if (!content || g_bytes_get_size (content) == 0)
    {
      deliver (self, content ? rank : 0, content ? TOSST_LETTER_MAKE : TOSST_LETTER_NONE, key, rank);
      return;
    }
  g_strlcpy (letter.key, key, sizeof letter.key);
  tosst_letter_post (self->mail, rank, &letter, content);
}

void
tosst_sweep_share_forget (TosstSweepShare *self, int rank)
{
  const TosstLetter letter = { .kind = TOSST_LETTER_AGAIN, .slot = -1, .run = rank };
  GHashTableIter at;
  gpointer place;

  if (!self)
    return;
  g_mutex_lock (&self->lock);
  g_hash_table_iter_init (&at, self->place);
  while (g_hash_table_iter_next (&at, NULL, &place))
    if (GPOINTER_TO_INT (place) == rank)
      g_hash_table_iter_remove (&at);
  g_mutex_unlock (&self->lock);
  for (int r = 1; r < tosst_mail_size (self->mail); r++)
    tosst_letter_post (self->mail, r, &letter, NULL);
  tosst_stage_cache_ask_again (self->cache);
}

TosstSweepShare *
tosst_sweep_share_new (TosstMail *mail, TosstStageCache *cache)
{
  TosstSweepShare *self = g_new0 (TosstSweepShare, 1);
  const TosstStageExchange exchange = { tosst_stage_form (), ask, send_result, self };

  self->mail = mail;
  self->cache = cache;
  g_mutex_init (&self->lock);
  self->place = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  tosst_stage_cache_connect (cache, &exchange);
  return self;
}

void
tosst_sweep_share_free (TosstSweepShare *self)
{
  if (!self)
    return;
  tosst_stage_cache_connect (self->cache, NULL);
  g_mutex_clear (&self->lock);
  g_hash_table_unref (self->place);
  g_free (self);
}
