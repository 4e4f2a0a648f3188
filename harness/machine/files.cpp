#include "harness/machine/files.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "harness/core/text.hpp"

namespace bench::machine {

namespace {

constexpr std::size_t kLongestFile = 4 << 20;  // /proc/cpuinfo of 512 cores is about 0.7 MB

template <typename Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return number;
}

std::vector<std::string_view> split_at_any(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = text.find_first_not_of(separators); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(separators, end);
  }
  return parts;
}

}  // namespace

std::optional<std::string> read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  // Files of /proc and /sys say that they are empty or 4096 bytes long, so read until there is no more.
  std::string text, block(64 << 10, '\0');
  while (text.size() < kLongestFile) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block, 0, static_cast<std::size_t>(file.gcount()));
    if (file.bad()) return std::nullopt;  // a folder, or an attribute that refuses to be read
    if (!file) break;
  }
  text.resize(std::min(text.size(), kLongestFile));
  return text;
}

std::optional<std::string> read_line(const std::string& path) {
  const auto text = read_text(path);
  if (!text) return std::nullopt;
  // Device-tree strings end with a NUL.
  const std::string_view first =
      std::string_view(*text).substr(0, text->find_first_of(std::string_view("\n\0", 2)));
  std::string line = printable(trimmed(first));
  if (line.empty()) return std::nullopt;
  return line;
}

std::optional<std::int64_t> read_integer(const std::string& path) {
  const auto text = read_text(path);
  return text ? parse_integer(trimmed(*text)) : std::nullopt;
}

std::vector<std::string> list_folder(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(path, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  return split_at_any(text, "\n");
}

std::vector<std::string_view> words_of(std::string_view line) {
  return split_at_any(line, " \t\r\n");
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  return parse_whole<std::int64_t>(text);
}

std::optional<double> parse_real(std::string_view text) {
  const auto number = parse_whole<double>(text);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return number;
}

std::optional<std::string_view> value_after(std::string_view text, std::string_view key) {
  for (std::string_view line : lines_of(text)) {
    if (!line.starts_with(key)) continue;
    std::string_view rest = line.substr(key.size());
    if (!rest.empty() && std::string_view(" \t:").find(rest.front()) == std::string_view::npos) continue;
    rest = trimmed(rest);
    if (rest.starts_with(':')) rest = trimmed(rest.substr(1));
    return rest;
  }
  return std::nullopt;
}

}  // namespace bench::machine
