#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/worker/ranks.hpp"
#include "harness/worker/workload.hpp"
#include "workloads/synthetic/behaviour.hpp"
#include "workloads/synthetic/step_length.hpp"

namespace bench::synthetic {
namespace {

// A worker that ends as the person asked should leave no core file behind.
[[noreturn]] void crash() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::signal(SIGSEGV, SIG_DFL);
  std::raise(SIGSEGV);
  std::abort();  // reached only where SIGSEGV is blocked
}

[[noreturn]] void hang() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// What a step computes: the sum of its tokens, which are the numbers from `first` on.
std::int64_t sum_of_tokens(std::int64_t first) {
  std::int64_t sum = 0;
  for (std::int64_t token = first; token < first + kTokensPerStep; ++token) sum += token;
  return sum;
}

std::int64_t expected_sum(std::int64_t first) {
  return kTokensPerStep * first + kTokensPerStep * (kTokensPerStep - 1) / 2;
}

Check compare(std::string what, std::int64_t value, std::int64_t expected) {
  const auto error = static_cast<double>(std::abs(value - expected));
  Check check{.items = {{.what = std::move(what), .error = error, .allowed = 0}}};
  check.passed = value == expected;
  if (!check.passed)
    check.reason = fmt::format("{} is {}, not {}", check.items.front().what, value, expected);
  return check;
}

class Synthetic final : public worker::Workload {
 public:
  explicit Synthetic(const worker::Setup& setup)
      : behaviour_(require_behaviour(setup.configuration.text("behaviour"))),
        first_token_(static_cast<std::int64_t>(setup.seed % 1000)),
        device_(setup.device->name()),
        wrong_sum_(setup.inject_fault == kWrongSum) {
    if (!setup.inject_fault.empty() && !wrong_sum_)
      throw Error(ErrorKind::usage,
                  fmt::format("synthetic has no fault \"{}\"; valid: {}", setup.inject_fault, kWrongSum));
    const Case& configuration = setup.configuration;
    if (behaviour_.has_steps()) {
      length_.duration_ns = 1e3 * static_cast<double>(configuration.integer("duration"));
      length_.noise = configuration.real("noise") / 100;
      length_.drift = behaviour_.behaviour == Behaviour::drift ? 0.01 : 0.0;
      length_.seed = setup.seed;
      phases_ = static_cast<int>(configuration.integer("phases"));
    }
    if (behaviour_.uses == Uses::steps_and_bytes) bytes_ = configuration.integer("bytes");
    const bool elsewhere = configuration.has("on-rank") && setup.ranks != nullptr &&
                           configuration.integer("on-rank") != setup.ranks->place().rank;
    if (behaviour_.uses == Uses::steps_and_at && !elsewhere) strikes_at_ = configuration.integer("at");
    if (behaviour_.behaviour == Behaviour::fail_in_setup)
      throw std::runtime_error("failed on request in set-up");
  }

  std::vector<std::string> phase_names() const override {
    std::vector<std::string> names;
    for (int phase = 1; phase <= phases_; ++phase) names.push_back(fmt::format("phase-{}", phase));
    return names;
  }

  Check check() override {
    if (strikes_at_ == 0) strike("the check");
    const bool wrong = wrong_sum_ || behaviour_.behaviour == Behaviour::wrong_result;
    return compare("the sum of a step's tokens", sum_of_tokens(first_token_) + (wrong ? 1 : 0),
                   expected_sum(first_token_));
  }

  void prepare_timed() override {}

  void step(worker::Phases& phases) override {
    ++step_;
    const auto begin = Clock::now();
    if (step_ == strikes_at_) strike(fmt::format("step {}", step_));

    at::Tensor block;  // (bytes) uint8, never written: the allocator's own accounting is the subject
    if (bytes_ > 0) block = at::empty({bytes_}, at::TensorOptions().dtype(at::kByte).device(device_));
    if (behaviour_.behaviour == Behaviour::leak) leaked_.push_back(block);

    const double length_ns = length_.of_step_ns(step_);
    for (int phase = 0; phase < phases_; ++phase) {
      phases.begin(phase);
      // Towards the step's own end rather than for a while, so that oversleeping does not add up.
      wait_until(begin + std::chrono::nanoseconds(std::llround(length_ns * (phase + 1) / phases_)));
    }
    phases.end();
    total_ += sum_of_tokens(first_token_);
  }

  Check verify() override {
    return compare(fmt::format("the sum over {} steps", step_), total_, step_ * expected_sum(first_token_));
  }

 private:
  using Clock = std::chrono::steady_clock;

  void wait_until(Clock::time_point end) const {
    if (behaviour_.behaviour == Behaviour::spin) {
      while (Clock::now() < end) {
      }
    } else {
      std::this_thread::sleep_until(end);
    }
  }

  void strike(const std::string& where) {
    switch (behaviour_.behaviour) {
      case Behaviour::fail:
        throw std::runtime_error("failed on request in " + where);
      case Behaviour::crash:
        crash();
      case Behaviour::exit:
        _exit(0);
      case Behaviour::hang:
        hang();
      case Behaviour::wrong_after:
        total_ += 1;
        break;
      default:
        break;
    }
  }

  const BehaviourRow& behaviour_;
  std::int64_t first_token_;
  at::Device device_;
  bool wrong_sum_;
  StepLength length_;
  int phases_ = 1;
  std::int64_t bytes_ = 0;
  std::int64_t strikes_at_ = -1;  // never

  std::int64_t step_ = 0;   // the number of the step that runs or ran last
  std::int64_t total_ = 0;  // of all steps' sums
  std::vector<at::Tensor> leaked_;
};

const worker::WorkloadRegistration registration{
    "synthetic", [](const worker::Setup& setup) -> std::unique_ptr<worker::Workload> {
      return std::make_unique<Synthetic>(setup);
    }};

}  // namespace
}  // namespace bench::synthetic
