// Base class of recognisers whose output is a sequence of JSON objects, one per message.
//
// Thread-safety: none; one owner.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "daemon/base/json_fields.h"
#include "daemon/recognisers/json_values.h"
#include "daemon/recognisers/recogniser.h"
#include "daemon/recognisers/skipped_input.h"

namespace surtitle {

class JsonRecogniser : public Recogniser {
 public:
  // `name`: name of the format, for errors.
  JsonRecogniser(const RecogniserSettings& settings, MessageBuilder& builder, std::string name);

  void feed(std::string_view bytes) final;
  // Finalizes the last hypothesis. Throws if the last message reported an error.
  void finish() final;

 protected:
  // Called with each message. A message with an invalid field is skipped; on_message() must not
  // send its words.
  virtual void on_message(JsonFields& message) = 0;
  // Called after the last message.
  virtual void on_end() {}

  // Skips the message, because it is not of the format for the reason `why`.
  void skip(const std::string& why);
  // The message reports an error of the recogniser. The first of `fields` that the message has
  // describes the error. It is a notice if another message follows.
  void on_report(JsonFields& message, std::initializer_list<std::string_view> fields);

  MessageBuilder& builder() { return builder_; }

 private:
  void read(JsonFields message);

  MessageBuilder& builder_;
  const std::string name_;
  const std::function<void(const std::string&)> on_hint_;
  SkippedInput skipped_;
  JsonValues values_;
  std::string problem_;  // of the current message; empty: none
  std::string report_;   // an error that the last message reports; empty: none
};

// Returns the text of a field, or "" if the field is missing or is no text.
std::string_view text_field(const boost::json::object& message, std::string_view key);

// Returns the first object of a list, or nullptr if the list is missing or empty.
const boost::json::object* first_object(JsonFields& message, std::string_view list);

}  // namespace surtitle
