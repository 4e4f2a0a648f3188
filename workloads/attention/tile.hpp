#pragma once

#include <cstdint>

namespace bench::attention {

// How many queries and keys `tiled` takes at once.
struct Tile {
  std::int64_t queries = 0, keys = 0;
};

// On the CPU a tile of scores stays in a core's cache; on a GPU it is large enough to fill the machine.
inline constexpr Tile kCpuTile{256, 256}, kGpuTile{1024, 1024};

}  // namespace bench::attention
