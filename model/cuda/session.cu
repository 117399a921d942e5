#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "model/cuda/attention_kernels.h"
#include "model/cuda/session.h"
#include "model/cuda/weights.h"

namespace surtitle::cuda {
namespace {

using cuda_module::DecodeRow;
using cuda_module::EncodeRow;
using cuda_module::Outcome;

constexpr int kMaxRows = 4096;    // of a graph; more rows take several graphs
constexpr int kMinRows = 32;      // a burst of one sentence fits one graph
constexpr int kLogitRows = 1024;  // rows of one vocabulary product, so that logits stay in L2
constexpr int kShare = 2;         // caches use at most 1 / kShare of the free memory
constexpr int kChooseThreads = 256;
constexpr int kReluThreads = 256;

// Returns 1, 2, 4, ... below `most`, and `most`.
std::vector<int> buckets(int most) {
  std::vector<int> sizes;
  for (int size = 1; size < most; size *= 2) sizes.push_back(size);
  sizes.push_back(most);
  return sizes;
}

// A size of a batch and its graph.
struct Bucket {
  int rows;
  Graph graph;
};

const Bucket& bucket_for(const std::vector<Bucket>& buckets, std::size_t rows) {
  return *std::lower_bound(buckets.begin(), buckets.end(), rows,
                           [](const Bucket& bucket, std::size_t n) {
                             return static_cast<std::size_t>(bucket.rows) < n;
                           });
}

template <typename T>
class DeviceSession final : public Session {
 public:
  DeviceSession(const cuda_module::Model& model, const cuda_module::Options& options);
  ~DeviceSession() override;

  int slots() const override { return slots_; }
  void encode(std::span<const EncodeRow> rows) override;
  void decode(std::span<const DecodeRow> rows, std::span<Outcome> outcomes) override;
  void wait() override;

 private:
  struct Caches {
    Buffer<T> encoder;  // [encoder layer, slot, source, 2W]
    Buffer<T> cross;    // [decoder layer, slot, source, 2W]
    Buffer<T> decoder;  // [decoder layer, slot, target, 2W]
    Buffer<double> sums;
    Buffer<double> step_sums;  // [slot, decoder layer]
  };
  std::size_t bytes_per_slot() const;
  Caches allocate_caches(int slots) const;
  void take_memory(int wanted);
  template <typename Row>
  std::vector<Bucket> capture_buckets(int most, Row* pinned, void (DeviceSession::*body)(int));

  // The work of a graph for `rows` rows.
  void encode_rows(int rows);
  void decode_rows(int rows);
  void begin_rows(Begin<T> argument, int rows);
  void self_attend(const DeviceLayer<T>& layer, int index, const CacheView<T>& cache, bool source,
                   const DeviceNorm& next, int rows);
  void cross_attend(const DeviceLayer<T>& layer, int index, int rows);
  void feed_forward(const DeviceLayer<T>& layer, const DeviceNorm& next, int rows);
  void choose_tokens(int rows);
  // Computes x += linear(from), and the next norm.
  void add(const DeviceLinear<T>& linear, const T* from, const DeviceNorm& norm, int rows);
  // Returns the norm that follows layer i of a stack.
  const DeviceNorm& after(const std::vector<DeviceLayer<T>>& stack, std::size_t i,
                          const DeviceNorm& last) const;

  void product(const T* x, int rows, const DeviceLinear<T>& linear, float* y) {
    stream_.product(x, rows, linear.weight.get(), linear.outputs, linear.inputs, y, /*add=*/false);
  }
  CacheView<T> view(const Buffer<T>& cache, int positions) const {
    return {cache.get(), slots_, positions, attention_};
  }

  Stream stream_;             // first member: it must outlive all memory that it uses
  cuda_module::Model model_;  // its numbers; its pointers are dangling
  cuda_module::Options options_;
  int attention_;  // W
  AttentionShape shape_;
  DeviceWeights<T> weights_;
  int rows_;  // of the buffers
  int slots_ = 0;

  Pinned<EncodeRow> pinned_encode_;
  Pinned<DecodeRow> pinned_decode_;
  Pinned<Outcome> pinned_outcomes_;
  Buffer<EncodeRow> encode_;
  Buffer<DecodeRow> decode_;
  Buffer<Outcome> outcomes_;
  Buffer<RowSlot> places_;
  Buffer<float> x_;       // [rows, C]: the state
  Buffer<T> h_;           // [rows, C]: normalised
  Buffer<float> wide_;    // [rows, widest]: output of a product
  Buffer<T> inner_;       // [rows, ffn]
  Buffer<T> context_;     // [rows, W]
  Buffer<float> logits_;  // [kLogitRows, vocabulary]
  Caches caches_;

  std::vector<Bucket> encode_buckets_;
  std::vector<Bucket> decode_buckets_;
  bool encoding_ = false;  // pinned_encode_ may still be read
};

template <typename T>
DeviceSession<T>::DeviceSession(const cuda_module::Model& model,
                                const cuda_module::Options& options)
    : model_(model),
      options_(options),
      attention_(model.heads * model.head),
      shape_(attention_shape<T>(model.heads, model.head)),
      weights_(model, stream_),
      rows_(std::clamp(options.slots, kMinRows, kMaxRows)) {
  const auto rows = static_cast<std::size_t>(rows_);
  const int widest = std::max(
      {3 * attention_, attention_ + model.width, model.ffn, 2 * attention_ * model.decoder_layers});
  pinned_encode_ = allocate_pinned<EncodeRow>(rows);
  pinned_decode_ = allocate_pinned<DecodeRow>(rows);
  pinned_outcomes_ = allocate_pinned<Outcome>(rows);
  encode_ = allocate<EncodeRow>(rows);
  decode_ = allocate<DecodeRow>(rows);
  outcomes_ = allocate<Outcome>(rows);
  places_ = allocate<RowSlot>(rows);
  x_ = allocate<float>(rows * static_cast<std::size_t>(model.width));
  h_ = allocate<T>(rows * static_cast<std::size_t>(model.width));
  wide_ = allocate<float>(rows * static_cast<std::size_t>(widest));
  inner_ = allocate<T>(rows * static_cast<std::size_t>(model.ffn));
  context_ = allocate<T>(rows * static_cast<std::size_t>(attention_));
  logits_ = allocate<float>(static_cast<std::size_t>(std::min(rows_, kLogitRows)) *
                            static_cast<std::size_t>(model.target_vocabulary));
  take_memory(options.slots);
  encode_buckets_ = capture_buckets(rows_, pinned_encode_.get(), &DeviceSession::encode_rows);
  decode_buckets_ =
      capture_buckets(std::min(slots_, rows_), pinned_decode_.get(), &DeviceSession::decode_rows);
}

template <typename T>
DeviceSession<T>::~DeviceSession() {
  try {
    stream_.synchronize();
  } catch (const std::exception&) {
    // The device has failed, so no work is left to wait for.
  }
}

template <typename T>
std::size_t DeviceSession<T>::bytes_per_slot() const {
  const auto source = static_cast<std::size_t>(options_.source_positions) *
                      static_cast<std::size_t>(model_.encoder_layers + model_.decoder_layers);
  const auto target = static_cast<std::size_t>(options_.target_positions) *
                      static_cast<std::size_t>(model_.decoder_layers);
  return (source + target) * 2 * static_cast<std::size_t>(attention_) * sizeof(T) +
         2 * sizeof(double) * static_cast<std::size_t>(model_.decoder_layers);
}

template <typename T>
auto DeviceSession<T>::allocate_caches(int slots) const -> Caches {
  const auto cache = [&](int layers, int positions) {
    return allocate<T>(static_cast<std::size_t>(layers) * static_cast<std::size_t>(slots) *
                       static_cast<std::size_t>(positions) * 2 *
                       static_cast<std::size_t>(attention_));
  };
  const auto sums =
      static_cast<std::size_t>(slots) * static_cast<std::size_t>(model_.decoder_layers);
  return {cache(model_.encoder_layers, options_.source_positions),
          cache(model_.decoder_layers, options_.source_positions),
          cache(model_.decoder_layers, options_.target_positions), allocate<double>(sums),
          allocate<double>(sums)};
}

// Other processes may allocate memory after the query; fewer slots are tried then.
template <typename T>
void DeviceSession<T>::take_memory(int wanted) {
  const auto left = device_memory_left();
  const auto fitting = left / kShare / bytes_per_slot();
  for (slots_ = static_cast<int>(std::min(fitting, static_cast<std::size_t>(wanted))); slots_ > 0;
       slots_ /= 2) {
    try {
      caches_ = allocate_caches(slots_);
      return;
    } catch (const OutOfMemory&) {
      caches_ = {};
    }
  }
  throw std::runtime_error("the CUDA device has " + std::to_string(left >> 20) +
                           " MiB of free memory, half of which may be used; a sentence needs " +
                           std::to_string((bytes_per_slot() >> 20) + 1) + " MiB");
}

template <typename T>
template <typename Row>
std::vector<Bucket> DeviceSession<T>::capture_buckets(int most, Row* pinned,
                                                      void (DeviceSession::*body)(int)) {
  std::vector<Bucket> captured;
  for (int i = 0; i < most; ++i) {
    pinned[i] = {};
    pinned[i].slot = kInactive;
  }
  for (const int rows : buckets(most)) {
    // The first run is outside the capture: kernels are loaded at their first use, which fails in a
    // capture.
    (this->*body)(rows);
    stream_.synchronize();
    captured.push_back({rows, stream_.capture([&] { (this->*body)(rows); })});
    stream_.replay(captured.back().graph);
    stream_.synchronize();
  }
  return captured;
}

template <typename T>
void DeviceSession<T>::encode(std::span<const EncodeRow> rows) {
  while (!rows.empty()) {
    const auto some = rows.first(std::min(rows.size(), static_cast<std::size_t>(rows_)));
    rows = rows.subspan(some.size());
    const auto& bucket = bucket_for(encode_buckets_, some.size());
    if (encoding_) stream_.synchronize();
    std::copy(some.begin(), some.end(), pinned_encode_.get());
    for (int i = static_cast<int>(some.size()); i < bucket.rows; ++i)
      pinned_encode_[static_cast<std::size_t>(i)].slot = kInactive;
    stream_.replay(bucket.graph);
    encoding_ = true;
  }
}

template <typename T>
void DeviceSession<T>::decode(std::span<const DecodeRow> rows, std::span<Outcome> outcomes) {
  while (!rows.empty()) {
    const auto most = static_cast<std::size_t>(decode_buckets_.back().rows);
    const auto some = rows.first(std::min(rows.size(), most));
    rows = rows.subspan(some.size());
    const auto& bucket = bucket_for(decode_buckets_, some.size());
    std::copy(some.begin(), some.end(), pinned_decode_.get());
    for (int i = static_cast<int>(some.size()); i < bucket.rows; ++i)
      pinned_decode_[static_cast<std::size_t>(i)].slot = kInactive;
    stream_.replay(bucket.graph);
    wait();
    std::copy_n(pinned_outcomes_.get(), some.size(), outcomes.begin());
    outcomes = outcomes.subspan(some.size());
  }
}

template <typename T>
void DeviceSession<T>::wait() {
  stream_.synchronize();
  encoding_ = false;
}

template <typename T>
const DeviceNorm& DeviceSession<T>::after(const std::vector<DeviceLayer<T>>& stack, std::size_t i,
                                          const DeviceNorm& last) const {
  if (!model_.pre_norm) return stack[i].ffn_norm;
  return i + 1 < stack.size() ? stack[i + 1].self_norm : last;
}

template <typename T>
void DeviceSession<T>::encode_rows(int rows) {
  stream_.upload(encode_.get(), pinned_encode_.get(),
                 static_cast<std::size_t>(rows) * sizeof(EncodeRow));
  Begin<T> argument{};
  argument.encode = encode_.get();
  argument.table = weights_.source();
  argument.norm = model_.pre_norm ? weights_.encoder.front().self_norm.view() : NormView{};
  begin_rows(argument, rows);
  const auto cache = view(caches_.encoder, options_.source_positions);
  for (std::size_t i = 0; i < weights_.encoder.size(); ++i) {
    const auto& layer = weights_.encoder[i];
    self_attend(layer, static_cast<int>(i), cache, /*source=*/true,
                model_.pre_norm ? layer.ffn_norm : layer.self_norm, rows);
    feed_forward(layer, after(weights_.encoder, i, weights_.encoder_norm), rows);
  }
  const auto& linear = weights_.cross_key_value;
  product(h_.get(), rows, linear, wide_.get());
  stream_.launch(write_source<T>,
                 {.blocks = rows, .rows = model_.decoder_layers, .threads = kWarp, .shared = 0},
                 {.places = places_.get(),
                  .key_value = wide_.get(),
                  .stride = linear.outputs,
                  .bias = linear.bias.get(),
                  .cache = view(caches_.cross, options_.source_positions),
                  .first_layer = 0});
}

template <typename T>
void DeviceSession<T>::decode_rows(int rows) {
  stream_.upload(decode_.get(), pinned_decode_.get(),
                 static_cast<std::size_t>(rows) * sizeof(DecodeRow));
  Begin<T> argument{};
  argument.decode = decode_.get();
  argument.table = weights_.target_table.get();
  argument.norm = model_.pre_norm ? weights_.decoder.front().self_norm.view() : NormView{};
  argument.outcomes = outcomes_.get();
  argument.sums = caches_.sums.get();
  argument.step_sums = caches_.step_sums.get();
  argument.layers = model_.decoder_layers;
  begin_rows(argument, rows);
  const auto cache = view(caches_.decoder, options_.target_positions);
  for (std::size_t i = 0; i < weights_.decoder.size(); ++i) {
    const auto& layer = weights_.decoder[i];
    self_attend(layer, static_cast<int>(i), cache, /*source=*/false,
                model_.pre_norm ? layer.cross_norm : layer.self_norm, rows);
    cross_attend(layer, static_cast<int>(i), rows);
    feed_forward(layer, after(weights_.decoder, i, weights_.decoder_norm), rows);
  }
  choose_tokens(rows);
  stream_.download(pinned_outcomes_.get(), outcomes_.get(),
                   static_cast<std::size_t>(rows) * sizeof(Outcome));
}

template <typename T>
void DeviceSession<T>::begin_rows(Begin<T> argument, int rows) {
  argument.rows = rows;
  argument.sinusoids = weights_.sinusoids.get();
  argument.table_scale = std::sqrt(static_cast<float>(model_.width));
  argument.width = model_.width;
  argument.places = places_.get();
  argument.x = x_.get();
  argument.h = h_.get();
  stream_.launch(begin<T>,
                 {.blocks = (rows + kRowWarps - 1) / kRowWarps, .threads = kRowWarps * kWarp},
                 argument);
}

template <typename T>
void DeviceSession<T>::self_attend(const DeviceLayer<T>& layer, int index,
                                   const CacheView<T>& cache, bool source, const DeviceNorm& next,
                                   int rows) {
  product(h_.get(), rows, layer.self_in, wide_.get());
  if (source)  // a sentence's tokens see each other, so all are written first
    stream_.launch(write_source<T>, {.blocks = rows, .threads = kWarp},
                   {.places = places_.get(),
                    .key_value = wide_.get() + attention_,
                    .stride = layer.self_in.outputs,
                    .bias = layer.self_in.bias.get() + attention_,
                    .cache = cache,
                    .first_layer = index});
  stream_.launch(self_attention<T>,
                 {.blocks = rows,
                  .threads = shape_.lanes * shape_.phases,
                  .shared = attention_shared<T>(shape_)},
                 {.places = places_.get(),
                  .projected = wide_.get(),
                  .bias = layer.self_in.bias.get(),
                  .cache = cache,
                  .layer = index,
                  .write = !source,
                  .shape = shape_,
                  .context = context_.get()});
  add(layer.self_out, context_.get(), next, rows);
}

template <typename T>
void DeviceSession<T>::cross_attend(const DeviceLayer<T>& layer, int index, int rows) {
  product(h_.get(), rows, layer.cross_in, wide_.get());
  stream_.launch(cross_attention<T>,
                 {.blocks = rows,
                  .threads = shape_.lanes * shape_.phases,
                  .shared = attention_shared<T>(shape_)},
                 {.places = places_.get(),
                  .steps = decode_.get(),
                  .outcomes = outcomes_.get(),
                  .projected = wide_.get(),
                  .stride = layer.cross_in.outputs,
                  .bias = layer.cross_in.bias.get(),
                  .vp = layer.vp.get(),
                  .model_width = model_.width,
                  .sums = caches_.sums.get(),
                  .step_sums = caches_.step_sums.get(),
                  .layers = model_.decoder_layers,
                  .layer = index,
                  .cache = view(caches_.cross, options_.source_positions),
                  .shape = shape_,
                  .context = context_.get()});
  add(layer.cross_out, context_.get(), model_.pre_norm ? layer.ffn_norm : layer.cross_norm, rows);
}

template <typename T>
void DeviceSession<T>::feed_forward(const DeviceLayer<T>& layer, const DeviceNorm& next, int rows) {
  product(h_.get(), rows, layer.fc1, wide_.get());
  stream_.launch(bias_relu<T>, {.blocks = rows, .threads = kReluThreads},
                 {places_.get(), model_.ffn, wide_.get(), layer.fc1.bias.get(), inner_.get()});
  add(layer.fc2, inner_.get(), next, rows);
}

template <typename T>
void DeviceSession<T>::add(const DeviceLinear<T>& linear, const T* from, const DeviceNorm& norm,
                           int rows) {
  stream_.product(from, rows, linear.weight.get(), linear.outputs, linear.inputs, x_.get(),
                  /*add=*/true);
  stream_.launch(end_sublayer<T>,
                 {.blocks = (rows + kRowWarps - 1) / kRowWarps, .threads = kRowWarps * kWarp},
                 {.places = places_.get(),
                  .rows = rows,
                  .width = model_.width,
                  .bias = linear.bias.get(),
                  .norm = norm.view(),
                  .keep = !model_.pre_norm,
                  .x = x_.get(),
                  .h = h_.get()});
}

template <typename T>
void DeviceSession<T>::choose_tokens(int rows) {
  const auto width = static_cast<std::size_t>(model_.width);
  for (int first = 0; first < rows; first += kLogitRows) {
    const int count = std::min(kLogitRows, rows - first);
    const auto at = static_cast<std::size_t>(first);
    stream_.product(h_.get() + at * width, count, weights_.projection(), model_.target_vocabulary,
                    model_.width, logits_.get(), /*add=*/false);
    stream_.launch(argmax_logits<float>,
                   {.blocks = count,
                    .threads = kChooseThreads,
                    .shared = kChooseThreads / kWarp * sizeof(Best)},
                   {places_.get() + at, decode_.get() + at, logits_.get(), model_.target_vocabulary,
                    outcomes_.get() + at});
  }
}

}  // namespace

std::unique_ptr<Session> open_session(const cuda_module::Model& model,
                                      const cuda_module::Options& options) {
  device_name();  // throws if there is no usable device
  if (options.half) return std::make_unique<DeviceSession<Half>>(model, options);
  return std::make_unique<DeviceSession<float>>(model, options);
}

}  // namespace surtitle::cuda
