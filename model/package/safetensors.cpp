#include "model/package/safetensors.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cstring>
#include <set>
#include <stdexcept>
#include <system_error>

#include "model/package/safetensors_header.h"
#include "model/util/atomic_file.h"

namespace surtitle {
namespace {

using std::filesystem::path;

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeader = 100'000'000;  // the format's own limit

[[noreturn]] void fail_with_errno(const path& file) {
  throw std::runtime_error(file.string() +
                           ": cannot be read: " + std::generic_category().message(errno));
}

// A whole file, mapped read-only.
class Mapping {
 public:
  explicit Mapping(const path& file) {
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) fail_with_errno(file);
    struct stat status {};
    const bool known = fstat(descriptor, &status) == 0;
    if (known && S_ISREG(status.st_mode) && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    }
    const int reason = errno;
    close(descriptor);
    errno = reason;
    if (!known || data_ == MAP_FAILED) fail_with_errno(file);
    if (!S_ISREG(status.st_mode)) throw std::runtime_error(file.string() + ": not a regular file");
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (data_ != nullptr) munmap(data_, size_);
  }

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

std::string kind_text(const TensorView& tensor) {
  return std::string(to_string(tensor.dtype)) + " " + shape_text(tensor.shape);
}

// Returns the order in which tensors are written: the widest elements first, so that every tensor
// is aligned.
std::vector<const TensorView*> in_data_order(std::span<const TensorView> tensors) {
  std::vector<const TensorView*> order;
  order.reserve(tensors.size());
  for (const TensorView& tensor : tensors) order.push_back(&tensor);
  std::stable_sort(order.begin(), order.end(), [](const TensorView* a, const TensorView* b) {
    return byte_size(a->dtype) > byte_size(b->dtype);
  });
  return order;
}

void check_writable(const path& file, std::span<const TensorView> tensors) {
  std::set<std::string_view> names = {"__metadata__"};
  for (const TensorView& tensor : tensors) {
    if (!names.insert(tensor.name).second) {
      throw std::runtime_error(
          tensor_error(file, tensor.name, "the name twice", "every name once"));
    }
    const auto size = tensor_size(tensor.dtype, tensor.shape);
    if (!size || *size != tensor.data.size()) {
      throw std::runtime_error(tensor_error(file, tensor.name,
                                            std::to_string(tensor.data.size()) + " bytes",
                                            "as many as " + kind_text(tensor) + " has"));
    }
  }
}

std::string header_text(std::span<const TensorView* const> tensors,
                        const std::map<std::string, std::string>& metadata) {
  boost::json::object header;
  if (!metadata.empty()) {
    boost::json::object& pairs = header["__metadata__"].emplace_object();
    for (const auto& [key, value] : metadata) pairs[key] = value;
  }
  std::uint64_t at = 0;
  for (const TensorView* tensor : tensors) {
    boost::json::object& entry = header[tensor->name].emplace_object();
    entry["dtype"] = std::string(to_string(tensor->dtype));
    entry["shape"] = boost::json::array(tensor->shape.begin(), tensor->shape.end());
    entry["data_offsets"] = boost::json::array{at, at + tensor->data.size()};
    at += tensor->data.size();
  }
  std::string text = boost::json::serialize(header);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // the data begins aligned
  return text;
}

}  // namespace

std::size_t byte_size(DType dtype) noexcept {
  switch (dtype) {
    case DType::kF64:
    case DType::kI64:
      return 8;
    case DType::kF32:
    case DType::kI32:
      return 4;
    case DType::kF16:
    case DType::kBF16:
      return 2;
    case DType::kI8:
    case DType::kU8:
      return 1;
  }
  return 0;
}

std::string_view to_string(DType dtype) noexcept {
  switch (dtype) {
    case DType::kF32:
      return "F32";
    case DType::kF16:
      return "F16";
    case DType::kBF16:
      return "BF16";
    case DType::kF64:
      return "F64";
    case DType::kI64:
      return "I64";
    case DType::kI32:
      return "I32";
    case DType::kI8:
      return "I8";
    case DType::kU8:
      return "U8";
  }
  return "";
}

struct SafetensorsFile::State {
  explicit State(const std::filesystem::path& name) : file(name), mapping(name) {}

  std::filesystem::path file;
  Mapping mapping;
  std::map<std::string, std::string> metadata;
  std::vector<TensorView> tensors;
  std::map<std::string_view, const TensorView*> by_name;
};

SafetensorsFile::SafetensorsFile(const std::filesystem::path& file)
    : state_(std::make_unique<State>(file)) {
  const std::span<const std::byte> bytes = state_->mapping.bytes();
  std::uint64_t length = 0;
  if (bytes.size() < kLengthBytes) {
    throw std::runtime_error(file.string() + ": found " + std::to_string(bytes.size()) +
                             " bytes, expected at least the 8 of a header's length");
  }
  std::memcpy(&length, bytes.data(), kLengthBytes);
  const std::uint64_t most = std::min<std::uint64_t>(bytes.size() - kLengthBytes, kMaxHeader);
  if (length > most) {
    throw std::runtime_error(file.string() + ": found a header length of " +
                             std::to_string(length) + " bytes, expected at most " +
                             std::to_string(most));
  }
  const auto header_bytes = bytes.subspan(kLengthBytes, length);
  const auto data = bytes.subspan(kLengthBytes + length);
  const std::string_view json(reinterpret_cast<const char*>(header_bytes.data()), length);
  SafetensorsHeader header = parse_safetensors_header(json, data.size(), file);
  state_->metadata = std::move(header.metadata);
  state_->tensors.reserve(header.entries.size());  // by_name points into it
  for (HeaderEntry& entry : header.entries) {
    state_->tensors.push_back({std::move(entry.name), entry.dtype, std::move(entry.shape),
                               data.subspan(entry.begin, entry.end - entry.begin)});
    state_->by_name.emplace(state_->tensors.back().name, &state_->tensors.back());
  }
}

SafetensorsFile::SafetensorsFile(SafetensorsFile&&) noexcept = default;
SafetensorsFile& SafetensorsFile::operator=(SafetensorsFile&&) noexcept = default;
SafetensorsFile::~SafetensorsFile() = default;

const std::filesystem::path& SafetensorsFile::path() const noexcept { return state_->file; }

const std::map<std::string, std::string>& SafetensorsFile::metadata() const noexcept {
  return state_->metadata;
}

const std::vector<TensorView>& SafetensorsFile::tensors() const noexcept { return state_->tensors; }

const TensorView* SafetensorsFile::find(std::string_view name) const noexcept {
  const auto found = state_->by_name.find(name);
  return found == state_->by_name.end() ? nullptr : found->second;
}

void write_safetensors(const std::filesystem::path& file, std::span<const TensorView> tensors,
                       const std::map<std::string, std::string>& metadata) {
  check_writable(file, tensors);
  const std::vector<const TensorView*> order = in_data_order(tensors);
  const std::string header = header_text(order, metadata);
  const std::uint64_t length = header.size();
  AtomicFile output(file);
  output.write(std::as_bytes(std::span(&length, 1)));
  output.write(header);
  for (const TensorView* tensor : order) output.write(tensor->data);
  output.commit();
}

}  // namespace surtitle
