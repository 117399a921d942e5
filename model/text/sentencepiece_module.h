// C interface of the module that links sentencepiece.
//
// sentencepiece and LibTorch each contain a protobuf and crash in one symbol space. So this module
// is opened with dlopen (model/text/sentencepiece_loader.cpp), and only the table below crosses the
// boundary: plain C types, no exception, no memory to be freed by the other side. A function that
// fails returns false (or nullptr) and writes one zero-terminated sentence to `error`, truncated to
// its size.
//
// Thread-safety: a Model is immutable; any number of threads may use one, also during a training.
#pragma once

#include <array>
#include <cstddef>

namespace surtitle::sentencepiece_module {

// Counts incompatible changes of the table.
inline constexpr int kVersion = 3;

struct Model;  // opaque

struct Error {
  std::array<char, 512> text;
};

struct Bytes {
  const char* data;
  std::size_t size;
};

struct Training {
  const Bytes* sentences;  // UTF-8, one sentence each
  std::size_t sentence_count;
  int vocabulary_size;
  int bos, pad, eos, unk;           // ids of the special tokens
  const char* normalisation_rules;  // path of a TSV file in sentencepiece's format
  const char* required_characters;  // UTF-8: each is in the vocabulary
  // Called once with the model, which is valid during the call.
  void (*receive)(void* context, Bytes model) noexcept;
  void* context;
};

struct Functions {
  int version;

  Model* (*open)(Bytes serialised, Error* error);
  void (*close)(Model* model);

  int (*size)(const Model* model);

  // Returns the text of `token`, valid until the model is closed; empty for control and unused
  // tokens. REQUIRES: 0 <= token < size.
  Bytes (*piece)(const Model* model, int token);

  // Writes at most `capacity` ids and returns how many there are; if more than `capacity`, call
  // again. Returns -1 on failure.
  std::ptrdiff_t (*encode)(const Model* model, Bytes word, int* ids, std::size_t capacity);

  // Calls `receive` with each piece of `word`, in their order. The piece of unknown characters is
  // these characters. Returns false on failure.
  bool (*segment)(const Model* model, Bytes word,
                  void (*receive)(void* context, Bytes piece) noexcept, void* context);

  // Returns the id of the end of sentence, or a negative number if there is none.
  int (*end_of_sentence)(const Model* model);

  bool (*train)(const Training* training, Error* error);
};

// The module's one exported symbol, of type `const Functions* (*)()`.
inline constexpr const char* kEntry = "surtitle_sentencepiece_functions";

}  // namespace surtitle::sentencepiece_module
