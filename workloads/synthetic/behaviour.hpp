#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/core/error.hpp"

// What a synthetic case does, shared by its specification and its implementation.
namespace bench::synthetic {

enum class Behaviour {
  sleep,
  spin,
  drift,
  allocate,
  leak,
  unsupported,
  fail_in_setup,
  fail,
  crash,
  exit,
  hang,
  wrong_result,
  wrong_after,
};

// The parameters that a behaviour uses; the others are left out of its cases.
enum class Uses {
  nothing,          // never reaches a timed step
  steps,            // duration, noise, phases
  steps_and_bytes,  // and bytes
  steps_and_at,     // and at
};

// One row per behaviour: add one here and the option, its help and the canonical ids follow; what it does is
// in synthetic.cpp.
struct BehaviourRow {
  Behaviour behaviour;
  std::string_view name;  // as typed
  std::string_view help;
  Uses uses;

  bool has_steps() const { return uses != Uses::nothing; }
};

inline constexpr std::array<BehaviourRow, 13> kBehaviours{{
    {Behaviour::sleep, "sleep", "sleeps: ok", Uses::steps},
    {Behaviour::spin, "spin", "keeps the core busy: ok", Uses::steps},
    {Behaviour::drift, "drift", "sleeps, each step 1% longer than the one before: ok", Uses::steps},
    {Behaviour::allocate, "allocate", "holds BYTES in each step: ok or out_of_memory", Uses::steps_and_bytes},
    {Behaviour::leak, "leak", "keeps BYTES of each step: ok or out_of_memory", Uses::steps_and_bytes},
    {Behaviour::unsupported, "unsupported", "says that no machine can run it: skipped", Uses::nothing},
    {Behaviour::fail_in_setup, "fail-in-setup", "throws in its set-up: failed", Uses::nothing},
    {Behaviour::fail, "fail", "throws: failed", Uses::steps_and_at},
    {Behaviour::crash, "crash", "ends the worker by SIGSEGV: crashed", Uses::steps_and_at},
    {Behaviour::exit, "exit", "ends the worker with exit code 0 and no word: crashed", Uses::steps_and_at},
    {Behaviour::hang, "hang", "never returns: timed_out", Uses::steps_and_at},
    {Behaviour::wrong_result, "wrong-result", "is wrong in the check: incorrect", Uses::nothing},
    {Behaviour::wrong_after, "wrong-after", "is wrong in a timed step: incorrect", Uses::steps_and_at},
}};

// Throws Error(internal): the option's choices are these rows.
inline const BehaviourRow& require_behaviour(std::string_view name) {
  const auto found = std::find_if(kBehaviours.begin(), kBehaviours.end(),
                                  [&](const BehaviourRow& row) { return row.name == name; });
  if (found == kBehaviours.end())
    throw Error(ErrorKind::internal, "synthetic has no behaviour " + std::string(name));
  return *found;
}

// What a step claims to do, made up, so that rates are exact: 1 ms is 1 GFLOP/s and 1,000,000 tokens/s.
inline constexpr std::int64_t kTokensPerStep = 1000;
inline constexpr std::int64_t kFlopPerToken = 1000;

}  // namespace bench::synthetic
