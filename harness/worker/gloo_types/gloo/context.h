#pragma once

#include <chrono>

// LibTorch's ProcessGroupGloo.hpp includes gloo's headers, which its wheel does not hold. Only shared pointers to
// gloo's types cross our code, so names are enough: all of gloo is inside libtorch_cpu.
namespace gloo {

class Context {
 public:
  void setTimeout(std::chrono::milliseconds timeout);
};

}  // namespace gloo
