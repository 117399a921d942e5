// The time of words on the source's clock, which may jump, be wrong or be missing.
//
// - A word without a time has the time of its arrival, mapped to the source's clock.
// - If the clock jumps back, as after a restart of the recogniser, its later times continue after
//   those before the jump.
// - If the sender's times count from 1970, the first one is mapped to its arrival, and the others
//   are relative to it.
// - A jump is confirmed by three further times after it. If the clock continues as before the jump
//   earlier, the times since the jump are outliers. They do not change the times of other words.
//
// Thread-safety: none; one owner.
#pragma once

#include <optional>

namespace surtitle {

class SourceClock {
 public:
  // Returns the time of words that arrive now, in seconds. It is never before that of earlier words
  // unless those are an outlier. `given`: their time by the sender, or nullopt. `arrival`: seconds
  // since the stream's ready.
  double time_of(std::optional<double> given, double arrival);

 private:
  // A clock without jumps.
  struct Timeline {
    double given = 0;    // the last time by the sender
    double time = 0;     // of the last words, on the source's clock
    double offset = 0;   // from the sender's times to the source's clock
    double lead = 0;     // from arrivals to the source's clock
    double arrival = 0;  // of `given`
  };

  double time_of_arrival(double arrival);
  static bool continues(const Timeline& timeline, double given, double arrival);
  bool fits_before(double given, double arrival) const;
  void jump(double given, double arrival);

  std::optional<Timeline> now_;     // nullopt until the sender sends a time
  std::optional<Timeline> before_;  // before the last jump, which may be an outlier
  int since_jump_ = 0;              // times that continued it
};

}  // namespace surtitle
