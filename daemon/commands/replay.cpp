#include "daemon/commands/replay.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "daemon/base/fd_limit.h"
#include "daemon/base/install_paths.h"
#include "daemon/base/json_writer.h"
#include "daemon/base/text.h"
#include "daemon/commands/replay_backend.h"
#include "daemon/commands/result_file.h"
#include "daemon/commands/stream_options.h"
#include "daemon/evaluation/evaluation.h"
#include "daemon/replay/replay_input.h"
#include "daemon/replay/run_comparison.h"
#include "daemon/replay/run_report.h"
#include "daemon/replay/scoring_talk.h"
#include "policies/lag_controller.h"
#include "policies/registry.h"
#include "policies/spec_range.h"

namespace surtitle {
namespace {

constexpr int kOtherWords = 3;  // exit code: compared runs have different words

struct Options {
  std::string log;
  std::string format = "auto";
  std::string track;
  StreamOptions stream;
  bool source_given = false;
  bool target_given = false;
  bool source_form_given = false;
  std::vector<std::string> policies;
  double rate = 2.5;
  std::string speed = "1";
  int streams = 1;
  std::optional<double> duration;
  std::optional<double> warm_up;
  bool retry = false;
  bool offline = false;
  std::vector<std::filesystem::path> models;
  TranslatorOptions translator;
  bool as_logged = false;
  bool compare = false;
  std::filesystem::path against;
  std::filesystem::path reference;
  std::filesystem::path report;
  std::filesystem::path instances;
  std::filesystem::path scoring;
  bool json = false;
  bool print = false;
};

// The results of a replay.
struct Outcome {
  std::vector<RecordedRun> logged;    // runs in the logs to compare with: LOG, then --against
  std::vector<RecordedRun> runs;      // new runs, or with --as-logged the run in LOG
  std::vector<ReplayReport> reports;  // of the new runs
  std::vector<std::string> failures;  // without duplicates
  bool several = false;               // several runs were requested
  bool any_went = false;              // a stream of any run succeeded
  bool stopped = false;               // by a signal: no further run begins
};

double parse_speed(const std::string& text) {
  double speed = 0;
  if (text == "max" || (CLI::detail::lexical_cast(text, speed) && speed == 0)) {
    return std::numeric_limits<double>::infinity();
  }
  return speed;
}

std::string speed_problem(const std::string& text) {
  double speed = 0;
  return text == "max" ||
                 (CLI::detail::lexical_cast(text, speed) && std::isfinite(speed) && speed >= 0)
             ? std::string()
             : "must be a number above 0, or 0 or max for as fast as possible, not " + text;
}

std::vector<std::string> steps_of(const std::vector<std::string>& policies) {
  std::vector<std::string> all;
  const auto add = [&all](const std::string& spec) {
    if (std::find(all.begin(), all.end(), spec) == all.end()) {
      all.push_back(spec);
    }
  };
  for (const std::string& policy : policies) {
    if (policy.find("..") == std::string::npos) {
      parse_policy_request(policy);  // reports a wrong policy before anything is read
      add(policy);
    } else {
      for (const std::string& step : SpecRange(policy).steps()) {
        add(step);
      }
    }
  }
  return all;
}

// Returns the start message of the replay. Languages and source form are the log's unless options
// give them. Model and policies are the log's unless options give either. Changes in the log of
// something that an option gives are removed from `input`.
protocol::Start start_of(const Options& options, ReplayInput& input) {
  protocol::Start start = options.stream.start();
  if (!input.head) {
    return start;
  }
  const protocol::Track& track = input.head->tracks.front();
  if (!options.source_form_given) {
    start.source_form = input.head->source_form;
  }
  start.source = options.source_given ? start.source : input.head->source;
  start.target = options.target_given ? start.target : track.target;
  if (options.source_form_given) {
    for (TimedText& timed : input.transcript.texts) {
      for (protocol::Configure& change : timed.changes) {
        change.source_form.reset();
      }
    }
  }
  const bool same_model = !start.model;
  if (same_model) {
    start.model = track.model;
  }
  if (same_model && options.policies.empty()) {
    start.policy = track.policy;
    return start;
  }
  for (TimedText& timed : input.transcript.texts) {
    std::vector<protocol::Configure> kept;
    for (protocol::Configure change : timed.changes) {
      change.model.reset();
      change.policy.reset();
      if (change.source_form) {
        kept.push_back(std::move(change));
      }
    }
    timed.changes = std::move(kept);
  }
  return start;
}

std::unique_ptr<ReplayBackend> make_backend(const Options& options, const protocol::Start& start) {
  // With --json, standard output has only the JSON object.
  std::FILE* out = options.json ? stderr : stdout;
  if (!options.offline) {
    return std::make_unique<DaemonBackend>(DaemonBackendOptions{.url = options.stream.address(),
                                                                .speed = parse_speed(options.speed),
                                                                .streams = options.streams,
                                                                .duration = options.duration,
                                                                .warm_up = options.warm_up,
                                                                .retry = options.retry,
                                                                .print = out});
  }
  const std::vector<std::string> shipped = shipped_models();
  if (!start.model && shipped.empty()) {
    throw std::runtime_error("no model is shipped; choose one with --model");
  }
  return std::make_unique<OfflineBackend>(OfflineModels(options.models, options.translator),
                                          start.model.value_or(shipped.front()), out);
}

void warn(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    std::cerr << "surtitle replay: " << warning << std::endl;
  }
}

RecordedRun logged_run(const ReplayInput& input) {
  if (!input.run) {
    throw std::runtime_error(input.name +
                             ": the log has no translation; allowed: a stream's log or "
                             "SimulEval's instances.log");
  }
  return *input.run;
}

void play(const Options& options, ReplayBackend& backend, protocol::Start start,
          const std::optional<std::string>& policy, const ReplayInput& input, Outcome& outcome) {
  start.policy = policy ? policy : start.policy;
  ReplayResult result = backend.play(start, input.transcript, options.print);
  warn(result.warnings);
  result.run.name = options.offline ? "offline" : "now";
  if (result.run.policy.empty()) {  // the backend did not report it
    result.run.policy = start.policy.value_or("");
  }
  join_to(result.run, input.transcript.sentences);
  outcome.runs.push_back(std::move(result.run));
  outcome.reports.push_back(std::move(result.report));
  outcome.any_went = outcome.any_went || !result.all_failed;
  outcome.stopped = result.stopped;
  if (result.failure && std::find(outcome.failures.begin(), outcome.failures.end(),
                                  *result.failure) == outcome.failures.end()) {
    outcome.failures.push_back(*result.failure);
  }
}

// Returns how to measure the quality of the runs: BLEU against the references, or else agreement
// with the model's translation of whole sentences. The latter needs one more run on `backend`; if
// that is nullptr, the measure is empty.
QualityMeasure measure_quality(const Options& options, ReplayBackend* backend,
                               protocol::Start start, const ReplayInput& input) {
  QualityMeasure measure;
  if (!options.reference.empty()) {
    measure.name = "BLEU";
    measure.about = "against " + options.reference.filename().string();
    measure.references = read_sentences(options.reference);
  } else if (!input.references.empty()) {
    measure.name = "BLEU";
    measure.about = "against the references in the log";
    measure.references = input.references;
  } else if (backend != nullptr) {
    start.policy = "full-sentence";
    ReplayInput plain = input;
    for (TimedText& timed : plain.transcript.texts) {
      std::erase_if(timed.changes, [](const auto& change) { return !change.source_form; });
    }
    start.channel.reset();  // viewers do not see this run
    ReplayResult result = backend->play(start, plain.transcript, /*print=*/false);
    if (result.failure) {
      throw std::runtime_error("full-sentence run for the report failed: " + *result.failure);
    }
    measure.reference_run = std::move(result.run);
    measure.name = "agreement";
    measure.about =
        "with the full-sentence translation. There is no reference, so this is BLEU against the "
        "same model's translation of whole sentences. It measures the effect of low latency, not "
        "the quality of the translation";
  }
  return measure;
}

void require_references(const QualityMeasure& measure, const RecordedRun& run) {
  if (measure.references.size() != run.sentences.size()) {
    throw std::runtime_error("the reference has " + counted(measure.references.size(), "line") +
                             ", but the talk has " + counted(run.sentences.size(), "sentence") +
                             "; the numbers must be equal");
  }
}

std::string instance_lines(const RecordedRun& run, const std::vector<std::string>& references) {
  std::string lines;
  for (const Instance& instance : to_instances(run, references)) {
    lines += to_instance_log_line(instance) + "\n";
  }
  return lines;
}

void write_scoring(const Options& options, const ReplayInput& input, const RecordedRun& run,
                   const std::vector<std::string>& references) {
  const std::string name = std::filesystem::path(input.name).stem().string();
  const std::optional<ScoringTalk> talk = scoring_talk(run, name, kWordMs, references);
  if (!talk) {
    throw std::runtime_error(
        "--scoring needs the times of all words, and a reference for each "
        "sentence; the run has not both");
  }
  write_scoring_files(options.scoring, std::span(&*talk, 1));
}

std::vector<RunComparison> compare_all(const Outcome& outcome) {
  std::vector<RunComparison> comparisons;
  for (const RecordedRun& before : outcome.logged) {
    for (const RecordedRun& run : outcome.runs) {
      comparisons.push_back(compare(before, run));
    }
  }
  return comparisons;
}

void print(Outcome& outcome, const std::vector<RunComparison>& comparisons,
           const Options& options) {
  const bool plain = !outcome.several && outcome.reports.size() == 1;
  const bool judged = outcome.runs.front().quality.has_value();
  if (options.json && plain && comparisons.empty() && !judged) {
    const auto times = options.streams == 1 ? time_scores(outcome.runs.front()) : std::nullopt;
    std::cout << outcome.reports.front().to_json(times ? to_json(*times) : "") << "\n";
  } else if (options.json) {
    std::cout << JsonWriter()
                     .raw_field("runs",
                                json_array(outcome.runs,
                                           [](const RecordedRun& run) { return to_json(run); }))
                     .raw_field("comparisons",
                                json_array(comparisons,
                                           [](const RunComparison& one) { return to_json(one); }))
                     .finish()
              << "\n";
  } else {
    // One definition of each latency: the run's own, which uses the references if there are any.
    const auto scores = judged ? ReplayReport::Scores::kLeftOut : ReplayReport::Scores::kShown;
    std::cout << (plain ? outcome.reports.front().to_table(scores) : to_table(outcome.runs));
    for (std::size_t i = 0; options.streams == 1 && i < outcome.runs.size(); ++i) {
      std::cout << time_table(outcome.runs[i]);
    }
    if (plain && judged) {
      std::cout << "\n" << to_table(outcome.runs);
    }
    for (const RunComparison& comparison : comparisons) {
      std::cout << "\n" << to_table(comparison);
    }
  }
  std::cout << std::flush;
}

std::vector<RecordedRun> shown_runs(const Outcome& outcome) {
  std::vector<RecordedRun> runs = outcome.logged;
  runs.insert(runs.end(), outcome.runs.begin(), outcome.runs.end());
  return runs;
}

void check(const Options& options) {
  const auto refuse = [](const std::string& what) { throw CLI::ValidationError(what); };
  if (options.streams > 1 && !options.stream.channel.empty()) {
    throw CLI::ValidationError("--channel", "a channel has one stream; leave out --streams");
  }
  if (options.as_logged && options.compare) {
    refuse("--compare needs a new run, which --as-logged does not make; use --against");
  }
  const bool once = options.compare || !options.against.empty() || !options.reference.empty() ||
                    !options.instances.empty() || !options.scoring.empty() ||
                    !options.report.empty();
  if (options.warm_up && options.warm_up >= options.duration) {
    refuse("--warm-up must be shorter than --duration");
  }
  if (options.duration && once) {
    refuse(
        "--duration repeats the log; --compare, --against, --reference, --instances, --scoring and "
        "--report need it exactly once");
  }
}

void run(const Options& options) {
  check(options);
  const std::vector<std::string> policies = steps_of(options.policies);
  if (policies.size() > 1 && !(options.instances.empty() && options.scoring.empty())) {
    throw CLI::ValidationError("--instances and --scoring are for one run; give one --policy");
  }
  if (policies.size() > 1 && options.warm_up) {
    throw CLI::ValidationError("--warm-up is for one run; give one --policy");
  }
  raise_fd_limit();
  const ReplayReadOptions reading{replay_format_by_name(options.format), options.rate,
                                  options.track};
  ReplayInput input = read_replay_input(options.log, reading);
  warn(input.warnings);
  if (!options.scoring.empty() && options.reference.empty() && input.references.empty()) {
    throw std::runtime_error("--scoring needs references; give --reference");
  }
  Outcome outcome;
  outcome.several = policies.size() > 1;
  if (options.compare) {
    outcome.logged.push_back(logged_run(input));
  }
  if (!options.against.empty()) {
    const ReplayInput other = read_replay_input(options.against, {{}, options.rate, options.track});
    warn(other.warnings);
    outcome.logged.push_back(logged_run(other));
  }
  ResultFile report(options.report);
  ResultFile instances(options.instances);
  std::optional<ReportPage> page;
  if (!options.report.empty()) {
    page.emplace("replay.html");
  }
  const protocol::Start start = start_of(options, input);
  std::unique_ptr<ReplayBackend> backend;
  if (options.as_logged) {
    outcome.runs.push_back(logged_run(input));
    outcome.any_went = true;
  } else {
    backend = make_backend(options, start);
    for (const std::string& policy : policies) {
      if (!outcome.stopped) {
        play(options, *backend, start, policy, input, outcome);
      }
    }
    if (policies.empty()) {
      play(options, *backend, start, std::nullopt, input, outcome);
    }
  }
  QualityMeasure quality;
  if (outcome.failures.empty()) {
    ReplayBackend* again = page && !outcome.stopped ? backend.get() : nullptr;
    quality = measure_quality(options, again, start, input);
    if (!options.reference.empty()) {
      require_references(quality, outcome.runs.front());
    }
    score_quality(outcome.logged, quality);
    score_quality(outcome.runs, quality);
  }
  const std::vector<RunComparison> comparisons = compare_all(outcome);
  if (outcome.any_went || options.streams > 1) {
    print(outcome, comparisons, options);
  }
  if (!outcome.failures.empty()) {
    const std::string last = outcome.failures.back();
    outcome.failures.pop_back();
    warn(outcome.failures);
    throw std::runtime_error(last);
  }
  if (!std::cout) {
    throw std::runtime_error("cannot write the measurements to standard output");
  }
  instances.write(instance_lines(outcome.runs.front(), quality.references));
  if (!options.scoring.empty()) {
    write_scoring(options, input, outcome.runs.front(), quality.references);
  }
  if (page) {
    report.write(to_html(*page, input.name, shown_runs(outcome), quality));
  }
  if (!std::all_of(comparisons.begin(), comparisons.end(),
                   [](const RunComparison& one) { return one.same_words(); })) {
    throw CLI::RuntimeError(kOtherWords);
  }
}

void add_input_options(CLI::App& command, Options& options) {
  command
      .add_option(
          "log", options.log,
          "a stream's log (surtitled --stream-logs), SimulEval's instances.log, JSON lines "
          "{\"time\": seconds, \"text\": \"..\"}, subtitles (SRT or WebVTT), recorded output "
          "of a recogniser, or plain text; -: read standard input")
      ->required();
  command
      .add_option("--format", options.format,
                  "format of the log: " + std::string(kReplayFormats) +
                      "; auto: recognise it by the first line")
      ->capture_default_str()
      ->check(CLI::IsMember(
          {"auto", "stream", "instances", "timed", "text", "subtitles", "recogniser"}));
  command.add_option("--track", options.track,
                     "track of a stream's log that has several translations (default: the first)");
  command.add_option("--rate", options.rate, "words per second for plain text and instances.log")
      ->capture_default_str()
      ->check(above_zero());
}

void add_playing_options(CLI::App& command, Options& options) {
  command
      .add_option("--speed", options.speed,
                  "2: replay the log in half its time; 0 or max: as fast as possible")
      ->capture_default_str()
      ->check(CLI::Validator(speed_problem, ""));
  command
      .add_option("--streams", options.streams,
                  "number of simultaneous copies of the stream, with staggered starts")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  command
      .add_option("--duration", options.duration,
                  "seconds of each stream, which repeats the log (default: the log once)")
      ->check(above_zero());
  command
      .add_option(
          "--warm-up", options.warm_up,
          "seconds at the start of --duration that are not measured (all streams start within 10 "
          "seconds); words and sentences are then measured until the first stream ends")
      ->check(above_zero())
      ->needs("--duration");
  command.add_flag(
      "--retry", options.retry,
      "retry a stream that the daemon rejects as overloaded, after the time that it requests, for "
      "up to --duration or, without that, until it is accepted (default: the stream fails)");
  auto* offline = command.add_flag(
      "--offline", options.offline,
      "run the model (a folder or a shipped model) in this process instead of a daemon, as fast as "
      "possible and on the log's own clock");
  command
      .add_option("--models", options.models,
                  "offline: folders of models that the log names and that are not shipped")
      ->type_name("TEXT,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(offline);
  command.add_option("--device", options.translator.device, "offline: cpu, cuda or auto")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->needs(offline);
  command.add_option("--precision", options.translator.precision, "offline: float32, int8 or auto")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "float32", "int8"}))
      ->needs(offline);
  command
      .add_option("--threads", options.translator.threads,
                  "offline: CPU threads; 0: one for each processor")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024))
      ->needs(offline);
  command
      .add_option("--policy", options.policies,
                  "such as " + stream_policy_examples() +
                      ", or a range such as gma:delta=1..3; each policy is one run (default: the "
                      "log's own, else the server's or model's)")
      ->allow_extra_args(false);
}

void add_result_options(CLI::App& command, Options& options) {
  command.add_flag("--compare", options.compare,
                   "compare the new translation with the one in the log");
  command.add_option("--against", options.against,
                     "compare with another log, a stream's or SimulEval's");
  command.add_option("--reference", options.reference,
                     "file with the reference translation of the talk, one line per sentence");
  command.add_option(
      "--report", options.report,
      "HTML file for delays, timelines and curves; without a reference, the talk is translated "
      "once more by whole sentences, as the measure of quality");
  command.add_option("--instances", options.instances,
                     "file for a log in SimulEval's format, over words");
  command.add_option("--scoring", options.scoring,
                     "folder for the files with which OmniSTEval and SimulStream score the run, in "
                     "milliseconds");
  command.add_flag(
      "--json", options.json,
      "print one JSON object instead of the table; with several policies, a comparison "
      "or a reference it has the fields \"runs\" and \"comparisons\"");
  command.add_flag("--print", options.print, "show the first stream's translation as it arrives");
  auto* as_logged = command.add_flag("--as-logged", options.as_logged,
                                     "translate nothing; use the translation in the log");
  for (const char* of_runs : {"--offline", "--policy", "--streams", "--retry", "--speed",
                              "--duration", "--url", "--token-file", "--ca", "--channel", "--model",
                              "--source", "--target", "--source-form", "--attention", "--print"}) {
    as_logged->excludes(of_runs);
  }
}

}  // namespace

void add_replay_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "replay", "Replay a log under the same or other models and policies; measure and compare");
  auto options = std::make_shared<Options>();
  add_input_options(*command, *options);
  add_playing_options(*command, *options);
  add_stream_options_but_policy(*command, options->stream);
  add_result_options(*command, *options);
  for (const char* of_daemons :
       {"--url", "--channel", "--speed", "--streams", "--duration", "--warm-up", "--retry"}) {
    command->get_option("--offline")->excludes(of_daemons);
  }
  command->footer(
      "A stream's log is replayed with its own model and policies unless others are given.\n"
      "Write delay: the time from sending the source word that a write needs to its arrival.\n"
      "AL and the other metrics of latency are means over sentences, in words. AL and AP use the\n"
      "length of the reference if there is one, as surtitle score does, else the translation's.\n"
      "Exit code: 1 if a stream failed, 3 if compared runs wrote different words.\n"
      "Examples:\n"
      "  surtitle replay talk.jsonl --channel main --print\n"
      "  surtitle replay talk.txt --rate 2.5 --streams 1000 --duration 60 --json\n"
      "  surtitle replay logs/2026-11-22T09-00-00Z-main-s-0123abcd.jsonl --offline --compare\n"
      "  surtitle replay talk.jsonl --offline --model de-en-gma --policy gma:delta=0..4 --report "
      "talk.html\n"
      "  surtitle replay instances.log --speed max --policy gma:delta=2 --instances new.log");
  command->callback([options, command] {
    options->source_given = command->count("--source") > 0;
    options->target_given = command->count("--target") > 0;
    options->source_form_given = command->count("--source-form") > 0;
    run(*options);
  });
}

}  // namespace surtitle
