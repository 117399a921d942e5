#include "policies/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <locale>
#include <stdexcept>
#include <string>

#include "policies/closest_name.h"
#include "policies/parameters.h"

namespace surtitle {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Returns the error of make_policy() for a spec that it rejects.
std::string refusal(const std::string& spec) {
  try {
    make_policy(spec);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

struct Accepted {
  const char* given;
  const char* name;
  const char* spec;  // the policy's spec()
};

class AcceptedSpec : public testing::TestWithParam<Accepted> {};

TEST_P(AcceptedSpec, MakesThePolicyThatItNames) {
  const PolicyPtr policy = make_policy(GetParam().given);
  EXPECT_EQ(policy->name(), GetParam().name);
  EXPECT_EQ(policy->spec(), GetParam().spec);
  EXPECT_EQ(make_policy(policy->spec())->spec(), policy->spec());
}

INSTANTIATE_TEST_SUITE_P(
    Registry, AcceptedSpec,
    testing::Values(
        Accepted{"gma", "gma", "gma:delta=1"}, Accepted{"gma:delta=1.5", "gma", "gma:delta=1.5"},
        Accepted{"gma:delta=0.9", "gma", "gma:delta=0.9"},
        Accepted{"gma:delta=0", "gma", "gma:delta=0"},
        Accepted{"gma:delta=-0", "gma", "gma:delta=0"},
        Accepted{"gma:delta=25e-1", "gma", "gma:delta=2.5"},
        Accepted{"wait-k", "wait-k", "wait-k:k=3"}, Accepted{"wait-k:k=1", "wait-k", "wait-k:k=1"},
        Accepted{"wait-k:catchup=0", "wait-k", "wait-k:k=3"},
        Accepted{"wait-k:catchup=-0", "wait-k", "wait-k:k=3"},
        Accepted{"wait-k:catchup=25e-2,k=5", "wait-k", "wait-k:k=5,catchup=0.25"},
        Accepted{"static-rw", "static-rw", "static-rw:s=3,rw=2"},
        Accepted{"static-rw:rw=4", "static-rw", "static-rw:s=3,rw=4"},
        Accepted{"mma", "mma", "mma:threshold=0.5"},
        Accepted{"mma:threshold=75e-2", "mma", "mma:threshold=0.75"},
        Accepted{"full-sentence", "full-sentence", "full-sentence"},
        Accepted{"local-agreement", "local-agreement", "local-agreement:drafts=2,every=1"},
        Accepted{"alignatt", "alignatt", "alignatt:f=2"},
        Accepted{"alignatt:f=7", "alignatt", "alignatt:f=7"},
        Accepted{"local-agreement:every=4,drafts=3", "local-agreement",
                 "local-agreement:drafts=3,every=4"},
        Accepted{"mu", "mu", "mu:threshold=0.5"},
        Accepted{"mu:threshold=1", "mu", "mu:threshold=1"}));

class RefusedSpec : public testing::TestWithParam<const char*> {};

// Returns the end of the error: the syntax of the policy that the spec names, or else the policy
// that it may mean, or else all names.
testing::Matcher<std::string> ends_with_what_is_allowed(const std::string& spec) {
  const std::string name = spec.substr(0, spec.find(':'));
  for (const PolicyHelp& help : policy_help()) {
    if (help.name == name) {
      return EndsWith("; allowed: " + policy_syntax(help));
    }
  }
  if (const auto closest = closest_name(name, policy_names())) {
    return EndsWith("; did you mean " + *closest + "?");
  }
  return EndsWith(
      "; allowed: gma, wait-k, static-rw, mma, full-sentence, local-agreement, "
      "alignatt, mu");
}

TEST_P(RefusedSpec, IsAnErrorOfOneLineThatNamesWhatIsAllowed) {
  EXPECT_THAT(refusal(GetParam()),
              AllOf(ends_with_what_is_allowed(GetParam()), Not(HasSubstr("\n"))));
}

INSTANTIATE_TEST_SUITE_P(
    Registry, RefusedSpec,
    testing::Values("", "waitk", "GMA", "gma ", " gma", "gma:", "gma:delta", "gma:delta=", "gma:=1",
                    "gma:delta=nan", "gma:delta=inf", "gma:delta=-inf", "gma:delta=-0.1",
                    "gma:delta=1,5", "gma:delta=1.5x", "gma:delta= 1", "gma:delta=+1",
                    "gma:delta=0x10", "gma:delta=1e99", "gma:delta=1,", "gma:delta=1,delta=2",
                    "gma:k=3", "wait-k:k=0", "wait-k:k=-1", "wait-k:k=2.5", "wait-k:k=1e3",
                    "wait-k:k=99999999999", "wait-k:k=", "wait-k:delta=1", "wait-k:k=3,delta=1",
                    "wait-k:catchup=1", "wait-k:catchup=-0.1", "wait-k:catchup=x", "static-rw:s=0",
                    "static-rw:rw=0", "static-rw:s=3,rw=1.5", "static-rw:k=3", "mma:threshold=0",
                    "mma:threshold=1", "mma:threshold=-0.5", "mma:threshold=nan", "mma:delta=1",
                    "full-sentence:", "full-sentence:k=3", "local-agreement:drafts=1",
                    "local-agreement:every=0", "alignatt:f=0", "alignatt:f=1.5", "mu:threshold=0",
                    "mu:threshold=1.1", "mu:threshold=nan", "mu:k=1", "no\nsuch",
                    "gma:delta=\x01"));

TEST(Registry, RefusalNamesWhatIsWrong) {
  EXPECT_THAT(refusal("waitk"), HasSubstr("unknown policy 'waitk'"));
  EXPECT_THAT(refusal("gma:delta=nan"),
              HasSubstr("policy 'gma': delta must be a finite number, found 'nan'"));
  EXPECT_THAT(refusal("gma:delta=-1"), HasSubstr("delta must be at least 0"));
  EXPECT_THAT(refusal("wait-k:k=0"), HasSubstr("k must be at least 1"));
  EXPECT_THAT(refusal("full-sentence:k=3"), HasSubstr("unknown parameter 'k'"));
}

TEST(Registry, RefusalOfAnUnknownNameHasTheClosestNameOrAllNames) {
  EXPECT_EQ(refusal("waitk"), "unknown policy 'waitk'; did you mean wait-k?");
  EXPECT_EQ(refusal("gam:delta=1"), "unknown policy 'gam'; did you mean gma?");
  EXPECT_THAT(refusal("hope"), StartsWith("unknown policy 'hope'; allowed: gma, wait-k, "));
}

TEST(Registry, RefusalOfAParameterDescribesThatPolicyAlone) {
  EXPECT_EQ(refusal("gma:detla=1"),
            "policy 'gma': unknown parameter 'detla'; allowed: gma[:delta=NUMBER (at least 0, "
            "default 1)]");
}

TEST(Registry, RefusalOfALongSpecIsShort) {
  EXPECT_LT(refusal(std::string(100'000, 'x')).size(), 500U);
  EXPECT_LT(refusal("gma:delta=" + std::string(100'000, '1')).size(), 500U);
}

// A locale whose decimal point is a comma, independent of the machine's locales.
class CommaPoint : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
};

TEST(Registry, NumbersAreReadAndWrittenTheSameInEveryLocale) {
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new CommaPoint));
  const std::string spec = make_policy("gma:delta=1.5")->spec();
  const std::string comma = refusal("gma:delta=1,5");
  std::locale::global(before);
  EXPECT_EQ(spec, "gma:delta=1.5");
  EXPECT_NE(comma, "accepted");
}

TEST(Registry, HelpHasEveryPolicyAndItsUsageIsAccepted) {
  ASSERT_EQ(policy_help().size(), 8U);
  for (const PolicyHelp& help : policy_help()) {
    const PolicyPtr policy = make_policy(help.usage);
    EXPECT_EQ(policy->name(), help.name);
    EXPECT_EQ(policy->spec(), help.usage);
    EXPECT_FALSE(help.meaning.empty());
  }
}

// Returns whether make_policy() accepts the value, all other parameters left out.
bool takes(const PolicyHelp& help, const PolicyParameter& parameter, double value) {
  return refusal(help.name + ":" + parameter.name + "=" +
                 shortest_number(static_cast<float>(value))) == "accepted";
}

TEST(Registry, ParametersHaveTheRangesThatAreTaken) {
  for (const PolicyHelp& help : policy_help()) {
    std::string defaults;
    for (const PolicyParameter& parameter : help.parameters) {
      SCOPED_TRACE(help.name + ":" + parameter.name);
      const auto& [name, whole, low, high, fallback, usual_high, step] = parameter;
      EXPECT_EQ(takes(help, parameter, low.value), low.allowed);
      EXPECT_FALSE(takes(help, parameter, low.value - 1));
      if (high) {
        EXPECT_EQ(takes(help, parameter, high->value), high->allowed);
        EXPECT_FALSE(takes(help, parameter, high->value + 1));
      } else {
        EXPECT_TRUE(takes(help, parameter, 999));
      }
      EXPECT_EQ(takes(help, parameter, low.value + 1.5), !whole && !high);
      EXPECT_TRUE(takes(help, parameter, usual_high));
      EXPECT_TRUE(takes(help, parameter, low.value + step));
      defaults += (defaults.empty() ? ":" : ",") + name + "=" +
                  shortest_number(static_cast<float>(fallback));
    }
    EXPECT_EQ(make_policy(help.name + defaults)->spec(), make_policy(help.name)->spec());
    EXPECT_THAT(help.training_family,
                testing::ElementsAre(make_policy(help.name)->training_family()));
  }
}

}  // namespace
}  // namespace surtitle
