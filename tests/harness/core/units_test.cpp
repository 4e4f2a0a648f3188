#include "harness/core/units.hpp"

#include <gtest/gtest.h>

#include "tests/support/expect_error.hpp"

namespace bench {
namespace {

std::string refusal(const std::string& text) {
  return support::error_of(ErrorKind::usage, [&] { parse_bytes(text); });
}

TEST(ParseBytes, KnowsDecimalAndBinaryUnits) {
  EXPECT_EQ(parse_bytes("4096"), 4096);
  EXPECT_EQ(parse_bytes("1KB"), 1000);
  EXPECT_EQ(parse_bytes("1KiB"), 1024);
  EXPECT_EQ(parse_bytes("25MiB"), 25 * 1024 * 1024);
  EXPECT_EQ(parse_bytes("1.5 GB"), 1'500'000'000);
  EXPECT_EQ(parse_bytes("24GiB"), 25'769'803'776);
  EXPECT_EQ(parse_bytes("1.001KB"), 1001);
  EXPECT_EQ(parse_bytes("9007199254740993"), 9007199254740993);  // 2^53 + 1
}

TEST(ParseBytes, RefusesAUnitThatCouldMeanTwoThings) {
  EXPECT_NE(refusal("1M").find("1MB or 1MiB?"), std::string::npos) << refusal("1M");
  EXPECT_NE(refusal("2.5g").find("2.5GB or 2.5GiB?"), std::string::npos) << refusal("2.5g");
}

TEST(ParseBytes, RefusesWhatIsNoSize) {
  for (const char* const text :
       {"", "MiB", "-1MiB", "nan", "inf", "1e30GB", "1.5B", "12 parsecs", "1MiBMiB"}) {
    EXPECT_FALSE(refusal(text).empty()) << text;
  }
}

TEST(ParseDuration, KnowsItsUnits) {
  EXPECT_DOUBLE_EQ(parse_duration_s("60"), 60);
  EXPECT_DOUBLE_EQ(parse_duration_s("60s"), 60);
  EXPECT_DOUBLE_EQ(parse_duration_s("500ms"), 0.5);
  EXPECT_DOUBLE_EQ(parse_duration_s("2m"), 120);
  EXPECT_DOUBLE_EQ(parse_duration_s("1.5h"), 5400);
  support::error_of(ErrorKind::usage, [] { parse_duration_s("-1s"); });
  support::error_of(ErrorKind::usage, [] { parse_duration_s("soon"); });
}

TEST(FormatBytes, ThreeDigitsInBinaryUnits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1000), "0.977 KiB");
  EXPECT_EQ(format_bytes(2'808'086'528), "2.62 GiB");
  EXPECT_EQ(format_bytes(25'769'803'776), "24.0 GiB");
  EXPECT_EQ(format_bytes(std::int64_t{1} << 50), "1.00 PiB");
}

TEST(FormatDuration, ChoosesTheUnitAfterRounding) {
  EXPECT_EQ(format_duration_ns(12), "12.0 ns");
  EXPECT_EQ(format_duration_ns(850'000), "850 µs");
  EXPECT_EQ(format_duration_ns(12'100'000), "12.1 ms");
  EXPECT_EQ(format_duration_ns(999'600'000), "1.00 s");
  EXPECT_EQ(format_duration_ns(3.487e9), "3.49 s");
}

TEST(FormatSecondsLeft, GrowsCoarser) {
  EXPECT_EQ(format_seconds_left(41.4), "41s");
  EXPECT_EQ(format_seconds_left(125), "2m 05s");
  EXPECT_EQ(format_seconds_left(4320), "1h 12m");
  EXPECT_EQ(format_seconds_left(-3), "0s");
}

TEST(FormatCount, HasThousandsSeparators) {
  EXPECT_EQ(format_count(128'625'408), "128,625,408");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(-1000), "-1,000");
  EXPECT_EQ(format_count(-100), "-100");
}

TEST(FormatSignificant, RoundingNeverAddsADigit) {
  EXPECT_EQ(format_significant(9.996), "10.0");
  EXPECT_EQ(format_significant(0.00123), "0.00123");
  EXPECT_EQ(format_significant(1234), "1230");
  EXPECT_EQ(format_significant(0), "0");
}

}  // namespace
}  // namespace bench
