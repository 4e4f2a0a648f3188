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

TEST(Values, ANumberWithCommasIsNoList) {
  EXPECT_EQ(refusal(kContext, "1,024"),
            "--context: \"1,024\" reads as the list 1 and 024; did you mean 1024?");
  EXPECT_EQ(refusal(kContext, "512, 2,048, 4"),
            "--context: \"2,048\" reads as the list 2 and 048; did you mean 2048?");
  EXPECT_EQ(refusal(kCount, "1,000,000"),
            "--n: \"1,000,000\" reads as the list 1 and 000; did you mean 1000000?");
  EXPECT_EQ(refusal(kRate, "1,000.5"),
            "--rate: \"1,000.5\" reads as the list 1 and 000.5; did you mean 1000.5?");
  EXPECT_EQ(refusal(kRate, "0,05"), "--rate: \"0,05\" reads as the list 0 and 05; did you mean 0.05?");
  EXPECT_EQ(refusal(kBytes, "1,024MiB"),
            "--bytes: \"1,024MiB\" reads as the list 1 and 024MiB; did you mean 1024MiB?");
}

TEST(Values, ANumberThatBeginsWithAZeroIsRefusedWhereverItStands) {
  EXPECT_EQ(refusal(kCount, "007"), "--n: \"007\" begins with a zero; did you mean 7?");
  EXPECT_EQ(refusal(kCount, "00"), "--n: \"00\" begins with a zero; did you mean 0?");
  EXPECT_EQ(refusal(kCount, "0128:1024:x2"), "--n: \"0128\" begins with a zero; did you mean 128?");
  EXPECT_EQ(refusal(kCount, "128:01024:x2"), "--n: \"01024\" begins with a zero; did you mean 1024?");
  EXPECT_EQ(refusal(kCount, "128:1024:+0128"), "--n: \"0128\" begins with a zero; did you mean 128?");
  EXPECT_EQ(refusal(kRate, "-00.5"), "--rate: \"-00.5\" begins with a zero; did you mean -0.5?");
  EXPECT_EQ(refusal(kBytes, "064MiB"), "--bytes: \"064MiB\" begins with a zero; did you mean 64MiB?");
  EXPECT_EQ(values(kCount, "0,10"), "0 10");
  EXPECT_EQ(values(kRate, "0,0.5,-0.5,0e3"), "0 0.5 -0.5 0");
}

}  // namespace
}  // namespace bench::registry
