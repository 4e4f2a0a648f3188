#include "harness/scheduler/interrupts.hpp"

#include <poll.h>
#include <unistd.h>

#include <csignal>

#include <gtest/gtest.h>

namespace bench::scheduler {
namespace {

bool readable(int fd) {
  pollfd asked{.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&asked, 1, 0) == 1;
}

TEST(Interrupts, EachOfThemIsRememberedAndWakesWhoPolls) {
  std::signal(SIGHUP, SIG_DFL);  // whoever started the test
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Interrupts interrupts;
    EXPECT_EQ(interrupts.signal(), std::nullopt);
    EXPECT_FALSE(readable(interrupts.fd()));
    std::raise(signal);
    EXPECT_EQ(interrupts.signal(), signal);
    EXPECT_TRUE(readable(interrupts.fd()));
  }
}

// In a process of its own: its signals are left as they are.
TEST(InterruptsDeathTest, ASecondOneAtOnceIsTheSameOneWhileResultsAreWrittenAndAfter) {
  EXPECT_EXIT(
      {
        {
          const Interrupts interrupts;
          std::raise(SIGTERM);  // timeout(1): to the process
          std::raise(SIGTERM);  // and to its group
          std::raise(SIGINT);
          if (interrupts.signal() != SIGTERM) _exit(1);
        }
        std::raise(SIGTERM);
        _exit(143);
      },
      testing::ExitedWithCode(143), "");
}

TEST(InterruptsDeathTest, ASecondOneLaterEndsTheProgramAtOnce) {
  EXPECT_EXIT(
      {
        const Interrupts interrupts;
        std::raise(SIGTERM);
        while (usleep(1'100'000) != 0) continue;
        std::raise(SIGINT);
        _exit(1);
      },
      testing::ExitedWithCode(130), "");
}

TEST(InterruptsDeathTest, AHangUpThatIsIgnoredStaysIgnored) {
  EXPECT_EXIT(
      {
        std::signal(SIGHUP, SIG_IGN);  // nohup
        { const Interrupts interrupts; }
        const Interrupts interrupts;
        std::raise(SIGHUP);
        _exit(interrupts.signal() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(InterruptsDeathTest, AfterwardsTheyEndTheProgramAgain) {
  EXPECT_EXIT(
      {
        { const Interrupts interrupts; }
        std::raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace bench::scheduler
