#include "daemon/evaluation/training_report.h"

#include <fstream>
#include <stdexcept>

#include "daemon/base/json_fields.h"
#include "daemon/base/json_parse.h"
#include "daemon/base/json_writer.h"

namespace surtitle {
namespace {

std::optional<TrainingCheckpoint> parse_line(const std::string& line) {
  boost::system::error_code failure;
  const boost::json::value value = parse_json(line, failure);
  const boost::json::object* object = failure ? nullptr : value.if_object();
  if (object == nullptr) {
    return std::nullopt;
  }
  JsonFields fields(*object, "a checkpoint");
  TrainingCheckpoint checkpoint;
  checkpoint.update = fields.whole_number("update");
  checkpoint.epoch = fields.whole_number("epoch");
  checkpoint.loss = fields.optional_number("loss");
  checkpoint.dev_perplexity = fields.optional_number("dev_perplexity");
  checkpoint.dev_bleu = fields.optional_number("dev_bleu");
  checkpoint.dev_al = fields.optional_number("dev_al");
  checkpoint.tokens_per_second = fields.optional_number("tokens_per_second");
  checkpoint.learning_rate = fields.optional_number("learning_rate");
  return fields.error() ? std::nullopt : std::optional(checkpoint);
}

std::string to_json(const TrainingCheckpoint& checkpoint) {
  return JsonWriter()
      .field("update", checkpoint.update)
      .field("epoch", checkpoint.epoch)
      .field("loss", checkpoint.loss)
      .field("dev_perplexity", checkpoint.dev_perplexity)
      .field("dev_bleu", checkpoint.dev_bleu)
      .field("dev_al", checkpoint.dev_al)
      .field("tokens_per_second", checkpoint.tokens_per_second)
      .field("learning_rate", checkpoint.learning_rate)
      .finish();
}

}  // namespace

std::vector<TrainingCheckpoint> read_training_log(const std::filesystem::path& log) {
  std::ifstream in(log);
  if (!in || std::filesystem::is_directory(log)) {
    throw std::runtime_error(log.string() + ": cannot be read");
  }
  std::vector<TrainingCheckpoint> checkpoints;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const auto checkpoint = parse_line(line);
    if (!checkpoint && in.eof()) {
      break;  // the training writes this line now
    }
    if (!checkpoint) {
      throw std::runtime_error(log.string() + ":" + std::to_string(number) +
                               ": the line is not a checkpoint; it must be a JSON object with "
                               "update, epoch and numbers");
    }
    while (!checkpoints.empty() && checkpoints.back().update >= checkpoint->update) {
      checkpoints.pop_back();
    }
    checkpoints.push_back(*checkpoint);
  }
  if (checkpoints.empty()) {
    throw std::runtime_error(log.string() + ": the training has written no checkpoint yet");
  }
  return checkpoints;
}

std::string to_html(const ReportPage& page, const std::string& run,
                    std::span<const TrainingCheckpoint> checkpoints) {
  return page.with(JsonWriter()
                       .field("run", run)
                       .raw_field("checkpoints", json_array(checkpoints,
                                                            [](const TrainingCheckpoint& one) {
                                                              return to_json(one);
                                                            }))
                       .finish());
}

}  // namespace surtitle
