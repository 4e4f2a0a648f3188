#include "kernels/shared_memory/sum.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace bench::shared_memory {
namespace {

// Elements whose sums stay in the first-level cache, however many sources there are.
constexpr std::size_t kTile = 1024;

// What memory holds and what sums are made in.
template <class T>
struct Itself {
  using Stored = T;
  using Sum = T;
  static Sum widen(Stored value) { return value; }
  static Stored narrow(Sum value) { return value; }
};

struct Bf16 {
  using Stored = std::uint16_t;
  using Sum = float;
  static Sum widen(Stored value) { return std::bit_cast<float>(std::uint32_t{value} << 16); }
  // To the nearest, ties to even. What a NaN loses must not make it an infinity: its quiet bit is set.
  static Stored narrow(Sum value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
    const std::uint32_t quiet = (bits >> 16) | 0x40;
    return static_cast<Stored>((bits & 0x7FFFFFFF) > 0x7F800000 ? quiet : rounded);
  }
};

template <class Format>
void sum_as(std::span<const std::byte* const> sources, std::byte* out, std::size_t bytes) {
  using Stored = typename Format::Stored;
  alignas(64) typename Format::Sum tile[kTile];
  const std::size_t count = bytes / sizeof(Stored);
  for (std::size_t begin = 0; begin < count; begin += kTile) {
    const std::size_t length = std::min(kTile, count - begin);
    const auto* const first = reinterpret_cast<const Stored*>(sources[0]) + begin;
    for (std::size_t i = 0; i < length; ++i) tile[i] = Format::widen(first[i]);
    for (const std::byte* const other : sources.subspan(1)) {
      const auto* const source = reinterpret_cast<const Stored*>(other) + begin;
      for (std::size_t i = 0; i < length; ++i) tile[i] += Format::widen(source[i]);
    }
    auto* const to = reinterpret_cast<Stored*>(out) + begin;
    for (std::size_t i = 0; i < length; ++i) to[i] = Format::narrow(tile[i]);
  }
}

}  // namespace

void sum(Element element, std::span<const std::byte* const> sources, std::byte* out, std::size_t bytes) {
  switch (element) {
    case Element::fp32:
      return sum_as<Itself<float>>(sources, out, bytes);
    case Element::fp64:
      return sum_as<Itself<double>>(sources, out, bytes);
    case Element::bf16:
      return sum_as<Bf16>(sources, out, bytes);
    case Element::int32:  // unsigned, as they wrap around
      return sum_as<Itself<std::uint32_t>>(sources, out, bytes);
    case Element::int64:
      return sum_as<Itself<std::uint64_t>>(sources, out, bytes);
  }
}

}  // namespace bench::shared_memory
