#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "harness/core/error.hpp"
#include "harness/worker/devices.hpp"

namespace bench::support {

// The first GPU, made once for the process; nullptr with the reason where there is none.
inline std::pair<worker::Device*, std::string> gpu() {
  // Never destroyed: a lost context would object.
  static const auto found = []() -> std::pair<worker::Device*, std::string> {
    try {
      return {worker::make_device({.name = "cuda:0"}).release(), ""};
    } catch (const Error& error) {
      return {nullptr, error.what()};
    }
  }();
  return found;
}

// Tests that need a GPU; elsewhere they are skipped, visibly.
class OnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (gpu().first == nullptr) GTEST_SKIP() << gpu().second;
  }
  static worker::Device& device() { return *gpu().first; }
};

}  // namespace bench::support
