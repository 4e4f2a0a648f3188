#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bench {

// How the steps inside one sample relate to synchronisation; worker::Slot takes samples.
enum class Timing {
  blocking,      // one step a sample, synchronised on both sides: what latency and phase columns show
  back_to_back,  // several steps a sample with no synchronisation inside: what a training loop gets
  graph,         // as back_to_back, each step one replay of a CUDA graph: without the host's share
};

enum class CacheState { hot, cold };

std::string_view to_text(Timing timing);
std::optional<Timing> timing_from_text(std::string_view text);
std::string_view to_text(CacheState cache);
std::optional<CacheState> cache_state_from_text(std::string_view text);

// Which clock's step the table leads with, and rates follow from. A device without a clock of its own (the
// CPU) has the host's either way.
enum class Headline {
  host_time,    // what a person waits for
  device_time,  // what the device is busy for: of operators, whose launches would hide behind others
};

std::string_view to_text(Headline headline);
std::optional<Headline> headline_from_text(std::string_view text);

// How one case is to be measured, as asked for. Stored with its result.
struct Policy {
  int warmup_steps = 5;
  std::optional<int> steps =
      10;  // nullopt: auto, until the median's interval is within 1% or the budget ends
  Timing timing = Timing::blocking;
  CacheState cache = CacheState::hot;
  double time_budget_s = 60.0;  // warm-up and samples together, from the first step's end
  double timeout_s = 600.0;     // the longest that one case may take, from its preparation to its end
  std::uint64_t seed = 0;

  bool operator==(const Policy&) const = default;
};

}  // namespace bench
