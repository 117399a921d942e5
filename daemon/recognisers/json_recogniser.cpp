#include "daemon/recognisers/json_recogniser.h"

#include <stdexcept>
#include <utility>

#include "daemon/base/text.h"

namespace surtitle {

JsonRecogniser::JsonRecogniser(const RecogniserSettings& settings, MessageBuilder& builder,
                               std::string name, std::string farewell)
    : builder_(builder), name_(std::move(name)), values_(settings.input, std::move(farewell)) {}

void JsonRecogniser::feed(std::string_view bytes) {
  while (const auto object = values_.next(bytes)) {
    JsonFields message(*object, name_);
    on_message(message);
    if (message.error()) {
      refuse(*message.error());
    }
  }
}

void JsonRecogniser::finish() {
  builder_.end_word();
  builder_.finalize();
  values_.finish();
}

void JsonRecogniser::refuse(const std::string& why) const {
  throw std::runtime_error(values_.where() + ": " + why);
}

void JsonRecogniser::refuse_report(JsonFields& message,
                                   std::initializer_list<std::string_view> fields) const {
  std::string report = "without a description";
  for (const std::string_view field : fields) {
    if (message.is_text(field)) {
      report = in_quotes(message.text(field), 200);
      break;
    }
  }
  refuse(name_ + " reports an error: " + report);
}

const boost::json::object* first_object(JsonFields& message, std::string_view list) {
  const std::vector<const boost::json::object*> objects = message.objects(list);
  return objects.empty() ? nullptr : objects.front();
}

}  // namespace surtitle
