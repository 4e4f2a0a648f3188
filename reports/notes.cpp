#include "reports/notes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "harness/core/text.hpp"
#include "harness/core/units.hpp"
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

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The sentence without its numbers and their units: "the slowest took 89.8 µs" and "... 1.2 ms" are alike.
std::string form_of(std::string_view sentence) {
  constexpr std::array<std::string_view, 9> kUnits{"ns", "µs", "ms", "s", "B", "KiB", "MiB", "GiB", "TiB"};
  std::string form;
  while (!sentence.empty()) {
    if (!is_digit(sentence.front())) {
      form += sentence.front();
      sentence.remove_prefix(1);
      continue;
    }
    form += '#';
    while (!sentence.empty() &&
           (is_digit(sentence.front()) || (sentence.size() > 1 && is_digit(sentence[1]) &&
                                           (sentence.front() == '.' || sentence.front() == ','))))
      sentence.remove_prefix(1);
    if (!sentence.starts_with(' ')) continue;
    const std::string_view word = sentence.substr(1, sentence.find_first_of(" ,;:)", 1) - 1);
    if (std::ranges::find(kUnits, word) != kUnits.end()) sentence.remove_prefix(1 + word.size());
  }
  return form;
}

// "size:small, size:large, size:xl and 2 more", by the parameters `names`.
std::string named(const std::vector<const CaseResult*>& cases, const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < std::min(kNamed, cases.size()); ++i)
    labels.push_back(case_label(*cases[i], names));
  return join(labels, ", ") +
         (cases.size() > kNamed ? fmt::format(" and {} more", cases.size() - kNamed) : "");
}

// Sentences and the cases that each is true of, in the order of first appearance.
class Sentences {
 public:
  void add(const std::string& sentence, const CaseResult& result) {
    const auto [known, is_new] = index_of_.emplace(sentence, entries_.size());
    if (is_new) {
      const auto [form, first] = forms_.try_emplace(form_of(sentence), Form{.first = entries_.size()});
      ++form->second.sentences;
      entries_.push_back({.sentence = sentence, .of = {}, .form = &form->second});
    }
    Entry& entry = entries_[known->second];
    entry.of.push_back(&result);
    ++entry.form->cases;
  }

  // "... (size:small, size:large)", by the parameters `names`; left out where it is true of all `cases`. Many
  // that differ in their numbers alone are one line, with the first one's.
  void write_to(std::vector<std::string>& lines, std::size_t cases,
                const std::vector<std::string>& names) const {
    constexpr std::size_t kSaid = 3;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Entry& entry = entries_[i];
      const bool folded = entry.form->sentences > kSaid;
      if (folded && entry.form->first != i) continue;
      std::string line = entry.sentence;
      if (entry.of.size() < cases) {
        line += " (" + named(entry.of, names) + ")";
      } else if (cases > 1) {
        line += " (all cases)";
      }
      if (folded)
        line +=
            fmt::format("; the like, with other numbers, of {} more", entry.form->cases - entry.of.size());
      lines.push_back(line);
    }
  }

 private:
  struct Form {
    std::size_t first = 0;  // of the sentences of this form
    std::size_t sentences = 0, cases = 0;
  };
  struct Entry {
    std::string sentence;
    std::vector<const CaseResult*> of;
    Form* form;  // in forms_, whose elements stay where they are
  };
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> index_of_;
  std::unordered_map<std::string, Form> forms_;
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
void note_measuring(const std::vector<const CaseResult*>& ok, std::vector<std::string>& notes) {
  Spread samples, steps_per_sample, warmup;
  bool some_interval = false, some_without = false;
  std::string timings;
  for (const CaseResult* result : ok) {
    const Summary* sampled = headline_time(*result);
    if (sampled == nullptr) continue;
    samples.add(sampled->n);
    steps_per_sample.add(std::max(1, result->steps_per_sample));
    warmup.add(warmup_steps_taken(*result));
    (sampled->low && sampled->high ? some_interval : some_without) = true;
    const std::string_view timing = to_text(result->policy.timing);
    if (timings.find(timing) == std::string::npos)
      timings += (timings.empty() ? "" : " or ") + std::string(timing);
  }
  if (samples.empty()) return;
  std::string line = "times: median of ";
  line += steps_per_sample.is(1)
              ? samples.of("step")
              : samples.of("sample") + " of " + steps_per_sample.of("step") + (samples.is(1) ? "" : " each");
  if (some_interval) line += " ± 95% interval (its farther end)";
  line += ", " + timings + ", after " + warmup.of("warm-up step");
  if (timings.find("graph") != std::string::npos) line += "; no phases in a graph";
  if (some_without) line += "; below 6 samples no interval is given";
  notes.push_back(line + "; rates follow from the median step");
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
  Sentences unchecked;
  for (const CaseResult* result : ok) {
    if (!result->check || result->check->items.empty()) {
      unchecked.add("no check before timing is on record", *result);
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
    const std::string what = words(result.status) + (result.reason.empty() ? "" : ": " + result.reason);
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
  note_measuring(ok, notes);
  note_first_step(ok, notes);
  note_memory(ok, notes);
  note_checks(ok, names, notes);

  Sentences stops, explanations, warnings;
  for (const CaseResult* result : ok) {
    const std::string& stop = result->stop_reason;  // "10 steps done" is what was asked for
    if (!stop.empty() && !stop.ends_with("step done") && !stop.ends_with("steps done")) {
      stops.add("stopped: " + stop, *result);
    }
  }
  for (const CaseResult* result : ok) {
    for (const std::string& note : result->notes) explanations.add(note, *result);
  }
  for (const CaseResult& result : document.cases) {
    for (const std::string& warning : result.warnings) warnings.add("warning: " + warning, result);
  }
  stops.write_to(notes, ok.size(), names);
  explanations.write_to(notes, ok.size(), names);
  warnings.write_to(notes, document.cases.size(), names);
  return notes;
}

}  // namespace bench::reports
