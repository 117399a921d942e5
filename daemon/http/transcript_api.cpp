#include "daemon/http/transcript_api.h"

#include <algorithm>
#include <array>
#include <boost/asio/this_coro.hpp>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/backplane/backplane.h"
#include "daemon/base/json_writer.h"
#include "daemon/base/url_parts.h"
#include "daemon/base/utc_time.h"
#include "daemon/channels/transcript_formats.h"
#include "daemon/http/access_rules.h"
#include "daemon/net/async_event.h"
#include "daemon/streams/transcript_archive.h"

namespace surtitle {
namespace {

// The extensions of the formats, in the order of the list.
constexpr std::array<std::string_view, 5> kExtensions{"vtt", "srt", "txt", "json", "html"};

// Follows a channel on other replicas during its lifetime.
class ChannelSubscription {
 public:
  ChannelSubscription(StreamRegistry& streams, std::string channel)
      : server_(streams.server()), channel_(std::move(channel)), drain_guard_(streams) {}
  ChannelSubscription(const ChannelSubscription&) = delete;
  ChannelSubscription& operator=(const ChannelSubscription&) = delete;
  ~ChannelSubscription() {
    if (follows_ && server_.backplane() != nullptr) {
      server_.backplane()->leave(channel_);
    }
  }

  asio::awaitable<void> wait_loaded() {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    const auto known = std::make_shared<AsyncEvent>(executor);
    const auto is_known = std::make_shared<bool>(false);
    follows_ = true;
    server_.backplane()->follow(channel_, [known, is_known](bool /*all*/) {
      *is_known = true;
      known->notify();
    });
    if (!*is_known) {
      co_await known->wait();
    }
  }

 private:
  ServerContext& server_;
  const std::string channel_;
  const StreamRegistry::DrainGuard drain_guard_;
  bool follows_ = false;
};

// Waits for the archive's answer. `begin` passes the callback on, and returns false if the archive
// rejects the request.
template <class T, class Begin>
asio::awaitable<Result<T>> wait_for_archive(StreamRegistry& streams, const Begin& begin) {
  const StreamRegistry::DrainGuard drain_guard(streams);
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  const auto arrived = std::make_shared<AsyncEvent>(executor);
  const auto result = std::make_shared<std::optional<Result<T>>>();
  const std::function<void(Result<T>)> done = [arrived, result](Result<T> answer) {
    *result = std::move(answer);
    arrived->notify();
  };
  if (!begin(done)) {
    co_return RequestError(503, "Too many transcripts are being read; try again.",
                           /*retry_after=*/1);
  }
  while (!*result) {
    co_await arrived->wait();
  }
  co_return *std::move(*result);
}

// Returns the streams of the channel that may be missing from the journal: those of other replicas.
TranscriptArchive::Remote remote_streams(const ServerContext& server, const std::string& channel) {
  TranscriptArchive::Remote remote;
  if (server.backplane() != nullptr) {
    for (const TranscribedStream* stream : server.channels().streams(channel)) {
      remote.push_back(*stream);
    }
  }
  return remote;
}

asio::awaitable<Result<std::string>> read_journal(TranscriptRequest request,
                                                  StreamRegistry& streams) {
  ServerContext& server = streams.server();
  const auto begin = [&](const TranscriptArchive::Written& done) {
    TranscriptArchive::Remote remote = remote_streams(server, request.channel);
    return server.archive()->write(std::move(request), std::move(remote), done);
  };
  co_return co_await wait_for_archive<std::string>(streams, begin);
}

HttpResponse file_response(TranscriptFormat format, std::string file) {
  HttpResponse response = make_response(http::status::ok, content_type(format), std::move(file));
  if (format == TranscriptFormat::kHtml) {
    response.set("Content-Security-Policy",
                 "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
  }
  return response;
}

TranscriptChoice choice_of(TranscriptFormat format, std::string_view query) {
  TranscriptChoice choice{format};
  for (const auto& [name, value] : parse_query(query)) {
    if (name == "track") {
      choice.track = protocol::track_from_query(value);
    } else if (name == "bilingual") {
      choice.bilingual = value != "0";
    } else if (name == "all") {
      choice.all = value != "0";
    }
  }
  return choice;
}

// Returns the file that the request selects: from memory if that has the only stream of it, else
// from the journal.
asio::awaitable<Result<std::string>> read_file(TranscriptRequest request, StreamRegistry& streams) {
  const ServerContext& server = streams.server();
  const bool all = request.choice.all || request.stream;
  if (!all) {
    streams.restore_channel(request.channel);
  }
  const std::vector<const TranscribedStream*> kept = server.channels().streams(request.channel);
  const bool in_memory = !kept.empty() && !kept.back()->transcript.sentences().empty();
  if (server.archive() == nullptr || (!all && in_memory)) {
    if (kept.empty() && streams.draining()) {
      co_return RequestError(
          503, "The daemon is shutting down and has no transcript of this channel; try again.",
          /*retry_after=*/1);
    }
    co_return write_transcripts(request, kept);
  }
  co_return co_await read_journal(std::move(request), streams);
}

// Follows the channel on other replicas if there are some, and answers with the file.
asio::awaitable<Result<HttpResponse>> answer_file(TranscriptRequest request,
                                                  StreamRegistry& streams) {
  std::optional<ChannelSubscription> subscription;
  if (streams.server().backplane() != nullptr) {
    subscription.emplace(streams, request.channel);
    co_await subscription->wait_loaded();
  }
  const TranscriptFormat format = request.choice.format;
  Result<std::string> file = co_await read_file(std::move(request), streams);
  if (!file) {
    co_return file.error();
  }
  co_return file_response(format, *std::move(file));
}

std::string to_json(const StreamListing& listing) {
  const StreamDescription& stream = listing.description;
  const auto text = [](const std::optional<CalendarTime>& time) {
    return time ? std::optional(utc_time(*time)) : std::nullopt;
  };
  JsonWriter files;
  for (const std::string_view format : kExtensions) {
    files.field(format, "transcripts/" + stream.stream + "." + std::string(format));
  }
  JsonWriter json;
  return add_heading(json.field("stream", stream.stream), stream.heading)
      .field("begin", utc_time(stream.started))
      .field("length", std::round(listing.totals.seconds * 1000) / 1000)
      .field("live", listing.live)
      .optional_field("ended", text(listing.ended))
      .optional_field("kept_until", text(listing.kept_until))
      .optional_field("source", stream.source.empty() ? std::nullopt : std::optional(stream.source))
      .field("source_words", listing.totals.source_words)
      .field("sentences", listing.totals.sentences)
      .raw_field("tracks", json_array(stream.tracks,
                                      [&](const protocol::Track& track) {
                                        const auto words = listing.totals.words.find(track.name);
                                        return JsonWriter()
                                            .field("name", track.name)
                                            .field("target", track.target)
                                            .field("words", words == listing.totals.words.end()
                                                                ? std::int64_t{0}
                                                                : words->second)
                                            .finish();
                                      }))
      .raw_field("files", files.finish())
      .finish();
}

std::string to_json(const std::string& channel, const std::vector<StreamListing>& listings) {
  JsonWriter all;
  for (const std::string_view format : kExtensions) {
    all.field(format, "transcript." + std::string(format) + "?all=1");
  }
  return JsonWriter()
      .field("channel", channel)
      .raw_field("streams",
                 json_array(listings, [](const StreamListing& one) { return "\n" + to_json(one); }))
      .raw_field("all", all.finish())
      .finish();
}

// Adds the streams that only the memory has.
void add_kept(const std::string& channel, const ChannelRegistry& channels,
              std::vector<StreamListing>& listings) {
  const std::optional<ChannelSender> sender = channels.sender(channel);
  for (const TranscribedStream* stream : channels.streams(channel)) {
    const std::string& name = stream->description.stream;
    const auto same = [&](const StreamListing& one) { return one.description.stream == name; };
    if (!stream->transcript.sentences().empty() &&
        std::none_of(listings.begin(), listings.end(), same)) {
      listings.push_back(list_stream(*stream, sender && sender->stream == name));
    }
  }
  std::stable_sort(listings.begin(), listings.end(),
                   [](const StreamListing& left, const StreamListing& right) {
                     return left.description.started < right.description.started;
                   });
}

RequestError unknown_transcript() {
  return {404,
          "Unknown transcript; allowed: /v1/channels/NAME/transcript.FORMAT and "
          "/v1/channels/NAME/transcripts/STREAM.FORMAT, with a NAME of 1 to 64 characters of A-Z "
          "a-z 0-9 . _ -, and the formats vtt, srt, txt, json and html"};
}

}  // namespace

asio::awaitable<Result<HttpResponse>> answer_transcript(const RoutedRequest& request) {
  const std::optional<std::string> channel = channel_parameter(request.parameters);
  const auto format = transcript_format_by_extension(request.parameters.back());
  if (!channel || !format) {
    co_return unknown_transcript();
  }
  TranscriptRequest file{*channel, std::nullopt, choice_of(*format, request.query)};
  co_return co_await answer_file(std::move(file), request.context.streams);
}

asio::awaitable<Result<HttpResponse>> answer_stream_transcript(const RoutedRequest& request) {
  const std::optional<std::string> channel = channel_parameter(request.parameters);
  const auto stream = percent_decode(request.parameters.at(1));
  const auto format = transcript_format_by_extension(request.parameters.back());
  if (!channel || !stream || !format) {
    co_return unknown_transcript();
  }
  TranscriptRequest file{*channel, *stream, choice_of(*format, request.query)};
  file.choice.all = false;
  co_return co_await answer_file(std::move(file), request.context.streams);
}

asio::awaitable<Result<HttpResponse>> answer_transcripts(const RoutedRequest& request) {
  StreamRegistry& streams = request.context.streams;
  ServerContext& server = streams.server();
  const std::optional<std::string> channel = channel_parameter(request.parameters);
  if (!channel) {
    co_return unknown_transcript();
  }
  std::optional<ChannelSubscription> subscription;
  if (server.backplane() != nullptr) {
    subscription.emplace(streams, *channel);
    co_await subscription->wait_loaded();
  }
  Result<std::vector<StreamListing>> listings = std::vector<StreamListing>();
  if (server.archive() != nullptr) {
    const auto begin = [&](const TranscriptArchive::Listed& done) {
      return server.archive()->list(*channel, done);
    };
    listings = co_await wait_for_archive<std::vector<StreamListing>>(streams, begin);
  }
  if (!listings) {
    co_return listings.error();
  }
  add_kept(*channel, server.channels(), *listings);
  co_return json_response(http::status::ok, to_json(*channel, *listings));
}

}  // namespace surtitle
