// Checks messages against daemon/protocol/surtitle.v1.asyncapi.yaml.
//
// Knows the part of JSON Schema that the document uses; a keyword that it does not know is an
// error, so that nothing in the document goes unchecked.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace surtitle {

class AsyncApi {
 public:
  static const AsyncApi& get();

  // What is wrong with a message of an operation ("sendToSender"); empty where nothing is.
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
