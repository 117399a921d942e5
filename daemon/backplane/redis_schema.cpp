#include "daemon/backplane/redis_schema.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <sstream>
#include <string_view>

#include "model/text/ascii.h"

namespace surtitle::redis_schema {
namespace {

constexpr const char* kPrefix = "surtitle:";

constexpr const char* kCommon = R"(
local P = KEYS[1]
local function assign(channel, stream, fence, displaced, swept, keep)
  redis.call('XADD', P .. 'order:' .. channel, 'MAXLEN', '~', '64', '*',
             'stream', stream, 'fence', fence, 'over', displaced, 'swept', swept)
  redis.call('PEXPIRE', P .. 'order:' .. channel, keep)
end
local function own(stream, replica, fence, swept)
  redis.call('HSET', P .. 'owner:' .. stream, 'replica', replica, 'fence', fence, 'swept', swept)
  redis.call('HDEL', P .. 'owner:' .. stream, 'from', 'had')
  redis.call('HSET', P .. 'open', stream, replica)
end
local function notify(replica, stream, fence, swept, keep)
  redis.call('XADD', P .. 'wake:' .. replica, 'MAXLEN', KEPT_WAKE_UPS, '*',
             'taken', stream, 'fence', fence, 'swept', swept)
  redis.call('PEXPIRE', P .. 'wake:' .. replica, keep)
end
local function sends(channel, stream, replica, keep)
  redis.call('HSET', P .. 'sender:' .. channel, 'stream', stream, 'replica', replica, 'away', 0)
  redis.call('PEXPIRE', P .. 'sender:' .. channel, keep)
end
local function move(channel, stream, replica, fence, swept, keep)
  local sender = redis.call('HGET', P .. 'sender:' .. channel, 'stream')
  if not sender or sender == stream then
    sends(channel, stream, replica, keep)
    assign(channel, stream, fence, '', swept, keep)
  end
end
)";

// ARGV: stream, replica, fence, channel, retention (ms), late, ended, membership stable, number of
// the first entry, contested. For each entry follow the number of its words and the words. Returns
// the result, the number of entries in Redis and the fence of the owner.
constexpr const char* kAppend = R"(
local stream, replica, fence, channel = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local keep, late, ended, stable, first = ARGV[5], ARGV[6], ARGV[7], ARGV[8], tonumber(ARGV[9])
local contested = tonumber(ARGV[10])
local history, owner = P .. 'story:' .. stream, P .. 'owner:' .. stream
local now = redis.call('HMGET', owner, 'replica', 'fence', 'swept', 'from', 'had')
local theirs = tonumber(now[2] or '0')
if now[1] == replica and (fence == 0 or fence == theirs or contested > 0) then
  fence = theirs
elseif not now[1] or fence > theirs then
  fence = math.max(fence, 1)
  redis.call('DEL', history)
  own(stream, replica, fence, 0)
elseif now[4] == replica and (fence == 0 or fence + 1 == theirs) and
       contested > tonumber(now[5]) and tonumber(now[5]) == redis.call('XLEN', history) then
  fence = theirs + 1
  notify(now[1], stream, fence, 1, keep)
  own(stream, replica, fence, 1)
  if channel ~= '' then
    move(channel, stream, replica, fence, 1, keep)
  end
else
  return {now[3] == '1' and 'swept' or 'fenced', 0, theirs}
end
local have = redis.call('XLEN', history)
local count = 0
local at = 11
while ARGV[at] do
  at = at + tonumber(ARGV[at]) + 1
  count = count + 1
end
local split = false
if have == 0 and first == 1 and count > 0 and channel ~= '' then
  local sender = redis.call('HMGET', P .. 'sender:' .. channel, 'stream', 'replica', 'away')
  local other = sender[1] and sender[1] ~= stream and sender[1] or ''
  local theirs = other ~= '' and sender[2] ~= replica
  local lives = theirs and sender[3] ~= '1' and
                (stable == '0' or redis.call('EXISTS', P .. 'replica:' .. sender[2]) == 1)
  if lives or (theirs and ended == '1') then
    if late == '0' then
      redis.call('DEL', owner)
      redis.call('HDEL', P .. 'open', stream)
      return {'busy', 0, 0}
    end
    split = true
  else
    if other ~= '' then
      local last = redis.call('XLEN', P .. 'story:' .. other)
      redis.call('HINCRBY', P .. 'owner:' .. other, 'fence', 1)
      redis.call('HSET', P .. 'owner:' .. other, 'replica', '')
      redis.call('PEXPIRE', P .. 'owner:' .. other, keep)
      redis.call('HDEL', P .. 'open', other)
      if last > 0 then
        redis.call('XADD', P .. 'story:' .. other, (last + 1) .. '-0', 'e', 1)
        redis.call('PEXPIRE', P .. 'story:' .. other, keep)
      end
    end
    sends(channel, stream, replica, keep)
    assign(channel, stream, fence, other, 0, keep)
  end
end
at = 11
local number = first
while ARGV[at] do
  local words = tonumber(ARGV[at])
  if number == have + 1 then
    redis.call('XADD', history, number .. '-0', unpack(ARGV, at + 1, at + words))
    have = number
    if ARGV[at + 1] == 'e' then
      redis.call('HDEL', P .. 'open', stream)
      if channel ~= '' and redis.call('HGET', P .. 'sender:' .. channel, 'stream') == stream then
        redis.call('DEL', P .. 'sender:' .. channel)
      end
    end
  end
  number = number + 1
  at = at + words + 1
end
redis.call('PEXPIRE', history, keep)
redis.call('PEXPIRE', owner, keep)
if channel ~= '' then
  redis.call('PEXPIRE', P .. 'sender:' .. channel, keep)
  redis.call('PEXPIRE', P .. 'order:' .. channel, keep)
end
return {split and 'split' or 'ok', have, fence}
)";

// ARGV: stream, replica, the fence of the owner or '', retention (ms), failover, and the deadline
// on the clock of Redis (seconds, microseconds). Returns the result, the fence and the number of
// entries.
constexpr const char* kClaim = R"(
local stream, replica, wanted, keep, swept = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local time = redis.call('TIME')
local seconds, until_seconds = tonumber(time[1]), tonumber(ARGV[6])
if seconds > until_seconds or
   (seconds == until_seconds and tonumber(time[2]) > tonumber(ARGV[7])) then
  return {'late', 0, 0}
end
local history = P .. 'story:' .. stream
local have = redis.call('XLEN', history)
local now = redis.call('HMGET', P .. 'owner:' .. stream, 'replica', 'fence')
local fence = tonumber(now[2] or '0')
if have == 0 or (wanted ~= '' and tonumber(wanted) ~= fence) then
  return {'unknown', 0, 0}
end
local last = redis.call('XREVRANGE', history, '+', '-', 'COUNT', 1)[1][2]
if last[1] == 'e' then
  return {'ended', fence, have}
end
if now[1] == replica then
  if swept == '0' then
    redis.call('HSET', P .. 'owner:' .. stream, 'swept', 0)
  end
  return {'mine', fence, have}
end
fence = fence + 1
own(stream, replica, fence, swept)
if now[1] and now[1] ~= '' then
  notify(now[1], stream, fence, swept, keep)
  if swept == '0' then
    redis.call('HSET', P .. 'owner:' .. stream, 'from', now[1], 'had', have)
  end
end
local begun = redis.call('XRANGE', history, '-', '+', 'COUNT', 1)[1][2]
for i = 1, #begun, 2 do
  if begun[i] == 'c' then
    move(begun[i + 1], stream, replica, fence, swept, keep)
  end
end
redis.call('PEXPIRE', history, keep)
redis.call('PEXPIRE', P .. 'owner:' .. stream, keep)
return {'taken', fence, have}
)";

// ARGV: channel, stream, replica, 1 (detached) or 0 (attached), time that it waits (ms).
constexpr const char* kPublishDetached = R"(
local sender = redis.call('HMGET', P .. 'sender:' .. ARGV[1], 'stream', 'replica')
if sender[1] == ARGV[2] and sender[2] == ARGV[3] then
  redis.call('HSET', P .. 'sender:' .. ARGV[1], 'away', ARGV[4])
  local log = P .. 'order:' .. ARGV[1]
  local owner = redis.call('HMGET', P .. 'owner:' .. ARGV[2], 'replica', 'fence', 'swept')
  if owner[1] == ARGV[3] and redis.call('EXISTS', log) == 1 then
    redis.call('XADD', log, 'MAXLEN', '~', '64', '*', 'stream', ARGV[2], 'fence', owner[2],
               'over', '', 'swept', owner[3] or '0', 'away', ARGV[5])
  end
end
return 1
)";

// ARGV: stream, replica, fence.
constexpr const char* kUnclaim = R"(
local stream = ARGV[1]
local owner = P .. 'owner:' .. stream
local now = redis.call('HMGET', owner, 'replica', 'fence')
if now[1] ~= ARGV[2] or now[2] ~= ARGV[3] then
  return 0
end
redis.call('HSET', owner, 'replica', '', 'swept', 1)
redis.call('HDEL', owner, 'from', 'had')
redis.call('HINCRBY', owner, 'fence', 1)
redis.call('HSET', P .. 'open', stream, '')
local begun = redis.call('XRANGE', P .. 'story:' .. stream, '-', '+', 'COUNT', 1)[1]
for i = 1, begun and #begun[2] or 0, 2 do
  local sender = P .. 'sender:' .. begun[2][i + 1]
  if begun[2][i] == 'c' and redis.call('HGET', sender, 'stream') == stream then
    redis.call('HSET', sender, 'replica', '')
  end
end
return 1
)";

[[noreturn]] void misread() { throw Unreadable("a key in Redis has data in an unknown format"); }

// Calls `visit(name, value)` for each field of [id, [name, value, ...]].
template <typename Visit>
void each_field(const RedisReply& reply, const Visit& visit) {
  if (reply.items.size() != 2 || reply.items[1].items.size() % 2 != 0) {
    misread();
  }
  const std::vector<RedisReply>& fields = reply.items[1].items;
  for (std::size_t i = 0; i < fields.size(); i += 2) {
    visit(fields[i].text, fields[i + 1].text);
  }
}

struct Script {
  explicit Script(const char* body)
      : text(std::string("local KEPT_WAKE_UPS = '") + kWakeUps + "'" + kCommon + body) {
    std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
    SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
    constexpr std::string_view kHex = "0123456789abcdef";
    for (const unsigned char byte : digest) {
      name.append({kHex[byte >> 4U], kHex[byte & 0xFU]});
    }
  }
  std::string text;
  std::string name;  // its SHA-1, for EVALSHA
};

const Script& append_script() {
  static const Script script(kAppend);
  return script;
}
const Script& claim_script() {
  static const Script script(kClaim);
  return script;
}
const Script& detached_script() {
  static const Script script(kPublishDetached);
  return script;
}

const Script& unclaim_script() {
  static const Script script(kUnclaim);
  return script;
}

RedisCommand call(const Script& script, RedisCommand arguments) {
  RedisCommand command{"EVALSHA", script.name, "1", kPrefix};
  command.insert(command.end(), std::make_move_iterator(arguments.begin()),
                 std::make_move_iterator(arguments.end()));
  return command;
}

}  // namespace

std::int64_t to_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || (stop != text.data() + text.size() && *stop != '-')) {
    misread();
  }
  return value;
}

std::string key(const char* kind, const std::string& name) {
  return std::string(kPrefix) + kind + (name.empty() ? "" : ":" + name);
}

bool is_stream_name(const std::string& text) {
  constexpr std::size_t kMaxLength = 64;
  return text.size() > 2 && text.size() <= kMaxLength && text.starts_with("s-") &&
         std::all_of(text.begin() + 2, text.end(),
                     [](char c) { return is_digit(c) || is_letter(c) || c == '-' || c == '_'; });
}

RedisCommand row_fields(const JournalRow& row) {
  return {"a", std::to_string(row.at), "i", row.input, "l", row.lines};
}

RedisCommand first_fields(const JournaledStream& stream, const JournalRow& row) {
  RedisCommand fields = row_fields(row);
  fields.insert(fields.end(),
                {"k", stream.key, "t", std::to_string(stream.started), "s", stream.settings});
  if (stream.channel) {
    fields.insert(fields.end(), {"c", *stream.channel});
  }
  return fields;
}

RedisCommand end_fields() { return {"e", "1"}; }

Entry parse_entry(const RedisReply& reply) {
  Entry entry;
  JournalRow row;
  JournaledStream begins;
  bool begin = false;
  each_field(reply, [&](const std::string& name, const std::string& value) {
    if (name == "a") {
      row.at = to_number(value);
    } else if (name == "i") {
      row.input = value;
    } else if (name == "l") {
      row.lines = value;
    } else if (name == "k") {
      begin = true;
      begins.key = value;
    } else if (name == "t") {
      begins.started = to_number(value);
    } else if (name == "s") {
      begins.settings = value;
    } else if (name == "c") {
      begins.channel = value;
    } else if (name == "e") {
      entry.ends = true;
    }
  });
  entry.number = to_number(reply.items[0].text);
  if (begin) {
    entry.begins = std::move(begins);
  }
  if (!entry.ends) {
    entry.row = std::move(row);
  }
  return entry;
}

ChannelAssignment parse_assignment(const RedisReply& reply) {
  ChannelAssignment assignment;
  each_field(reply, [&](const std::string& name, const std::string& value) {
    if (name == "stream") {
      assignment.stream = value;
    } else if (name == "fence") {
      assignment.fence = Fence(to_number(value));
    } else if (name == "over") {
      assignment.displaced = value;
    } else if (name == "swept") {
      assignment.failed_over = value == "1";
    } else if (name == "away") {
      assignment.detached = std::chrono::milliseconds(to_number(value));
    }
  });
  assignment.id = reply.items[0].text;
  return assignment;
}

std::optional<std::chrono::milliseconds> ChannelAssignment::waits(
    std::chrono::system_clock::time_point now) const {
  using std::chrono::milliseconds;
  if (detached.count() <= 0) {
    return std::nullopt;
  }
  const auto since_1970 = std::chrono::duration_cast<milliseconds>(now.time_since_epoch());
  const milliseconds passed = since_1970 - milliseconds(to_number(id));
  return std::clamp(detached - passed, milliseconds(0), detached);
}

WakeUp parse_wake_up(const RedisReply& reply) {
  WakeUp wake_up;
  each_field(reply, [&](const std::string& name, const std::string& value) {
    if (name == "beat") {
      wake_up.heartbeat_requested = true;
    } else if (name == "taken") {
      wake_up.claimed_stream = value;
    } else if (name == "fence") {
      wake_up.fence = Fence(to_number(value));
    } else if (name == "swept") {
      wake_up.failed_over = value == "1";
    }
  });
  wake_up.id = reply.items[0].text;
  return wake_up;
}

void load_scripts(RedisConnection& redis) {
  for (const Script* script :
       {&append_script(), &claim_script(), &detached_script(), &unclaim_script()}) {
    redis.ask({"SCRIPT", "LOAD", script->text});
  }
}

void send_append(RedisConnection& redis, const Append& append) {
  RedisCommand arguments{append.stream,
                         append.replica,
                         std::to_string(append.fence.value()),
                         append.channel,
                         std::to_string(append.retention.count()),
                         append.late ? "1" : "0",
                         append.ended ? "1" : "0",
                         append.membership_stable ? "1" : "0",
                         std::to_string(append.first),
                         std::to_string(append.contested)};
  for (const RedisCommand& entry : append.entries) {
    arguments.push_back(std::to_string(entry.size()));
    arguments.insert(arguments.end(), entry.begin(), entry.end());
  }
  redis.send(call(append_script(), std::move(arguments)));
}

Appended receive_append(RedisConnection& redis) {
  const RedisReply reply = redis.receive();
  if (reply.items.size() != 3) {
    misread();
  }
  using Result = Appended::Result;
  const std::string& result = reply.items[0].text;
  return {result == "ok"       ? Result::kOk
          : result == "fenced" ? Result::kFenced
          : result == "swept"  ? Result::kFailedOver
          : result == "busy"   ? Result::kBusy
                               : Result::kSplit,
          reply.items[1].number, Fence(reply.items[2].number)};
}

RedisCommand claim_command(const Claim& request, std::chrono::microseconds until) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(until);
  return call(
      claim_script(),
      {request.stream, request.replica, request.fence ? std::to_string(request.fence->value()) : "",
       std::to_string(request.retention.count()), request.failover ? "1" : "0",
       std::to_string(seconds.count()), std::to_string((until - seconds).count())});
}

ClaimReply claim(RedisConnection& redis, const Claim& request, std::chrono::milliseconds timeout) {
  const RedisReply time = redis.ask({"TIME"});
  if (time.items.size() != 2) {
    misread();
  }
  const std::chrono::microseconds until = std::chrono::seconds(to_number(time.items[0].text)) +
                                          std::chrono::microseconds(to_number(time.items[1].text)) +
                                          timeout;
  if (request.cancelled()) {
    return {};
  }
  const RedisReply reply = redis.ask(claim_command(request, until));
  if (reply.items.size() != 3) {
    misread();
  }
  if (reply.items[0].text == "late") {
    throw RedisError("Redis answered too late");
  }
  using Result = ClaimReply::Result;
  const std::string& result = reply.items[0].text;
  return {result == "taken"   ? Result::kClaimed
          : result == "mine"  ? Result::kMine
          : result == "ended" ? Result::kEnded
                              : Result::kUnknown,
          Fence(reply.items[1].number), reply.items[2].number};
}

void unclaim(RedisConnection& redis, const std::string& stream, const std::string& replica,
             Fence fence) {
  redis.ask(call(unclaim_script(), {stream, replica, std::to_string(fence.value())}));
}

RedisCommand HeartbeatRecord::command(const std::string& replica, std::int64_t number,
                                      std::chrono::milliseconds ttl) const {
  std::string text = journal_location + ":" + std::to_string(number) + (caught_up ? " 1" : " 0");
  for (const std::string& stream : lagging_streams) {
    text.append(" ").append(stream);
  }
  return {"SET", key("replica", replica), std::move(text), "PX", std::to_string(ttl.count())};
}

bool HeartbeatRecord::has_all_of(const std::string& stream) const {
  return caught_up &&
         std::find(lagging_streams.begin(), lagging_streams.end(), stream) == lagging_streams.end();
}

HeartbeatRecord parse_heartbeat(const std::string& text) {
  HeartbeatRecord heartbeat;
  std::istringstream words(text);
  std::string word;
  words >> word;
  const std::size_t colon = word.find(':');
  heartbeat.journal_location = colon == std::string::npos ? "" : word.substr(0, colon);
  heartbeat.caught_up = words >> word && word == "1";
  while (words >> word) {
    heartbeat.lagging_streams.push_back(word);
  }
  return heartbeat;
}

std::optional<std::string> read_heartbeat(RedisConnection& redis, const std::string& replica) {
  RedisReply heartbeat = redis.ask({"GET", key("replica", replica)});
  return heartbeat.nil ? std::nullopt : std::optional(std::move(heartbeat.text));
}

RedisCommand owner_query(const std::string& stream) {
  return {"HMGET", key("owner", stream), "replica", "fence"};
}

std::optional<Owner> parse_owner(const RedisReply& reply) {
  if (reply.items.size() != 2 || reply.items[0].nil) {
    return std::nullopt;
  }
  return Owner{reply.items[0].text, Fence(to_number(reply.items[1].text))};
}

std::optional<Owner> read_owner(RedisConnection& redis, const std::string& stream) {
  return parse_owner(redis.ask(owner_query(stream)));
}

void publish_detached(RedisConnection& redis, const std::string& channel, const std::string& stream,
                      const std::string& replica, bool detached, std::chrono::milliseconds waits) {
  redis.ask(call(detached_script(),
                 {channel, stream, replica, detached ? "1" : "0", std::to_string(waits.count())}));
}

}  // namespace surtitle::redis_schema
