#include "harness/registry/values.hpp"

#include <gtest/gtest.h>

#include <string>

#include "harness/core/text.hpp"
#include "tests/support/expect_error.hpp"

namespace bench::registry {
namespace {

const Parameter kCount{.name = "n", .kind = ParameterKind::integer, .minimum = 0, .maximum = 1e7};
const Parameter kContext{
    .name = "context", .kind = ParameterKind::integer, .minimum = 1, .maximum = 1e7, .has_max = true};
const Parameter kRate{.name = "rate", .kind = ParameterKind::real};
const Parameter kBytes{.name = "bytes", .kind = ParameterKind::bytes};
const Parameter kColor{.name = "color", .kind = ParameterKind::choice, .choices = {"red", "green"}};

std::string values(const Parameter& parameter, const std::string& text) {
  std::vector<std::string> all;
  for (const AxisValue& value : parse_values(parameter, text))
    all.push_back(std::holds_alternative<Largest>(value) ? "MAX" : to_text(std::get<Value>(value)));
  return join(all, " ");
}

std::string refusal(const Parameter& parameter, const std::string& text) {
  return support::error_of(ErrorKind::usage, [&] { parse_values(parameter, text); });
}

TEST(Values, ARangeMultipliesUpToItsEnd) {
  EXPECT_EQ(values(kCount, "128:1024:x2"), "128 256 512 1024");
  EXPECT_EQ(values(kCount, "3:100:x3"), "3 9 27 81");
  EXPECT_EQ(values(kCount, "1:1000000:x10"), "1 10 100 1000 10000 100000 1000000");
  EXPECT_EQ(values(kCount, "5:5:x2"), "5");
  EXPECT_EQ(values(kRate, "0.5:2:x1.5"), "0.5 0.75 1.125 1.6875");
}

TEST(Values, ARangeAddsUpToItsEnd) {
  EXPECT_EQ(values(kCount, "0:10:+5"), "0 5 10");
  EXPECT_EQ(values(kCount, "1:10:+4"), "1 5 9");
  EXPECT_EQ(values(kRate, "0:0.5:+0.1"), "0 0.1 0.2 0.3 0.4 0.5");
  EXPECT_EQ(values(kBytes, "1MiB:3MiB:+1MiB"), "1048576 2097152 3145728");
}

TEST(Values, ListsMayHoldRangesAndMax) {
  EXPECT_EQ(values(kContext, "1, 4:8:+2,max"), "1 4 6 8 MAX");
  EXPECT_EQ(values(kColor, "red, green"), "red green");
}

TEST(Values, ARangeThatCannotBeSaysHowOneIsWritten) {
  EXPECT_EQ(refusal(kCount, "1:8"),
            "--n: \"1:8\": a range is lo:hi:x2 (each twice the one before) or lo:hi:+N (each N more)");
  EXPECT_EQ(refusal(kCount, "1:8:2"),
            "--n: \"1:8:2\": a range is lo:hi:x2 (each twice the one before) or lo:hi:+N (each N more)");
  EXPECT_EQ(refusal(kCount, "8:1:x2"), "--n: \"8:1:x2\" ends before it begins");
  EXPECT_EQ(refusal(kCount, "0:8:x2"),
            "--n: \"0:8:x2\": a range that multiplies must begin above 0, not at 0");
  EXPECT_EQ(refusal(kCount, "1:8:x1"), "--n: \"1:8:x1\": its factor must be a number of 2 or more");
  EXPECT_EQ(refusal(kCount, "1:8:x1.5"), "--n: \"1:8:x1.5\": its factor must be a number of 2 or more");
  EXPECT_EQ(refusal(kRate, "0.1:0.9:x1"), "--rate: \"0.1:0.9:x1\": its factor must be a number above 1");
  EXPECT_EQ(refusal(kCount, "1:8:+0"), "--n: \"1:8:+0\": its step must be above 0");
  EXPECT_EQ(refusal(kCount, "1:8:+-1"), "--n: \"1:8:+-1\": its step must be above 0");
  EXPECT_EQ(refusal(kCount, "1:99999999999:x2"),
            "--n: 99999999999 is above 10,000,000, the most that makes sense");
  EXPECT_EQ(refusal(kCount, "0:10000000:+1"), "--n: \"0:10000000:+1\" has more than 1,000,000 values");
  EXPECT_EQ(refusal(kColor, "red:green:x2"), "--color: \"red:green:x2\" is a range, but names have no order");
  EXPECT_EQ(refusal(kCount, "max"), "--n: \"max\" is not a whole number");
  EXPECT_EQ(refusal(kContext, "most"), "--context: \"most\" is not a whole number, nor max");
}

}  // namespace
}  // namespace bench::registry
