// Sharing work among the CPU's threads.
#pragma once

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>

namespace surtitle {

// Calls work(begin, end) for pieces that together are [0, count), on as many threads as pay:
// an item costs `multiplications`, and a piece at least so many that waking a thread is worth it.
template <typename Work>
void share_work(std::int64_t count, std::int64_t multiplications, const Work& work) {
  constexpr std::int64_t kPiece = 1 << 20;
  at::parallel_for(0, count, kPiece / std::max<std::int64_t>(multiplications, 1) + 1, work);
}

}  // namespace surtitle
