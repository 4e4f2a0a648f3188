#include "harness/worker/denormals.hpp"

#include <atomic>

#include <ATen/Context.h>
#include <ATen/Parallel.h>

namespace bench::worker {
namespace {

bool flushed = false;  // the main thread's alone, like everything that runs steps

}  // namespace

bool denormals_are_flushed() {
  return flushed;
}

bool flush_denormals_on_all_threads(bool flush) {
  std::atomic<bool> done{at::globalContext().setFlushDenormal(flush)};
  // One chunk a thread. This file is compiled with -fopenmp, without which parallel_for would run here alone.
  at::parallel_for(0, at::get_num_threads(), 1, [&](std::int64_t, std::int64_t) {
    if (!at::globalContext().setFlushDenormal(flush)) done = false;
  });
  flushed = flush && done;
  return done;
}

}  // namespace bench::worker
