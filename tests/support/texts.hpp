#pragma once

#include <string>
#include <vector>

#include "harness/core/remark.hpp"

namespace bench::support {

inline std::vector<std::string> texts(const std::vector<Remark>& remarks) {
  std::vector<std::string> all;
  for (const Remark& remark : remarks) all.push_back(remark.text);
  return all;
}

}  // namespace bench::support
