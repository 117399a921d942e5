// A replay as one page (web/reports/replay.html): its runs side by side, sentence by sentence.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/evaluation/report_page.h"
#include "daemon/replay/recorded_run.h"

namespace surtitle {

// What a run's quality is held against.
struct QualityMeasure {
  std::string name;   // "BLEU", "agreement"; empty: quality is not known
  std::string about;  // for people, the rest of a sentence
  // A text for each sentence of the talk, or the run whose translation stands for it.
  std::vector<std::string> references;
  std::optional<RecordedRun> reference_run;
};

// Sets the quality of each run, or nullopt if its sentences are not those of the references.
void score_quality(std::span<RecordedRun> runs, const QualityMeasure& measure);

// `title`: of the talk. REQUIRES: at least one run.
std::string to_html(const ReportPage& page, const std::string& title,
                    std::span<const RecordedRun> runs, const QualityMeasure& measure);

}  // namespace surtitle
