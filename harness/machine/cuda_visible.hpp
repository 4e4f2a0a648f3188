#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/gpu.hpp"

namespace bench::machine {

// Which GPUs CUDA shows under which number, by the rules of the CUDA C++ Programming Guide ("CUDA Environment
// Variables"): indices or the beginnings of UUIDs, and the list ends at the first that names none. An entry
// is the place in the order of `gpus`; -1 for one that cannot be told (a MIG instance, a UUID among GPUs
// whose UUIDs are not known). Where there is no such GPU, no name conjures one. `visible` absent: all.
std::vector<int> visible_devices(const std::vector<Gpu>& gpus, const std::optional<std::string>& visible);

// Sets cuda_index. Left absent for all when the GPUs are of several kinds and `order` (CUDA_DEVICE_ORDER) is
// not PCI_BUS_ID: CUDA then counts from the one that it holds for the fastest.
void number_for_cuda(std::vector<Gpu>& gpus, const std::optional<std::string>& visible,
                     const std::string& order);

// How many devices CUDA shows of `present`, of which nothing else is known.
int count_visible(int present, const std::optional<std::string>& visible);

}  // namespace bench::machine
