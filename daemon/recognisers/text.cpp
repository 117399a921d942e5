// Plain words, as typed by a person or printed by any program.
#include "daemon/recognisers/formats.h"

namespace surtitle {
namespace {

class Text : public Recogniser {
 public:
  explicit Text(MessageBuilder& builder) : builder_(builder) {}

  void feed(std::string_view bytes) override { builder_.text(bytes); }
  void finish() override { builder_.end_word(); }

 private:
  MessageBuilder& builder_;
};

}  // namespace

std::unique_ptr<Recogniser> make_text(const RecogniserSettings& /*settings*/,
                                      MessageBuilder& builder) {
  return std::make_unique<Text>(builder);
}

}  // namespace surtitle
