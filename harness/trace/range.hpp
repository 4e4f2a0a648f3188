#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Named ranges of a run, sent to NVTX in the domain "bench". Without a tool attached a range costs 9 ns, and
// 4 ns while it is silent (20 million in a loop, g++ 12 -O3, a 2-core Xeon VM).
namespace bench::trace {

// Every nested range that this project opens. Registered with NVTX once, so that nsys can capture by name.
enum class Name {
  // Inside a step: silent unless step ranges are on.
  FWD_STEP,
  BWD_STEP,
  OPTIM_STEP,
  BLOCK,  // one name for all layers; the payload is the layer's index
  ATTN_QK_MATMUL,
  ATTN_SOFTMAX,
  ATTN_AV_MATMUL,
  // Around steps: always emitted.
  WARMUP,
  CHECK,
};
std::string_view to_text(Name name);

// Ranges of a step (FWD_STEP ... ATTN_AV_MATMUL) are emitted only while this is on: inside measured steps. So
// their Instances in nsys equal the measured steps (times layers). Off at start. Safe to call while other
// threads open ranges.
void set_step_ranges(bool on);

// Push/pop range for its own lifetime, opened and closed by one thread. It closes exactly when it opened:
// toggling step ranges in between does not unbalance the tool's stack. Neither allocates nor formats.
class Range {
 public:
  explicit Range(Name name);
  Range(Name name, std::int64_t payload);
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  bool open_;
};

// The name of the span that holds all measured steps of a case.
inline constexpr std::string_view kMeasure = "MEASURE";

// Start/end range under a run-time name (a case's id, or kMeasure): it may overlap others, need not nest, and
// may be ended by another thread. The name is registered, once for all spans that share it; not for use
// inside a step.
class Span {
 public:
  Span() = default;  // closed
  explicit Span(std::string_view name);
  ~Span();
  Span(Span&& other) noexcept;
  Span& operator=(Span&& other) noexcept;
  void end();  // no effect on a closed span

 private:
  std::uint64_t id_ = 0;
  bool open_ = false;
};

}  // namespace bench::trace
