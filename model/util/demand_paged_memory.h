// Zeros whose pages the system hands out when they are first written, so that room for the longest
// sentence of every slot costs what is used of it.
#pragma once

#include <cstddef>

namespace surtitle {

class DemandPagedMemory {
 public:
  DemandPagedMemory() = default;
  // Throws std::runtime_error where there is not so much address space.
  explicit DemandPagedMemory(std::size_t bytes);
  DemandPagedMemory(DemandPagedMemory&& other) noexcept;
  DemandPagedMemory& operator=(DemandPagedMemory&& other) noexcept;
  ~DemandPagedMemory();

  std::byte* data() const { return data_; }
  // Gives the whole pages of [begin, end) back; they are zeros again.
  void release(std::size_t begin, std::size_t end);

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace surtitle
