#include "dpbudget/fl/data/synthetic.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::fl {
namespace {

using Eigen::Index;
using mechanisms::Purpose;
using mechanisms::Stream;

// The part of a user that a stream makes: each has its own, so that no part depends on how much another drew.
enum class Part : std::uint64_t { model, input_mean, records, label_noise, size };

Stream stream_of(const Synthetic& parameters, std::uint64_t user, Part part) {
  return Stream({parameters.seed, Purpose::data_generation, 0, user, static_cast<std::uint64_t>(part)});
}

// Means and variance-one draws around them: what D.2 does for W, b and v alike.
template <class Numbers>
void draw_drifted(double mean_variance, Stream& stream, Numbers&& numbers) {
  constexpr std::size_t most = synthetic_classes * synthetic_features;
  std::array<double, 2 * most> draws;
  const auto drawn = std::span(draws).first(2 * static_cast<std::size_t>(numbers.size()));
  stream.fill_normal(drawn);
  const double mean_std = std::sqrt(mean_variance);
  std::size_t next = 0;
  for (double& number : numbers) {
    const double mean = mean_std * drawn[next];
    number = mean + drawn[next + 1];
    next += 2;
  }
}

void check_variances(const Synthetic& parameters) {
  for (const auto& [name, variance] : {std::pair("alpha", parameters.alpha), std::pair("beta", parameters.beta)})
    require(0 <= variance && std::isfinite(variance) && (!parameters.is_iid || variance == 0), name, variance,
            parameters.is_iid ? "0 for Synthetic-IID" : "finite and not negative");
}

std::vector<std::uint64_t> sizes_of(const Synthetic& parameters) {
  const std::uint64_t records = parameters.records_per_user;
  const std::uint64_t users = parameters.users;
  constexpr std::uint64_t limit = std::uint64_t{1} << 32;
  if (parameters.sizes == SyntheticSizes::equal) {
    require(2 <= records && records < limit, "records_per_user", records, "in [2, 2^32)");
    require(1 <= users && users <= (limit - 1) / records, "users", users,
            "at least 1 and, times records_per_user, below 2^32");
    return std::vector<std::uint64_t>(users, records);
  }
  constexpr std::uint64_t smallest = 50;
  require(1 <= users && users <= (limit - 1) / smallest, "users", users, "at least 1 and, times 50, below 2^32");
  std::vector<std::uint64_t> sizes(users);
  std::uint64_t total = 0;
  for (std::uint64_t user = 0; user < users; ++user) {
    // A normal draw from 64 random bits is below 10, so the exponential is below 2^40.
    sizes[user] = smallest + to_integer<std::uint64_t>(
                                 std::exp(4 + 2 * stream_of(parameters, user, Part::size).normal()), "records");
    total += sizes[user];
  }
  require(total < limit, "users", users, "few enough for their records to stay below 2^32");
  return sizes;
}

}  // namespace

SyntheticUser synthetic_user(const Synthetic& parameters, std::uint64_t user) {
  check_variances(parameters);
  SyntheticUser drawn{Matrix(synthetic_classes, synthetic_features), Eigen::RowVectorXd(synthetic_classes),
                      Eigen::RowVectorXd(synthetic_features)};
  Stream model = stream_of(parameters, parameters.is_iid ? 0 : user, Part::model);
  draw_drifted(parameters.alpha, model, drawn.weights.reshaped());
  draw_drifted(parameters.alpha, model, drawn.bias);
  if (parameters.is_iid) {
    drawn.input_mean.setZero();
    return drawn;
  }
  Stream input_mean = stream_of(parameters, user, Part::input_mean);
  draw_drifted(parameters.beta, input_mean, drawn.input_mean);
  return drawn;
}

SyntheticCounts synthetic_counts(const Synthetic& parameters) {
  check_variances(parameters);
  SyntheticCounts counts;
  counts.train = sizes_of(parameters);
  counts.test.reserve(counts.train.size());
  // Of a user's n records, the first floor(4 n / 5) train.
  for (std::uint64_t& size : counts.train) {
    counts.test.push_back(size - size * 4 / 5);
    size = size * 4 / 5;
  }
  return counts;
}

std::string describe(const Synthetic& parameters, const SyntheticCounts& counts) {
  const bool equal = parameters.sizes == SyntheticSizes::equal;
  const auto total = [&](const std::vector<std::uint64_t>& some) {
    return equal ? some.front() : std::accumulate(some.begin(), some.end(), std::uint64_t{0});
  };
  return fmt::format(
      "{}, {} users of {}{} + {} records, seed {}",
      parameters.is_iid ? "synthetic-iid" : fmt::format("synthetic({}, {})", parameters.alpha, parameters.beta),
      parameters.users, equal ? "" : "power-law sizes, ", total(counts.train), total(counts.test), parameters.seed);
}

Dataset synthetic_form(std::uint64_t records) {
  Dataset dataset;
  dataset.features.resize(static_cast<Index>(records), synthetic_features);
  dataset.labels.resize(records);
  dataset.classes = synthetic_classes;
  return dataset;
}

SyntheticRecords::SyntheticRecords(const Synthetic& parameters, std::uint64_t user)
    : user_(synthetic_user(parameters, user)),
      inputs_(stream_of(parameters, user, Part::records)),
      label_noise_(stream_of(parameters, user, Part::label_noise)) {}

void SyntheticRecords::draw(Dataset& dataset, std::uint64_t first, std::uint64_t count) {
  static const Eigen::RowVectorXd input_std = [] {
    Eigen::RowVectorXd stds(synthetic_features);
    for (Index j = 0; j < synthetic_features; ++j) stds(j) = std::pow(static_cast<double>(j + 1), -0.6);
    return stds;
  }();
  auto features = dataset.features.middleRows(static_cast<Index>(first), static_cast<Index>(count));
  inputs_.fill_normal({features.data(), static_cast<std::size_t>(features.size())});
  for (Index i = 0; i < features.rows(); ++i)
    features.row(i) = user_.input_mean + input_std.cwiseProduct(features.row(i));

  const Matrix logits = (features * user_.weights.transpose()).rowwise() + user_.bias;
  for (Index i = 0; i < features.rows(); ++i) {
    Index label = 0;
    logits.row(i).maxCoeff(&label);
    if (label_noise_.uniform() < synthetic_label_noise) {
      const auto shift = 1 + to_integer<Index>(label_noise_.uniform() * (synthetic_classes - 1), "label");
      label = (label + shift) % synthetic_classes;
    }
    dataset.labels[first + static_cast<std::size_t>(i)] = static_cast<std::int32_t>(label);
  }
}

FederatedData synthetic(const Synthetic& parameters) {
  const SyntheticCounts counts = synthetic_counts(parameters);
  std::vector<std::uint64_t> first_train{0};
  std::vector<std::uint64_t> first_test{0};
  std::partial_sum(counts.train.begin(), counts.train.end(), std::back_inserter(first_train));
  std::partial_sum(counts.test.begin(), counts.test.end(), std::back_inserter(first_test));
  FederatedData data{
      synthetic_form(first_train.back()), synthetic_form(first_test.back()), {}, describe(parameters, counts)};
  data.clients.resize(parameters.users);
  data.test_clients.resize(parameters.users);
  tbb::parallel_for(std::uint64_t{0}, parameters.users, [&](std::uint64_t user) {
    SyntheticRecords records(parameters, user);
    const auto draw = [&](const std::vector<std::uint64_t>& first, Dataset& dataset, std::vector<std::uint32_t>& rows) {
      rows.resize(first[user + 1] - first[user]);
      records.draw(dataset, first[user], rows.size());
      std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(first[user]));
    };
    draw(first_train, data.train, data.clients[user]);
    draw(first_test, data.test, data.test_clients[user]);
  });
  return data;
}

}  // namespace dpbudget::fl
