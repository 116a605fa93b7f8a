/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Letters between processes of one program on processors of the same kind: numbers as they are in memory.
 */
#include "config.h"

#include <string.h>

#include "core/sweep/private.h"

/* Content is aligned as memory is. */
G_STATIC_ASSERT (sizeof (TosstLetter) % 16 == 0);

void
tosst_letter_post (TosstMail *mail, int rank, const TosstLetter *letter, GBytes *content)
{
  tosst_mail_post_with (mail, rank, g_bytes_new (letter, sizeof *letter), content ? g_bytes_ref (content) : NULL);
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
