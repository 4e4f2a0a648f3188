#include "harness/protocol/quick_parse.hpp"

#include <bit>
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/protocol/json.hpp"
#include "harness/protocol/json_view.hpp"

namespace bench::protocol {
namespace {

TEST(QuickParse, ReadsRealsToTheLastBitAsParseDoes) {
  std::mt19937_64 random(20'261'201);
  std::vector<std::string> texts{"0.1",  "5e-324", "1.7976931348623157e308", "2.2250738585072014e-308",
                                 "1e22", "1e23",   "9007199254740993.0",     "0.30000000000000004"};
  while (texts.size() < 20'000) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    texts.push_back(dump(value));
    texts.push_back(fmt::format("{:.24e}", value));
  }
  QuickParser parser;
  for (const std::string& text : texts) {
    const rapidjson::Value* tree = parser.parse("[" + text + "]");
    ASSERT_NE(tree, nullptr) << text;
    EXPECT_EQ(JsonView(*tree)[0].real(), parse(text, "text").get<double>()) << text;
  }
}

TEST(QuickParse, KeepsIntegersExactAndApartFromReals) {
  QuickParser parser;
  const auto* tree =
      parser.parse("[18446744073709551615, -9223372036854775808, -0, 1.0, 18446744073709551616]");
  ASSERT_NE(tree, nullptr);
  const JsonView json(*tree);
  EXPECT_EQ(json[0].integer<std::uint64_t>(), 18446744073709551615U);
  EXPECT_EQ(json[0].integer<std::int64_t>(), std::nullopt);
  EXPECT_EQ(json[1].integer<std::int64_t>(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(json[2].integer<int>(), 0);
  EXPECT_FALSE(json[3].is_number_integer());
  EXPECT_FALSE(json[4].is_number_integer());
}

TEST(QuickParse, LeavesToParseWhatItWouldRefuseOrReadOtherwise) {
  std::string many = "{\"a\":0";
  for (int i = 0; i < 200; ++i) many += fmt::format(",\"{}\":0", i);
  for (const std::string& text :
       {std::string("{"), std::string("{} {}"), std::string("[NaN]"), std::string("[1e999]"),
        std::string("[\"\xff\"]"), std::string("[\"\xed\xa0\x80\"]"), std::string("[\"\\udc00\"]"),
        std::string("{}\0{}", 5), std::string("[\"\n\"]"), std::string("{\"a\":1,\"a\":2}"),
        std::string(30, '[') + std::string(30, ']'), many + "}"}) {
    EXPECT_EQ(QuickParser().parse(text), nullptr) << text;
  }
}

}  // namespace
}  // namespace bench::protocol
