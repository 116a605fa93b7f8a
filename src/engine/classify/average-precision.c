/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/base.h"
#include "tosst/classify.h"

typedef struct
{
  double score;
  size_t sample;
} Ranked;

static int
compare (const void *a, const void *b)
{
  const Ranked *first = a, *second = b;

  if (first->score != second->score)
    return first->score > second->score ? -1 : 1;
  return first->sample < second->sample ? -1 : first->sample > second->sample;
}

/* Averages over the ranked samples, from the last to the first, so that `best` is the largest precision at the same or a
 * higher recall. */
static void
average (const Ranked *ranked, size_t count, const int *labels, TosstAveragePrecision *result)
{
  size_t positives = result->positives, tp = positives;
  double best = 0, area = 0, mean = 0, sum = 0;
  int level = 10; /* highest recall level, in tenths, that is not counted yet */

  for (size_t r = count; r > 0; r--)
    {
      double precision = (double)tp / (double)r;

      /* Levels above the recall here are reached only further down the ranking. */
      for (; level >= 0 && (size_t)level * positives > 10 * tp; level--)
        sum += best;
      best = fmax (best, precision);
      if (labels[ranked[r - 1].sample] > 0)
        {
          area += best;
          mean += precision;
          tp--;
        }
    }
  result->ap11 = (sum + (level + 1) * best) / 11;
  result->area = area / (double)positives;
  result->mean = mean / (double)positives;
}

TosstStatus
tosst_average_precision (const double *scores, const int *labels, size_t n, TosstAveragePrecision *result,
                         TosstRecallPoint *curve)
{
  TOSST_REQUIRE (NULL, result && (n == 0 || (scores && labels)));
  Ranked *ranked = malloc ((n + 1) * sizeof *ranked);
  size_t count = 0, tp = 0;

  *result = (TosstAveragePrecision){ .ap11 = NAN, .area = NAN, .mean = NAN };
  if (!ranked)
    return TOSST_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++)
    if (isnan (scores[i]))
      {
        free (ranked);
        return TOSST_ERROR_ARGUMENT;
      }
    else if (labels[i] != 0)
      {
        ranked[count++] = (Ranked){ scores[i], i };
        result->positives += labels[i] > 0;
        result->negatives += labels[i] < 0;
      }
  qsort (ranked, count, sizeof *ranked, compare);
  for (size_t r = 0; curve && r < count; r++)
    {
      tp += labels[ranked[r].sample] > 0;
      curve[r] = (TosstRecallPoint){ ranked[r].sample, result->positives ? (double)tp / (double)result->positives : NAN,
                                     (double)tp / (double)(r + 1) };
    }
  if (result->positives > 0)
    average (ranked, count, labels, result);
  free (ranked);
  return TOSST_OK;
}
