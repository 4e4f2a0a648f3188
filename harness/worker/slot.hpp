#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/policy.hpp"
#include "harness/core/sample.hpp"
#include "harness/trace/range.hpp"
#include "harness/worker/workload.hpp"

namespace bench::worker {

// One prepared case: its workload, its ranges, and the loop that takes samples of it.
class Slot {
 public:
  // Builds the workload: "set-up".
  Slot(const WorkloadFactory& factory, const Setup& setup, CacheState cache);
  ~Slot();

  Check check();
  // The check of a slot that was timed already: drops the timed state first, which ends its use for anything
  // else.
  Check check_afterwards();
  void prepare_timed();
  // Timing::graph: runs a few steps, then records one. Samples are replays of it from then on.
  void capture();
  bool wants_graph() const { return timing_ == Timing::graph; }
  // Of the samples: none inside a graph.
  std::vector<std::string> phase_names() const;

  // synchronise; read the clock; `steps` steps with nothing between or inside them; synchronise; read the
  // clock.
  Sample sample(SampleKind kind, int steps);
  Check verify();
  MemoryReport observe_memory();
  // Sums so far, whose growth is a batch's: the device's, and launch_cpu_ns, the processor time that all
  // threads took to start samples' work. Without the latter where the host computes itself, or waits behind a
  // delay.
  std::map<std::string, double> counters();
  // After the samples: the workload's notes, and what is to be known of how they were taken.
  std::vector<std::string> notes();

 private:
  class MarkedPhases;
  class MemoryPhases;

  bool watches_launching() const { return device_.has_own_clock() && !held_back_; }

  WorkloadFactory factory_;
  Setup setup_;
  Device& device_;
  CacheState cache_;
  Timing timing_;
  bool held_back_;                 // device time is the headline: launches queue up behind a delay
  std::int64_t launching_ns_ = 0;  // what the host took for one step of the last sample
  std::int64_t launch_cpu_ns_ = 0;
  int measured_samples_ = 0;
  int outrun_samples_ = 0;  // of those: the delay ended before the host had launched everything
  std::string id_;
  trace::Span case_span_;
  trace::Span measure_span_;  // from the first measured sample to verify()
  bool measuring_ = false;
  std::unique_ptr<Workload> workload_;
  std::vector<std::string> phase_names_;
  std::unique_ptr<MarkedPhases> phases_;
  std::unique_ptr<CapturedStep> graph_;  // after workload_, so that it goes first
  MemoryReport memory_of_capture_;
};

// What a sample of no step takes on this device: the harness's own share of every sample. Median of 101.
std::int64_t empty_sample_ns(Device& device);

}  // namespace bench::worker
