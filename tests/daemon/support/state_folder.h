// A folder for a journal that several daemons use, one after the other.
#pragma once

#include <string>

#include "tests/temporary_folder.h"

namespace surtitle {

class StateFolder : public TemporaryFolder {
 public:
  std::string journal() const { return path("journal.sqlite"); }
};

}  // namespace surtitle
