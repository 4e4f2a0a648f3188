#pragma once

#include <string>
#include <string_view>

namespace bench::scheduler {

// Writes a file so that it is there whole or not at all: a neighbour, fsync, rename. A link is followed; what
// is no regular file (a pipe, /dev/null) is written to as it is. Throws Error(io).
void write_whole_file(const std::string& path, const std::string& content);

// Writes all of it and waits until it is on the disk. 0, or the errno that stopped it.
int write_and_sync(int fd, std::string_view text);

// A new name in a folder is on the disk once the folder is. What cannot be synchronised is left to the
// kernel.
void sync_folder_of(const std::string& path);

// Throws Error(io) that names the file, the reason, and of a full disk the remedy.
[[noreturn]] void fail_to_write(const std::string& path, int error);

}  // namespace bench::scheduler
