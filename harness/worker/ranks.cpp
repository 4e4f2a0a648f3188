#include "harness/worker/ranks.hpp"

#include <cstddef>

#include <fmt/format.h>

#include "harness/core/text.hpp"

namespace bench::worker {

void agree(Ranks& ranks, std::string_view what, const std::string& mine) {
  const std::vector<std::string> all = ranks.gather(mine);
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank] != all[0])
      throw std::runtime_error(fmt::format("ranks disagree on {}: rank 0 has {}, rank {} has {}", what,
                                           printable(all[0]), rank, printable(all[rank])));
}

}  // namespace bench::worker
