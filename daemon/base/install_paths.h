// Where the files that come with the programs are: the page and the models.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace surtitle {

// The folder of `name` ("web", "model/pretrained"): where it is installed, seen from the running
// program, so that all may be moved together; for a program in the build folder, in the source
// tree. Throws std::runtime_error that names the places looked at.
std::filesystem::path shipped_folder(const std::string& name);

// A model package as configured: a folder, or the name of a shipped model. Throws
// std::runtime_error.
std::filesystem::path model_folder(const std::string& model);

// Names of all shipped models, in order.
std::vector<std::string> shipped_models();

}  // namespace surtitle
