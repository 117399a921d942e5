#include "daemon/commands/start_table.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "daemon/base/json_writer.h"

namespace surtitle {
namespace {

std::string scores_of(const StartScores& scores) {
  JsonWriter json;
  json.field("threshold", scores.threshold);
  json.field("precision", scores.precision);
  json.field("recall", scores.recall);
  json.field("f1", scores.f1);
  return json.finish();
}

}  // namespace

std::string to_table(std::span<const StartGroup> groups) {
  std::size_t width = 8;
  for (const StartGroup& group : groups) width = std::max(width, group.name.size() + 1);
  std::string table(width, ' ');
  table += "   words  starts  threshold  precision  recall     F1   best: threshold     F1\n";
  for (const StartGroup& group : groups) {
    std::string name = group.name;
    name.resize(width, ' ');
    std::array<char, 128> row{};
    std::snprintf(row.data(), row.size(), "%8zu%8zu%11.2f%11.3f%8.3f%7.3f%18.2f%7.3f\n",
                  group.words, group.starts, group.scores.threshold, group.scores.precision,
                  group.scores.recall, group.scores.f1, group.best.threshold, group.best.f1);
    table += name + row.data();
  }
  return table +
         "\nThree lines at a time as spoken text. A probability above the threshold begins a "
         "sentence.\n";
}

std::string to_json(std::span<const StartGroup> groups) {
  JsonWriter json;
  json.raw_field("sentence_starts", json_array(groups, [&](const StartGroup& group) {
                   JsonWriter row;
                   row.field("group", group.name);
                   row.field("words", static_cast<std::int64_t>(group.words));
                   row.field("starts", static_cast<std::int64_t>(group.starts));
                   row.raw_field("scores", scores_of(group.scores));
                   row.raw_field("best", scores_of(group.best));
                   return row.finish();
                 }));
  return json.finish();
}

}  // namespace surtitle
