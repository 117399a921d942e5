#include "daemon/base/json_writer.h"
#include "daemon/evaluation/bench_rates.h"
#include "daemon/evaluation/bench_report.h"

namespace surtitle {
namespace {

template <typename Item, typename Write>
std::string array_json(const std::vector<Item>& items, const Write& write) {
  return json_array(items, [&](const Item& item) {
    JsonWriter json;
    json.field("batch", item.batch);
    write(item, json);
    return json.finish();
  });
}

std::string work_json(const WorkTimes& work, const TokenCost& cost, const BenchReport& report) {
  JsonWriter json;
  json.field("weight_bytes", cost.weight_bytes);
  json.raw_field("batches", array_json(work.batches, [&](const BatchTime& timed, JsonWriter& row) {
                   const auto rates = achieved_rates(timed, cost, report);
                   row.field("ms", timed.time.median / kMilli);
                   row.field("least_ms", timed.time.least / kMilli);
                   row.field("tokens_per_second", rates.tokens);
                   row.field("us_per_token", 1 / rates.tokens / kMicro);
                   row.field("gops", rates.operations / kGiga);
                   row.field("weights_gbps", rates.weight_bytes / kGiga);
                   row.field("memory_share", rates.memory_share);
                 }));
  json.raw_field("growth", array_json(work.growth, [](const GrowthTime& growth, JsonWriter& row) {
                   row.field("brief_us_per_token", growth.brief.median / growth.batch / kMicro);
                   row.field("grown_us_per_token", growth.grown.median / growth.batch / kMicro);
                   row.field("ratio", growth.grown.median / growth.brief.median);
                 }));
  json.raw_field("stages", array_json(work.stages, [](const StageShares& shares, JsonWriter& row) {
                   for (std::size_t stage = 0; stage < kStages; ++stage)
                     row.field(kStageNames[stage].key, shares.shares[stage]);
                 }));
  return json.finish();
}

}  // namespace

std::string to_json(const BenchReport& report) {
  JsonWriter json;
  json.field("model", report.model);
  json.field("device", report.device);
  json.field("precision", report.precision);
  json.field("threads", report.threads);
  json.field("load", report.load);
  if (report.copy_rate) json.field("copy_gbps", *report.copy_rate / kGiga);
  json.raw_field("decode", work_json(report.times.decode, report.cost.decode, report));
  json.raw_field("encode", work_json(report.times.encode, report.cost.encode, report));
  JsonWriter memory;
  memory.field("embedding_bytes", report.cost.table_bytes);
  memory.field("sentence_bytes", report.sentence_bytes);
  memory.field("sentence_resident_bytes", report.times.resident_bytes);
  json.raw_field("memory", memory.finish());
  return json.finish();
}

}  // namespace surtitle
