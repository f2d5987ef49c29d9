/// @file
/// Clipped gradients per second and core of the neural networks: a dense one of 60 principal components, 200 hidden
/// units and 10 classes, and the convolutional one for MNIST and CIFAR-10, in batches of 160.

#include <benchmark/benchmark.h>

#include <numeric>
#include <vector>

#include "dpbudget/fl/model/catalogue.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::fl {
namespace {

constexpr std::uint32_t batch = 160;

Dataset random_records(Eigen::Index features) {
  mechanisms::Stream stream({1, mechanisms::Purpose::data_generation, 0, 0, 0});
  Dataset dataset{Matrix(4 * batch, features), std::vector<std::int32_t>(4 * batch), 10};
  for (double& value : dataset.features.reshaped()) value = stream.uniform();
  for (std::int32_t& label : dataset.labels) label = static_cast<std::int32_t>(10 * stream.uniform());
  return dataset;
}

void ClippedGradients(benchmark::State& state, const char* name, Eigen::Index features) {
  const Dataset dataset = random_records(features);
  const auto model = make_model(name, dataset);
  const auto workspace = model->workspace();
  const Vector parameters = model->initial(1);
  Vector sum(model->dimension());
  std::vector<std::uint32_t> rows(batch);
  std::iota(rows.begin(), rows.end(), 0);
  for (auto _ : state) {
    benchmark::DoNotOptimize(model->clipped_gradient_sum(parameters, dataset, rows, 0.5, *workspace, sum));
    for (std::uint32_t& row : rows) row = (row + batch) % static_cast<std::uint32_t>(dataset.records());
  }
  state.SetItemsProcessed(state.iterations() * batch);
}
BENCHMARK_CAPTURE(ClippedGradients, softmax_60_10, "softmax", 60)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ClippedGradients, mlp_60_200_10, "mlp:200", 60)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ClippedGradients, mlp_60_1200_10, "mlp:1200", 60)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ClippedGradients, cnn_28x28x1, "cnn", 784)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ClippedGradients, cnn_32x32x3, "cnn", 3072)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dpbudget::fl
