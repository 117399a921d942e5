// The tensors of a model file of any format, by name.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

using Shape = std::vector<std::int64_t>;

// Returns the number of elements, or throws std::runtime_error naming `label` if a dimension is
// negative or the product is beyond any model.
std::uint64_t element_count(const Shape& shape, const std::string& label);

// Thread-safety: none; one owner.
class TensorFile {
 public:
  explicit TensorFile(std::string label) : label_(std::move(label)) {}
  TensorFile(const TensorFile&) = delete;
  TensorFile& operator=(const TensorFile&) = delete;
  virtual ~TensorFile() = default;

  // The shape of each tensor, which is checked against the file's size.
  const std::map<std::string, Shape>& shapes() const { return shapes_; }
  const std::string& label() const { return label_; }

  // Returns the numbers of a tensor of shapes(), row-major. Throws std::runtime_error for types
  // that are not supported.
  virtual std::vector<float> read(const std::string& name) const = 0;

 protected:
  std::map<std::string, Shape> shapes_;

 private:
  std::string label_;
};

// Reads tensors in expected shapes, and notes which ones were read.
class TensorReader {
 public:
  explicit TensorReader(const TensorFile& file) : file_(file) {}

  bool has(const std::string& name) const { return file_.shapes().contains(name); }
  // Throws std::runtime_error if there is no tensor of this name and shape, or if it has numbers
  // that are not finite.
  std::vector<float> read(const std::string& name, const Shape& shape);
  // The same for a matrix that is stored as its transpose, [columns, rows].
  std::vector<float> read_transposed(const std::string& name, std::int64_t rows,
                                     std::int64_t columns);
  // Throws std::runtime_error naming a tensor that was not read, unless `may_remain` allows it.
  void reject_unread(const std::function<bool(std::string_view)>& may_remain) const;

 private:
  const TensorFile& file_;
  std::set<std::string> read_;
};

// Returns the numbers of little-endian IEEE numbers of 2, 4 or 8 bytes. REQUIRES: whole numbers.
std::vector<float> ieee_values(std::string_view bytes, std::size_t size_of_number);

}  // namespace surtitle
