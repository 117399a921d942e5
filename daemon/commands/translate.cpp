#include "daemon/commands/translate.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "daemon/base/install_paths.h"
#include "daemon/base/text.h"
#include "daemon/commands/result_file.h"
#include "daemon/evaluation/evaluation.h"
#include "daemon/evaluation/text_model.h"
#include "model/analysis/beam_search.h"
#include "model/cpu/cpu_inference.h"
#include "model/engine/translator.h"
#include "model/text/language_tag.h"
#include "model/util/processors.h"

namespace surtitle {
namespace {

// Lines that are written together. A stop loses the work of no more.
constexpr std::size_t kLinesAtATime = 128;

struct Options {
  std::filesystem::path model;
  std::filesystem::path source;
  std::filesystem::path output;
  std::string target;
  std::string precision = "auto";
  int beam = 4;
  int sentences = 16;
  int threads = 0;
  bool resume = false;
};

// Returns the index of the target language in Package::source_prefixes.
int target_of(const PackageDescription& model, const std::string& language) {
  std::vector<std::string> targets;
  for (const auto& prefix : model.source_prefixes) targets.push_back(prefix.target_language);
  if (targets.empty()) targets.push_back(model.target_language);
  if (language.empty()) return 0;
  const auto match = [&](const std::string& target) { return match_languages(target, language); };
  const auto best = std::max_element(
      targets.begin(), targets.end(),
      [&](const std::string& a, const std::string& b) { return match(a) < match(b); });
  if (match(*best) != LanguageMatch::kNone) return static_cast<int>(best - targets.begin());
  std::string allowed;
  for (const auto& target : targets) allowed.append(allowed.empty() ? "" : ", ").append(target);
  throw std::invalid_argument("the model does not translate into '" + language +
                              "'; allowed: " + allowed);
}

// The complete lines that an earlier run has written.
struct FinishedLines {
  std::size_t count = 0;
  std::uintmax_t bytes = 0;
};

FinishedLines finished_lines(const std::filesystem::path& file) {
  FinishedLines finished;
  std::ifstream in(file, std::ios::binary);
  for (std::string line; std::getline(in, line) && !in.eof(); ++finished.count)
    finished.bytes += line.size() + 1;
  return finished;
}

// Returns whether the output exists and is to be continued.
bool resumes(const Options& options) {
  if (!std::filesystem::exists(options.output)) return false;
  if (!options.resume)
    throw std::invalid_argument(options.output.string() +
                                " exists; allowed: a new file, or --resume to continue it");
  std::error_code ignored;
  if (std::filesystem::equivalent(options.source, options.output, ignored))
    throw std::invalid_argument(options.output.string() + " is the source; allowed: another file");
  if (!std::filesystem::is_regular_file(options.output))
    throw std::invalid_argument(options.output.string() + " is not a regular file");
  return true;
}

std::string text_of(const std::shared_ptr<const Tokenizer>& tokenizer,
                    const std::vector<int>& tokens) {
  Detokenizer detokenizer(tokenizer);
  std::string text;
  for (const int token : tokens) text += detokenizer.write(token);
  return text + detokenizer.finish();
}

void run(const Options& options) {
  // Reading from a pipe would wait, perhaps forever, and --resume could not read it again.
  if (std::filesystem::exists(options.source) && !std::filesystem::is_regular_file(options.source))
    throw std::invalid_argument(options.source.string() + " is not a regular file");
  const bool resumed = resumes(options);
  const TextModel model = open_text_model(model_folder(options.model), "full-sentence");
  const Package& package = model.package;
  const auto lines = read_sentences(options.source);
  std::vector<std::vector<int>> sources;
  std::size_t longest = 1;
  for (const auto& line : lines) {
    const auto name = options.source.string() + ":" + std::to_string(sources.size() + 1);
    sources.push_back(tokenize_sentence(*package.tokenizers.source, line, name).tokens);
    longest = std::max(longest, sources.back().size());
  }
  const int target = target_of(package.description, options.target);
  const auto finished = resumed ? finished_lines(options.output) : FinishedLines();
  std::size_t done = finished.count;
  if (done > lines.size())
    throw std::invalid_argument(options.output.string() + " has " + counted(done, "line") +
                                ", more than " + options.source.string());
  BeamSearch search(package, {.beam = options.beam,
                              .threads = thread_count(options.threads),
                              .precision = select_precision(options.precision),
                              .sentences = options.sentences,
                              .source_tokens = static_cast<int>(longest),
                              .target_language = target});
  std::ofstream out(options.output, std::ios::binary | std::ios::app);
  if (!out) throw std::runtime_error(options.output.string() + ": cannot be written");
  // The last line may be incomplete.
  if (resumed) std::filesystem::resize_file(options.output, finished.bytes);
  const auto progress = progress_on_terminal("", lines.size());
  while (done < lines.size() && out) {
    const auto part =
        std::span(sources).subspan(done, std::min(kLinesAtATime, lines.size() - done));
    const auto translations = search.run(part, [&](std::size_t now) {
      if (progress) progress(done + now);
    });
    for (const auto& tokens : translations)
      out << text_of(package.tokenizers.target, tokens) << '\n';
    out.flush();
    done += part.size();
  }
  if (!out) throw std::runtime_error(options.output.string() + ": cannot be written");
}

}  // namespace

void add_translate_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "translate", "Translate a text file by beam search, for training on the translations");
  auto options = std::make_shared<Options>();
  command
      ->add_option("--model", options->model,
                   "model package (folder), or the name of a shipped model")
      ->required();
  command
      ->add_option("--source", options->source,
                   "text, one sentence per line, each of at most 512 tokens")
      ->required();
  command->add_option("--output", options->output, "file for the translations, line by line")
      ->required();
  command->add_flag(
      "--resume", options->resume,
      "continue the output of a run that was stopped, after its last line; 128 lines are\n"
      "written at a time");
  command->add_option("--target", options->target,
                      "target language of a model that has several; default: the package's");
  command
      ->add_option("--beam", options->beam,
                   "hypotheses of a sentence; the best mean log-probability of a token wins")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  command->add_option("--sentences", options->sentences, "sentences under way at the same time")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command->add_option("--precision", options->precision, "auto, float32 or int8")
      ->capture_default_str();
  command->add_option("--threads", options->threads, "CPU threads; 0: one for each processor")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  command->footer(
      "Each sentence is translated as a whole. Example:\n"
      "  surtitle translate --model opus-mt-de-en --source speeches.de --output speeches.en");
  command->callback([options] { run(*options); });
}

}  // namespace surtitle
