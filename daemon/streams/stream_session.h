// The session of a stream with its tracks: everything that a replay of the history repeats.
//
// The inputs and their times determine all output: the messages, the numbers of their events, and
// the lines of the journal and of the stream log.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/environment.h"
#include "daemon/base/log.h"
#include "daemon/channels/transcript.h"
#include "daemon/journal/journal_codec.h"
#include "daemon/protocol/stream_log_format.h"
#include "daemon/streams/model_pool.h"
#include "daemon/translation/session.h"
#include "daemon/translation/stream_plan.h"

namespace surtitle {

struct StreamIdentity {
  std::uint64_t number = 0;  // in this process
  std::string name;
  std::string key;  // secret for Resume
  std::optional<std::string> channel;
  TimePoint ready;       // the start of the stream's time
  CalendarTime started;  // the same time in the calendar
  std::string source;    // language
};

// Logs a line with a stream's name, and its channel if it has one.
void log_stream(LogLevel level, std::string_view message, const std::string& name,
                const std::optional<std::string>& channel, LogFields fields);

class StreamSession {
 public:
  struct Options {
    StreamSettings settings;
    Seconds silence{2};     // see SessionOptions
    bool numbered = false;  // whether messages have event numbers, as those of a journaled stream
  };

  // REQUIRES: `models` outlives this object, and has the models of the tracks.
  StreamSession(const ModelPool& models, StreamIdentity identity, const Options& options,
                std::vector<TrackPlan> tracks);

  const StreamIdentity& identity() const noexcept { return identity_; }
  // The session, until close().
  Session* operator->() const noexcept { return session_.get(); }
  explicit operator bool() const noexcept { return session_ != nullptr; }
  // Frees the session. Its identity, tracks and heading stay available.
  void close() noexcept { session_.reset(); }

  // --- input, besides that of the session ---
  // Handles a message of the sender. A returned error ends the stream.
  std::optional<protocol::Error> receive(const protocol::ClientMessage& message, TimePoint now);
  // Handles the input of a row again.
  void replay(const StreamInput& input, TimePoint then);

  // --- output ---
  // As Session::take_output(), with notices and numbers of events.
  SessionOutput take_output();
  std::int64_t last_event() const noexcept { return last_event_; }
  // Return the lines for the stream's log and the journal.
  std::vector<std::string> first_lines(const stream_log::Head& head) const;
  std::vector<std::string> lines_of(SessionOutput& output) const;
  std::string end_line(protocol::ByeReason reason, TimePoint now) const;

  // --- tracks, as they are configured now ---
  const std::vector<TrackPlan>& plans() const noexcept { return tracks_; }
  std::vector<protocol::Track> tracks() const;
  StreamDescription description() const;
  std::vector<std::size_t> models() const;
  const protocol::Heading& heading() const noexcept { return heading_; }
  // Returns the model of the message's track if it is a write, else of the first track.
  std::size_t model_of(const protocol::ServerMessage& message) const;

 private:
  void configure(const protocol::Configure& configure);
  void refuse(const std::string& why);
  void change_heading(const protocol::Configure& configure);
  void set_glossary(const std::string& track, const protocol::Glossary& glossary);
  std::shared_ptr<const TermList> terms(const TrackPlan& plan) const;
  TrackSetting setting(const TrackPlan& plan) const;
  void add_lag_line(const TrackPlan& track, int sentence, std::vector<std::string>& lines) const;

  const ModelPool& models_;
  StreamIdentity identity_;
  std::vector<TrackPlan> tracks_;
  // As `configure` has changed them: languages and glossaries of the stream and of its tracks.
  protocol::Start start_;
  bool attention_;  // `start` asked for it
  bool numbered_;
  std::unique_ptr<Session> session_;
  protocol::Heading heading_;
  std::vector<Outgoing> pending_notices_;  // sent before the session's next output
  std::int64_t last_event_ = 0;
};

}  // namespace surtitle
