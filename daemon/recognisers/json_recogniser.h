// A recogniser whose output is JSON objects, one message each.
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
  // `name` is the format's, for errors; `farewell` as JsonValues has it.
  JsonRecogniser(const RecogniserSettings& settings, MessageBuilder& builder, std::string name,
                 std::string farewell = {});

  void feed(std::string_view bytes) final;
  // The last hypothesis counts as final.
  void finish() final;

 protected:
  // Called with each message. Errors of its fields are reported after it returns.
  virtual void on_message(JsonFields& message) = 0;

  // The message is none of this format. Throws.
  [[noreturn]] void refuse(const std::string& why) const;
  // The message reports an error of the recogniser's, told by the first of these fields that it
  // has. Throws.
  [[noreturn]] void refuse_report(JsonFields& message,
                                  std::initializer_list<std::string_view> fields) const;

  MessageBuilder& builder() { return builder_; }

 private:
  MessageBuilder& builder_;
  const std::string name_;
  JsonValues values_;
};

// The first object of a list; nothing where the list is missing or empty.
const boost::json::object* first_object(JsonFields& message, std::string_view list);

}  // namespace surtitle
