#include "harness/scheduler/progress.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "harness/core/text.hpp"
#include "harness/core/units.hpp"

namespace bench::scheduler {
namespace {

std::optional<double> median_step_ns(const CaseResult& result) {
  for (const Summary& summary : result.summaries)
    if (summary.metric == "step") return summary.value;
  return std::nullopt;
}

std::string outcome_line(std::size_t index, std::size_t cases, const CaseResult& result, double took_s) {
  std::string line =
      fmt::format("[{}/{}] {}: {}", index + 1, cases, result.configuration.id(), to_text(result.status));
  if (result.status == Status::ok) {
    if (const auto median = median_step_ns(result))
      line += fmt::format(", {} a step", format_duration_ns(*median));
    line += fmt::format(", {}", result.stop_reason);
  } else {
    line += fmt::format(", {}", result.reason);
  }
  return printable(line) + fmt::format(" ({})", format_seconds_left(took_s));
}

std::string plan_line(std::size_t cases, double at_most_s) {
  return fmt::format("{} {}, at most about {} of warm-up and samples, besides set-up and checks", cases,
                     cases == 1 ? "case" : "cases", format_seconds_left(at_most_s));
}

// Cuts at `columns` terminal columns, with an ellipsis for what is gone.
std::string cut(const std::string& text, std::size_t columns) {
  if (display_width(text) <= columns || columns == 0) return text;
  std::string kept;
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (begins && ++width > columns - 1) break;
    kept += text[i];
  }
  return kept + "…";
}

class PlainProgress : public Progress {
 public:
  PlainProgress(Terminal& terminal, Clock& clock) : terminal_(terminal), clock_(clock) {}

  void begin_run(std::size_t cases, double at_most_s) override {
    cases_ = cases;
    note(plan_line(cases, at_most_s));
  }
  void begin_case(std::size_t index, const std::string&) override {
    index_ = index;
    case_began_ns_ = clock_.now_ns();
  }
  void state(const CaseState&) override {}
  void end_case(const CaseResult& result) override {
    note(outcome_line(index_, cases_, result, seconds_between(case_began_ns_, clock_.now_ns())));
  }
  void note(const std::string& sentence) override { terminal_.write(sentence + "\n"); }

 protected:
  Terminal& terminal_;
  Clock& clock_;
  std::size_t cases_ = 0, index_ = 0;
  std::int64_t case_began_ns_ = 0;
};

class LiveProgress final : public PlainProgress {
 public:
  using PlainProgress::PlainProgress;
  ~LiveProgress() override { clear(); }

  void begin_case(std::size_t index, const std::string& id) override {
    PlainProgress::begin_case(index, id);
    id_ = id;
    drawn_at_ns_ = 0;
    sampling_began_ns_ = 0;
    state({.phase = "start"});
  }

  void state(const CaseState& state) override {
    const std::int64_t now = clock_.now_ns();
    if (state.phase != "samples")
      sampling_began_ns_ = 0;
    else if (sampling_began_ns_ == 0)
      sampling_began_ns_ = now;
    const bool changed = state.phase != shown_phase_;
    if (!changed && drawn_at_ns_ != 0 && now - drawn_at_ns_ < kRedraw_ns) return;
    shown_phase_ = state.phase;
    drawn_at_ns_ = now;

    // The state comes first, so that a narrow window cuts the id.
    std::string line = fmt::format("[{}/{}] {}", index_ + 1, cases_, state.phase);
    if (state.total > 0)
      line += fmt::format(" {}/{}", std::min(state.done, state.total), state.total);
    else if (state.done > 0)
      line += fmt::format(" {}", state.done);
    if (state.median_ns) line += fmt::format(" · {} a step", format_duration_ns(*state.median_ns));
    if (const auto left = seconds_left(state, now))
      line += fmt::format(" · {} left", format_seconds_left(*left));
    line += " · " + printable(id_);
    terminal_.write("\r\x1b[K" + cut(line, terminal_.columns()));
    drawn_ = true;
  }

  void end_case(const CaseResult& result) override {
    finished_s_.push_back(seconds_between(case_began_ns_, clock_.now_ns()));
    PlainProgress::end_case(result);
  }

  void note(const std::string& sentence) override {
    clear();
    PlainProgress::note(sentence);
  }

 private:
  static constexpr std::int64_t kRedraw_ns = 100'000'000;

  void clear() {
    if (drawn_) terminal_.write("\r\x1b[K");
    drawn_ = false;
  }

  // What this case's samples still take, and the mean case for each case after it. Nothing to go by: nullopt.
  std::optional<double> seconds_left(const CaseState& state, std::int64_t now) const {
    std::optional<double> this_case;
    if (state.phase == "samples" && state.done > 0 && state.total > 0)
      this_case = seconds_between(sampling_began_ns_, now) / static_cast<double>(state.done) *
                  static_cast<double>(std::max<std::int64_t>(state.total - state.done, 0));
    double mean_s = 0;
    for (const double s : finished_s_) mean_s += s / static_cast<double>(finished_s_.size());
    const double elapsed_s = seconds_between(case_began_ns_, now);
    if (finished_s_.empty()) {
      if (!this_case) return std::nullopt;
      mean_s = elapsed_s + *this_case;
    }
    return this_case.value_or(std::max(0.0, mean_s - elapsed_s)) +
           mean_s * static_cast<double>(cases_ - index_ - 1);
  }

  std::string id_, shown_phase_;
  std::int64_t drawn_at_ns_ = 0, sampling_began_ns_ = 0;
  std::vector<double> finished_s_;
  bool drawn_ = false;
};

class QuietProgress final : public Progress {
 public:
  void begin_run(std::size_t, double) override {}
  void begin_case(std::size_t, const std::string&) override {}
  void state(const CaseState&) override {}
  void end_case(const CaseResult&) override {}
  void note(const std::string&) override {}
};

}  // namespace

std::unique_ptr<Progress> make_live_progress(Terminal& terminal, Clock& clock) {
  return std::make_unique<LiveProgress>(terminal, clock);
}
std::unique_ptr<Progress> make_plain_progress(Terminal& terminal, Clock& clock) {
  return std::make_unique<PlainProgress>(terminal, clock);
}
std::unique_ptr<Progress> make_quiet_progress() {
  return std::make_unique<QuietProgress>();
}

}  // namespace bench::scheduler
