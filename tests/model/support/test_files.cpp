#include "tests/model/support/test_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace surtitle {

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(stream), {});
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  return text;
}

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw std::runtime_error("cannot write " + file.string());
}

std::vector<std::string> read_lines(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::filesystem::path> test_texts() {
  const std::filesystem::path folder =
      std::filesystem::path(SURTITLE_SOURCE_DIR) / "tests/data/de-en";
  return {folder / "tatoeba.test.de", folder / "tatoeba.test.en", folder / "europarl.test.de",
          folder / "europarl.test.en"};
}

std::vector<std::string> test_lines() {
  std::vector<std::string> lines;
  for (const auto& file : test_texts()) {
    const auto of_file = read_lines(file);
    lines.insert(lines.end(), of_file.begin(), of_file.end());
  }
  return lines;
}

const std::filesystem::path& test_tokenizer_file() {
  static const TemporaryFolder folder;
  static const std::filesystem::path file = [] {
    std::filesystem::path model = folder.path() / "sentencepiece.model";
    train_tokenizer(test_lines(), kTestVocabulary, model);
    return model;
  }();
  return file;
}

std::shared_ptr<const Tokenizer> test_tokenizer() {
  static const std::shared_ptr<const Tokenizer> tokenizer = load_tokenizer(test_tokenizer_file());
  return tokenizer;
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << "not one line: " << text;
    return text;
  }
  ADD_FAILURE() << "no exception was thrown";
  return "";
}

}  // namespace surtitle
