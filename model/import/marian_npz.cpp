// read_marian_npz(): a zip archive with a file NAME.npy for each array.
#include <charconv>
#include <cstring>
#include <stdexcept>

#include "model/import/readers.h"
#include "model/package/safetensors_header.h"

namespace surtitle {
namespace {

constexpr std::string_view kExtension = ".npy";
constexpr std::string_view kSettings = "special:model.yml";

// A NumPy array as NumPy writes it to a file.
struct Array {
  char kind = 0;  // 'f': floats, 'i' or 'u': integers
  std::size_t size_of_number = 0;
  Shape shape;
  std::string_view data;
};

class ArrayParser {
 public:
  ArrayParser(std::string_view bytes, const std::string& label) : bytes_(bytes), label_(label) {}

  Array parse() {
    constexpr std::string_view kMagic = "\x93NUMPY";
    constexpr std::size_t kVersion = kMagic.size();
    if (!bytes_.starts_with(kMagic) || bytes_.size() < kVersion + 6) fail("is not a NumPy array");
    const bool first_version = bytes_[kVersion] == 1;
    const std::size_t length_size = first_version ? 2 : 4;
    std::uint32_t length = 0;
    std::memcpy(&length, bytes_.data() + kVersion + 2, length_size);
    const std::size_t begin = kVersion + 2 + length_size;
    if (length > bytes_.size() - begin) fail("is cut off");
    header_ = bytes_.substr(begin, length);
    Array array;
    array.data = bytes_.substr(begin + length);
    read_type(array);
    if (value_of("fortran_order").starts_with("True")) fail("is in Fortran's order");
    read_shape(array);
    const std::uint64_t count = element_count(array.shape, label_);
    if (count * array.size_of_number != array.data.size())
      fail("has " + std::to_string(array.data.size()) + " bytes, expected " +
           std::to_string(count * array.size_of_number));
    return array;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(printable(label_) + ": the array " + what);
  }
  std::string_view value_of(std::string_view key) const {
    const auto at = header_.find("'" + std::string(key) + "':");
    if (at == std::string_view::npos) fail("has no " + std::string(key));
    std::string_view value = header_.substr(at + key.size() + 3);
    while (value.starts_with(' ')) value.remove_prefix(1);
    return value;
  }
  void read_type(Array& array) const {
    const std::string_view value = value_of("descr");
    const std::string_view type = value.substr(0, 5);  // '<f4'
    if (type.size() < 5 || type[0] != '\'' || type[4] != '\'' || (type[1] != '<' && type[1] != '|'))
      fail("has a type that is not supported: " + printable(type));
    array.kind = type[2];
    array.size_of_number = static_cast<std::size_t>(type[3] - '0');
    const bool floats = array.kind == 'f' && (type[3] == '2' || type[3] == '4' || type[3] == '8');
    const bool bytes = (array.kind == 'i' || array.kind == 'u') && type[3] == '1';
    if (!floats && !bytes) fail("has a type that is not supported: " + printable(type));
  }
  void read_shape(Array& array) const {
    std::string_view value = value_of("shape");
    if (!value.starts_with('(')) fail("has no shape");
    value.remove_prefix(1);
    while (true) {
      while (value.starts_with(' ') || value.starts_with(',')) value.remove_prefix(1);
      if (value.starts_with(')')) return;
      std::int64_t dimension = 0;
      const auto result = std::from_chars(value.data(), value.data() + value.size(), dimension);
      if (result.ec != std::errc{} || array.shape.size() == 8) fail("has no shape");
      array.shape.push_back(dimension);
      value.remove_prefix(static_cast<std::size_t>(result.ptr - value.data()));
    }
  }

  std::string_view bytes_;
  const std::string& label_;
  std::string_view header_;
};

class Npz final : public TensorFile {
 public:
  explicit Npz(std::shared_ptr<const ModelFiles> archive)
      : TensorFile(archive->label()), archive_(std::move(archive)) {
    for (const std::string& file : archive_->names()) {
      if (!file.ends_with(kExtension)) continue;
      const std::string name = file.substr(0, file.size() - kExtension.size());
      if (name.starts_with("special:")) continue;
      const std::string bytes = archive_->read(file, kMaxModelBytes);
      shapes_[name] = ArrayParser(bytes, archive_->describe(file)).parse().shape;
    }
  }

  std::vector<float> read(const std::string& name) const override {
    const std::string file = name + std::string(kExtension);
    const std::string bytes = archive_->read(file, kMaxModelBytes);
    const Array array = ArrayParser(bytes, archive_->describe(file)).parse();
    if (array.kind != 'f')
      throw std::runtime_error(tensor_error(label(), name, "integers", "floating point"));
    return ieee_values(array.data, array.size_of_number);
  }

 private:
  std::shared_ptr<const ModelFiles> archive_;
};

}  // namespace

MarianCheckpoint read_marian_npz(std::shared_ptr<const ModelFiles> archive) {
  const std::string file = std::string(kSettings) + std::string(kExtension);
  if (!archive->has(file))
    throw std::runtime_error(printable(archive->label()) +
                             ": has no 'special:model.yml', expected a model of Marian");
  const std::string bytes = archive->read(file, kMaxTextBytes);
  const Array array = ArrayParser(bytes, archive->describe(file)).parse();
  std::string settings(array.data.substr(0, array.data.find('\0')));
  return {std::make_unique<Npz>(std::move(archive)), std::move(settings)};
}

}  // namespace surtitle
