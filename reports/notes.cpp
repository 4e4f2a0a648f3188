#include "reports/notes.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "harness/core/text.hpp"
#include "harness/core/units.hpp"
#include "reports/latency_fits.hpp"
#include "reports/parameters.hpp"

namespace bench::reports {
namespace {

// "10", or "4 to 10" for several cases.
class Spread {
 public:
  void add(std::int64_t value) {
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
  }
  bool empty() const { return least_ > most_; }
  bool is(std::int64_t value) const { return least_ == value && most_ == value; }
  std::string text() const {
    return least_ == most_ ? fmt::format("{}", least_) : fmt::format("{} to {}", least_, most_);
  }
  // "1 step", "4 to 10 steps".
  std::string of(std::string_view noun) const {
    return fmt::format("{} {}{}", text(), noun, is(1) ? "" : "s");
  }
  std::int64_t least() const { return least_; }
  std::int64_t most() const { return most_; }

 private:
  std::int64_t least_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t most_ = std::numeric_limits<std::int64_t>::min();
};

// "size:small, size:large, size:xl and 2 more", by the parameters `names`.
std::string named(const std::vector<const CaseResult*>& cases, const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < std::min(kNamed, cases.size()); ++i)
    labels.push_back(case_label(*cases[i], names));
  return join(labels, ", ") +
         (cases.size() > kNamed ? fmt::format(" and {} more", cases.size() - kNamed) : "");
}

// Remarks and the cases that each is true of, in the order of first appearance.
class Remarks {
 public:
  explicit Remarks(std::string prefix) : prefix_(std::move(prefix)) {}

  void add(const Remark& remark, const CaseResult& result) {
    const auto [known, is_new] = index_of_.emplace(remark.text, entries_.size());
    if (is_new) entries_.push_back({.remark = &remark, .of = {}});
    entries_[known->second].of.push_back(&result);
    Code& code = codes_.try_emplace(remark.code, Code{.first = known->second}).first->second;
    code.sentences += is_new;
    ++code.cases;
  }

  // "... (size:small, size:large)", by the parameters `names`; left out where it is true of all `cases`. Many
  // of one code are one line, with the first one's values.
  void write_to(std::vector<std::string>& lines, std::size_t cases,
                const std::vector<std::string>& names) const {
    constexpr std::size_t kSaid = 3;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const auto& [remark, of] = entries_[i];
      const Code& code = codes_.at(remark->code);
      const bool folded = remark->code != RemarkCode::said && code.sentences > kSaid;
      if (folded && code.first != i) continue;
      std::string line = prefix_ + remark->text;
      if (of.size() < cases) {
        line += " (" + named(of, names) + ")";
      } else if (cases > 1) {
        line += " (all cases)";
      }
      if (folded)
        line +=
            fmt::format("; the same was seen, with other numbers, in {} more cases", code.cases - of.size());
      lines.push_back(line);
    }
  }

 private:
  struct Entry {
    const Remark* remark;  // the first with this text
    std::vector<const CaseResult*> of;
  };
  struct Code {
    std::size_t first = 0;  // of its entries
    std::size_t sentences = 0, cases = 0;
  };
  std::string prefix_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, std::size_t> index_of_;  // by text
  std::map<RemarkCode, Code> codes_;
};

std::int64_t warmup_steps_taken(const CaseResult& result) {
  if (result.samples.empty()) return result.policy.warmup_steps;
  std::int64_t steps = 0;
  for (const Sample& sample : result.samples) {
    if (sample.kind == SampleKind::warm_up && sample.rank == result.samples.front().rank)
      steps += sample.steps;
  }
  return steps;
}

// "times: median of 10 steps ± 95% interval (its farther end), blocking, after 5 warm-up steps; ..."
// Of another program's file only what it says: not how it synchronised or warmed up.
void note_measuring(const std::vector<const CaseResult*>& ok, bool by_bench,
                    std::vector<std::string>& notes) {
  Spread samples, steps_per_sample, warmup;
  bool some_interval = false, some_without = false;
  std::vector<std::string> timings;
  bool in_graphs = false;
  for (const CaseResult* result : ok) {
    const Summary* sampled = headline_time(*result);
    if (sampled == nullptr || (!by_bench && result->samples.empty())) continue;
    samples.add(sampled->n);
    steps_per_sample.add(std::max(1, result->steps_per_sample));
    warmup.add(warmup_steps_taken(*result));
    (sampled->low && sampled->high ? some_interval : some_without) = true;
    const std::string timing(to_text(result->policy.timing));
    if (std::ranges::find(timings, timing) == timings.end()) timings.push_back(timing);
    in_graphs |= result->policy.timing == Timing::graph;
  }
  if (samples.empty()) return;
  std::string line = "times: median of ";
  const std::string_view noun = by_bench ? "step" : "run";
  line += steps_per_sample.is(1)
              ? samples.of(noun)
              : samples.of("sample") + " of " + steps_per_sample.of(noun) + (samples.is(1) ? "" : " each");
  if (some_interval) line += " ± 95% interval (its farther end)";
  if (by_bench) line += ", " + join(timings, " or ") + ", after " + warmup.of("warm-up step");
  if (by_bench && in_graphs) line += "; no phases in a graph";
  if (some_without) line += "; below 6 samples no interval is given";
  if (by_bench) line += "; rates follow from the median step";
  notes.push_back(line);
}

void note_first_step(const std::vector<const CaseResult*>& ok, std::vector<std::string>& notes) {
  // Without warm-up the first step of all is the first sample.
  Spread apart, within;
  for (const CaseResult* result : ok) {
    if (!result->first_step_ns) continue;
    const bool warmed = !result->samples.empty() && result->samples.front().kind == SampleKind::warm_up;
    (warmed ? apart : within).add(*result->first_step_ns);
  }
  const auto text = [](std::int64_t ns) { return format_duration_ns(static_cast<double>(ns)); };
  const auto note = [&](const Spread& first, const std::string& what) {
    if (first.empty()) return;
    notes.push_back("first step of all, " + what + ": " + text(first.least()) +
                    (first.is(first.least()) ? "" : " to " + text(first.most())));
  };
  note(apart, "which is in no median");
  note(within, "which is the first sample where there is no warm-up");
}

void note_memory(const std::vector<const CaseResult*>& ok, std::vector<std::string>& notes) {
  const bool any = std::ranges::any_of(ok, [](const CaseResult* result) {
    return result->memory &&
           std::ranges::find(result->summaries, Quantity::memory, &Summary::kind) != result->summaries.end();
  });
  if (any)
    notes.push_back(
        "memory: bytes of tensors alive at once, a peak is the most of them, from a pass of its own");
}

void note_checks(const std::vector<const CaseResult*>& ok, const std::vector<std::string>& names,
                 std::vector<std::string>& notes) {
  const CheckItem* worst = nullptr;
  double worst_share = -1;
  const CaseResult* worst_case = nullptr;
  static const Remark kUnchecked = said("no check before timing is on record");
  Remarks unchecked("");
  for (const CaseResult* result : ok) {
    if (!result->check || result->check->items.empty()) {
      unchecked.add(kUnchecked, *result);
      continue;
    }
    for (const CheckItem& item : result->check->items) {
      const double share = item.error == 0 ? 0 : item.error / item.allowed;
      if (share <= worst_share) continue;
      worst = &item;
      worst_share = share;
      worst_case = result;
    }
  }
  if (worst != nullptr) {
    const std::string label = case_label(*worst_case, names);
    notes.push_back(fmt::format("checked before timing: largest error {} of its bound ({}{}{})",
                                format_significant(worst_share, 2), worst->what, label.empty() ? "" : ", ",
                                label));
  }
  unchecked.write_to(notes, ok.size(), names);
}

}  // namespace

std::vector<std::string> problems_of(const Document& document) {
  const std::vector<std::string> names = varying_parameters(document);
  // What befell many cases alike is one line, in the place of the first.
  std::vector<std::pair<std::string, std::vector<const CaseResult*>>> cases_of;
  std::unordered_map<std::string, std::size_t> index_of;
  for (const CaseResult& result : document.cases) {
    if (result.status == Status::ok) continue;
    const std::string what = words(result.status) + (result.reason.empty() ? "" : ": " + result.reason.text);
    const auto [known, is_new] = index_of.emplace(what, cases_of.size());
    if (is_new) cases_of.push_back({what, {}});
    cases_of[known->second].second.push_back(&result);
  }
  std::vector<std::string> problems;
  for (const auto& [what, cases] : cases_of) {
    const std::string who = named(cases, names);
    problems.push_back(who.empty() ? what : who + ": " + what);
  }
  return problems;
}

std::vector<std::string> notes_of(const Document& document) {
  const std::vector<std::string> names = varying_parameters(document);
  std::vector<const CaseResult*> ok;
  for (const CaseResult& result : document.cases) {
    if (result.status == Status::ok) ok.push_back(&result);
  }

  std::vector<std::string> notes;
  if (!document.run.complete) {
    notes.push_back(fmt::format("the run is incomplete: {} of {} planned cases are here",
                                document.cases.size(), document.run.planned_cases));
  }
  note_measuring(ok, document.run.measured_by.empty(), notes);
  note_first_step(ok, notes);
  note_memory(ok, notes);
  note_checks(ok, names, notes);
  for (std::string& line : latency_fits_of(document)) notes.push_back(std::move(line));

  Remarks stops("stopped: "), explanations(""), warnings("warning: ");
  for (const CaseResult* result : ok) {
    const Remark& stop = result->stop_reason;
    if (!stop.empty() && stop.code != RemarkCode::steps_taken) stops.add(stop, *result);
  }
  for (const CaseResult* result : ok) {
    for (const Remark& note : result->notes) explanations.add(note, *result);
  }
  for (const CaseResult& result : document.cases) {
    for (const Remark& warning : result.warnings) warnings.add(warning, result);
  }
  stops.write_to(notes, ok.size(), names);
  explanations.write_to(notes, ok.size(), names);
  warnings.write_to(notes, document.cases.size(), names);
  return notes;
}

}  // namespace bench::reports
