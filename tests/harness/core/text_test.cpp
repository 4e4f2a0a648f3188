#include "harness/core/text.hpp"

#include <gtest/gtest.h>

namespace bench {
namespace {

const std::vector<std::string> kNames{"model", "attention", "all-reduce", "synthetic"};

TEST(Nearest, FindsTheWordThatWasMeant) {
  EXPECT_EQ(nearest("modle", kNames), "model");
  EXPECT_EQ(nearest("atention", kNames), "attention");
  EXPECT_EQ(nearest("allreduce", kNames), "all-reduce");
  EXPECT_EQ(nearest("synth", kNames), "synthetic");
}

TEST(Nearest, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(nearest("zzzzzz", kNames), std::nullopt);
  EXPECT_EQ(nearest("", kNames), std::nullopt);
  EXPECT_EQ(nearest("x", {}), std::nullopt);
}

TEST(DidYouMean, ListsWhatIsValidWithoutANearWord) {
  EXPECT_EQ(did_you_mean("modle", kNames), "; did you mean model?");
  EXPECT_EQ(did_you_mean("qqqqqq", kNames), "; valid: model, attention, all-reduce, synthetic");
  EXPECT_EQ(did_you_mean("x", {}), "");
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
  EXPECT_EQ(split("a,", ','), (std::vector<std::string>{"a", ""}));
}

TEST(Printable, LetsNoControlCharacterReachATerminal) {
  EXPECT_EQ(printable("a\x1b[31mb\nc\x7f"), "a?[31mb?c?");
  EXPECT_EQ(printable("\xC2\x9B"
                      "2J"),
            "?2J");  // CSI as one C1 character
}

TEST(Printable, LetsNothingTurnOrBreakALine) {
  for (const char* mark :
       {"\u061C", "\u200E", "\u200F", "\u2028", "\u2029", "\u202A", "\u202E", "\u2066", "\u2069"})
    EXPECT_EQ(printable(std::string("a") + mark + "b"), "a?b") << mark;
  for (const char* neighbour : {"\u061B", "\u200D", "\u2010", "\u2026", "\u202F", "\u2065", "\u206A", "漢"})
    EXPECT_EQ(printable(neighbour), neighbour);
}

TEST(Printable, KeepsUtf8AndReplacesWhatIsNone) {
  EXPECT_EQ(printable("µ ± 漢 🙂"), "µ ± 漢 🙂");
  EXPECT_EQ(printable("a\xff"
                      "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(printable("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // an overlong slash
  EXPECT_EQ(printable("\xE6\xBC"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // cut off
}

TEST(DisplayWidth, CountsCodePoints) {
  EXPECT_EQ(display_width("3 ± 1 µs"), 8u);
}

}  // namespace
}  // namespace bench
