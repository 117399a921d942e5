// Zeroed memory whose pages the system allocates at their first write.
//
// A cache can reserve the room of the longest sentence in every slot; only the pages in use cost
// memory.
// Thread-safety: none; one owner, but threads may write different bytes.
#pragma once

#include <cstddef>

namespace surtitle {

class DemandPagedMemory {
 public:
  DemandPagedMemory() = default;
  // Throws std::runtime_error if the address space does not suffice.
  explicit DemandPagedMemory(std::size_t bytes);
  DemandPagedMemory(DemandPagedMemory&& other) noexcept;
  DemandPagedMemory& operator=(DemandPagedMemory&& other) noexcept;
  ~DemandPagedMemory();

  std::byte* data() const { return data_; }
  // Releases the whole pages of [begin, end) to the system; they read as zeros afterwards.
  void release(std::size_t begin, std::size_t end);

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace surtitle
