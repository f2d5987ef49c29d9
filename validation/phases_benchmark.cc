/// @file
/// What the phases of a private step take, and which share that is of the most that the machine could do: products of
/// its fused multiply-adds, draws of the words that they are made of, passes over long vectors beside a copy. The most
/// is measured in the same run.

#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

#include "dpbudget/fl/arithmetic/kernels.h"
#include "dpbudget/fl/arithmetic/products.h"
#include "dpbudget/mechanisms/random.h"
#include "dpbudget/mechanisms/threefry.h"

namespace dpbudget::fl {
namespace {

using Clock = std::chrono::steady_clock;

// Calls a second, the best of several tries, each long enough for the clock.
template <class Work>
double most_calls(Work work) {
  double most = 0;
  for (int attempt = 0; attempt < 10; ++attempt) {
    std::int64_t calls = 0;
    const auto began = Clock::now();
    std::chrono::duration<double> passed{};
    do {
      work();
      ++calls;
      passed = Clock::now() - began;
    } while (passed.count() < 0.02);
    most = std::max(most, static_cast<double>(calls) / passed.count());
  }
  return most;
}

// Multiply-adds a second whose operands never leave the first cache: what the kernels of this machine can do at most.
template <class Scalar>
double most_multiply_adds() {
  constexpr std::ptrdiff_t rows = 8, columns = 48, depth = 160;
  std::vector<Scalar> left(rows, Scalar{1}), right(columns, Scalar{1}), out(rows * columns);
  const MatrixKernels<Scalar>& kernels = matrix_kernels<Scalar>().back();
  const ProductTask<Scalar> task{left.data(), 1,     0,       right.data(), 0,      kernels.lanes,
                                 rows,        depth, columns, out.data(),   columns};
  static const double most = rows * columns * depth * most_calls([&] {
                               kernels.multiply(task);
                               benchmark::DoNotOptimize(out.data());
                             });
  return most;
}

void show_share(benchmark::State& state, const char* name, double amount, double most) {
  state.counters[name] = benchmark::Counter(amount, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["share"] = benchmark::Counter(amount / most, benchmark::Counter::kIsIterationInvariantRate);
}

enum class Product { outputs, gradient };

// What a layer's outputs and its gradient are made of, for a block of records.
template <class Scalar>
void products(benchmark::State& state, Product which) {
  const Eigen::Index records = state.range(0), inputs = state.range(1), outputs = state.range(2);
  const RowMajor<Scalar> records_in = RowMajor<Scalar>::Random(records, inputs);
  const RowMajor<Scalar> weights = RowMajor<Scalar>::Random(inputs, outputs);
  const RowMajor<Scalar> derivatives = RowMajor<Scalar>::Random(records, outputs);
  RowMajor<Scalar> out = which == Product::outputs ? derivatives : weights;
  for (auto _ : state) {
    if (which == Product::outputs)
      multiply<Scalar>(records_in, weights, out);
    else
      multiply_transposed<Scalar>(records_in, derivatives, out);
    benchmark::DoNotOptimize(out.data());
  }
  show_share(state, "multiply-adds", static_cast<double>(records * inputs * outputs), most_multiply_adds<Scalar>());
}
void single_products(benchmark::State& state, Product which) { products<float>(state, which); }
void double_products(benchmark::State& state, Product which) { products<double>(state, which); }
BENCHMARK_CAPTURE(single_products, mlp_outputs, Product::outputs)->Args({128, 785, 200});
BENCHMARK_CAPTURE(single_products, mlp_gradient, Product::gradient)->Args({128, 785, 200});
BENCHMARK_CAPTURE(double_products, softmax_outputs, Product::outputs)->Args({128, 41, 10});
BENCHMARK_CAPTURE(double_products, softmax_gradient, Product::gradient)->Args({128, 41, 10});
BENCHMARK_CAPTURE(single_products, softmax_outputs, Product::outputs)->Args({128, 41, 10});
BENCHMARK_CAPTURE(single_products, softmax_gradient, Product::gradient)->Args({128, 41, 10});

// Random words a second that never leave the first cache. A draw takes one.
double most_words() {
  static constexpr mechanisms::ThreefrySequence sequence{{1, 5}, {2, 3, 4}};
  static std::array<std::uint64_t, 256> words;
  static const double most = words.size() * most_calls([] {
                               mechanisms::threefry_blocks(sequence, 0, words);
                               benchmark::DoNotOptimize(words.data());
                             });
  return most;
}

void draws(benchmark::State& state) {
  mechanisms::Stream stream({1, mechanisms::Purpose::noise, 2, 3, 4});
  std::vector<double> drawn(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    stream.fill_normal(drawn);
    benchmark::DoNotOptimize(drawn.data());
  }
  const auto count = static_cast<double>(drawn.size());
  show_share(state, "draws", count, most_words());
}
BENCHMARK(draws)->Arg(410)->Arg(159'010);

void show_bytes(benchmark::State& state, int vectors) {
  state.counters["bytes"] = benchmark::Counter(static_cast<double>(8 * vectors * state.range(0)),
                                               benchmark::Counter::kIsIterationInvariantRate);
}

// One vector is read, another written: what passes over long ones are to be held against.
void copy(benchmark::State& state) {
  const std::vector<double> from(static_cast<std::size_t>(state.range(0)));
  std::vector<double> to(from.size());
  for (auto _ : state) {
    std::ranges::copy(from, to.begin());
    benchmark::DoNotOptimize(to.data());
  }
  show_bytes(state, 2);
}
BENCHMARK(copy)->Arg(410)->Arg(159'010);

// A local step of SCAFFOLD: five vectors are read, two of them written.
void step(benchmark::State& state) {
  const Eigen::Index length = state.range(0);
  using Vector = Eigen::VectorXd;
  Vector model = Vector::Zero(length), sum = Vector::Zero(length);
  const Vector gradient = Vector::Zero(length), server = Vector::Zero(length), own = Vector::Zero(length);
  for (auto _ : state) {
    for (Eigen::Index j = 0; j < length; ++j) {
      const double direction = gradient[j] + 5e-3 * model[j];
      sum[j] += direction;
      model[j] -= 0.1 * (direction + server[j] - own[j]);
    }
    benchmark::DoNotOptimize(model.data());
    benchmark::DoNotOptimize(sum.data());
  }
  show_bytes(state, 7);
}
BENCHMARK(step)->Arg(410)->Arg(159'010);

}  // namespace
}  // namespace dpbudget::fl
