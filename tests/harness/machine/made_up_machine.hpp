#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace bench::machine {

// A root folder with a few files of /proc, /sys and /etc in it, removed at the end of the test.
class MadeUpMachine {
 public:
  MadeUpMachine() {
    std::string pattern = (std::filesystem::temp_directory_path() / "bench-machine-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    root_ = pattern;
  }
  ~MadeUpMachine() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  MadeUpMachine(const MadeUpMachine&) = delete;
  MadeUpMachine& operator=(const MadeUpMachine&) = delete;

  // `path` as it would be on the machine: "/proc/meminfo". Folders are made as needed.
  MadeUpMachine& with(const std::string& path, std::string_view content) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path, std::ios::binary) << content;
    return *this;
  }
  MadeUpMachine& with_folder(const std::string& path) {
    std::filesystem::create_directories(root_ + path);
    return *this;
  }

  const std::string& root() const { return root_; }

 private:
  std::string root_;
};

}  // namespace bench::machine
