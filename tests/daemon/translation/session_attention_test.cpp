// The attention messages of a session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "tests/daemon/support/scripted_stream.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

void request_attention(ScriptedStream& stream) {
  TrackSetting setting = stream.setting("gma:delta=1");
  setting.attention = true;
  stream.configure(0, setting);
}

std::vector<std::string> texts(const ScriptedStream& stream) {
  std::vector<std::string> list;
  for (const protocol::Write& write : stream.all<protocol::Write>()) {
    list.push_back(write.text + " " + std::to_string(write.read));
  }
  return list;
}

// Returns the type and the step of a message: "write 0.1" is of sentence 0, token 1.
std::string step_of(const protocol::ServerMessage& message) {
  const auto name = [](const std::string& type, const auto& of) {
    return type + " " + std::to_string(of.sentence) + "." + std::to_string(of.index);
  };
  if (const auto* write = std::get_if<protocol::Write>(&message)) {
    return name("write", *write);
  }
  const auto* attention = std::get_if<protocol::Attention>(&message);
  return attention != nullptr ? name("attention", *attention) : "";
}

TEST(SessionAttention, FollowsEachWriteAndTheEndInSentenceOrder) {
  ScriptedStream stream;
  request_attention(stream);
  stream.source("Ja. Gut. Nein.");
  stream.run();
  std::vector<std::string> steps;
  for (const Outgoing& outgoing : stream.outgoing()) {
    const std::string step = step_of(outgoing.message);
    if (!step.empty()) {
      steps.push_back(step);
      EXPECT_EQ(outgoing.audience, Audience::kBoth);
    }
  }
  EXPECT_THAT(steps, ElementsAre("write 0.0", "attention 0.0", "attention 0.1",  //
                                 "write 1.0", "attention 1.0", "attention 1.1",  //
                                 "write 2.0", "attention 2.0", "write 2.1", "attention 2.1",
                                 "attention 2.2"));
}

TEST(SessionAttention, HasEachSourceTokenOnceAndTheWeightsOfEachLayer) {
  ScriptedStream stream;
  request_attention(stream);
  stream.source("Guten Tag");
  stream.run();
  stream.source("Leute.");
  stream.run();
  std::vector<std::string> source;
  for (const protocol::Attention& attention : stream.all<protocol::Attention>()) {
    EXPECT_EQ(attention.source_from, static_cast<int>(source.size())) << attention.index;
    source.insert(source.end(), attention.source.begin(), attention.source.end());
    const bool end = attention.target == "</s>";
    EXPECT_EQ(end, attention.index == 5);
    ASSERT_EQ(attention.layers.size(), 2U);
    EXPECT_EQ(attention.layers[0].positions,
              std::vector<float>{static_cast<float>(attention.index)});
    EXPECT_EQ(attention.layers[0].weights.size(), static_cast<std::size_t>(attention.read));
    EXPECT_EQ(attention.layers[0].weights[static_cast<std::size_t>(attention.index)], 1);
    EXPECT_THAT(attention.layers[1].positions, IsEmpty());
  }
  EXPECT_THAT(source, ElementsAre("\u2581Gute", "n", "\u2581Tag", "\u2581Leut", "e.", "</s>"));
  EXPECT_EQ(stream.all<protocol::Attention>()[2].target, "\u2581TAG");
}

TEST(SessionAttention, IsNotSentUnlessRequested) {
  ScriptedStream stream;
  stream.source("Guten Tag.");
  stream.run();
  EXPECT_THAT(stream.all<protocol::Attention>(), IsEmpty());
  ScriptedStream asked;
  request_attention(asked);
  asked.source("Guten Tag.");
  asked.run();
  EXPECT_EQ(texts(asked), texts(stream));
}

}  // namespace
}  // namespace surtitle
