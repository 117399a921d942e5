#include "policies/registry.h"

#include <algorithm>
#include <stdexcept>

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

// What a policy is called, how it is written and how it is made.
struct Row {
  PolicyHelp help;
  std::string syntax;  // the spec with its parameters' ranges, for errors
  PolicyPtr (*make)(PolicyParameters&);
};

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      {{"gma", "gma:delta=1.5",
        "waits for the source word a target word comes from, and delta more"},
       "gma[:delta=NUMBER] (at least 0, default 1)",
       [](PolicyParameters& given) -> PolicyPtr {
         return std::make_shared<GmaPolicy>(given.take_number("delta", /*fallback=*/1.0F));
       }},
      {{"wait-k", "wait-k:k=3", "reads k tokens first, then writes one for each one read"},
       "wait-k[:k=WHOLE NUMBER] (at least 1, default 3), with catchup=NUMBER (0 to below 1, "
       "default 0)",
       [](PolicyParameters& given) -> PolicyPtr {
         const int k = given.take_whole_number("k", /*fallback=*/3);
         return std::make_shared<WaitKPolicy>(k, given.take_number("catchup", /*fallback=*/0));
       }},
      {{"static-rw", "static-rw:s=3,rw=2", "reads s tokens first, then writes rw for each rw read"},
       "static-rw[:s=WHOLE NUMBER,rw=WHOLE NUMBER] (each at least 1, default 3 and 2)",
       [](PolicyParameters& given) -> PolicyPtr {
         const int s = given.take_whole_number("s", /*fallback=*/3);
         return std::make_shared<StaticRwPolicy>(s, given.take_whole_number("rw", /*fallback=*/2));
       }},
      {{"mma", "mma:threshold=0.5",
        "waits until every monotonic head has found the source word it looks for"},
       "mma[:threshold=NUMBER] (above 0, below 1, default 0.5)",
       [](PolicyParameters& given) -> PolicyPtr {
         return std::make_shared<MmaPolicy>(given.take_number("threshold", /*fallback=*/0.5F));
       }},
      {{"full-sentence", "full-sentence", "reads the whole sentence before it writes"},
       "full-sentence",
       [](PolicyParameters&) -> PolicyPtr { return std::make_shared<FullSentencePolicy>(); }},
      {{"local-agreement", "local-agreement:drafts=2,every=1",
        "translates again as words come, writes what successive drafts agree on"},
       "local-agreement[:drafts=WHOLE NUMBER (at least 2, default 2),every=WHOLE NUMBER of tokens "
       "(at least 1, default 1)]",
       [](PolicyParameters& given) -> PolicyPtr {
         const int drafts = given.take_whole_number("drafts", /*fallback=*/2);
         const int every = given.take_whole_number("every", /*fallback=*/1);
         return std::make_shared<LocalAgreementPolicy>(drafts, every);
       }},
      {{"mu", "mu:threshold=0.5", "translates each meaning unit of the source when it ends"},
       "mu[:threshold=NUMBER] (above 0 to 1, default 0.5)",
       [](PolicyParameters& given) -> PolicyPtr {
         return std::make_shared<MeaningUnitsPolicy>(
             given.take_number("threshold", /*fallback=*/0.5F));
       }},
  };
  return table;
}

std::string list_of_policies() {
  std::string list;
  for (const Row& row : rows()) {
    list += (list.empty() ? "" : ", ") + row.syntax;
  }
  return list;
}

// A spec can come from the network: the message stays one line of bounded length.
std::string one_line(std::string text) {
  constexpr std::size_t kLongest = 200;
  if (text.size() > kLongest) {
    std::size_t end = kLongest;
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

PolicyPtr make_policy(std::string_view spec) {
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  const auto row = std::find_if(rows().begin(), rows().end(),
                                [&](const Row& candidate) { return candidate.help.name == name; });
  if (row == rows().end()) {
    throw std::invalid_argument("unknown policy '" + one_line(std::string(name)) +
                                "'; there are: " + list_of_policies());
  }
  try {
    PolicyParameters given = colon == std::string_view::npos
                                 ? PolicyParameters()
                                 : PolicyParameters(spec.substr(colon + 1));
    PolicyPtr policy = row->make(given);
    given.require_all_taken();
    return policy;
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("policy '" + row->help.name + "': " + one_line(error.what()) +
                                "; there are: " + list_of_policies());
  }
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

}  // namespace surtitle
