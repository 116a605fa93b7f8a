/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An iteration of learning on many ranks without its computations. The engine's own functions run for every rank; the
 * linker replaces products and loops by functions that move the rank's clock (simulated_ranks_link_args of
 * meson.build), and messages take the time that the network needs. So the exchanges are those of the engine, in its
 * order, with its sizes.
 */
#pragma once

#include "tosst/learn.h"

/* Seconds of a multiply-add, or of what is named, on one thread. */
typedef struct
{
  int threads;       /* of a rank */
  double product;    /* float matrix products: Q, and those of residuals */
  double wide;       /* double matrix products and other loops over matrices */
  double lasso;      /* of a Lasso, per atom and non-zero code */
  double sparse;     /* Y and P, per number and non-zero code */
  double projection; /* of one atom with d = 35, which grows with d cubed; one after the other on every rank */
  double tile;       /* writing, rounding and adding a number of a tile of Y */
  double moved;      /* copying a byte to or from a message, on the thread that exchanges */
  double latency;    /* seconds of a message */
  double bandwidth;  /* bytes a second in each direction of a rank's connection */
  double message;    /* seconds that a rank spends with a message */
} SimulatedMachine;

typedef struct
{
  double seconds;           /* of the iteration, until the last rank ends it */
  double coding;            /* of these until the codes are there, */
  double sums;              /* Y and P, */
  double updates;           /* and the rounds of block updates */
  double waiting;           /* of rank 0: in exchanges */
  uint64_t messages, bytes; /* sent by rank 0 */
  uint64_t most_bytes;      /* by the rank that sends most */
} SimulatedIteration;

/* n: tensors of all ranks; nonzeros: of a code. */
void simulate_iteration (const TosstLayout *layout, size_t n, const TosstLearnOptions *options, int ranks,
                         double nonzeros, const SimulatedMachine *machine, SimulatedIteration *result);
