#include <array>
#include <cstdio>
#include <utility>

#include "daemon/evaluation/bench_rates.h"
#include "daemon/evaluation/bench_report.h"

namespace surtitle {
namespace {

template <typename... Numbers>
std::string line(const char* format, Numbers... numbers) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), format, numbers...);
  return text.data();
}

std::string batches_table(const char* title, const WorkTimes& work, const TokenCost& cost,
                          const BenchReport& report) {
  std::string table = line("\n%-12s%10s%10s%10s%10s%9s%9s%s\n", title, "ms", "least ms", "tokens/s",
                           "us/token", "Gop/s", "GB/s", report.copy_rate ? " copy %" : "");
  for (const auto& timed : work.batches) {
    const auto rates = achieved_rates(timed, cost, report);
    table += line("%12d%10.3f%10.3f%10.0f%10.2f%9.1f%9.2f", timed.batch, timed.time.median / kMilli,
                  timed.time.least / kMilli, rates.tokens, 1 / rates.tokens / kMicro,
                  rates.operations / kGiga, rates.weight_bytes / kGiga) +
             (rates.memory_share ? line("%7.1f", 100 * *rates.memory_share) : "") + "\n";
  }
  return table;
}

std::string growth_table(const WorkTimes& decode, const WorkTimes& encode) {
  std::string table =
      line("\n%-22s%10d%10d%10s\n", "us/token at length", kBenchLength, kBenchGrown, "ratio");
  for (const auto& [name, work] : {std::pair{"decode", &decode}, std::pair{"encode", &encode}})
    for (const auto& growth : work->growth)
      table += line("  %s, batch %-6d%10.2f%10.2f%10.2f\n", name, growth.batch,
                    growth.brief.median / growth.batch / kMicro,
                    growth.grown.median / growth.batch / kMicro,
                    growth.grown.median / growth.brief.median);
  return table;
}

std::string stages_table(const WorkTimes& decode, const WorkTimes& encode) {
  if (decode.stages.empty()) return "";
  std::string table = line("\n%-28s", "share of time, %");
  for (const auto& [name, work] : {std::pair{"decode", &decode}, std::pair{"encode", &encode}})
    for (const auto& stages : work->stages) table += line("%10s %-3d", name, stages.batch);
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    table += line("\n  %-26s", kStageNames[stage].name);
    for (const auto* work : {&decode, &encode})
      for (const auto& stages : work->stages) table += line("%14.1f", 100 * stages.shares[stage]);
  }
  return table + "\n";
}

std::string memory_table(const BenchReport& report) {
  std::string table = "\nmemory\n";
  const auto row = [&](const char* name, double bytes, double unit, const char* unit_name) {
    table += line("  %-44s%10.1f %s\n", name, bytes / unit, unit_name);
  };
  row("matrices of a decoder step", report.cost.decode.weight_bytes, kMega, "MB");
  row("matrices of encode", report.cost.encode.weight_bytes, kMega, "MB");
  row("embeddings", report.cost.table_bytes, kMega, "MB");
  const std::string of =
      line("a sentence of %d + %d tokens, ", kBenchMemoryLength, kBenchMemoryLength);
  row((of + "computed").c_str(), report.sentence_bytes, kKilo, "kB");
  if (report.times.resident_bytes)
    row((of + "measured").c_str(), *report.times.resident_bytes, kKilo, "kB");
  return table;
}

}  // namespace

std::string to_table(const BenchReport& report) {
  std::string table =
      line("%s on %s, %s, %d thread%s; load %.1f", report.model.c_str(), report.device.c_str(),
           report.precision.c_str(), report.threads, report.threads == 1 ? "" : "s", report.load);
  table += "\n";
  if (report.copy_rate)
    table += line("\ndevice memory, copies %.1f GB/s\n", *report.copy_rate / kGiga);
  table += batches_table("decode", report.times.decode, report.cost.decode, report);
  table += batches_table("encode", report.times.encode, report.cost.encode, report);
  return table + growth_table(report.times.decode, report.times.encode) +
         stages_table(report.times.decode, report.times.encode) + memory_table(report) +
         "\nTimes are medians of a call, which advances each sentence of the batch by one token. "
         "Gop/s count the\noperations of the matrices, GB/s their weights once per call; both "
         "count products "
         "with zeros,\nwhich 8 bits leave out after a ReLU.\n";
}

}  // namespace surtitle
