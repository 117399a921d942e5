#include "daemon/streams/transcript_archive.h"

#include <algorithm>
#include <exception>
#include <sstream>
#include <utility>
#include <variant>

#include "daemon/base/log.h"
#include "daemon/base/text.h"
#include "daemon/base/utc_time.h"
#include "daemon/journal/sqlite_store.h"
#include "daemon/protocol/stream_log_format.h"

namespace surtitle {
namespace {

constexpr std::size_t kMaxCounted = 10'000;  // ended streams whose counts are remembered

RequestError not_found(const TranscriptRequest& request) {
  return request.stream
             ? RequestError(404, "This channel has no stream " + in_quotes(*request.stream) +
                                     ", or it is not kept any more.")
             : RequestError(404, "No words were sent on this channel.");
}

// Collects the streams of an answer.
class Collection {
 public:
  explicit Collection(const TranscriptRequest& request)
      : request_(request), file_(request.channel, request.choice) {}

  std::size_t size() const noexcept { return file_.size(); }
  void add(const TranscribedStream& stream) {
    found_ = true;
    has_track_ = has_track_ || stream.has_track(request_.choice.track);
    file_.add(stream.description, stream.transcript);
  }
  Result<std::string> finish() {
    if (!found_) {
      return not_found(request_);
    }
    if (!has_track_ && !request_.choice.track.empty()) {
      return RequestError(404,
                          "This channel has no track " + in_quotes(request_.choice.track) + ".");
    }
    return file_.finish();
  }

 private:
  const TranscriptRequest& request_;
  TranscriptFile file_;
  bool found_ = false;
  bool has_track_ = false;
};

bool has_words(const TranscribedStream& stream) { return !stream.transcript.sentences().empty(); }

bool is_of_other_track(const stream_log::Line& line, const std::optional<std::string>& track) {
  const auto* message = std::get_if<protocol::ServerMessage>(&line);
  const std::optional<std::string_view> own =
      track && message != nullptr ? track_of(*message) : std::nullopt;
  return own && *own != *track;
}

// Lines that this version does not know are left out: another version may have written them.
void add_lines(const std::string& lines, const std::optional<std::string>& track,
               TranscribedStream& stream) {
  std::istringstream all(lines);
  for (std::string text; std::getline(all, text);) {
    const auto parsed = stream_log::parse_line(text);
    const auto* line = std::get_if<std::optional<stream_log::Line>>(&parsed);
    if (line != nullptr && *line && !is_of_other_track(**line, track)) {
      stream.add(**line);
    }
  }
}

// Returns the streams of a channel in the journal, without those that continue elsewhere.
std::vector<JournalListing> streams_of(JournalReader& journal, const std::string& channel) {
  std::vector<JournalListing> streams = journal.streams(channel);
  std::erase_if(streams, [](const JournalListing& one) { return one.ended == 0; });
  return streams;
}

void log_failure(const std::string& channel, const std::exception& failure) {
  log(LogLevel::kError, "Reading a transcript from the journal failed",
      {{"channel", channel}, {"error", failure.what()}});
}

// Returns what `read` returns, or an error if it throws.
template <class Read>
auto result_of(const std::string& channel, const Read& read) -> decltype(read()) {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    return RequestError(503, "The daemon has no memory for this transcript; try again.",
                        /*retry_after=*/1);
  } catch (const std::exception& failure) {
    log_failure(channel, failure);
    return RequestError(500, "The journal cannot be read; the log of the daemon has the reason.");
  }
}

}  // namespace

TranscriptArchive::TranscriptArchive(TranscriptArchiveOptions options, Post post,
                                     Environment& environment)
    : options_(std::move(options)), post_(std::move(post)) {
  worker_ = environment.start({[] {}, [this] { return run_once(); }, [] {}});
}

bool TranscriptArchive::list(std::string channel, Listed listed) {
  return submit([this, channel = std::move(channel), listed = std::move(listed)] {
    auto result = result_of(channel, [&] { return read_list(channel); });
    return [listed, result = std::move(result)] { listed(result); };
  });
}

bool TranscriptArchive::write(TranscriptRequest request, Remote remote, Written written) {
  return submit([this, request = std::move(request), remote = std::move(remote),
                 written = std::move(written)] {
    const auto result = std::make_shared<Result<std::string>>(
        result_of(request.channel, [&] { return read_file(request, remote); }));
    return [written, result] { written(std::move(*result)); };
  });
}

bool TranscriptArchive::submit(Query query) {
  {
    const MutexLock lock(mutex_);
    if (waiting_.size() >= options_.waiting) {
      return false;
    }
    waiting_.push_back(std::move(query));
  }
  worker_->wake();
  return true;
}

// If memory runs out, the next round continues with the same query or its result.
TimePoint TranscriptArchive::run_once() {
  if (!current_) {
    const MutexLock lock(mutex_);
    if (waiting_.empty()) {
      return Task::kWhenNotified;
    }
    current_ = std::move(waiting_.front());
    waiting_.pop_front();
  }
  if (!done_) {
    done_ = current_();
  }
  post_(done_);
  done_ = nullptr;
  current_ = nullptr;
  return Task::kImmediately;
}

Result<std::vector<StreamListing>> TranscriptArchive::read_list(const std::string& channel) {
  JournalReader journal(options_.journal);
  std::vector<StreamListing> listings;
  for (const JournalListing& one : streams_of(journal, channel)) {
    const auto known = ended_.find(one.stream.name);
    StreamListing listing;
    if (known != ended_.end()) {
      listing = {known->second.description, known->second.totals};
    } else {
      try {
        listing = list_stream(read_stream(journal, one.stream.name, {}), !one.ended);
      } catch (const std::runtime_error& damage) {
        log_failure(channel, damage);
        continue;
      }
      listing.description.started = calendar_time(one.stream.started);
    }
    if (one.ended) {
      if (ended_.size() >= kMaxCounted) {
        ended_.clear();
      }
      ended_.try_emplace(one.stream.name, Ended{listing.description, listing.totals});
      listing.ended = calendar_time(*one.ended);
      if (options_.retention > Seconds::zero()) {
        const auto kept = std::chrono::duration_cast<std::chrono::milliseconds>(options_.retention);
        listing.kept_until = calendar_time(milliseconds_since_1970(*listing.ended) + kept.count());
      }
    }
    if (listing.totals.sentences > 0) {
      listings.push_back(std::move(listing));
    }
  }
  return listings;
}

Result<std::string> TranscriptArchive::read_file(const TranscriptRequest& request,
                                                 const Remote& remote) const {
  JournalReader journal(options_.journal);
  struct Source {
    std::string name;
    CalendarTime started;
    const TranscribedStream* remote = nullptr;  // nullptr: in the journal
  };
  std::vector<Source> sources;
  for (const JournalListing& one : streams_of(journal, request.channel)) {
    sources.push_back({one.stream.name, calendar_time(one.stream.started)});
  }
  for (const TranscribedStream& one : remote) {
    const auto same = [&](const Source& other) { return other.name == one.description.stream; };
    if (std::none_of(sources.begin(), sources.end(), same)) {
      sources.push_back({one.description.stream, one.description.started, &one});
    }
  }
  std::erase_if(sources, [&](const Source& source) {
    return request.stream && source.name != *request.stream;
  });
  std::stable_sort(sources.begin(), sources.end(), [](const Source& left, const Source& right) {
    return left.started < right.started;
  });
  const bool only_last = !request.stream && !request.choice.all;
  if (only_last) {
    std::reverse(sources.begin(), sources.end());
  }
  Collection collection(request);
  for (const Source& source : sources) {
    const TranscribedStream stream = source.remote != nullptr
                                         ? *source.remote
                                         : read_stream(journal, source.name, request.choice.track);
    if (has_words(stream)) {
      collection.add(stream);
    }
    if (collection.size() > options_.file_bytes) {
      return RequestError(413, "The transcript is larger than " +
                                   std::to_string(options_.file_bytes >> 20) +
                                   " MiB; request the streams of the channel one by one.");
    }
    if (only_last && has_words(stream)) {
      break;
    }
  }
  return collection.finish();
}

TranscribedStream TranscriptArchive::read_stream(JournalReader& journal, const std::string& stream,
                                                 const std::optional<std::string>& track) const {
  TranscribedStream read(options_.sentences);
  journal.each_row(stream, [&](std::int64_t /*number*/, const JournalRow& row) {
    add_lines(row.lines, track, read);
  });
  read.description.stream = stream;
  return read;
}

StreamListing list_stream(const TranscribedStream& stream, bool live) {
  StreamListing listing{stream.description, totals_of(stream.transcript)};
  listing.description.heading = stream.transcript.heading();
  listing.live = live;
  return listing;
}

Result<std::string> write_transcripts(const TranscriptRequest& request,
                                      const std::vector<const TranscribedStream*>& streams) {
  Collection collection(request);
  for (const TranscribedStream* stream : streams) {
    const bool chosen = request.stream ? stream->description.stream == *request.stream
                                       : request.choice.all || stream == streams.back();
    if (chosen && has_words(*stream)) {
      collection.add(*stream);
    }
  }
  return collection.finish();
}

}  // namespace surtitle
