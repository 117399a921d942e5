#include "daemon/commands/score.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "daemon/base/json_repair.h"
#include "daemon/evaluation/evaluation.h"
#include "daemon/evaluation/instance_scores.h"
#include "daemon/evaluation/long_form.h"
#include "daemon/recognisers/text_decoder.h"
#include "metrics/simulstream_log.h"
#include "metrics/text.h"

namespace surtitle {
namespace {

struct Options {
  std::string file;
  std::filesystem::path segments;
  std::filesystem::path references;
  bool json = false;
};

std::string content_of(const std::string& file) {
  if (file == "-") {
    return {std::istreambuf_iterator<char>(std::cin), {}};
  }
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) {
    throw std::runtime_error(file + ": cannot be read");
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Instance> read_log(const std::string& lines, const std::string& name) {
  std::istringstream log(lines);
  if (!is_simulstream_line(lines.substr(0, lines.find('\n')))) {
    return read_instances(log, name);
  }
  std::vector<Instance> instances;
  for (SimulStreamRecording& recording : read_simulstream_log(log, name)) {
    Instance instance;
    instance.index = static_cast<std::int64_t>(instances.size());
    instance.recording = std::move(recording.translation.recording);
    instance.prediction = std::move(recording.translation.text);
    instance.delays = std::move(recording.translation.delays);
    instance.elapsed = std::move(recording.translation.elapsed);
    instance.source_length = recording.source_length;
    instances.push_back(std::move(instance));
  }
  return instances;
}

// Divides whole recordings at the sentences of the references.
std::vector<Instance> segmented(const Options& options, std::vector<Instance> recordings) {
  std::vector<RecordedTranslation> translations;
  for (Instance& recording : recordings) {
    translations.push_back({recording.recording.value_or(recording.source.value_or("")),
                            recording.prediction.value_or(""), std::move(recording.delays),
                            std::move(recording.elapsed)});
  }
  return resegment(read_segmentation(options.segments, options.references), translations);
}

// Gives the instances the references of a file, line by line.
void set_references(const Options& options, const std::string& name,
                    std::vector<Instance>& instances) {
  const std::vector<std::string> lines = read_sentences(options.references);
  if (lines.size() != instances.size()) {
    throw std::runtime_error(options.references.string() + " has " + std::to_string(lines.size()) +
                             " lines, but " + name + " has " + std::to_string(instances.size()) +
                             " instances; whole recordings need --segments");
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    instances[i].reference = std::string(python_strip(lines[i]));
    instances[i].reference_length = count_pieces(*instances[i].reference);
  }
}

void run(const Options& options) {
  const std::string name = options.file == "-" ? "standard input" : options.file;
  std::vector<Instance> instances =
      read_log(repair_json_lines(decode_text(content_of(options.file), name)), name);
  if (instances.empty()) {
    throw std::runtime_error(name + ": the log has no instances");
  }
  if (!options.segments.empty()) {
    instances = segmented(options, std::move(instances));
  } else if (!options.references.empty()) {
    set_references(options, name, instances);
  }
  const LogScore score = score_log(instances);
  std::cout << (options.json ? to_json(score, instances) + "\n" : to_table(score)) << std::flush;
}

}  // namespace

void add_score_command(CLI::App& app) {
  auto* command =
      app.add_subcommand("score", "Compute latency and quality of a log of translations");
  auto options = std::make_shared<Options>();
  command
      ->add_option("file", options->file,
                   "log with one JSON object per line: SimulEval's instances.log, OmniSTEval's "
                   "JSON lines, SimulStream's log, or lines with delays, source_length, "
                   "reference_length (or reference) and optionally prediction; -: read standard "
                   "input")
      ->required();
  auto* references = command->add_option("--reference", options->references,
                                         "references, a line for each instance or segment");
  command
      ->add_option("--segments", options->segments,
                   "YAML or JSON list of {wav, offset, duration} in seconds: the log has whole "
                   "recordings, which are divided at the sentences of --reference")
      ->needs(references);
  command->add_flag("--json", options->json,
                    "print one JSON object with the metrics of every line and a summary");
  command->footer(
      "AL, LAAL, AP, DAL and ATD are computed as by SimulEval, YAAL, LongYAAL and the division "
      "into\n"
      "segments as by OmniSTEval without --lang, BLEU and chrF2 as by sacreBLEU. Names that end "
      "in\n"
      "_CA are computation aware.\n"
      "Examples:\n"
      "  surtitle score instances.log --json\n"
      "  surtitle score simulstream.jsonl --segments segments.yaml --reference references.txt");
  command->callback([options] { run(*options); });
}

}  // namespace surtitle
