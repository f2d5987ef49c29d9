#include "dpbudget/accounting/loss_distribution/accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/answer.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/clipped_batches.h"
#include "dpbudget/accounting/loss_distribution/finite_plan.h"
#include "dpbudget/accounting/numeric/exponential.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/pure.h"

namespace dpbudget::loss_distribution {
namespace {

// What a transform may lose of delta, or what is found without one, relative to the aim and to the tolerance.
constexpr double share_of_tolerance = 0.1;

// Mass that a release may leave out while its outline is drawn.
constexpr double tail_of_outline = 1e-20;

Outline checked_outline(const NormalPlan& plan, double tolerance) {
  require(0 < tolerance && tolerance < 1, "tolerance", tolerance, "in (0, 1)");
  return outline(plan, tail_of_outline);
}

void take_better(MeshAnswer& best, const MeshAnswer& other, Question::Wanted wanted) {
  if (other.dominating.upper < best.dominating.upper) {
    best.dominating.upper = other.dominating.upper;
    best.witnesses.upper = other.witnesses.upper;
  }
  if (other.attained > best.attained) {
    best.attained = other.attained;
    best.witnesses.lower = other.witnesses.lower;
  }
  best.dominating.lower = std::max(best.dominating.lower, other.dominating.lower);
  best.width = relative_width(wanted, best.dominating);
}

}  // namespace

Accountant::Accountant(const NormalPlan& plan, double tolerance, double aim)
    : tolerance_(tolerance),
      outline_(checked_outline(plan, tolerance)),
      aim_(outline_.basis.is_unattained() ? tolerance : aim),
      largest_loss_(pure_epsilon(plan.event(), plan.adjacency())),
      evaluator_(plan, aim_ * share_of_tolerance, tolerance * share_of_tolerance) {}

MeshAnswer Accountant::answer(const Question& question) {
  // No loss is above what the plan's pure epsilons add up to.
  if (question.wanted == Question::Wanted::log_delta &&
      question.given >= numeric::multiply_up(static_cast<double>(question.count), largest_loss_))
    return {{-infinity, -infinity}, -infinity, 0, mesh_.value_or(0), {{}, witness::LargestLoss{largest_loss_}}};
  // Gaussians compose to one, which takes no transform.
  const NormalPlan& plan = evaluator_.plan();
  if (question.count > 1 && gaussian_noise(plan.event(), Rounding::up))
    return Accountant(plan.repeated(question.count), tolerance_, aim_)
        .answer({question.wanted, 1, question.given, question.is_from_above, question.beside});
  const bool is_unattained = outline_.basis.is_unattained();
  if (auto exact = finite_answer(plan, is_unattained, question)) return *std::move(exact);
  const auto joined = joined_answer(plan, is_unattained, question, tolerance_);
  if (joined && joined->width <= tolerance_) return *joined;
  MeshSearch search(evaluator_, outline_, tolerance_, aim_, question);
  MeshAnswer found{};
  if (joined) {
    const auto beside = answered([&] { return search.run(mesh_, MeshSearch::little_in_vain); });
    if (!beside) return *joined;
    found = *beside;
    take_better(found, *joined, question.wanted);
  } else {
    found = search.run(mesh_, question.beside ? MeshSearch::in_vain_beside : MeshSearch::most_in_vain);
  }
  mesh_ = found.mesh;
  const auto of_game = clipped_batches_from_above(evaluator_, outline_.basis.is_directed(), question, found);
  if (of_game && *of_game < found.dominating.upper) {
    found.dominating.upper = *of_game;
    found.is_of_game = true;
  }
  return found;
}

Bound Accountant::bound(const MeshAnswer& answer, double lower, double upper, std::uint64_t count) const {
  Bound result = outline_.basis.bound(lower, upper, count, answer.is_of_game);
  result.witnesses = answer.witnesses;
  result.is_resolved = answer.width <= tolerance_;
  // A game's value is no sum on a mesh.
  if (answer.is_of_game) result.witnesses.upper = {};
  if (answer.width > tolerance_)
    result.notes.push_back(fmt::format(
        "the tolerance {} was not reached, only {:.2g}: a finer mesh takes too many points, or rounding hides it",
        tolerance_, answer.width));
  return result;
}

Bound Accountant::epsilon(std::uint64_t count, double delta) {
  return epsilon_of({Question::Wanted::epsilon, count, delta});
}

Bound Accountant::epsilon_from_above(std::uint64_t count, double delta) {
  return epsilon_of({Question::Wanted::epsilon, count, delta, true});
}

Bound Accountant::epsilon_beside(std::uint64_t count, double delta, double budget) {
  ranges::epsilon(budget);
  return epsilon_of({Question::Wanted::epsilon, count, delta, true, budget});
}

DeltaBound Accountant::delta(std::uint64_t count, double epsilon) {
  return delta_of({Question::Wanted::log_delta, count, epsilon});
}

DeltaBound Accountant::delta_from_above(std::uint64_t count, double epsilon) {
  return delta_of({Question::Wanted::log_delta, count, epsilon, true});
}

DeltaBound Accountant::delta_beside(std::uint64_t count, double epsilon, double budget) {
  ranges::delta_from_zero(budget);
  return delta_of({Question::Wanted::log_delta, count, epsilon, true, budget});
}

Bound Accountant::epsilon_of(const Question& question) {
  ranges::delta(question.given);
  const MeshAnswer found = answer(question);
  const double upper = std::max(0.0, found.dominating.upper);
  Bound result = bound(found, std::max(0.0, found.attained), upper, question.count);
  // As far as was asked.
  if (question.beside && is_clear_of(*question.beside, std::max(0.0, found.dominating.lower), upper))
    result.is_resolved = true;
  return result;
}

DeltaBound Accountant::delta_of(const Question& question) {
  ranges::epsilon(question.given);
  const MeshAnswer found = answer(question);
  const double log_upper = found.dominating.upper;
  const double lower = numeric::exp_down(found.attained, 0x1p-40);
  const double upper = upper_delta(log_upper);
  const auto rounding = [](double log_value) {
    return std::isinf(log_value) ? 0 : 0x1p-49 * (1 + std::abs(log_value));
  };
  return {bound(found, lower, upper, question.count), found.attained - rounding(found.attained),
          std::min(0.0, log_upper + rounding(log_upper))};
}

}  // namespace dpbudget::loss_distribution
