#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/core/case.hpp"
#include "harness/core/policy.hpp"
#include "harness/core/result.hpp"

// What `bench` and its leader worker say to each other: one JSON object a line over two inherited
// descriptors. Every message carries the slot it is about and the rank it comes from, though a worker may
// hold only one of each.
namespace bench::protocol {

inline constexpr int kProtocolVersion = 1;

// ---- bench -> worker
// -------------------------------------------------------------------------------------------

struct Prepare {
  int slot = 0;
  Case configuration;
  std::uint64_t seed = 0;
  CacheState cache = CacheState::hot;
  Timing timing = Timing::blocking;         // graph: captured once it is prepared
  Headline headline = Headline::host_time;  // device time: launches may queue up before a sample begins
  bool check = true;                        // false: for a profiler's run
  std::string inject_fault;  // for tests: break the implementation on purpose, never the reference
  std::string check_file;    // what WriteCheck left, for a program that has no reference of its own; or empty
  bool operator==(const Prepare&) const = default;
};

struct Measure {
  int slot = 0;
  SampleKind kind = SampleKind::measured;
  int samples = 1;
  int steps_per_sample = 1;
  bool operator==(const Measure&) const = default;
};

// Asks the native worker for what a peer checks itself against: the small version's weights and inputs, its
// fp64 reference, and how far off each quantity may be, as a safetensors file. Needs no prepared slot and
// leaves none. Answered by Done.
struct WriteCheck {
  int slot = 0;
  Case configuration;
  std::uint64_t seed = 0;
  std::string path;
  bool operator==(const WriteCheck&) const = default;
};

// Runs the check of a slot that was prepared without one: cases with little warm-up are checked after timing.
// The timed state is dropped first; after it the slot is good for Release only. Answered by Done::check.
struct RunCheck {
  int slot = 0;
  bool operator==(const RunCheck&) const = default;
};

struct Verify {
  int slot = 0;
  bool operator==(const Verify&) const = default;
};

// A look at one more step of a slot, after its times were taken: what it needs would cost them. A worker that
// does not have a pass answers Failed.
enum class Pass { memory, trace, counters };

std::string_view to_text(Pass pass);
std::optional<Pass> pass_from_text(std::string_view text);

struct Observe {
  int slot = 0;
  Pass pass = Pass::memory;
  bool operator==(const Observe&) const = default;
};

struct Release {
  int slot = 0;
  bool operator==(const Release&) const = default;
};

struct Quit {
  bool operator==(const Quit&) const = default;
};

using Command = std::variant<Prepare, WriteCheck, Measure, RunCheck, Verify, Observe, Release, Quit>;

// ---- worker -> bench
// -------------------------------------------------------------------------------------------

struct Hello {
  int slot = 0, rank = 0;
  int protocol = kProtocolVersion;
  std::string program;   // "bench-worker"
  std::string build_id;  // must equal bench's own: a stale worker is refused
  std::vector<std::string> devices;
  std::map<std::string, std::string> libraries;   // -> Environment::libraries
  std::map<std::string, std::string> conditions;  // what the worker itself set: denormals, allocator, threads
  std::int64_t empty_sample_ns = 0;  // what a sample without a step takes: this worker's own overhead
  bool operator==(const Hello&) const = default;
};

struct Prepared {
  int slot = 0, rank = 0;
  Check check;
  std::vector<std::string> phase_names;
  std::int64_t allocated_bytes = 0;
  std::optional<std::int64_t>
      compile_ns;  // the first call of an implementation that compiles itself, in set-up
  bool operator==(const Prepared&) const = default;
};

struct Progress {
  int slot = 0, rank = 0;
  std::string phase;  // "set-up", "check"
  std::int64_t done = 0, total = 0;
  bool operator==(const Progress&) const = default;
};

// Streamed at least every 500 ms while measuring, written only between samples.
struct Samples {
  int slot = 0, rank = 0;
  std::vector<Sample> samples;
  bool operator==(const Samples&) const = default;
};

// Ends a command that did what it was asked.
struct Done {
  int slot = 0, rank = 0;
  std::optional<Check> check;              // of Verify and RunCheck
  std::optional<MemoryReport> memory;      // of Observe memory
  std::map<std::string, double> counters;  // of Measure: deltas around its samples
  std::vector<std::string> notes;          // of Verify: -> CaseResult::notes
  bool operator==(const Done&) const = default;
};

// Ends a command that did not.
struct Failed {
  int slot = 0, rank = 0;
  Status status = Status::failed;
  std::string reason;
  // Nothing can run in this process any more: a CUDA context that is lost, a rank whose peers wait for it.
  bool worker_unusable = false;
  std::int64_t at_ns = 0;  // CLOCK_MONOTONIC: of several ranks the one that failed first is the cause
  bool operator==(const Failed&) const = default;
};

using Event = std::variant<Hello, Prepared, Progress, Samples, Done, Failed>;

}  // namespace bench::protocol
