// Readers of the files in which Marian's models are published.
//
// The files are not trusted: every size and offset is checked before it is used, and nothing of a
// pickle is executed. All functions throw std::runtime_error of one line that names `label`.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "model/import/model_files.h"
#include "model/import/tensor_file.h"

namespace surtitle {

// Larger files are rejected.
inline constexpr std::uint64_t kMaxModelBytes = std::uint64_t{8} << 30U;
inline constexpr std::uint64_t kMaxTextBytes = std::uint64_t{64} << 20U;

// A checkpoint of Marian: tensors, and the settings with which it was trained, as YAML.
struct MarianCheckpoint {
  std::unique_ptr<TensorFile> tensors;
  std::string settings;
};

// Reads an NPZ archive with `special:model.yml`. It keeps `archive`.
MarianCheckpoint read_marian_npz(std::shared_ptr<const ModelFiles> archive);

// Reads Marian's binary format with numbers in float32 or intgemm's 8 bits.
MarianCheckpoint read_marian_binary(std::string bytes, const std::string& label);

std::unique_ptr<TensorFile> read_safetensors(const std::filesystem::path& file);

// Reads a dictionary of tensors that torch.save() wrote, in its zip format or in that before
// PyTorch 1.6.
std::unique_ptr<TensorFile> read_pytorch(std::string bytes, const std::string& label);

// Checks a lexical shortlist, lex.*.s2t.bin. Its use is not supported, and not needed.
void check_shortlist(std::string_view bytes, int source_vocabulary, int target_vocabulary,
                     const std::string& label);

}  // namespace surtitle
