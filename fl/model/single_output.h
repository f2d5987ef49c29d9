/// @file
/// Losses of one number, an affine function of the record.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>

#include "dpbudget/fl/model/model.h"

namespace dpbudget::fl {

/// log(1 + exp(-m)) of the margin m: the output for label 1, minus it for label 0.
struct LogisticLoss {
  static double value(double margin, double squared_norm);
  static double slope(double margin, double squared_norm);
};

/// The hinge loss f = max(0, 1 - m), smoothed as a function of the parameters w: min over v of f(v) + (b/2) |v - w|^2.
/// With L = |x|, the norm of the record with the bias's 1, it is convex, L-Lipschitz and b-smooth, at most f and at
/// least f - L^2 / (2 b).
///
/// The minimum is at v = w + t y x, t = clamp((1 - m) / |x|^2, 0, 1 / b), y = +1 or -1: only the margin and |x|
/// matter.
/// @source Nesterov 2005, "Smooth minimization of non-smooth functions"; Lowy, Razaviyayn 2023, Lemma D.9
struct SmoothedHingeLoss {
  double smoothing;  ///< b; positive and finite
  double value(double margin, double squared_norm) const;
  double slope(double margin, double squared_norm) const;
};

/// A head of BlockModel for two classes: one output, whose margin `Loss` takes, with the squared norm of the record and
/// the bias's 1; its slope is the derivative by the margin. What the functions do is as in cross_entropy.h; a record
/// whose output is 0 is of class 0.
template <class Loss, class Scalar>
class MarginHead {
 public:
  using Values = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  static constexpr Score score_kind = Score::accuracy;

  explicit MarginHead(Loss loss) : loss_(loss) {}

  /// @throws InvalidArgument naming dataset unless it has that many features and one label per record, of 2 classes
  void check(const Dataset& dataset, Eigen::Index features) const;
  double losses(const Dataset& dataset, std::span<const std::uint32_t> rows, Eigen::Ref<const Values> inputs,
                Eigen::Ref<const Values> outputs) const;
  void differentiate(const Dataset& dataset, std::span<const std::uint32_t> rows, Eigen::Ref<const Values> inputs,
                     Eigen::Ref<Values> outputs) const;
  double scores(const Dataset& dataset, std::span<const std::uint32_t> rows, Eigen::Ref<const Values> outputs) const;

 private:
  Loss loss_;
};

extern template class MarginHead<LogisticLoss, float>;
extern template class MarginHead<LogisticLoss, double>;
extern template class MarginHead<SmoothedHingeLoss, float>;
extern template class MarginHead<SmoothedHingeLoss, double>;

/// A head of BlockModel for numbers: one output, half its squared distance from the record's target the loss, all of it
/// the score.
template <class Scalar>
class SquaredErrorHead {
 public:
  using Values = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  static constexpr Score score_kind = Score::mean_squared_error;

  /// @throws InvalidArgument naming dataset unless it has that many features and one target per record
  static void check(const Dataset& dataset, Eigen::Index features);
  static double losses(const Dataset& dataset, std::span<const std::uint32_t> rows, Eigen::Ref<const Values> inputs,
                       Eigen::Ref<const Values> outputs);
  static void differentiate(const Dataset& dataset, std::span<const std::uint32_t> rows,
                            Eigen::Ref<const Values> inputs, Eigen::Ref<Values> outputs);
  static double scores(const Dataset& dataset, std::span<const std::uint32_t> rows, Eigen::Ref<const Values> outputs);
};

extern template class SquaredErrorHead<float>;
extern template class SquaredErrorHead<double>;

}  // namespace dpbudget::fl
