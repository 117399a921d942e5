#include <cstddef>

#include "model/cuda/weights.h"

namespace surtitle::cuda {
namespace {

class Uploader {
 public:
  explicit Uploader(Stream& stream) : stream_(stream) {}

  template <typename T>
  Buffer<T> values(const cuda_module::Values& values) const {
    if (values.data == nullptr) return nullptr;
    const auto count = static_cast<std::size_t>(values.count);
    std::vector<T> stored(count);
    for (std::size_t i = 0; i < count; ++i) stored[i] = from_float<T>(values.data[i]);
    auto buffer = allocate<T>(count);
    stream_.upload(buffer.get(), stored.data(), count * sizeof(T));
    stream_.synchronize();  // before `stored` is freed
    return buffer;
  }

  DeviceNorm norm(const cuda_module::Norm& norm) const {
    return {values<float>(norm.gain), values<float>(norm.bias)};
  }

  template <typename T>
  DeviceLinear<T> linear(const cuda_module::Linear& linear) const {
    if (linear.weight.data == nullptr) return {};
    const auto outputs = linear.bias.count;
    return {values<T>(linear.weight), values<float>(linear.bias), static_cast<int>(outputs),
            static_cast<int>(linear.weight.count / outputs)};
  }

  template <typename T>
  DeviceLayer<T> layer(const cuda_module::Layer& from) const {
    DeviceLayer<T> layer;
    layer.self_norm = norm(from.self_norm);
    layer.self_in = linear<T>(from.self_in);
    layer.self_out = linear<T>(from.self_out);
    layer.cross_norm = norm(from.cross_norm);
    layer.cross_in = linear<T>(from.cross_in);
    layer.vp = values<float>(from.vp);
    layer.cross_out = linear<T>(from.cross_out);
    layer.ffn_norm = norm(from.ffn_norm);
    layer.fc1 = linear<T>(from.fc1);
    layer.fc2 = linear<T>(from.fc2);
    return layer;
  }

 private:
  Stream& stream_;
};

}  // namespace

template <typename T>
DeviceWeights<T>::DeviceWeights(const cuda_module::Model& model, Stream& stream) {
  const Uploader up(stream);
  for (int i = 0; i < model.encoder_layers; ++i) encoder.push_back(up.layer<T>(model.encoder[i]));
  for (int i = 0; i < model.decoder_layers; ++i) decoder.push_back(up.layer<T>(model.decoder[i]));
  cross_key_value = up.linear<T>(model.cross_key_value);
  encoder_norm = up.norm(model.encoder_norm);
  decoder_norm = up.norm(model.decoder_norm);
  source_table = up.values<T>(model.source_table);
  target_table = up.values<T>(model.target_table);
  output = up.values<T>(model.output);
  sinusoids = up.values<float>(model.sinusoids);
}

template struct DeviceWeights<Half>;
template struct DeviceWeights<float>;

}  // namespace surtitle::cuda
