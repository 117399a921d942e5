#include "daemon/translation/batch_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "policies/registry.h"
#include "tests/daemon/support/scripted_translator.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;
using Kind = TranslationCommand::Kind;

// Stops the loop before a step, and lets the test wait until it has stopped.
class Gate {
 public:
  void close() {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }
  void open() {
    {
      const std::lock_guard lock(mutex_);
      open_ = true;
    }
    changed_.notify_all();
  }
  void pass() {  // called by the loop
    std::unique_lock lock(mutex_);
    ++arrivals_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
  }
  void wait_for_arrival() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return arrivals_ > 0 && !open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  int arrivals_ = 0;
};

class BatchLoopTest : public ::testing::Test {
 protected:
  void start(ScriptedOptions scripted = {}, std::size_t inbox = 1000) {
    scripted.before_step = [this] { gate_.pass(); };
    BatchLoopOptions options;
    options.inbox_commands = inbox;
    options.deliver = [this](const auto& events) { collect(*events); };
    options.on_space = [this] {
      const std::lock_guard lock(mutex_);
      ++spaces_;
      changed_.notify_all();
    };
    options.report = [this](const StepReport& report) {
      const std::lock_guard lock(mutex_);
      largest_batch_ = std::max(largest_batch_, report.writes);
      written_ += report.writes;
    };
    options.on_occupancy = [this](const LoopOccupancy& fill) {
      const std::lock_guard lock(mutex_);
      fill_ = fill;
      changed_.notify_all();
    };
    loop_ = std::make_unique<BatchLoop>(
        [this, scripted] { return std::make_unique<ScriptedTranslator>(tokenizer_, scripted); },
        std::move(options));
  }

  void collect(const std::vector<TranslationEvent>& events) {
    const std::lock_guard lock(mutex_);
    for (const TranslationEvent& event : events) {
      if (event.idle) {
        idle_[event.key] = texts_[event.key];
      } else if (event.failure) {
        failures_[event.key] = *event.failure;
      } else if (event.draft) {
        std::string& draft = drafts_[event.key].emplace_back();
        for (const int token : *event.draft) {
          draft += tokenizer_->piece(token);
        }
      } else if (event.end) {
        ended_[event.key] = true;
        order_.push_back(event.key);
      } else {
        texts_[event.key] += tokenizer_->piece(event.token);
      }
    }
    changed_.notify_all();
  }

  bool submit(std::vector<TranslationCommand> commands) { return loop_->submit(commands); }

  std::vector<TranslationCommand> whole(SentenceKey key, const std::vector<std::string>& words) {
    std::vector<TranslationCommand> commands{{Kind::kOpen, key, make_policy("gma:delta=1"), {}}};
    for (const std::string& word : words) {
      commands.push_back({Kind::kRead, key, nullptr, tokenizer_->encode_word(word)});
    }
    commands.push_back({Kind::kFinish, key, nullptr, {}});
    return commands;
  }

  void wait_for(const LoopOccupancy& fill) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return fill_ == fill; });
  }

  // Lets the loop read tokens ahead, and returns the draft.
  std::string read_ahead(SentenceKey key, std::vector<int> tokens) {
    std::size_t before = 0;
    {
      const std::lock_guard lock(mutex_);
      before = drafts_[key].size();
    }
    EXPECT_TRUE(submit({{Kind::kReadAhead, key, nullptr, std::move(tokens)}}));
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return drafts_[key].size() > before; });
    return drafts_[key].back();
  }

  std::vector<int> encode(const std::vector<std::string>& words) {
    std::vector<int> tokens;
    for (const std::string& word : words) {
      const std::vector<int> more = tokenizer_->encode_word(word);
      tokens.insert(tokens.end(), more.begin(), more.end());
    }
    return tokens;
  }

  std::string text_of(SentenceKey key) {
    const std::lock_guard lock(mutex_);
    return texts_[key];
  }

  void wait_for_end(SentenceKey key) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_.contains(key) || failures_.contains(key); });
  }

  std::shared_ptr<const ScriptedTokenizer> tokenizer_ = std::make_shared<ScriptedTokenizer>();
  Gate gate_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<SentenceKey, std::string> texts_;
  std::map<SentenceKey, bool> ended_;
  std::map<SentenceKey, std::string> failures_;
  std::map<SentenceKey, std::string> idle_;  // the text written by then
  int spaces_ = 0;
  int largest_batch_ = 0;
  int written_ = 0;
  std::map<SentenceKey, std::vector<std::string>> drafts_;
  std::vector<SentenceKey> order_;  // of the ends
  LoopOccupancy fill_;
  std::unique_ptr<BatchLoop> loop_;  // last: its thread uses the others
};

TEST_F(BatchLoopTest, TranslatesManyStreamsInSharedSteps) {
  start();
  gate_.close();
  std::vector<TranslationCommand> commands;
  for (std::uint64_t stream = 1; stream <= 8; ++stream) {
    for (TranslationCommand& command : whole({stream, 0}, {"Ja", "nein."})) {
      commands.push_back(std::move(command));
    }
  }
  ASSERT_TRUE(submit(std::move(commands)));
  gate_.open();
  for (std::uint64_t stream = 1; stream <= 8; ++stream) {
    wait_for_end({stream, 0});
    EXPECT_EQ((texts_[{stream, 0}]), "▁JA▁NEIN.");
  }
  loop_.reset();
  EXPECT_EQ(largest_batch_, 8);
}

TEST_F(BatchLoopTest, SentencesWaitForASlot) {
  ScriptedOptions one;
  one.max_sentences = 1;
  start(one);
  std::vector<TranslationCommand> held = whole({1, 0}, {"Ja."});
  held.pop_back();  // not finished: keeps the slot
  ASSERT_TRUE(submit(held));
  ASSERT_TRUE(submit(whole({2, 0}, {"Zwei."})));
  ASSERT_TRUE(submit(whole({3, 0}, {"Drei."})));
  ASSERT_TRUE(submit({{Kind::kFinish, {1, 0}, nullptr, {}}}));
  wait_for_end({1, 0});
  wait_for_end({2, 0});
  wait_for_end({3, 0});
  EXPECT_EQ((texts_[{2, 0}]), "▁ZWEI.");
  EXPECT_EQ((texts_[{3, 0}]), "▁DREI.");
  EXPECT_TRUE(failures_.empty());
}

TEST_F(BatchLoopTest, ClosedSentenceFreesItsSlotOrItsPlaceInTheQueue) {
  ScriptedOptions one;
  one.max_sentences = 1;
  start(one);
  std::vector<TranslationCommand> held = whole({1, 0}, {"Ja"});
  held.pop_back();
  ASSERT_TRUE(submit(held));
  ASSERT_TRUE(submit(whole({2, 0}, {"Zwei."})));
  ASSERT_TRUE(submit(whole({3, 0}, {"Drei."})));
  loop_->close({{2, 0}, {1, 0}, {7, 7}});
  wait_for_end({3, 0});
  loop_.reset();
  EXPECT_FALSE(ended_.contains({2, 0}));
  EXPECT_FALSE(ended_.contains({1, 0}));
}

TEST_F(BatchLoopTest, ReportsItsOccupancyAlsoIfNoStepFollows) {
  ScriptedOptions one;
  one.max_sentences = 1;
  start(one);
  for (const SentenceKey key : {SentenceKey{1, 0}, SentenceKey{2, 0}}) {
    ASSERT_TRUE(submit({{Kind::kOpen, key, make_policy("full-sentence"), {}}}));
  }
  wait_for(LoopOccupancy{.open = 1, .waiting = 1});
  loop_->close({{2, 0}});
  wait_for(LoopOccupancy{.open = 1, .waiting = 0});
  loop_->close({{1, 0}});
  wait_for(LoopOccupancy{.open = 0, .waiting = 0});
}

TEST_F(BatchLoopTest, RejectedSentenceFailsAlone) {
  start();
  ASSERT_TRUE(submit(whole({1, 0}, {"xx-refuse"})));
  ASSERT_TRUE(submit(whole({2, 0}, {"Ja."})));
  wait_for_end({1, 0});
  wait_for_end({2, 0});
  EXPECT_THAT((failures_[{1, 0}]), HasSubstr("xx-refuse"));
  EXPECT_EQ((texts_[{2, 0}]), "▁JA.");
}

TEST_F(BatchLoopTest, FailedStepFailsAllOpenSentencesAndTheLoopContinues) {
  start();
  gate_.close();
  ASSERT_TRUE(submit(whole({1, 0}, {"Ja", "nein."})));
  gate_.wait_for_arrival();
  ASSERT_TRUE(submit(whole({2, 0}, {"xx-break"})));
  gate_.open();
  wait_for_end({1, 0});
  wait_for_end({2, 0});
  EXPECT_THAT((failures_[{1, 0}]), HasSubstr("xx-break"));
  EXPECT_THAT((failures_[{2, 0}]), HasSubstr("xx-break"));
  ASSERT_TRUE(submit(whole({3, 0}, {"Ja."})));
  wait_for_end({3, 0});
  EXPECT_EQ((texts_[{3, 0}]), "▁JA.");
}

TEST_F(BatchLoopTest, FullInboxRejectsAndLaterReportsSpace) {
  start({}, /*inbox=*/8);
  gate_.close();
  ASSERT_TRUE(submit(whole({1, 0}, {"Ja."})));
  gate_.wait_for_arrival();
  std::vector<TranslationCommand> fits = whole({2, 0}, {"a", "b", "c", "d"});
  EXPECT_TRUE(loop_->submit(fits));
  EXPECT_TRUE(fits.empty());
  std::vector<TranslationCommand> refused = whole({3, 0}, {"a", "b"});
  EXPECT_FALSE(loop_->submit(refused));
  EXPECT_EQ(refused.size(), 4U);
  gate_.open();
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return spaces_ == 1; });
  }
  ASSERT_TRUE(loop_->submit(refused));
  wait_for_end({2, 0});
  wait_for_end({3, 0});
}

TEST_F(BatchLoopTest, ReportsWhenNothingCanMoveWithoutMoreSource) {
  start();
  gate_.close();
  std::vector<TranslationCommand> open = whole({1, 0}, {"Ja", "nein", "doch"});
  open.pop_back();
  open.push_back({Kind::kNotifyWhenIdle, {1, 0}, nullptr, {}});
  open.push_back({Kind::kNotifyWhenIdle, {7, 7}, nullptr, {}});  // an unknown sentence is idle, too
  ASSERT_TRUE(submit(open));
  gate_.open();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return idle_.size() == 2; });
  EXPECT_EQ((idle_[{1, 0}]), "▁JA▁NEIN▁DOCH");
}

TEST_F(BatchLoopTest, TokensThatRestOnTokensAheadAreHeldUntilTheseAreCommitted) {
  start();
  const SentenceKey key{1, 0};
  ASSERT_TRUE(submit({{Kind::kOpen, key, make_policy("wait-k:k=2"), {}},
                      {Kind::kRead, key, nullptr, encode({"Ja"})}}));
  EXPECT_EQ(read_ahead(key, encode({"nein", "doch"})), "▁JA▁NEIN");
  EXPECT_EQ(text_of(key), "");
  ASSERT_TRUE(submit({{Kind::kRead, key, nullptr, encode({"nein"})}}));
  EXPECT_EQ(read_ahead(key, encode({"doch"})), "▁NEIN");
  EXPECT_EQ(text_of(key), "▁JA");
  ASSERT_TRUE(submit({{Kind::kRead, key, nullptr, encode({"doch"})}}));
  EXPECT_EQ(read_ahead(key, {}), "");
  EXPECT_EQ(text_of(key), "▁JA▁NEIN");
  loop_.reset();
  EXPECT_EQ(written_, 2) << "no token is computed twice";
}

TEST_F(BatchLoopTest, SentenceBeginsAgainIfOtherTokensAreCommitted) {
  ScriptedOptions one;
  one.max_sentences = 1;
  start(one);
  const SentenceKey key{1, 0};
  ASSERT_TRUE(submit({{Kind::kOpen, key, make_policy("wait-k:k=2"), {}},
                      {Kind::kRead, key, nullptr, encode({"Ja", "nein"})}}));
  EXPECT_EQ(read_ahead(key, encode({"doch", "so"})), "▁NEIN▁DOCH");
  ASSERT_TRUE(submit(whole({2, 0}, {"Zwei."})));  // waits for the slot
  ASSERT_TRUE(submit({{Kind::kRead, key, nullptr, encode({"gut"})}}));
  EXPECT_EQ(read_ahead(key, encode({"so"})), "▁GUT");
  EXPECT_EQ(text_of(key), "▁JA▁NEIN");
  EXPECT_EQ(text_of({2, 0}), "") << "a sentence that begins again keeps its slot";
  ASSERT_TRUE(submit({{Kind::kFinish, key, nullptr, {}}}));
  wait_for_end(key);
  wait_for_end({2, 0});
  EXPECT_EQ(text_of(key), "▁JA▁NEIN▁GUT");
  EXPECT_TRUE(failures_.empty());
}

TEST_F(BatchLoopTest, SentenceThatReadsAheadKeepsItsPlaceInTheQueue) {
  ScriptedOptions one;
  one.max_sentences = 1;
  start(one);
  std::vector<TranslationCommand> commands = whole({1, 0}, {"Eins."});
  commands.pop_back();  // not finished: keeps the slot
  ASSERT_TRUE(submit(commands));
  ASSERT_TRUE(submit(whole({2, 0}, {"Zwei."})));
  commands = whole({3, 0}, {"Drei", "vier."});
  commands.insert(commands.begin() + 2, {Kind::kReadAhead, {3, 0}, nullptr, encode({"vier."})});
  ASSERT_TRUE(submit(commands));
  ASSERT_TRUE(submit({{Kind::kFinish, {1, 0}, nullptr, {}}}));
  wait_for_end({2, 0});
  wait_for_end({3, 0});
  EXPECT_EQ(order_, (std::vector<SentenceKey>{{1, 0}, {2, 0}, {3, 0}}));
  EXPECT_EQ(text_of({3, 0}), "▁DREI▁VIER.");
}

TEST_F(BatchLoopTest, DraftOfAnUnknownSentenceIsEmpty) {
  start();
  EXPECT_EQ(read_ahead({1, 0}, encode({"Ja"})), "");
}

TEST_F(BatchLoopTest, ConstructorThrowsIfTheModelCannotBeMade) {
  const auto broken = []() -> std::unique_ptr<Translator> {
    throw std::runtime_error("weights.safetensors: truncated");
  };
  EXPECT_THAT([&] { BatchLoop(broken, {}); },
              ::testing::ThrowsMessage<std::runtime_error>(HasSubstr("truncated")));
}

TEST_F(BatchLoopTest, StopsWhileSentencesAreOpen) {
  start();
  std::vector<TranslationCommand> open = whole({1, 0}, {"Ja"});
  open.pop_back();
  ASSERT_TRUE(submit(open));
  loop_.reset();  // must return
}

}  // namespace
}  // namespace surtitle
