#include "daemon/backplane/paged_history_reader.h"

#include <algorithm>
#include <utility>

#include "daemon/backplane/redis_schema.h"

namespace surtitle {
namespace {

constexpr std::size_t kPage = 500;     // entries
constexpr std::size_t kLastPage = 64;  // entries, of a page from the end

}  // namespace

bool PagedHistoryReader::read(RedisConnection& redis) {
  const RedisReply entries =
      redis.ask({"XRANGE", redis_schema::key("story", stream()), std::to_string(next_) + "-0", "+",
                 "COUNT", std::to_string(kPage)});
  for (const RedisReply& item : entries.items) {
    redis_schema::Entry entry = redis_schema::parse_entry(item);
    if (entry.number != next_ || entry.begins.has_value() != (next_ == 1)) {
      throw redis_schema::Unreadable("the history in Redis lacks entries");
    }
    if (entry.begins) {
      entry.begins->name = stream();
      history_.stream = *std::move(entry.begins);
    }
    if (entry.row) {
      history_.rows.push_back(*std::move(entry.row));
    }
    history_.ended = history_.ended || entry.ends;
    next_ = entry.number + 1;
  }
  return entries.items.size() == kPage;
}

StreamOffsets read_offsets(RedisConnection& redis, const std::string& stream) {
  StreamOffsets offsets;
  std::string last = "+";
  while (offsets.seq == Seq() || offsets.event == EventNumber()) {
    const RedisReply entries = redis.ask({"XREVRANGE", redis_schema::key("story", stream), last,
                                          "-", "COUNT", std::to_string(kLastPage)});
    StreamHistory end;
    std::int64_t first = 1;
    for (auto item = entries.items.rbegin(); item != entries.items.rend(); ++item) {
      redis_schema::Entry entry = redis_schema::parse_entry(*item);
      first = item == entries.items.rbegin() ? entry.number : first;
      if (entry.row) {
        end.rows.push_back(*std::move(entry.row));
      }
    }
    const StreamOffsets here = offsets_of(end);
    offsets.seq = std::max(offsets.seq, here.seq);
    offsets.event = std::max(offsets.event, here.event);
    if (first <= 1) {
      break;
    }
    last = std::to_string(first - 1) + "-0";
  }
  return offsets;
}

}  // namespace surtitle
