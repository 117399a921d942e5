#include "daemon/backplane/channel_follower.h"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <utility>

#include "daemon/base/log.h"

namespace surtitle {
namespace {

// Calls `visit` for each line of the entry, except for unknown and invalid lines, which another
// version may have written.
template <typename Visit>
void each_line(const redis_schema::Entry& entry, const Visit& visit) {
  std::istringstream all(entry.row ? entry.row->lines : std::string());
  for (std::string text; std::getline(all, text);) {
    const auto parsed = stream_log::parse_line(text);
    const auto* line = std::get_if<std::optional<stream_log::Line>>(&parsed);
    if (line == nullptr) {
      log(LogLevel::kWarning, "Unreadable message from another replica skipped",
          {{"error", std::get<std::string>(parsed)}});
    } else if (*line) {
      visit(**line, text);
    }
  }
}

}  // namespace

ChannelFollower::ChannelFollower(LogTailer& tailer, ChannelRegistry& channels, Host host)
    : tailer_(tailer), channels_(channels), host_(std::move(host)) {}

void ChannelFollower::follow(const std::string& channel, std::function<void(bool all)> ready) {
  const auto [found, is_new] = followed_.try_emplace(channel);
  Followed& followed = found->second;
  if (is_new) {
    tailer_.follow(channel);
  }
  ++followed.wanted;
  if (followed.loaded || followed.unreadable) {
    ready(followed.loaded);
  } else {
    followed.waiting.push_back(std::move(ready));
  }
}

void ChannelFollower::leave(const std::string& channel) {
  const auto found = followed_.find(channel);
  if (found == followed_.end() || --found->second.wanted > 0) {
    return;
  }
  tailer_.leave(channel);
  followed_.erase(found);
  channels_.release_remote(channel);
}

void ChannelFollower::on_channel_claimed(const std::string& channel) {
  const auto found = followed_.find(channel);
  if (found != followed_.end()) {
    found->second.before.reset();
    read(channel, found->second, "");
    loaded(found->second);
    call_ready();
  }
}

void ChannelFollower::on_stream_moved(const std::string& channel, const std::string& stream) {
  const auto found = followed_.find(channel);
  if (found == followed_.end()) {
    channels_.release_remote(channel);
  } else {
    read(channel, found->second, stream);
  }
}

void ChannelFollower::read(const std::string& channel, Followed& followed,
                           const std::string& stream) {
  followed.stream = stream;
  followed.interrupted_until.reset();
  followed.quiet = false;
  tailer_.read(channel, stream);
}

void ChannelFollower::on_event(const TailerEvent& event) {
  std::visit([this](const auto& one) { on_event(one); }, event);
  call_ready();
}

void ChannelFollower::on_event(const TailerUnavailable& /*unused*/) {
  for (auto& [channel, followed] : followed_) {
    report_unknown(followed);
  }
}

void ChannelFollower::on_event(const ChannelUnreadable& unreadable) {
  const auto found = followed_.find(unreadable.channel);
  if (found != followed_.end()) {
    found->second.unreadable = true;
    report_unknown(found->second);
  }
}

void ChannelFollower::report_unknown(Followed& followed) {
  for (auto& ready : std::exchange(followed.waiting, {})) {
    ready_.emplace_back(std::move(ready), false);
  }
}

void ChannelFollower::on_event(const AssignmentsRead& news) {
  const auto found = followed_.find(news.channel);
  if (found == followed_.end()) {
    return;
  }
  Followed& followed = found->second;
  if (news.first) {
    begin(news.channel, followed, news.assignments);
    return;
  }
  for (const redis_schema::ChannelAssignment& assignment : news.assignments) {
    apply_assignment(news.channel, followed, assignment);
  }
}

// Reads the last stream. The stream before it is read as well, unless it is known here: a viewer
// may resume from it.
void ChannelFollower::begin(const std::string& channel, Followed& followed,
                            const std::vector<redis_schema::ChannelAssignment>& assignments) {
  if (assignments.empty()) {
    loaded(followed);
    return;
  }
  const redis_schema::ChannelAssignment& last = assignments.back();
  const auto before =
      std::find_if(assignments.rbegin(), assignments.rend(),
                   [&](const auto& assignment) { return assignment.stream != last.stream; });
  const auto known = channels_.position(channel);
  if (before == assignments.rend() ||
      (known && channels_.previous_stream(channel) == before->stream)) {
    apply_assignment(channel, followed, last);
  } else if (!known || known->stream != last.stream) {
    apply_assignment(channel, followed, *before);
    apply_assignment(channel, followed, last);
  } else {
    followed.before.emplace(before->stream);
    tailer_.read(channel, before->stream);
    if (!host_.fence(last.stream)) {
      apply_assignment(channel, followed, last);
    }
  }
}

void ChannelFollower::apply_assignment(const std::string& channel, Followed& followed,
                                       const redis_schema::ChannelAssignment& assignment) {
  if (!assignment.displaced.empty() && host_.fence(assignment.displaced)) {
    host_.on_ownership_lost(assignment.displaced, /*failed_over=*/false);
  }
  const std::optional<Fence> fence = host_.fence(assignment.stream);
  if (fence && *fence != Fence() && assignment.fence > *fence) {
    host_.on_ownership_lost(assignment.stream, assignment.failed_over);
  }
  if (host_.fence(assignment.stream)) {
    if (!followed.before) {  // which is read first
      read(channel, followed, "");
      loaded(followed);
    }
    return;
  }
  if (followed.stream != assignment.stream) {
    read(channel, followed, assignment.stream);
  }
  const auto waits = assignment.waits(std::chrono::system_clock::now());
  followed.interrupted_until = waits ? std::optional(Clock::now() + *waits) : std::nullopt;
  if (is_shown(channel, assignment.stream)) {
    channels_.set_interrupted(channel, followed.interrupted_until);
  }
}

void ChannelFollower::on_event(const EntriesRead& news) {
  const auto found = followed_.find(news.channel);
  if (found == followed_.end()) {
    return;
  }
  Followed& followed = found->second;
  if (followed.before && followed.before->stream == news.stream) {
    on_previous_entries(news, followed);
    return;
  }
  if (!host_.fence(news.stream)) {
    for (const redis_schema::Entry& entry : news.entries) {
      each_line(entry, [&](const stream_log::Line& line, const std::string& text) {
        on_line(news.channel, followed, news.stream, line, text);
      });
      if (entry.ends && is_shown(news.channel, news.stream)) {
        channels_.release(news.channel);
      }
      followed.quiet = followed.quiet && !entry.ends;
    }
  }
  if (news.all && news.stream == followed.stream) {
    claim(news.channel, followed);
    loaded(followed);
  }
}

void ChannelFollower::on_previous_entries(const EntriesRead& news, Followed& followed) {
  for (const redis_schema::Entry& entry : news.entries) {
    each_line(entry, [&](const stream_log::Line& line, const std::string& /*text*/) {
      followed.before->add(line);
    });
  }
  if (!news.all) {
    return;
  }
  Before before = std::move(*followed.before);
  followed.before.reset();
  if (!before.description.tracks.empty() && channels_.position(news.channel)) {
    before.description.stream = before.stream;
    channels_.set_previous_stream(news.channel, std::move(before));
  }
  if (followed.stream.empty()) {
    read(news.channel, followed, "");
    loaded(followed);
  }
}

void ChannelFollower::on_line(const std::string& channel, Followed& followed,
                              const std::string& stream, const stream_log::Line& line,
                              const std::string& text) {
  if (const auto* head = std::get_if<stream_log::Head>(&line)) {
    const auto known = channels_.position(channel);
    followed.description = describe(*head);
    followed.description.stream = stream;
    followed.quiet = known && known->stream == stream && !channels_.sender(channel);
    if (!followed.quiet) {
      channels_.claim(channel, sender_of(followed));
    }
    return;
  }
  const auto* message = std::get_if<protocol::ServerMessage>(&line);
  if (message == nullptr || std::holds_alternative<protocol::Error>(*message)) {
    return;
  }
  if (const auto* change = std::get_if<protocol::HeadingChange>(message)) {
    followed.description.heading = change->heading;
  }
  const auto known = channels_.position(channel);
  if (followed.quiet && (!known || protocol::event_of(*message) > known->event)) {
    claim(channel, followed);
  }
  if (!is_shown(channel, stream)) {
    return;
  }
  if (const auto* change = std::get_if<protocol::PolicyChange>(message)) {
    for (protocol::Track& track : followed.description.tracks) {
      if (track.name == change->track) {
        track.model = change->model;
        track.policy = change->policy;
      }
    }
    channels_.update(channel, followed.description.tracks);
  }
  channels_.publish(channel, *message, std::make_shared<const std::string>(text));
}

// Makes the stream the channel's sender, if it is quiet.
void ChannelFollower::claim(const std::string& channel, Followed& followed) {
  if (std::exchange(followed.quiet, false)) {
    channels_.claim(channel, sender_of(followed));
  }
}

ChannelSender ChannelFollower::sender_of(const Followed& followed) const {
  const bool read = followed.description.stream == followed.stream;
  return {followed.description,
          {},
          /*remote=*/true,
          read ? followed.interrupted_until : std::nullopt};
}

bool ChannelFollower::is_shown(const std::string& channel, const std::string& stream) const {
  const std::optional<ChannelSender> sender = channels_.sender(channel);
  return sender && sender->remote && sender->stream == stream;
}

void ChannelFollower::loaded(Followed& followed) {
  followed.loaded = true;
  for (auto& ready : std::exchange(followed.waiting, {})) {
    ready_.emplace_back(std::move(ready), true);
  }
}

void ChannelFollower::call_ready() {
  for (const auto& [ready, all] : std::exchange(ready_, {})) {
    ready(all);
  }
}

}  // namespace surtitle
