#pragma once

#include <functional>
#include <map>
#include <memory>

#include "harness/protocol/message.hpp"
#include "harness/worker/ranks.hpp"
#include "harness/worker/slot.hpp"

namespace bench::worker {

using EventSink = std::function<void(const protocol::Event&)>;
// The first `size` ranks of those that this process serves with, for the case that is prepared next.
using MeetRanks = std::function<std::unique_ptr<Ranks>(int size)>;

// A worker's side of the protocol, apart from how its lines travel: standalone runs and tests use it
// directly.
class Session {
 public:
  // `meet`: none where this process serves alone.
  Session(Device& device, EventSink emit, MeetRanks meet = nullptr)
      : device_(device), emit_(std::move(emit)), meet_(std::move(meet)) {}

  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Does one command; the last event it emits is Prepared, Done or Failed. False: that was Quit.
  bool handle(const protocol::Command& command);

 private:
  void on(const protocol::Prepare& command);
  void on(const protocol::WriteCheck& command);
  void on(const protocol::Measure& command);
  void on(const protocol::RunCheck& command);
  void on(const protocol::Verify& command);
  void on(const protocol::Observe& command);
  void on(const protocol::Release& command);
  void on(const protocol::Quit&) {}
  Slot& add_slot(const protocol::Prepare& command);
  Slot& slot(int number);
  // nullptr: of a slot whose case runs on this rank alone.
  Ranks* ranks(int slot) const;
  // Collective: whether the check passed on every rank; if not, one that passed here says whose did not.
  Check agreed(int slot, Check check);
  void release(int number);
  // For a device that is lost: the case's memory cannot be freed any more, as freeing it fails as well.
  void abandon(int number);
  Setup setup_of(int slot, const Case& configuration, std::uint64_t seed);
  // Runs `work`, which begins in `phase` and says in phase_ where it goes on. What it throws becomes Failed,
  // and the slot, whose state is then unknown, is released.
  void guarded(int slot, std::string phase, const std::function<void()>& work);

  Device& device_;
  EventSink emit_;
  MeetRanks meet_;
  void enter(int slot, std::string phase);
  std::string phase_;                            // of the command that is being done
  bool profiling_ = false;                       // from the first measured step of this worker to its end
  std::map<int, std::unique_ptr<Ranks>> ranks_;  // of the slots whose cases run on several
  std::map<int, std::unique_ptr<Slot>> slots_;
};

}  // namespace bench::worker
