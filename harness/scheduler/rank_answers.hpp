#pragma once

#include <vector>

#include "harness/protocol/message.hpp"

namespace bench::scheduler {

// What the ranks of a case said to one command, as one answer in rank 0's name. A case has failed when one
// rank has: the one that failed first, since others then lose it. A check holds when every rank's does.
// Counters add up; the memory is that of the rank that needs most.
protocol::Event merge_answers(protocol::Event of_rank_0, const std::vector<protocol::Event>& of_others);

}  // namespace bench::scheduler
