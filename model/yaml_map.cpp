#include "model/yaml_map.h"

#include <algorithm>
#include <sstream>

namespace surtitle {

YAML::Node load_yaml(const std::filesystem::path& file) {
  if (std::filesystem::is_directory(file))
    throw std::runtime_error(file.string() + ": cannot be read, it is a folder");
  try {
    return YAML::LoadFile(file.string());
  } catch (const YAML::BadFile&) {
    throw std::runtime_error(file.string() + ": cannot be read");
  } catch (const YAML::ParserException& error) {
    fail_at(file.string(), error.mark, "not YAML: " + error.msg);
  }
}

void fail_at(const std::string& file, const YAML::Mark& at, const std::string& message) {
  std::string line = message;  // whatever the file's names and values hold
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  throw std::runtime_error(file + ":" + std::to_string(at.line + 1) + ": " + line);
}

void fail_at(const std::string& file, const YAML::Node& at, const std::string& message) {
  fail_at(file, at.Mark(), message);
}

YamlMap::YamlMap(YAML::Node node, std::string file) : node_(node), file_(std::move(file)) {
  if (!node_.IsMap()) fail(node_, "expected a map of fields");
}

bool YamlMap::has(const std::string& field) {
  if (std::find(asked_.begin(), asked_.end(), field) == asked_.end()) asked_.push_back(field);
  const YAML::Node& map = node_;
  return map[field].IsDefined();
}

YAML::Node YamlMap::node(const std::string& field) {
  if (!has(field)) fail(node_, "field '" + field + "' is missing");
  return node_[field];
}

void YamlMap::reject_unknown() const {
  for (const auto& item : node_) {
    const auto& name = item.first.Scalar();
    if (std::find(asked_.begin(), asked_.end(), name) != asked_.end()) continue;
    std::string allowed;
    for (const auto& field : asked_) allowed += (allowed.empty() ? "" : ", ") + field;
    fail(item.first, "unknown field '" + name + "'; allowed: " + allowed);
  }
}

void YamlMap::fail(const YAML::Node& at, const std::string& message) const {
  fail_at(file_, at, message);
}

std::string YamlMap::number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

}  // namespace surtitle
