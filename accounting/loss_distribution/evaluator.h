/// @file
/// Epsilon and delta of a plan at one mesh.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "dpbudget/accounting/loss_distribution/compose.h"
#include "dpbudget/accounting/loss_distribution/distribution.h"
#include "dpbudget/accounting/loss_distribution/plan_losses.h"
#include "dpbudget/accounting/plan/normal_form.h"

namespace dpbudget::loss_distribution {

/// Deltas below e^this are beyond the masses that a double holds: Chernoff's bound is what is left of them.
inline constexpr double log_least_delta = -630;

/// What is asked for, and of what.
struct Question {
  enum class Wanted { epsilon, log_delta };
  Wanted wanted;
  std::uint64_t count;         ///< repetitions of the plan
  double given;                ///< delta in (0, 1), or epsilon in [0, inf)
  bool is_from_above = false;  ///< whether nobody asks what data sets attain, where that is another pair
  /// Enough is a bracket that is_clear_of this epsilon, or an upper end that is at most this delta.
  std::optional<double> beside = std::nullopt;
};

/// Answers from discretisations that are kept until another mesh or a smaller tail is asked for, and on some meshes
/// where they take long to make.
class Evaluator {
 public:
  /// @param accuracy  what a transform may lose of delta, relatively
  /// @param enough    what may be lost, relatively, where one rare loss decides, for a transform that is spared
  Evaluator(NormalPlan plan, double accuracy, double enough);
  Evaluator(NormalPlan plan, double accuracy) : Evaluator(std::move(plan), accuracy, accuracy) {}

  /// Epsilon (negative ones included) or log delta, on the purpose's side.
  /// @param hint  the answer on the other side, if known: near the one sought
  /// @throws Unsupported when the mesh takes more points than allowed
  double operator()(const Question& question, const Purpose& purpose, std::optional<double> hint);

  /// The same of a composition of `parts`, all on one mesh and side.
  double of_parts(const Question& question, const std::vector<Part>& parts, std::optional<double> hint);

  /// What the release needs alone that needs most, or all of them by one rare loss of any, on the lower side: no
  /// composition needs less.
  double of_few_losses(const Question& question, const Purpose& purpose);

  /// Whether rounding decided the last answer, one on the upper side: finer meshes have hardly a better one.
  bool is_drowned() const { return is_drowned_; }

  /// Points discretised and transformed since `start`, for each distinct release.
  double work() const { return work_; }
  /// The same of many distinct releases for all of them together.
  double work_together() const { return work_together_; }
  void start() {
    work_ = work_together_ = 0;
    allowed_ = accuracy_;
  }

  /// Lets transforms lose so many times as much, until the next `start`.
  void loosen(double times) { allowed_ = times * accuracy_; }

  /// What the answers since `begin_mesh` would take on a mesh so many times as fine, with the discretisations that were
  /// there already: a finer one needs its own. Of many distinct releases it is that of all together.
  double work_if_finer(double times) const { return times * (points_at_mesh_ + times * pairs_at_mesh_); }
  void begin_mesh() { points_at_mesh_ = pairs_at_mesh_ = 0; }

  const NormalPlan& plan() const { return plan_; }

 private:
  struct Kept {
    double mesh = 0;
    double tail = 0;
    std::unique_ptr<PlanLosses> losses;
  };

  struct Composition {
    LossDistribution sum;
    double order;  // of the tilt
  };

  void add_work(double of_each, double times_longer) {
    work_ += of_each;
    work_together_ += of_each * times_longer;
  }

  const PlanLosses& losses(const Purpose& purpose);
  Composition compose(const std::vector<Part>& parts, const Focus& focus);
  double epsilon(const std::vector<Part>& parts, double delta, std::optional<double> hint);
  double log_delta(const std::vector<Part>& parts, double epsilon, std::optional<double> hint);

  NormalPlan plan_;
  double accuracy_;
  double enough_;
  double allowed_;  // what transforms may lose now
  bool is_drowned_ = false;
  double work_ = 0;
  double work_together_ = 0;
  double points_at_mesh_ = 0;  // as many times as the mesh is finer
  double pairs_at_mesh_ = 0;   // as many as the square of that
  std::map<std::tuple<Side, Direction, Pair>, std::vector<Kept>> kept_;
};

}  // namespace dpbudget::loss_distribution
