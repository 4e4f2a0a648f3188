#include <limits>

#include <gtest/gtest.h>

#include "harness/protocol/json.hpp"
#include "tests/support/expect_error.hpp"

namespace bench::protocol {
namespace {

using support::error_of;

const Case kCase{
    .workload = "model",
    .values = {{"size", "small"}, {"context", std::int64_t{256}}, {"lr", 0.001}, {"beta1", 1.0}}};
const Check kCheck{
    .passed = false, .reason = "off", .items = {{"loss", 0.25, 0.5}, {"gradient", 1e-300, 1e300}}};

TEST(Messages, EveryCommandSurvivesTheLine) {
  const Command commands[] = {
      Prepare{.slot = 3,
              .configuration = kCase,
              .seed = std::numeric_limits<std::uint64_t>::max(),
              .cache = CacheState::cold,
              .timing = Timing::graph,
              .headline = Headline::device_time,
              .check = false,
              .inject_fault = "zero-output",
              .check_file = "/tmp/check"},
      WriteCheck{.slot = 6, .configuration = kCase, .seed = 1ULL << 63, .path = "/tmp/a \"b\"\n"},
      Measure{.slot = 1, .kind = SampleKind::warm_up, .samples = 5, .steps_per_sample = 7},
      RunCheck{.slot = 8},
      Verify{.slot = 2},
      Observe{.slot = 4, .pass = Pass::memory},
      Observe{.slot = 4, .pass = Pass::trace},
      Observe{.slot = 4, .pass = Pass::counters},
      Release{.slot = 5},
      Quit{}};
  for (const Command& command : commands) {
    const std::string line = to_line(command);
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    EXPECT_EQ(line.rfind("{\"command\":\"", 0), 0U) << line;
    EXPECT_EQ(command_from_line(line), command) << line;
  }
}

TEST(Messages, EveryEventSurvivesTheLine) {
  const Event events[] = {
      Hello{.slot = 1,
            .rank = 2,
            .program = "bench-worker",
            .build_id = "0123",
            .devices = {"cpu", "cuda:0"},
            .libraries = {{"torch", "2.11.0"}},
            .conditions = {{"denormals", "flushed"}},
            .empty_sample_ns = 812},
      Prepared{
          .slot = 1, .rank = 2, .check = kCheck, .phase_names = {"forward"}, .allocated_bytes = 1LL << 60},
      Prepared{.phase_names = {"forward", "backward"}, .compile_ns = 12'000'000'000},
      Progress{.slot = 1, .rank = 2, .phase = "warm-up", .done = 2, .total = 5},
      Samples{.slot = 1,
              .rank = 2,
              .samples = {{.begin_ns = 9'007'199'254'740'993,
                           .host_ns = 5,
                           .device_ns = 4,
                           .phase_ns = {1, 2, 3},
                           .steps = 4,
                           .kind = SampleKind::warm_up,
                           .rank = 2},
                          {.host_ns = 7}}},
      Done{},
      Done{.slot = 1,
           .rank = 2,
           .check = kCheck,
           .memory = MemoryReport{.before_bytes = 5,
                                  .peak_allocated_bytes = 9'223'372'036'854'775'807,
                                  .peak_by_category = {{"parameters", 7}, {"gradients", 2}},
                                  .phases = {{"forward", 5, 6}, {"backward", 6, 8}}},
           .counters = {{"minor_faults", 3}},
           .notes = {"ran aten::_flash"}},
      Failed{.slot = 1, .rank = 2, .status = Status::out_of_memory, .reason = "set-up: too large"},
      Failed{.reason = "samples: an illegal address", .worker_unusable = true}};
  for (const Event& event : events) {
    const std::string line = to_line(event);
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    EXPECT_EQ(line.rfind("{\"event\":\"", 0), 0U) << line;
    EXPECT_EQ(event_from_line(line), event) << line;
  }
}

TEST(Messages, AreFlatObjectsOfTheNamesInTheReadme) {
  EXPECT_EQ(to_line(Command(Quit{})), R"({"command":"quit"})");
  EXPECT_EQ(to_line(Command(Release{.slot = 2})), R"({"command":"release","slot":2})");
  EXPECT_EQ(
      to_line(Event(Failed{.status = Status::crashed, .reason = "x"})),
      R"({"event":"failed","slot":0,"rank":0,"status":"crashed","reason":"x","worker_unusable":false})");
}

TEST(Messages, AMalformedLineIsQuotedAndSaysWhatIsWrong) {
  const auto sentence = [](std::string_view line) {
    return error_of(ErrorKind::internal, [&] { command_from_line(line); });
  };
  EXPECT_EQ(
      sentence(R"({"command":"measure","slot":0,"kind":"measured","samples":"5","steps_per_sample":1})"),
      "cannot read the command `{\"command\":\"measure\",\"slot\":0,\"kind\":\"measured\",\"samples\":\"5\","
      "\"steps_per_sample\":1}`: samples: expected an integer, found a string");
  EXPECT_NE(sentence(R"({"command":"jump"})").find("command: \"jump\" is unknown"), std::string::npos);
  EXPECT_NE(sentence(R"({"slot":0})").find("command: missing"), std::string::npos);
  EXPECT_NE(sentence(R"({"command":"verify"})").find("slot: missing"), std::string::npos);
  EXPECT_NE(sentence(R"({"command":"verify","slot":-1})").find("slot: -1 is below 0"), std::string::npos);
  EXPECT_NE(sentence(R"({"command":"verify","slot":4294967296})").find("slot: 4294967296 is out of range"),
            std::string::npos);
  EXPECT_NE(sentence(R"([1])").find("expected an object, found an array"), std::string::npos);
  EXPECT_NE(sentence("").find("not valid JSON"), std::string::npos);
  EXPECT_NE(sentence(std::string(1000, 'x')).find("xxx...`"), std::string::npos);
  EXPECT_NE(sentence(R"({"command":"observe","slot":0,"pass":"mood"})")
                .find("pass: \"mood\" is none of memory, trace, counters"),
            std::string::npos);
  EXPECT_NE(sentence(R"({"command":"measure","slot":0,"kind":"warm","samples":5,"steps_per_sample":1})")
                .find("kind: \"warm\" is none of warm-up, measured"),
            std::string::npos);
}

TEST(Messages, AMisspelledMemberIsRefused) {
  EXPECT_NE(
      error_of(ErrorKind::internal,
               [] { event_from_line(R"({"event":"done","slot":0,"rank":0,"counters":{},"chekc":{}})"); })
          .find("chekc: this message has no such member"),
      std::string::npos);
}

TEST(Messages, AStaleWorkersGreetingIsReadAsFarAsItsBuildId) {
  const Event event = event_from_line(
      R"({"event":"hello","slot":0,"rank":0,"protocol":7,"program":"bench-worker","build_id":"old","devices":[],)"
      R"("libraries":{},"conditions":{},"novelty":1})");
  EXPECT_EQ(std::get<Hello>(event).build_id, "old");
}

TEST(Messages, AnErrorThatIsNotANumberNeverBecomesAPass) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string line = to_line(Event(Prepared{
      .check = {.passed = false, .reason = "loss is nan", .items = {{"loss", nan, 1e-5}, {"x", 1, nan}}}}));
  EXPECT_EQ(line.find("null"), std::string::npos);
  const auto items = std::get<Prepared>(event_from_line(line)).check.items;
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].error, std::numeric_limits<double>::infinity());
  EXPECT_EQ(items[0].allowed, 1e-5);
  EXPECT_EQ(items[1].allowed, 0);
}

TEST(Messages, BytesThatAreNoUtf8AreReplaced) {
  const std::string line = to_line(Event(Failed{.reason = "bad \xff\xfe byte"}));
  EXPECT_EQ(std::get<Failed>(event_from_line(line)).reason, "bad \xEF\xBF\xBD\xEF\xBF\xBD byte");
}

}  // namespace
}  // namespace bench::protocol
