#pragma once

#include <algorithm>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace bench::protocol {

// Calls work(begin, end) for consecutive parts of [0, count), each processor a part where there is enough to
// do. Of several errors the first part's is thrown.
template <class Work>
void in_parts(std::size_t count, const Work& work) {
  constexpr std::size_t kWorthAThread = 500;
  const std::size_t parts =
      std::clamp<std::size_t>(count / kWorthAThread, 1, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::future<void>> others;
  for (std::size_t part = 1; part < parts; ++part)
    others.push_back(std::async(std::launch::async, work, count * part / parts, count * (part + 1) / parts));
  work(std::size_t{0}, count / parts);
  for (std::future<void>& other : others) other.get();
}

}  // namespace bench::protocol
