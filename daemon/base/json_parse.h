// Parses JSON as boost::json::parse() does, but for numbers: each becomes the double that is
// nearest to what is written. Boost.JSON's own are off by one in the last place now and then, so
// that a number would not read back as it was written.
#pragma once

#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>
#include <string_view>

namespace surtitle {

// null, and `failure`, where `text` is not JSON.
boost::json::value parse_json(std::string_view text, boost::system::error_code& failure);
// Throws boost::system::system_error.
boost::json::value parse_json(std::string_view text);

}  // namespace surtitle
