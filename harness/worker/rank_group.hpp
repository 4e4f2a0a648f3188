#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "harness/worker/ranks.hpp"

namespace bench::protocol {
class RankPages;
}

namespace bench::worker {

// How a process finds the others that serve with it.
struct GroupPlace {
  RankPlace place;
  std::string store_host;
  int store_port = 0;
  int store_fd = -1;         // listens at that port: this process serves the store. -1: it is a client
  std::string store_prefix;  // before all keys: others may use the store too
  int pages_fd = -1;         // RankPages of this host's ranks; -1: there are none
  bool may_spin = false;     // as many cores as ranks
};

// The processes that serve one leader: lines from it to all, lines from each to it, and what their cases
// share.
class RankGroup {
 public:
  // Collective. Throws Error(environment) when the store cannot be reached.
  explicit RankGroup(const GroupPlace& place);
  ~RankGroup();

  const RankPlace& place() const { return place_.place; }

  // The leader's line to all others, and how those wait for it. nullopt: the leader has gone.
  void post(const std::string& line);
  std::optional<std::string> next_posted();
  // From any other rank to the leader.
  void report(const std::string& line);
  std::string next_report(int rank);

  // The first `size` ranks, for the case that the latest posted line prepares.
  std::unique_ptr<Ranks> ranks_of_case(int size);

 private:
  class CaseRanks;

  GroupPlace place_;
  std::shared_ptr<protocol::RankPages> pages_;
  c10::intrusive_ptr<c10d::Store> lines_;  // one waits in it for long
  c10::intrusive_ptr<c10d::Store> cases_;  // another connection
  int posted_ = 0, reported_ = 0;
  std::vector<int> taken_;  // of each rank's reports
};

}  // namespace bench::worker
