#pragma once

#include <functional>
#include <string>

#include "harness/core/result.hpp"
#include "harness/protocol/message.hpp"

namespace bench::scheduler {

// One more look at a case, in a step that no time is taken of, and where its result goes.
struct CasePass {
  protocol::Pass pass = protocol::Pass::memory;
  std::string gives;  // what is missing where it fails: "memory numbers"
  std::function<void(protocol::Done&&, CaseResult&)> take_in;
};

inline CasePass memory_pass() {
  return {
      .pass = protocol::Pass::memory,
      .gives = "memory numbers",
      .take_in = [](protocol::Done&& done, CaseResult& result) { result.memory = std::move(done.memory); }};
}

}  // namespace bench::scheduler
