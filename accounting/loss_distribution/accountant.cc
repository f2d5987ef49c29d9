#include "dpbudget/accounting/loss_distribution/accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/compose.h"
#include "dpbudget/accounting/loss_distribution/query.h"

namespace dpbudget::loss_distribution {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// What all releases together may leave out at the ends of their losses, relative to delta.
constexpr double share_of_tails = 1e-7;

// What a transform may lose of delta, relative to the tolerance.
constexpr double share_of_tolerance = 0.1;

// How far below the focus, on the scale of the tilt, an answer is still accurate; and how often to look again.
constexpr double farthest_from_focus = 5;
constexpr int most_attempts = 6;

// Meshes in a row that do not make a bracket narrower, before no finer one is tried.
constexpr int most_stalled = 3;

// What a release may leave out where the outline looks at it.
constexpr double outline_tail = 1e-20;

// Points of a first mesh for the losses of one release.
constexpr double most_points_of_release = 0x1p16;

// Points of a question's transforms, for each distinct release, after which no finer mesh is tried.
constexpr double most_work = 0x1p23;

// Deltas below e^this are beyond the masses that a double holds.
constexpr double log_least_delta = -630;

// Masses below this are beyond a double, and deltas near it beyond this accountant.
constexpr double least_tail = 1e-280;

Outline checked_outline(const Plan& plan, double tolerance) {
  require(0 < tolerance && tolerance < 1, "tolerance", tolerance, "in (0, 1)");
  check(plan.event);
  return outline(plan, outline_tail);
}

}  // namespace

// Values at one mesh, from discretisations that are kept until another mesh or a smaller tail is asked for.
class Accountant::Evaluator {
 public:
  Evaluator(Plan plan, double accuracy) : plan_(std::move(plan)), accuracy_(accuracy) {}

  // Epsilon (negative ones included) at a delta, or log delta at an epsilon, on the purpose's side.
  // @param hint  the answer on the other side, if known: near the one sought
  double operator()(Quantity wanted, const Purpose& purpose, std::uint64_t count, double given,
                    std::optional<double> hint) {
    is_drowned_ = false;
    const std::vector<Part> parts = losses(purpose).parts(count);
    const bool is_nothing = std::ranges::all_of(parts, [](const Part& part) { return part.count == 0; });
    if (is_nothing) return wanted == Quantity::epsilon ? 0 : -infinity;
    if (parts.size() == 1 && parts.front().count == 1) return answer(wanted, *parts.front().distribution, given);
    return wanted == Quantity::epsilon ? epsilon(parts, given, hint) : log_delta(parts, given, hint);
  }

  double work() const { return work_; }
  void start() { work_ = 0; }
  // Whether rounding decided the last answer, one on the upper side: finer meshes have hardly a better one.
  bool is_drowned() const { return is_drowned_; }

 private:
  struct Kept {
    double mesh = 0;
    double tail = 0;
    std::unique_ptr<PlanLosses> losses;
  };

  const PlanLosses& losses(const Purpose& purpose) {
    Kept& kept = kept_[{purpose.side, purpose.direction, purpose.pair}];
    if (!kept.losses || kept.mesh != purpose.mesh || purpose.tail < kept.tail) {
      kept = {purpose.mesh, purpose.tail, std::make_unique<PlanLosses>(plan_, purpose)};
      work_ += kept.losses->points() / std::max(1.0, static_cast<double>(kept.losses->parts(1).size()));
    }
    return *kept.losses;
  }

  // The tilt and the composition under it.
  std::pair<double, LossDistribution> compose(const std::vector<Part>& parts, const Focus& focus) {
    const Setting setting = setting_near(parts, focus);
    LossDistribution sum = compose_near(parts, focus, setting);
    work_ += static_cast<double>(sum.mass.size());
    return {setting.order, std::move(sum)};
  }

  // What rounding makes of delta at `epsilon`: it is all that is left at the window's top, and falls like the tilt.
  static double log_rounding(const LossDistribution& sum, double order, double epsilon) {
    const double mesh = sum.grid.mesh;
    const double log_mass = std::log(sum.mass.back()) + order * (sum.loss(sum.mass.size() - 1) - epsilon);
    // The sum of e^(-order x) (1 - e^-x) over the grid points x > 0.
    return log_mass + order * mesh +
           std::log(std::expm1(mesh) / std::expm1(order * mesh) / std::expm1((order + 1) * mesh));
  }

  static double answer(Quantity wanted, const LossDistribution& sum, double given) {
    return wanted == Quantity::epsilon ? epsilon_at(sum, given) : std::log(delta_at(sum, given));
  }

  double epsilon(const std::vector<Part>& parts, double delta, std::optional<double> hint) {
    // Total variations add up at most. Where they stay below delta, it is far beyond what a tilt reaches.
    if (total_variation(parts) <= delta) return 0;
    const double finite = delta - infinite_mass(parts);
    if (!(finite > 0)) return infinity;
    Focus focus = focus_at_delta(parts, std::log(finite), accuracy_);
    const auto look_at = [&](double epsilon) {
      focus = focus_at_epsilon(parts, epsilon, accuracy_);
      focus.log_delta = std::log(finite);
    };
    if (hint && std::isfinite(*hint) && *hint < focus.epsilon) look_at(*hint);
    for (int attempt = 0;; ++attempt) {
      const auto [order, sum] = compose(parts, focus);
      const double found = epsilon_at(sum, delta);
      // Chernoff's epsilon was too large where the composition is accurate only above the answer.
      const bool is_far = focus.order * (focus.epsilon - found) > farthest_from_focus || found == sum.safe_loss(0);
      if (sum.side == Side::lower) return std::max(found, largest_of_each(Quantity::epsilon, parts, delta));
      if (!is_far || found <= 0 || attempt == most_attempts) {
        is_drowned_ = log_rounding(sum, order, found) > std::log(finite / 2);
        return found;
      }
      look_at(found);
    }
  }

  // What one part needs alone: no composition needs less.
  static double largest_of_each(Quantity wanted, const std::vector<Part>& parts, double given) {
    double largest = -infinity;
    for (const Part& part : parts)
      if (part.count > 0) largest = std::max(largest, answer(wanted, *part.distribution, given));
    return largest;
  }

  static double total_variation(const std::vector<Part>& parts) {
    double sum = 0;
    for (const Part& part : parts) sum += static_cast<double>(part.count) * delta_at(*part.distribution, 0);
    return sum * (1 + 0x1p-50 * static_cast<double>(parts.size()));
  }

  double log_delta(const std::vector<Part>& parts, double epsilon, std::optional<double> hint) {
    const bool is_upper = parts.front().distribution->side == Side::upper;
    const double log_infinite = std::log(infinite_mass(parts));
    if (epsilon >= largest_loss(parts)) return log_infinite;
    Focus focus = focus_at_epsilon(parts, epsilon, accuracy_);
    if (hint) focus.log_delta = std::min(focus.log_delta, *hint);
    // Beyond a double only Chernoff's bound is left.
    if (focus.log_delta < log_least_delta) return is_upper ? log_chernoff(parts, focus) : -infinity;
    for (int attempt = 0;; ++attempt) {
      const auto [order, sum] = compose(parts, focus);
      const double found = std::log(delta_at(sum, epsilon));
      if (is_upper && found < log_least_delta) return log_chernoff(parts, focus);
      const bool is_overestimated = found < focus.log_delta - 3;
      if (!is_upper) return std::max(found, largest_of_each(Quantity::log_delta, parts, epsilon));
      if (!is_overestimated || attempt == most_attempts) {
        is_drowned_ = log_rounding(sum, order, epsilon) > found - std::numbers::ln2;
        return found;
      }
      focus.log_delta = found;
    }
  }

  // Above it delta is no more than the mass at infinity.
  static double largest_loss(const std::vector<Part>& parts) {
    double sum = 0;
    double magnitude = 0;
    for (const Part& part : parts) {
      const LossDistribution& distribution = *part.distribution;
      const auto count = static_cast<double>(part.count);
      sum += count * distribution.safe_loss(distribution.mass.size() - 1);
      magnitude += count * distribution.reach();
    }
    return sum + 0x1p-49 * static_cast<double>(parts.size() + 4) * magnitude;
  }

  // delta <= (mass at infinity) + E[e^(c (L - epsilon))] c^c / (c+1)^(c+1).
  static double log_chernoff(const std::vector<Part>& parts, const Focus& focus) {
    const double c = focus.order;
    const LogMoment moment = log_moment(parts, c);
    double slack = 0;
    for (const Part& part : parts) slack += static_cast<double>(part.count) * part.distribution->slack;
    const double log_finite = moment.value - c * (focus.epsilon - slack) - std::log1p(c) - c * std::log1p(1 / c);
    const double magnitude = std::abs(moment.value) + c * (focus.epsilon + slack) + std::log1p(c) + 2;
    const double infinite = infinite_mass(parts);
    const double log_bound = log_finite + moment.error + 0x1p-46 * magnitude;
    return infinite == 0 ? log_bound
                         : std::log(infinite + std::exp(log_bound)) + 0x1p-46 * (2 + std::abs(std::log(infinite)));
  }

  Plan plan_;
  double accuracy_;
  bool is_drowned_ = false;
  double work_ = 0;  // points discretised and transformed for the question at hand
  std::map<std::tuple<Side, Direction, Pair>, Kept> kept_;
};

struct Accountant::Bracket {
  double lower = -infinity;  // of the dominating pair
  double upper = infinity;
  double attained = -infinity;  // lower end for data sets that are neighbours
  double width = infinity;      // of the dominating pair's bracket, relative to its upper end
};

Accountant::Accountant(const Plan& plan, double tolerance)
    : plan_(plan),
      tolerance_(tolerance),
      outline_(checked_outline(plan, tolerance)),
      evaluator_(std::make_unique<Evaluator>(plan, tolerance_ * share_of_tolerance)) {}

Accountant::~Accountant() = default;

double Accountant::tail_for(std::uint64_t count, double delta) const {
  return std::max(least_tail, delta * share_of_tails / std::max(1.0, static_cast<double>(count) * outline_.releases));
}

// A quarter of a release's own deviation costs a few percent of epsilon; the range of its losses and that of the
// composition keep the number of points within bounds.
double Accountant::first_mesh(std::uint64_t count) const {
  const double of_release = std::sqrt(outline_.variance / std::max(1.0, outline_.releases));
  const double of_composition = std::sqrt(static_cast<double>(count) * outline_.variance);
  // Groups of finite releases are wider than each.
  if (outline_.has_incommensurate && of_release > 0) return std::max(of_release / 4, of_composition * 18 / 0x1p16);
  const double mesh =
      std::max(std::clamp(of_release / 4, outline_.range / most_points_of_release, outline_.range / 0x1p11),
               of_composition * 18 / 0x1p16);
  return mesh > 0 ? mesh : 1;
}

// The losses of a rare sample go on far beyond the outline's tail. Those of shuffled reports, which take long to look
// at, do not.
double Accountant::least_mesh(double tail) const {
  if (tail >= outline_tail || has_shuffled(plan_.event)) return 0;
  try {
    return outline(plan_, tail).range / most_points_of_release;
  } catch (const Unsupported&) {
    return 0;
  }
}

Accountant::Bracket Accountant::refined(Quantity wanted, std::uint64_t count, double given) {
  const auto relative_width = [&](double lower, double upper) {
    if (wanted == Quantity::log_delta) return upper == -infinity ? 0 : -std::expm1(lower - upper);
    if (upper == infinity) return lower == infinity ? 0.0 : 1.0;
    return upper <= 0 ? 0 : (upper - std::max(0.0, lower)) / upper;
  };
  std::vector<Direction> directions = {Direction::forward};
  if (outline_.basis.has_poisson()) directions.push_back(Direction::backward);
  double tail = tail_for(count, wanted == Quantity::epsilon ? given : 1e-12);
  double mesh = std::max(mesh_ > 0 ? mesh_ : first_mesh(count), least_mesh(tail));
  const auto on_lattice = [&](double wish) {
    const bool is_far_coarser = !outline_.spacing || wish > 8 * *outline_.spacing;
    return is_far_coarser ? wish : *outline_.spacing / std::ceil(*outline_.spacing / wish);
  };

  evaluator_->start();
  Bracket best;
  double last_width = infinity;
  int stalled = 0;
  std::map<Direction, double> uppers;
  std::map<Direction, bool> drowned;  // uppers that rounding decides
  const auto ask = [&](Side side, Direction direction, Pair pair, std::optional<double> hint) {
    return (*evaluator_)(wanted, {side, direction, pair, on_lattice(mesh), tail}, count, given, hint);
  };
  for (int step = 0; step < 40; ++step) {
    Bracket here;
    Direction larger = Direction::forward;
    try {
      // The direction that is larger decides; the other one need only be seen to be below it.
      double upper = -infinity;
      for (const Direction direction : directions) {
        const bool is_settled = uppers.contains(direction) && uppers[direction] <= best.lower;
        if (!is_settled) {
          uppers[direction] = ask(Side::upper, direction, Pair::dominating, std::nullopt);
          drowned[direction] = evaluator_->is_drowned();
        }
        if (uppers[direction] > upper) upper = uppers[direction], larger = direction;
      }
      here.upper = upper;
      here.lower = ask(Side::lower, larger, Pair::dominating, upper);
    } catch (const Unsupported&) {
      // Too fine a mesh: either the first guess was, or the last bracket is what can be reached.
      if (best.upper < infinity || step > 20) break;
      mesh *= 4;
      continue;
    }
    best.lower = std::max(best.lower, here.lower);
    best.upper = std::min(best.upper, here.upper);
    if (wanted == Quantity::log_delta) {
      const double needed = tail_for(count, std::exp(best.upper));
      if (needed < tail / 2) {
        // What is known of delta from above may still be that of the tails themselves.
        tail = std::max({least_tail, needed * needed, tail_for(count, std::exp(best.lower))});
        mesh = std::max(mesh, least_mesh(tail));
        uppers.clear();
        best = {};
        continue;
      }
    }
    if (best.upper == infinity && best.lower < infinity && tail > least_tail) {
      // What the tails put at infinity exceeds delta.
      tail = std::max(least_tail, tail * tail);
      mesh = std::max(mesh, least_mesh(tail));
      uppers.clear();
      best = {};
      continue;
    }
    mesh_ = mesh;
    const double width = relative_width(best.lower, best.upper);
    best.width = width;
    // Where a finer mesh no longer helps, rounding is what limits the bracket.
    stalled = width > 0.8 * last_width ? stalled + 1 : 0;
    if (drowned[larger] && width > 0.99 * last_width) stalled = most_stalled;
    last_width = width;
    if (width <= tolerance_ || stalled == most_stalled) break;
    // The width shrinks with the square of the mesh, once the mesh resolves the losses at all.
    mesh *= std::clamp(std::sqrt(0.7 * tolerance_ / width), width > 0.9 ? 1.0 / 4 : 1.0 / 16, 0.75);
    if (evaluator_->work() > most_work) break;
  }
  if (best.upper == infinity && best.lower == -infinity)
    throw Unsupported("no mesh of at most 2^22 points shows these losses");
  best.attained = best.lower;
  if (outline_.basis.is_unattained()) {
    // The mixture's losses may need a finer mesh: halved as long as that raises the lower end of the better direction.
    mesh = mesh_;
    best.attained = -infinity;
    std::vector<Direction> candidates = {Direction::forward, Direction::backward};
    for (double before = -infinity; relative_width(before, best.attained) > tolerance_ / 2 || mesh == mesh_;
         mesh /= 2) {
      before = best.attained;
      try {
        Direction better = candidates.front();
        for (const Direction direction : candidates) {
          const double attained = ask(Side::lower, direction, Pair::attained, best.upper);
          if (attained > best.attained) better = direction;
          best.attained = std::max(best.attained, attained);
        }
        candidates = {better};
      } catch (const Unsupported&) {
        break;
      }
      if (evaluator_->work() > most_work) break;
    }
  }
  return best;
}

Bound Accountant::bound(const Bracket& bracket, double lower, double upper) const {
  Bound result = outline_.basis.bound(lower, upper);
  if (bracket.width > tolerance_)
    result.notes.push_back(fmt::format(
        "the tolerance {} was not reached, only {:.2g}: a finer mesh takes too many points, or rounding hides it",
        tolerance_, bracket.width));
  return result;
}

Bound Accountant::epsilon(std::uint64_t count, double delta) {
  ranges::delta(delta);
  const Bracket bracket = refined(Quantity::epsilon, count, delta);
  return bound(bracket, std::max(0.0, bracket.attained), std::max(0.0, bracket.upper));
}

DeltaBound Accountant::delta(std::uint64_t count, double epsilon) {
  ranges::epsilon(epsilon);
  const Bracket bracket = refined(Quantity::log_delta, count, epsilon);
  const double lower = std::exp(bracket.attained) * (1 - 0x1p-40);
  // Never 0 for a delta that is only beyond a double.
  const double upper =
      bracket.upper == -infinity ? 0 : std::min(1.0, std::max(std::exp(bracket.upper) * (1 + 0x1p-40), 0x1p-1074));
  const auto rounding = [](double log_value) {
    return std::isinf(log_value) ? 0 : 0x1p-49 * (1 + std::abs(log_value));
  };
  return {bound(bracket, lower, upper), bracket.attained - rounding(bracket.attained),
          std::min(0.0, bracket.upper + rounding(bracket.upper))};
}

}  // namespace dpbudget::loss_distribution
