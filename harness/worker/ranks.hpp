#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <c10/util/intrusive_ptr.h>

namespace c10d {
class Store;
}

namespace bench::worker {

// Where a process stands among those that run one case together.
struct RankPlace {
  int rank = 0, size = 1;
  int local_rank = 0, local_size = 1;  // the same among the case's ranks on this host
  bool one_host() const { return local_size == size; }
};

// What a case that runs on several ranks knows of the others. Each function that says so is collective: every
// rank of the case calls it, in the same order. A rank that fails or dies makes the calls of the others throw
// PeerLost within a second on one host; across hosts bench's --timeout ends them.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual const RankPlace& place() const = 0;

  // A store whose keys are this case's alone: what process groups meet at. Its waits end after ten minutes.
  virtual c10::intrusive_ptr<c10d::Store> store() = 0;

  // Collective: no rank returns before all have arrived. Microseconds on one host.
  virtual void barrier() = 0;

  // Collective, untimed (milliseconds): what each rank gave, by rank.
  virtual std::vector<std::string> gather(const std::string& mine) = 0;

  // Says that this rank enters an operation, for the report of a hang: it names the rank that is behind.
  // Cheap enough for timed steps; each call counts one up, so all ranks should call it alike. The harness
  // enters "barrier" and "step" by itself. `bytes`: what the operation moves; 0: nothing.
  virtual void enter(std::string_view operation, std::int64_t bytes = 0) = 0;

  // Of the harness: which phase of a case this is, and that this rank has failed, which ends the others'
  // waits.
  virtual void enter_phase(std::string_view phase) = 0;
  virtual void fail(std::string_view status, std::string_view reason) = 0;
};

// A wait for another rank that has failed or died. Not the cause of a failure: that is the other rank's.
struct PeerLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Collective: throws std::runtime_error, on every rank, unless all give the same text. What must be equal
// before a collective is timed ("all_reduce float32 x 1048576, 10 times"), as LibTorch lets differing sizes
// pass with wrong data: "ranks disagree on the plan: rank 0 has ..., rank 1 has ...".
void agree(Ranks& ranks, std::string_view what, const std::string& mine);

}  // namespace bench::worker
