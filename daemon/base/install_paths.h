// Paths of the files that are installed with the programs: pages and models.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace surtitle {

// Returns the folder `name` ("web", "model/pretrained"). Its path is relative to the running
// program, so that an installation can be moved as a whole. For a program in the build folder, the
// source tree is searched, too. Throws std::runtime_error naming the paths that were searched.
std::filesystem::path shipped_folder(const std::string& name);

// Returns the folder of a model package, given its path or the name of a shipped model. Throws
// std::runtime_error if there is neither.
std::filesystem::path model_folder(const std::string& model);

// Returns the names of all shipped models. The first one is the best, and serves streams that name
// no model; the others are sorted. Throws std::runtime_error if their folder is missing.
std::vector<std::string> shipped_models();

}  // namespace surtitle
