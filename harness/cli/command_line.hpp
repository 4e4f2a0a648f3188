#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/registry/expand.hpp"

// What a person typed, as plain structs: the option parser stays in command_line.cpp.
namespace bench::cli {

struct RunRequest {
  std::string workload;
  std::string preset;
  registry::Options options;      // everything else that a preset may set too, by name without dashes
  std::vector<std::string> zips;  // "size,batch": axes in lockstep
  std::string filter, exclude;    // regular expressions on case ids
  std::string cases;              // a file that names whole cases
  std::string resume;             // run directory to go on with; the rest then comes from there
  bool force = false;             // resume although build or machine differ
  bool dry_run = false;
  std::string device = "auto";
  std::string out, label;
  std::string memory_limit;  // "" : what the machine has
  std::string inject_fault;
  bool quiet = false, json = false, host_defaults = false, profile = false;
};

struct ListRequest {
  std::string pattern;
  bool json = false;
};

struct ReportRequest {
  std::vector<std::string> runs;  // none: the latest
  std::string format = "markdown";
  std::string output;                // "": standard output
  std::string rows, columns, value;  // comma lists; any of them makes a pivot
  std::string filter, exclude;       // regular expressions on case ids
};

struct CompareRequest {
  std::vector<std::string> runs;  // the base first
  std::string format = "markdown";
  std::string output;  // "": standard output
  std::string threshold = "1%";
  std::string metrics;                 // "": each case's first
  std::optional<std::string> fail_on;  // a comma list
  std::string filter, exclude;         // regular expressions on case ids
  bool strict = false, despite_differences = false;
};

struct EnvRequest {
  bool json = false, check = false;
};

struct Printed {  // --help or --version: done already
  std::string text;
};

using Request = std::variant<RunRequest, ListRequest, CompareRequest, ReportRequest, EnvRequest, Printed>;

// Throws Error(usage) with the nearest match for an unknown command, workload or option.
Request parse_command_line(const std::vector<std::string>& arguments);

}  // namespace bench::cli
