#include "harness/protocol/older_documents.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "harness/core/text.hpp"
#include "harness/statistics/descriptive.hpp"
#include "harness/statistics/step_times.hpp"

namespace bench::protocol {
namespace {

constexpr std::string_view kPerSecond = "_per_second";

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

Quantity kind_of(std::string_view metric, std::string_view unit) {
  if (unit == "ns") return Quantity::time;
  if (unit == "%") return Quantity::share;
  if (unit.ends_with("/s")) return Quantity::rate;
  if (holds(metric, "kernel")) return Quantity::kernels;
  if (unit == "FLOP") return Quantity::arithmetic;
  if (unit != "bytes") return Quantity::count;
  const bool is_held = holds(metric, "peak") || holds(metric, "mem");
  return is_held ? Quantity::memory : Quantity::traffic;
}

// "tokens_per_second" and "model_flop_per_second": what is left without the words that the unit repeats.
std::string rate_heading(std::string_view metric, std::string_view unit) {
  if (metric.ends_with(kPerSecond)) metric.remove_suffix(kPerSecond.size());
  std::string counted(unit.substr(0, unit.find('/')));
  std::ranges::transform(counted, counted.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (metric.ends_with(counted)) metric.remove_suffix(counted.size());
  if (metric.ends_with('_')) metric.remove_suffix(1);
  return with_spaces(metric);
}

std::string heading_of(const Summary& summary) {
  if (summary.kind == Quantity::rate) return rate_heading(summary.metric, summary.unit);
  return summary.metric == "mfu" ? "MFU" : with_spaces(summary.metric);
}

// Which of the samples' times has this median.
std::optional<TimeSource> source_of(const Summary& summary, const CaseResult& result) {
  std::vector<TimeSource> candidates;
  const auto named = std::ranges::find(result.phase_names, summary.metric);
  if (named != result.phase_names.end())
    candidates.push_back(
        {TimeSource::Kind::phase, static_cast<std::size_t>(named - result.phase_names.begin())});
  candidates.push_back({TimeSource::Kind::host});
  candidates.push_back({TimeSource::Kind::device});
  for (const TimeSource candidate : candidates) {
    const std::vector<double> values = statistics::step_times_ns(result.samples, candidate);
    if (values.empty()) continue;
    const double distance = std::abs(statistics::median(values) - summary.value);
    if (distance <= 1e-9 * std::abs(summary.value) + 1e-3) return candidate;
  }
  return std::nullopt;
}

struct Phrase {
  std::string_view part;
  RemarkCode code;
};

// Of those that many cases may have with other numbers each, so that reports say them once.
constexpr Phrase kPhrases[] = {
    {"time budget of ", RemarkCode::budget_used},
    {"interval of the median within 1%", RemarkCode::interval_reached},
    {", the most that are kept", RemarkCode::most_samples_taken},
    {"warm-up cut to ", RemarkCode::warm_up_cut},
    {"the harness itself takes ", RemarkCode::harness_share},
    {"successive samples resemble each other", RemarkCode::samples_resemble},
    {"lie outside Tukey's fences", RemarkCode::outliers},
    {"in which the loss scaler skipped", RemarkCode::samples_replaced},
    {"the hypervisor gave ", RemarkCode::time_stolen},
    {"the cgroup's CPU quota stopped ", RemarkCode::quota_reached},
    {"the GPU's driver was asked for memory ", RemarkCode::driver_allocations},
    {"host-bound: ", RemarkCode::host_bound},
    {"the power limit held the GPU's clocks down", RemarkCode::power_capped},
};

Remark older(std::string text) {
  Remark remark = said(std::move(text));
  const auto known =
      std::ranges::find_if(kPhrases, [&](const Phrase& phrase) { return holds(remark.text, phrase.part); });
  if (known != std::end(kPhrases)) remark.code = known->code;
  return remark;
}

std::vector<Remark> older(std::vector<std::string> texts) {
  std::vector<Remark> remarks;
  for (std::string& text : texts) remarks.push_back(older(std::move(text)));
  return remarks;
}

}  // namespace

Written written_as(const Reader& work) {
  return work.has("flop") ? Written::without_types : Written::with_types;
}

Work older_work_from(const Reader& reader) {
  Work work{.amounts = {}, .formula = reader.text("formula")};
  const auto add = [&](Amount amount) {
    if (amount.per_step > 0) work.amounts.push_back(std::move(amount));
  };
  add(amounts::tokens(static_cast<double>(reader.integer<std::int64_t>("tokens"))));
  add(amounts::model_flop(reader.real("flop")));
  add(amounts::bytes_moved(reader.real("bytes_moved")));
  add(amounts::bytes_sent(reader.real("bytes_sent")));
  return work;
}

void add_type(Summary& summary) {
  summary.kind = kind_of(summary.metric, summary.unit);
  summary.heading = heading_of(summary);
}

void add_types(CaseResult& result) {
  for (Summary& summary : result.summaries) {
    add_type(summary);
    if (summary.kind == Quantity::time && summary.n > 0) summary.source = source_of(summary, result);
  }
}

void add_older_remarks(CaseResult& result, const Reader& reader) {
  result.reason = said(reader.text("reason"));
  const bool was_tried = result.status != Status::out_of_memory || !result.samples.empty();
  if (!was_tried && result.reason.text.starts_with("predicted "))
    result.reason.code = RemarkCode::predicted_not_to_fit;
  result.stop_reason = older(reader.text("stop_reason"));
  if (result.stop_reason.text.ends_with(" done")) result.stop_reason.code = RemarkCode::steps_taken;
  result.warnings = older(reader.texts("warnings"));
  if (reader.has("notes")) result.notes = older(reader.texts("notes"));
}

}  // namespace bench::protocol
