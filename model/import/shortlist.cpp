// check_shortlist(): Marian's binary shortlist.
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "model/import/readers.h"
#include "model/package/safetensors_header.h"

namespace surtitle {
namespace {

constexpr std::uint64_t kMagic = 0xF11A48D5013417F5;

// Two arrays follow: the begin of each source piece's list, and all lists, of target pieces.
struct Header {
  std::uint64_t magic;
  std::uint64_t checksum;  // of all 64-bit words that follow
  std::uint64_t first;
  std::uint64_t best;
  std::uint64_t offsets;
  std::uint64_t entries;
};

template <typename Value>
Value at(std::string_view bytes, std::uint64_t index) {
  Value value;
  std::memcpy(&value, bytes.data() + index * sizeof(value), sizeof(value));
  return value;
}

std::uint64_t checksum_of(std::string_view bytes) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < bytes.size() / sizeof(sum); ++i)
    sum ^= at<std::uint64_t>(bytes, i) + 0x9e3779b9U + (sum << 6U) + (sum >> 2U);
  return sum;
}

}  // namespace

void check_shortlist(std::string_view bytes, int source_vocabulary, int target_vocabulary,
                     const std::string& label) {
  const auto fail = [&](const std::string& what) {
    throw std::runtime_error(printable(label) + ": the shortlist " + what);
  };
  if (bytes.size() < sizeof(Header)) fail("is cut off");
  const auto header = at<Header>(bytes, 0);
  if (header.magic != kMagic) fail("is not one of Marian's binary shortlists");
  const std::string_view arrays = bytes.substr(sizeof(Header));
  if (header.offsets > arrays.size() / sizeof(std::uint64_t) ||
      header.entries !=
          (arrays.size() - header.offsets * sizeof(std::uint64_t)) / sizeof(std::uint32_t))
    fail("has another size than its header has");
  constexpr std::size_t kUnchecked = 2 * sizeof(std::uint64_t);
  if (checksum_of(bytes.substr(kUnchecked)) != header.checksum) fail("has a wrong checksum");
  if (header.offsets != static_cast<std::uint64_t>(source_vocabulary) + 1)
    fail("has " + std::to_string(header.offsets) + " offsets, expected " +
         std::to_string(source_vocabulary + 1) + ", one more than pieces");
  for (std::uint64_t i = 0; i < header.offsets; ++i) {
    if (at<std::uint64_t>(arrays, i) > header.entries) fail("has an offset beyond its end");
  }
  const auto lists = arrays.substr(header.offsets * sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < header.entries; ++i) {
    if (at<std::uint32_t>(lists, i) >= static_cast<std::uint32_t>(target_vocabulary))
      fail("has a piece that the target vocabulary lacks");
  }
}

}  // namespace surtitle
