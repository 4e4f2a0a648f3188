#pragma once

#include <optional>
#include <string>

#include "harness/core/status.hpp"
#include "harness/scheduler/clock.hpp"
#include "harness/scheduler/run_case.hpp"
#include "harness/scheduler/worker_programs.hpp"

namespace bench::scheduler {

// The file through which the native worker gives a peer its check: written anew when a case needs another
// one, gone with this object. It can hold gigabytes: 20 bytes for each parameter of two layers.
class PeerCheck {
 public:
  explicit PeerCheck(std::string path) : path_(std::move(path)) {}
  ~PeerCheck();
  PeerCheck(const PeerCheck&) = delete;
  PeerCheck& operator=(const PeerCheck&) = delete;

  const std::string& path() const { return path_; }

  // How writing it failed. The native worker is lost if it crashed.
  struct Failure {
    Status status;
    Remark reason;
    bool interrupted = false;
    bool worker_lost = false;
  };
  // Has the native worker write it for `reference`, a native case, unless it is there already. nullopt: it is
  // there.
  std::optional<Failure> provide(const Case& reference, const Policy& policy, WorkerPrograms& programs,
                                 Clock& clock, const CaseListener& listener);

 private:
  std::string path_;
  std::string holds_;  // what the file was written for; empty: nothing
};

}  // namespace bench::scheduler
