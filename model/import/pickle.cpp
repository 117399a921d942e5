#include "model/import/pickle.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <unordered_map>

#include "model/package/safetensors_header.h"

namespace surtitle {
namespace {

// The operations of pickle's protocols up to 2, and the texts of protocol 4.
enum class Operation : unsigned char {
  kMark = '(',
  kStop = '.',
  kPop = '0',
  kBinFloat = 'G',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kBinPersistentId = 'Q',
  kReduce = 'R',
  kBinString = 'T',
  kShortBinString = 'U',
  kBinUnicode = 'X',
  kAppend = 'a',
  kBuild = 'b',
  kGlobal = 'c',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kEmptyList = ']',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kSetItems = 'u',
  kEmptyDictionary = '}',
  kEmptyTuple = ')',
  kProtocol = 0x80,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kTrue = 0x88,
  kFalse = 0x89,
  kLong1 = 0x8a,
  kShortBinUnicode = 0x8c,
};

constexpr auto kTensorFunctions = std::to_array<std::string_view>(
    {"torch._utils._rebuild_tensor_v2", "torch._utils._rebuild_tensor"});

}  // namespace

class Unpickler::Machine {
 public:
  Machine(Unpickler& owner, std::string_view& bytes) : owner_(owner), bytes_(bytes) {}

  const PickleObject& run() {
    while (true) {
      const auto operation = static_cast<Operation>(byte());
      if (operation == Operation::kStop) return *pop();
      step(operation);
    }
  }

 private:
  using Kind = PickleObject::Kind;

  void step(Operation operation) {
    switch (operation) {
      case Operation::kProtocol:
        byte();
        return;
      case Operation::kMark:
        marks_.push_back(stack_.size());
        return;
      case Operation::kPop:
        pop();
        return;
      case Operation::kNone:
        push(Kind::kNone);
        return;
      case Operation::kTrue:
      case Operation::kFalse:
        push(Kind::kInteger).integer = operation == Operation::kTrue ? 1 : 0;
        return;
      case Operation::kBinInt1:
        push(Kind::kInteger).integer = byte();
        return;
      case Operation::kBinInt2:
        push(Kind::kInteger).integer = number<std::uint16_t>();
        return;
      case Operation::kBinInt:
        push(Kind::kInteger).integer = number<std::int32_t>();
        return;
      case Operation::kLong1:
        push_long();
        return;
      case Operation::kBinFloat:
        take(sizeof(double));
        push(Kind::kOther);
        return;
      case Operation::kShortBinString:
      case Operation::kShortBinUnicode:
        push(Kind::kText).text = take(byte());
        return;
      case Operation::kBinString:
      case Operation::kBinUnicode:
        push(Kind::kText).text = take(number<std::uint32_t>());
        return;
      case Operation::kGlobal:
        push_function();
        return;
      default:
        step_on_objects(operation);
    }
  }

  void step_on_objects(Operation operation) {
    switch (operation) {
      case Operation::kEmptyDictionary:
        push(Kind::kDictionary);
        return;
      case Operation::kEmptyList:
      case Operation::kEmptyTuple:
        push(Kind::kSequence);
        return;
      case Operation::kTuple:
        push_items(Kind::kSequence, after_mark());
        return;
      case Operation::kTuple1:
        push_items(Kind::kSequence, last(1));
        return;
      case Operation::kTuple2:
        push_items(Kind::kSequence, last(2));
        return;
      case Operation::kTuple3:
        push_items(Kind::kSequence, last(3));
        return;
      case Operation::kAppend:
        extend(Kind::kSequence, last(1));
        return;
      case Operation::kAppends:
        extend(Kind::kSequence, after_mark());
        return;
      case Operation::kSetItem:
        extend(Kind::kDictionary, last(2));
        return;
      case Operation::kSetItems:
        extend(Kind::kDictionary, after_mark());
        return;
      case Operation::kBinPut:
        memo_[byte()] = top();
        return;
      case Operation::kLongBinPut:
        memo_[number<std::uint32_t>()] = top();
        return;
      case Operation::kBinGet:
        push_memo(byte());
        return;
      case Operation::kLongBinGet:
        push_memo(number<std::uint32_t>());
        return;
      case Operation::kBinPersistentId:
        push_items(Kind::kStorage, pop()->items);
        return;
      case Operation::kReduce:
        reduce();
        return;
      case Operation::kBuild:  // the state of an object, such as a dictionary's metadata
        pop();
        top();
        return;
      default:
        fail("has operation " + std::to_string(static_cast<int>(operation)) +
             ", which dictionaries of tensors do not need");
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(printable(owner_.label_) + ": the pickle " + what);
  }

  std::string_view take(std::size_t size) {
    if (size > bytes_.size()) fail("is cut off");
    const auto part = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return part;
  }
  unsigned char byte() { return static_cast<unsigned char>(take(1).front()); }
  template <typename Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
    return value;
  }
  std::string_view line() {
    const auto text = take(std::min(bytes_.find('\n'), bytes_.size()));
    take(1);
    return text;
  }

  PickleObject& push(Kind kind) {
    PickleObject& object = owner_.objects_.emplace_back();
    object.kind = kind;
    stack_.push_back(&object);
    return object;
  }
  void push_items(Kind kind, std::vector<const PickleObject*> items) {
    push(kind).items = std::move(items);
  }
  void push_long() {
    const std::string_view digits = take(byte());
    PickleObject& object = push(Kind::kInteger);
    if (digits.size() > sizeof(object.integer)) {  // the magic number of old files
      object.kind = Kind::kText;
      object.text = digits;
      return;
    }
    const bool negative = !digits.empty() && (static_cast<unsigned char>(digits.back()) & 0x80U);
    object.integer = negative ? -1 : 0;
    if (!digits.empty()) std::memcpy(&object.integer, digits.data(), digits.size());
  }
  void push_function() {
    const std::string module(line());
    push(Kind::kFunction).text = module + "." + std::string(line());
  }
  void push_memo(std::uint32_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) fail("refers to an object that it does not have");
    stack_.push_back(found->second);
  }

  // The stack above the last mark belongs to that mark.
  std::size_t bottom() const { return marks_.empty() ? 0 : marks_.back(); }
  PickleObject* top() const {
    if (stack_.size() <= bottom()) fail("is damaged");
    return stack_.back();
  }
  PickleObject* pop() {
    PickleObject* object = top();
    stack_.pop_back();
    return object;
  }
  std::vector<const PickleObject*> last(std::size_t count) {
    if (stack_.size() - bottom() < count) fail("is damaged");
    const auto begin = stack_.end() - static_cast<std::ptrdiff_t>(count);
    std::vector<const PickleObject*> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    return items;
  }
  std::vector<const PickleObject*> after_mark() {
    if (marks_.empty()) fail("is damaged");
    std::vector<const PickleObject*> items = last(stack_.size() - marks_.back());
    marks_.pop_back();
    return items;
  }
  void extend(Kind kind, const std::vector<const PickleObject*>& items) {
    PickleObject& object = *top();
    if (object.kind != kind || (kind == Kind::kDictionary && items.size() % 2 != 0))
      fail("is damaged");
    object.items.insert(object.items.end(), items.begin(), items.end());
  }

  // Makes what a function would return.
  void reduce() {
    const PickleObject* arguments = pop();
    const PickleObject* function = pop();
    if (function->kind != Kind::kFunction || arguments->kind != Kind::kSequence) fail("is damaged");
    const std::string& name = function->text;
    if (std::count(kTensorFunctions.begin(), kTensorFunctions.end(), name) > 0) {
      push_items(Kind::kTensor, arguments->items);
    } else if (name == "torch._utils._rebuild_parameter" && !arguments->items.empty() &&
               arguments->items.front()->kind == Kind::kTensor) {
      push_items(Kind::kTensor, arguments->items.front()->items);
    } else if (name == "collections.OrderedDict" && arguments->items.empty()) {
      push(Kind::kDictionary);
    } else {
      fail("calls " + printable(name) + ", which dictionaries of tensors do not need");
    }
  }

  Unpickler& owner_;
  std::string_view& bytes_;
  std::vector<PickleObject*> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint32_t, PickleObject*> memo_;
};

const PickleObject& Unpickler::read(std::string_view& bytes) { return Machine(*this, bytes).run(); }

}  // namespace surtitle
