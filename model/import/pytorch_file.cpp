// read_pytorch(): files of torch.save().
//
// The zip format has a pickle NAME/data.pkl, and the numbers of storage KEY in NAME/data/KEY. The
// format before PyTorch 1.6 is five pickles (a magic number, a version, properties of the machine,
// the object, the keys of the storages) and then a count and the numbers of each storage.
#include <cstring>
#include <stdexcept>

#include "model/import/pickle.h"
#include "model/import/readers.h"
#include "model/package/safetensors_header.h"
#include "model/package/tensor_values.h"

namespace surtitle {
namespace {

using Kind = PickleObject::Kind;

constexpr std::string_view kMagicPickle{"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19",
                                        14};

// Returns the dtype of a storage's class, or throws for one that no model has.
DType dtype_of(const std::string& storage_class, const std::string& label) {
  if (storage_class == "torch.FloatStorage") return DType::kF32;
  if (storage_class == "torch.HalfStorage") return DType::kF16;
  if (storage_class == "torch.BFloat16Storage") return DType::kBF16;
  if (storage_class == "torch.DoubleStorage") return DType::kF64;
  if (storage_class == "torch.LongStorage") return DType::kI64;
  throw std::runtime_error(printable(label) + ": has numbers of " + printable(storage_class) +
                           "; allowed: Float, Half, BFloat16 and Double");
}

struct Storage {
  std::string key;
  DType dtype = DType::kF32;
  std::uint64_t elements = 0;
};

struct Tensor {
  Storage storage;
  std::uint64_t offset = 0;
  std::uint64_t elements = 0;
};

class PytorchFile : public TensorFile {
 public:
  std::vector<float> read(const std::string& name) const override {
    const Tensor& tensor = tensors_.at(name);
    const std::size_t size = byte_size(tensor.storage.dtype);
    if (tensor.storage.dtype == DType::kI64)
      throw std::runtime_error(tensor_error(label(), name, "integers", "floating point"));
    std::string kept;
    const std::string_view bytes =
        storage_bytes(tensor.storage, kept).substr(tensor.offset * size, tensor.elements * size);
    if (tensor.storage.dtype == DType::kF64) return ieee_values(bytes, size);
    return float_values(
        TensorView{name, tensor.storage.dtype, {}, std::as_bytes(std::span(bytes))});
  }

 protected:
  using TensorFile::TensorFile;

  // Returns the numbers of a storage, which are its elements. May keep them in `kept`.
  virtual std::string_view storage_bytes(const Storage& storage, std::string& kept) const = 0;

  void add_tensors(const PickleObject& object) {
    if (object.kind != Kind::kDictionary) damaged("expected a dictionary of tensors");
    for (std::size_t i = 0; i + 1 < object.items.size(); i += 2) {
      const PickleObject& key = *object.items[i];
      const PickleObject& value = *object.items[i + 1];
      if (key.kind != Kind::kText || value.kind != Kind::kTensor)
        damaged("expected a dictionary of tensors");
      add_tensor(key.text, value);
    }
  }
  const std::map<std::string, Tensor>& tensors() const { return tensors_; }
  [[noreturn]] void damaged(const std::string& what) const {
    throw std::runtime_error(printable(label()) + ": " + what);
  }

 private:
  // The arguments are the storage, the offset, the shape and the strides.
  void add_tensor(const std::string& name, const PickleObject& made) {
    const auto& arguments = made.items;
    if (arguments.size() < 4 || arguments[0]->kind != Kind::kStorage ||
        arguments[1]->kind != Kind::kInteger || arguments[1]->integer < 0)
      damaged("tensor '" + printable(name) + "' is damaged");
    Tensor tensor;
    tensor.storage = storage_of(*arguments[0]);
    tensor.offset = static_cast<std::uint64_t>(arguments[1]->integer);
    Shape shape = numbers(*arguments[2]);
    tensor.elements = element_count(shape, label());
    if (!is_row_major(shape, numbers(*arguments[3])))
      damaged("tensor '" + printable(name) + "' has strides that are not supported");
    if (tensor.offset > tensor.storage.elements ||
        tensor.elements > tensor.storage.elements - tensor.offset)
      damaged("tensor '" + printable(name) + "' is larger than its storage");
    tensors_[name] = tensor;
    shapes_[name] = std::move(shape);
  }
  // The items are "storage", its class, its key, its device and its number of elements.
  Storage storage_of(const PickleObject& object) const {
    const auto& items = object.items;
    if (items.size() < 5 || items[1]->kind != Kind::kFunction || items[2]->kind != Kind::kText ||
        items[4]->kind != Kind::kInteger || items[4]->integer < 0)
      damaged("has a damaged storage");
    return {items[2]->text, dtype_of(items[1]->text, label()),
            static_cast<std::uint64_t>(items[4]->integer)};
  }
  Shape numbers(const PickleObject& object) const {
    constexpr std::size_t kMaxDimensions = 8;
    if (object.kind != Kind::kSequence || object.items.size() > kMaxDimensions)
      damaged("has a tensor with a damaged shape");
    Shape shape;
    for (const PickleObject* item : object.items) {
      if (item->kind != Kind::kInteger) damaged("has a tensor with a damaged shape");
      shape.push_back(item->integer);
    }
    return shape;
  }
  static bool is_row_major(const Shape& shape, const Shape& strides) {
    if (shape.size() != strides.size()) return false;
    std::int64_t expected = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
      if (shape[i] != 1 && strides[i] != expected) return false;
      expected *= shape[i];
    }
    return true;
  }

  std::map<std::string, Tensor> tensors_;
};

class ZippedPytorchFile final : public PytorchFile {
 public:
  ZippedPytorchFile(std::string bytes, const std::string& label) : PytorchFile(label) {
    archive_ = open_zip(std::move(bytes), label);
    constexpr std::string_view kPickle = "/data.pkl";
    for (const std::string& name : archive_->names()) {
      if (name.ends_with(kPickle)) root_ = name.substr(0, name.size() - kPickle.size());
    }
    if (root_.empty()) damaged("has no data.pkl, expected a file of torch.save()");
    if (archive_->has(root_ + "/byteorder") && archive_->read(root_ + "/byteorder", 16) != "little")
      damaged("is of a big-endian machine, which is not supported");
    Unpickler unpickler(label);
    const std::string pickle = archive_->read(root_ + std::string(kPickle), kMaxTextBytes);
    std::string_view rest = pickle;
    add_tensors(unpickler.read(rest));
  }

 private:
  std::string_view storage_bytes(const Storage& storage, std::string& kept) const override {
    kept = archive_->read(root_ + "/data/" + storage.key, kMaxModelBytes);
    if (kept.size() / byte_size(storage.dtype) < storage.elements)
      damaged("storage " + printable(storage.key) + " is cut off");
    return kept;
  }

  std::unique_ptr<ModelFiles> archive_;
  std::string root_;
};

class OldPytorchFile final : public PytorchFile {
 public:
  OldPytorchFile(std::string bytes, const std::string& label)
      : PytorchFile(label), bytes_(std::move(bytes)) {
    std::string_view rest = bytes_;
    Unpickler unpickler(label);
    for (int skipped = 0; skipped < 3; ++skipped) unpickler.read(rest);
    add_tensors(unpickler.read(rest));
    std::map<std::string, Storage> storages;
    for (const auto& [name, tensor] : tensors()) storages[tensor.storage.key] = tensor.storage;
    for (const PickleObject* key : unpickler.read(rest).items) add_storage(*key, storages, rest);
  }

 private:
  void add_storage(const PickleObject& key, const std::map<std::string, Storage>& storages,
                   std::string_view& rest) {
    const auto found = storages.find(key.text);
    std::uint64_t count = 0;
    if (found == storages.end() || rest.size() < sizeof(count)) damaged("has a damaged storage");
    std::memcpy(&count, rest.data(), sizeof(count));
    rest.remove_prefix(sizeof(count));
    const std::size_t size = byte_size(found->second.dtype);
    if (count != found->second.elements || count > rest.size() / size) damaged("is cut off");
    data_[key.text] = rest.substr(0, count * size);
    rest.remove_prefix(count * size);
  }
  std::string_view storage_bytes(const Storage& storage, std::string&) const override {
    const auto found = data_.find(storage.key);
    if (found == data_.end() || found->second.size() / byte_size(storage.dtype) < storage.elements)
      damaged("storage " + printable(storage.key) + " is missing");
    return found->second;
  }

  std::string bytes_;
  std::map<std::string, std::string_view> data_;
};

class Safetensors final : public TensorFile {
 public:
  explicit Safetensors(const std::filesystem::path& file) : TensorFile(file.string()), file_(file) {
    for (const TensorView& tensor : file_.tensors()) shapes_[tensor.name] = tensor.shape;
  }
  std::vector<float> read(const std::string& name) const override {
    const TensorView& tensor = *file_.find(name);
    if (tensor.dtype != DType::kF32 && tensor.dtype != DType::kF16 && tensor.dtype != DType::kBF16)
      throw std::runtime_error(
          tensor_error(label(), name, to_string(tensor.dtype), "F32, F16 or BF16"));
    return float_values(tensor);
  }

 private:
  SafetensorsFile file_;
};

}  // namespace

std::unique_ptr<TensorFile> read_safetensors(const std::filesystem::path& file) {
  return std::make_unique<Safetensors>(file);
}

std::unique_ptr<TensorFile> read_pytorch(std::string bytes, const std::string& label) {
  if (bytes.starts_with(kMagicPickle))
    return std::make_unique<OldPytorchFile>(std::move(bytes), label);
  return std::make_unique<ZippedPytorchFile>(std::move(bytes), label);
}

}  // namespace surtitle
