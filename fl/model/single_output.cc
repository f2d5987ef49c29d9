#include "dpbudget/fl/model/single_output.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/model/records.h"

namespace dpbudget::fl {
namespace {

using Eigen::Index;

// Calls visit(output, row, squared_norm) for each record.
template <class Inputs, class Outputs, class Visit>
void for_each_record(std::span<const std::uint32_t> rows, const Inputs& inputs, Outputs&& outputs, Visit&& visit) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto at = static_cast<Index>(i);
    visit(outputs(at, 0), rows[i], 1 + inputs.row(at).template cast<double>().squaredNorm());
  }
}

double sign_of(const Dataset& dataset, std::uint32_t row) { return label_at(dataset, row) == 1 ? 1 : -1; }

}  // namespace

double LogisticLoss::value(double margin, double /*squared_norm*/) {
  return std::max(-margin, 0.0) + std::log1p(std::exp(-std::abs(margin)));
}

double LogisticLoss::slope(double margin, double /*squared_norm*/) { return -1 / (1 + std::exp(margin)); }

double SmoothedHingeLoss::value(double margin, double squared_norm) const {
  if (1 <= margin) return 0;
  const double short_of = 1 - margin;
  const double reach = squared_norm / smoothing;  // how far the prox can move the margin
  return short_of <= reach ? short_of * (short_of / reach) / 2 : short_of - reach / 2;
}

double SmoothedHingeLoss::slope(double margin, double squared_norm) const {
  // std::clamp hands NaN through.
  return -std::clamp((1 - margin) * smoothing / squared_norm, 0.0, 1.0);
}

template <class Loss, class Scalar>
void MarginHead<Loss, Scalar>::check(const Dataset& dataset, Index features) const {
  require_labelled(dataset, features, 2);
}

template <class Loss, class Scalar>
double MarginHead<Loss, Scalar>::losses(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                        Eigen::Ref<const Values> inputs, Eigen::Ref<const Values> outputs) const {
  double sum = 0;
  for_each_record(rows, inputs, outputs, [&](double output, std::uint32_t row, double squared_norm) {
    sum += loss_.value(sign_of(dataset, row) * output, squared_norm);
  });
  return sum;
}

template <class Loss, class Scalar>
void MarginHead<Loss, Scalar>::differentiate(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                             Eigen::Ref<const Values> inputs, Eigen::Ref<Values> outputs) const {
  for_each_record(rows, inputs, outputs, [&](Scalar& output, std::uint32_t row, double squared_norm) {
    const double sign = sign_of(dataset, row);
    output = static_cast<Scalar>(sign * loss_.slope(sign * output, squared_norm));
  });
}

template <class Loss, class Scalar>
double MarginHead<Loss, Scalar>::scores(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                        Eigen::Ref<const Values> outputs) const {
  double right = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if ((0 < outputs(static_cast<Index>(i), 0)) == (label_at(dataset, rows[i]) == 1)) ++right;
  return right;
}

template class MarginHead<LogisticLoss, float>;
template class MarginHead<LogisticLoss, double>;
template class MarginHead<SmoothedHingeLoss, float>;
template class MarginHead<SmoothedHingeLoss, double>;

template <class Scalar>
void SquaredErrorHead<Scalar>::check(const Dataset& dataset, Index features) {
  const bool fits = dataset.features.cols() == features && dataset.targets.size() == dataset.records();
  if (fits) return;
  require(false, "dataset",
          std::to_string(dataset.features.rows()) + " x " + std::to_string(dataset.features.cols()) +
              " features with " + std::to_string(dataset.targets.size()) + " targets",
          std::to_string(features) + " features wide, as the model, with one target per record");
}

template <class Scalar>
double SquaredErrorHead<Scalar>::losses(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                        Eigen::Ref<const Values> /*inputs*/, Eigen::Ref<const Values> outputs) {
  return scores(dataset, rows, outputs) / 2;
}

template <class Scalar>
void SquaredErrorHead<Scalar>::differentiate(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                             Eigen::Ref<const Values> /*inputs*/, Eigen::Ref<Values> outputs) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Scalar& output = outputs(static_cast<Index>(i), 0);
    output = static_cast<Scalar>(output - dataset.targets[rows[i]]);
  }
}

template <class Scalar>
double SquaredErrorHead<Scalar>::scores(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                        Eigen::Ref<const Values> outputs) {
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double residual = outputs(static_cast<Index>(i), 0) - dataset.targets[rows[i]];
    sum += residual * residual;
  }
  return sum;
}

template class SquaredErrorHead<float>;
template class SquaredErrorHead<double>;

}  // namespace dpbudget::fl
