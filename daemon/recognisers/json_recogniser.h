// Base class of recognisers whose output is a sequence of JSON objects, one per message.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "daemon/base/json_fields.h"
#include "daemon/recognisers/json_values.h"
#include "daemon/recognisers/recogniser.h"

namespace surtitle {

class JsonRecogniser : public Recogniser {
 public:
  // `name`: name of the format, for errors. `farewell`: see JsonValues.
  JsonRecogniser(const RecogniserSettings& settings, MessageBuilder& builder, std::string name,
                 std::string farewell = {});

  void feed(std::string_view bytes) final;
  // Finalizes the last hypothesis.
  void finish() final;

 protected:
  // Called with each message. Errors of its fields are reported after it returns.
  virtual void on_message(JsonFields& message) = 0;

  // Throws std::runtime_error: the message is invalid, for the reason `why`.
  [[noreturn]] void refuse(const std::string& why) const;
  // Throws std::runtime_error: the message reports an error of the recogniser. The first of
  // `fields` that the message has describes the error.
  [[noreturn]] void refuse_report(JsonFields& message,
                                  std::initializer_list<std::string_view> fields) const;

  MessageBuilder& builder() { return builder_; }

 private:
  MessageBuilder& builder_;
  const std::string name_;
  JsonValues values_;
};

// Returns the first object of a list, or nullptr if the list is missing or empty.
const boost::json::object* first_object(JsonFields& message, std::string_view list);

}  // namespace surtitle
