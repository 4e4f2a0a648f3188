#include "harness/worker/process_groups.hpp"

#include <chrono>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "harness/worker/ranks.hpp"

namespace bench::worker {

c10::intrusive_ptr<c10d::Backend> make_gloo(Ranks& ranks, const std::string& name) {
  using c10d::ProcessGroupGloo;
  const RankPlace& place = ranks.place();
  const auto options = ProcessGroupGloo::Options::create(std::chrono::minutes(10));
  // The default device is found by this host's name, which need not resolve, or not to what others reach.
  options->devices.push_back(place.one_host() ? ProcessGroupGloo::createDeviceForHostname("127.0.0.1")
                                              : ProcessGroupGloo::createDefaultDevice());
  ranks.enter("gloo connects");
  return c10::make_intrusive<ProcessGroupGloo>(c10::make_intrusive<c10d::PrefixStore>(name, ranks.store()),
                                               place.rank, place.size, options);
}

}  // namespace bench::worker
