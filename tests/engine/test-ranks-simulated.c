/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages and bytes of learning on ranks: exactly those of the simulation, and how many they are.
 */
#include <glib.h>
#include <string.h>

#include "simulated-ranks.h"
#include "third-powers.h"
#include "threads-as-ranks.h"

#define ITERATIONS 4

static const SimulatedMachine machine = { .threads = 1,
                                          .product = 2e-11,
                                          .wide = 4e-11,
                                          .lasso = 1e-9,
                                          .sparse = 2e-11,
                                          .projection = 2e-5,
                                          .tile = 2e-9,
                                          .moved = 1e-10,
                                          .latency = 1e-5,
                                          .bandwidth = 1e9,
                                          .message = 1e-6 };

static int
most_of_two (const TosstLayout *layout, int K, double *sums)
{
  TosstLearnOptions options;
  SimulatedIteration found;

  tosst_learn_options_default (&options);
  options.atoms = K;
  simulate_iteration (layout, 20000, &options, 2, 100, &machine, &found);
  *sums = 8. * K * layout->m + 4. * K * (K + 1);
  g_test_message ("K = %d: %" G_GUINT64_FORMAT " messages, %.3f times the sums", K, found.messages,
                  found.most_bytes / *sums);
  return (int)(found.most_bytes / *sums * 1000);
}

typedef struct
{
  TosstLayout *layout;
  float *tensors;
  size_t n;
  TosstLearnOptions options;
  uint64_t messages[MOST_RANKS][ITERATIONS + 1], bytes[MOST_RANKS][ITERATIONS + 1];
  bool counts[ITERATIONS + 1]; /* no atoms were replaced */
} Case;

typedef struct
{
  Case *self;
  TosstRanks *ranks;
} Place;

static void
on_iteration (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  Place *place = data;
  Case *self = place->self;
  int r = place->ranks->rank;

  self->messages[r][iteration->iteration] = place->ranks->messages;
  self->bytes[r][iteration->iteration] = place->ranks->bytes;
  if (r == 0)
    self->counts[iteration->iteration] = iteration->iteration > 1 && iteration->unused_atoms == 0;
}

static void
learn (TosstRanks *ranks, void *data)
{
  Case *self = data;
  Place place = { self, ranks };
  TosstLearnRun run = { .ranks = ranks };
  TosstContext *context = tosst_context_new (1);
  TosstDictionary *found;
  size_t first = self->n * ranks->rank / ranks->size, n = self->n * (ranks->rank + 1) / ranks->size - first;

  g_assert_cmpint (tosst_learn (context, self->layout, self->tensors + first * self->layout->m, n, &self->options, &run,
                                on_iteration, &place, &found),
                   ==, TOSST_OK);
  tosst_dictionary_free (found);
  tosst_context_free (context);
}

/* An iteration without replaced atoms sends what the simulation says, to the message and the byte. */
static void
check_exact (int K, bool is_lean)
{
  Case self = { .layout = tosst_layout_new (THIRD_POWERS_SIDE), .n = 1500 };
  SimulatedIteration simulated;
  int checked = 0;

  self.tensors = third_powers (self.layout, self.n);
  tosst_learn_options_default (&self.options);
  self.options.atoms = K;
  self.options.iterations = ITERATIONS;
  self.options.tolerance = 0;
  self.options.problem.lambda = 1e-4;
  self.options.most_sums = is_lean ? 1 : 0;
  for (int size = 2; size <= 4; size++)
    {
      run_ranks (size, learn, &self);
      simulate_iteration (self.layout, self.n, &self.options, size, 50, &machine, &simulated);
      for (int i = 2; i <= ITERATIONS; i++)
        if (self.counts[i])
          {
            uint64_t messages = self.messages[0][i] - self.messages[0][i - 1],
                     bytes = self.bytes[0][i] - self.bytes[0][i - 1];

            g_test_message ("%d ranks, iteration %d: %" G_GUINT64_FORMAT " messages, %" G_GUINT64_FORMAT
                            " bytes; simulated %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT,
                            size, i, messages, bytes, simulated.messages, simulated.bytes);
            g_assert_cmpuint (messages, ==, simulated.messages);
            g_assert_cmpuint (bytes, ==, simulated.bytes);
            checked++;
          }
    }
  g_assert_cmpint (checked, >=, 3);
  g_free (self.tensors);
  tosst_layout_free (self.layout);
}

static void
test_exact (void)
{
  check_exact (70, false);
  check_exact (150, false);
  check_exact (150, true);
}

/* Each of two ranks sends at most 1.1 times the bytes of the sums. */
static void
test_bytes (void)
{
  TosstLayout *layout = tosst_layout_new (35);
  double sums;

  for (int K = 500; K <= 4000; K += 700)
    g_assert_cmpint (most_of_two (layout, K, &sums), <=, 1100);
  tosst_layout_free (layout);
}

/* While each rank has several blocks of atoms a rank of many sends about twice the bytes of one of two; with more ranks
 * than blocks, those that have one send it to all, and all of them end the iteration. */
static void
test_many (void)
{
  TosstLayout *layout = tosst_layout_new (12);
  TosstLearnOptions options;
  SimulatedIteration two, many;

  tosst_learn_options_default (&options);
  options.atoms = 1024;
  simulate_iteration (layout, 20000, &options, 2, 100, &machine, &two);
  for (int size = 1; size <= 64; size *= 2)
    {
      simulate_iteration (layout, 20000, &options, size, 100, &machine, &many);
      g_test_message ("%d ranks: %.4f s, %" G_GUINT64_FORMAT " bytes", size, many.seconds, many.most_bytes);
      if (size <= 8)
        g_assert_cmpfloat (many.most_bytes, <=, 2.2 * two.most_bytes);
      g_assert_cmpfloat (many.coding, <, many.seconds);
    }
  tosst_layout_free (layout);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ranks/simulated/exact", test_exact);
  g_test_add_func ("/ranks/simulated/bytes", test_bytes);
  g_test_add_func ("/ranks/simulated/many", test_many);
  return g_test_run ();
}
