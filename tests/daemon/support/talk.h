// Random texts of a sender, and their translation by the scripted translator.
#pragma once

#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace surtitle {

// Returns texts of one word each. A sentence ends with a full stop.
inline std::vector<std::string> talk(std::mt19937& random, int sentences) {
  static const std::vector<std::string> kWords{"guten", "Morgen", "heute", "sprechen", "wir",
                                               "gegen", "das",    "neue",  "Haus",     "am",
                                               "See",   "und",    "einen", "langen",   "Weg"};
  std::vector<std::string> texts;
  for (int i = 0; i < sentences; ++i) {
    const std::size_t words = 1 + random() % 8;
    for (std::size_t j = 0; j < words; ++j) {
      texts.push_back(kWords[random() % kWords.size()] + (j + 1 == words ? "." : ""));
    }
  }
  return texts;
}

inline std::string source_of(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    all.append(all.empty() ? "" : " ").append(text);
  }
  return all;
}

inline std::map<int, std::string> translation_of(const std::vector<std::string>& texts) {
  std::map<int, std::string> sentences;
  int number = 0;
  for (const std::string& text : texts) {
    std::string& sentence = sentences[number];
    sentence += sentence.empty() ? "" : " ";
    for (const char c : text) {
      sentence += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    number += text.ends_with('.') ? 1 : 0;
  }
  return sentences;
}

}  // namespace surtitle
