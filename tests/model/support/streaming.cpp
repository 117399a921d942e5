#include "tests/model/support/streaming.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "model/text/tokenizer.h"
#include "model/text/words.h"

namespace surtitle {

std::vector<Streamed> stream(Engine& engine, const std::vector<std::vector<int>>& sources,
                             const PolicyPtr& policy, std::size_t at_once, std::mt19937& random,
                             int target) {
  struct Open {
    SentenceId id;
    std::size_t index;
    std::size_t sent = 0;
    bool finished = false;
  };
  std::vector<Streamed> result(sources.size());
  std::vector<Open> open;
  std::vector<Write> writes;
  std::size_t next = 0;
  while (next < sources.size() || !open.empty()) {
    while (open.size() < at_once && next < sources.size()) {
      open.push_back({*engine.open(policy), next++});
      engine.translate_into(open.back().id, target);
    }
    for (auto& one : open) {
      const auto& source = sources[one.index];
      for (auto tokens = random() % 3; tokens > 0 && one.sent < source.size(); --tokens)
        engine.read(one.id, std::span(&source[one.sent++], 1));
      if (one.sent == source.size() && !one.finished && random() % 2 == 0) {
        engine.finish(one.id);
        one.finished = true;
      }
    }
    writes.clear();
    engine.tick(writes);
    for (const auto& write : writes) {
      const auto one = std::find_if(open.begin(), open.end(),
                                    [&](const Open& it) { return it.id == write.sentence; });
      auto& streamed = result[one->index];
      streamed.reads.push_back(write.read);
      if (!write.end) {
        streamed.target.push_back(write.token);
        continue;
      }
      streamed.source.assign(sources[one->index].begin(), sources[one->index].end());
      streamed.source.push_back(kEndOfSentence);
      engine.close(write.sentence);
      open.erase(one);
    }
  }
  return result;
}

std::vector<std::vector<int>> test_sentences(const Tokenizer& tokenizer) {
  std::vector<std::vector<int>> sentences;
  for (const char* name : {"tatoeba.test.de", "europarl.test.de"}) {
    std::ifstream file(std::filesystem::path(SURTITLE_SOURCE_DIR) / "tests/data/de-en" / name);
    for (std::string line; std::getline(file, line);) {
      auto& tokens = sentences.emplace_back();
      for (const auto word : split_words(line)) {
        const auto pieces = tokenizer.encode_word(word);
        tokens.insert(tokens.end(), pieces.begin(), pieces.end());
      }
    }
  }
  return sentences;
}

}  // namespace surtitle
