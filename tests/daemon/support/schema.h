// Checks messages against daemon/protocol/surtitle.v1.asyncapi.yaml.
//
// Supports the part of JSON Schema that the document uses. An unknown keyword is an error, so that
// no rule of the document goes unchecked.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace surtitle {

class AsyncApi {
 public:
  static const AsyncApi& get();

  // Returns the first violation by a message of an operation ("sendToSender"), or an empty text.
  std::string violation(std::string_view operation, std::string_view text) const;

 private:
  using Value = boost::json::value;

  AsyncApi();

  const Value& resolve(const Value& node) const;
  std::string check(const Value& schema, const Value& value, const std::string& where) const;
  std::string check_keyword(std::string_view keyword, const Value& rule, const Value& value,
                            const std::string& where) const;
  std::string check_properties(const Value& properties, const Value& value,
                               const std::string& where) const;

  Value document_;
};

}  // namespace surtitle
