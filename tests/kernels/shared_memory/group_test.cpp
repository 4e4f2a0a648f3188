#include "kernels/shared_memory/group.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "harness/core/error.hpp"
#include "tests/kernels/shared_memory/processes.hpp"

namespace bench::shared_memory {
namespace {

using testing::Each;
using testing::HasSubstr;

// Nothing, one element, odd counts below and above what goes in one step, several chunks with a ragged end.
constexpr std::int64_t kCounts[] = {0, 1, 3, 1000, 4097, 65'537, 700'001};

// Element i of rank r. Sums over ranks are exact in fp32.
float value(int rank, std::int64_t i) {
  return static_cast<float>(rank * 3 + i % 1001);
}
float sum_over(int size, std::int64_t i) {
  return static_cast<float>(3 * size * (size - 1) / 2 + size * (i % 1001));
}
std::vector<float> values_of(int rank, std::int64_t count, std::int64_t first = 0) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = value(rank, first + i);
  return values;
}

// "" or where the first difference is.
std::string difference(const std::vector<float>& got, const std::function<float(std::int64_t)>& right) {
  for (std::size_t i = 0; i < got.size(); ++i)
    if (const float expected = right(static_cast<std::int64_t>(i)); got[i] != expected)
      return "of " + std::to_string(got.size()) + " element " + std::to_string(i) + " is " +
             std::to_string(got[i]) + ", not " + std::to_string(expected) + "\n";
  return "";
}

struct GroupOf : testing::TestWithParam<int> {
  // Also as where ranks share cores, with its larger chunks and without spinning.
  void expect_right(const RankBody& body) {
    for (const bool core_per_rank : {true, false})
      EXPECT_THAT(run_ranks(GetParam(), body, {.core_per_rank = core_per_rank}), Each(""));
  }
};
INSTANTIATE_TEST_SUITE_P(Sizes, GroupOf, testing::Values(1, 2, 3, 4, 7));

TEST_P(GroupOf, AllReduceGivesEveryRankTheSum) {
  expect_right([](Group& group) {
    std::string wrong;
    for (const std::int64_t count : kCounts) {
      const std::vector<float> input = values_of(group.rank(), count);
      std::vector<float> output(input.size(), -1);
      group.all_reduce(input.data(), output.data(), count, Element::fp32);
      wrong += difference(output, [&](auto i) { return sum_over(group.size(), i); });
      wrong += difference(input, [&](auto i) { return value(group.rank(), i); });
    }
    return wrong;
  });
}

TEST_P(GroupOf, AllReduceMayBeInPlace) {
  expect_right([](Group& group) {
    std::string wrong;
    for (const std::int64_t count : kCounts) {
      std::vector<float> buffer = values_of(group.rank(), count);
      group.all_reduce(buffer.data(), buffer.data(), count, Element::fp32);
      wrong += difference(buffer, [&](auto i) { return sum_over(group.size(), i); });
    }
    return wrong;
  });
}

TEST_P(GroupOf, AllGatherPutsEveryRankInItsPlace) {
  expect_right([](Group& group) {
    std::string wrong;
    for (const std::int64_t count : kCounts) {
      const std::vector<float> input = values_of(group.rank(), count);
      std::vector<float> output(input.size() * static_cast<std::size_t>(group.size()), -1);
      group.all_gather(input.data(), output.data(), count, Element::fp32);
      wrong += difference(output, [&](auto i) { return value(int(i / count), i % count); });
    }
    return wrong;
  });
}

TEST_P(GroupOf, ReduceScatterGivesEachRankTheSumOfItsRow) {
  expect_right([](Group& group) {
    std::string wrong;
    for (const std::int64_t count : kCounts) {
      const std::vector<float> input = values_of(group.rank(), count * group.size());
      std::vector<float> output(static_cast<std::size_t>(count), -1);
      group.reduce_scatter(input.data(), output.data(), count, Element::fp32);
      wrong += difference(output, [&](auto i) { return sum_over(group.size(), group.rank() * count + i); });
    }
    return wrong;
  });
}

TEST_P(GroupOf, BroadcastGivesEveryRankTheRootsValues) {
  expect_right([](Group& group) {
    std::string wrong;
    for (const std::int64_t count : kCounts) {
      const int root = group.size() - 1;
      std::vector<float> buffer = values_of(group.rank(), count);
      group.broadcast(buffer.data(), count, Element::fp32, root);
      wrong += difference(buffer, [&](auto i) { return value(root, i); });
    }
    return wrong;
  });
}

TEST_P(GroupOf, AllToAllSwapsRowsAlsoInPlace) {
  expect_right([](Group& group) {
    std::string wrong;
    for (const std::int64_t count : kCounts) {
      const std::vector<float> input = values_of(group.rank(), count * group.size());
      const auto right = [&](std::int64_t i) {
        return value(int(i / count), group.rank() * count + i % count);
      };
      std::vector<float> output(input.size(), -1), buffer = input;
      group.all_to_all(input.data(), output.data(), count, Element::fp32);
      group.all_to_all(buffer.data(), buffer.data(), count, Element::fp32);
      wrong += difference(output, right) + difference(buffer, right);
    }
    return wrong;
  });
}

TEST(Group, WritesResultsPastTheCachesAtAnyAlignment) {
  const std::int64_t count = (33 << 20) / 4 + 5;  // beyond the size from which it does
  EXPECT_THAT(run_ranks(2,
                        [&](Group& group) {
                          const std::vector<float> input = values_of(group.rank(), count);
                          std::vector<float> output(input.size() + 1, -1);
                          group.all_reduce(input.data(), output.data() + 1, count, Element::fp32);
                          output.erase(output.begin());
                          return difference(output, [&](auto i) { return sum_over(group.size(), i); });
                        }),
              Each(""));
}

TEST(Group, KeepsItsEventsInOrderOverManyCallsOfAllKinds) {
  EXPECT_THAT(run_ranks(3,
                        [](Group& group) {
                          for (int call = 0; call < 3000; ++call) {
                            const auto mine = std::int64_t{group.rank() + call};
                            std::int64_t sum = -1, roots = mine;
                            group.broadcast(&roots, 1, Element::int64, call % 3);
                            if (roots != call % 3 + call) return "broadcast " + std::to_string(call);
                            group.all_reduce(&mine, &sum, 1, Element::int64);
                            if (sum != 3 + 3 * call) return "all-reduce " + std::to_string(call);
                          }
                          return std::string();
                        },
                        {.core_per_rank = false}),
              Each(""));
}

TEST(Group, SaysWhichRankWasKilledInTheMiddle) {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<std::string> said = run_ranks(3, [](Group& group) {
    std::vector<float> buffer(1 << 20);
    for (int call = 0;; ++call) {
      if (call == 20 && group.rank() == 1) kill(getpid(), SIGKILL);
      group.all_reduce(buffer.data(), buffer.data(), 1 << 20, Element::fp32);
    }
    return std::string();
  });
  EXPECT_THAT(said[1], HasSubstr("killed by signal 9"));
  for (const int survivor : {0, 2})
    EXPECT_TRUE(said[survivor].starts_with("rank 1 (process ") || said[survivor].ends_with("has given up"))
        << said[survivor];
  EXPECT_TRUE((said[0] + said[2]).find("rank 1 (process ") != std::string::npos);
  // No timing: far below the patience of a minute is what matters.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST(Group, SaysWhichRankDoesNotComeWithinItsPatience) {
  const std::vector<std::string> said = run_ranks(2,
                                                  [](Group& group) {
                                                    float sum = 1;
                                                    if (group.rank() == 1)
                                                      std::this_thread::sleep_for(std::chrono::seconds(1));
                                                    if (group.rank() == 0)
                                                      group.all_reduce(&sum, &sum, 1, Element::fp32);
                                                    return std::string();
                                                  },
                                                  {.patience = std::chrono::milliseconds(300)});
  EXPECT_THAT(said[0], HasSubstr("rank 1 (process "));
  EXPECT_THAT(said[0], HasSubstr("has not come within 300 ms"));
}

TEST(Group, RefusesCallsThatDiffer) {
  const std::vector<std::string> said = run_ranks(2, [](Group& group) {
    std::vector<float> buffer(100'000);
    group.all_reduce(buffer.data(), buffer.data(), group.rank() == 0 ? 100'000 : 50'000, Element::fp32);
    return std::string("no complaint");
  });
  EXPECT_THAT(said, Each(HasSubstr("ranks differ: ")));
  EXPECT_THAT(said[0], HasSubstr("rank 0 is at all-reduce of 400000 bytes"));
  EXPECT_THAT(said[0], HasSubstr("rank 1 at all-reduce of 200000 bytes"));
}

// What has no name goes with the last process that has it open or mapped, also when all of them are killed.
TEST(Group, HasMemoryWithoutAName) {
  const Group group = Group::create(2);
  struct stat about {};
  ASSERT_EQ(stat(group.address().c_str(), &about), 0);
  EXPECT_EQ(about.st_nlink, 0U);
}

TEST(Group, LeavesNothingToJoinWhenEveryRankIsKilled) {
  std::array<int, 2> addresses{};
  ASSERT_EQ(pipe(addresses.data()), 0);
  const std::vector<std::string> said = run_ranks(2, [&](Group& group) {
    float sum = 1;
    group.all_reduce(&sum, &sum, 1, Element::fp32);
    const std::string address = group.address();
    if (write(addresses[1], address.data(), address.size()) < 0) return std::string("cannot write");
    kill(getpid(), SIGKILL);
    return std::string();
  });
  EXPECT_THAT(said, Each("killed by signal 9"));
  std::array<char, 64> address{};
  ASSERT_GT(read(addresses[0], address.data(), address.size() - 1), 0);
  EXPECT_THROW(Group::join(address.data(), 1), Error);
}

TEST(Group, CannotBeJoinedWhereItsCreatorHasEnded) {
  const pid_t ended = fork();
  if (ended == 0) _exit(0);
  waitpid(ended, nullptr, 0);
  EXPECT_THROW(Group::join("/proc/" + std::to_string(ended) + "/fd/3", 1), Error);
}

}  // namespace
}  // namespace bench::shared_memory
