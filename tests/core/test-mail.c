/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mail between two processes, which here are two ends in one: pieces are handed over when both sides have asked for it.
 */
#include "config.h"

#include <string.h>

#include "core/ranks/processes.h"

/* A piece that one end sends. */
typedef struct
{
  int from;
  const char *data;
  gsize bytes;
  gboolean done;
} Parcel;

/* A request: of a parcel that was sent, or one received. */
typedef struct
{
  Parcel *parcel;
  char *to; /* NULL: sent */
} Request;

static GQueue parcels[2]; /* to each end, in order */
static GPtrArray *all;    /* parcels, which both ends look at */
static int acting;        /* the end whose functions are called */
static gboolean broken;
static gsize largest;

static void *
mail_send (int rank, const void *data, size_t bytes)
{
  Request *request = g_new0 (Request, 1);

  if (broken)
    {
      g_free (request);
      return NULL;
    }
  largest = MAX (largest, bytes);
  request->parcel = g_new0 (Parcel, 1);
  g_ptr_array_add (all, request->parcel);
  *request->parcel = (Parcel){ .from = acting, .data = data, .bytes = bytes };
  g_queue_push_tail (&parcels[rank], request->parcel);
  return request;
}

static void *
mail_receive (int rank, void *data, size_t bytes)
{
  Request *request = g_new0 (Request, 1);

  request->parcel = g_queue_pop_head (&parcels[acting]);
  g_assert_cmpint (request->parcel->from, ==, rank);
  g_assert_cmpuint (request->parcel->bytes, ==, bytes);
  request->to = data;
  return request;
}

/* What was received is complete at the second look. */
static TosstMailState
mail_state (void *data)
{
  Request *request = data;
  gboolean done = request->parcel->done;

  if (request->to && !done)
    {
      memcpy (request->to, request->parcel->data, request->parcel->bytes);
      request->parcel->done = TRUE;
      return TOSST_MAIL_UNDERWAY;
    }
  if (!done)
    return TOSST_MAIL_UNDERWAY;
  g_free (request);
  return TOSST_MAIL_DONE;
}

static bool
mail_next (int *rank, size_t *bytes)
{
  const Parcel *parcel = g_queue_peek_head (&parcels[acting]);

  if (!parcel)
    return false;
  *rank = parcel->from;
  *bytes = parcel->bytes;
  return true;
}

static TosstProcesses
process (int rank)
{
  return (TosstProcesses){ .ranks = { .rank = rank, .size = 2 },
                           .node_size = 2,
                           .mail_send = mail_send,
                           .mail_receive = mail_receive,
                           .mail_state = mail_state,
                           .mail_next = mail_next };
}

static void
keep (int rank, GBytes *message, gpointer data)
{
  g_assert_cmpint (rank, ==, 1 - acting);
  g_ptr_array_add (data, g_bytes_ref (message));
}

static void
pump (TosstMail *const *end, GPtrArray *const *got)
{
  for (int i = 0; i < 1000; i++)
    for (acting = 0; acting < 2; acting++)
      tosst_mail_pump (end[acting], keep, got[acting]);
}

/* Bytes that differ from place to place. */
static GBytes *
make_message (gsize bytes, guint seed)
{
  guint8 *data = g_malloc (bytes + 1);

  for (gsize i = 0; i < bytes; i++)
    data[i] = (guint8)((i * 31 + i / 251 + seed) & 0xff);
  return g_bytes_new_take (data, bytes);
}

/* Sends a message whole, or with a head of its own. */
static void
post (TosstMail *mail, int rank, GBytes *message, gsize head)
{
  gsize size = g_bytes_get_size (message);

  if (head == 0 || head > size)
    {
      tosst_mail_post (mail, rank, message, NULL);
      return;
    }
  tosst_mail_post (mail, rank, g_bytes_new_from_bytes (message, 0, head),
                   g_bytes_new_from_bytes (message, head, size - head));
  g_bytes_unref (message);
}

static void
test_messages (void)
{
  static const gsize sizes[] = { 0, 1, 8191, 8192, 8193, 100000, ((gsize)40 << 20) + 3, 5 };
  TosstProcesses process0 = process (0), process1 = process (1);
  TosstMail *end[2] = { tosst_mail_new (&process0), tosst_mail_new (&process1) };
  GPtrArray *got[2] = { g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref),
                        g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref) };

  largest = 0;
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (int e = 0; e < 2; e++)
      post (end[e], 1 - e, make_message (sizes[i], i + 7 * (guint)e), e == 0 ? 0 : i % 2 == 0 ? 48 : 8192);
  g_assert_false (tosst_mail_is_sent (end[0]));
  pump (end, got);
  for (int e = 0; e < 2; e++)
    {
      g_assert_true (tosst_mail_is_sent (end[e]));
      g_assert_cmpuint (got[e]->len, ==, G_N_ELEMENTS (sizes));
      for (guint i = 0; i < got[e]->len; i++)
        {
          g_autoptr (GBytes) expected = make_message (sizes[i], i + 7 * (guint)(1 - e));

          g_assert_true (g_bytes_equal (expected, g_ptr_array_index (got[e], i)));
        }
      g_ptr_array_unref (got[e]);
      tosst_mail_free (end[e]);
    }
  g_assert_cmpuint (largest, <=, (gsize)16 << 20);
}

/* A failure to send drops what was to follow. */
static void
test_lost (void)
{
  TosstProcesses process0 = process (0);
  TosstMail *mail = tosst_mail_new (&process0);
  g_autoptr (GPtrArray) got = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);

  acting = 0;
  broken = TRUE;
  for (int i = 0; i < 3; i++)
    tosst_mail_post (mail, 1, make_message (100, 0), NULL);
  g_assert_false (tosst_mail_is_lost (mail, 1));
  tosst_mail_pump (mail, keep, got);
  broken = FALSE;
  g_assert_true (tosst_mail_is_lost (mail, 1));
  tosst_mail_post (mail, 1, make_message (100, 0), NULL);
  tosst_mail_pump (mail, keep, got);
  g_assert_true (g_queue_is_empty (&parcels[1]));
  g_assert_true (tosst_mail_is_sent (mail));
  tosst_mail_free (mail);
}

int
main (int argc, char **argv)
{
  int failed;

  all = g_ptr_array_new_with_free_func (g_free);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mail/messages", test_messages);
  g_test_add_func ("/mail/lost", test_lost);
  failed = g_test_run ();
  g_ptr_array_unref (all);
  return failed;
}
