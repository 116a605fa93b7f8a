/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The undo history. Between two blocks the state of learning consists of atoms, codes and the sums over codes; all
 * else is derived. Only coding changes codes, so that for other blocks the atoms are sufficient. Sums are recomputed
 * from codes, except for beta >= 0, where coding accumulates them from beta.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/learning/stepper-private.h"

/* Copies what coding accumulates for beta >= 0 to or from a saved state, or with NULL neither. Returns its length. */
static size_t
copy_joint_sums (TosstLearning *l, double *copy, bool back)
{
  size_t D = l->D, K = l->K, S = l->S, length = 0;
  struct
  {
    double *sum;
    size_t n, stride;
  } sums[] = { { l->A, K * K, 1 },    { l->Csum, D * K, 1 }, { l->N, S * K, 1 },
               { l->mean, S * K, 1 }, { l->P, K, K + 1 },    { &l->l1, 1, 1 } };
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
    for (size_t j = 0; j < sums[i].n; j++, length++)
      if (copy && back)
        sums[i].sum[j * sums[i].stride] = copy[length];
      else if (copy)
        copy[length] = sums[i].sum[j * sums[i].stride];
  return length;
}

static bool
pack_codes (const TosstLearning *l, TosstHistoryCodes *codes, size_t *bytes)
{
  size_t K = l->K, n = l->n, count = 0;
  for (size_t i = 0; i < n * K; i++)
    count += l->codes[i] != 0;
  codes->start = malloc (sizeof *codes->start * (n + 1));
  codes->atom = malloc (sizeof *codes->atom * (count + 1));
  codes->value = malloc (sizeof *codes->value * (count + 1));
  if (!codes->start || !codes->atom || !codes->value)
    return false;
  count = 0;
  for (size_t row = 0; row < n; row++)
    {
      codes->start[row] = count;
      for (size_t k = 0; k < K; k++)
        if (l->codes[row * K + k] != 0)
          {
            codes->atom[count] = k;
            codes->value[count++] = l->codes[row * K + k];
          }
    }
  codes->start[n] = count;
  *bytes += sizeof *codes->start * (n + 1) + (sizeof *codes->atom + sizeof *codes->value) * count;
  return true;
}

void
tosst_history_clear (TosstHistoryEntry *entry)
{
  free (entry->atoms);
  free (entry->pass);
  free (entry->codes.start);
  free (entry->codes.atom);
  free (entry->codes.value);
  tosst_dictionary_free (entry->coded);
  free (entry->sums);
}

bool
tosst_history_init (TosstStepper *self, TosstHistoryEntry *entry)
{
  TosstLearning *l = &self->learning;
  size_t V = (size_t)l->D * l->K, b = (size_t)l->S * l->K;
  *entry = (TosstHistoryEntry){ .is_coding = self->phase == 0,
                                .cold = self->cold,
                                .phase = self->phase,
                                .atom = self->atom,
                                .gained = l->gained,
                                .bytes = sizeof *entry + sizeof (double) * (V + b) };
  entry->atoms = malloc (sizeof *entry->atoms * (V + b));
  if (!entry->atoms)
    return false;
  memcpy (entry->atoms, l->dictionary->V, sizeof *entry->atoms * V);
  memcpy (entry->atoms + V, l->dictionary->b, sizeof *entry->atoms * b);
  if (entry->atom > 0)
    {
      entry->pass = malloc (sizeof *entry->pass * V);
      entry->bytes += sizeof *entry->pass * V;
      if (!entry->pass)
        return false;
      memcpy (entry->pass, self->pass, sizeof *entry->pass * V);
    }
  if (!entry->is_coding || entry->cold)
    return true;
  entry->coded = tosst_dictionary_copy (self->coded);
  entry->bytes += sizeof (double) * (V + b);
  if (!entry->coded || !pack_codes (l, &entry->codes, &entry->bytes))
    return false;
  if (!tosst_learning_is_joint (l))
    return true;
  size_t sums = sizeof *entry->sums * copy_joint_sums (l, NULL, false);
  entry->sums = malloc (sums);
  entry->bytes += sums;
  if (entry->sums)
    copy_joint_sums (l, entry->sums, false);
  return entry->sums != NULL;
}

void
tosst_history_restore (TosstStepper *self, TosstHistoryEntry *entry)
{
  TosstLearning *l = &self->learning;
  size_t V = (size_t)l->D * l->K, b = (size_t)l->S * l->K;
  memcpy (l->dictionary->V, entry->atoms, sizeof *entry->atoms * V);
  memcpy (l->dictionary->b, entry->atoms + V, sizeof *entry->atoms * b);
  self->stale = true;
  self->ready = false;
  self->phase = entry->phase;
  self->atom = entry->atom;
  l->gained = entry->gained;
  l->is_exact = false;
  if (entry->pass)
    memcpy (self->pass, entry->pass, sizeof *entry->pass * V);
  if (entry->is_coding)
    {
      self->cold = entry->cold;
      self->stale_sums = true;
      tosst_dictionary_free (self->coded);
      self->coded = entry->coded;
      entry->coded = NULL;
      if (entry->cold)
        memset (l->codes, 0, sizeof *l->codes * l->n * l->K);
      else
        {
          size_t K = l->K;
          memset (l->codes, 0, sizeof *l->codes * l->n * K);
          for (size_t row = 0; row < l->n; row++)
            for (size_t i = entry->codes.start[row]; i < entry->codes.start[row + 1]; i++)
              l->codes[row * K + entry->codes.atom[i]] = entry->codes.value[i];
        }
      if (entry->sums)
        copy_joint_sums (l, entry->sums, true);
    }
  tosst_history_clear (entry);
}
