#include "harness/scheduler/progress.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "harness/core/text.hpp"
#include "harness/core/units.hpp"

namespace bench::scheduler {
namespace {

std::string outcome_line(std::size_t place, const RunExpectation& run, const CaseResult& result,
                         double took_s, double after_s) {
  std::string line =
      fmt::format("[{}/{}] {}: {}", place + 1, run.cases, result.configuration.id(), to_text(result.status));
  if (result.status == Status::ok) {
    if (const Summary* step = headline_time(result))
      line += fmt::format(", {} a step", format_duration_ns(step->value));
    line += fmt::format(", {}", result.stop_reason.text);
  } else {
    line += fmt::format(", {}", result.reason.text);
  }
  const std::string left =
      place + 1 < run.cases ? fmt::format(", about {} left", format_seconds_left(after_s)) : "";
  return printable(line) + fmt::format(" ({}{})", format_seconds_left(took_s), left);
}

std::string plan_line(const RunExpectation& run) {
  const std::string finished = run.finished > 0 ? fmt::format(", {} of them finished", run.finished) : "";
  return fmt::format("{} {}{}: about {}; warm-up and samples take at most {}", run.cases,
                     run.cases == 1 ? "case" : "cases", finished, format_seconds_left(run.expected_s),
                     format_seconds_left(run.at_most_s)) +
         beyond_timeout_text(run.beyond_timeout);
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

  void begin_run(const RunExpectation& expectation) override {
    run_ = expectation;
    note(plan_line(run_));
  }
  void begin_case(std::size_t place, const std::string&, const CaseExpectation& expectation) override {
    place_ = place;
    expected_ = expectation;
    case_began_ns_ = clock_.now_ns();
  }
  void state(const CaseState&) override {}
  void end_case(const CaseResult& result, double after_s) override {
    note(outcome_line(place_, run_, result, seconds_between(case_began_ns_, clock_.now_ns()), after_s));
  }
  void note(const std::string& sentence) override { terminal_.write(sentence + "\n"); }

 protected:
  Terminal& terminal_;
  Clock& clock_;
  RunExpectation run_;
  CaseExpectation expected_;
  std::size_t place_ = 0;
  std::int64_t case_began_ns_ = 0;
};

class LiveProgress final : public PlainProgress {
 public:
  using PlainProgress::PlainProgress;
  ~LiveProgress() override { clear(); }

  void begin_case(std::size_t place, const std::string& id, const CaseExpectation& expectation) override {
    PlainProgress::begin_case(place, id, expectation);
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
    if (sampling_began_ns_ == now || state.done != sampled_) {
      sampled_ = state.done;
      sampled_at_ns_ = now;
    }
    const bool changed = state.phase != shown_phase_;
    if (!changed && drawn_at_ns_ != 0 && now - drawn_at_ns_ < kRedraw_ns) return;
    shown_phase_ = state.phase;
    drawn_at_ns_ = now;

    // The state comes first, so that a narrow window cuts the id.
    std::string line = fmt::format("[{}/{}] {}", place_ + 1, run_.cases, state.phase);
    if (state.total > 0)
      line += fmt::format(" {}/{}", std::min(state.done, state.total), state.total);
    else if (state.done > 0)
      line += fmt::format(" {}", state.done);
    if (state.median_ns) line += fmt::format(" · {} a step", format_duration_ns(*state.median_ns));
    line += fmt::format(" · {} left", format_seconds_left(seconds_left(state, now)));
    line += " · " + printable(id_);
    terminal_.write("\r\x1b[K" + cut(line, terminal_.columns()));
    drawn_ = true;
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

  // Of this case by its samples, once there are some, else by what is expected of it; and of those after it.
  double seconds_left(const CaseState& state, std::int64_t now) const {
    double this_case = std::max(0.0, expected_.case_s - seconds_between(case_began_ns_, now));
    if (state.phase == "samples" && state.done > 0 && state.total > 0) {
      const double each_s =
          seconds_between(sampling_began_ns_, sampled_at_ns_) / static_cast<double>(state.done);
      this_case = std::max(
          0.0, each_s * static_cast<double>(state.total - state.done) - seconds_between(sampled_at_ns_, now));
    }
    return this_case + expected_.after_s;
  }

  std::string id_, shown_phase_;
  std::int64_t drawn_at_ns_ = 0, sampling_began_ns_ = 0;
  std::int64_t sampled_ = 0,
               sampled_at_ns_ = 0;  // how many samples there were at the last look, and since when
  bool drawn_ = false;
};

class QuietProgress final : public Progress {
 public:
  void begin_run(const RunExpectation&) override {}
  void begin_case(std::size_t, const std::string&, const CaseExpectation&) override {}
  void state(const CaseState&) override {}
  void end_case(const CaseResult&, double) override {}
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

std::string beyond_timeout_text(std::size_t cases) {
  if (cases == 0) return {};
  return fmt::format("; {} of them {} likely to outlast --timeout", cases, cases == 1 ? "is" : "are");
}

}  // namespace bench::scheduler
