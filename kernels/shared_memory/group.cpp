#include "kernels/shared_memory/group.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "kernels/shared_memory/copy.hpp"
#include "kernels/shared_memory/sum.hpp"

namespace bench::shared_memory {
namespace {

constexpr std::size_t kLine = 64;  // bytes of a cache line; parts begin at one, whole elements in each

// Seen on two 2.6 GHz cores with 2 MiB of second-level cache: with a core per rank 64 KiB to 1 MiB are
// alike; with four and eight ranks on those cores 1 MiB is twice as fast as 64 KiB.
constexpr std::size_t kChunkBytes = 256 << 10;
constexpr std::size_t kChunkBytesOfSharedCores = 1 << 20;
// From here on outputs are written past the caches: seen there, 100 MiB gain a quarter, 10 MiB nothing.
constexpr std::size_t kPastCaches = 32 << 20;
// Up to here every rank sums everything: one wait less, for (size - 1) times the reading.
constexpr std::size_t kSmall = 16 << 10;

constexpr std::array kOperations{"all-reduce", "all-gather", "reduce-scatter", "broadcast", "all-to-all"};
enum Operation : std::int32_t { kAllReduce, kAllGather, kReduceScatter, kBroadcast, kAllToAll };

std::size_t round_up(std::size_t bytes, std::size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

// Bytes [begin, end) of a chunk, for one of `size` ranks.
struct Part {
  std::size_t begin, end;
  std::size_t length() const { return end - begin; }
};
Part part_of(std::size_t bytes, int rank, int size) {
  const std::size_t each = round_up((bytes + size - 1) / size, kLine);
  return {std::min(bytes, each * rank), std::min(bytes, each * (rank + 1))};
}

std::byte* bytes_at(void* buffer) {
  return static_cast<std::byte*>(buffer);
}
const std::byte* bytes_at(const void* buffer) {
  return static_cast<const std::byte*>(buffer);
}

}  // namespace

struct Group::Header {
  EventBoard board;
  std::int32_t size;
  std::int32_t core_per_rank;
  std::int64_t patience_ms;
  std::uint64_t chunk_bytes;
};

Group Group::create(int size, const Options& options) {
  if (size < 1 || size > EventBoard::kMostRanks)
    throw Error(ErrorKind::internal,
                fmt::format("a group of {} ranks: it takes 1 to {}", size, EventBoard::kMostRanks));
  const std::size_t chunk_bytes = options.core_per_rank ? kChunkBytes : kChunkBytesOfSharedCores;
  auto segment = std::make_unique<Segment>(
      Segment::create(round_up(sizeof(Header), kLine) + kSlots * size * (kLine + chunk_bytes)));
  auto* const header = reinterpret_cast<Header*>(segment->data());
  header->size = size;
  header->core_per_rank = options.core_per_rank;
  header->patience_ms = options.patience.count();
  header->chunk_bytes = chunk_bytes;
  return Group(std::move(segment), 0);
}

Group Group::join(const std::string& address, int rank) {
  return Group(std::make_unique<Segment>(Segment::open(address)), rank);
}

Group::Group(std::unique_ptr<Segment> segment, int rank)
    : segment_(std::move(segment)),
      header_(reinterpret_cast<Header*>(segment_->data())),
      rank_(rank),
      size_(header_->size),
      chunk_bytes_(header_->chunk_bytes) {
  if (rank < 0 || rank >= size_)
    throw Error(ErrorKind::internal, fmt::format("rank {} of a group of {}", rank, size_));
  events_ = std::make_unique<Events>(header_->board, rank, size_, header_->core_per_rank != 0,
                                     std::chrono::milliseconds(header_->patience_ms));
}

// Per slot and rank a line of its label and then the bytes.
std::byte* Group::staged(std::size_t slot, int rank) const {
  return segment_->data() + round_up(sizeof(Header), kLine) + (slot * size_ + rank) * (kLine + chunk_bytes_) +
         kLine;
}

Group::Label& Group::label(std::size_t slot, int rank) const {
  static_assert(sizeof(Label) <= kLine);
  return *reinterpret_cast<Label*>(staged(slot, rank) - kLine);
}

void Group::copy_out(std::byte* to, const std::byte* from, std::size_t bytes) const {
  if (past_caches_)
    copy_past_caches(to, from, bytes);
  else
    std::memcpy(to, from, bytes);
}

void Group::require_equal_labels(std::size_t slot) const {
  const Label& mine = label(slot, rank_);
  const auto described = [](const Label& label) {
    return fmt::format("{} of {} bytes, element {}, root {}", kOperations.at(label.operation), label.bytes,
                       label.element, label.root);
  };
  for (int rank = 0; rank < size_; ++rank) {
    const Label& other = label(slot, rank);
    if (other == mine) continue;
    events_->give_up();
    throw Broken(fmt::format("ranks differ: rank {} is at {}, rank {} at {}", rank_, described(mine), rank,
                             described(other)));
  }
}

void Group::run(const Label& label_of_call, std::size_t bytes, std::size_t chunk_bytes,
                std::initializer_list<Stage> stages) {
  past_caches_ = bytes >= kPastCaches;
  const std::size_t chunks = std::max<std::size_t>(1, (bytes + chunk_bytes - 1) / chunk_bytes);
  const std::uint32_t first_event = events_->next();
  const std::size_t first_slot = next_slot_;
  const auto event_of = [&](std::size_t chunk, std::size_t stage) {
    return first_event + static_cast<std::uint32_t>((chunk + stage) * stages.size() + stage);
  };
  for (std::size_t turn = 0; turn < chunks + stages.size() - 1; ++turn) {
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
      if (turn >= stage && turn - stage < chunks) {
        const std::size_t index = turn - stage;
        const Chunk chunk{.begin = index * chunk_bytes,
                          .end = std::min(bytes, (index + 1) * chunk_bytes),
                          .slot = (first_slot + index) % kSlots};
        if (stage == 0) {
          LastUse& last = last_use_[chunk.slot];
          if (last.used) events_->await(last.event);
          last = {true, event_of(index, stages.size() - 1)};
          label(chunk.slot, rank_) = label_of_call;
        } else {
          events_->await(event_of(index, stage - 1));
          if (stage == 1) require_equal_labels(chunk.slot);
        }
        std::data(stages)[stage](chunk);
      }
      events_->arrive();
    }
  }
  next_slot_ = (first_slot + chunks) % kSlots;
  if (past_caches_) finish_copies_past_caches();
}

void Group::all_reduce(const void* input, void* output, std::int64_t count, Element element) {
  const std::size_t bytes = count * bytes_of(element);
  const std::byte* const from = bytes_at(input);
  std::byte* const to = bytes_at(output);
  const Label label{kAllReduce, static_cast<std::int32_t>(element), 0, 0, std::int64_t(bytes)};
  std::vector<const std::byte*> sources(size_);

  if (bytes <= kSmall) {
    const Stage copy_in = [&](const Chunk& chunk) {
      std::memcpy(staged(chunk.slot, rank_), from, chunk.length());
    };
    const Stage sum_all = [&](const Chunk& chunk) {
      for (int rank = 0; rank < size_; ++rank) sources[rank] = staged(chunk.slot, rank);
      sum(element, sources, to, chunk.length());
    };
    return run(label, bytes, kSmall, {copy_in, sum_all});
  }

  // Each rank sums one part of the chunk, and stages it where it copied nothing in: its own part.
  const Stage copy_in = [&](const Chunk& chunk) {
    for (int rank = 0; rank < size_; ++rank) {
      const Part part = part_of(chunk.length(), rank, size_);
      if (rank != rank_)
        std::memcpy(staged(chunk.slot, rank_) + part.begin, from + chunk.begin + part.begin, part.length());
    }
  };
  const Stage sum_part = [&](const Chunk& chunk) {
    const Part part = part_of(chunk.length(), rank_, size_);
    for (int rank = 0; rank < size_; ++rank)
      sources[rank] = rank == rank_ ? from + chunk.begin + part.begin : staged(chunk.slot, rank) + part.begin;
    std::byte* const result = staged(chunk.slot, rank_) + part.begin;
    sum(element, sources, result, part.length());
    copy_out(to + chunk.begin + part.begin, result, part.length());
  };
  const Stage copy_others_out = [&](const Chunk& chunk) {
    for (int rank = 0; rank < size_; ++rank) {
      const Part part = part_of(chunk.length(), rank, size_);
      if (rank != rank_)
        copy_out(to + chunk.begin + part.begin, staged(chunk.slot, rank) + part.begin, part.length());
    }
  };
  run(label, bytes, chunk_bytes_, {copy_in, sum_part, copy_others_out});
}

void Group::all_gather(const void* input, void* output, std::int64_t count, Element element) {
  const std::size_t bytes = count * bytes_of(element);
  const Label label{kAllGather, static_cast<std::int32_t>(element), 0, 0, std::int64_t(bytes)};
  const Stage copy_in = [&](const Chunk& chunk) {
    std::memcpy(staged(chunk.slot, rank_), bytes_at(input) + chunk.begin, chunk.length());
  };
  const Stage copy_all_out = [&](const Chunk& chunk) {
    for (int rank = 0; rank < size_; ++rank)
      copy_out(bytes_at(output) + rank * bytes + chunk.begin, staged(chunk.slot, rank), chunk.length());
  };
  run(label, bytes, chunk_bytes_, {copy_in, copy_all_out});
}

void Group::reduce_scatter(const void* input, void* output, std::int64_t count, Element element) {
  const std::size_t bytes = count * bytes_of(element);
  const std::byte* const from = bytes_at(input);
  const Label label{kReduceScatter, static_cast<std::int32_t>(element), 0, 0, std::int64_t(bytes)};
  std::vector<const std::byte*> sources(size_);
  const Stage copy_others_in = [&](const Chunk& chunk) { stage_rows(chunk, from, bytes); };
  const Stage sum_row = [&](const Chunk& chunk) {
    for (int rank = 0; rank < size_; ++rank)
      sources[rank] =
          rank == rank_ ? from + rank * bytes + chunk.begin : staged(chunk.slot, rank) + rank_ * row_bytes();
    sum(element, sources, bytes_at(output) + chunk.begin, chunk.length());
  };
  run(label, bytes, row_bytes(), {copy_others_in, sum_row});
}

void Group::all_to_all(const void* input, void* output, std::int64_t count, Element element) {
  const std::size_t bytes = count * bytes_of(element);
  const std::byte* const from = bytes_at(input);
  const Label label{kAllToAll, static_cast<std::int32_t>(element), 0, 0, std::int64_t(bytes)};
  const Stage copy_others_in = [&](const Chunk& chunk) { stage_rows(chunk, from, bytes); };
  const Stage copy_rows_out = [&](const Chunk& chunk) {
    for (int rank = 0; rank < size_; ++rank) {
      std::byte* const to = bytes_at(output) + rank * bytes + chunk.begin;
      if (rank != rank_)
        copy_out(to, staged(chunk.slot, rank) + rank_ * row_bytes(), chunk.length());
      else if (input != output)
        copy_out(to, from + rank * bytes + chunk.begin, chunk.length());
    }
  };
  run(label, bytes, row_bytes(), {copy_others_in, copy_rows_out});
}

void Group::broadcast(void* buffer, std::int64_t count, Element element, int root) {
  const std::size_t bytes = count * bytes_of(element);
  const Label label{kBroadcast, static_cast<std::int32_t>(element), root, 0, std::int64_t(bytes)};
  const Stage copy_in = [&](const Chunk& chunk) {
    if (rank_ == root) std::memcpy(staged(chunk.slot, root), bytes_at(buffer) + chunk.begin, chunk.length());
  };
  const Stage copy_root_out = [&](const Chunk& chunk) {
    if (rank_ != root) copy_out(bytes_at(buffer) + chunk.begin, staged(chunk.slot, root), chunk.length());
  };
  run(label, bytes, chunk_bytes_, {copy_in, copy_root_out});
}

// Of a chunk that has a row for every rank.
std::size_t Group::row_bytes() const {
  return chunk_bytes_ / size_ / kLine * kLine;
}

void Group::stage_rows(const Chunk& chunk, const std::byte* from, std::size_t bytes_of_row) const {
  for (int rank = 0; rank < size_; ++rank)
    if (rank != rank_)
      std::memcpy(staged(chunk.slot, rank_) + rank * row_bytes(), from + rank * bytes_of_row + chunk.begin,
                  chunk.length());
}

}  // namespace bench::shared_memory
