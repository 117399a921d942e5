#include "model/torch/key_value_cache.h"

namespace surtitle {

void KeyValueCache::write(const CacheRows& rows, const torch::Tensor& values) const {
  const auto width = key_value.size(2);
  const auto places = rows.slots.unsqueeze(1) * key_value.size(1) + rows.positions;  // [B, T]
  key_value.view({-1, width}).index_copy_(0, places.reshape({-1}), values.reshape({-1, width}));
}

torch::Tensor KeyValueCache::prefix(const torch::Tensor& slots, std::int64_t length) const {
  return key_value.narrow(1, 0, length).index_select(0, slots);
}

}  // namespace surtitle
