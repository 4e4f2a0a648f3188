#include "harness/machine/files.hpp"

#include <gtest/gtest.h>

#include "tests/harness/machine/made_up_machine.hpp"

namespace bench::machine {
namespace {

TEST(Files, WhatIsNotThereIsAbsent) {
  const MadeUpMachine machine;
  EXPECT_FALSE(read_text(machine.root() + "/nothing").has_value());
  EXPECT_FALSE(read_line(machine.root() + "/nothing").has_value());
  EXPECT_FALSE(read_integer(machine.root() + "/nothing").has_value());
  EXPECT_TRUE(list_folder(machine.root() + "/nothing").empty());
}

TEST(Files, AFolderIsNoText) {
  MadeUpMachine machine;
  machine.with_folder("/sys/folder");
  EXPECT_FALSE(read_line(machine.root() + "/sys/folder").has_value());
}

TEST(Files, AFileOfProcThatClaimsToBeEmptyIsRead) {
  EXPECT_TRUE(read_text("/proc/self/stat").has_value());
  EXPECT_FALSE(read_text("/proc/self/stat")->empty());
}

TEST(Files, ALineHasNoControlCharacters) {
  MadeUpMachine machine;
  machine.with("/escape", "  evil\x1b[2J name \nsecond")
      .with("/blank", " \n")
      .with("/nul", std::string_view("kvm\0x", 5));
  EXPECT_EQ(read_line(machine.root() + "/escape"), "evil?[2J name");
  EXPECT_FALSE(read_line(machine.root() + "/blank").has_value());
  EXPECT_EQ(read_line(machine.root() + "/nul"), "kvm");
}

TEST(Files, AnIntegerStandsAlone) {
  MadeUpMachine machine;
  machine.with("/good", "42\n")
      .with("/word", "max\n")
      .with("/two", "1 2\n")
      .with("/huge", "99999999999999999999\n");
  EXPECT_EQ(read_integer(machine.root() + "/good"), 42);
  EXPECT_FALSE(read_integer(machine.root() + "/word").has_value());
  EXPECT_FALSE(read_integer(machine.root() + "/two").has_value());
  EXPECT_FALSE(read_integer(machine.root() + "/huge").has_value());
}

TEST(ParseReal, RefusesWhatIsNotFinite) {
  EXPECT_EQ(parse_real("0.25"), 0.25);
  for (const char* text : {"", "x", "1x", "inf", "nan", "1e999"})
    EXPECT_FALSE(parse_real(text).has_value()) << text;
}

TEST(ValueAfter, NeedsTheWholeKey) {
  const std::string_view text =
      "model\t\t: 17\nmodel name\t: AMD EPYC\nMemTotal:  5 kB\nnr_throttled 3\nempty:\n";
  EXPECT_EQ(value_after(text, "model"), "17");
  EXPECT_EQ(value_after(text, "model name"), "AMD EPYC");
  EXPECT_EQ(value_after(text, "MemTotal"), "5 kB");
  EXPECT_EQ(value_after(text, "nr_throttled"), "3");
  EXPECT_EQ(value_after(text, "empty"), "");
  EXPECT_FALSE(value_after(text, "Mem").has_value());
  EXPECT_FALSE(value_after("", "Mem").has_value());
}

}  // namespace
}  // namespace bench::machine
