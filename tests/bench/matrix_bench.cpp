// Benchmarks of matrices with the shapes of the shipped models.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "model/cpu/int8_matrix.h"
#include "model/cpu/packed_matrix.h"
#include "model/cpu/sparse_input_matrix.h"
#include "tests/bench/bench_values.h"

namespace surtitle {
namespace {

// Adds all combinations of outputs, inputs and rows.
void shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"outputs", "inputs", "rows"});
  const std::vector<std::pair<int, int>> matrices = {{768, 256},  {256, 256},  {1024, 256},
                                                     {256, 1024}, {8000, 256}, {320, 1280}};
  for (const auto& [outputs, inputs] : matrices)
    for (const int rows : {1, 6, 48, 96}) benchmark->Args({outputs, inputs, rows});
}

template <typename Matrix>
void multiply(benchmark::State& state, const MatrixInput& input, const Matrix& matrix,
              double bytes_a_weight) {
  std::vector<float> y(static_cast<std::size_t>(input.rows * matrix.outputs()));
  const MatrixOutput output{.bias = nullptr,
                            .first = 0,
                            .count = matrix.outputs(),
                            .y = y.data(),
                            .stride = matrix.outputs()};
  for (auto _ : state) {
    matrix.multiply(input, output);
    benchmark::ClobberMemory();
  }
  const auto weights = static_cast<double>(matrix.outputs() * matrix.inputs());
  state.counters["op/s"] = per_second(2 * weights * static_cast<double>(input.rows));
  state.counters["weight_B/s"] = per_second(weights * bytes_a_weight);
}

void packed_matrix(benchmark::State& state) {
  const auto weight = some_values(state.range(0) * state.range(1));
  const PackedMatrix matrix(weight.data(), state.range(0), state.range(1));
  const auto x = some_values(state.range(2) * state.range(1));
  multiply(state, {.x = x.data(), .rows = state.range(2)}, matrix, sizeof(float));
}
BENCHMARK(packed_matrix)->Apply(shapes);

void int8_matrix(benchmark::State& state) {
  if (!Int8Matrix::supported()) {
    state.SkipWithError("this CPU has no instructions for bytes");
    return;
  }
  const auto weight = some_values(state.range(0) * state.range(1));
  const Int8Matrix matrix(weight.data(), state.range(0), state.range(1));
  const auto x = some_values(state.range(2) * state.range(1));
  QuantizedRows memory;
  multiply(state, quantize_rows(x.data(), state.range(2), state.range(1), memory), matrix, 1);
}
BENCHMARK(int8_matrix)->Apply(shapes);

void sparse_input_matrix(benchmark::State& state) {
  if (!Int8Matrix::supported()) {
    state.SkipWithError("this CPU has no instructions for bytes");
    return;
  }
  const auto weight = some_values(state.range(0) * state.range(1));
  const SparseInputMatrix matrix(weight.data(), state.range(0), state.range(1));
  auto x = some_values(state.range(2) * state.range(1));
  std::mt19937 random;
  for (float& value : x)
    value = static_cast<std::int64_t>(random() % 100) < state.range(3) ? std::abs(value) : 0;
  QuantizedRows memory;
  multiply(state, collect_rows(x.data(), state.range(2), state.range(1), memory), matrix, 1);
}
BENCHMARK(sparse_input_matrix)
    ->ArgNames({"outputs", "inputs", "rows", "percent_above_zero"})
    ->ArgsProduct({{320}, {1280}, {1, 6, 48, 96}, {5, 15, 25, 50}});

void quantize(benchmark::State& state) {
  if (!Int8Matrix::supported()) {
    state.SkipWithError("this CPU has no instructions for bytes");
    return;
  }
  const auto x = some_values(state.range(0) * state.range(1));
  QuantizedRows memory;
  for (auto _ : state)
    benchmark::DoNotOptimize(quantize_rows(x.data(), state.range(1), state.range(0), memory));
  state.counters["values/s"] = per_second(static_cast<double>(x.size()));
}
BENCHMARK(quantize)
    ->Name("quantize_rows")
    ->ArgNames({"inputs", "rows"})
    ->ArgsProduct({{256, 1024}, {1, 6, 48, 96}});

}  // namespace
}  // namespace surtitle
