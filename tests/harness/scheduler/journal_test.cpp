#include "harness/scheduler/journal.hpp"

#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/scheduler/files.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bench::scheduler {
namespace {

std::string content(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// As a full disk does, a file-size limit makes write() take a part and then fail.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST(Journal, HasEachLineOnceAppended) {
  const support::TemporaryFolder folder;
  Journal journal(folder.path("cases.jsonl"));
  journal.append("{\"a\":1}");
  EXPECT_EQ(content(folder.path("cases.jsonl")), "{\"a\":1}\n");
  journal.append("{\"b\":2}");
  EXPECT_EQ(content(folder.path("cases.jsonl")), "{\"a\":1}\n{\"b\":2}\n");
}

TEST(Journal, NeverOverwritesAnother) {
  const support::TemporaryFolder folder;
  const Journal first(folder.path("cases.jsonl"));
  const std::string error =
      support::error_of(ErrorKind::usage, [&] { Journal second(folder.path("cases.jsonl")); });
  EXPECT_NE(error.find("cases.jsonl is another run's, begun at the same time; name a new folder"),
            std::string::npos)
      << error;
}

TEST(Journal, GoesOnBehindTheLastWholeLine) {
  const support::TemporaryFolder folder;
  const std::string path = folder.path("cases.jsonl");
  for (const std::string& torn :
       std::vector<std::string>{"", "{\"kind\":\"ca", "x", std::string(10'000, 'y')}) {
    std::ofstream(path) << "{}\n[2]\n" << torn;
    Journal journal(path, Journal::Start::resumed);
    EXPECT_EQ(content(path), "{}\n[2]\n");
    journal.append("[3]");
    EXPECT_EQ(content(path), "{}\n[2]\n[3]\n");
  }
}

TEST(Journal, CutsOffALastLineThatAPowerFailureBrokeBeforeItsNewline) {
  const support::TemporaryFolder folder;
  const std::string path = folder.path("cases.jsonl");
  const std::string zeros(5000, '\0');
  for (const std::string& broken :
       {std::string("{\"kind\":\"case\",\"id\":\"x\n"), "{\"kind\"" + zeros + "\n", zeros + "\n",
        zeros + "\n\n \n", "{\"a\":" + zeros + "\n{\"b\""}) {
    std::ofstream(path) << "{}\n[2]\n" << broken;
    Journal journal(path, Journal::Start::resumed);
    EXPECT_EQ(content(path), "{}\n[2]\n");
    journal.append("[3]");
    EXPECT_EQ(content(path), "{}\n[2]\n[3]\n");
  }
  std::ofstream(path) << "{}\ndamage\n[2]\n";
  const Journal journal(path, Journal::Start::resumed);
  EXPECT_EQ(content(path), "{}\ndamage\n[2]\n") << "damage further up is for a person to decide about";
}

TEST(Journal, WithNoWholeLineItBeginsAgain) {
  const support::TemporaryFolder folder;
  std::ofstream(folder.path("torn")) << "{\"kind\":\"run\"";
  const Journal journal(folder.path("torn"), Journal::Start::resumed);
  EXPECT_EQ(content(folder.path("torn")), "");
}

TEST(Journal, HasOneWriterAtATime) {
  const support::TemporaryFolder folder;
  const std::string path = folder.path("cases.jsonl");
  {
    const Journal first(path);
    const std::string error =
        support::error_of(ErrorKind::usage, [&] { Journal second(path, Journal::Start::resumed); });
    EXPECT_NE(error.find("is being written by another bench"), std::string::npos) << error;
  }
  const Journal after(path, Journal::Start::resumed);
}

TEST(Journal, FullDiskKeepsTheWholeLinesAndSaysWhichFile) {
  const support::TemporaryFolder folder;
  Journal journal(folder.path("cases.jsonl"));
  journal.append("first");
  {
    const FileSizeLimit limit(100);
    const std::string error =
        support::error_of(ErrorKind::io, [&] { journal.append(std::string(500, 'x')); });
    EXPECT_NE(error.find("cases.jsonl could not be written"), std::string::npos) << error;
  }
  EXPECT_EQ(content(folder.path("cases.jsonl")), "first\n");
  journal.append("second");  // there is room again
  EXPECT_EQ(content(folder.path("cases.jsonl")), "first\nsecond\n");
}

TEST(WriteWholeFile, AFullDiskComesWithItsRemedy) {
  EXPECT_EQ(support::error_of(ErrorKind::io, [] { write_whole_file("/dev/full", "x"); }),
            "/dev/full could not be written: No space left on device; free some");
  EXPECT_EQ(support::error_of(ErrorKind::io, [] { fail_to_write("cases.jsonl", EROFS); }),
            "cases.jsonl could not be written: Read-only file system");
}

TEST(WriteWholeFile, LeavesTheOldFileWhenTheNewOneDoesNotFit) {
  const support::TemporaryFolder folder;
  write_whole_file(folder.path("run.json"), "old");
  {
    const FileSizeLimit limit(100);
    support::error_of(ErrorKind::io,
                      [&] { write_whole_file(folder.path("run.json"), std::string(500, 'x')); });
  }
  EXPECT_EQ(content(folder.path("run.json")), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1)
      << "a partial file is left";
  write_whole_file(folder.path("run.json"), "new");
  EXPECT_EQ(content(folder.path("run.json")), "new");
}

TEST(WriteWholeFile, FollowsALinkAndLeavesWhatIsNoRegularFileInItsPlace) {
  const support::TemporaryFolder folder;
  write_whole_file(folder.path("target"), "old");
  std::filesystem::create_symlink("target", folder.path("link"));
  write_whole_file(folder.path("link"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(content(folder.path("target")), "new");

  std::filesystem::create_symlink("/dev/null", folder.path("null"));
  write_whole_file(folder.path("null"), "text");
  EXPECT_TRUE(std::filesystem::is_character_file(folder.path("null")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 3);
}

}  // namespace
}  // namespace bench::scheduler
