#include "daemon/recognisers/json_recogniser.h"

#include <stdexcept>
#include <utility>

#include "daemon/base/text.h"

namespace surtitle {

JsonRecogniser::JsonRecogniser(const RecogniserSettings& settings, MessageBuilder& builder,
                               std::string name)
    : builder_(builder),
      name_(std::move(name)),
      on_hint_(settings.on_hint),
      skipped_(settings),
      values_(settings.input, [this](const std::string& kind, const std::string& what) {
        skipped_.skip(kind, what);
      }) {}

void JsonRecogniser::feed(std::string_view bytes) {
  while (const auto object = values_.next(bytes)) {
    read(JsonFields(*object, name_));
  }
}

void JsonRecogniser::read(JsonFields message) {
  if (!report_.empty()) {
    on_hint_(std::exchange(report_, {}));
  }
  problem_.clear();
  on_message(message);
  problem_ = message.error().value_or(problem_);
  if (problem_.empty()) {
    skipped_.on_readable();
  } else {
    skipped_.skip(problem_, values_.where() + ": " + problem_);
  }
}

void JsonRecogniser::finish() {
  while (const auto object = values_.finish()) {
    read(JsonFields(*object, name_));
  }
  on_end();
  builder_.end_word();
  builder_.finalize();
  if (!report_.empty()) {
    throw std::runtime_error(report_);
  }
  skipped_.finish();
}

void JsonRecogniser::skip(const std::string& why) { problem_ = why; }

void JsonRecogniser::on_report(JsonFields& message,
                               std::initializer_list<std::string_view> fields) {
  std::string report = "without a description";
  for (const std::string_view field : fields) {
    if (message.is_text(field)) {
      report = in_quotes(message.text(field), 200);
      break;
    }
  }
  report_ = values_.where() + ": " + name_ + " reports an error: " + report;
}

std::string_view text_field(const boost::json::object& message, std::string_view key) {
  const boost::json::value* value = message.if_contains(key);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string())
                                                : std::string_view();
}

const boost::json::object* first_object(JsonFields& message, std::string_view list) {
  const std::vector<const boost::json::object*> objects = message.objects(list);
  return objects.empty() ? nullptr : objects.front();
}

}  // namespace surtitle
