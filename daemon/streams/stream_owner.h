// The owner of a stream, as the stream and its publisher see it.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

namespace surtitle {

class Stream;

class StreamOwner {
 public:
  StreamOwner() = default;
  StreamOwner(const StreamOwner&) = delete;
  StreamOwner& operator=(const StreamOwner&) = delete;

  // The stream has closed; it may be destroyed once the caller has returned.
  virtual void on_closed(Stream& stream) = 0;
  // The stream was detached, or attached.
  virtual void on_detached(const Stream& stream) = 0;
  // The stream has its channel on this replica, whose viewers no longer read it from Redis.
  virtual void on_published(const Stream& stream) = 0;
  // The deadline of a stream without a connection may have changed.
  virtual void wake() const = 0;
  // Returns true if running streams are ended, because the daemon stops.
  virtual bool draining() const = 0;

 protected:
  ~StreamOwner() = default;
};

}  // namespace surtitle
