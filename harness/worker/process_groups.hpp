#pragma once

#include <string>

#include <c10/util/intrusive_ptr.h>

namespace c10d {
class Backend;
}

namespace bench::worker {

class Ranks;

// Collective: gloo among the case's ranks, over the loopback device where they are all on one host, for the
// CPU's tensors. `name` tells several groups of one case apart. Its operations end after ten minutes; a peer
// that dies ends them at once.
c10::intrusive_ptr<c10d::Backend> make_gloo(Ranks& ranks, const std::string& name = "gloo");

}  // namespace bench::worker
