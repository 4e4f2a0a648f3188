#include "harness/scheduler/progress.hpp"

#include <gtest/gtest.h>

#include "harness/core/text.hpp"
#include "tests/support/fake_clock.hpp"

namespace bench::scheduler {
namespace {

struct Screen final : Terminal {
  void write(const std::string& more) override { text += more; }
  std::size_t columns() override { return width; }
  // What the live line shows now: all after the last return to the line's start.
  std::string live_line() const {
    const std::size_t at = text.rfind("\r\x1b[K");
    return at == std::string::npos ? "" : text.substr(at + 4);
  }
  std::string text;
  std::size_t width = 200;
};

CaseResult ok_result() {
  CaseResult result;
  result.configuration = {.workload = "made-up", .values = {{"n", Value{std::int64_t{1}}}}};
  result.stop_reason = remark(RemarkCode::steps_taken, {{"samples", 10}, {"steps_per_sample", 1}});
  result.summaries = {{.metric = "step", .unit = "ns", .kind = Quantity::time, .value = 3.49e9, .n = 10}};
  return result;
}

struct ShownProgress : testing::Test {
  Screen screen;
  support::FakeClock clock;
};

TEST_F(ShownProgress, PlainIsOneLineAFinishedCase) {
  const auto progress = make_plain_progress(screen, clock);
  progress->begin_run({.cases = 2, .expected_s = 90, .at_most_s = 120});
  progress->begin_case(0, "made-up/n:1", {.case_s = 30, .after_s = 60});
  progress->state({.phase = "samples", .done = 3, .total = 10});
  clock.advance_s(61);
  progress->end_case(ok_result(), 62);
  progress->begin_case(1, "made-up/n:1", {.case_s = 62, .after_s = 0});
  progress->end_case(ok_result(), 0);
  EXPECT_EQ(screen.text,
            "2 cases: about 1m 30s; warm-up and samples take at most 2m 00s\n"
            "[1/2] made-up/n:1: ok, 3.49 s a step, 10 steps done (1m 01s, about 1m 02s left)\n"
            "[2/2] made-up/n:1: ok, 3.49 s a step, 10 steps done (0s)\n");
}

TEST_F(ShownProgress, PlainSaysWhyACaseIsNotOk) {
  const auto progress = make_plain_progress(screen, clock);
  progress->begin_run({.cases = 1, .expected_s = 1, .at_most_s = 1});
  progress->begin_case(0, "x", {});
  CaseResult result = ok_result();
  result.status = Status::crashed;
  result.reason = said("samples: killed\x1b[2J by\nsomebody");
  progress->end_case(result, 0);
  EXPECT_NE(screen.text.find("[1/1] made-up/n:1: crashed, samples: killed?[2J by?somebody (0s)\n"),
            std::string::npos)
      << screen.text;
}

TEST_F(ShownProgress, LiveShowsPhaseMedianAndTimeLeftOnOneLine) {
  const auto progress = make_live_progress(screen, clock);
  progress->begin_run({.cases = 3, .expected_s = 300, .at_most_s = 1});
  progress->begin_case(0, "made-up/n:1", {.case_s = 100, .after_s = 200});
  EXPECT_EQ(screen.live_line(), "[1/3] start · 5m 00s left · made-up/n:1");
  clock.advance_s(30);
  progress->state({.phase = "check"});
  EXPECT_EQ(screen.live_line(), "[1/3] check · 4m 30s left · made-up/n:1");
  progress->state({.phase = "samples", .done = 0, .total = 10});
  clock.advance_s(20);
  progress->state({.phase = "samples", .done = 2, .total = 10, .median_ns = 10e9});
  // 8 samples of 10 s are left here, and two cases of 100 s each are expected.
  EXPECT_EQ(screen.live_line(), "[1/3] samples 2/10 · 10.0 s a step · 4m 40s left · made-up/n:1");
  clock.advance_s(8);  // into the third: it does not climb while a sample lasts
  progress->state({.phase = "samples", .done = 2, .total = 10, .median_ns = 10e9});
  EXPECT_EQ(screen.live_line(), "[1/3] samples 2/10 · 10.0 s a step · 4m 32s left · made-up/n:1");
}

TEST_F(ShownProgress, LiveNeverWrapsANarrowTerminal) {
  const auto progress = make_live_progress(screen, clock);
  progress->begin_run({.cases = 1, .expected_s = 1, .at_most_s = 1});
  screen.width = 20;
  progress->begin_case(0, "a-very-long-case/id:that-goes-on", {});
  EXPECT_LE(display_width(screen.live_line()), 20u);
  EXPECT_EQ(screen.live_line(), "[1/1] start · 0s le…");
}

TEST_F(ShownProgress, LiveLeavesTheFinishedCaseAndNothingElse) {
  auto progress = make_live_progress(screen, clock);
  progress->begin_run({.cases = 1, .expected_s = 1, .at_most_s = 1});
  progress->begin_case(0, "made-up/n:1", {.case_s = 100, .after_s = 200});
  progress->end_case(ok_result(), 0);
  progress.reset();
  EXPECT_TRUE(screen.text.ends_with("\r\x1b[K[1/1] made-up/n:1: ok, 3.49 s a step, 10 steps done (0s)\n"))
      << screen.text;
}

TEST_F(ShownProgress, LiveRedrawsAtMostTenTimesASecond) {
  const auto progress = make_live_progress(screen, clock);
  progress->begin_run({.cases = 1, .expected_s = 1, .at_most_s = 1});
  progress->begin_case(0, "x", {});
  progress->state({.phase = "samples", .done = 1, .total = 1000});
  const std::size_t before = screen.text.size();
  for (int i = 0; i < 99; ++i) {
    clock.advance_ns(1'000'000);
    progress->state({.phase = "samples", .done = 2 + i, .total = 1000});
  }
  EXPECT_EQ(screen.text.size(), before);
  clock.advance_ns(1'000'000);
  progress->state({.phase = "samples", .done = 101, .total = 1000});
  EXPECT_GT(screen.text.size(), before);
}

}  // namespace
}  // namespace bench::scheduler
