#include "dpbudget/accounting/loss_distribution/finite_plan.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/loss_distribution/pieces/spread.h"
#include "dpbudget/accounting/loss_distribution/releases/finite.h"
#include "dpbudget/accounting/loss_distribution/releases/release.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/releases.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;

// A million outcomes take a second, and 100 MB.
constexpr FiniteLimits limits{.outcomes = std::size_t{1} << 20, .work = 0x1p21};
// So many take as long as a few meshes.
constexpr std::size_t few_outcomes = std::size_t{1} << 17;
// Meshes show noise in samples soon where there are more.
constexpr FiniteLimits limits_with_tails{.outcomes = std::size_t{1} << 14, .work = 0x1p17};
// But not where losses that differ by much less than epsilon have to be told apart for them.
constexpr FiniteLimits limits_of_joined{.outcomes = std::size_t{1} << 16, .work = 0x1p21};
constexpr std::size_t few_joined = 64;  // losses of one release
// Of an outcome that may be left out, relative to delta: all together have a million times that.
constexpr double rare = 0x1p-60;

// So narrow that losses which were taken for one are not taken apart.
constexpr double narrow = 1e-6;

// Products have so many times the outcomes that are left of them, at most.
constexpr double most_left_out = 256;

// What may be left out of a composition, and of a release.
struct LeftOut {
  FiniteLimits limits;
  double tail;
};

LeftOut left_out(const Question& question, const FiniteLimits& limits) {
  LeftOut found{limits, least_mass};
  if (question.wanted == Question::Wanted::epsilon) found.tail = found.limits.rare = rare * question.given;
  return found;
}

constexpr double greatest_loss = 1e300;

// Masses below this leave their rounding to the least double.
constexpr double least_delta = 1e-270;

std::optional<Pieces> outcomes_of(const NormalPlan& plan, std::uint64_t count, Side side, Pair pair,
                                  const LeftOut& left_out) {
  const double width = left_out.limits.width;
  FiniteLimits limits = left_out.limits;
  if (side == Side::upper) limits.width = 0;  // sums of what is spread meet by themselves
  std::vector<Pieces> factors;
  FiniteLimits inside = limits;
  inside.rare = inside.width = 0;  // what is sampled is to be whole
  double outcomes = 1;             // unless some are equal
  for (const Release& release : releases_of(plan.event())) {
    // Nothing is cut but tails.
    auto losses = release_pieces(release.event, plan.adjacency(), side, pair,
                                 {.step = 1, .tail = left_out.tail, .limits = inside});
    auto once = losses ? with_whole_tails(*std::move(losses)) : std::nullopt;
    if (once && width > 0) {
      if (once->pieces.size() > few_joined) return std::nullopt;
      if (side == Side::upper) once = spread(*std::move(once), width);
    }
    const bool are_few = release.count == 0 || count <= limits.outcomes / release.count;
    if (!once || !are_few) return std::nullopt;
    auto repeated = power(*once, release.count * count, limits);
    if (!repeated) return std::nullopt;
    factors.push_back(without_rare(*std::move(repeated), limits.rare));
    outcomes *= static_cast<double>(factors.back().pieces.size());
    if (outcomes > limits.work * (limits.rare > 0 ? most_left_out : 1)) return std::nullopt;
  }
  std::optional<Pieces> all = one_atom();
  for (const Pieces& factor : factors) {
    all = product(*all, factor, limits);
    if (!all) return std::nullopt;
    all = without_rare(*std::move(all), limits.rare);
  }
  if (all->pieces.empty()) return std::nullopt;
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
    if (is_upper_) at_infinity_ += pieces.p_above * (1 + 4 * unit);
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
std::optional<LargestSum> found(const NormalPlan& plan, const Question& question, Side side, Pair pair,
                                const LeftOut& left_out) {
  std::optional<Pieces> outcomes = outcomes_of(plan, question.count, side, pair, left_out);
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

// @param left  what may be left out
std::optional<MeshAnswer> answer_but_for(const LeftOut& left, const NormalPlan& plan, bool is_unattained,
                                         const Question& question) {
  const bool is_epsilon = question.wanted == Question::Wanted::epsilon;
  const auto upper = found(plan, question, Side::upper, Pair::dominating, left);
  if (!upper || (!is_epsilon && upper->value != -infinity && upper->value < std::log(least_delta))) return std::nullopt;
  const auto lower = found(plan, question, Side::lower, Pair::dominating, left);
  const auto attained = is_unattained ? found(plan, question, Side::lower, Pair::attained, left) : lower;
  if (!lower || !attained) return std::nullopt;
  const numeric::Bracket dominating{std::min(lower->value, upper->value), upper->value};
  return MeshAnswer{dominating,
                    std::min(attained->value, upper->value),
                    relative_width(question.wanted, dominating),
                    0,
                    {witness::Outcomes{attained->outcomes}, witness::Outcomes{upper->outcomes}}};
}

// What is left of a plan with tails where outcomes that are rare are not counted, nor losses told apart that are near
// each other.
class Few {
 public:
  Few(const NormalPlan& plan, bool is_unattained, const Question& question)
      : plan_(plan), is_unattained_(is_unattained), question_(question) {}

  std::optional<MeshAnswer> apart() const { return answer(limits_with_tails, 1); }

  // With losses joined that differ by so little of epsilon that the answer is narrow, or as narrow as their number lets
  // it be.
  std::optional<MeshAnswer> joined(double tolerance) const {
    std::optional<MeshAnswer> best;
    double share = greatest_share;
    for (double epsilon = is_epsilon() ? 1 : question_.given; epsilon >= least_epsilon && share >= least_share;) {
      FiniteLimits limits = limits_of_joined;
      limits.width = std::exp2(std::floor(std::log2(share * epsilon)));
      if (best && best->width <= tolerance) limits.work /= costs_less;
      auto found = answer(limits, best && !is_epsilon() ? 2 * std::exp(best->dominating.upper) : 1);
      if (!found) break;
      const double seen = found->dominating.upper;
      if (is_epsilon() && seen < epsilon / 2)
        epsilon = seen;
      else
        share /= 8;
      if (!best || found->width < best->width) best = found;
      if (best->width <= narrow) break;
    }
    return best;
  }

 private:
  static constexpr double greatest_share = 0x1p-10;
  static constexpr double least_share = 0x1p-34;
  static constexpr double least_epsilon = 1e-20;
  static constexpr double costs_less = 4;  // what is narrower than it has to be

  bool is_epsilon() const { return question_.wanted == Question::Wanted::epsilon; }

  // @param delta  at most that, where delta is asked for
  std::optional<MeshAnswer> answer(const FiniteLimits& limits, double delta) const {
    LeftOut left = left_out(question_, limits);
    if (is_epsilon()) return answer_but_for(left, plan_, is_unattained_, question_);
    // What tails may have follows from delta, and from what is seen without them.
    while (delta >= least_delta) {
      left.tail = left.limits.rare = rare * delta;
      auto found = answer_but_for(left, plan_, is_unattained_, question_);
      if (!found) return std::nullopt;
      const auto [lower, upper] = found->dominating;
      const double at_most = std::exp(upper);
      const double seen = lower == -infinity || at_most < delta / 2 ? at_most : std::exp(lower);
      if (!(seen < delta / 2)) return found;
      delta = seen;
    }
    return std::nullopt;
  }

  const NormalPlan& plan_;
  bool is_unattained_;
  const Question& question_;
};

bool is_of_few(const NormalPlan& plan, const Question& question) {
  if (question.wanted == Question::Wanted::epsilon && question.given < least_delta) return false;
  const std::vector<Release> releases = releases_of(plan.event());
  return std::ranges::all_of(releases, [](const Release& release) { return has_few_losses(release.event); });
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
  if (!is_of_few(plan, question)) return std::nullopt;
  if (has_finite_losses(plan.event())) return answer_but_for(left_out(question, limits), plan, is_unattained, question);
  return Few(plan, is_unattained, question).apart();
}

std::optional<MeshAnswer> joined_answer(const NormalPlan& plan, bool is_unattained, const Question& question,
                                        double tolerance) {
  if (!is_of_few(plan, question) || has_finite_losses(plan.event())) return std::nullopt;
  return Few(plan, is_unattained, question).joined(tolerance);
}

std::optional<AttainedByFew> attained_by_few(const NormalPlan& plan, const Question& question) {
  if (!has_finite_losses(plan.event())) return std::nullopt;
  const LeftOut left = left_out(question, {.outcomes = few_outcomes, .work = 2 * few_outcomes});
  const auto largest = found(plan, question, Side::lower, Pair::attained, left);
  if (!largest) return std::nullopt;
  return AttainedByFew{largest->value, {largest->outcomes}};
}

}  // namespace dpbudget::loss_distribution
