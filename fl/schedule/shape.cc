#include "dpbudget/fl/schedule/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget::fl {
namespace {

void check_beta(double beta) { require(0 < beta && beta <= 1, "beta", beta, "in (0, 1]"); }
void check_hold(std::uint64_t hold) { require(hold <= ranges::max_count, "hold", hold, "an integer in [0, 2^53]"); }
void check_factor(double factor) {
  require(0 < factor && std::isfinite(factor), "factor", factor, "positive and finite");
}

}  // namespace

std::uint64_t next_milestone(const Milestones& milestones, std::uint64_t round) {
  const auto next = std::ranges::upper_bound(milestones.rounds, round);
  return next == milestones.rounds.end() ? std::numeric_limits<std::uint64_t>::max() : *next;
}

void check(const NoiseShape& shape) {
  std::visit(
      Overloaded{[](const ConstantNoise&) {},
                 [](const RoundDecay& s) {
                   check_beta(s.beta);
                   check_hold(s.hold);
                 },
                 [](const StepDecay& s) {
                   check_beta(s.beta);
                   check_hold(s.hold);
                 },
                 [](const ExponentialDecay& s) { check_factor(s.factor); },
                 [](const Staircase& s) {
                   check_factor(s.factor);
                   require(1 <= s.every && s.every <= ranges::max_count, "every", s.every, "an integer in [1, 2^53]");
                 },
                 [](const InverseRoot&) {},
                 [](const InverseDecay& s) {
                   require(0 < s.scale && std::isfinite(s.scale), "scale", s.scale, "positive and finite");
                   require(0 <= s.offset && std::isfinite(s.offset), "offset", s.offset, "at least 0 and finite");
                 },
                 [](const Milestones& s) {
                   check_factor(s.factor);
                   std::uint64_t last = 0;
                   for (const std::uint64_t round : s.rounds) {
                     require(last < round && round <= ranges::max_count, "rounds", round,
                             fmt::format("an integer in [{}, 2^53], later than the one before", last + 1));
                     last = round;
                   }
                 },
                 [](const NoiseTable& s) {
                   require(1 <= s.steps && s.noises.size() % s.steps == 0, "steps", s.steps,
                           "a positive divisor of the number of noises");
                   for (const double noise : s.noises)
                     require(0 < noise && std::isfinite(noise), "noise", noise, "positive and finite");
                 }},
      shape);
}

}  // namespace dpbudget::fl
