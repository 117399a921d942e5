// Checks messages against daemon/surtitle.v1.asyncapi.yaml.
//
// Knows the part of JSON Schema that the document uses; a keyword that it does not know is an
// error, so that nothing in the document goes unchecked.
#pragma once

#include <yaml-cpp/yaml.h>

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace surtitle {

class AsyncApi {
 public:
  static const AsyncApi& get();

  // What is wrong with a message of an operation ("sendToSender"); empty where nothing is.
  std::string violation(const std::string& operation, std::string_view text) const;

 private:
  AsyncApi();

  YAML::Node resolve(const YAML::Node& node) const;
  std::string check(const YAML::Node& schema, const boost::json::value& value,
                    const std::string& where) const;
  std::string check_keyword(const std::string& keyword, const YAML::Node& rule,
                            const boost::json::value& value, const std::string& where) const;
  std::string check_properties(const YAML::Node& properties, const boost::json::value& value,
                               const std::string& where) const;

  YAML::Node document_;
};

}  // namespace surtitle
