#include "daemon/commands/bench.h"

#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

#include "daemon/base/install_paths.h"
#include "daemon/evaluation/bench_report.h"
#include "daemon/terminal/option_check.h"
#include "daemon/terminal/progress_line.h"
#include "model/cpu/cpu_inference.h"
#include "model/cuda/cuda_loader.h"
#include "model/loader/make_inference.h"

namespace surtitle {
namespace {

struct Options {
  std::string model = "de-en-gma-small";
  double seconds = 0.5;
  bool json = false;
  TranslatorOptions translator{.threads = 1};
};

double load_of_the_machine() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

Precision precision_of(const std::string& name, bool cuda) {
  if (!cuda) return select_precision(name);
  return name == "float32" ? Precision::kFloat32 : Precision::kHalf;
}

const char* name_of(Precision precision) {
  switch (precision) {
    case Precision::kInt8:
      return "int8";
    case Precision::kHalf:
      return "half";
    default:
      return "float32";
  }
}

// Returns the bytes per second that the CUDA device copies within its memory.
double copy_rate() {
  double rate = 0;
  cuda_module::Error error{};
  if (!cuda_functions().copy_rate(&rate, &error)) throw std::runtime_error(error.text.data());
  return rate;
}

BenchReport bench(const Options& options) {
  const Package package = open_package(model_folder(options.model));
  const ModelConfig& config = package.description.architecture;
  const bool cuda = chooses_cuda(options.translator);
  const auto inference = make_inference(package, bench_room(options.translator, cuda));
  const auto precision = precision_of(options.translator.precision, cuda);
  BenchReport report;
  report.model = package.description.name;
  report.device = cuda ? "cuda" : "cpu";
  report.precision = name_of(precision);
  report.threads = options.translator.threads;
  report.cost = cost_of(config, precision, kBenchLength);
  report.sentence_bytes = sentence_bytes(config, precision, kBenchMemoryLength, kBenchMemoryLength);
  ProgressLine line;
  report.times = measure(*inference, config, options.seconds, [&](int done, int all) {
    line.show("model: " + std::to_string(done) + "/" + std::to_string(all) + " measurements");
  });
  if (cuda) {
    line.show("memory of the device");
    report.copy_rate = copy_rate();
  }
  report.load = load_of_the_machine();
  return report;
}

void run(const Options& options) {
  const BenchReport report = bench(options);
  std::cout << (options.json ? to_json(report) + "\n" : to_table(report)) << std::flush;
}

}  // namespace

void add_bench_command(CLI::App& app) {
  auto* command = app.add_subcommand("bench", "Measure the speed of the engine on this machine");
  auto options = std::make_shared<Options>();
  command
      ->add_option("--model", options->model,
                   "model package (folder), or the name of a shipped model")
      ->capture_default_str();
  command
      ->add_option("--precision", options->translator.precision,
                   "float32, int8 (CPU with AVX2) or auto, which is half on CUDA")
      ->capture_default_str()
      ->check(one_of({"auto", "float32", "int8"}));
  command->add_option("--threads", options->translator.threads, "CPU threads")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command->add_option("--device", options->translator.device, "cpu, cuda or auto")
      ->capture_default_str()
      ->check(one_of({"auto", "cpu", "cuda"}));
  command
      ->add_option("--seconds", options->seconds,
                   "seconds for each of about thirty measurements; more time reduces the noise")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", options->json, "print one JSON object");
  command->footer(
      "The machine should be idle otherwise. tests/bench/README.md explains the numbers.\n"
      "Example: surtitle bench --model de-en-gma-small --precision float32");
  command->callback([options] { run(*options); });
}

}  // namespace surtitle
