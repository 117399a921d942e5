// One speaker's words and their translations, independent of the connection.
//
// A stream ties a session, the batch loops, a channel and the journal together. Without a journal
// it ends with its connection. With a journal, a detached stream translates the words that it has
// and waits for its sender. After resume.timeout it ends as if the sender had sent `finish`.
//
// A journaled stream also outlives the process: StreamReplayer replays its history. Final
// messages are published in order, and only after the journal has committed them.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/access/client_quota.h"
#include "daemon/base/log.h"
#include "daemon/channels/connection.h"
#include "daemon/journal/journal_codec.h"
#include "daemon/journal/journal_store.h"
#include "daemon/streams/commit_queue.h"
#include "daemon/streams/realtime_rate.h"
#include "daemon/streams/server_context.h"
#include "daemon/streams/stream_info.h"
#include "daemon/streams/stream_log.h"
#include "daemon/streams/stream_owner.h"
#include "daemon/streams/stream_publisher.h"
#include "daemon/streams/stream_session.h"
#include "daemon/streams/stream_stats.h"

namespace surtitle {

class Stream {
 public:
  enum class Kind {
    kEphemeral,  // ends with its connection, and is not journaled
    kDurable,    // is journaled and outlives its connection, if there is a journal
  };
  // The state from which a stream continues: that of a new stream, or that after a replay.
  struct Parts {
    StreamSession session;
    std::unique_ptr<StreamPublisher> publisher;
    Journal* journal = nullptr;  // nullptr: the stream is ephemeral
    bool journaled = false;      // the journal has its first entry
    StreamStats stats = {};
  };

  Stream(ServerContext& server, StreamOwner& owner, Parts parts);
  // Call one of these once, before all other methods.
  //
  // Reserves the channel and queues `ready`. REQUIRES: the owner has the stream, and the channel
  // has no sender.
  void begin(const protocol::Start& start, const std::vector<std::string>& warnings);
  // Begins a stream that was replayed. `end`: how it ended, if its history has the end.
  void begin_restored(const std::optional<StreamEnd>& end);

  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  std::uint64_t number() const noexcept { return session_.identity().number; }
  const std::string& name() const noexcept { return session_.identity().name; }
  bool durable() const noexcept { return commit_queue_.durable(); }
  const std::optional<std::string>& channel() const noexcept { return publisher_->channel(); }
  // Returns the indices of the models of its tracks, as they are configured now.
  std::vector<std::size_t> models() const { return session_.models(); }
  // Source words that were accepted, before a restart too.
  int source_words() const noexcept { return words_counted_; }
  // Words of speech (words_of_speech.h) that this process received.
  int words_of_speech() const noexcept { return words_of_speech_; }
  StreamInfo info(TimePoint now) const;
  // Returns true once the stream has ended and publishes nothing more. A client that resumes it is
  // sent its end.
  bool closed() const noexcept { return state_ == State::kClosed; }

  // --- its sender ---
  bool may_resume(const protocol::Resume& resume) const;
  // Returns true if the stream is at least as far as the sender knows. Otherwise this copy is an
  // older state.
  bool covers(const protocol::Resume& resume) const noexcept {
    return StreamOffsets{Seq(last_seq_), EventNumber(session_.last_event())}.covers(resume);
  }
  // Continues on this connection and sends the messages that the sender lacks. An earlier
  // connection is closed with an error. REQUIRES: may_resume().
  void attach(Connection& connection, const protocol::Resume& resume, TimePoint now);
  bool attached() const noexcept { return publisher_->attached(); }
  bool is_attached_to(const Connection& connection) const {
    return publisher_->is_attached_to(connection);
  }
  // The connection is closed. `on_purpose`: the sender closed it. The leases are held while the
  // stream waits for its sender.
  void detach(bool on_purpose, std::vector<Lease> quota_leases, TimePoint now) noexcept;

  // The leases that the stream holds while it waits for its sender.
  const std::vector<Lease>& quota_leases() const noexcept { return quota_leases_; }

  // Handles a message of the sender. `text`: the message as it was received.
  void receive(const protocol::ClientMessage& message, std::string_view text, TimePoint now);
  // Ends the stream with an error.
  void fail(const protocol::Error& error);
  // Ends the stream after an exception in the middle of a step. If it was ending already, it ends
  // without a message.
  void abort(const protocol::Error& error) noexcept;

  bool may_read() const;
  std::optional<TimePoint> deadline() const;
  void on_deadline(TimePoint now);

  // Calls `on_idle` once all words are translated as far as the policies allow, but not if the
  // stream ends before. REQUIRES: no earlier call is pending.
  void when_idle(std::function<void()> on_idle);

  // --- its owner ---
  void translated(std::span<const TranslationEvent> events, TimePoint now);
  void inbox_has_room();
  // As if the sender had sent `finish`.
  void finish(TimePoint now);
  // Ends the stream in this process only: it stays in the journal for the next process. REQUIRES:
  // durable().
  void hand_off();
  // The journal has committed the oldest row that was not committed yet.
  void on_committed();
  // Ends the stream at once, because a new stream begins on its channel.
  void displace();
  // Drops the stream in this process only, without an entry in its history: another replica owns it
  // by now, or it never began. Its sender receives the error. Without an error, the sender's
  // connection is closed with code 1013, after which a sender reconnects.
  void release_ownership(const std::optional<protocol::Error>& error);
  // Starts the time in which the sender may resume, and reports it. REQUIRES: not attached.
  void start_resume_timer(TimePoint now);
  // Returns the end of the time in which the stream waits for its sender, or nullopt if it does not
  // wait.
  std::optional<TimePoint> interrupted_until() const;
  // Sets the time since which this process serves the stream.
  void set_restored_at(TimePoint now) noexcept { restored_at_ = now; }

 private:
  // In order: a stream never returns to an earlier state.
  enum class State {
    kNew,       // has not begun
    kOpen,      // accepts input
    kDraining,  // a drain has finished it in place of its sender
    kEnding,    // accepts no more input; its last output may wait for the journal
    kClosed,    // publishes no more output
  };
  bool ended() const noexcept { return state_ >= State::kEnding; }
  void count_arrivals(TimePoint now);
  protocol::Ready ready(std::vector<std::string> warnings) const;

  void flush(TimePoint now, std::string input = {});
  void commit_output(PendingOutput output, const std::vector<std::string>& lines, std::string input,
                     TimePoint now);
  void emit(const PendingOutput& output);
  void report(const protocol::ServerMessage& message);
  void report_detached();
  void submit(SessionOutput& output);
  void measure(const SessionOutput& output);
  void end(std::vector<Outgoing> messages, StreamEnd stream_end, std::vector<std::string> lines,
           std::string input, TimePoint now);
  void close() noexcept;
  void cancel_sentences();
  void report_end() const;
  void log_line(LogLevel level, std::string_view message, LogFields fields = {}) const;

  ServerContext& server_;
  StreamOwner& owner_;
  StreamSession session_;
  CommitQueue commit_queue_;
  const std::unique_ptr<StreamPublisher> publisher_;
  TimePoint restored_at_ = server_.now();  // since when this process serves the stream

  TimePoint resume_deadline_;        // of a detached stream
  std::vector<Lease> quota_leases_;  // of a detached stream

  std::optional<StreamLog> log_;
  // Commands for which a loop's inbox had no room, by model.
  std::map<std::size_t, std::vector<TranslationCommand>> blocked_commands_;

  StreamEnd stream_end_{protocol::ByeReason::kSenderLeft};  // how it ended

  std::function<void()> on_idle_;
  int busy_models_ = 0;          // models that have not reported to be idle yet
  bool watch_reported_ = false;  // a word has got its probability since they were asked

  State state_ = State::kNew;
  bool resumed_ = false;   // the sender may repeat messages that were not acknowledged
  std::int64_t last_seq_;  // of the accepted messages
  RealtimeRate realtime_rate_{restored_at_};
  // The last time when words arrived faster than speech.
  TimePoint faster_than_realtime_until_ = TimePoint::min();
  StreamStats stats_;
  int words_counted_;
  int words_of_speech_ = 0;
  int arrived_words_;   // of the session's words, those that count_arrivals() has counted
  int arrived_pieces_;  // of the session's pieces, as well
  int revisions_counted_;
};

// Makes a new stream on this connection, which begin() starts. It is ephemeral if `kind` says so or
// if there is no journal. Throws std::runtime_error if the system provides no random bytes.
std::shared_ptr<Stream> make_stream(ServerContext& server, StreamOwner& owner,
                                    const protocol::Start& start, std::vector<TrackPlan> tracks,
                                    Connection& connection, Stream::Kind kind, TimePoint now);

}  // namespace surtitle
