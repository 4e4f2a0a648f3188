#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/protocol/json.hpp"
#include "tests/support/expect_error.hpp"

namespace bench::protocol {
namespace {

using support::error_of;

std::string refusal(const std::string& text) {
  return error_of(ErrorKind::usage, [&] { parse(text, "run.json"); });
}

TEST(Parse, SaysWhereTheTextGoesWrong) {
  EXPECT_EQ(refusal("{\n  \"a\": 1,\n").rfind("run.json: not valid JSON: line 3, column 1: ", 0), 0U);
  EXPECT_EQ(refusal("{\"a\": NaN}").rfind("run.json: not valid JSON: line 1, column 7: ", 0), 0U);
  EXPECT_NE(refusal("[1e999]").find("1e999"), std::string::npos);
  EXPECT_NE(refusal("[] []").find("line 1, column 4"), std::string::npos);
}

TEST(Parse, QuotesNeitherEscapesNorMegabytes) {
  const std::string sentence = refusal("[\"\x1b[31m" + std::string(1'000'000, 'x') + "\xff\"]");
  EXPECT_LT(sentence.size(), 500U);
  EXPECT_EQ(sentence.find('\x1b'), std::string::npos);
}

TEST(Parse, RefusesANestingBombWithoutBuildingIt) {
  for (const std::string open : {"[", "{\"a\":"}) {
    std::string bomb;
    for (int i = 0; i < 1'000'000; ++i) bomb += open;
    EXPECT_NE(refusal(bomb).find("nests deeper than 100 levels"), std::string::npos);
  }
  EXPECT_NO_THROW(parse(std::string(100, '[') + std::string(100, ']'), "run.json"));
  EXPECT_NE(refusal(std::string(101, '[') + std::string(101, ']')).find("nests deeper"), std::string::npos);
}

TEST(Parse, RefusesAnObjectThatTakesQuadraticTime) {
  const auto object = [](int members) {
    std::string text = "{\"nested\":{}";
    for (int i = 1; i < members; ++i) text += ",\"" + std::to_string(i) + "\":[{}]";
    return text + "}";
  };
  EXPECT_EQ(parse(object(10'000), "run.json").size(), 10'000U);
  EXPECT_NE(refusal(object(10'001)).find("more than 10000 members"), std::string::npos);
}

TEST(Parse, OfAMemberThatIsThereTwiceTheLaterCounts) {
  const auto json = parse(R"({"a":1,"b":2,"a":3})", "run.json");
  EXPECT_EQ(dump(json), R"({"a":3,"b":2})");
}

}  // namespace
}  // namespace bench::protocol
