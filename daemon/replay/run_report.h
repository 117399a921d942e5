// Makes the HTML report of a replay (web/reports/replay.html), with its runs side by side.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/evaluation/report_page.h"
#include "daemon/replay/recorded_run.h"

namespace surtitle {

// How the quality of runs is measured.
struct QualityMeasure {
  std::string name;   // "BLEU", "agreement"; empty: quality is not measured
  std::string about;  // explanation for readers, the rest of a sentence
  // Either one reference for each sentence of the talk, or a run whose translation replaces them.
  std::vector<std::string> references;
  std::optional<RecordedRun> reference_run;
};

// Sets the quality of each run, and the references of its sentences, which their latency then uses.
// The quality stays nullopt if the run has another number of sentences than there are references.
void score_quality(std::span<RecordedRun> runs, const QualityMeasure& measure);

// Returns the page. `title`: name of the talk. REQUIRES: at least one run.
std::string to_html(const ReportPage& page, const std::string& title,
                    std::span<const RecordedRun> runs, const QualityMeasure& measure);

}  // namespace surtitle
