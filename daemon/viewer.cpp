#include "daemon/viewer.h"

#include <utility>

namespace surtitle {

using protocol::Error;
using protocol::ErrorCode;

Viewer::Viewer(Hub& hub, std::string channel)
    : hub_(hub), guest_(hub), channel_(std::move(channel)) {}

Viewer::~Viewer() { leave(); }

void Viewer::opened(Connection& connection) {
  connection_ = &connection;
  if (hub_.draining()) {
    fail({ErrorCode::kDraining, "the daemon is going down and takes no new viewers"},
         protocol::ByeReason::kDraining);
    return;
  }
  if (!hub_.enter(*this)) {
    fail({ErrorCode::kTooManyStreams, "all " + std::to_string(hub_.options().viewers) +
                                          " places for viewers are taken; try again later"});
    return;
  }
  entered_ = true;
  protocol::Ready ready;
  ready.channel = channel_;
  ready.limits = hub_.options().limits;
  if (const std::optional<ChannelSender> sender = hub_.channels().sender(channel_)) {
    ready.stream = sender->stream;
    ready.model = sender->model;
    ready.policy = sender->policy;
  }
  connection.send({share(ready)});
  for (const SharedText& message : hub_.channels().snapshot(channel_)) {
    connection.send({message, std::nullopt, /*counted=*/false});
  }
  hub_.channels().watch(channel_, *this);
}

void Viewer::received(std::string_view /*text*/, TimePoint /*now*/) {
  fail({ErrorCode::kNotAllowed, "a viewer sends no messages; words go to /v1/stream"});
}

void Viewer::broken(const Error& error) { fail(error); }

void Viewer::deadline_passed(TimePoint /*now*/) {}

void Viewer::closed() { leave(); }

void Viewer::show(const SharedText& message) { connection_->send({message}); }

void Viewer::drain() {
  connection_->send({share(protocol::Bye{protocol::ByeReason::kDraining})});
  connection_->end(protocol::close_code(ErrorCode::kDraining));
}

void Viewer::fail(const Error& error, protocol::ByeReason reason) {
  hub_.metrics().error(error.code);
  send_farewell(*connection_, error, reason);
}

void Viewer::leave() {
  if (std::exchange(entered_, false)) {
    hub_.channels().leave(channel_, *this);
    hub_.leave(*this);
  }
}

}  // namespace surtitle
