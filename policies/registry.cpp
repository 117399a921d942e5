#include "policies/registry.h"

#include <algorithm>
#include <stdexcept>

#include "policies/alignatt.h"
#include "policies/closest_name.h"
#include "policies/full_sentence.h"
#include "policies/gma.h"
#include "policies/local_agreement.h"
#include "policies/meaning_units.h"
#include "policies/mma.h"
#include "policies/parameters.h"
#include "policies/static_rw.h"
#include "policies/wait_k.h"

namespace surtitle {
namespace {

// A policy's parameters, in the order of its help.
using Values = std::vector<double>;

struct Row {
  PolicyHelp help;
  PolicyPtr (*make)(const Values& values);
};

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      {{"gma",
        "gma:delta=1.5",
        "waits for the source word of a target word, and delta more",
        {{"delta", /*whole=*/false, {0}, {}, 1, 6, 0.25}},
        {"gma"}},
       [](const Values& values) -> PolicyPtr {
         return std::make_shared<GmaPolicy>(static_cast<float>(values[0]));
       }},
      {{"wait-k",
        "wait-k:k=3",
        "reads k tokens first, then writes one for each one read",
        {{"k", /*whole=*/true, {1}, {}, 3, 20, 1},
         {"catchup", /*whole=*/false, {0}, ParameterBound{1, false}, 0, 0.5, 0.05}},
        {"wait-k"}},
       [](const Values& values) -> PolicyPtr {
         return std::make_shared<WaitKPolicy>(static_cast<int>(values[0]),
                                              static_cast<float>(values[1]));
       }},
      {{"static-rw",
        "static-rw:s=3,rw=2",
        "reads s tokens first, then writes rw for each rw read",
        {{"s", /*whole=*/true, {1}, {}, 3, 20, 1}, {"rw", /*whole=*/true, {1}, {}, 2, 10, 1}},
        {"static-rw"}},
       [](const Values& values) -> PolicyPtr {
         return std::make_shared<StaticRwPolicy>(static_cast<int>(values[0]),
                                                 static_cast<int>(values[1]));
       }},
      {{"mma",
        "mma:threshold=0.5",
        "waits until every monotonic head has found the source word it looks for",
        {{"threshold", /*whole=*/false, {0, false}, ParameterBound{1, false}, 0.5, 0.95, 0.05}},
        {"mma"}},
       [](const Values& values) -> PolicyPtr {
         return std::make_shared<MmaPolicy>(static_cast<float>(values[0]));
       }},
      {{"full-sentence",
        "full-sentence",
        "reads the whole sentence before it writes",
        {},
        {"full-sentence"}},
       [](const Values&) -> PolicyPtr { return std::make_shared<FullSentencePolicy>(); }},
      {{"local-agreement",
        "local-agreement:drafts=2,every=1",
        "retranslates as words arrive, writes what successive drafts agree on",
        {{"drafts", /*whole=*/true, {2}, {}, 2, 5, 1},
         {"every", /*whole=*/true, {1}, {}, 1, 10, 1}},
        {"full-sentence"}},
       [](const Values& values) -> PolicyPtr {
         return std::make_shared<LocalAgreementPolicy>(static_cast<int>(values[0]),
                                                       static_cast<int>(values[1]));
       }},
      {{"alignatt",
        "alignatt:f=2",
        "writes after each word, until the attention reaches the last f words",
        {{"f", /*whole=*/true, {1}, {}, 2, 10, 1}},
        {"full-sentence"}},
       [](const Values& values) -> PolicyPtr {
         return std::make_shared<AlignAttPolicy>(static_cast<int>(values[0]));
       }},
      {{"mu",
        "mu:threshold=0.5",
        "translates each meaning unit of the source when it ends",
        {{"threshold", /*whole=*/false, {0, false}, ParameterBound{1}, 0.5, 1, 0.05}},
        {"mu"}},
       [](const Values& values) -> PolicyPtr {
         return std::make_shared<MeaningUnitsPolicy>(static_cast<float>(values[0]));
       }},
  };
  return table;
}

std::string number_text(double value) { return shortest_number(static_cast<float>(value)); }

std::string parameter_syntax(const PolicyParameter& parameter) {
  const auto& [name, whole, low, high, fallback, usual_high, step] = parameter;
  std::string text = name + (whole ? "=WHOLE NUMBER (" : "=NUMBER (");
  text += (low.allowed ? "at least " : "above ") + number_text(low.value);
  if (high) {
    text += (high->allowed ? ", at most " : ", below ") + number_text(high->value);
  }
  return text + ", default " + number_text(fallback) + ")";
}

Values consume_values(const std::vector<PolicyParameter>& parameters, PolicyParameters& given) {
  Values values;
  for (const auto& [name, whole, low, high, fallback, usual_high, step] : parameters) {
    // Two branches, because one conditional expression would convert large whole numbers to float.
    if (whole) {
      values.push_back(given.consume_whole_number(name, static_cast<int>(fallback)));
    } else {
      values.push_back(given.consume_number(name, static_cast<float>(fallback)));
    }
  }
  return values;
}

// A spec may be sent by a client, so the message stays one line of bounded length.
std::string one_line(std::string text) {
  constexpr std::size_t kMaxLength = 200;
  if (text.size() > kMaxLength) {
    std::size_t end = kMaxLength;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
      --end;  // never inside a UTF-8 character
    }
    text.resize(end);
    text += "...";
  }
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
  return text;
}

}  // namespace

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const Row& row : rows()) {
    names.push_back(row.help.name);
  }
  return names;
}

std::invalid_argument unknown_policy(std::string_view name, const std::vector<std::string>& names) {
  return std::invalid_argument("unknown policy '" + one_line(std::string(name)) + "'" +
                               allowed_names(name, names));
}

PolicyPtr make_policy(std::string_view spec) {
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  const auto row = std::find_if(rows().begin(), rows().end(),
                                [&](const Row& candidate) { return candidate.help.name == name; });
  if (row == rows().end()) {
    throw unknown_policy(name, policy_names());
  }
  try {
    PolicyParameters given = colon == std::string_view::npos
                                 ? PolicyParameters()
                                 : PolicyParameters(spec.substr(colon + 1));
    PolicyPtr policy = row->make(consume_values(row->help.parameters, given));
    given.require_all_consumed();
    return policy;
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("policy '" + row->help.name + "': " + one_line(error.what()) +
                                "; allowed: " + policy_syntax(row->help));
  }
}

std::string policy_syntax(const PolicyHelp& help) {
  std::string parameters;
  for (const PolicyParameter& parameter : help.parameters) {
    parameters += (parameters.empty() ? ":" : ",") + parameter_syntax(parameter);
  }
  return help.name + (parameters.empty() ? "" : "[" + parameters + "]");
}

const std::vector<PolicyHelp>& policy_help() {
  static const std::vector<PolicyHelp> help = [] {
    std::vector<PolicyHelp> list;
    for (const Row& row : rows()) {
      list.push_back(row.help);
    }
    return list;
  }();
  return help;
}

std::string policy_examples() {
  std::string policies;
  for (const PolicyHelp& help : policy_help()) {
    policies += (policies.empty() ? "" : ", ") + help.usage;
  }
  return policies;
}

}  // namespace surtitle
