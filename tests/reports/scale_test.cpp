#include "reports/scale.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace bench::reports {
namespace {

// "VALUES in UNIT" as one column prints them.
std::string column(const std::string& unit, const std::vector<double>& values,
                   const std::vector<double>& distances = {}) {
  const Scale scale = choose_scale(unit, values, distances);
  std::string text;
  for (const double value : values) text += format_scaled(value, scale) + " ";
  return text + scale.unit;
}

TEST(Scale, TimesOfAStepAreMilliseconds) {
  EXPECT_EQ(column("ns", {3'487'123'456.0, 12'345'678.0}), "3487.1 12.3 ms");
  EXPECT_EQ(column("ns", {3'487'123'456.0}), "3487 ms");
  EXPECT_EQ(column("ns", {14'567'000'000.0, 31'000'000'000.0}), "14.6 31.0 s");
  EXPECT_EQ(column("ns", {850'400.0, 1'200.0}), "850.40 1.20 µs");
  EXPECT_EQ(column("ns", {850.0, 12.0}), "850.0 12.0 ns");
  // One unit for the column, even where another would suit the smallest better.
  EXPECT_EQ(column("ns", {1'500'000.0, 850'000.0}), "1.500 0.850 ms");
}

TEST(Scale, BytesAreBinary) {
  EXPECT_EQ(column("bytes", {2'610'000'000.0}), "2489 MiB");
  EXPECT_EQ(column("bytes", {20.0 * (1 << 30), 150.0 * (1 << 30)}), "20.0 150.0 GiB");
  EXPECT_EQ(column("bytes", {512.0 * 1024}), "512 KiB");
  EXPECT_EQ(column("bytes", {100.0}), "100 bytes");
}

TEST(Scale, RatesAreDecimal) {
  EXPECT_EQ(column("FLOP/s", {226'700'000'000.0}), "227 GFLOP/s");
  EXPECT_EQ(column("FLOP/s", {512.4e12, 1.25e12}), "512.40 1.25 TFLOP/s");
  EXPECT_EQ(column("FLOP/s", {1.0}), "1.00 FLOP/s");
  EXPECT_EQ(column("bytes/s", {84.2e9}), "84.2 GB/s");
  EXPECT_EQ(column("tokens/s", {12'345.6}), "12,346 tokens/s");
}

TEST(Scale, CountsAreWholeWithThousandsSeparators) {
  EXPECT_EQ(column("1", {128'625'408.0, 12.0}), "128,625,408 12 ");
  EXPECT_EQ(column("1", {1000.0}), "1000 ");
  EXPECT_EQ(column("1", {0.0}), "0 ");
}

TEST(Scale, FractionsKeepThreeDigits) {
  EXPECT_EQ(column("1", {0.4371}), "0.437 ");
  EXPECT_EQ(column("1", {0.000123, 0.5}), "0.000123 0.500 ");
}

TEST(Scale, AnIntervalIsNotRoundedToNothing) {
  EXPECT_EQ(column("ns", {3'487'123'456.0}, {300'000.0}), "3487.1 ms");
  EXPECT_EQ(column("ns", {3'487'123'456.0}, {21'000'000.0}), "3487 ms");
}

TEST(Scale, OddNumbersDoNotBreakIt) {
  EXPECT_EQ(column("ns", {0.0, 0.0}), "0 0 ns");
  EXPECT_EQ(column("ns", {}), "ns");
  EXPECT_EQ(column("widgets", {-5.25}), "-5.25 widgets");
  EXPECT_EQ(column("widgets", {-12'345.0}), "-12,345 widgets");
  EXPECT_EQ(column("widgets", {1e300}), "1e+300 widgets");
}

TEST(Heading, OfARateEndsInItsUnit) {
  const auto heading = [](const std::string& text, Quantity kind, const std::string& unit) {
    const auto [name, shown] = heading_of(text, kind, {.unit = unit, .divisor = 1, .decimals = 0});
    return name + "|" + shown;
  };
  EXPECT_EQ(heading("step", Quantity::time, "ms"), "step|ms");
  EXPECT_EQ(heading("peak allocated", Quantity::memory, "MiB"), "peak allocated|MiB");
  EXPECT_EQ(heading("parameters", Quantity::count, ""), "parameters|");
  EXPECT_EQ(heading("MFU", Quantity::share, "%"), "MFU|%");
  EXPECT_EQ(heading("", Quantity::rate, "tokens/s"), "tokens/s|");
  EXPECT_EQ(heading("model", Quantity::rate, "TFLOP/s"), "model TFLOP/s|");
  EXPECT_EQ(heading("sent", Quantity::rate, "GB/s"), "sent GB/s|");
}

}  // namespace
}  // namespace bench::reports
