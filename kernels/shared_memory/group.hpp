#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>

#include "kernels/shared_memory/element.hpp"
#include "kernels/shared_memory/events.hpp"
#include "kernels/shared_memory/segment.hpp"

namespace bench::shared_memory {

struct Options {
  // Whether each rank has a core of its own. Then chunks are as small as their caches like and waiting spins;
  // otherwise they are larger, as each costs switches between ranks, and waiting sleeps at once.
  bool core_per_rank = true;
  std::chrono::milliseconds patience{60'000};  // how long a rank may keep the others waiting
};

// Collectives between the processes of one host, through staging memory that they share. A call is cut into
// chunks that stay in the caches, and the stages of following chunks overlap: while chunk k is summed, chunk
// k+1 is copied in and chunk k-1 out. Every rank makes the same calls in the same order; a call returns once
// this rank's output is complete. Ranks that differ in a call, and one that ends or does not come, make the
// others throw Broken; the group is then of no more use.
//
// Every rank gets bitwise the same sums, in the order of the ranks. Output may be the input (in place) where
// both have the same size, and must not overlap it otherwise.
class Group {
 public:
  // Rank 0. The others join with address().
  static Group create(int size, const Options& options = {});
  // Options are the creator's. Throws Error(environment).
  static Group join(const std::string& address, int rank);

  int rank() const { return rank_; }
  int size() const { return size_; }
  const std::string& address() const { return segment_->address(); }

  // input, output: (count) each.
  void all_reduce(const void* input, void* output, std::int64_t count, Element element);
  // input: (count), output: (size, count): input of every rank in their order.
  void all_gather(const void* input, void* output, std::int64_t count, Element element);
  // input: (size, count), output: (count): the sum of this rank's row of every input.
  void reduce_scatter(const void* input, void* output, std::int64_t count, Element element);
  // buffer: (count): the root's becomes everyone's.
  void broadcast(void* buffer, std::int64_t count, Element element, int root);
  // input, output: (size, count): row j of rank i becomes row i of rank j.
  void all_to_all(const void* input, void* output, std::int64_t count, Element element);

 private:
  struct Header;
  // What a rank is doing with a chunk: all must do the same.
  struct Label {
    std::int32_t operation, element, root, reserved;
    std::int64_t bytes;
    bool operator==(const Label&) const = default;
  };
  // What a stage of a chunk works on: bytes [begin, end) of the call, staged in `slot`.
  struct Chunk {
    std::size_t begin, end;
    std::size_t slot;
    std::size_t length() const { return end - begin; }
  };
  using Stage = std::function<void(const Chunk&)>;
  static constexpr std::size_t kSlots = 4;  // chunks in flight: three stages, and one to spare

  Group(std::unique_ptr<Segment> segment, int rank);

  // Chunks of at most `chunk_bytes`, each through all stages in turn, as a pipeline. Before a stage of a
  // chunk all ranks have done the stage before of it.
  void run(const Label& label, std::size_t bytes, std::size_t chunk_bytes,
           std::initializer_list<Stage> stages);
  void require_equal_labels(std::size_t slot) const;
  std::byte* staged(std::size_t slot, int rank) const;
  Label& label(std::size_t slot, int rank) const;
  std::size_t row_bytes() const;
  // The chunk's rows for other ranks, from rows of so many bytes.
  void stage_rows(const Chunk& chunk, const std::byte* from, std::size_t bytes_of_row) const;
  void copy_out(std::byte* to, const std::byte* from, std::size_t bytes) const;

  std::unique_ptr<Segment> segment_;
  Header* header_;
  int rank_, size_;
  std::size_t chunk_bytes_;
  std::unique_ptr<Events> events_;
  bool past_caches_ = false;  // of the call that runs
  std::size_t next_slot_ = 0;
  // By slot: the event after which nobody reads what was staged there last. Meaningless before the first use.
  struct LastUse {
    bool used = false;
    std::uint32_t event = 0;
  };
  std::array<LastUse, kSlots> last_use_{};
};

}  // namespace bench::shared_memory
