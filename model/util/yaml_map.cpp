#include "model/util/yaml_map.h"

#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace surtitle {
namespace {

// Records only the place at which a document begins.
class DocumentStart : public YAML::EventHandler {
 public:
  const YAML::Mark& mark() const { return mark_; }

  void OnDocumentStart(const YAML::Mark& mark) override { mark_ = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  YAML::Mark mark_;
};

// YAML::LoadAll keeps every document, and some damaged files have endlessly many.
void reject_second_document(const std::string& file, const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStart document;
  if (parser.HandleNextDocument(document) && parser.HandleNextDocument(document))
    fail_at(file, document.mark(), "a second document begins here; one is allowed");
}

}  // namespace

YAML::Node load_yaml(const std::filesystem::path& file) {
  if (std::filesystem::is_directory(file))
    throw std::runtime_error(file.string() + ": cannot be read, it is a folder");
  constexpr std::size_t kMaxBytes = 1 << 20;
  std::ifstream stream(file);
  std::string text;
  std::array<char, 4096> bytes{};
  while (stream.read(bytes.data(), bytes.size()), stream.gcount() > 0) {
    text.append(bytes.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kMaxBytes)
      throw std::runtime_error(file.string() + ": is larger than 1 MiB, the limit for YAML files");
  }
  if (!stream.is_open() || stream.bad())
    throw std::runtime_error(file.string() + ": cannot be read");
  return parse_yaml(text, file.string());
}

YAML::Node parse_yaml(const std::string& text, const std::string& file) {
  try {
    const YAML::Node document = YAML::Load(text);
    reject_second_document(file, text);
    return document;
  } catch (const YAML::ParserException& error) {
    fail_at(file, error.mark, "not YAML: " + error.msg);
  }
}

void fail_at(const std::string& file, const YAML::Mark& at, const std::string& message) {
  std::string line = message;  // names and values of the file may contain control characters
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  throw std::runtime_error(file + ":" + std::to_string(at.line + 1) + ": " + line);
}

void fail_at(const std::string& file, const YAML::Node& at, const std::string& message) {
  fail_at(file, at.Mark(), message);
}

YamlMap::YamlMap(const YAML::Node& node, std::string file) : node_(node), file_(std::move(file)) {
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
    for (const auto& field : asked_) allowed.append(allowed.empty() ? "" : ", ").append(field);
    std::string unknown = "unknown field '" + name;
    fail(item.first, unknown.append("'; allowed: ").append(allowed));
  }
}

void YamlMap::reject_names(const std::string& field, const std::string& what,
                           const std::string& allowed) {
  fail(node(field), "'" + field + "' " + what + "; allowed: " + allowed + ", each once");
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
