#include "dpbudget/accounting/loss_distribution/evaluator.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/loss_distribution/query.h"
#include "dpbudget/accounting/loss_distribution/rare_loss.h"

namespace dpbudget::loss_distribution {
namespace {

// How far below the focus, on the scale of the tilt, an answer is still accurate; and how often to look again.
constexpr double farthest_from_focus = 5;
constexpr int most_attempts = 6;

// Of what takes pairs of outcomes discretisations on so many meshes are kept, the finest, which take longest, unless
// they are large: questions climb down the same ladder.
constexpr std::size_t most_kept = 6;
constexpr double most_points_kept = 0x1p18;

// What is kept with far smaller tails than are asked for is not what was asked for: its losses go on far beyond.
constexpr double far_smaller = 1e-2;

// Where rare losses are known worse than this other tails may show more, which are chosen by what transforms show.
constexpr double most_looseness = 0.1;

double answer(Question::Wanted wanted, const LossDistribution& sum, double given) {
  return wanted == Question::Wanted::epsilon ? epsilon_at(sum, given) : std::log(delta_at(sum, given));
}

std::optional<RareLoss> by_rare_loss(const Question& question, const std::vector<Part>& parts) {
  const bool is_epsilon = question.wanted == Question::Wanted::epsilon;
  return is_epsilon ? rare_epsilon(parts, question.given) : rare_log_delta(parts, question.given);
}

// What rounding makes of delta at `epsilon`: it is all that is left at the window's top, and falls like the tilt.
double log_rounding(const LossDistribution& sum, double order, double epsilon) {
  const double mesh = sum.grid.mesh;
  const double log_mass = std::log(sum.mass.back()) + order * (sum.loss(sum.mass.size() - 1) - epsilon);
  // The sum of e^(-order x) (1 - e^-x) over the grid points x > 0.
  return log_mass + order * mesh +
         std::log(std::expm1(mesh) / std::expm1(order * mesh) / std::expm1((order + 1) * mesh));
}

// What is not to take longer with many distinct releases is counted for each of so many at most.
constexpr double most_distinct = 8;

// How many times as long as a few such releases so many take.
double times_longer(std::size_t releases) { return std::max(1.0, static_cast<double>(releases) / most_distinct); }

double at_least_one(std::size_t releases) { return std::max(1.0, static_cast<double>(releases)); }

double total_variation(const std::vector<Part>& parts) {
  double sum = 0;
  for (const Part& part : parts) sum += static_cast<double>(part.count) * delta_at(*part.distribution, 0);
  return sum * (1 + 0x1p-50 * static_cast<double>(parts.size()));
}

// Above it delta is no more than the mass at infinity.
double largest_loss(const std::vector<Part>& parts) {
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
double log_chernoff(const std::vector<Part>& parts, const Focus& focus) {
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

}  // namespace

Evaluator::Evaluator(NormalPlan plan, double accuracy, double enough)
    : plan_(std::move(plan)), accuracy_(accuracy), enough_(enough), allowed_(accuracy) {}

double Evaluator::operator()(const Question& question, const Purpose& purpose, std::optional<double> hint) {
  return of_parts(question, losses(purpose).parts(question.count), hint);
}

double Evaluator::of_parts(const Question& question, const std::vector<Part>& parts, std::optional<double> hint) {
  const bool is_epsilon = question.wanted == Question::Wanted::epsilon;
  is_drowned_ = false;
  const bool is_nothing = std::ranges::all_of(parts, [](const Part& part) { return part.count == 0; });
  if (is_nothing) return is_epsilon ? 0 : -infinity;
  if (parts.size() == 1 && parts.front().count == 1)
    return answer(question.wanted, *parts.front().distribution, question.given);
  const auto rare = by_rare_loss(question, parts);
  if (rare && rare->looseness <= enough_) return rare->value;
  const double found = is_epsilon ? epsilon(parts, question.given, hint) : log_delta(parts, question.given, hint);
  if (!rare || rare->looseness > most_looseness) return found;
  const bool is_upper = parts.front().distribution->side == Side::upper;
  const bool is_better = is_upper ? rare->value < found : rare->value > found;
  is_drowned_ = is_drowned_ && !is_better;
  return is_better ? rare->value : found;
}

double Evaluator::of_few_losses(const Question& question, const Purpose& purpose) {
  double largest = -infinity;
  const std::vector<Part> parts = losses(purpose).parts(question.count);
  for (const Part& part : parts)
    if (part.count > 0) largest = std::max(largest, answer(question.wanted, *part.distribution, question.given));
  const auto rare = by_rare_loss(question, parts);
  return rare ? std::max(largest, rare->value) : largest;
}

const PlanLosses& Evaluator::losses(const Purpose& purpose) {
  std::vector<Kept>& kept = kept_[{purpose.side, purpose.direction, purpose.pair}];
  auto known = std::ranges::find(kept, purpose.mesh, &Kept::mesh);
  const bool is_usable =
      known != kept.end() && known->tail <= purpose.tail && known->tail >= far_smaller * purpose.tail;
  if (!is_usable) {
    auto made = std::make_unique<PlanLosses>(plan_, purpose);
    add_work((made->points() + made->pairs()) / at_least_one(made->releases()), times_longer(made->releases()));
    if (known != kept.end()) kept.erase(known);
    if (made->pairs() == 0 || made->points() > most_points_kept)
      kept.clear();
    else if (kept.size() == most_kept)
      kept.erase(std::ranges::max_element(kept, {}, &Kept::mesh));
    known = kept.insert(kept.end(), {purpose.mesh, purpose.tail, std::move(made)});
  }
  const PlanLosses& losses = *known->losses;
  const double shared = times_longer(losses.releases()) / at_least_one(losses.releases());
  points_at_mesh_ += losses.points() * shared;
  pairs_at_mesh_ += losses.pairs() * shared;
  return losses;
}

Evaluator::Composition Evaluator::compose(const std::vector<Part>& parts, const Focus& focus) {
  const Setting setting = setting_near(parts, focus);
  LossDistribution sum = compose_near(parts, focus, setting);
  const auto transformed = static_cast<double>(sum.mass.size());
  // The tilt is looked for on the releases themselves, which may have far more.
  double points = 0;
  for (const Part& part : parts) points += static_cast<double>(part.distribution->mass.size());
  add_work(transformed, times_longer(parts.size()));
  add_work(points, 1);
  points_at_mesh_ += transformed * times_longer(parts.size()) + points;
  return {std::move(sum), setting.order};
}

double Evaluator::epsilon(const std::vector<Part>& parts, double delta, std::optional<double> hint) {
  // Total variations add up at most. Where they stay below delta, it is far beyond what a tilt reaches.
  if (total_variation(parts) <= delta) return 0;
  const double finite = delta - infinite_mass(parts);
  if (!(finite > 0)) return infinity;
  Focus focus = focus_at_delta(parts, std::log(finite), allowed_);
  const auto look_at = [&](double epsilon) {
    focus = focus_at_epsilon(parts, epsilon, allowed_);
    focus.log_delta = std::log(finite);
  };
  if (hint && std::isfinite(*hint) && *hint < focus.epsilon) look_at(*hint);
  double best = parts.front().distribution->side == Side::upper ? infinity : -infinity;
  for (int attempt = 0;; ++attempt) {
    const auto [sum, order] = compose(parts, focus);
    const double found = epsilon_at(sum, delta);
    // Chernoff's epsilon was too large where the composition is accurate only above the answer.
    const bool is_far = focus.order * (focus.epsilon - found) > farthest_from_focus || found == sum.safe_loss(0);
    best = sum.side == Side::upper ? std::min(best, found) : std::max(best, found);
    if (!is_far || found <= 0 || attempt == most_attempts) {
      is_drowned_ = sum.side == Side::upper && log_rounding(sum, order, found) > std::log(finite / 2);
      return best;
    }
    look_at(found);
  }
}

double Evaluator::log_delta(const std::vector<Part>& parts, double epsilon, std::optional<double> hint) {
  const bool is_upper = parts.front().distribution->side == Side::upper;
  const double log_infinite = std::log(infinite_mass(parts));
  if (epsilon >= largest_loss(parts)) return log_infinite;
  Focus focus = focus_at_epsilon(parts, epsilon, allowed_);
  if (hint) focus.log_delta = std::min(focus.log_delta, *hint);
  // Beyond a double only Chernoff's bound is left.
  if (focus.log_delta < log_least_delta) return is_upper ? log_chernoff(parts, focus) : -infinity;
  double best = is_upper ? infinity : -infinity;
  for (int attempt = 0;; ++attempt) {
    const auto [sum, order] = compose(parts, focus);
    const double found = std::log(delta_at(sum, epsilon));
    if (is_upper && found < log_least_delta) return std::min(best, log_chernoff(parts, focus));
    const bool is_overestimated = found < focus.log_delta - 3;
    best = is_upper ? std::min(best, found) : std::max(best, found);
    if (!is_overestimated || attempt == most_attempts || !(found >= log_least_delta)) {
      is_drowned_ = is_upper && log_rounding(sum, order, epsilon) > found - std::numbers::ln2;
      return best;
    }
    focus.log_delta = found;
  }
}

}  // namespace dpbudget::loss_distribution
