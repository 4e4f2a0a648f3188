#pragma once

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

// The candidate within a third of `word`'s length (at least 2 edits) that is nearest by edit distance; also
// one that contains `word` or begins with it. nullopt: nothing is near enough to be a help.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

// "; did you mean X?" or, without a near candidate, "; valid: a, b, c".
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

// The text, all of it, as a number of this type, in the C locale; nullopt when it is anything else: spaces, a
// rest, overflow.
template <typename T>
std::optional<T> number_from(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

std::vector<std::string> split(std::string_view text, char separator);  // "a,,b" -> {"a", "", "b"}
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string_view trimmed(std::string_view text);
std::string with_spaces(std::string_view name);  // "out_of_memory" -> "out of memory"

// Replaces control characters (terminal escapes, newlines, line separators, what turns the direction of text)
// by '?', so that a label cannot act on a terminal or on the text around it.
// UTF-8 passes; an invalid byte becomes U+FFFD.
std::string printable(std::string_view text);

// Columns that a terminal uses for this UTF-8 text (one per code point: enough for ±, µ, ·).
std::size_t display_width(std::string_view text);

}  // namespace bench
