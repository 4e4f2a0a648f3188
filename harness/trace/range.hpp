#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Named ranges of a run, sent to NVTX in the domain "bench". Without a tool attached a range costs a few nanoseconds.
namespace bench::trace {

// Every range inside a step. Registered with NVTX once, so that nsys can capture by name.
enum class Name {
  FWD_STEP,
  BWD_STEP,
  OPTIM_STEP,
  BLOCK,  // one name for all layers; the payload is the layer's index
  ATTN_QK_MATMUL,
  ATTN_SOFTMAX,
  ATTN_AV_MATMUL,
  WARMUP,
  CHECK,
};
std::string_view to_text(Name name);

// Ranges of a step (FWD_STEP ... ATTN_AV_MATMUL) are emitted only while this is on: inside measured steps. So their
// Instances in nsys equal the measured steps (times layers). Off at start. WARMUP and CHECK do not depend on it.
void set_step_ranges(bool on);

// Push/pop range on the calling thread for its own lifetime.
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

// Start/end range under a run-time name (a case's id, or MEASURE): it may overlap others, need not nest, and is ended
// by whoever holds it.
class Span {
 public:
  Span() = default;
  explicit Span(const std::string& name);
  ~Span();
  Span(Span&& other) noexcept;
  Span& operator=(Span&& other) noexcept;
  void end();

 private:
  std::uint64_t id_ = 0;
  bool open_ = false;
};

}  // namespace bench::trace
