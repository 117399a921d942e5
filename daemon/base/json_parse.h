// Parses JSON like boost::json::parse(), with correctly rounded floating-point numbers.
//
// Boost.JSON's own conversion is sometimes off by one in the last place. A number would then not
// read back as it was written. An escape of half a surrogate pair, as JavaScript and Python write
// it, becomes U+FFFD.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>
#include <string_view>

namespace surtitle {

// Returns null and sets `failure` if `text` is not JSON.
boost::json::value parse_json(std::string_view text, boost::system::error_code& failure);
// The same, and accepts texts that are not UTF-8.
boost::json::value parse_lenient_json(std::string_view text, boost::system::error_code& failure);
// Throws boost::system::system_error if `text` is not JSON.
boost::json::value parse_json(std::string_view text);

}  // namespace surtitle
