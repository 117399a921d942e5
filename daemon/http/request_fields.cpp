#include "daemon/http/request_fields.h"

#include <algorithm>
#include <boost/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "daemon/base/json_parse.h"
#include "daemon/base/text.h"
#include "daemon/base/url_parts.h"
#include "model/util/utf8.h"

namespace surtitle {
namespace {

namespace json = boost::json;

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::size_t kPercent = 3;  // bytes of "%41"
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Result<void> add(json::object& fields, std::string_view name, std::string_view value) {
  if (!is_valid_utf8(name) || !is_valid_utf8(value)) {
    return RequestError(400, "the fields of a form must be UTF-8");
  }
  fields.emplace(name, value);  // unless it exists
  return {};
}

// Decodes a name or a value of a form. What is no encoding stays: "100 %".
std::string decoded(std::string_view encoded) {
  std::string text;
  while (!encoded.empty()) {
    const std::optional<std::string> character =
        encoded.front() == '%' ? percent_decode(encoded.substr(0, kPercent)) : std::nullopt;
    text += character.value_or(std::string(1, encoded.front() == '+' ? ' ' : encoded.front()));
    encoded.remove_prefix(character ? kPercent : 1);
  }
  return text;
}

Result<void> add_encoded(json::object& fields, std::string_view encoded) {
  while (!encoded.empty()) {
    const std::string_view part = encoded.substr(0, encoded.find('&'));
    encoded.remove_prefix(std::min(part.size() + 1, encoded.size()));
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view value = part.substr(std::min(equals + 1, part.size()));
    if (Result<void> added = add(fields, decoded(part.substr(0, equals)), decoded(value)); !added) {
      return added;
    }
  }
  return {};
}

// Returns a parameter of a header field, such as boundary of
// `multipart/form-data; boundary="a b"`. Names have no case.
std::optional<std::string_view> parameter(std::string_view field, std::string_view name) {
  while (true) {
    const std::size_t semicolon = field.find(';');
    if (semicolon == std::string_view::npos) {
      return std::nullopt;
    }
    field.remove_prefix(std::min(field.find_first_not_of(" \t", semicolon + 1), field.size()));
    const std::size_t equals = std::min(field.find('='), field.size());
    const bool found = beast::iequals(field.substr(0, equals), {name.data(), name.size()});
    field.remove_prefix(std::min(equals + 1, field.size()));
    const bool quoted = field.starts_with('"');
    field.remove_prefix(quoted ? 1 : 0);
    const std::string_view value = field.substr(0, field.find_first_of(quoted ? "\"" : "; \t\r"));
    if (found) {
      return value;
    }
    field.remove_prefix(value.size());
  }
}

// Adds the field of one part: its header, an empty line, and its value.
Result<void> add_part(json::object& fields, std::string_view part) {
  constexpr std::string_view kDisposition = "content-disposition:";
  const std::size_t end = part.find("\r\n\r\n");
  if (end == std::string_view::npos) {
    return RequestError(400, "a part of the form has no empty line after its header");
  }
  std::string_view header = part.substr(0, end + kLineEnd.size());
  while (!header.empty()) {
    const std::string_view line = header.substr(0, header.find(kLineEnd));
    header.remove_prefix(line.size() + kLineEnd.size());
    if (beast::iequals(line.substr(0, kDisposition.size()), kDisposition)) {
      if (const auto name = parameter(line, "name")) {
        return add(fields, *name, part.substr(end + 2 * kLineEnd.size()));
      }
    }
  }
  return RequestError(400, "a part of the form has no name");
}

Result<void> add_parts(json::object& fields, std::string_view type, std::string_view body) {
  const auto boundary = parameter(type, "boundary");
  if (!boundary || boundary->empty()) {
    return RequestError(400, "Content-Type must name the boundary of the form");
  }
  // The first boundary may have no line end before it.
  const std::string text = std::string(kLineEnd).append(body);
  const std::string mark = std::string(kLineEnd).append("--").append(*boundary);
  std::size_t begin = text.find(mark);
  while (begin != std::string::npos && text.compare(begin + mark.size(), 2, "--") != 0) {
    begin = std::min(text.find(kLineEnd, begin + mark.size()), text.size());
    const std::size_t end = text.find(mark, begin);
    if (end == std::string::npos) {
      return RequestError(400, "the form must end with its boundary and '--'");
    }
    const std::size_t part = std::min(begin + kLineEnd.size(), end);
    if (Result<void> added = add_part(fields, std::string_view(text).substr(part, end - part));
        !added) {
      return added;
    }
    begin = end;
  }
  return {};
}

bool is_type(std::string_view field, std::string_view type) {
  return beast::iequals(field.substr(0, field.find_first_of("; \t")), type);
}

}  // namespace

Result<json::object> request_fields(const HttpRequest& request, std::string_view example) {
  const std::string_view type = request[http::field::content_type];
  const std::string_view body = request.body();
  json::object fields;
  Result<void> added;
  if (is_type(type, "multipart/form-data")) {
    added = add_parts(fields, type, body);
  } else if (body.empty() ||
             (is_type(type, "application/x-www-form-urlencoded") && !body.starts_with('{'))) {
    added = add_encoded(fields, body);
  } else {
    boost::system::error_code failure;
    json::value document = parse_json(
        body.substr(body.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0), failure);
    if (failure || !document.is_object()) {
      return RequestError(400, "the body must be a form, or a JSON object in UTF-8 such as " +
                                   std::string(example));
    }
    return std::move(document.get_object());
  }
  if (added) {
    const std::string_view target(request.target().data(), request.target().size());
    added = add_encoded(fields, split_target(target).second);
  }
  return added ? Result<json::object>(std::move(fields)) : added.error();
}

}  // namespace surtitle
