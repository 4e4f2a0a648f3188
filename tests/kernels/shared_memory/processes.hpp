#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/shared_memory/group.hpp"

namespace bench::shared_memory {

// What a rank has to say at its end; "" where all is well.
using RankBody = std::function<std::string(Group&)>;

// Forks a process per rank, which joins the group and runs `body`. What each said, by rank: also "killed by
// signal N" and what it threw.
std::vector<std::string> run_ranks(int size, const RankBody& body, const Options& options = {});

}  // namespace bench::shared_memory
