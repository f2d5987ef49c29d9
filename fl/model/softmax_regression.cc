#include "dpbudget/fl/model/softmax_regression.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "dpbudget/accounting/require.h"
#include "dpbudget/fl/model/records.h"
#include "dpbudget/mechanisms/clip.h"

namespace dpbudget::fl {
namespace {

using Eigen::Dynamic;
using Eigen::Index;
template <class Scalar>
using Parameters = Eigen::Ref<const Eigen::Matrix<Scalar, Dynamic, 1>>;

// Records per matrix product: few enough that inputs and outputs stay in the cache between the two products.
constexpr Index block = 128;

// Calls visit(count, row_at) for consecutive blocks of the rows row(0), ..., row(records - 1).
template <class Row, class Visit>
void for_each_block(Index records, Row&& row, Visit&& visit) {
  for (Index begin = 0; begin < records; begin += block)
    visit(std::min(block, records - begin), [&](Index i) { return row(begin + i); });
}

// Gathers a block's records, each with the bias's 1, and leaves in outputs their logits less the largest: what exp
// takes without overflow.
template <class Scalar, class Workspace, class RowAt>
void shifted_logits(const Parameters<Scalar>& parameters, const Dataset& dataset, Index count, RowAt&& row_at,
                    Workspace& workspace) {
  const Index features = dataset.features.cols();
  workspace.inputs.resize(block, features + 1);
  workspace.outputs.resize(block, dataset.classes);
  workspace.per_record.resize(block);
  for (Index i = 0; i < count; ++i) {
    const std::uint32_t row = row_at(i);
    require_row(dataset, row);
    workspace.inputs.row(i).head(features) = dataset.features.row(row).template cast<Scalar>();
    workspace.inputs(i, features) = 1;
  }
  using Weights = Eigen::Matrix<Scalar, Dynamic, Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Weights> weights(parameters.data(), features + 1, dataset.classes);
  auto outputs = workspace.outputs.topRows(count);
  auto largest = workspace.per_record.head(count);
  outputs.noalias() = workspace.inputs.topRows(count) * weights;
  largest = outputs.rowwise().maxCoeff();
  outputs.colwise() -= largest;
}

// The gradient of a record's cross-entropy is its inputs times (its probabilities - one-hot label) transposed. Turns
// shifted logits into the second factor.
template <class Workspace, class RowAt>
void residuals(const Dataset& dataset, Index count, RowAt&& row_at, Workspace& workspace) {
  auto outputs = workspace.outputs.topRows(count).array();
  auto total = workspace.per_record.head(count).array();
  outputs = outputs.exp();
  total = outputs.rowwise().sum();
  outputs.colwise() /= total;
  for (Index i = 0; i < count; ++i) outputs(i, label_at(dataset, row_at(i))) -= 1;
}

// The norm of record i's gradient, from the squared norm of its residual in per_record.
template <class Workspace>
double gradient_norm(const Workspace& workspace, Index i) {
  const auto inputs_squared_norm = workspace.inputs.row(i).squaredNorm();
  return std::sqrt(static_cast<double>(workspace.per_record(i)) * static_cast<double>(inputs_squared_norm));
}

// Scales each record's residual, and so its gradient, to norm at most clip_norm. Returns the largest norms.
template <class Workspace>
Norms clip_residuals(Index count, double clip_norm, Workspace& workspace) {
  auto outputs = workspace.outputs.topRows(count).array();
  auto per_record = workspace.per_record.head(count).array();
  per_record = outputs.matrix().rowwise().squaredNorm();
  Norms norms;
  for (Index i = 0; i < count; ++i) {
    const double norm = gradient_norm(workspace, i);
    per_record(i) =
        static_cast<typename decltype(Workspace::per_record)::Scalar>(mechanisms::clip_factor(norm, clip_norm));
    norms = norms.with({norm, norm * static_cast<double>(per_record(i))});
  }
  outputs.colwise() *= per_record;
  return norms;
}

template <class Scalar, class Workspace, class Row>
double mean_cross_entropy(const Parameters<Scalar>& parameters, const Dataset& dataset, Index records, Row&& row,
                          Workspace& workspace) {
  double sum = 0;
  for_each_block(records, row, [&](Index count, auto&& row_at) {
    shifted_logits<Scalar>(parameters, dataset, count, row_at, workspace);
    auto outputs = workspace.outputs.topRows(count).array();
    auto log_total = workspace.per_record.head(count).array();
    log_total = outputs.exp().rowwise().sum().log();
    for (Index i = 0; i < count; ++i)
      sum += static_cast<double>(log_total(i)) - static_cast<double>(outputs(i, label_at(dataset, row_at(i))));
  });
  return sum / static_cast<double>(records);
}

template <class Scalar, class Workspace, class Row>
double share_right(const Parameters<Scalar>& parameters, const Dataset& dataset, Index records, Row&& row,
                   Workspace& workspace) {
  std::uint64_t right = 0;
  for_each_block(records, row, [&](Index count, auto&& row_at) {
    shifted_logits<Scalar>(parameters, dataset, count, row_at, workspace);
    for (Index i = 0; i < count; ++i) {
      Index likeliest = 0;
      workspace.outputs.row(i).maxCoeff(&likeliest);
      if (likeliest == label_at(dataset, row_at(i))) ++right;
    }
  });
  return static_cast<double>(right) / static_cast<double>(records);
}

}  // namespace

template <class Scalar>
SoftmaxRegression<Scalar>::SoftmaxRegression(Index features, int classes) : features_(features), classes_(classes) {
  require(1 <= features, "features", features, "at least 1");
  require(2 <= classes, "classes", classes, "at least 2");
}

template <class Scalar>
Norms SoftmaxRegression<Scalar>::clipped_gradient_sum(Eigen::Ref<const Vector> parameters, const Dataset& dataset,
                                                      std::span<const std::uint32_t> rows, double clip_norm,
                                                      Workspace& workspace, Eigen::Ref<Vector> out) const {
  require_length(parameters.size(), "parameters", dimension());
  require_length(out.size(), "out", dimension());
  require_labelled(dataset, features_, classes_);
  require(0 < clip_norm, "clip_norm", clip_norm, "positive (infinity clips nothing)");
  out.setZero();
  using Weights = Eigen::Matrix<Scalar, Dynamic, Dynamic, Eigen::RowMajor>;
  Eigen::Map<Weights> sum(out.data(), features_ + 1, classes_);
  Norms norms;
  const auto row = [&](Index i) { return rows[static_cast<std::size_t>(i)]; };
  for_each_block(static_cast<Index>(rows.size()), row, [&](Index count, auto&& row_at) {
    shifted_logits<Scalar>(parameters, dataset, count, row_at, workspace);
    residuals(dataset, count, row_at, workspace);
    norms = norms.with(clip_residuals(count, clip_norm, workspace));
    sum.noalias() += workspace.inputs.topRows(count).transpose() * workspace.outputs.topRows(count);
  });
  return norms;
}

template <class Scalar>
void SoftmaxRegression<Scalar>::gradient_norms(Eigen::Ref<const Vector> parameters, const Dataset& dataset,
                                               std::span<const std::uint32_t> rows, Workspace& workspace,
                                               std::span<double> out) const {
  require_length(parameters.size(), "parameters", dimension());
  require(out.size() == rows.size(), "out", std::to_string(out.size()) + " long", "as long as rows");
  require_labelled(dataset, features_, classes_);
  auto next = out.begin();
  const auto row = [&](Index i) { return rows[static_cast<std::size_t>(i)]; };
  for_each_block(static_cast<Index>(rows.size()), row, [&](Index count, auto&& row_at) {
    shifted_logits<Scalar>(parameters, dataset, count, row_at, workspace);
    residuals(dataset, count, row_at, workspace);
    workspace.per_record.head(count) = workspace.outputs.topRows(count).rowwise().squaredNorm();
    for (Index i = 0; i < count; ++i) {
      const double norm = gradient_norm(workspace, i);
      require(std::isfinite(norm), "norm", norm, "finite");
      *next++ = norm;
    }
  });
}

template <class Scalar>
double SoftmaxRegression<Scalar>::loss(Eigen::Ref<const Vector> parameters, const Dataset& dataset,
                                       std::span<const std::uint32_t> rows, Workspace& workspace) const {
  require_length(parameters.size(), "parameters", dimension());
  require_labelled(dataset, features_, classes_);
  require(!rows.empty(), "rows", "empty", "at least one");
  const auto row = [&](Index i) { return rows[static_cast<std::size_t>(i)]; };
  return mean_cross_entropy<Scalar>(parameters, dataset, static_cast<Index>(rows.size()), row, workspace);
}

template <class Scalar>
double SoftmaxRegression<Scalar>::loss(Eigen::Ref<const Vector> parameters, const Dataset& dataset,
                                       Workspace& workspace) const {
  require_length(parameters.size(), "parameters", dimension());
  require_labelled(dataset, features_, classes_);
  require(dataset.records() > 0, "dataset", "empty", "of at least one record");
  const auto row = [](Index i) { return static_cast<std::uint32_t>(i); };
  return mean_cross_entropy<Scalar>(parameters, dataset, dataset.features.rows(), row, workspace);
}

template <class Scalar>
double SoftmaxRegression<Scalar>::accuracy(Eigen::Ref<const Vector> parameters, const Dataset& dataset,
                                           std::span<const std::uint32_t> rows, Workspace& workspace) const {
  require_length(parameters.size(), "parameters", dimension());
  require_labelled(dataset, features_, classes_);
  require(!rows.empty(), "rows", "empty", "at least one");
  const auto row = [&](Index i) { return rows[static_cast<std::size_t>(i)]; };
  return share_right<Scalar>(parameters, dataset, static_cast<Index>(rows.size()), row, workspace);
}

template <class Scalar>
double SoftmaxRegression<Scalar>::accuracy(Eigen::Ref<const Vector> parameters, const Dataset& dataset,
                                           Workspace& workspace) const {
  require_length(parameters.size(), "parameters", dimension());
  require_labelled(dataset, features_, classes_);
  require(dataset.records() > 0, "dataset", "empty", "of at least one record");
  const auto row = [](Index i) { return static_cast<std::uint32_t>(i); };
  return share_right<Scalar>(parameters, dataset, dataset.features.rows(), row, workspace);
}

template class SoftmaxRegression<float>;
template class SoftmaxRegression<double>;

}  // namespace dpbudget::fl
