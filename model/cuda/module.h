// C interface of the module that links CUDA.
//
// It is opened with dlopen (model/cuda/cuda_loader.h), so that the programs start and run on
// machines without CUDA. Only the table below crosses the boundary: plain C types, no exception, no
// memory to be freed by the other side. A function that fails returns false (or nullptr) and writes
// one zero-terminated sentence to `error`, truncated to its size.
//
// Thread-safety: one thread at a time for each Session.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace surtitle::cuda_module {

// Counts incompatible changes of the table.
inline constexpr int kVersion = 3;

// Channels of an attention head: a multiple of kHeadStep, up to kMaxHead; see
// model/cuda/cuda_weights.h.
inline constexpr int kHeadStep = 8;
inline constexpr int kMaxHead = 128;

struct Session;  // opaque: a model and the caches of its sentences on a device

struct Error {
  std::array<char, 512> text;
};

// Weights in float32, row-major, read during the call only.
struct Values {
  const float* data;  // nullptr if the model has none
  std::int64_t count;
};
struct Norm {
  Values gain;
  Values bias;
};
struct Linear {
  Values weight;  // [outputs, inputs]
  Values bias;    // [outputs]
};

// C: the model's width; W: the attention's, heads times channels of a padded head.
struct Layer {
  Norm self_norm;
  Linear self_in;   // [3W, C]: scaled query, key, value
  Linear self_out;  // [C, W]
  Norm cross_norm;  // cross_*: of decoder layers
  Linear cross_in;  // [W, C]: scaled query; for GMA [W + C, C], with query wp
  Values vp;        // [C], GMA
  Linear cross_out;
  Norm ffn_norm;
  Linear fc1;
  Linear fc2;
};

struct Model {
  int width;
  int heads;
  int head;  // channels of one
  int ffn;
  int encoder_layers;
  int decoder_layers;
  int source_vocabulary;
  int target_vocabulary;
  bool pre_norm;
  bool gma;
  const Layer* encoder;  // by layer
  const Layer* decoder;
  Linear cross_key_value;  // [decoder layers 2W, C]: keys and values of each
  Norm encoder_norm;       // pre-norm models
  Norm decoder_norm;
  Values source_table;  // [vocabulary, C], not scaled; nullptr: the target's
  Values target_table;
  Values output;     // [vocabulary, C]; nullptr: the target's table
  Values sinusoids;  // [positions, C]
};

struct Options {
  int slots;             // the number requested, limited to half of the free memory
  int source_positions;  // of the longest sentence
  int target_positions;
  bool half;  // 16-bit weights and caches; false: float32
};

struct EncodeRow {
  int slot;
  int position;
  int token;
};

// Tokens that a row must not choose.
inline constexpr int kMaxBanned = 4;

struct DecodeRow {
  int slot;
  int target_index;
  int previous;
  int encoded;
  int min_visible;  // includes the policy's count if that ignores alignment
  int max_visible;
  float alignment_offset;              // Policy::alignment_offset(), or minus infinity if nullopt
  int advance;                         // whether the slot's step before this one is complete
  std::array<int, kMaxBanned> banned;  // -1: none
};

struct Outcome {
  int token;
  int visible;
  int required_source;
};

struct Functions {
  int version;

  // Writes the first device's name to `name`; fails if no device is usable.
  bool (*find)(char* name, std::size_t capacity, Error* error);

  Session* (*open)(const Model* model, const Options* options, Error* error);
  void (*close)(Session* session);
  int (*slots)(const Session* session);

  // As Inference::encode() and decode(). encode() returns before its work is done.
  bool (*encode)(Session* session, const EncodeRow* rows, std::size_t count, Error* error);
  bool (*decode)(Session* session, const DecodeRow* rows, Outcome* outcomes, std::size_t count,
                 Error* error);
  // Waits until all work is done.
  bool (*wait)(Session* session, Error* error);

  // Measures copying within the device's memory, in bytes a second, read and written together.
  bool (*copy_rate)(double* bytes_per_second, Error* error);
};

// The module's one exported symbol, of type `const Functions* (*)()`.
inline constexpr const char* kEntry = "surtitle_cuda_functions";

}  // namespace surtitle::cuda_module

extern "C" __attribute__((visibility("default"))) const surtitle::cuda_module::Functions*
surtitle_cuda_functions();
