// The daemon with a real model whose files change while it runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/wire.h"
#include "tests/model/support/run_program.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kShipped = SURTITLE_SOURCE_DIR "/model/pretrained/de-en-gma-small";
constexpr const char* kSentence = "Guten Morgen, wie geht es Ihnen heute?";

// Replaces a file by another one of the same name.
void replace(const TemporaryFolder& folder, const std::string& name, const std::string& text) {
  fs::rename(folder.write(name + ".new", text), folder.path(name));
}

TEST(ModelFiles, MayChangeWhileTheDaemonRuns) {
  const TemporaryFolder folder;
  const std::string package = folder.path("model");
  fs::copy(kShipped, package, fs::copy_options::recursive);
  const DaemonProcess daemon({"--models", package}, DaemonProcess::Program::kReal);
  TestClient stream(daemon.port(), "/v1/stream");
  send(stream, start_message());
  const std::string undisturbed = translate(stream, 1, kSentence);
  EXPECT_FALSE(undisturbed.empty());
  int seq = 1;
  for (const char* file :
       {"model/weights.safetensors", "model/sentencepiece.model", "model/model.yaml"}) {
    SCOPED_TRACE(file);
    const std::string was = folder.read(file);
    ASSERT_FALSE(was.empty());
    folder.write(file, std::string(was.size(), '\xff'));  // in place
    EXPECT_EQ(translate(stream, ++seq, kSentence), undisturbed);
    fs::resize_file(folder.path(file), 0);
    EXPECT_EQ(translate(stream, ++seq, kSentence), undisturbed);
    replace(folder, file, was);
    EXPECT_EQ(translate(stream, ++seq, kSentence), undisturbed);
    fs::remove(folder.path(file));
    EXPECT_EQ(translate(stream, ++seq, kSentence), undisturbed);
  }
  TestClient another(daemon.port(), "/v1/stream");
  send(another, start_message());
  EXPECT_EQ(translate(another, 1, kSentence), undisturbed);
}

TEST(ModelFiles, AreReadByACheckAsAtAStart) {
  const TemporaryFolder folder;
  const std::string package = folder.path("model");
  fs::copy(kShipped, package, fs::copy_options::recursive);
  const auto check = [&] {
    return run_program("surtitled", {"--check", "--port", "0", "--journal-path", "none",  //
                                     "--device", "cpu", "--models", package});
  };
  EXPECT_EQ(check().exit_code, 0) << check().out;
  fs::resize_file(folder.path("model/weights.safetensors"), 15'000'000);
  const ProgramEnd cut_short = check();
  EXPECT_EQ(cut_short.exit_code, 1);
  EXPECT_THAT(cut_short.out, HasSubstr("error models: " + package + "/weights.safetensors"));
}

}  // namespace
}  // namespace surtitle
