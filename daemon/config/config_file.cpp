// Reads and writes surtitled.yaml.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "daemon/base/text.h"
#include "daemon/config/daemon_config.h"
#include "model/util/yaml_map.h"
#include "policies/closest_name.h"

namespace surtitle {
namespace {

// Returns the names that may follow `prefix` ("" or "sentence.").
std::vector<std::string> names_below(const std::string& prefix) {
  std::vector<std::string> names;
  for (const ConfigField& field : config_fields()) {
    if (field.name.starts_with(prefix)) {
      std::string name = field.name.substr(prefix.size());
      name = name.substr(0, name.find('.'));
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
      }
    }
  }
  return names;
}

// Returns them with commas.
std::string allowed_below(const std::string& prefix) {
  std::string list;
  for (const std::string& name : names_below(prefix)) {
    list += (list.empty() ? "" : ", ") + name;
  }
  return list;
}

std::vector<std::string> values_of(const YAML::Node& node, const ConfigField& field,
                                   const std::string& file) {
  if (field.list && node.IsSequence()) {
    std::vector<std::string> values;
    for (const YAML::Node& item : node) {
      if (!item.IsScalar()) {
        fail_at(file, item.Mark(), "field '" + field.name + "' must be a list of texts");
      }
      values.push_back(item.Scalar());
    }
    return values;
  }
  if (node.IsNull()) {
    return field.list ? std::vector<std::string>() : std::vector<std::string>{""};
  }
  if (!node.IsScalar()) {
    fail_at(file, node.Mark(), "field '" + field.name + "' must be one value");
  }
  return {node.Scalar()};
}

void read_map(const YAML::Node& map, const std::string& prefix, const std::string& file,
              DaemonConfig& config) {
  std::set<std::string> given;
  for (const auto& entry : map) {
    const std::string name = prefix + entry.first.Scalar();
    if (!given.insert(name).second) {
      fail_at(file, entry.first.Mark(), "field " + in_quotes(name) + " is given twice");
    }
    const auto& fields = config_fields();
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const ConfigField& known) { return known.name == name; });
    const bool section = std::any_of(fields.begin(), fields.end(), [&](const ConfigField& known) {
      return known.name.starts_with(name + ".");
    });
    const RenamedField* const renamed = find_renamed(name);
    if (renamed != nullptr && !(section && entry.second.IsMap())) {
      fail_at(file, entry.first.Mark(), renamed->message());
    }
    if (section && entry.second.IsMap()) {
      read_map(entry.second, name + ".", file, config);
    } else if (section && entry.second.IsNull()) {
      continue;
    } else if (section) {
      fail_at(file, entry.first.Mark(),
              "field '" + name + "' must hold the fields " + allowed_below(name + "."));
    } else if (field == fields.end()) {
      fail_at(file, entry.first.Mark(),
              "unknown field " + in_quotes(name) +
                  allowed_names(name.substr(prefix.size()), names_below(prefix)));
    } else {
      try {
        field->set(config, values_of(entry.second, *field, file));
      } catch (const std::invalid_argument& error) {
        fail_at(file, entry.first.Mark(), "field '" + name + "' " + error.what());
      }
    }
  }
}

}  // namespace

void read_config(const std::filesystem::path& file, DaemonConfig& config) {
  const std::string name = file.string();
  const YAML::Node document = load_yaml(file);
  if (document.IsMap()) {
    read_map(document, "", name, config);
  } else if (!document.IsNull()) {
    fail_at(name, document.Mark(), "must hold fields; allowed: " + allowed_below(""));
  }
}

std::string to_yaml(const DaemonConfig& config) {
  std::string yaml;
  std::string section;
  for (const ConfigField& field : config_fields()) {
    const std::size_t dot = field.name.find('.');
    const std::string in = dot == std::string::npos ? "" : field.name.substr(0, dot);
    if (in != section && !in.empty()) {
      yaml += in + ":\n";
    }
    section = in;
    YAML::Emitter value;
    const std::vector<std::string> values = field.get(config);
    if (field.list) {
      value << YAML::Flow << values;
    } else if (values.front().empty()) {
      value << YAML::Null;
    } else {
      value << values.front();
    }
    const std::string indent = in.empty() ? "" : "  ";
    yaml += indent + "# " + (field.unit.empty() ? "" : field.unit + ": ") + field.help + "\n";
    yaml += indent + field.name.substr(in.empty() ? 0 : dot + 1) + ": " + value.c_str() + "\n";
  }
  return yaml;
}

}  // namespace surtitle
