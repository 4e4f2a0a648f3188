#pragma once

#include <cstddef>

namespace bench::shared_memory {

// As memcpy, past the caches: for results that are read only once the whole of them, larger than any cache,
// is there. Saves reading the lines that are written. Plain memcpy where the processor has no such stores.
void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes);
// After the last of those copies, before others may see them.
void finish_copies_past_caches();

}  // namespace bench::shared_memory
