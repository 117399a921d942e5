#include "tests/simulation/fault_plan.h"

namespace surtitle {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

Span sometimes(Rng& rng, double chance, Span span) { return rng.chance(chance) ? span : Span(); }

}  // namespace

Setting calm_setting(Rng& limits) {
  Setting setting;
  setting.senders = limits.between(1, 4);
  setting.viewers = limits.between(1, 3);
  ServerOptions& server = setting.daemon.server;
  server.restore_at_once = Seconds(setting.senders % 2);  // 0: in the background
  server.restore_rows = 3;
  server.limits.message_bytes = 65536;
  server.limits.sentence_words = limits.chance(0.3) ? limits.between(3, 8) : 20;
  server.limits.queued_words = 2000;
  server.limits.outgoing_messages = 1000;
  server.limits.outgoing_bytes = 1 << 20;
  server.limits.silence_seconds = limits.chance(0.2) ? 1 : 0;
  server.limits.idle_seconds = 20;
  setting.daemon.work_pace = {microseconds(10), milliseconds(1)};
  setting.daemon.post_pace = {microseconds(1), microseconds(100)};
  setting.daemon.network.pace = {microseconds(10), milliseconds(1)};
  setting.talking = {milliseconds(1), milliseconds(100)};
  setting.away = {milliseconds(1), milliseconds(100)};
  return setting;
}

Setting calendar_setting(Rng& limits) {
  Setting setting = calm_setting(limits);
  setting.faults.clocks = {milliseconds(1), milliseconds(500)};
  setting.faults.lasts = seconds(10);
  return setting;
}

Setting sleepy_setting(Rng& limits) {
  Setting setting = calm_setting(limits);
  setting.faults.sleeps = {milliseconds(5), seconds(3)};
  setting.faults.notices = {milliseconds(1), seconds(15)};
  setting.faults.lasts = seconds(10);
  return setting;
}

Setting rough_setting(Rng& limits, Rng& rng) {
  Setting setting = calm_setting(limits);
  ServerOptions& server = setting.daemon.server;
  if (rng.chance(0.5)) {
    // With less, a track that waits for a slot could keep words from tracks that have slots.
    server.limits.queued_words = 3 * server.limits.sentence_words + rng.between(1, 40);
    server.models.inbox_commands = static_cast<std::size_t>(rng.between(1, 10));
  }
  if (rng.chance(0.4)) {
    setting.daemon.network.outgoing_messages = rng.between(40, 200);
  }
  server.streams = setting.senders + rng.between(0, 3);
  setting.daemon.slots = rng.between(1, 12);
  const Span quick{microseconds(1), milliseconds(2)};
  const Span slow{microseconds(10), milliseconds(500)};
  setting.daemon.work_pace = rng.chance(0.5) ? slow : quick;
  setting.daemon.post_pace = rng.chance(0.3) ? slow : quick;
  setting.daemon.network.pace = rng.chance(0.5) ? slow : quick;
  setting.talking =
      rng.chance(0.5) ? Span{microseconds(1), milliseconds(20)} : Span{milliseconds(1), seconds(2)};
  setting.away = {milliseconds(1), seconds(3)};
  setting.all_finish = rng.chance(0.7);
  FaultPlan& faults = setting.faults;
  faults.cuts = sometimes(rng, 0.8, {milliseconds(5), seconds(4)});
  faults.notices = rng.chance(0.5) ? Span{microseconds(1), milliseconds(50)}
                                   : Span{milliseconds(1), seconds(15)};
  faults.stills = sometimes(rng, 0.4, {milliseconds(10), seconds(2)});
  faults.still_for = {milliseconds(1), seconds(5)};
  faults.kills = sometimes(rng, 0.7, {milliseconds(5), seconds(8)});
  faults.restarts = sometimes(rng, 0.3, {milliseconds(5), seconds(8)});
  faults.down = {milliseconds(1), seconds(4)};
  faults.failures = sometimes(rng, 0.5, {milliseconds(10), seconds(5)});
  faults.failing = {milliseconds(1), seconds(3)};
  faults.clocks = sometimes(rng, 0.3, {milliseconds(10), seconds(10)});
  faults.lasts = rng.duration({seconds(1), seconds(40)});
  if (rng.chance(0.3)) {
    server.admission.max_delay_p95 = Seconds(0.001 * rng.between(5, 200));
  }
  return setting;
}

}  // namespace surtitle
