// Where the files that come with the programs are: the page and the models.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace surtitle {

// The folder of `name` ("web", "model/pretrained") beside the executable's own: installed under
// ../share/surtitle, else in the source tree that it was built from. Throws std::runtime_error that
// names the places looked at.
std::filesystem::path shipped_folder(const std::string& name);

// A model package as configured: a folder, or the name of a shipped model. Throws
// std::runtime_error.
std::filesystem::path model_folder(const std::string& model);

// Names of all shipped models, in order.
std::vector<std::string> shipped_models();

}  // namespace surtitle
