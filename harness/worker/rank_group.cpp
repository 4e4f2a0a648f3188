#include "harness/worker/rank_group.hpp"

#include <unistd.h>

#include <chrono>
#include <utility>

#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "harness/core/error.hpp"
#include "harness/protocol/rank_pages.hpp"
#include "harness/worker/local_barrier.hpp"
#include "harness/worker/monotonic_clock.hpp"

namespace bench::worker {
namespace {

using StorePointer = c10::intrusive_ptr<c10d::Store>;

// bench's --timeout, and the watching parent, end what takes too long: LibTorch's own limit must not come
// first.
constexpr std::chrono::hours kNoLimit{24 * 30};
constexpr std::chrono::milliseconds kLook{500};
constexpr std::chrono::minutes kMeeting{10};

std::vector<std::uint8_t> bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

std::string text_of(const std::vector<std::uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}

StorePointer connect(const GroupPlace& place) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(place.store_port);
  options.isServer = place.store_fd >= 0;
  options.waitWorkers = false;
  options.timeout = std::chrono::minutes(2);  // for the one who serves it to have started
  if (options.isServer) options.masterListenFd = place.store_fd;
  try {
    return c10::make_intrusive<c10d::TCPStore>(place.store_host, options);
  } catch (const std::exception& error) {
    const std::string what = error.what();
    throw Error(ErrorKind::environment,
                fmt::format("the ranks' store at {}:{} cannot be reached: {}", place.store_host,
                            place.store_port, what.substr(0, what.find('\n'))));
  }
}

StorePointer prefixed(const std::string& prefix, StorePointer store) {
  return c10::make_intrusive<c10d::PrefixStore>(prefix, std::move(store));
}

}  // namespace

class RankGroup::CaseRanks final : public Ranks {
 public:
  CaseRanks(RankPlace place, StorePointer store, std::shared_ptr<protocol::RankPages> pages, bool may_spin)
      : place_(place), store_(std::move(store)), pages_(std::move(pages)), may_spin_(may_spin) {}

  const RankPlace& place() const override { return place_; }
  StorePointer store() override { return prefixed("workload", store_); }

  void barrier() override {
    enter("barrier", 0);
    if (pages_ != nullptr && place_.one_host()) return local_barrier(*pages_, place_.size, may_spin_);
    const std::string key = fmt::format("barrier/{}", barriers_++);
    if (store_->add(key, 1) == place_.size) store_->set(key + "/open", bytes_of("yes"));
    wait_for(key + "/open");
    // The last barrier's keys: every rank has passed it.
    if (place_.rank == 0 && barriers_ > 1) {
      const std::string passed = fmt::format("barrier/{}", barriers_ - 2);
      store_->deleteKey(passed);
      store_->deleteKey(passed + "/open");
    }
  }

  std::vector<std::string> gather(const std::string& mine) override {
    const std::string key = fmt::format("gather/{}/", gathers_++);
    enter("gather", 0);
    store_->set(fmt::format("{}{}", key, place_.rank), bytes_of(mine));
    std::vector<std::string> all;
    for (int rank = 0; rank < place_.size; ++rank) {
      const std::string of_rank = fmt::format("{}{}", key, rank);
      wait_for(of_rank);
      all.push_back(text_of(store_->get(of_rank)));
    }
    return all;
  }

  void enter(std::string_view operation, std::int64_t bytes) override {
    if (pages_ != nullptr) pages_->enter(place_.local_rank, operation, bytes);
  }
  void enter_phase(std::string_view phase) override {
    if (pages_ != nullptr) pages_->enter_phase(place_.local_rank, phase);
  }
  void fail(std::string_view status, std::string_view reason) override {
    if (pages_ != nullptr) pages_->fail(place_.local_rank, status, reason, monotonic_ns());
  }

 private:
  void wait_for(const std::string& key) {
    for (;;) {
      try {
        return store_->wait({key}, kLook);
      } catch (const c10::DistStoreError&) {  // not yet
      }
      const std::string fate = pages_ == nullptr ? "" : fate_of_peer(*pages_, place_.local_size);
      if (!fate.empty()) throw PeerLost(fate + " while this one waited for it");
    }
  }

  RankPlace place_;
  StorePointer store_;
  std::shared_ptr<protocol::RankPages> pages_;
  bool may_spin_;
  int barriers_ = 0, gathers_ = 0;
};

RankGroup::RankGroup(const GroupPlace& place)
    : place_(place), taken_(static_cast<std::size_t>(place.place.size)) {
  if (place.pages_fd >= 0) {
    pages_ = std::make_shared<protocol::RankPages>(place.pages_fd, place.place.local_size);
    close(place.pages_fd);
    pages_->join(place.place.local_rank, getpid());
  }
  const StorePointer first = connect(place);
  const std::string prefix = place.store_prefix.empty() ? "bench" : place.store_prefix;
  cases_ = prefixed(prefix, first->clone());
  cases_->setTimeout(kMeeting);
  first->setTimeout(kNoLimit);
  lines_ = prefixed(prefix, first);
}

RankGroup::~RankGroup() = default;

void RankGroup::post(const std::string& line) {
  lines_->set(fmt::format("posted/{}", posted_++), bytes_of(line));
}

std::optional<std::string> RankGroup::next_posted() {
  try {
    return text_of(lines_->get(fmt::format("posted/{}", posted_++)));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void RankGroup::report(const std::string& line) {
  lines_->set(fmt::format("reports/{}/{}", place_.place.rank, reported_++), bytes_of(line));
}

std::string RankGroup::next_report(int rank) {
  const std::string key = fmt::format("reports/{}/{}", rank, taken_[static_cast<std::size_t>(rank)]++);
  std::string line = text_of(lines_->get(key));
  lines_->deleteKey(key);
  return line;
}

std::unique_ptr<Ranks> RankGroup::ranks_of_case(int size) {
  RankPlace place = place_.place;
  // Ranks count up host by host.
  const int first_of_host = place.rank - place.local_rank;
  place.size = size;
  place.local_size = std::min(place.local_size, size - first_of_host);
  return std::make_unique<CaseRanks>(place, prefixed(fmt::format("case/{}", posted_), cases_), pages_,
                                     place_.may_spin);
}

}  // namespace bench::worker
