#include "harness/worker/slot.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/worker/counting_allocator.hpp"
#include "harness/worker/denormals.hpp"
#include "harness/worker/monotonic_clock.hpp"
#include "harness/worker/ranks.hpp"

namespace bench::worker {

namespace {

// Off again however the steps end: a step that throws must not leave them on for the next case's check.
class StepRanges {
 public:
  explicit StepRanges(bool on) { trace::set_step_ranges(on); }
  ~StepRanges() { trace::set_step_ranges(false); }
  StepRanges(const StepRanges&) = delete;
  StepRanges& operator=(const StepRanges&) = delete;
};

// The launch queue of a GPU holds about a thousand launches: a longer delay would let no more of them in.
constexpr std::int64_t kLongestDelay_ns = 20'000'000;

}  // namespace

// Remembers a device mark at each phase boundary, and adds them up once the device is synchronised.
class Slot::MarkedPhases final : public Phases {
 public:
  MarkedPhases(Device& device, std::size_t count) : device_(device), count_(count) { marks_.reserve(64); }

  void begin(int index) override {
    end();
    open_ = index;
    opened_at_ = device_.mark();
  }
  void end() override {
    if (open_ < 0) return;
    marks_.push_back({open_, opened_at_, device_.mark()});
    open_ = -1;
  }

  std::vector<std::int64_t> take_sums_ns() {
    std::vector<std::int64_t> sums(count_, 0);
    for (const Mark& mark : marks_)
      sums.at(static_cast<std::size_t>(mark.index)) += device_.between_ns(mark.first, mark.second);
    marks_.clear();
    return sums;
  }

 private:
  struct Mark {
    int index, first, second;
  };
  Device& device_;
  std::size_t count_;
  int open_ = -1;
  int opened_at_ = 0;
  std::vector<Mark> marks_;
};

// Remembers the memory of each phase; the report is that of the whole step.
class Slot::MemoryPhases final : public Phases {
 public:
  MemoryPhases(Device& device, const std::vector<std::string>& names) : device_(device), names_(names) {
    device_.reset_peak();
    before_bytes_ = device_.allocated_bytes();
  }

  void begin(int index) override {
    end();
    look();
    open_ = PhaseMemory{.phase = names_.at(static_cast<std::size_t>(index)),
                        .before_bytes = device_.allocated_bytes()};
  }
  void end() override {
    if (!open_) return;
    open_->peak_allocated_bytes = look();
    const auto known = std::ranges::find(phases_, open_->phase, &PhaseMemory::phase);
    if (known == phases_.end())
      phases_.push_back(*open_);
    else
      known->peak_allocated_bytes = std::max(known->peak_allocated_bytes, open_->peak_allocated_bytes);
    open_.reset();
  }
  MemoryReport report() {
    end();
    look();
    MemoryReport report = largest_;
    report.before_bytes = before_bytes_;
    report.phases = phases_;
    return report;
  }

 private:
  // The peak since the last look.
  std::int64_t look() {
    MemoryReport report = device_.memory_since_reset();
    device_.reset_peak();
    const std::int64_t peak = report.peak_allocated_bytes;
    if (peak > largest_.peak_allocated_bytes) largest_ = std::move(report);
    return peak;
  }

  Device& device_;
  const std::vector<std::string>& names_;
  std::int64_t before_bytes_ = 0;
  std::optional<PhaseMemory> open_;
  std::vector<PhaseMemory> phases_;
  MemoryReport largest_;  // between two looks
};

Slot::Slot(const WorkloadFactory& factory, const Setup& setup, CacheState cache)
    : factory_(factory),
      setup_(setup),
      device_(*setup.device),
      cache_(cache),
      timing_(setup.timing),
      held_back_(setup.device->has_own_clock() && setup.headline == Headline::device_time),
      id_(setup.configuration.id()),
      case_span_(id_),
      workload_(factory(setup)),
      phase_names_(workload_->phase_names()),
      phases_(std::make_unique<MarkedPhases>(device_, phase_names_.size())) {}

Slot::~Slot() = default;

Check Slot::check() {
  const trace::Range range(trace::Name::CHECK);
  const DenormalsKept ieee;
  const CaseLimitLifted room;
  return workload_->check();
}

Check Slot::check_afterwards() {
  graph_.reset();
  workload_.reset();
  device_.empty_cache();
  workload_ = factory_(setup_);
  return check();
}

void Slot::prepare_timed() {
  workload_->prepare_timed();
}

std::vector<std::string> Slot::phase_names() const {
  return wants_graph() ? std::vector<std::string>{} : phase_names_;
}

void Slot::capture() {
  // Handles, workspaces and autograd's threads must exist before; PyTorch's own make_graphed_callables
  // takes 3.
  constexpr int kStepsBefore = 3;
  NoPhases none;
  for (int i = 0; i < kStepsBefore; ++i) {
    workload_->before_sample();
    workload_->step(none);
  }
  workload_->before_sample();
  device_.synchronize();
  // Replays allocate nothing: what a step needs is what its capture allocates.
  device_.reset_peak();
  graph_ = device_.capture([this] { workload_->captured_step(); });
  memory_of_capture_ = device_.memory_since_reset();
}

Sample Slot::sample(SampleKind kind, int steps) {
  if (kind == SampleKind::measured && !measuring_) {
    measure_span_ = trace::Span(trace::kMeasure);
    measuring_ = true;
  }
  workload_->before_sample();
  if (cache_ == CacheState::cold) device_.evict_caches();
  device_.synchronize();
  device_.forget_marks();
  if (setup_.ranks != nullptr) {
    setup_.ranks->barrier();
    setup_.ranks->enter("step");
  }
  const StepRanges ranges(kind == SampleKind::measured);

  Sample sample{.steps = steps, .kind = kind};
  const std::int64_t cpu_before_ns = watches_launching() ? process_cpu_ns() : 0;
  sample.begin_ns = monotonic_ns();
  if (held_back_) device_.hold_back(std::min(launching_ns_ * steps * 3 / 2, kLongestDelay_ns));
  const int first = device_.has_own_clock() ? device_.mark() : 0;
  if (graph_ != nullptr) {
    for (int step = 0; step < steps; ++step) graph_->replay();
  } else {
    for (int step = 0; step < steps; ++step) {
      workload_->step(*phases_);
      phases_->end();
    }
  }
  const int last = device_.has_own_clock() ? device_.mark() : 0;
  launching_ns_ = (monotonic_ns() - sample.begin_ns) / steps;
  if (watches_launching()) launch_cpu_ns_ += process_cpu_ns() - cpu_before_ns;
  const bool outrun = held_back_ && device_.has_passed(first);
  device_.synchronize();
  sample.host_ns = monotonic_ns() - sample.begin_ns;

  if (device_.has_own_clock()) sample.device_ns = device_.between_ns(first, last);
  if (graph_ == nullptr) sample.phase_ns = phases_->take_sums_ns();
  if (workload_->sample_fell_short() && kind == SampleKind::measured) sample.kind = SampleKind::replaced;
  if (sample.kind == SampleKind::measured) {
    ++measured_samples_;
    if (outrun) ++outrun_samples_;
  }
  return sample;
}

std::map<std::string, double> Slot::counters() {
  std::map<std::string, double> sums = device_.counters();
  if (watches_launching()) sums["launch_cpu_ns"] = static_cast<double>(launch_cpu_ns_);
  return sums;
}

std::vector<std::string> Slot::notes() {
  std::vector<std::string> notes = workload_->notes();
  if (2 * outrun_samples_ >= std::max(1, measured_samples_))
    notes.emplace_back(
        "more launches than can be queued up: the device may have waited for some, and its times hold those "
        "waits");
  return notes;
}

Check Slot::verify() {
  measure_span_.end();
  measuring_ = false;
  const CaseLimitLifted room;  // as in the check: references are not the case's
  return workload_->verify();
}

MemoryReport Slot::observe_memory() {
  if (graph_ != nullptr) return memory_of_capture_;
  // What the verification left behind (cuBLAS's workspaces: 32 MiB and more) is not the step's.
  device_.empty_cache();
  device_.synchronize();
  MemoryPhases phases(device_, phase_names_);
  workload_->observed_step(phases);
  return phases.report();
}

std::int64_t empty_sample_ns(Device& device) {
  std::vector<std::int64_t> times;
  for (int i = 0; i < 101; ++i) {
    device.synchronize();
    const std::int64_t begin = monotonic_ns();
    device.forget_marks();
    device.mark();
    if (device.has_own_clock()) device.mark();  // as a sample does
    device.synchronize();
    times.push_back(monotonic_ns() - begin);
  }
  std::nth_element(times.begin(), times.begin() + 50, times.end());
  device.forget_marks();
  return times[50];
}

}  // namespace bench::worker
