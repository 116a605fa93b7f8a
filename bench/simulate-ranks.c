/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The time of an iteration of learning on 1 to 1024 ranks, by the engine's own exchanges and the constants of
 * doc/scaling.md: see tests/engine/simulated-ranks.h. N = 20,000, d = 35, K = 2000 on ranks of one thread; --tensors N,
 * --atoms K, --side d, --nonzeros p, --threads T, --latency s, --bandwidth bytes/s, --most P change one number each.
 */
#include <glib.h>
#include <string.h>

#include "tests/engine/simulated-ranks.h"

static double
argument (int argc, char *argv[], const char *name, double otherwise)
{
  for (int i = 1; i + 1 < argc; i++)
    if (g_str_equal (argv[i], name))
      return g_ascii_strtod (argv[i + 1], NULL);
  return otherwise;
}

int
main (int argc, char *argv[])
{
  SimulatedMachine machine = { .threads = argument (argc, argv, "--threads", 1),
                               .product = 1.9e-11,
                               .wide = 5.8e-11,
                               .lasso = 5.1e-10,
                               .sparse = 3.1e-11,
                               .projection = 3.9e-5,
                               .tile = 2e-8,
                               .moved = 1e-10,
                               .latency = argument (argc, argv, "--latency", 2e-7),
                               .bandwidth = argument (argc, argv, "--bandwidth", 11e9),
                               .message = 1e-6 };
  TosstLearnOptions options;
  TosstLayout *layout = tosst_layout_new (argument (argc, argv, "--side", 35));
  size_t n = argument (argc, argv, "--tensors", 20000);
  double nonzeros = argument (argc, argv, "--nonzeros", 200), one = 0;

  tosst_learn_options_default (&options);
  options.atoms = argument (argc, argv, "--atoms", 2000);
  g_print ("ranks  seconds  coding   Y, P  updates  waiting  messages  MB sent  speed  GB of a rank\n");
  for (int ranks = 1; ranks <= argument (argc, argv, "--most", 1024); ranks *= 2)
    {
      SimulatedIteration found;

      simulate_iteration (layout, n, &options, ranks, nonzeros, &machine, &found);
      one = ranks == 1 ? found.seconds : one;
      g_print ("%5d %8.3f %7.3f %6.3f %8.3f %8.3f %9.0f %8.1f %6.2f %8.1f\n", ranks, found.seconds, found.coding,
               found.sums, found.updates, found.waiting, (double)found.messages, 1e-6 * found.most_bytes,
               one / found.seconds,
               1e-9
                   * (tosst_learn_memory (layout, n / ranks + 1, &options, ranks > 1 ? ranks : 0, machine.threads)
                      + 4. * n / ranks * layout->m));
    }
  tosst_layout_free (layout);
  return 0;
}
