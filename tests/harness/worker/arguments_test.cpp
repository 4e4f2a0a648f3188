#include "harness/worker/arguments.hpp"

#include <gtest/gtest.h>

#include "tests/support/expect_error.hpp"

namespace bench::worker {
namespace {

Arguments parse(std::vector<std::string> words) {
  words.insert(words.begin(), "bench-worker");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return parse_arguments(static_cast<int>(argv.size()), argv.data());
}

TEST(WorkerArguments, StandaloneRun) {
  const Arguments arguments = parse({"--case", "model/size:small", "--steps=3", "--no-check",
                                     "--memory-budget", "2GiB", "--device", "cuda:1"});
  EXPECT_EQ(arguments.case_id, "model/size:small");
  EXPECT_EQ(arguments.steps, 3);
  EXPECT_FALSE(arguments.check);
  EXPECT_EQ(arguments.device, "cuda:1");
  EXPECT_EQ(arguments.memory_budget_bytes, std::int64_t{2} << 30);
}

TEST(WorkerArguments, MistakesAreUsageErrors) {
  const auto refusal = [](std::vector<std::string> words) {
    return support::error_of(ErrorKind::usage, [&] { parse(words); });
  };
  EXPECT_EQ(refusal({"--stpes", "3"}), "there is no option --stpes; did you mean --steps?");
  EXPECT_EQ(refusal({"--steps"}), "--steps needs a value");
  EXPECT_EQ(refusal({"--steps", "-1"}), "--steps: \"-1\" is not a whole number of at least 0");
  EXPECT_EQ(refusal({"--no-check=1"}).substr(0, 26), "there is no option --no-ch");
}

}  // namespace
}  // namespace bench::worker
