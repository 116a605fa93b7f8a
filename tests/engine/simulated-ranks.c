/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulated-ranks.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "engine/base/blas.h"
#include "engine/coding/coder-private.h"
#include "engine/learning/accumulate.h"
#include "engine/learning/sweep.h"

#define STACK_BYTES ((size_t)1 << 20)

/* A message that was sent. */
typedef struct
{
  double arrival;
  size_t bytes;
} Letter;

typedef struct
{
  TosstRanks ranks;
  TosstLearning learning;
  ucontext_t context;
  void *stack;
  double clock, out_free, in_free;
  double waiting, coded, summed;
  TosstMessage *in; /* begun and not ended */
  int ins;
  bool is_done;
} Rank;

typedef struct
{
  const SimulatedMachine *machine;
  Rank *rank;
  int size;
  GQueue **box; /* letters of each pair of ranks, made when they are needed */
  Rank *current;
  ucontext_t main;
  double nonzeros;
  TosstIteration iteration;
} Simulation;

static Simulation *simulation;

/* The current rank computes. */
static void
spend (double seconds)
{
  simulation->current->clock += seconds;
}

static void
compute (double multiply_adds, double seconds)
{
  spend (multiply_adds * seconds / simulation->machine->threads);
}

static GQueue *
box_of (int from, int to)
{
  GQueue **box = &simulation->box[(size_t)from * simulation->size + to];

  if (*box == NULL)
    *box = g_queue_new ();
  return *box;
}

static TosstStatus
begin (const TosstMessage *out, int outs, const TosstMessage *in, int ins, void *data)
{
  Rank *self = data;
  const SimulatedMachine *machine = simulation->machine;

  for (int i = 0; i < outs; i++)
    {
      Letter *letter = g_new (Letter, 1);

      self->clock += machine->message + out[i].bytes * machine->moved;
      self->out_free = fmax (self->out_free, self->clock) + out[i].bytes / machine->bandwidth;
      *letter = (Letter){ self->out_free + machine->latency, out[i].bytes };
      g_queue_push_tail (box_of (self->ranks.rank, out[i].rank), letter);
    }
  self->in = g_memdup2 (in, sizeof *in * ins);
  self->ins = ins;
  return TOSST_OK;
}

static TosstStatus
end (void *data)
{
  Rank *self = data;
  const SimulatedMachine *machine = simulation->machine;
  double start = self->clock;

  for (int i = 0; i < self->ins; i++)
    {
      GQueue *box = box_of (self->in[i].rank, self->ranks.rank);

      while (g_queue_is_empty (box))
        swapcontext (&self->context, &simulation->main);
      g_autofree Letter *letter = g_queue_pop_head (box);
      g_assert_cmpuint (letter->bytes, ==, self->in[i].bytes);
      self->in_free = fmax (self->in_free + letter->bytes / machine->bandwidth, letter->arrival);
      self->clock = fmax (self->clock, self->in_free) + machine->message + letter->bytes * machine->moved;
    }
  /* What is sent is in use until it has left. */
  self->clock = fmax (self->clock, self->out_free);
  self->waiting += self->clock - start;
  g_clear_pointer (&self->in, g_free);
  return TOSST_OK;
}

static TosstStatus
transfer (const TosstMessage *out, int outs, const TosstMessage *in, int ins, void *data)
{
  begin (out, outs, in, ins, data);
  return end (data);
}

/* What the linker calls instead of the engine's functions: __wrap_NAME() for NAME(), which is __real_NAME() here. */

int __wrap_tosst_context_threads (const TosstContext *context);
int __real_tosst_context_threads (const TosstContext *context);
TosstStatus __wrap_tosst_parallel_work (TosstContext *context, size_t items, double work, TosstTaskFunc task,
                                        void *data);
TosstStatus __real_tosst_parallel_work (TosstContext *context, size_t items, double work, TosstTaskFunc task,
                                        void *data);
TosstStatus __wrap_tosst_copy (TosstContext *context, size_t n, const double *from, double *to);
TosstStatus __real_tosst_copy (TosstContext *context, size_t n, const double *from, double *to);
TosstStatus __wrap_tosst_dgemm (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int M, int N, int K,
                                double alpha, const double *A, int lda, const double *B, int ldb, double beta,
                                double *C, int ldc);
TosstStatus __real_tosst_dgemm (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int M, int N, int K,
                                double alpha, const double *A, int lda, const double *B, int ldb, double beta,
                                double *C, int ldc);
TosstStatus __wrap_tosst_sgemm (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int M, int N, int K,
                                float alpha, const float *A, int lda, const float *B, int ldb, float beta, float *C,
                                int ldc);
TosstStatus __real_tosst_sgemm (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int M, int N, int K,
                                float alpha, const float *A, int lda, const float *B, int ldb, float beta, float *C,
                                int ldc);
TosstStatus __wrap_tosst_dgemm_lower (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int N, int K,
                                      double alpha, const double *A, int lda, const double *B, int ldb, double beta,
                                      double *C, int ldc);
TosstStatus __real_tosst_dgemm_lower (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int N, int K,
                                      double alpha, const double *A, int lda, const double *B, int ldb, double beta,
                                      double *C, int ldc);
TosstStatus __wrap_tosst_mirror (TosstContext *context, int N, double *C, int ldc);
TosstStatus __real_tosst_mirror (TosstContext *context, int N, double *C, int ldc);
TosstStatus __wrap_tosst_cholesky (TosstContext *context, int n, double *A);
TosstStatus __real_tosst_cholesky (TosstContext *context, int n, double *A);
TosstStatus __wrap_tosst_reduction_apply (const TosstReduction *self, TosstContext *context,
                                          const TosstDictionary *dictionary, double *R, int columns, double *work);
TosstStatus __real_tosst_reduction_apply (const TosstReduction *self, TosstContext *context,
                                          const TosstDictionary *dictionary, double *R, int columns, double *work);
TosstStatus __wrap_tosst_coder_new_reduced (TosstContext *context, const TosstDictionary *dictionary,
                                            const TosstLayout *layout, const TosstCodingOptions *options,
                                            const TosstReduction *reduction, float *H, TosstCoder **coder);
TosstStatus __real_tosst_coder_new_reduced (TosstContext *context, const TosstDictionary *dictionary,
                                            const TosstLayout *layout, const TosstCodingOptions *options,
                                            const TosstReduction *reduction, float *H, TosstCoder **coder);
TosstStatus __wrap_tosst_code (TosstContext *context, const TosstCoder *coder, const float *tensors, size_t n,
                               bool warm, float *codes, TosstCodingReport *report);
TosstStatus __real_tosst_code (TosstContext *context, const TosstCoder *coder, const float *tensors, size_t n,
                               bool warm, float *codes, TosstCodingReport *report);
TosstStatus __wrap_tosst_accumulation_init (TosstAccumulation *self, TosstLearning *learning);
TosstStatus __real_tosst_accumulation_init (TosstAccumulation *self, TosstLearning *learning);
TosstStatus __wrap_tosst_accumulation_add_Y (TosstAccumulation *self, size_t from, size_t to, double *out);
TosstStatus __real_tosst_accumulation_add_Y (TosstAccumulation *self, size_t from, size_t to, double *out);
TosstStatus __wrap_tosst_accumulation_add_P (TosstAccumulation *self);
TosstStatus __real_tosst_accumulation_add_P (TosstAccumulation *self);
TosstStatus __wrap_tosst_learning_accumulate_whole (TosstLearning *learning);
TosstStatus __real_tosst_learning_accumulate_whole (TosstLearning *learning);
TosstStatus __wrap_tosst_reduction_gram (const TosstReduction *self, TosstContext *context,
                                         const TosstDictionary *dictionary, const float *across,
                                         const signed char *sign, bool wide, void *H);
TosstStatus __real_tosst_reduction_gram (const TosstReduction *self, TosstContext *context,
                                         const TosstDictionary *dictionary, const float *across,
                                         const signed char *sign, bool wide, void *H);
TosstStatus __wrap_tosst_learning_sweep_B (TosstLearning *self);
TosstStatus __real_tosst_learning_sweep_B (TosstLearning *self);
TosstStatus __wrap_tosst_sweep_step (TosstSweep *self, size_t first, size_t end);
TosstStatus __real_tosst_sweep_step (TosstSweep *self, size_t first, size_t end);
TosstStatus __wrap_tosst_learning_sweep_b (TosstLearning *self);
TosstStatus __real_tosst_learning_sweep_b (TosstLearning *self);

int
__wrap_tosst_context_threads (const TosstContext *context)
{
  return simulation == NULL ? __real_tosst_context_threads (context) : simulation->machine->threads;
}

TosstStatus
__wrap_tosst_parallel_work (TosstContext *context, size_t items, double work, TosstTaskFunc task, void *data)
{
  if (simulation == NULL)
    return __real_tosst_parallel_work (context, items, work, task, data);
  compute (work, simulation->machine->wide);
  return TOSST_OK;
}

TosstStatus
__wrap_tosst_copy (TosstContext *context, size_t n, const double *from, double *to)
{
  if (simulation == NULL)
    return __real_tosst_copy (context, n, from, to);
  compute (n, simulation->machine->wide);
  return TOSST_OK;
}

TosstStatus
__wrap_tosst_dgemm (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int M, int N, int K, double alpha,
                    const double *A, int lda, const double *B, int ldb, double beta, double *C, int ldc)
{
  if (simulation == NULL)
    return __real_tosst_dgemm (context, ta, tb, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
  compute ((double)M * N * K, simulation->machine->wide);
  return TOSST_OK;
}

TosstStatus
__wrap_tosst_sgemm (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int M, int N, int K, float alpha,
                    const float *A, int lda, const float *B, int ldb, float beta, float *C, int ldc)
{
  if (simulation == NULL)
    return __real_tosst_sgemm (context, ta, tb, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
  compute ((double)M * N * K, simulation->machine->product);
  return TOSST_OK;
}

TosstStatus
__wrap_tosst_dgemm_lower (TosstContext *context, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int N, int K, double alpha,
                          const double *A, int lda, const double *B, int ldb, double beta, double *C, int ldc)
{
  if (simulation == NULL)
    return __real_tosst_dgemm_lower (context, ta, tb, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
  compute ((double)N * N * K / 2, simulation->machine->wide);
  return TOSST_OK;
}

TosstStatus
__wrap_tosst_mirror (TosstContext *context, int N, double *C, int ldc)
{
  if (simulation == NULL)
    return __real_tosst_mirror (context, N, C, ldc);
  compute ((double)N * N, simulation->machine->wide);
  return TOSST_OK;
}

TosstStatus
__wrap_tosst_cholesky (TosstContext *context, int n, double *A)
{
  if (simulation == NULL)
    return __real_tosst_cholesky (context, n, A);
  compute ((double)n * n * n / 6, simulation->machine->wide);
  return TOSST_OK;
}

TosstStatus
__wrap_tosst_reduction_apply (const TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary,
                              double *R, int columns, double *work)
{
  if (simulation == NULL)
    return __real_tosst_reduction_apply (self, context, dictionary, R, columns, work);
  compute ((double)self->D * self->D * columns, simulation->machine->wide);
  return TOSST_OK;
}

TosstStatus
__wrap_tosst_coder_new_reduced (TosstContext *context, const TosstDictionary *dictionary, const TosstLayout *layout,
                                const TosstCodingOptions *options, const TosstReduction *reduction, float *H,
                                TosstCoder **coder)
{
  if (simulation == NULL)
    return __real_tosst_coder_new_reduced (context, dictionary, layout, options, reduction, H, coder);
  double K = dictionary->K;

  compute (K * K * layout->S / 2 + K * layout->m, simulation->machine->wide);
  return TOSST_OK;
}

TosstStatus
__wrap_tosst_code (TosstContext *context, const TosstCoder *coder, const float *tensors, size_t n, bool warm,
                   float *codes, TosstCodingReport *report)
{
  if (simulation == NULL)
    return __real_tosst_code (context, coder, tensors, n, warm, codes, report);
  const TosstLearning *l = &simulation->current->learning;

  compute ((double)n * l->layout->m * l->K, simulation->machine->product);
  compute (n * l->K * simulation->nonzeros, simulation->machine->lasso);
  return TOSST_OK;
}

TosstStatus
__wrap_tosst_accumulation_init (TosstAccumulation *self, TosstLearning *learning)
{
  if (simulation == NULL)
    return __real_tosst_accumulation_init (self, learning);
  *self = (TosstAccumulation){ .learning = learning };
  return TOSST_OK;
}

TosstStatus
__wrap_tosst_accumulation_add_Y (TosstAccumulation *self, size_t from, size_t to, double *out)
{
  if (simulation == NULL)
    return __real_tosst_accumulation_add_Y (self, from, to, out);
  const TosstLearning *l = self->learning;

  compute (l->n * simulation->nonzeros * (to - from), simulation->machine->sparse);
  compute ((double)l->K * (to - from), simulation->machine->tile);
  return TOSST_OK;
}

TosstStatus
__wrap_tosst_accumulation_add_P (TosstAccumulation *self)
{
  if (simulation == NULL)
    return __real_tosst_accumulation_add_P (self);
  const TosstLearning *l = self->learning;

  compute (l->n * simulation->nonzeros * l->K / 2, simulation->machine->sparse);
  return TOSST_OK;
}

TosstStatus
__wrap_tosst_learning_accumulate_whole (TosstLearning *learning)
{
  if (simulation == NULL)
    return __real_tosst_learning_accumulate_whole (learning);
  compute (learning->n * simulation->nonzeros * (learning->layout->m + learning->K / 2.), simulation->machine->sparse);
  compute ((double)learning->K * learning->layout->m, simulation->machine->tile);
  return TOSST_OK;
}

TosstStatus
__wrap_tosst_reduction_gram (const TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary,
                             const float *across, const signed char *sign, bool wide, void *H)
{
  if (simulation == NULL)
    return __real_tosst_reduction_gram (self, context, dictionary, across, sign, wide, H);
  compute ((double)self->K * self->K * self->D / 2, simulation->machine->wide);
  return TOSST_OK;
}

/* The projections are one after the other; other threads make the products meanwhile. On several ranks the exchanges of
 * the real one. */
TosstStatus
__wrap_tosst_learning_sweep_B (TosstLearning *self)
{
  const SimulatedMachine *machine = simulation == NULL ? NULL : simulation->machine;
  TosstStatus status = TOSST_OK;

  if (machine == NULL || self->run.ranks != NULL)
    status = __real_tosst_learning_sweep_B (self);
  if (machine == NULL)
    return status;

  double K = self->K, projections = K * machine->projection * pow (self->layout->d / 35., 3),
         products = K * K * self->D / 2 * machine->product;

  if (self->run.ranks == NULL)
    spend (machine->threads == 1 ? projections + products : fmax (projections, products / (machine->threads - 1)));
  self->gained = 1;
  return status;
}

TosstStatus
__wrap_tosst_sweep_step (TosstSweep *self, size_t first, size_t end)
{
  if (simulation == NULL)
    return __real_tosst_sweep_step (self, first, end);
  const SimulatedMachine *machine = simulation->machine;
  double n = (double)(end - first);

  spend (n * machine->projection * pow (self->learning->layout->d / 35., 3)
         + n * n * self->learning->D / 2 * machine->product);
  return TOSST_OK;
}

/* The exchanges of the real one. */
TosstStatus
__wrap_tosst_learning_sweep_b (TosstLearning *self)
{
  if (simulation == NULL)
    return __real_tosst_learning_sweep_b (self);
  TosstStatus status = tosst_learning_update_Ub (self);

  if (self->is_lean)
    status = tosst_learning_gram (self, status, self->P_float);
  compute (3. * self->K * self->K * self->S, simulation->machine->wide);
  return status;
}

static void
iterate (void)
{
  Rank *self = simulation->current;
  TosstLearning *l = &self->learning;
  TosstIteration iteration = { 0 };
  TosstStatus status;

  tosst_ranks_start (&self->ranks);
  status = tosst_learning_code (l, true, &iteration);
  self->coded = self->clock;
  status = status ?: tosst_learning_accumulate_stats (l);
  self->summed = self->clock;
  l->gained = 0;
  status = status ?: tosst_learning_residuals (l);
  status = status ?: tosst_learning_update_dictionary (l, &iteration);
  status = tosst_ranks_agree (l->run.ranks, status);
  g_assert_cmpint (status, ==, TOSST_OK);
  self->is_done = true;
}

static void
start_rank (Rank *self, const TosstLearning *template, size_t n, int r, int size)
{
  self->ranks = (TosstRanks){ r, size, transfer, self, .begin = begin, .end = end };
  self->learning = *template;
  self->learning.n = n * (r + 1) / size - n * r / size;
  self->learning.total = n;
  self->learning.run.ranks = size > 1 ? &self->ranks : NULL;
  self->stack = mmap (NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  g_assert_true (self->stack != MAP_FAILED);
  getcontext (&self->context);
  self->context.uc_stack = (stack_t){ .ss_sp = self->stack, .ss_size = STACK_BYTES };
  self->context.uc_link = &simulation->main;
  makecontext (&self->context, iterate, 0);
}

/* Runs ranks in turn, each until it waits for a message that has not been sent. */
static void
run_all (Simulation *self)
{
  for (int left = self->size; left > 0;)
    for (int r = 0; r < self->size; r++)
      {
        self->current = &self->rank[r];
        if (self->current->is_done)
          continue;
        swapcontext (&self->main, &self->current->context);
        left -= self->current->is_done;
      }
}

static void
sum_up (const Simulation *self, SimulatedIteration *result)
{
  const Rank *first = &self->rank[0];

  *result = (SimulatedIteration){ .waiting = first->waiting,
                                  .messages = first->ranks.messages,
                                  .bytes = first->ranks.bytes };
  for (int r = 0; r < self->size; r++)
    {
      const Rank *rank = &self->rank[r];

      result->seconds = fmax (result->seconds, rank->clock);
      result->coding = fmax (result->coding, rank->coded);
      result->sums = fmax (result->sums, rank->summed - rank->coded);
      result->updates = fmax (result->updates, rank->clock - rank->summed);
      result->most_bytes = MAX (result->most_bytes, rank->ranks.bytes);
    }
}

void
simulate_iteration (const TosstLayout *layout, size_t n, const TosstLearnOptions *options, int ranks, double nonzeros,
                    const SimulatedMachine *machine, SimulatedIteration *result)
{
  /* Arrays are shared by all ranks, and none is looked at; of Y there is hardly anything. */
  TosstRanks many = { 0, 1 << 20 };
  TosstLearnRun run = { .ranks = &many };
  TosstLearnOptions own = *options;
  TosstContext *context = tosst_context_new (1);
  TosstLearning template;
  Simulation self = { .machine = machine, .size = ranks, .nonzeros = nonzeros };
  bool is_lean = tosst_learning_is_lean (layout, options, ranks > 1 ? ranks : 0);

  own.most_sums = is_lean ? 1 : SIZE_MAX;
  g_assert_true (tosst_learning_init (&template, context, layout, NULL, 1, &own, &run));
  memset (template.E, 0, sizeof (double) * template.D * template.D);
  if (template.reduction.L)
    memset (template.reduction.L, 0, sizeof (double) * template.D * template.D);
  template.reduction.gamma = own.problem.gamma;
  template.is_reduced = true;
  self.rank = g_new0 (Rank, ranks);
  self.box = g_new0 (GQueue *, (gsize)ranks * ranks);
  simulation = &self;
  for (int r = 0; r < ranks; r++)
    start_rank (&self.rank[r], &template, n, r, ranks);
  run_all (&self);
  sum_up (&self, result);
  simulation = NULL;
  for (gsize i = 0; i < (gsize)ranks * ranks; i++)
    if (self.box[i])
      {
        g_assert_true (g_queue_is_empty (self.box[i]));
        g_queue_free (self.box[i]);
      }
  for (int r = 0; r < ranks; r++)
    munmap (self.rank[r].stack, STACK_BYTES);
  g_free (self.rank);
  g_free (self.box);
  tosst_learning_clear (&template);
  tosst_context_free (context);
}
