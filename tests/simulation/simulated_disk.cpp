#include "tests/simulation/simulated_disk.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <variant>

namespace surtitle {
namespace {

std::int64_t seq_of(const std::string& input) {
  const auto parsed = protocol::parse_client_message(input);
  const auto* message = std::get_if<protocol::ClientMessage>(&parsed);
  if (message == nullptr) {
    return 0;
  }
  if (const auto* source = std::get_if<protocol::Source>(message)) {
    return source->seq;
  }
  if (const auto* hypothesis = std::get_if<protocol::Hypothesis>(message)) {
    return hypothesis->seq.value_or(0);
  }
  const auto* end = std::get_if<protocol::EndSentence>(message);
  return end == nullptr ? 0 : end->seq.value_or(0);
}

}  // namespace

class SimulatedDisk::Store : public JournalStore {
 public:
  explicit Store(SimulatedDisk& disk) : disk_(disk) {}

  void write(std::span<const JournalEntry> entries) override {
    if (disk_.failing_) {
      ++disk_.failures_;
      throw std::runtime_error("the disk is full");
    }
    for (const JournalEntry& entry : entries) {
      disk_.write(entry);
    }
    disk_.simulation_.trace("disk: " + std::to_string(entries.size()) + " entries");
  }

  RecoverableStreams load_recoverable(std::int64_t ended, int /*channels*/) override {
    RecoverableStreams left;
    for (const std::string& name : disk_.names_) {
      const StoredStream& stream = disk_.streams_.at(name);
      if (!stream.history.ended || stream.ended >= ended) {
        left.summaries.push_back(
            {stream.history.stream, std::ssize(stream.history.rows), stream.history.ended});
      }
    }
    left.read = [&disk = disk_](const StreamSummary& summary) {
      if (summary.stream.name == disk.spoiled_) {
        throw std::runtime_error("the disk cannot be read");
      }
      disk.read_.push_back(summary.stream.name);
      return disk.streams_.at(summary.stream.name).history;
    };
    return left;
  }

  bool purge(std::int64_t /*before*/) override { return false; }

 private:
  SimulatedDisk& disk_;
};

std::unique_ptr<JournalStore> SimulatedDisk::open() { return std::make_unique<Store>(*this); }

const StoredStream* SimulatedDisk::stream(const std::string& name) const {
  const auto found = streams_.find(name);
  return found == streams_.end() ? nullptr : &found->second;
}

void SimulatedDisk::write(const JournalEntry& entry) {
  if (entry.begins) {
    streams_[entry.stream].history.stream = *entry.begins;
    names_.push_back(entry.stream);
  }
  StoredStream& stream = streams_.at(entry.stream);
  if (entry.row) {
    stream.history.rows.push_back(*entry.row);
    stream.seq = std::max(stream.seq, seq_of(entry.row->input));
    std::istringstream lines(entry.row->lines);
    for (std::string line; std::getline(lines, line);) {
      const auto parsed = protocol::parse_server_message(line);
      const auto* message = std::get_if<protocol::ServerMessage>(&parsed);
      const std::int64_t event = message == nullptr ? 0 : protocol::event_of(*message);
      if (event > 0) {
        stream.lines[event] = line;
      }
    }
  }
  if (entry.ends) {
    stream.history.ended = true;
    stream.ended = milliseconds_since_1970(simulation_.calendar_time());
  }
}

}  // namespace surtitle
