/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A message is sent as its length and then in pieces, whose size bounds what either end must hold at once. One message to
 * each process is underway at a time, and one piece is received.
 */
#include "core/base/base.h"
#include "core/ranks/processes.h"

#define PIECE ((gsize)16 << 20)

/* A message in two parts, the second one may be NULL. */
typedef struct
{
  guint64 bytes; /* of both */
  GBytes *part[2];
} Post;

/* Messages to another process. */
typedef struct
{
  GQueue waiting; /* Post * */
  Post *now;      /* underway, or NULL */
  gsize sent;     /* of its length and its bytes, the piece underway included */
  gpointer request;
  gboolean lost;
} Outbox;

/* A message from another process. */
typedef struct
{
  char *data; /* NULL: its length comes first */
  gsize bytes, got;
} Inbox;

struct TosstMail
{
  TosstProcesses *processes;
  GMutex lock; /* guards waiting, now and lost of outboxes */
  Outbox *out;
  Inbox *in;

  /* The piece that is received. */
  gpointer request;
  int from;
  gsize expected;
  guint64 bytes; /* the length of a message */
};

TOSST_DEFINE_FREE (Post, free_post, (part[0], g_bytes_unref), (part[1], g_bytes_unref))

TosstMail *
tosst_mail_new (TosstProcesses *processes)
{
  TosstMail *self = g_new0 (TosstMail, 1);

  self->processes = processes;
  g_mutex_init (&self->lock);
  self->out = g_new0 (Outbox, processes->ranks.size);
  self->in = g_new0 (Inbox, processes->ranks.size);
  for (int r = 0; r < processes->ranks.size; r++)
    g_queue_init (&self->out[r].waiting);
  return self;
}

void
tosst_mail_free (TosstMail *self)
{
  if (!self)
    return;
  gboolean busy = self->request != NULL;
  for (int r = 0; r < self->processes->ranks.size; r++)
    {
      busy = busy || self->out[r].request != NULL;
      g_queue_clear_full (&self->out[r].waiting, free_post);
    }
  if (busy)
    return;
  for (int r = 0; r < self->processes->ranks.size; r++)
    {
      g_clear_pointer (&self->out[r].now, free_post);
      g_free (self->in[r].data);
    }
  g_mutex_clear (&self->lock);
  g_free (self->out);
  g_free (self->in);
  g_free (self);
}

int
tosst_mail_rank (const TosstMail *self)
{
  return self->processes->ranks.rank;
}

int
tosst_mail_size (const TosstMail *self)
{
  return self->processes->ranks.size;
}

int
tosst_mail_node_size (const TosstMail *self)
{
  return self->processes->node_size;
}

#define LOCK(self) g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&(self)->lock)

void
tosst_mail_post (TosstMail *self, int rank, GBytes *head, GBytes *body)
{
  const Post post = { g_bytes_get_size (head) + (body ? g_bytes_get_size (body) : 0), { head, body } };

  LOCK (self);
  if (self->out[rank].lost)
    free_post (g_memdup2 (&post, sizeof post));
  else
    g_queue_push_tail (&self->out[rank].waiting, g_memdup2 (&post, sizeof post));
}

void
tosst_mail_forget (TosstMail *self, int rank)
{
  LOCK (self);
  self->out[rank].lost = TRUE;
  g_queue_clear_full (&self->out[rank].waiting, free_post);
}

gboolean
tosst_mail_is_lost (TosstMail *self, int rank)
{
  LOCK (self);
  return self->out[rank].lost;
}

gboolean
tosst_mail_is_sent (TosstMail *self)
{
  LOCK (self);
  for (int r = 0; r < self->processes->ranks.size; r++)
    if (!self->out[r].lost && (self->out[r].now || !g_queue_is_empty (&self->out[r].waiting)))
      return FALSE;
  return TRUE;
}

/* Takes the next message; FALSE if there is none. */
static gboolean
begin_message (TosstMail *self, Outbox *out)
{
  LOCK (self);
  if (out->lost)
    return FALSE;
  out->now = g_queue_pop_head (&out->waiting);
  out->sent = 0;
  return out->now != NULL;
}

static void
end_message (TosstMail *self, Outbox *out)
{
  LOCK (self);
  g_clear_pointer (&out->now, free_post);
}

/* Sends the length of the message, or its next piece. */
static void
send_piece (TosstMail *self, int rank)
{
  Outbox *out = &self->out[rank];
  gsize at = out->sent, size = sizeof out->now->bytes;
  const char *data = (const char *)&out->now->bytes;

  for (int i = 0; i < 2 && at >= size; i++)
    {
      at -= size;
      data = g_bytes_get_data (out->now->part[i], &size);
    }
  gsize n = MIN (PIECE, size - at);
  out->request = self->processes->mail_send (rank, data + at, n);
  out->sent += n;
  if (!out->request)
    tosst_mail_forget (self, rank);
}

static gboolean
pump_out (TosstMail *self, int rank)
{
  Outbox *out = &self->out[rank];

  if (!out->request)
    {
      if (!begin_message (self, out))
        return FALSE;
      send_piece (self, rank);
      return TRUE;
    }
  TosstMailState state = self->processes->mail_state (out->request);

  if (state == TOSST_MAIL_UNDERWAY)
    return FALSE;
  out->request = NULL;
  if (state == TOSST_MAIL_FAILED)
    tosst_mail_forget (self, rank);
  else if (out->sent < sizeof out->now->bytes + out->now->bytes)
    {
      send_piece (self, rank);
      return TRUE;
    }
  end_message (self, out);
  return TRUE;
}

/* Starts to receive the next piece; FALSE if there is none. */
static gboolean
begin_piece (TosstMail *self)
{
  if (!self->processes->mail_next (&self->from, &self->expected))
    return FALSE;
  Inbox *in = &self->in[self->from];
  self->request = self->processes->mail_receive (self->from, in->data ? in->data + in->got : (char *)&self->bytes,
                                                 self->expected);
  if (!self->request)
    tosst_mail_forget (self, self->from);
  return self->request != NULL;
}

static void
take_piece (TosstMail *self, TosstMailFunc func, gpointer data)
{
  Inbox *in = &self->in[self->from];

  if (in->data)
    in->got += self->expected;
  else
    *in = (Inbox){ g_malloc (self->bytes + 1), self->bytes, 0 };
  if (in->got < in->bytes)
    return;
  g_autoptr (GBytes) message = g_bytes_new_take (g_steal_pointer (&in->data), in->bytes);

  func (self->from, message, data);
}

static gboolean
pump_in (TosstMail *self, TosstMailFunc func, gpointer data)
{
  if (!self->request)
    return begin_piece (self);
  TosstMailState state = self->processes->mail_state (self->request);
  if (state == TOSST_MAIL_UNDERWAY)
    return FALSE;
  self->request = NULL;
  if (state == TOSST_MAIL_FAILED)
    tosst_mail_forget (self, self->from);
  else
    take_piece (self, func, data);
  return TRUE;
}

gboolean
tosst_mail_pump (TosstMail *self, TosstMailFunc func, gpointer data)
{
  gboolean moved = FALSE;

  for (int r = 0; r < self->processes->ranks.size; r++)
    while (pump_out (self, r))
      moved = TRUE;
  while (pump_in (self, func, data))
    moved = TRUE;
  return moved;
}
