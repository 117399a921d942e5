#include "model/util/demand_paged_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace surtitle {

DemandPagedMemory::DemandPagedMemory(std::size_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw std::runtime_error("cannot reserve " + std::to_string(bytes >> 20) +
                             " MiB of address space for a layer's keys and values: " +
                             std::strerror(errno) + "; lower max_sentences");
  data_ = static_cast<std::byte*>(memory);
  // A transparent huge page would cost 2 MiB for the first byte of a slot.
  madvise(memory, bytes, MADV_NOHUGEPAGE);
}

DemandPagedMemory::DemandPagedMemory(DemandPagedMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

DemandPagedMemory& DemandPagedMemory::operator=(DemandPagedMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

DemandPagedMemory::~DemandPagedMemory() {
  if (data_) munmap(data_, size_);
}

void DemandPagedMemory::release(std::size_t begin, std::size_t end) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  begin = (begin + page - 1) / page * page;
  end = end / page * page;
  if (begin < end) madvise(data_ + begin, end - begin, MADV_DONTNEED);
}

}  // namespace surtitle
