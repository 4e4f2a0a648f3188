#include "harness/trace/range.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/harness/trace/recording.hpp"

namespace bench::trace {
namespace {

using testing::NvtxEvent;

constexpr std::array kStepNames{Name::FWD_STEP,       Name::BWD_STEP,     Name::OPTIM_STEP,    Name::BLOCK,
                                Name::ATTN_QK_MATMUL, Name::ATTN_SOFTMAX, Name::ATTN_AV_MATMUL};

// "push FWD_STEP", "pop FWD_STEP", ...
std::vector<std::string> outline(const std::vector<NvtxEvent>& events) {
  std::vector<std::string> result;
  for (const NvtxEvent& event : events) result.push_back(event.event + " " + event.name);
  return result;
}

class TraceRange : public testing::NvtxRecording {
 protected:
  void TearDown() override { set_step_ranges(false); }
};
using TraceSpan = TraceRange;

TEST_F(TraceRange, EveryNameIsRegisteredOnceInTheDomainBench) {
  set_step_ranges(true);
  for (int i = 0; i < 3; ++i) {
    for (const Name name : kStepNames) const Range range(name);
    const Range warmup(Name::WARMUP);
    const Range check(Name::CHECK);
  }
  int domains = 0;
  std::map<std::string, int> registrations;
  for (const NvtxEvent& event : all_events()) {
    if (event.event == "domain" && event.domain == "bench") ++domains;
    if (event.event == "string" && event.domain == "bench") ++registrations[event.name];
  }
  EXPECT_EQ(domains, 1);
  for (const char* name : {"FWD_STEP", "BWD_STEP", "OPTIM_STEP", "BLOCK", "ATTN_QK_MATMUL", "ATTN_SOFTMAX",
                           "ATTN_AV_MATMUL", "WARMUP", "CHECK"}) {
    EXPECT_EQ(registrations[name], 1) << name;
  }
  const std::vector<NvtxEvent> seen = events();
  EXPECT_EQ(seen.size(), 3 * 2 * (kStepNames.size() + 2));
  for (const NvtxEvent& event : seen) {
    EXPECT_EQ(event.domain, "bench");
    EXPECT_TRUE(event.registered) << event.name;
  }
}

TEST_F(TraceRange, CarriesItsOwnName) {
  set_step_ranges(true);
  for (const Name name : kStepNames) {
    { const Range range(name); }
    EXPECT_EQ(events().back().name, to_text(name));
  }
}

TEST_F(TraceRange, NestsAndCarriesAPayloadOnlyWhereOneWasGiven) {
  set_step_ranges(true);
  {
    const Range step(Name::FWD_STEP);
    const Range block(Name::BLOCK, 3);
    const Range softmax(Name::ATTN_SOFTMAX);
  }
  const std::vector<NvtxEvent> seen = events();
  EXPECT_EQ(outline(seen), (std::vector<std::string>{"push FWD_STEP", "push BLOCK", "push ATTN_SOFTMAX",
                                                     "pop ATTN_SOFTMAX", "pop BLOCK", "pop FWD_STEP"}));
  EXPECT_EQ(seen[0].level, 0);
  EXPECT_EQ(seen[1].level, 1);
  EXPECT_EQ(seen[2].level, 2);
  EXPECT_EQ(seen[0].payload, std::nullopt);
  EXPECT_EQ(seen[1].payload, 3);
  EXPECT_EQ(seen[2].payload, std::nullopt);
}

TEST_F(TraceRange, StepRangesStaySilentUntilTheyAreSwitchedOn) {
  {
    const Range warmup(Name::WARMUP);
    for (const Name name : kStepNames) const Range range(name, 1);
    for (const Name name : kStepNames) const Range range(name);
  }
  { const Range check(Name::CHECK); }
  EXPECT_EQ(outline(events()),
            (std::vector<std::string>{"push WARMUP", "pop WARMUP", "push CHECK", "pop CHECK"}));
}

TEST_F(TraceRange, ClosesWhatItOpenedThoughStepRangesWereSwitchedOffMeanwhile) {
  set_step_ranges(true);
  {
    const Range step(Name::FWD_STEP);
    set_step_ranges(false);
  }
  EXPECT_EQ(outline(events()), (std::vector<std::string>{"push FWD_STEP", "pop FWD_STEP"}));
}

TEST_F(TraceRange, ClosesNothingWhenStepRangesWereSwitchedOnMeanwhile) {
  const Range check(Name::CHECK);
  {
    const Range step(Name::FWD_STEP);
    set_step_ranges(true);
  }
  EXPECT_EQ(outline(events()), (std::vector<std::string>{"push CHECK"}));
}

TEST_F(TraceRange, BalancesOnEveryThreadWhileAnotherOneToggles) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 50;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < kRounds; ++i) {
        const Range check(Name::CHECK);
        const Range step(Name::BWD_STEP);
        const Range block(Name::BLOCK, i);
      }
    });
  }
  for (int i = 0; i < kRounds; ++i) set_step_ranges(i % 2 == 0);
  for (std::thread& thread : threads) thread.join();

  std::map<int, std::vector<std::string>> open;  // by thread
  std::set<int> seen_threads;
  int checks = 0;
  for (const NvtxEvent& event : events()) {
    seen_threads.insert(event.thread);
    std::vector<std::string>& stack = open[event.thread];
    if (event.event == "push") {
      EXPECT_EQ(event.level, static_cast<int>(stack.size()));
      stack.push_back(event.name);
      if (event.name == "CHECK") ++checks;
    } else {
      ASSERT_FALSE(stack.empty());
      EXPECT_EQ(event.name, stack.back());
      stack.pop_back();
    }
  }
  EXPECT_EQ(checks, kThreads * kRounds);
  EXPECT_EQ(seen_threads.size(), static_cast<std::size_t>(kThreads));
  const std::vector<NvtxEvent> all = all_events();
  EXPECT_EQ(
      std::count_if(all.begin(), all.end(),
                    [](const NvtxEvent& event) { return event.event == "string" && event.name == "BLOCK"; }),
      1);
  for (const auto& [thread, stack] : open) EXPECT_TRUE(stack.empty()) << thread;
}

TEST_F(TraceSpan, IsARegisteredStartEndRangeUnderARunTimeName) {
  const std::string id = "model/size:small/context:256";
  { const Span span(id); }
  const std::vector<NvtxEvent> seen = events();
  ASSERT_EQ(outline(seen), (std::vector<std::string>{"start " + id, "end " + id}));
  for (const NvtxEvent& event : seen) {
    EXPECT_EQ(event.domain, "bench");
    EXPECT_TRUE(event.registered);
    EXPECT_EQ(event.id, seen[0].id);
  }
}

TEST_F(TraceSpan, OverlapsOthersAndIsEndedOnce) {
  Span first("first");
  Span second("second");
  first.end();
  first.end();
  second.end();
  EXPECT_EQ(outline(events()),
            (std::vector<std::string>{"start first", "start second", "end first", "end second"}));
}

TEST_F(TraceSpan, RegistersANameOnceForAllSpansThatShareIt) {
  for (int i = 0; i < 3; ++i) const Span span(kMeasure);
  const std::vector<NvtxEvent> all = all_events();
  EXPECT_EQ(std::count_if(
                all.begin(), all.end(),
                [](const NvtxEvent& event) { return event.event == "string" && event.name == "MEASURE"; }),
            1);
  EXPECT_EQ(events().size(), 6u);
}

TEST_F(TraceSpan, MovesWithoutEnding) {
  Span empty;
  {
    Span outer("outer");
    Span inner(std::move(outer));
    empty = std::move(inner);
  }
  EXPECT_EQ(outline(events()), (std::vector<std::string>{"start outer"}));
  empty = Span("next");
  EXPECT_EQ(outline(events()), (std::vector<std::string>{"start outer", "start next", "end outer"}));
  empty.end();
  EXPECT_EQ(outline(events()).back(), "end next");
}

TEST_F(TraceSpan, MayBeEndedByAnotherThread) {
  auto span = std::make_unique<Span>("handed over");
  std::thread([moved = std::move(span)]() mutable { moved.reset(); }).join();
  const std::vector<NvtxEvent> seen = events();
  ASSERT_EQ(outline(seen), (std::vector<std::string>{"start handed over", "end handed over"}));
  EXPECT_NE(seen[0].thread, seen[1].thread);
}

}  // namespace
}  // namespace bench::trace
