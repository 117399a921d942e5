// Describes a model package or a .safetensors file, for `surtitle inspect`.
#pragma once

#include <filesystem>
#include <string>

namespace surtitle {

enum class InspectionFormat { kText, kJson };

// Describes a package (a folder, opened with all checks of open_package()) or the tensors of a
// file. Throws std::runtime_error as open_package() and SafetensorsFile do. The JSON is:
//
//   package: {"name", "source_language", "target_language", "other_target_languages": [..],
//             "architecture": {..}, "vocabulary", "policies": [..], "default_policy",
//             "alignment_heads": [[LAYER, HEAD]..], "source_forms": [..], "trained_words",
//             "training_data", "licence", "origin", "parameters", "bytes",
//             "dtypes": {"BF16": parameters}, "parts": [{"name", "parameters", "bytes"}],
//             "ignored_tensors"}
//   file:    {"file", "metadata": {..}, "tensors": [{"name", "dtype", "shape", "bytes"}]}
//
// Thread-safety: may be called from any thread.
std::string inspect(const std::filesystem::path& package_or_file, InspectionFormat format);

}  // namespace surtitle
