#include "harness/scheduler/process_worker.hpp"

#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/core/build_id.hpp"
#include "harness/protocol/json.hpp"
#include "harness/scheduler/start_remedy.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/temporary_folder.hpp"

// Real processes: shell scripts that speak the protocol's lines on descriptors 3 and 4.
namespace bench::scheduler {
namespace {

struct ProcessWorkers : testing::Test {
  // A shell worker: says hello, then does `body`.
  std::unique_ptr<ProcessWorker> start(const std::string& body, const std::string& id = build_id()) {
    const std::string hello =
        protocol::to_line(protocol::Event(protocol::Hello{.program = "sh", .build_id = id}));
    return start_script(fmt::format("echo '{}' >&4\n{}", hello, body));
  }
  std::unique_ptr<ProcessWorker> start_script(const std::string& script) {
    const std::string path = folder.path("worker");
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    chmod(path.c_str(), 0755);
    return std::make_unique<ProcessWorker>(ChildProcess::Start{.program = path,
                                                               .arguments = {},
                                                               .environment = {{"BENCH_TEST_NAME", "Ada"}},
                                                               .log_path = folder.path("log")},
                                           clock, interrupts);
  }
  Reply ask(ProcessWorker& worker, double limit_s = 20) {
    return worker.ask(protocol::Verify{}, clock.now_ns() + static_cast<std::int64_t>(limit_s * 1e9),
                      [&](const protocol::Event* event) { heard += event != nullptr ? "event " : "tick "; });
  }
  static std::string line(const protocol::Event& event) {
    return fmt::format("echo '{}' >&4", protocol::to_line(event));
  }

  support::TemporaryFolder folder;
  SystemClock clock;
  Interrupts interrupts;
  std::string heard;
};

TEST_F(ProcessWorkers, AnswersAfterWhatItStreams) {
  const auto worker =
      start(fmt::format("read -r command <&3\n{}\n{}", line(protocol::Samples{}), line(protocol::Done{})));
  const Reply reply = ask(*worker);
  EXPECT_EQ(reply.kind, Reply::Kind::answered);
  EXPECT_TRUE(std::holds_alternative<protocol::Done>(reply.event));
  EXPECT_EQ(heard, "event ");
}

TEST_F(ProcessWorkers, GetsItsEnvironmentBeforeItStarts) {
  const auto worker =
      start(fmt::format("read -r c <&3; echo \"$BENCH_TEST_NAME\"\n{}", line(protocol::Done{})));
  ask(*worker);
  std::string logged;
  std::getline(std::ifstream(folder.path("log")), logged);
  EXPECT_EQ(logged, "Ada");
}

TEST_F(ProcessWorkers, AnInterpretersWorkerGoesByItsOwnName) {
  const ChildProcess::Start start{.program = "/bin/sh",
                                  .arguments = {"-c", "exit 3"},
                                  .environment = {},
                                  .log_path = folder.path("log"),
                                  .name = "peer"};
  const std::string refusal =
      support::error_of(ErrorKind::environment, [&] { ProcessWorker(start, clock, interrupts); });
  EXPECT_EQ(refusal.rfind("peer did not start: it exited with code 3", 0), 0u) << refusal;
}

TEST_F(ProcessWorkers, AKilledWorkerIsACrashThatNamesTheSignal) {
  const auto worker = start("read -r command <&3\nkill -SEGV $$");
  const Reply reply = ask(*worker);
  EXPECT_EQ(reply.kind, Reply::Kind::crashed);
  EXPECT_NE(reply.reason.find("was killed by signal 11 (Segmentation fault)"), std::string::npos)
      << reply.reason;
}

TEST_F(ProcessWorkers, AKillWithoutTheKernelsCountIsACrash) {
  const auto worker = start("read -r command <&3\nkill -KILL $$");
  const Reply reply = ask(*worker);
  EXPECT_EQ(reply.kind, Reply::Kind::crashed);
  EXPECT_NE(reply.reason.find("somebody's kill -9"), std::string::npos) << reply.reason;
}

TEST_F(ProcessWorkers, AWorkerThatExitsIsACrashWithItsLastWords) {
  const auto worker = start("read -r command <&3\necho 'terminate called' >&2\nexit 3");
  const Reply reply = ask(*worker);
  EXPECT_EQ(reply.kind, Reply::Kind::crashed);
  EXPECT_NE(reply.reason.find("exited with code 3; its last words: terminate called"), std::string::npos)
      << reply.reason;
}

TEST_F(ProcessWorkers, AHangingWorkerTimesOutAndIsGone) {
  auto worker = start("echo $$\ntrap '' TERM\nread -r command <&3\nwhile :; do sleep 1; done");
  EXPECT_EQ(ask(*worker, 0.3).kind, Reply::Kind::timed_out);
  int pid = 0;
  std::ifstream(folder.path("log")) >> pid;
  ASSERT_GT(pid, 0);
  EXPECT_NE(kill(pid, 0), 0) << "the process is still there";
}

TEST_F(ProcessWorkers, NonsenseIsACrashNotAnException) {
  const auto worker = start("read -r command <&3\necho 'Segmentation fault (core dumped)' >&4\nsleep 5");
  const Reply reply = ask(*worker);
  EXPECT_EQ(reply.kind, Reply::Kind::crashed);
  EXPECT_NE(reply.reason.find("Segmentation fault (core"), std::string::npos) << reply.reason;
}

TEST_F(ProcessWorkers, AWorkerOfAnotherBuildIsRefused) {
  const std::string error =
      support::error_of(ErrorKind::environment, [&] { start("sleep 5", "0123456789abcdef"); });
  EXPECT_NE(error.find("was built from other sources than this bench"), std::string::npos) << error;
}

TEST_F(ProcessWorkers, AWorkerThatDoesNotStartIsQuotedWithTheRemedyThatFits) {
  const auto refusal = [&](const std::string& last_words, const std::string& end) {
    return support::error_of(ErrorKind::environment, [&] {
      start_script(fmt::format("cat >&2 <<'EOF'\nbefore\n{}\nEOF\n{}", last_words, end));
    });
  };
  const std::string library = "worker: error while loading shared libraries: libtorch_cpu.so: ";
  const std::string missing = library + "cannot open shared object file: No such file or directory";
  EXPECT_EQ(refusal(missing, "exit 127"),
            "worker did not start: it exited with code 127; its last words: " + missing +
                "; scripts/setup installs what it needs (--peers: what PyTorch's rows need)");
  EXPECT_EQ(
      refusal("libgomp: Thread creation failed: Resource temporarily unavailable", "exit 1"),
      "worker did not start: it exited with code 1; its last words: libgomp: Thread creation failed: "
      "Resource temporarily unavailable; no further process or thread may be started: raise `ulimit -u` "
      "or the container's pids limit, end other programs, or set OMP_NUM_THREADS lower");
  const std::string unmapped = library + "failed to map segment from shared object";
  EXPECT_EQ(refusal(unmapped, "exit 127"),
            "worker did not start: it exited with code 127; its last words: " + unmapped +
                "; there is too little memory to start it: end other programs, or raise `ulimit -v` or the "
                "container's memory");
  EXPECT_EQ(refusal("Ada was here", "kill -SEGV $$"),
            "worker did not start: it was killed by signal 11 (Segmentation fault); its last words: Ada was "
            "here; its log is " +
                folder.path("log"));
  EXPECT_NE(refusal("x", "kill -ILL $$").find("build it again here"), std::string::npos);
}

// Sets a variable for the time of one test.
struct Variable {
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(StartRemedy, AVariableThatIsToBlameIsNamed) {
  const std::string affinity = "libgomp: Thread creation failed: Invalid argument";
  EXPECT_EQ(start_remedy(affinity), "");
  {
    const Variable seven("GOMP_CPU_AFFINITY", "7");
    EXPECT_EQ(start_remedy(affinity),
              "GOMP_CPU_AFFINITY=7 names processors that it may not use here: unset it, or name others");
  }
  const std::string named = "worker: Invalid value for environment variable OMP_STACKSIZE";
  EXPECT_EQ(start_remedy(named), "");
  const Variable stack("OMP_STACKSIZE", "lots");
  EXPECT_EQ(start_remedy(named), "OMP_STACKSIZE is set: unset it, or give it a value that is valid here");
}

TEST(StartRemedy, EachKindHasItsOwn) {
  for (const auto& [said, fragment] : std::vector<std::pair<std::string, std::string>>{
           {"terminate called: what():  std::bad_alloc", "too little memory"},
           {"it was killed by the kernel, which had run out of memory", "too little memory"},
           {"Cannot allocate memory", "too little memory"},
           {"RuntimeError: can't start new thread", "ulimit -u"},
           {"Too many open files", "ulimit -n"},
           {"symbol lookup error: x: undefined symbol: _ZN2at", "build it again here"},
           {"x: version `GLIBC_2.38' not found (required by x)", "build it again here"},
           {"ModuleNotFoundError: No module named 'torch'", "scripts/setup"}})
    EXPECT_NE(start_remedy(said).find(fragment), std::string::npos) << said << ": " << start_remedy(said);
}

TEST_F(ProcessWorkers, AnInterruptEndsTheWorkerAndIsReported) {
  const auto worker = start("read -r command <&3\nsleep 30");
  std::raise(SIGTERM);
  EXPECT_EQ(ask(*worker).kind, Reply::Kind::interrupted);
  EXPECT_EQ(interrupts.signal(), SIGTERM);
}

// As `timeout` and batch systems send it, to one process after another.
TEST_F(ProcessWorkers, ASignalThatReachesTheWorkerFirstIsNoCrash) {
  const auto worker = start("read -r command <&3\n(sleep 0.05; kill -TERM $PPID) 3<&- 4>&- &\nkill -TERM $$");
  EXPECT_EQ(ask(*worker).kind, Reply::Kind::interrupted);
}

TEST_F(ProcessWorkers, EachFreshWorkerGetsALogOfItsOwn) {
  start("")->hello();
  std::filesystem::create_directory(folder.path("logs"));
  const ChildProcess::Start start_worker{.program = folder.path("worker"), .log_path = folder.path("logs")};
  ProcessWorkerSource source([&](int) { return std::vector{start_worker}; }, clock, interrupts);
  source.worker(1);
  source.discard();
  source.worker(1);
  EXPECT_TRUE(std::filesystem::exists(folder.path("logs/worker-1.log")));
  EXPECT_TRUE(std::filesystem::exists(folder.path("logs/worker-2.log")));
}

}  // namespace
}  // namespace bench::scheduler
