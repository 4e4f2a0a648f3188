#include "harness/core/text.hpp"

#include <algorithm>
#include <numeric>

namespace bench {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

// Length in bytes of the valid UTF-8 sequence at the front of `text`, 0 if it is not one.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  std::size_t length = 0;
  if (first < 0x80)
    length = 1;
  else if (first >= 0xC2 && first <= 0xDF)
    length = 2;
  else if (first >= 0xE0 && first <= 0xEF)
    length = 3;
  else if (first >= 0xF0 && first <= 0xF4)
    length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  if (first == 0xE0 && byte(1) < 0xA0) return 0;  // overlong
  if (first == 0xED && byte(1) > 0x9F) return 0;  // surrogate
  if (first == 0xF0 && byte(1) < 0x90) return 0;  // overlong
  if (first == 0xF4 && byte(1) > 0x8F) return 0;  // above U+10FFFF
  return length;
}

// C0, DEL, the C1 controls (U+0080..U+009F), which some terminals obey, and what moves text without being
// seen: the line separators U+2028 and U+2029, and the marks, embeddings, overrides and isolates of
// bidirectional text (U+061C, U+200E, U+200F, U+202A..U+202E, U+2066..U+2069).
bool is_control(std::string_view code_point) {
  const auto first = static_cast<unsigned char>(code_point[0]);
  const auto last = static_cast<unsigned char>(code_point.back());
  if (code_point.size() == 1) return first < 0x20 || first == 0x7F;
  if (code_point.size() == 2 && first == 0xC2) return last < 0xA0;
  if (code_point.starts_with("\xE2\x80"))
    return last == 0x8E || last == 0x8F || (last >= 0xA8 && last <= 0xAE);
  if (code_point.starts_with("\xE2\x81")) return last >= 0xA6 && last <= 0xA9;
  return code_point == "\xD8\x9C";
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  const std::size_t reach = std::max<std::size_t>(2, word.size() / 3);
  const std::string* best = nullptr;
  std::size_t best_distance = reach + 1;
  for (const std::string& candidate : candidates) {
    std::size_t distance = edit_distance(word, candidate);
    // A word typed in part is near however much is missing: "boun" means "bounded-queue".
    if (word.size() >= 3 && candidate.find(word) != std::string::npos)
      distance = std::min<std::size_t>(distance, 1);
    if (distance < best_distance && distance < std::max(word.size(), candidate.size())) {
      best_distance = distance;
      best = &candidate;
    }
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  if (const auto near = nearest(word, candidates)) return "; did you mean " + *near + "?";
  if (candidates.empty()) return "";
  return "; valid: " + join(candidates, ", ");
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::string with_spaces(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      result += "\xEF\xBF\xBD";  // U+FFFD
      text.remove_prefix(1);
      continue;
    }
    const std::string_view code_point = text.substr(0, length);
    if (is_control(code_point))
      result += '?';
    else
      result += code_point;
    text.remove_prefix(length);
  }
  return result;
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace bench
