// A disk that lost a part of the journal.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

#include "tests/daemon/support/journal_lock.h"

namespace surtitle {

// Writes over the page of the file that the table is found by. REQUIRES: nobody has the file open.
inline void damage_table(const std::string& file, const std::string& table) {
  std::int64_t page = 0;
  std::int64_t size = 0;
  {
    JournalLock somebody(file);  // leaves nothing in the file beside it
    page = somebody.number("SELECT rootpage FROM sqlite_master WHERE name = '" + table + "'");
    size = somebody.number("PRAGMA page_size");
  }
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp((page - 1) * size);
  bytes << std::string(static_cast<std::size_t>(size), 'x');
}

// What a daemon or `surtitle journal` says of it behind "FILE: ".
inline constexpr const char* kDamaged =
    "database disk image is malformed; to begin a new journal, stop the daemon and move the file "
    "and its -wal file away; 'surtitle journal check' and 'surtitle journal export' read what is "
    "left";

}  // namespace surtitle
