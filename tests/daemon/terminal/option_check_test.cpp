#include "daemon/terminal/option_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "daemon/terminal/manual.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using Arguments = std::vector<std::string>;

class ProgramOptions : public testing::Test {
 protected:
  ProgramOptions() : app_("a program", "program") {
    app_.set_version_flag("-V,--version", "1");
    auto* evaluate = app_.add_subcommand("evaluate", "Measure a model");
    evaluate->add_option("--model", model_, "folder of the model.\\n")->required();
    evaluate->add_option("--policies", policies_, "policies to measure");
    evaluate->add_flag("--json", json_, "print JSON");
    auto* token = app_.add_subcommand("token", "Make tokens");
    token->add_subcommand("link", "Make a link")->add_option("--expires", expires_, "hours");
    app_.add_subcommand("hidden", "For tests")->group("");
  }

  std::string error(const Arguments& arguments) const {
    return option_error(app_, arguments).value_or("accepted");
  }
  std::string unknown(const Arguments& arguments) const {
    return command_error(app_, arguments).value_or("accepted");
  }

  CLI::App app_;
  std::string model_;
  std::vector<std::string> policies_;
  bool json_ = false;
  int expires_ = 0;
};

TEST_F(ProgramOptions, AMistypedOptionIsNamedBeforeAMissingOne) {
  EXPECT_EQ(error({"evaluate", "--modell", "a"}),
            "unknown option '--modell'; did you mean --model?");
  EXPECT_EQ(error({"evaluate", "--modell=a"}), "unknown option '--modell'; did you mean --model?");
  EXPECT_EQ(error({"token", "link", "--expire", "2"}),
            "unknown option '--expire'; did you mean --expires?");
  EXPECT_EQ(error({"token", "link", "--colour"}),
            "unknown option '--colour'; see: program token link --help");
}

TEST_F(ProgramOptions, AnOptionIsNoValue) {
  EXPECT_EQ(error({"evaluate", "--model", "--json"}),
            "option --model needs a value; see: program evaluate --help");
  EXPECT_EQ(error({"evaluate", "--policies", "--json"}),
            "option --policies needs a value; see: program evaluate --help");
  EXPECT_EQ(error({"evaluate", "--model"}),
            "option --model needs a value; see: program evaluate --help");
}

TEST_F(ProgramOptions, RightOptionsAndOtherWordsAreAccepted) {
  for (const Arguments& arguments :
       {Arguments{}, Arguments{"--version"}, Arguments{"evaluate", "--help"},
        Arguments{"evaluate", "--model", "a", "--json", "--policies", "b", "c", "--json"},
        Arguments{"evaluate", "--model=--json"}, Arguments{"evaluate", "--model", "--unknown"},
        Arguments{"evaluate", "-1", "-x", "--", "--modell"}}) {
    EXPECT_EQ(error(arguments), "accepted") << testing::PrintToString(arguments);
  }
}

TEST_F(ProgramOptions, AnUnknownCommandHasTheClosestNameOrAllNames) {
  EXPECT_EQ(unknown({"evalaute"}), "unknown command 'evalaute'; did you mean evaluate?");
  EXPECT_EQ(unknown({"translate"}), "unknown command 'translate'; allowed: evaluate, token");
  EXPECT_EQ(unknown({"hidden"}), "accepted");
  EXPECT_EQ(unknown({"--modell"}), "accepted");
  EXPECT_EQ(unknown({}), "accepted");
}

TEST_F(ProgramOptions, ExtraWordsAreNamedInTheirOrder) {
  const auto extra = [&](const std::string& line) {
    try {
      app_.parse(line);
    } catch (const CLI::ParseError& error) {
      return extra_words_error(app_, error).value_or(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(extra("evaluate --model a first second"), "unexpected word 'first'");
  EXPECT_EQ(extra("token lnik"), "unknown command 'lnik'; did you mean link?");
  EXPECT_EQ(extra("evaluate first"), "--model is required");
}

TEST_F(ProgramOptions, AreAllInTheManual) {
  const std::string page = manual_sections(app_);
  EXPECT_THAT(page, AllOf(StartsWith(".SH OPTIONS\n"), HasSubstr(".SH COMMANDS\n"),
                          HasSubstr(".SS program evaluate\n"), HasSubstr(".SS program token link"),
                          HasSubstr("\\-\\-policies"), HasSubstr("\\-V, \\-\\-version"),
                          HasSubstr("folder of the model.\\en"), Not(HasSubstr("hidden"))));
}

// Returns what bash proposes for the words; the last one is being typed.
std::string completed(const std::string& script, const std::string& words) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("script", script + "COMP_WORDS=(" + words +
                                 ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_program_completion\n"
                                 "echo \"${COMPREPLY[@]}\"\n");
  std::FILE* shell = popen(("bash " + file).c_str(), "r");
  std::string output;
  for (int c = 0; (c = std::fgetc(shell)) != EOF;) output += static_cast<char>(c);
  EXPECT_EQ(pclose(shell), 0);
  return output;
}

TEST_F(ProgramOptions, AreCompletedByBash) {
  const std::string script = shell_completion(app_, Shell::kBash);
  EXPECT_EQ(completed(script, "program ev"), "evaluate\n");
  EXPECT_EQ(completed(script, "program evaluate --m"), "--model\n");
  EXPECT_EQ(completed(script, "program token li"), "link\n");
  EXPECT_EQ(completed(script, "program token link --e"), "--expires\n");
  EXPECT_EQ(completed(script, "program evaluate --model ~/x --js"), "--json\n");
}

}  // namespace
}  // namespace surtitle
