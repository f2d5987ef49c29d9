/// @file
/// Softmax regression as one of the simulator's models.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "dpbudget/fl/model/model.h"
#include "dpbudget/fl/model/softmax_regression.h"

namespace dpbudget::fl {

/// SoftmaxRegression in double precision, from zero: "softmax".
class SoftmaxModel final : public Model {
 public:
  /// @param features  at least 1
  /// @param classes   at least 2
  /// @throws InvalidArgument naming features or classes
  SoftmaxModel(Eigen::Index features, int classes) : regression_(features, classes) {}

  std::string name() const override { return "softmax"; }
  Eigen::Index dimension() const override { return regression_.dimension(); }
  Score score_kind() const override { return Score::accuracy; }
  Vector initial(std::uint64_t seed) const override;
  std::unique_ptr<Workspace> workspace() const override;
  Norms clipped_gradient_sum(const Vector& parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
                             double clip_norm, Workspace& workspace, Vector& out) const override;
  void gradient_norms(const Vector& parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
                      Workspace& workspace, std::span<double> out) const override;
  double loss(const Vector& parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
              Workspace& workspace) const override;
  double score(const Vector& parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
               Workspace& workspace) const override;

 private:
  SoftmaxRegression<double> regression_;
};

}  // namespace dpbudget::fl
