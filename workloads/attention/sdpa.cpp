#include "workloads/attention/sdpa.hpp"

#include <ATen/Context.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/record_function.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>

#include "harness/core/text.hpp"
#include "harness/worker/workload.hpp"
#include "workloads/attention/naive.hpp"

namespace bench::attention {
namespace {

// One of LibTorch's process-wide switches, and how it names the backend where it says why not.
struct Switch {
  Backend backend;
  at::SDPBackend id;
  bool (at::Context::*enabled)() const;
  void (at::Context::*enable)(bool);
  std::string_view title;
};
constexpr std::array kSwitches{
    Switch{Backend::math, at::SDPBackend::math, &at::Context::userEnabledMathSDP, &at::Context::setSDPUseMath,
           "Math"},
    Switch{Backend::efficient, at::SDPBackend::efficient_attention, &at::Context::userEnabledMemEfficientSDP,
           &at::Context::setSDPUseMemEfficient, "Memory efficient"},
    Switch{Backend::flash, at::SDPBackend::flash_attention, &at::Context::userEnabledFlashSDP,
           &at::Context::setSDPUseFlash, "Flash"},
    Switch{Backend::cudnn, at::SDPBackend::cudnn_attention, &at::Context::userEnabledCuDNNSDP,
           &at::Context::setSDPUseCuDNN, "cuDNN"},
};

// Leaves one backend enabled, and the only one to be considered, for its lifetime; then all are as they were.
class OnlyBackend {
 public:
  explicit OnlyBackend(Backend backend) {
    const auto only = std::ranges::find(kSwitches, backend, &Switch::backend);
    if (only == kSwitches.end()) return;  // any
    at::Context& context = at::globalContext();
    for (const Switch& each : kSwitches) {
      enabled_before_.push_back((context.*each.enabled)());
      (context.*each.enable)(each.backend == backend);
    }
    // The default order ends in a backend that other devices' extensions may bring: LibTorch 2.11 fails there
    // ("Invalid backend") before it says why it uses no other.
    for (const at::SDPBackend each : context.sDPPriorityOrder()) {
      order_before_.push_back(static_cast<std::int64_t>(each));
    }
    context.setSDPPriorityOrder(std::vector(order_before_.size(), static_cast<std::int64_t>(only->id)));
  }
  ~OnlyBackend() {
    if (order_before_.empty()) return;
    at::Context& context = at::globalContext();
    for (std::size_t i = 0; i < kSwitches.size(); ++i) (context.*kSwitches[i].enable)(enabled_before_[i]);
    context.setSDPPriorityOrder(order_before_);
  }
  OnlyBackend(const OnlyBackend&) = delete;
  OnlyBackend& operator=(const OnlyBackend&) = delete;

 private:
  std::vector<bool> enabled_before_;
  std::vector<std::int64_t> order_before_;
};

// Takes LibTorch's warnings, which is how it says why a backend was not used.
class Reasons final : public c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override { lines_.push_back(warning.msg()); }

  // What was said under "<title> ... not used because:".
  std::string about(Backend backend) const {
    const auto named = std::ranges::find(kSwitches, backend, &Switch::backend);
    std::vector<std::string> reasons;
    bool under_title = false;
    for (const std::string& line : lines_) {
      if (line.find("not used because") != std::string::npos)
        under_title = named != kSwitches.end() && line.starts_with(named->title);
      else if (under_title)
        reasons.emplace_back(trimmed(line.substr(0, line.find(" (Triggered"))));
    }
    return join(reasons, " ");
  }

 private:
  std::vector<std::string> lines_;
};

// Whether an error is a backend's way of saying that it does not do this, not that something went wrong.
bool is_refusal(const c10::Error& error) {
  const std::string_view what = error.what_without_backtrace();
  return std::ranges::any_of(
      std::array<std::string_view, 5>{"No available kernel", "No viable backend", "Invalid backend",
                                      "cuDNN Frontend error", "CUDNN_STATUS_NOT_SUPPORTED"},
      [&](std::string_view words) { return what.find(words) != std::string_view::npos; });
}

class Sdpa {
 public:
  Sdpa(Backend backend, const Masking& masking)
      : backend_(backend), causal_(masking.diagonal == std::optional<std::int64_t>(0)) {
    if (masking.diagonal && !causal_) visible_ = hidden_pairs(masking).logical_not();
  }

  Attended operator()(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const {
    if (query.dim() == 3)
      return {attend(query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)).squeeze(1), {}};
    return {attend(query, key, value), {}};
  }

 private:
  // All (B, H, S, D).
  at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const {
    const OnlyBackend only(backend_);
    Reasons reasons;
    const c10::WarningUtils::WarningHandlerGuard listening(&reasons);
    try {
      return at::scaled_dot_product_attention(
          query, key, value, visible_.defined() ? std::optional(visible_) : std::nullopt, 0.0, causal_);
    } catch (const c10::Error& error) {
      const std::string why = reasons.about(backend_);
      if (is_refusal(error) && !why.empty()) throw worker::Unsupported("LibTorch refuses: " + why);
      throw_if_refusal(error);
      throw;
    }
  }

  Backend backend_;
  bool causal_;
  at::Tensor visible_;  // (Sq, Sk) bool, for a mask that is_causal does not say
};

}  // namespace

template <Backend backend>
Attention make_sdpa(const Masking& masking) {
  return Sdpa(backend, masking);
}
template Attention make_sdpa<Backend::any>(const Masking&);
template Attention make_sdpa<Backend::math>(const Masking&);
template Attention make_sdpa<Backend::efficient>(const Masking&);
template Attention make_sdpa<Backend::flash>(const Masking&);
template Attention make_sdpa<Backend::cudnn>(const Masking&);

void throw_if_refusal(const c10::Error& error) {
  if (is_refusal(error))
    throw worker::Unsupported(std::string("LibTorch refuses: ") + error.what_without_backtrace());
}

std::vector<std::string> attention_operators(const std::function<void()>& work) {
  // Not thread-local: autograd hands the callback on to the device's own thread, which runs the backward.
  static std::vector<std::string>* names = nullptr;
  static std::mutex mutex;
  std::vector<std::string> seen;
  names = &seen;
  const at::CallbackHandle handle = at::addThreadLocalCallback(
      at::RecordFunctionCallback([](const at::RecordFunction& function)
                                     -> std::unique_ptr<at::ObserverContext> {
        const std::string name = function.name();
        const std::scoped_lock lock(mutex);
        const bool of_attention = name.starts_with("aten::_") && name.find("attention") != std::string::npos;
        if (of_attention && std::ranges::find(*names, name) == names->end()) names->push_back(name);
        return nullptr;
      }).scopes({at::RecordScope::FUNCTION}));
  try {
    work();
  } catch (...) {
    at::removeCallback(handle);
    throw;
  }
  at::removeCallback(handle);
  return seen;
}

}  // namespace bench::attention
