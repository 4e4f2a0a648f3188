#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench::machine {

// Readers for /proc and /sys. None throws: a file that is missing, unreadable or malformed is a nullopt or
// empty.

// The whole file, at most its first 4 MiB.
std::optional<std::string> read_text(const std::string& path);

// The first line without surrounding space and without control characters; nullopt when that leaves nothing.
std::optional<std::string> read_line(const std::string& path);

// A file that holds one whole number and nothing else.
std::optional<std::int64_t> read_integer(const std::string& path);

// Names in a folder, sorted, without . and ..
std::vector<std::string> list_folder(const std::string& path);

std::vector<std::string_view> lines_of(std::string_view text);
std::vector<std::string_view> words_of(std::string_view line);  // split at runs of spaces and tabs

// The whole text as a number; nullopt otherwise, also when it does not fit.
std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<double> parse_real(std::string_view text);

// What follows the first line that begins with `key`, up to the line's end and without a ':' and spaces
// before it: "MemTotal:  24684096 kB", "nr_throttled 3", "model name : AMD EPYC". The key must end where it
// ends in the file.
std::optional<std::string_view> value_after(std::string_view text, std::string_view key);

}  // namespace bench::machine
