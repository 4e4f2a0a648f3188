#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/core/error.hpp"
#include "harness/core/status.hpp"

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
// in synthetic.cpp, and told in README.md.
struct BehaviourRow {
  Behaviour behaviour;
  std::string_view name;  // as typed
  Status ends_as;         // with the defaults of every other parameter
  Uses uses;

  bool has_steps() const { return uses != Uses::nothing; }
};

inline constexpr std::array<BehaviourRow, 13> kBehaviours{{
    {Behaviour::sleep, "sleep", Status::ok, Uses::steps},
    {Behaviour::spin, "spin", Status::ok, Uses::steps},
    {Behaviour::drift, "drift", Status::ok, Uses::steps},
    {Behaviour::allocate, "allocate", Status::ok, Uses::steps_and_bytes},  // or out_of_memory
    {Behaviour::leak, "leak", Status::ok, Uses::steps_and_bytes},          // or out_of_memory
    {Behaviour::unsupported, "unsupported", Status::skipped, Uses::nothing},
    {Behaviour::fail_in_setup, "fail-in-setup", Status::failed, Uses::nothing},
    {Behaviour::fail, "fail", Status::failed, Uses::steps_and_at},
    {Behaviour::crash, "crash", Status::crashed, Uses::steps_and_at},
    {Behaviour::exit, "exit", Status::crashed, Uses::steps_and_at},
    {Behaviour::hang, "hang", Status::timed_out, Uses::steps_and_at},
    {Behaviour::wrong_result, "wrong-result", Status::incorrect, Uses::nothing},
    {Behaviour::wrong_after, "wrong-after", Status::incorrect, Uses::steps_and_at},
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

inline constexpr std::string_view kWrongSum = "wrong-sum";  // the one fault that can be injected

}  // namespace bench::synthetic
