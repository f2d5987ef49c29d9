#include "dpbudget/fl/schedule/noise_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget::fl {
namespace {

// 1 + e^l + e^(2 l) + ... with n terms: exact for l = 0, and without cancellation next to it.
double geometric_sum(double l, double n) { return l == 0 ? n : std::expm1(n * l) / std::expm1(l); }

// Of rounds that lie before and after the hold.
struct Split {
  double held;
  double decaying;
};
Split split(std::uint64_t rounds, std::uint64_t hold) {
  const std::uint64_t held = std::min(rounds, hold);
  return {static_cast<double>(held), static_cast<double>(rounds - held)};
}

// tau (r - hold - 1) + t - 1, exactly or rounded once.
double steps_since_hold(std::uint64_t round, std::uint64_t step, std::uint64_t hold, std::uint64_t local_steps) {
  return std::fma(static_cast<double>(local_steps), static_cast<double>(round - hold - 1),
                  static_cast<double>(step - 1));
}

}  // namespace

NoiseSchedule::NoiseSchedule(NoiseShape shape, double base_noise, std::uint64_t local_steps)
    : shape_(std::move(shape)), base_noise_(base_noise), local_steps_(local_steps) {
  check(shape_);
  require(0 < base_noise && std::isfinite(base_noise), "base_noise", base_noise, "positive and finite");
  require(1 <= local_steps && local_steps <= ranges::max_count, "local_steps", local_steps, "an integer in [1, 2^53]");
  if (const auto* table = std::get_if<NoiseTable>(&shape_))
    require(table->steps == 1 || table->steps == local_steps, "local_steps", local_steps,
            fmt::format("{}, as many as the noise table has", table->steps));
}

std::optional<std::uint64_t> NoiseSchedule::last_round() const {
  if (const auto* table = std::get_if<NoiseTable>(&shape_)) return table->noises.size() / table->steps;
  return std::nullopt;
}

bool NoiseSchedule::is_flat_in_rounds() const {
  if (const auto* table = std::get_if<NoiseTable>(&shape_)) return table->steps == 1;
  return local_steps_ == 1 || !std::holds_alternative<StepDecay>(shape_);
}

void NoiseSchedule::check_round(std::string_view name, std::uint64_t round) const {
  require(round <= ranges::max_count, name, round, "at most 2^53");
  if (const auto last = last_round())
    require(round <= *last, name, round, fmt::format("at most {}, where the noise table ends", *last));
}

double NoiseSchedule::noise(std::uint64_t round, std::uint64_t step) const {
  require(1 <= round, "round", round, "an integer in [1, 2^53]");
  check_round("round", round);
  require(1 <= step && step <= local_steps_, "step", step,
          fmt::format("in [1, {}], a local step of the round", local_steps_));
  const double factor = std::visit(
      Overloaded{[](const ConstantNoise&) { return 1.0; },
                 [&](const RoundDecay& s) {
                   return round <= s.hold ? 1.0 : std::pow(s.beta, static_cast<double>(round - s.hold) / 2);
                 },
                 [&](const StepDecay& s) {
                   return round <= s.hold ? 1.0
                                          : std::pow(s.beta, steps_since_hold(round, step, s.hold, local_steps_) / 2);
                 },
                 [&](const ExponentialDecay& s) { return std::pow(s.factor, static_cast<double>(round - 1)); },
                 [&](const Staircase& s) {
                   const std::uint64_t stairs = (round - 1) / s.every;
                   return std::pow(s.factor, static_cast<double>(stairs));
                 },
                 [&](const Milestones& s) {
                   const auto begun = std::ranges::upper_bound(s.rounds, round) - s.rounds.begin();
                   return std::pow(s.factor, static_cast<double>(begun));
                 },
                 [&](const InverseRoot&) { return 1 / std::sqrt(static_cast<double>(round)); },
                 [&](const InverseDecay& s) { return s.scale / (static_cast<double>(round) + s.offset); },
                 [&](const NoiseTable& s) { return s.noises[(round - 1) * s.steps + (s.steps == 1 ? 0 : step - 1)]; }},
      shape_);
  const double noise = base_noise_ * factor;
  // A factor that has lost digits below the normal range is caught here too, for a base noise cannot bring them back.
  require(std::isnormal(factor) && std::isnormal(noise), "noise", noise,
          fmt::format("a normal double: the schedule leaves their range at round {}, step {}", round, step));
  return noise;
}

double NoiseSchedule::sum_inverse_variance(std::uint64_t rounds) const {
  check_round("rounds", rounds);
  if (rounds == 0) return 0;
  const auto tau = static_cast<double>(local_steps_);
  // Of sigma_0^2 / variance, over the steps.
  const double relative = std::visit(
      Overloaded{[&](const ConstantNoise&) { return tau * static_cast<double>(rounds); },
                 [&](const RoundDecay& s) {
                   const auto [held, decaying] = split(rounds, s.hold);
                   const double l = -std::log(s.beta);
                   return tau * (held + (decaying == 0 ? 0 : std::exp(l) * geometric_sum(l, decaying)));
                 },
                 [&](const StepDecay& s) {
                   const auto [held, decaying] = split(rounds, s.hold);
                   return tau * held + (decaying == 0 ? 0 : geometric_sum(-std::log(s.beta), tau * decaying));
                 },
                 [&](const ExponentialDecay& s) {
                   return tau * geometric_sum(-2 * std::log(s.factor), static_cast<double>(rounds));
                 },
                 [&](const Staircase& s) {
                   const double l = -2 * std::log(s.factor);
                   const std::uint64_t whole = rounds / s.every;
                   const auto stairs = static_cast<double>(whole);
                   const auto rest = static_cast<double>(rounds % s.every);
                   return tau * (static_cast<double>(s.every) * (stairs == 0 ? 0 : geometric_sum(l, stairs)) +
                                 (rest == 0 ? 0 : rest * std::exp(stairs * l)));
                 },
                 [&](const Milestones& s) {
                   double sum = 0;
                   for (std::uint64_t first = 1; first <= rounds;) {
                     const std::uint64_t next = std::min(next_milestone(s, first), rounds + 1);
                     const auto begun = std::ranges::upper_bound(s.rounds, first) - s.rounds.begin();
                     sum += static_cast<double>(next - first) * std::pow(s.factor, -2 * static_cast<double>(begun));
                     first = next;
                   }
                   return tau * sum;
                 },
                 [&](const InverseRoot&) {
                   const auto last = static_cast<double>(rounds);
                   return tau * last * (last + 1) / 2;
                 },
                 [&](const InverseDecay& s) {
                   // The squares of r + offset, all terms positive.
                   const auto last = static_cast<double>(rounds);
                   const double squares = last * (last + 1) * (2 * last + 1) / 6;
                   return tau * (squares + s.offset * last * (last + 1) + s.offset * s.offset * last) / s.scale /
                          s.scale;
                 },
                 [&](const NoiseTable& s) {
                   double sum = 0;
                   for (std::uint64_t i = 0; i < rounds * s.steps; ++i) sum += 1 / s.noises[i] / s.noises[i];
                   return s.steps == 1 ? tau * sum : sum;
                 }},
      shape_);
  const double sum = relative / base_noise_ / base_noise_;
  require(std::isnormal(sum), "the sum of inverse variances", sum, "a normal double: the schedule leaves their range");
  return sum;
}

}  // namespace dpbudget::fl
