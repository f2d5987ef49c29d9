/// @file
/// What is trained: a loss over records whose clipped gradients the simulator releases.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dpbudget/fl/data/dataset.h"
#include "dpbudget/fl/model/norms.h"
#include "dpbudget/fl/model/precision.h"
#include "dpbudget/fl/model/single_features.h"

namespace dpbudget::fl {

/// What a model's score on test records is, and which way is better.
enum class Score {
  accuracy,            ///< share of records classified correctly, in [0, 1]; larger is better
  mean_squared_error,  ///< smaller is better
};

/// What is wrong about a model of such a score, in its own unit: smaller is better.
constexpr double error_of(Score kind, double score) { return kind == Score::accuracy ? 1 - score : score; }

/// A loss with parameters in one flat vector. Regularisation is not part of it: its gradient does not depend on data,
/// so it is added after clipping, by whoever steps. Sums are taken in the order of the rows given, so results do not
/// depend on threads.
class Model {
 public:
  /// Memory that calls reuse; one per thread. Contents mean nothing between calls.
  class Workspace {
   public:
    virtual ~Workspace() = default;

    /// Of one data set, which a model of single precision need not round again; null where nobody did. Outlives its
    /// use here.
    const SingleFeatures* single_features = nullptr;
  };

  virtual ~Model() = default;

  virtual std::string name() const = 0;
  virtual Eigen::Index dimension() const = 0;  ///< the number of parameters
  virtual Score score_kind() const = 0;
  virtual Precision precision() const { return Precision::double_; }  ///< what it computes in

  /// The lengths of the tensors that the parameters are, one after the other: what is clipped by itself where each is.
  virtual std::vector<Eigen::Index> tensors() const { return {dimension()}; }

  /// Whether the loss of every record is convex in the parameters.
  virtual bool is_convex() const { return false; }

  /// Where training starts: zero for convex models, else random and a function of `seed` alone.
  virtual Vector initial(std::uint64_t seed) const = 0;

  virtual std::unique_ptr<Workspace> workspace() const = 0;

  /// Sum over the rows of the records' gradients, each scaled to L2 norm at most `clip_norm` (all parameters together),
  /// and less by what rounding could add to the sum: replacing a record moves it by at most 2 clip_norm, as computed.
  ///
  /// @param rows       of the data set; a row given twice counts twice; no rows give 0
  /// @param clip_norm  positive; +infinity clips nothing
  /// @param out        of length dimension(); overwritten
  /// @return the largest norms, of which the second is measured on what was summed; 0 without rows
  /// @throws InvalidArgument naming parameters, out, dataset, rows, label or clip_norm; or norm, when a gradient is not
  /// finite
  virtual Norms clipped_gradient_sum(const Vector& parameters, const Dataset& dataset,
                                     std::span<const std::uint32_t> rows, double clip_norm, Workspace& workspace,
                                     Vector& out) const = 0;

  /// The norms of the records' gradients before clipping, in the order of the rows.
  /// @param out  of the length of rows; overwritten
  virtual void gradient_norms(const Vector& parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
                              Workspace& workspace, std::span<double> out) const = 0;

  /// @return the mean loss over the rows, at least one; NaN or infinite when the parameters are
  virtual double loss(const Vector& parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
                      Workspace& workspace) const = 0;

  /// @return the score on the rows, at least one
  virtual double score(const Vector& parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
                       Workspace& workspace) const = 0;
};

}  // namespace dpbudget::fl
