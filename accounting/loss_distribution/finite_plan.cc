#include "dpbudget/accounting/loss_distribution/finite_plan.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/loss_distribution/releases/finite.h"
#include "dpbudget/accounting/loss_distribution/releases/release.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/releases.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;

// A million outcomes take a tenth of a second, and 100 MB.
constexpr FiniteLimits limits{.outcomes = std::size_t{1} << 20, .work = 0x1p21};

constexpr double greatest_loss = 1e300;

// Masses below this leave their rounding to the least double.
constexpr double least_delta = 1e-270;

std::optional<Pieces> outcomes_of(const NormalPlan& plan, std::uint64_t count, Side side, Pair pair) {
  std::vector<Pieces> factors;
  double outcomes = 1;  // unless some are equal
  for (const Release& release : releases_of(plan.event())) {
    // Nothing is cut: the losses are finite.
    const auto once =
        release_pieces(release.event, plan.adjacency(), side, pair, {.step = 1, .tail = least_mass, .limits = limits});
    const bool are_few = release.count == 0 || count <= limits.outcomes / release.count;
    if (!once || !is_finite(*once) || !are_few) return std::nullopt;
    auto repeated = power(*once, release.count * count, limits);
    if (!repeated) return std::nullopt;
    outcomes *= static_cast<double>(repeated->pieces.size());
    if (outcomes > limits.work) return std::nullopt;
    factors.push_back(*std::move(repeated));
  }
  std::optional<Pieces> all = one_atom();
  for (const Pieces& factor : factors) {
    all = product(*all, factor, limits);
    if (!all) return std::nullopt;
  }
  // Sums of losses, and their differences, may be beyond a double.
  const double reach = std::max(-all->pieces.front().low, all->pieces.back().high);
  if (!(reach + all->errors.loss + all->errors.barycentre < greatest_loss)) return std::nullopt;
  return all;
}

// How many sums `count` losses of these pieces have, as a logarithm: few where the pieces are equally far apart.
double log_sums(const Pieces& pieces, double count) {
  const auto others = static_cast<double>(pieces.pieces.size() - 1);
  if (others == 0) return 0;
  const double between = (pieces.pieces.back().low - pieces.pieces.front().low) / others;
  const bool is_lattice = std::ranges::all_of(pieces.pieces, [&](const Piece& piece) {
    const double position = (piece.low - pieces.pieces.front().low) / between;
    return std::abs(position - std::round(position)) < 1e-9;
  });
  return is_lattice ? std::log(count * others + 1)
                    : std::lgamma(count + others + 1) - std::lgamma(count + 1) - std::lgamma(others + 1);
}

// Outcomes on one side of the truth, by their losses.
// accounting/loss_distribution/proofs.md, 4b.4
class Outcomes {
 public:
  Outcomes(const Pieces& pieces, Side side) : is_upper_(side == Side::upper) {
    const double outwards = is_upper_ ? 1 : -1;
    const PieceErrors& errors = pieces.errors;
    outcomes_.reserve(pieces.pieces.size());
    for (const Piece& piece : pieces.pieces) {
      const double loss = is_upper_ ? piece.high + errors.loss : piece.barycentre - errors.barycentre;
      const bool is_accurate = piece.p >= least_mass;
      const double mass = is_accurate ? piece.p : (is_upper_ ? least_mass : 0);
      outcomes_.push_back(
          {loss + outwards * unit * std::abs(loss), mass * (1 + outwards * errors.mass) * (1 + outwards * unit)});
    }
    // What was joined keeps its order but for rounding, and a loss may be moved outwards to have it.
    if (is_upper_) {
      for (std::size_t i = 1; i < outcomes_.size(); ++i)
        outcomes_[i].loss = std::max(outcomes_[i].loss, outcomes_[i - 1].loss);
    } else {
      for (std::size_t i = outcomes_.size(); i-- > 1;)
        outcomes_[i - 1].loss = std::min(outcomes_[i - 1].loss, outcomes_[i].loss);
    }
    at_infinity_ = pieces.p_at_infinity * (1 + outwards * errors.infinity);
    rounding_ = unit * (8 + static_cast<double>(outcomes_.size()));
  }

  double log_delta(double epsilon) const {
    double finite = 0;
    for (std::size_t i = outcomes_.size(); i-- > 0;) {
      const double excess = outcomes_[i].loss - epsilon;
      if (!(excess > 0)) break;
      finite += outcomes_[i].mass * -std::expm1(-excess);
    }
    return std::log(std::min(1.0, at_infinity_ + finite * outwards()));
  }

  // From the largest loss down: delta at a loss from that at the one above, and between them in closed form.
  double epsilon(double delta) const {
    if (at_infinity_ > delta) return infinity;
    const double wanted = (delta - at_infinity_) / outwards();
    double at_loss = 0;  // of delta, the finite part
    double above = 0;    // mass of losses at or above the last one
    double last = outcomes_.back().loss;
    for (std::size_t i = outcomes_.size(); i-- > 0;) {
      const auto [loss, mass] = outcomes_[i];
      const double before = at_loss;
      at_loss += (above - at_loss) * -std::expm1(loss - last);
      if (at_loss > wanted) return between(last, (wanted - before) / (above - before));
      above += mass;
      last = loss;
    }
    // Below the least loss delta goes on to rise to all the mass.
    return above > wanted && above > at_loss ? between(last, (wanted - at_loss) / (above - at_loss)) : -infinity;
  }

 private:
  struct Outcome {
    double loss;
    double mass;
  };

  double outwards() const { return is_upper_ ? 1 + rounding_ : 1 - rounding_; }

  // Where delta has risen by `share` of the way to the mass at or above `loss`.
  double between(double loss, double share) const {
    const double fall = std::log1p(-std::clamp(share, 0.0, 1.0));
    return loss + fall + (is_upper_ ? unit : -unit) * (std::abs(loss) + std::abs(fall));
  }

  bool is_upper_;
  std::vector<Outcome> outcomes_;
  double at_infinity_;
  double rounding_;
};

struct LargestSum {
  double value;
  std::uint64_t outcomes;
};

// The largest over the directions.
std::optional<LargestSum> found(const NormalPlan& plan, const Question& question, Side side, Pair pair) {
  std::optional<Pieces> outcomes = outcomes_of(plan, question.count, side, pair);
  if (!outcomes) return std::nullopt;
  LargestSum largest{-infinity, outcomes->pieces.size()};
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    if (direction == Direction::backward) outcomes = reversed(*std::move(outcomes));
    const Outcomes on_side(*outcomes, side);
    const bool is_epsilon = question.wanted == Question::Wanted::epsilon;
    largest.value =
        std::max(largest.value, is_epsilon ? on_side.epsilon(question.given) : on_side.log_delta(question.given));
  }
  return largest;
}

}  // namespace

bool has_few_outcomes(const NormalPlan& plan, std::uint64_t count) {
  if (!has_finite_losses(plan.event())) return false;
  double log_outcomes = 0;
  for (const Release& release : releases_of(plan.event())) {
    const auto once = release_pieces(release.event, plan.adjacency(), Side::upper, Pair::dominating,
                                     {.step = 1, .tail = least_mass, .limits = limits});
    if (!once || !is_finite(*once)) return false;
    log_outcomes += log_sums(*once, static_cast<double>(release.count) * static_cast<double>(count));
  }
  return log_outcomes <= std::log(static_cast<double>(limits.outcomes));
}

std::optional<MeshAnswer> finite_answer(const NormalPlan& plan, bool is_unattained, const Question& question) {
  const bool is_epsilon = question.wanted == Question::Wanted::epsilon;
  if (!has_finite_losses(plan.event()) || (is_epsilon && question.given < least_delta)) return std::nullopt;
  const auto upper = found(plan, question, Side::upper, Pair::dominating);
  if (!upper || (!is_epsilon && upper->value != -infinity && upper->value < std::log(least_delta))) return std::nullopt;
  const auto lower = found(plan, question, Side::lower, Pair::dominating);
  const auto attained = is_unattained ? found(plan, question, Side::lower, Pair::attained) : lower;
  if (!lower || !attained) return std::nullopt;
  const numeric::Bracket dominating{std::min(lower->value, upper->value), upper->value};
  return MeshAnswer{dominating,
                    std::min(attained->value, upper->value),
                    relative_width(question.wanted, dominating),
                    0,
                    {witness::Outcomes{attained->outcomes}, witness::Outcomes{upper->outcomes}}};
}

}  // namespace dpbudget::loss_distribution
