#include "model/import/tensor_file.h"

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "model/package/safetensors_header.h"
#include "model/package/tensor_values.h"

namespace surtitle {

std::uint64_t element_count(const Shape& shape, const std::string& label) {
  constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 34;
  std::uint64_t count = 1;
  for (const std::int64_t dimension : shape) {
    if (dimension < 0 || static_cast<std::uint64_t>(dimension) > kMaxElements)
      throw std::runtime_error(printable(label) + ": shape " + shape_text(shape) + " is too large");
    count *= static_cast<std::uint64_t>(dimension);
    if (count > kMaxElements)
      throw std::runtime_error(printable(label) + ": shape " + shape_text(shape) + " is too large");
  }
  return count;
}

std::vector<float> TensorReader::read(const std::string& name, const Shape& shape) {
  const auto found = file_.shapes().find(name);
  if (found == file_.shapes().end())
    throw std::runtime_error(
        tensor_error(file_.label(), name, "none", "shape " + shape_text(shape)));
  if (found->second != shape)
    throw std::runtime_error(
        tensor_error(file_.label(), name, "shape " + shape_text(found->second), shape_text(shape)));
  read_.insert(name);
  std::vector<float> values = file_.read(name);
  for (const float value : values) {
    if (!std::isfinite(value))
      throw std::runtime_error(
          tensor_error(file_.label(), name, "NaN or infinity", "finite numbers"));
  }
  return values;
}

std::vector<float> TensorReader::read_transposed(const std::string& name, std::int64_t rows,
                                                 std::int64_t columns) {
  const std::vector<float> stored = read(name, {columns, rows});
  std::vector<float> values(stored.size());
  const auto height = static_cast<std::size_t>(rows);
  const auto width = static_cast<std::size_t>(columns);
  for (std::size_t column = 0; column < width; ++column) {
    for (std::size_t row = 0; row < height; ++row)
      values[row * width + column] = stored[column * height + row];
  }
  return values;
}

void TensorReader::reject_unread(const std::function<bool(std::string_view)>& may_remain) const {
  for (const auto& [name, shape] : file_.shapes()) {
    if (!read_.contains(name) && !may_remain(name))
      throw std::runtime_error(tensor_error(file_.label(), name, "shape " + shape_text(shape),
                                            "no such tensor; this part is not supported"));
  }
}

std::vector<float> ieee_values(std::string_view bytes, std::size_t size_of_number) {
  if (size_of_number == 8) {
    std::vector<float> values(bytes.size() / sizeof(double));
    for (std::size_t i = 0; i < values.size(); ++i) {
      double value = 0;
      std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
      values[i] = static_cast<float>(value);
    }
    return values;
  }
  const DType dtype = size_of_number == 4 ? DType::kF32 : DType::kF16;
  return float_values(TensorView{"", dtype, {}, std::as_bytes(std::span(bytes))});
}

}  // namespace surtitle
