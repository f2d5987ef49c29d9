#include "dpbudget/accounting/loss_distribution/releases/binomial_shift.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/numeric/tail_sum.h"
#include "dpbudget/accounting/shuffle/vector_sum/binomial_noise.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;
using shuffle::BinomialNoise;

// P(X >= i), to go to infinity, and its relative error; or, where it is below `tail`, what may be left out instead.
struct Beyond {
  double at_infinity = 0;
  double error = 0;
  double left_out = 0;
};

Beyond beyond(const BinomialNoise& noise, double i, double tail) {
  const double bound = noise.tail_upper(i);
  if (bound <= tail) return {.left_out = bound};
  const numeric::TailWeight whole{-std::numeric_limits<double>::infinity(), 0};
  const auto [lower, upper] = numeric::log_tail_sum_bracket(noise.law(), i, whole);
  // d log P(X >= i) / d log odds = E[X - mean | X >= i], the law being log-concave.
  const double farthest = std::abs(i - noise.law().mean()) + 4 * noise.law().deviation() + 2;
  const double error = (upper - lower) / 2 + 2 * farthest * noise.log_odds_error() + 16 * unit * (1 + std::abs(upper));
  return {.at_infinity = std::exp((lower + upper) / 2), .error = std::expm1(error)};
}

}  // namespace

Pieces binomial_shift_pieces(double trials, double probability, double shift, const Cut& cut) {
  check(cut);
  const BinomialNoise noise(trials, probability);
  const BinomialNoise failures = noise.reversed();
  require(0 <= shift && shift <= trials && shift == std::floor(shift), "shift", shift, "an integer in [0, trials]");
  if (shift == 0) return one_atom();

  // Losses are kept from the least outcome that Q still has to the largest that P still has.
  const double first = std::max(shift, trials - failures.tail_point(cut.tail) + 1);
  const double last = std::min(trials, shift + noise.tail_point(cut.tail) - 1);
  require(last - first < 0x1p24, "trials", trials, "so few that 2^24 atoms hold all but the tail");

  Pieces result;
  const auto number = to_integer<std::size_t>(last - first, "atoms") + 1;
  result.pieces.reserve(number);
  double largest_error = 0;
  double before = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < number; ++i) {
    const double j = first + static_cast<double>(i);
    const double log_p = noise.law().log_mass(j - shift);
    const double log_q = noise.law().log_mass(j);
    const bool is_direct = shift <= BinomialNoise::few_steps;
    // Rounding must not put losses out of order.
    const double loss = std::max(before, is_direct ? -noise.log_ratio(j - shift, 0, shift) : log_p - log_q);
    before = loss;
    result.pieces.push_back({loss, loss, std::exp(log_p), std::exp(log_q), loss});
    constexpr double log_least = 670;  // masses below that are not held to the relative error
    const double of_p = noise.log_mass_error(j - shift, std::min(log_least, std::abs(log_p)));
    const double of_q = noise.log_mass_error(j, std::min(log_least, std::abs(log_q)));
    result.errors.mass = std::max({result.errors.mass, of_p, of_q});
    const double steps = std::max(std::abs(noise.log_ratio(j - shift, 0, 1)), std::abs(noise.log_ratio(j - 1, 0, 1)));
    const double of_loss = is_direct ? shift * (0x1p-43 * steps + noise.log_odds_error())
                                     : noise.log_mass_error(j - shift, log_p) + noise.log_mass_error(j, log_q);
    largest_error = std::max(largest_error, of_loss);
  }
  result.errors.mass = result.errors.mass * (1 + 1e-6) + 16 * unit;
  result.errors.barycentre = result.errors.loss = largest_error;

  // Beyond the last atom P still has the finite losses up to `trials`.
  const Beyond above = beyond(noise, trials - shift + 1, cut.tail);
  const Beyond below = beyond(failures, trials - shift + 1, cut.tail);
  result.p_at_infinity = above.at_infinity;
  result.q_at_infinity = below.at_infinity;
  result.errors.infinity = std::max(above.error, below.error);
  // Where the rest of the tail may reach infinite losses too, its bound holds both.
  result.p_above = last < trials ? noise.tail_upper(last - shift + 1) : above.left_out;
  result.q_below = first > shift ? failures.tail_upper(trials - first + 1) : below.left_out;
  return result;
}

}  // namespace dpbudget::loss_distribution
