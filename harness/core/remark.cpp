#include "harness/core/remark.hpp"

#include <algorithm>
#include <iterator>
#include <variant>

#include <fmt/args.h>
#include <fmt/format.h>

#include "harness/core/units.hpp"

namespace bench {
namespace {

// A number in a sentence: three significant digits, unless the sentence asks for another format.
struct Real {
  double value;
};

}  // namespace
}  // namespace bench

template <>
struct fmt::formatter<bench::Real> : fmt::formatter<double> {
  constexpr auto parse(format_parse_context& context) {
    is_plain = context.begin() == context.end() || *context.begin() == '}';
    return fmt::formatter<double>::parse(context);
  }
  auto format(const bench::Real& real, format_context& context) const {
    if (is_plain) return fmt::format_to(context.out(), "{}", bench::format_significant(real.value));
    return fmt::formatter<double>::format(real.value, context);
  }
  bool is_plain = true;
};

namespace bench {
namespace {

struct Row {
  RemarkCode code;
  std::string_view name;
  std::string_view sentence;
};

// {name} is a value, in the unit that its name ends in: _ns a duration, _bytes a size. {name_s} and {name_es}
// are what makes a plural of the word behind an integer. {taken} is "10 steps" or "4 samples of 34 steps".
// What stands in [] is said only where all its values are given.
constexpr Row kRows[] = {
    {RemarkCode::said, "said", ""},

    {RemarkCode::steps_taken, "steps_taken", "{taken} done"},
    {RemarkCode::interval_reached, "interval_reached", "interval of the median within 1% after {taken}"},
    {RemarkCode::most_samples_taken, "most_samples_taken", "{taken}, the most that are kept"},
    {RemarkCode::budget_used, "budget_used",
     "time budget of {budget_s:g} s used: {taken}[, {asked} asked for]"},

    {RemarkCode::graph_needs_cuda, "graph_needs_cuda", "CUDA graphs need a CUDA device"},
    {RemarkCode::predicted_not_to_fit, "predicted_not_to_fit",
     "predicted {predicted_bytes} ({categories}), and {room_bytes} can be had[; {smaller} would fit][; no "
     "{tried} fits]"},
    {RemarkCode::out_of_memory, "out_of_memory", "{how}; {prediction}"},
    {RemarkCode::worker_ended, "worker_ended", "{phase}: {how}"},
    {RemarkCode::timed_out, "timed_out",
     "{phase}: the case took longer than --timeout {timeout_s:g}s; fewer --steps, or a longer one, let it "
     "end[; {where}]"},
    {RemarkCode::other_answer, "other_answer",
     "{phase}: the worker answered something else than what was asked"},
    {RemarkCode::other_slot, "other_slot",
     "{phase}: the worker answered for slot {answered} when slot {asked} was asked"},
    {RemarkCode::not_prepared, "not_prepared", "set-up: the worker did not say what it prepared"},
    {RemarkCode::wrong_result, "wrong_result", "{phase}: {what}"},
    {RemarkCode::samples_missing, "samples_missing", "{phase}: {how}"},
    {RemarkCode::check_not_made, "check_not_made", "{phase}: the worker did not make it"},
    {RemarkCode::mostly_replaced, "mostly_replaced",
     "samples: the loss scaler skipped the optimizer in {replaced} of {samples} samples, as gradients "
     "overflowed fp16; more --warmup lets the scale settle"},
    {RemarkCode::check_lost, "check_lost",
     "{phase}: it failed, and with it the check that comes after it: {how}"},
    {RemarkCode::reference_failed, "reference_failed", "the native worker's part: {how}"},
    {RemarkCode::reference_timed_out, "reference_timed_out",
     "the native worker's part took longer than --timeout {timeout_s:g}s"},
    {RemarkCode::faster_than_light, "faster_than_light",
     "speed of light: {tflop} TFLOP in {step_ns} would be {mfu_percent}% of what this GPU can do: FLOP "
     "formula or timer wrong"},

    {RemarkCode::warm_up_cut, "warm_up_cut",
     "warm-up cut to {done} of {asked} steps: a third of the time budget of {budget_s:g} s was used"},
    {RemarkCode::warm_up_extended, "warm_up_extended",
     "one or two steps more than the warm-up asked for were run before the samples, to choose the steps per "
     "sample; they are kept and marked as warm-up"},
    {RemarkCode::pass_failed, "pass_failed", "no {gives}: {how}"},
    {RemarkCode::pass_not_made, "pass_not_made", "no {gives}: the {phase} before that failed"},
    {RemarkCode::memory_not_released, "memory_not_released",
     "the worker did not give its memory back: {how}"},
    {RemarkCode::harness_share, "harness_share",
     "the harness itself takes {empty_ns} of each {sample_ns} sample, more than 1%: use --timing "
     "back-to-back"},
    {RemarkCode::samples_resemble, "samples_resemble",
     "successive samples resemble each other, so {samples} are too few for a 95% interval: it spans all of "
     "them; take more with --steps"},
    {RemarkCode::outliers, "outliers",
     "{outliers} of {samples} samples lie outside Tukey's fences (kept): the slowest took {slowest_ns}"},
    {RemarkCode::samples_replaced, "samples_replaced",
     "in {replaced} sample{replaced_s} the loss scaler skipped the optimizer, as gradients overflowed fp16: "
     "kept, in no number, and taken again; more --warmup lets the scale settle"},
    {RemarkCode::time_stolen, "time_stolen",
     "the hypervisor gave {stolen_ns} of this machine's time to others during the samples"},
    {RemarkCode::quota_reached, "quota_reached",
     "the cgroup's CPU quota stopped this machine's threads {periods} time{periods_s} during the samples"},
    {RemarkCode::driver_allocations, "driver_allocations",
     "the GPU's driver was asked for memory {requests} time{requests_s} during the samples: their steps hold "
     "that wait; more --warmup lets the allocator keep what they need"},
    {RemarkCode::gpu_slowed, "gpu_slowed",
     "the GPU was held down during the samples: {cause}[ for {for_ns}]; `nvidia-smi -q -d PERFORMANCE` says "
     "more"},
    {RemarkCode::gpu_shared, "gpu_shared",
     "{processes} other process{processes_es} used the GPU during the samples; `nvidia-smi` shows them"},
    {RemarkCode::value_not_finite, "value_not_finite",
     "{metric} is left out: its value is not a finite number"},
    {RemarkCode::counter_rounded, "counter_rounded",
     "{metric} is {written}, which is read as {read:.0f}: counters are kept to 53 bits"},

    {RemarkCode::device_times, "device_times",
     "times are the device's, between events around each sample's steps, whose launches were queued up "
     "before where so many fit"},
    {RemarkCode::mfu_peak, "mfu_peak",
     "MFU: model FLOP/s over {peak_tflops:.4g} TFLOP/s, the dense {arithmetic} peak of {gpu}; source: "
     "{source}"},
    {RemarkCode::no_mfu, "no_mfu", "no MFU: the peak of {gpu}[ in {arithmetic}] is unknown here"},
    {RemarkCode::host_bound, "host_bound",
     "host-bound: launching kept the host busy for {launching_percent:.0f}% of the samples, so these are its "
     "times more than the GPU's (--timing graph launches a step at once), unless a step waits for the GPU "
     "itself"},
    {RemarkCode::power_capped, "power_capped",
     "the power limit held the GPU's clocks down during the samples[, for {for_ns} of them]"},
    {RemarkCode::max_is_largest, "max_is_largest",
     "{parameter} max: {value} is the largest power of two that the memory formula does not rule out"},
    {RemarkCode::max_came_down, "max_came_down",
     "{parameter} max: {value}; the formula did not rule {tried} out, which then did not fit"},
    {RemarkCode::max_as_before, "max_as_before", "{parameter} max: {value}, as in the repetition before"},
};

const Row& row_of(RemarkCode code) {
  const auto row = std::ranges::find(kRows, code, &Row::code);
  return row == std::end(kRows) ? kRows[0] : *row;
}

class Sentence {
 public:
  explicit Sentence(const RemarkValues& values) : values_(values) {
    for (const auto& [name, value] : values) add(name, value);
    add_taken();
  }

  std::string of(std::string_view pattern) const {
    std::string text;
    while (!pattern.empty()) {
      const std::size_t open = std::min(pattern.find('['), pattern.size());
      text += fmt::vformat(pattern.substr(0, open), arguments_);
      pattern.remove_prefix(open);
      if (pattern.empty()) break;
      const std::size_t close = pattern.find(']');
      const std::string_view optional = pattern.substr(1, close - 1);
      if (has_all_of(optional)) text += fmt::vformat(optional, arguments_);
      pattern.remove_prefix(close + 1);
    }
    return text;
  }

 private:
  const Value* find(std::string_view name) const {
    const auto found = std::ranges::find(values_, name, &RemarkValues::value_type::first);
    return found == values_.end() ? nullptr : &found->second;
  }

  void add(const std::string& name, const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return put(name, *text);
    const auto* const whole = std::get_if<std::int64_t>(&value);
    const double real = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
    if (name.ends_with("_ns")) return put(name, format_duration_ns(real));
    if (name.ends_with("_bytes")) return put(name, format_bytes(static_cast<std::int64_t>(real)));
    if (whole == nullptr) return put(name, Real{real});
    put(name, *whole);
    put(name + "_s", std::string(*whole == 1 ? "" : "s"));
    put(name + "_es", std::string(*whole == 1 ? "" : "es"));
  }

  void add_taken() {
    const Value* const samples = find("samples");
    const Value* const steps = find("steps_per_sample");
    if (samples == nullptr || steps == nullptr) return;
    put("taken", *steps == Value{std::int64_t{1}}
                     ? of("{samples} step{samples_s}")
                     : of("{samples} sample{samples_s} of {steps_per_sample} steps"));
  }

  template <typename T>
  void put(const std::string& name, const T& value) {
    arguments_.push_back(fmt::arg(name.c_str(), value));
  }

  bool has_all_of(std::string_view pattern) const {
    for (std::size_t open = pattern.find('{'); open != pattern.npos; open = pattern.find('{', open + 1)) {
      const std::size_t begin = open + 1;
      if (find(pattern.substr(begin, pattern.find_first_of(":}", begin) - begin)) == nullptr) return false;
    }
    return true;
  }

  const RemarkValues& values_;
  fmt::dynamic_format_arg_store<fmt::format_context> arguments_;
};

}  // namespace

std::string_view to_text(RemarkCode code) {
  return row_of(code).name;
}

std::optional<RemarkCode> remark_code_from_text(std::string_view text) {
  const auto row = std::ranges::find(kRows, text, &Row::name);
  return row == std::end(kRows) ? std::nullopt : std::optional(row->code);
}

Remark remark(RemarkCode code, RemarkValues values) {
  std::string text = Sentence(values).of(row_of(code).sentence);
  return {.code = code, .text = std::move(text), .values = std::move(values)};
}

Remark said(std::string text) {
  return {.code = RemarkCode::said, .text = std::move(text), .values = {}};
}

}  // namespace bench
