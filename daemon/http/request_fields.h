// The fields of a request's body: a JSON object, or a form as HTML and curl send it.
//
// Thread-safety: may be called from any thread.
#pragma once

#include <boost/json/object.hpp>

#include "daemon/http/http_response.h"

namespace surtitle {

// Returns the fields of the body, and for a form also those of the query. The fields of a form
// (application/x-www-form-urlencoded, multipart/form-data) are texts; the first of a name counts.
// Returns an error if the body is neither. `example`: of an object, for the error.
Result<boost::json::object> request_fields(const HttpRequest& request, std::string_view example);

}  // namespace surtitle
