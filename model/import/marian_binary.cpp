// read_marian_binary(): Marian's binary format, version 1.
//
// The file has a version, a number of items, a header for each item, all names, all shapes, padding
// to 256 bytes, and the items' data. Matrices in intgemm's 8 bits are stored transposed under
// their own shape, embeddings as they are. A multiplier in float32 follows the bytes: a number is
// its byte divided by the multiplier.
#include <cstring>
#include <stdexcept>

#include "model/import/readers.h"
#include "model/package/safetensors_header.h"

namespace surtitle {
namespace {

// Marian's numbers of types.
enum class Type : std::uint64_t {
  kInt8 = 0x101,
  kInt16 = 0x102,
  kInt32 = 0x104,
  kFloat16 = 0x402,
  kFloat32 = 0x404,
  kFloat64 = 0x408,
  kPacked16 = 0x802,
  kPacked8Avx2 = 0x1801,
  kPacked8Avx512 = 0x2801,
  kIntgemm8 = 0x4101,
  kIntgemm16 = 0x4102,
};

std::string name_of(Type type) {
  switch (type) {
    case Type::kInt16:
      return "int16";
    case Type::kInt32:
      return "int32";
    case Type::kPacked16:
    case Type::kPacked8Avx2:
    case Type::kPacked8Avx512:
      return "FBGEMM's packed matrix";
    case Type::kIntgemm16:
      return "intgemm16";
    default:
      return "type " + std::to_string(static_cast<std::uint64_t>(type));
  }
}

struct Item {
  Type type = Type::kFloat32;
  std::uint64_t elements = 0;
  std::string_view data;
};

struct Header {
  std::uint64_t name_length;
  std::uint64_t type;
  std::uint64_t shape_length;
  std::uint64_t data_length;
};

// Reads a file from its beginning to its end.
class Cursor {
 public:
  Cursor(std::string_view rest, const std::string& label) : rest_(rest), label_(label) {}

  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) throw std::runtime_error(printable(label_) + ": is cut off");
    const auto part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return part;
  }
  template <typename Value>
  Value take() {
    Value value;
    std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
    return value;
  }
  // Returns `count` values. They are allocated only if the file has them.
  template <typename Value>
  std::vector<Value> take_values(std::uint64_t count) {
    if (count > rest_.size() / sizeof(Value))
      throw std::runtime_error(printable(label_) + ": is cut off");
    std::vector<Value> values(count);
    const auto part = take(count * sizeof(Value));
    if (count > 0) std::memcpy(values.data(), part.data(), part.size());
    return values;
  }

 private:
  std::string_view rest_;
  const std::string& label_;
};

float multiplier_of(const Item& item) {
  float multiplier = 0;
  std::memcpy(&multiplier, item.data.data() + item.elements, sizeof(multiplier));
  return multiplier;
}

class MarianBinary final : public TensorFile {
 public:
  MarianBinary(std::string bytes, const std::string& label)
      : TensorFile(label), bytes_(std::move(bytes)) {
    Cursor cursor(bytes_, this->label());
    const auto version = cursor.take<std::uint64_t>();
    if (version != 1)
      throw std::runtime_error(printable(label) + ": found version " + std::to_string(version) +
                               " of Marian's binary format, expected 1");
    const auto headers = cursor.take_values<Header>(cursor.take<std::uint64_t>());
    std::vector<std::string> names;
    for (const Header& header : headers) {
      std::string_view name = cursor.take(header.name_length);
      names.emplace_back(name.substr(0, name.find('\0')));
    }
    std::vector<Shape> shapes;
    for (const Header& header : headers) {
      const auto shape = cursor.take_values<std::int32_t>(header.shape_length);
      shapes.emplace_back(shape.begin(), shape.end());
    }
    cursor.take(cursor.take<std::uint64_t>());  // padding
    for (std::size_t i = 0; i < headers.size(); ++i)
      add(names[i], std::move(shapes[i]), headers[i], cursor.take(headers[i].data_length));
  }

  std::string settings() const {
    if (settings_.empty())
      throw std::runtime_error(printable(label()) +
                               ": has no 'special:model.yml', expected a model of Marian");
    return std::string(settings_.substr(0, settings_.find('\0')));
  }

  std::vector<float> read(const std::string& name) const override {
    const Item& item = items_.at(name);
    switch (item.type) {
      case Type::kFloat16:
        return ieee_values(item.data, 2);
      case Type::kFloat32:
        return ieee_values(item.data, 4);
      case Type::kIntgemm8:
        return dequantised(name, item);
      default:
        throw std::runtime_error(
            tensor_error(label(), name, name_of(item.type), "float32, float16 or intgemm8"));
    }
  }

 private:
  void add(const std::string& name, Shape shape, const Header& header, std::string_view data) {
    const std::string where = label() + ": tensor '" + name + "'";
    Item item{static_cast<Type>(header.type), element_count(shape, where), data};
    std::uint64_t size = item.elements * (header.type & 0xFFU);  // Marian's types have their size
    if (item.type == Type::kIntgemm8) size += sizeof(float);
    if (size > data.size())
      throw std::runtime_error(printable(where) + " has " + std::to_string(data.size()) +
                               " bytes, expected " + std::to_string(size));
    item.data = data.substr(0, size);
    if (name == "special:model.yml") {
      settings_ = item.data;
      return;
    }
    if (!items_.emplace(name, item).second)
      throw std::runtime_error(printable(where) + " occurs twice");
    shapes_[name] = std::move(shape);
  }

  std::vector<float> dequantised(const std::string& name, const Item& item) const {
    const float multiplier = multiplier_of(item);
    const Shape& shape = shapes_.at(name);
    if (!(multiplier > 0) || shape.size() != 2)
      throw std::runtime_error(tensor_error(
          label(), name,
          "shape " + shape_text(shape) + " with multiplier " + std::to_string(multiplier),
          "a matrix with a positive multiplier"));
    const auto rows = static_cast<std::size_t>(shape[0]);
    const auto columns = static_cast<std::size_t>(shape[1]);
    const bool transposed = name.find("Wemb") == std::string::npos;
    const float scale = 1 / multiplier;
    std::vector<float> values(item.elements);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        const std::size_t at = transposed ? column * rows + row : row * columns + column;
        values[row * columns + column] =
            scale * static_cast<float>(static_cast<std::int8_t>(item.data[at]));
      }
    }
    return values;
  }

  std::string bytes_;
  std::map<std::string, Item> items_;
  std::string_view settings_;
};

}  // namespace

MarianCheckpoint read_marian_binary(std::string bytes, const std::string& label) {
  auto tensors = std::make_unique<MarianBinary>(std::move(bytes), label);
  std::string settings = tensors->settings();
  return {std::move(tensors), std::move(settings)};
}

}  // namespace surtitle
