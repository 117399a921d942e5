// The transcripts of all streams in the journal, which a thread of its own reads.
//
// The journal has every word that a channel has shown (commit before visible). It also has streams
// that run, ended long ago, or were left by another process. Each request reads a snapshot of the
// file, beside the journal's own thread.
//
// Lifecycle: the destructor waits for the request that is being read and drops the others.
//
// Thread-safety: none; belongs to the network thread, on which results arrive.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/access/request_error.h"
#include "daemon/base/environment.h"
#include "daemon/channels/transcript.h"
#include "daemon/channels/transcript_formats.h"
#include "model/util/mutex.h"

namespace surtitle {

class JournalReader;

// A stream without its words.
struct StreamListing {
  StreamDescription description;
  TranscriptTotals totals;
  std::optional<CalendarTime> ended = {};  // nullopt: it has not ended, or the time is not known
  std::optional<CalendarTime> kept_until = {};  // nullopt: it has not ended, or forever
  bool live = false;
};

// A file of a channel's transcripts.
struct TranscriptRequest {
  std::string channel;
  std::optional<std::string> stream = {};  // nullopt: the last one, or all with choice.all
  TranscriptChoice choice = {};
};

struct TranscriptArchiveOptions {
  std::filesystem::path journal;      // the file
  Seconds retention{0};               // of the journal; 0: forever
  std::size_t waiting = 16;           // requests; more are rejected
  std::size_t sentences = 50'000;     // of a stream, the last ones; they bound the memory
  std::size_t file_bytes = 60 << 20;  // of an answer
};

class TranscriptArchive {
 public:
  using Post = std::function<void(std::function<void()>)>;
  using Listed = std::function<void(Result<std::vector<StreamListing>>)>;
  using Written = std::function<void(Result<std::string>)>;
  // Streams that only the memory has, as they run on another replica.
  using Remote = std::vector<TranscribedStream>;

  // REQUIRES: `environment` outlives this object.
  TranscriptArchive(TranscriptArchiveOptions options, Post post, Environment& environment);
  TranscriptArchive(const TranscriptArchive&) = delete;
  TranscriptArchive& operator=(const TranscriptArchive&) = delete;
  ~TranscriptArchive() = default;

  // Lists the streams of a channel that have words, the earliest first. Returns false, and will not
  // call back, if too many requests wait.
  bool list(std::string channel, Listed listed);
  // Writes a file. A stream of `remote` counts if the journal does not have it. Returns as list().
  bool write(TranscriptRequest request, Remote remote, Written written);

 private:
  // Reads, and returns the call of the network thread.
  using Query = std::function<std::function<void()>()>;

  bool submit(Query query);
  TimePoint run_once();
  Result<std::vector<StreamListing>> read_list(const std::string& channel);
  Result<std::string> read_file(const TranscriptRequest& request, const Remote& remote) const;
  // Reads all tracks, or only `track`.
  TranscribedStream read_stream(JournalReader& journal, const std::string& stream,
                                const std::optional<std::string>& track) const;

  const TranscriptArchiveOptions options_;
  const Post post_;

  Mutex mutex_;
  std::deque<Query> waiting_ GUARDED_BY(mutex_);

  // Used by the archive's thread alone.
  struct Ended {
    StreamDescription description;
    TranscriptTotals totals;
  };
  std::map<std::string, Ended> ended_;  // streams that were counted, by name
  Query current_;                       // the query that is being read
  std::function<void()> done_;          // its result, not posted yet

  std::unique_ptr<Worker> worker_;  // last, because it uses all other members
};

StreamListing list_stream(const TranscribedStream& stream, bool live);

// Writes the streams that the request selects from those of a channel in memory, the earliest
// first.
Result<std::string> write_transcripts(const TranscriptRequest& request,
                                      const std::vector<const TranscribedStream*>& streams);

}  // namespace surtitle
