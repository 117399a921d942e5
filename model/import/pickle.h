// Reads the pickles that torch.save() writes for dictionaries of tensors.
//
// Only the operations and the few functions of such pickles are known. A function is a name here,
// and nothing is executed. A pickle of n bytes needs memory for at most n objects, which do not
// nest in the destructor.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

struct PickleObject {
  enum class Kind {
    kNone,
    kInteger,     // also booleans
    kText,        // also bytes
    kFunction,    // text: "MODULE.NAME"
    kSequence,    // tuples and lists: items
    kDictionary,  // items: key, value, key, value, ...
    kStorage,     // items: the tuple by which torch.save() identifies a storage
    kTensor,      // items: the arguments of the function that makes a tensor
    kOther,       // floating point numbers and what else has no use here
  };
  Kind kind = Kind::kOther;
  std::int64_t integer = 0;
  std::string text;
  std::vector<const PickleObject*> items;
};

// Owns the objects of one or more pickles. Thread-safety: none; one owner.
class Unpickler {
 public:
  // `label` names the file in messages.
  explicit Unpickler(std::string label) : label_(std::move(label)) {}

  // Removes the pickle at the begin of `bytes` and returns its object, valid as long as *this.
  // Throws std::runtime_error if it is no pickle of these.
  const PickleObject& read(std::string_view& bytes);

 private:
  class Machine;
  std::string label_;
  std::deque<PickleObject> objects_;
};

}  // namespace surtitle
