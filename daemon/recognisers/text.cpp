// Plain words: whatever a program prints that knows nothing of recognisers, or somebody types.
#include "daemon/recognisers/formats.h"

namespace surtitle {
namespace {

class Text : public Recogniser {
 public:
  explicit Text(Heard& heard) : heard_(heard) {}

  void feed(std::string_view bytes) override { heard_.text(bytes); }
  void finish() override { heard_.end_word(); }

 private:
  Heard& heard_;
};

}  // namespace

std::unique_ptr<Recogniser> make_text(const RecogniserSettings& /*settings*/, Heard& heard) {
  return std::make_unique<Text>(heard);
}

}  // namespace surtitle
