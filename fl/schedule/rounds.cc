#include "dpbudget/fl/schedule/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget::fl {
namespace {

constexpr double most_distinct = 2000;
constexpr double most_changes = 1e7;

void check(const RoundRecipe& recipe) {
  const double rate = recipe.user_rate.value();
  require(0 < rate && rate <= 1, "user_rate", rate, "in (0, 1]");
  const auto kind = unknown_kind(recipe.step);
  if (unknowns(recipe.step) != 1 || (kind != UnknownKind::noise && kind != UnknownKind::scale))
    throw InvalidArgument("step must have one unknown `?`, the noise multiplier or scale of its release");
  dpbudget::check(recipe.step);
}

// The largest base (1 + tolerance)^k, k an integer, that is at most `noise`.
double rounded_down(double noise, double base, double tolerance) {
  const double step = std::log1p(tolerance);
  for (double k = std::floor(std::log(noise / base) / step) + 1;; --k)
    if (const double level = base * std::exp(k * step); level <= noise) return level;
}

class Builder {
 public:
  Builder(const NoiseSchedule& schedule, const RoundRecipe& recipe, double tolerance)
      : schedule_(schedule), recipe_(recipe), tolerance_(tolerance) {}

  // Tolerance 0: noises as they are.
  Event round(std::uint64_t round) const {
    sequence::Sequence steps{{}, Adjacency::replace_one};
    if (schedule_.is_flat_in_rounds()) {
      steps.add(step(round, 1), schedule_.local_steps());
    } else {
      for (std::uint64_t t = 1; t <= schedule_.local_steps(); ++t) steps.add(step(round, t));
    }
    Event all = steps.first(steps.rounds());
    if (recipe_.user_rate.value() == 1) return all;
    return Participates{recipe_.user_rate, std::move(all)};
  }

 private:
  Event step(std::uint64_t round, std::uint64_t t) const {
    const double noise = schedule_.noise(round, t);
    return substitute(recipe_.step, tolerance_ == 0 ? noise : rounded_down(noise, schedule_.base_noise(), tolerance_));
  }

  const NoiseSchedule& schedule_;
  const RoundRecipe& recipe_;
  double tolerance_;
};

}  // namespace

std::uint64_t next_change(const NoiseShape& shape, std::uint64_t round) {
  constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  const auto after_hold = [&](double beta, std::uint64_t hold) {
    return beta == 1 ? never : round < hold ? hold + 1 : round + 1;
  };
  return std::visit(
      Overloaded{[&](const ConstantNoise&) { return never; },
                 [&](const RoundDecay& s) { return after_hold(s.beta, s.hold); },
                 [&](const StepDecay& s) { return after_hold(s.beta, s.hold); },
                 [&](const ExponentialDecay& s) { return s.factor == 1 ? never : round + 1; },
                 [&](const Staircase& s) { return s.factor == 1 ? never : round + s.every - (round - 1) % s.every; },
                 [&](const Milestones& s) { return s.factor == 1 ? never : next_milestone(s, round); },
                 [&](const NoiseTable&) { return round + 1; }, [&](const InverseRoot&) { return round + 1; },
                 [&](const InverseDecay&) { return round + 1; }},
      shape);
}

Event round_event(const NoiseSchedule& schedule, const RoundRecipe& recipe, std::uint64_t round) {
  check(recipe);
  return Builder(schedule, recipe, 0).round(round);
}

sequence::Sequence scheduled_rounds(const NoiseSchedule& schedule, const RoundRecipe& recipe, Adjacency adjacency,
                                    std::uint64_t rounds, double tolerance) {
  check(recipe);
  ranges::count(rounds);
  require(0 < tolerance && tolerance < 1, "tolerance", tolerance, "in (0, 1)");
  const double per_change = schedule.is_flat_in_rounds() ? 1 : static_cast<double>(schedule.local_steps());
  double changes = 0;
  for (std::uint64_t r = 1; r <= rounds && changes <= most_changes; r = next_change(schedule.shape(), r))
    changes += per_change;
  if (changes > most_changes)
    throw Unsupported(fmt::format("the noise of the first {} rounds changes more than {} times", rounds, most_changes));
  const bool is_exact = changes <= most_distinct;
  const Builder builder(schedule, recipe, is_exact ? 0 : tolerance);
  sequence::Sequence sequence{{}, adjacency, is_exact};
  for (std::uint64_t r = 1; r <= rounds;) {
    const std::uint64_t next = std::min(next_change(schedule.shape(), r), rounds + 1);
    sequence.add(builder.round(r), next - r);
    r = next;
  }
  return sequence;
}

}  // namespace dpbudget::fl
