// The results of runs, as `surtitle replay` and `surtitle compare` print and write them.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemon/commands/result_file.h"
#include "daemon/evaluation/report_page.h"
#include "daemon/replay/recorded_run.h"
#include "daemon/replay/replay_input.h"
#include "daemon/replay/replay_report.h"
#include "daemon/replay/run_comparison.h"
#include "daemon/replay/run_report.h"

namespace surtitle {

struct RunResultOptions {
  std::filesystem::path reference;
  std::filesystem::path report;
  std::filesystem::path instances;
  std::filesystem::path scoring;
  bool json = false;
};

// Declares all of these options. REQUIRES: `options` outlives `command`.
void add_run_result_options(CLI::App& command, RunResultOptions& options);

struct RunResults {
  std::vector<RecordedRun> compared;  // runs in logs, with which each run is compared
  std::vector<RecordedRun> runs;
  std::vector<ReplayReport> reports;  // of the runs, if they are new
};

// Returns the run in the log. Throws std::runtime_error if the log has no translation.
RecordedRun logged_run(const ReplayInput& input);

// Thread-safety: none; one owner.
class RunOutput {
 public:
  // Opens the files, so that a wrong name is an error before anything runs. Throws
  // std::runtime_error. REQUIRES: both arguments outlive this.
  RunOutput(const RunResultOptions& options, const ReplayInput& input);

  // Measures the quality of all runs: BLEU against the references of the options or of the log,
  // or else agreement with the run that `whole_sentences` makes. Without both, quality is not
  // measured. Throws std::runtime_error if the numbers of references and sentences differ.
  void measure_quality(RunResults& results, const std::function<RecordedRun()>& whole_sentences);

  // Prints the results. Throws std::runtime_error.
  void print(RunResults& results) const;

  // Writes all files. Throws std::runtime_error, and CLI::RuntimeError with exit code 3 if compared
  // runs have different words. REQUIRES: at least one run.
  void write(const RunResults& results);

 private:
  void write_scoring(const RecordedRun& run) const;

  const RunResultOptions& options_;
  const ReplayInput& input_;
  ResultFile report_;
  ResultFile instances_;
  std::optional<ReportPage> page_;
  QualityMeasure quality_;
};

}  // namespace surtitle
