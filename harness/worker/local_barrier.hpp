#pragma once

#include <functional>

#include "harness/protocol/rank_pages.hpp"

namespace bench::worker {

// Lines the first `ranks` ranks of this host up: a futex in their shared pages, on which one sleeps after
// having spun for some microseconds where each has a core of its own. Throws PeerLost when one of them has
// failed or died.
void local_barrier(protocol::RankPages& pages, int ranks, bool may_spin);

// What has become of a rank that others wait for, as a clause; empty: it is well.
std::string fate_of_peer(const protocol::RankPages& pages, int ranks);

}  // namespace bench::worker
