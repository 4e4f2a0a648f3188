#pragma once

namespace bench {

// A hash over the sources that this program was built from. bench refuses a worker whose id differs from its
// own.
const char* build_id();

}  // namespace bench
