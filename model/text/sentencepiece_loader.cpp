#include "model/text/sentencepiece_loader.h"

#include "model/util/module_loader.h"

namespace surtitle {

const sentencepiece_module::Functions& sentencepiece_functions() {
  namespace module = sentencepiece_module;
  // The module's sentencepiece must use its own protobuf, not LibTorch's.
  static const auto& functions = module_functions<module::Functions>(
      "surtitle_sentencepiece.so", module::kEntry, module::kVersion, /*own_symbols=*/true);
  return functions;
}

}  // namespace surtitle
