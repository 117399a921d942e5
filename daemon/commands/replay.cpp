#include "daemon/commands/replay.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "daemon/base/install_paths.h"
#include "daemon/commands/replay_backend.h"
#include "daemon/commands/replay_options.h"
#include "daemon/commands/run_results.h"
#include "daemon/terminal/option_check.h"
#include "policies/lag_controller.h"
#include "policies/registry.h"
#include "policies/spec_range.h"

namespace surtitle {
namespace {

struct Options {
  ReplayOptions replay;
  std::vector<std::string> policies;
  bool offline = false;
  std::vector<std::filesystem::path> models;
  TranslatorOptions translator;
  bool compare = false;
  std::string against;
  bool print = false;
  RunResultOptions results;
};

// The end of the runs.
struct Outcome {
  RunResults results;
  std::vector<std::string> failures;  // without duplicates
  bool any_went = false;              // a run succeeded
  bool stopped = false;               // by a signal: no further run begins
};

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

std::unique_ptr<ReplayBackend> make_backend(const Options& options, const protocol::Start& start) {
  // With --json, standard output has only the JSON object.
  std::FILE* out = options.results.json ? stderr : stdout;
  if (!options.offline) {
    return std::make_unique<DaemonBackend>(
        DaemonBackendOptions{.url = options.replay.stream.daemon_url(),
                             .speed = speed_of(options.replay),
                             .print = out});
  }
  const std::vector<std::string> shipped = shipped_models();
  if (!start.model && shipped.empty()) {
    throw std::runtime_error("no model is shipped; choose one with --model");
  }
  return std::make_unique<OfflineBackend>(OfflineModels(options.models, options.translator),
                                          start.model.value_or(shipped.front()), out);
}

void play(const Options& options, ReplayBackend& backend, protocol::Start start,
          const std::optional<std::string>& policy, const ReplayInput& input, Outcome& outcome) {
  start.policy = policy ? policy : start.policy;
  ReplayResult result = backend.play(start, input.transcript, options.print);
  print_warnings("replay", result.warnings);
  result.run.name = options.offline ? "offline" : "now";
  if (result.run.policy.empty()) {  // the backend did not report it
    result.run.policy = start.policy.value_or("");
  }
  join_to(result.run, input.transcript.sentences);
  outcome.results.runs.push_back(std::move(result.run));
  outcome.results.reports.push_back(std::move(result.report));
  outcome.any_went = outcome.any_went || !result.all_failed;
  outcome.stopped = result.stopped;
  if (result.failure && std::find(outcome.failures.begin(), outcome.failures.end(),
                                  *result.failure) == outcome.failures.end()) {
    outcome.failures.push_back(*result.failure);
  }
}

// Returns the translation of whole sentences. Throws std::runtime_error.
RecordedRun whole_sentences(ReplayBackend& backend, protocol::Start start,
                            const ReplayInput& input) {
  start.policy = "full-sentence";
  TimedTranscript plain = input.transcript;
  for (TimedText& timed : plain.texts) {
    std::erase_if(timed.changes, [](const auto& change) { return !change.source_form; });
  }
  start.channel.reset();  // viewers do not see this run
  ReplayResult result = backend.play(start, plain, /*print=*/false);
  if (result.failure) {
    throw std::runtime_error("full-sentence run for the report failed: " + *result.failure);
  }
  return std::move(result.run);
}

void run(const Options& options) {
  const std::vector<std::string> policies = steps_of(options.policies);
  if (policies.size() > 1 &&
      !(options.results.instances.empty() && options.results.scoring.empty())) {
    throw CLI::ValidationError("--instances and --scoring are for one run; give one --policy");
  }
  ReplayInput input = read_input(options.replay.input, "replay");
  Outcome outcome;
  RunResults& results = outcome.results;
  if (options.compare) {
    results.compared.push_back(logged_run(input));
  }
  if (!options.against.empty()) {
    ReplayInputOptions other = options.replay.input;
    other.log = options.against;
    other.format = "auto";
    results.compared.push_back(logged_run(read_input(other, "replay")));
  }
  RunOutput output(options.results, input);
  const protocol::Start start = start_of(options.replay, !policies.empty(), input);
  const std::unique_ptr<ReplayBackend> backend = make_backend(options, start);
  for (const std::string& policy : policies) {
    if (!outcome.stopped) {
      play(options, *backend, start, policy, input, outcome);
    }
  }
  if (policies.empty()) {
    play(options, *backend, start, std::nullopt, input, outcome);
  }
  if (outcome.failures.empty()) {
    std::function<RecordedRun()> again = [&] { return whole_sentences(*backend, start, input); };
    output.measure_quality(results, outcome.stopped ? nullptr : again);
  }
  if (outcome.any_went) {
    output.print(results);
  }
  if (!outcome.failures.empty()) {
    const std::string last = outcome.failures.back();
    outcome.failures.pop_back();
    print_warnings("replay", outcome.failures);
    throw std::runtime_error(last);
  }
  output.write(results);
}

void add_offline_options(CLI::App& command, Options& options) {
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
      ->check(one_of({"auto", "cpu", "cuda"}))
      ->needs(offline);
  command.add_option("--precision", options.translator.precision, "offline: float32, int8 or auto")
      ->capture_default_str()
      ->check(one_of({"auto", "float32", "int8"}))
      ->needs(offline);
  command
      .add_option("--threads", options.translator.threads,
                  "offline: CPU threads; 0: one for each processor")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024))
      ->needs(offline);
  for (const char* of_daemons : {"--url", "--channel", "--speed"}) {
    offline->excludes(command.get_option(of_daemons));
  }
}

}  // namespace

void add_replay_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "replay", "Replay a log under the same or other models and policies; measure and compare");
  auto options = std::make_shared<Options>();
  add_replay_options(*command, options->replay);
  add_offline_options(*command, *options);
  command
      ->add_option("--policy", options->policies,
                   "such as " + stream_policy_examples() +
                       ", or a range such as gma:delta=1..3; each policy is one run (default: the "
                       "log's own, else the server's or model's)")
      ->allow_extra_args(false);
  command->add_flag("--compare", options->compare,
                    "compare the new translation with the one in the log");
  command->add_option("--against", options->against,
                      "compare with another log, a stream's or SimulEval's");
  add_run_result_options(*command, options->results);
  command->add_flag("--print", options->print, "show the translation as it arrives");
  add_moved_options(*command, {"--streams", "--duration", "--warm-up", "--retry"}, "loadtest");
  add_moved_options(*command, {"--as-logged"}, "compare");
  command->footer(
      "A stream's log is replayed with its own model and policies unless others are given.\n"
      "Write delay: the time from sending the source word that a write needs to its arrival.\n"
      "AL and the other metrics of latency are means over sentences, in words. AL and AP use the\n"
      "length of the reference if there is one, as surtitle score does, else the translation's.\n"
      "Exit code: 1 if a stream failed, 3 if compared runs wrote different words.\n"
      "Examples:\n"
      "  surtitle replay talk.jsonl --channel main --print\n"
      "  surtitle replay logs/2026-11-22T09-00-00Z-main-s-0123abcd.jsonl --offline --compare\n"
      "  surtitle replay talk.jsonl --offline --model de-en-gma --policy gma:delta=0..4 --report "
      "talk.html\n"
      "  surtitle replay instances.log --speed max --policy gma:delta=2 --instances new.log");
  command->callback([options, command] {
    note_given_options(*command, options->replay);
    run(*options);
  });
}

}  // namespace surtitle
