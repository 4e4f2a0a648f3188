#include "harness/worker/serve.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "harness/protocol/json.hpp"
#include "harness/registry/ranks.hpp"
#include "harness/worker/channel.hpp"
#include "harness/worker/rank_group.hpp"
#include "harness/worker/session.hpp"

namespace bench::worker {
namespace {

using protocol::Command;
using protocol::Event;

bool ends_a_command(const Event& event) {
  return !std::holds_alternative<protocol::Progress>(event) &&
         !std::holds_alternative<protocol::Samples>(event);
}

Event of_rank(Event event, int rank) {
  std::visit([rank](auto& concrete) { concrete.rank = rank; }, event);
  if (auto* const samples = std::get_if<protocol::Samples>(&event))
    for (Sample& sample : samples->samples) sample.rank = rank;
  return event;
}

// How many of a group's ranks take part in what a command is about: those of the case in its slot.
class Participants {
 public:
  explicit Participants(int group) : group_(group) {}

  int of(const Command& command) {
    if (const auto* const prepare = std::get_if<protocol::Prepare>(&command))
      slots_[prepare->slot] = registry::ranks_of(prepare->configuration);
    return std::visit([this](const auto& concrete) { return of_slot(concrete); }, command);
  }

 private:
  int of_slot(const protocol::Quit&) const { return group_; }
  int of_slot(const protocol::WriteCheck&) const { return 1; }
  int of_slot(const auto& command) const {
    const auto found = slots_.find(command.slot);
    return found == slots_.end() ? 1 : found->second;
  }

  int group_;
  std::map<int, int> slots_;
};

void serve_alone(Channel& channel, Device& device, const protocol::Hello& hello) {
  Session session(device, [&](const Event& event) { channel.write_line(protocol::to_line(event)); });
  channel.write_line(protocol::to_line(Event(hello)));
  while (session.handle(protocol::command_from_line(channel.read_line()))) {
  }
}

class Leader {
 public:
  Leader(Channel& channel, RankGroup& group, Device& device)
      : channel_(channel),
        group_(group),
        session_(
            device, [this](const Event& event) { hear(event); },
            [this](int size) { return group_.ranks_of_case(size); }),
        participants_(group.place().size) {}

  void serve(const protocol::Hello& hello) {
    pass_on_reports(group_.place().size);
    channel_.write_line(protocol::to_line(Event(hello)));
    for (bool goes_on = true; goes_on;) {
      const std::string line = channel_.read_line();
      const Command command = protocol::command_from_line(line);
      group_.post(line);
      goes_on = session_.handle(command);
      quits_ = !goes_on;  // the others say goodbye: their store must not go before them
      pass_on_reports(participants_.of(command));
      if (auto answer = std::exchange(answer_, std::nullopt)) channel_.write_line(protocol::to_line(*answer));
    }
  }

 private:
  // Its own answer comes last: by it bench knows that all have answered.
  void hear(const Event& event) {
    if (ends_a_command(event))
      answer_ = event;
    else
      channel_.write_line(protocol::to_line(event));
  }

  void pass_on_reports(int ranks) {
    for (int rank = 1; rank < ranks; ++rank) {
      std::string line;
      do {
        line = group_.next_report(rank);
        if (!quits_) channel_.write_line(line);
      } while (!ends_a_command(protocol::event_from_line(line)));
    }
  }

  Channel& channel_;
  RankGroup& group_;
  Session session_;
  Participants participants_;
  std::optional<Event> answer_;
  bool quits_ = false;
};

void follow(RankGroup& group, Device& device, protocol::Hello hello) {
  const int rank = group.place().rank;
  const auto report = [&](const Event& event) { group.report(protocol::to_line(of_rank(event, rank))); };
  Session session(device, report, [&](int size) { return group.ranks_of_case(size); });
  Participants participants(group.place().size);
  report(std::move(hello));
  while (const auto line = group.next_posted()) {
    const Command command = protocol::command_from_line(*line);
    if (std::holds_alternative<protocol::Quit>(command)) return report(protocol::Done{});
    if (rank < participants.of(command)) session.handle(command);
  }
}

GroupPlace group_place(const Arguments& arguments) {
  return {.place = {.rank = arguments.rank,
                    .size = arguments.ranks,
                    .local_rank = arguments.local_rank,
                    .local_size = arguments.local_ranks},
          .store_host = arguments.store_host,
          .store_port = arguments.store_port,
          .store_fd = arguments.store_fd,
          .store_prefix = arguments.store_prefix,
          .pages_fd = arguments.pages_fd,
          .may_spin = arguments.may_spin};
}

}  // namespace

void serve(const Arguments& arguments, Device& device, protocol::Hello hello) {
  Channel channel(arguments.command_fd, arguments.event_fd);
  if (arguments.ranks == 1) return serve_alone(channel, device, hello);
  RankGroup group(group_place(arguments));
  if (arguments.rank == 0)
    Leader(channel, group, device).serve(hello);
  else
    follow(group, device, std::move(hello));
}

}  // namespace bench::worker
