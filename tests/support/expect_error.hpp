#pragma once

#include <string>

#include <gtest/gtest.h>

#include "harness/core/error.hpp"

namespace bench::support {

// The sentence of the Error that `action` throws; a failure of the test, and "", when it throws none of that
// kind.
template <class Action>
std::string error_of(ErrorKind kind, Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return "";
}

}  // namespace bench::support
