#include "daemon/pipe/simulstreaming_rows.h"

#include <utility>

#include "daemon/base/json_writer.h"

namespace surtitle {
namespace {

std::string row(const std::string& text, bool is_final, const RowTimes& times) {
  return JsonWriter()
      .field("emission_time", times.emission)
      .field("end", times.end)
      .field("status", "COMPLETE")
      .field("text", text)
      .field("unconfirmed_text", "")
      .field("is_final", is_final)
      .finish();
}

}  // namespace

std::string SimulStreamingRows::write(const protocol::Write& write, const RowTimes& times) {
  const bool is_first = !std::exchange(sentence_begun_, true);
  return row((is_first ? " " : "") + write.text, /*is_final=*/false, times);
}

std::string SimulStreamingRows::sentence(const RowTimes& times) {
  sentence_begun_ = false;
  return row({}, /*is_final=*/true, times);
}

}  // namespace surtitle
