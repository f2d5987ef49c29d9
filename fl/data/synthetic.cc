#include "dpbudget/fl/data/synthetic.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "dpbudget/accounting/require.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::fl {
namespace {

using Eigen::Index;
using mechanisms::Purpose;
using mechanisms::Stream;

// The part of a user that a stream makes: each has its own, so that no part depends on how much another drew.
enum class Part : std::uint64_t { model, input_mean, records, label_noise };

Stream stream_of(const Synthetic& parameters, std::uint64_t user, Part part) {
  return Stream({parameters.seed, Purpose::data_generation, 0, user, static_cast<std::uint64_t>(part)});
}

// Mean and variance-one draws around it: what D.2 does for W, b and v alike.
double drifted(double mean_variance, Stream& stream) {
  const double mean = std::sqrt(mean_variance) * stream.normal();
  return mean + stream.normal();
}

void check_variances(const Synthetic& parameters) {
  for (const auto& [name, variance] : {std::pair("alpha", parameters.alpha), std::pair("beta", parameters.beta)})
    require(0 <= variance && std::isfinite(variance), name, variance, "finite and not negative");
}

// The user's next records, into rows [begin, begin + count) of the data set.
void draw_records(const SyntheticUser& user, Index begin, Index count, Stream& inputs, Stream& label_noise,
                  Dataset& dataset) {
  Eigen::RowVectorXd input_std(synthetic_features);
  for (Index j = 0; j < synthetic_features; ++j) input_std(j) = std::pow(static_cast<double>(j + 1), -0.6);
  auto features = dataset.features.middleRows(begin, count);
  for (Index i = 0; i < count; ++i)
    for (Index j = 0; j < synthetic_features; ++j) features(i, j) = user.input_mean(j) + input_std(j) * inputs.normal();

  const Matrix logits = (features * user.weights.transpose()).rowwise() + user.bias;
  for (Index i = 0; i < count; ++i) {
    Index label = 0;
    logits.row(i).maxCoeff(&label);
    if (label_noise.uniform() < synthetic_label_noise) {
      const auto shift = 1 + static_cast<Index>(label_noise.uniform() * (synthetic_classes - 1));
      label = (label + shift) % synthetic_classes;
    }
    dataset.labels[static_cast<std::size_t>(begin + i)] = static_cast<std::int32_t>(label);
  }
}

Dataset sized(std::uint64_t records) {
  Dataset dataset;
  dataset.features.resize(static_cast<Index>(records), synthetic_features);
  dataset.labels.resize(records);
  dataset.classes = synthetic_classes;
  return dataset;
}

}  // namespace

SyntheticUser synthetic_user(const Synthetic& parameters, std::uint64_t user) {
  check_variances(parameters);
  SyntheticUser drawn{Matrix(synthetic_classes, synthetic_features), Eigen::RowVectorXd(synthetic_classes),
                      Eigen::RowVectorXd(synthetic_features)};
  Stream model = stream_of(parameters, user, Part::model);
  for (double& weight : drawn.weights.reshaped()) weight = drifted(parameters.alpha, model);
  for (double& bias : drawn.bias) bias = drifted(parameters.alpha, model);
  Stream input_mean = stream_of(parameters, user, Part::input_mean);
  for (double& coordinate : drawn.input_mean) coordinate = drifted(parameters.beta, input_mean);
  return drawn;
}

FederatedData synthetic(const Synthetic& parameters) {
  check_variances(parameters);
  const auto& [alpha, beta, users, records, seed] = parameters;
  constexpr std::uint64_t limit = std::uint64_t{1} << 32;
  require(2 <= records && records < limit, "records_per_user", records, "in [2, 2^32)");
  require(1 <= users && users <= (limit - 1) / records, "users", users,
          "at least 1 and, times records_per_user, below 2^32");

  const std::uint64_t training = records * 4 / 5;
  const std::uint64_t testing = records - training;
  FederatedData data{sized(users * training), sized(users * testing), {}, {}};
  data.clients.resize(users);
  tbb::parallel_for(std::uint64_t{0}, users, [&](std::uint64_t user) {
    const SyntheticUser drawn = synthetic_user(parameters, user);
    Stream inputs = stream_of(parameters, user, Part::records);
    Stream label_noise = stream_of(parameters, user, Part::label_noise);
    const auto first = static_cast<Index>(user);
    draw_records(drawn, first * training, training, inputs, label_noise, data.train);
    draw_records(drawn, first * testing, testing, inputs, label_noise, data.test);
    data.clients[user].resize(training);
    std::iota(data.clients[user].begin(), data.clients[user].end(), static_cast<std::uint32_t>(user * training));
  });
  data.description = fmt::format("synthetic({}, {}), {} users of {} + {} records, seed {}", alpha, beta, users,
                                 training, testing, seed);
  return data;
}

}  // namespace dpbudget::fl
