#include "dpbudget/accounting/shuffle/clones/moment_series.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/interruption.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/log_math.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/numeric/tanh_half.h"

namespace dpbudget::shuffle {

using numeric::Extended;
namespace extended = numeric::extended;

namespace {

using numeric::unit;

// Blocks so narrow that what they cost is a small share of `looseness`, also where the power is that of large orders.
constexpr double blocks_to_mode = 2048;
constexpr double blocks_to_deviation = 64;

// By what log(1 + moment) may be too large, relatively.
constexpr double looseness = 2e-3;

// What a bound on E[X^(2 power)] exceeds it by, in units of power (power - 1)^2 / m^2: measured.
constexpr double excess_of_bounds = 0.42;

// The logarithm of what all that is bounded roughly may add, relatively.
constexpr double negligible = -16;

// X is shifted by about order tau / m, and where that is more, bounds on its moments exceed them by more.
constexpr double most_shift = 0.2;

// Of terms that fall: sums are compared with what is left of them then.
constexpr double small_term = 1e-5;

// Sums up to here are in the range of an Extended; and of large orders, by so much less.
constexpr double most_log = 11000;
constexpr double log_less = 11000;
constexpr double large_log = 1000;

constexpr double few_powers = 16;
constexpr double most_powers = 1 << 15;
constexpr double most_powers_to_reports = 0.3;

// From this power on the tail is bounded by the series at a larger argument too.
constexpr double power_of_larger_argument = 4;
constexpr double most_larger_tau = 1 - 0x1p-10;  // so that 1 less it keeps its digits

// Neighbours made one while they span no more than `width`.
std::vector<UpperMasses::Stretch> wider(const std::vector<UpperMasses::Block>& blocks, double width) {
  std::vector<UpperMasses::Stretch> found;
  for (auto from = blocks.begin(); from != blocks.end();) {
    const auto to = std::find_if(from, blocks.end(), [&](const UpperMasses::Block& block) {
      return std::abs(block.first - from->first) > width;
    });
    const auto sum = [](Extended mass, const UpperMasses::Block& block) { return mass + block.mass; };
    found.push_back({std::min(from->first, std::prev(to)->first),
                     static_cast<double>(extended::log(std::accumulate(from, to, Extended(0), sum)))});
    from = to;
  }
  return found;
}

// log E[(P/Q)^order] at most, over these numbers of clones, for slope = (order - 1) local_epsilon.
// accounting/shuffle/proofs.md, 5.5
double log_moment(const std::vector<UpperMasses::Stretch>& numbers, double slope) {
  double log_sum = -infinity;
  for (const auto& [first, log_mass] : numbers) {
    const double exponent = std::min(slope, slope / (2 * (first + 1)) * slope);
    log_sum = numeric::log_add(log_sum, log_mass + numeric::log_add(0, exponent));
  }
  return log_sum + std::numbers::ln2;
}

// What E[e^(slope X)] is about 1 at, or a little more than 1, where that is more.
double larger_argument(double tau, double slope, double reports) {
  return std::min(std::max(1.25, std::sqrt(reports) / slope), (1 + 1 / tau) / 2);
}

}  // namespace

MomentSeries::MomentSeries(const ClonePair& pair)
    : local_epsilon_(pair.local_epsilon), typical_(pair.count.mode() + 1), moments_{{1, 0}} {
  const auto stride = [least = pair.count.deviation() / blocks_to_deviation](double m) {
    return std::max(m / blocks_to_mode, least);
  };
  const UpperMasses masses = upper_masses(pair.count, stride);
  for (const UpperMasses::Block& block : masses.blocks) {
    const Extended m = Extended(block.first) + 1;
    terms_.push_back({block.mass, typical_ / m, 2 / (3 * m), (m - 1) / m * ((m - 1) / m)});
  }
  numbers_ = wider(masses.blocks, pair.count.deviation());
  fewer_ = masses.below;
  error_ = masses.error;
  share_of_block_ = std::max(0.0, std::floor(stride(typical_)) - 1) / typical_;
}

// accounting/shuffle/proofs.md, 5.4
const MomentSeries::Moment& MomentSeries::moment(double power) {
  while (static_cast<double>(moments_.size()) <= power) {
    heed_interruption();
    const auto before = static_cast<double>(moments_.size() - 1);
    log_normal_ += std::log((2 * before + 1) / typical_);
    const Extended none = typical_ / (2 * before + 1);  // the ratio by which moments do not fall
    Extended sum = 0;
    for (Term& term : terms_) {
      Extended ratio = term.ratio;
      if (before > 0) {
        ratio *= 1 - before * term.gain;
        term.gain *= term.dropping;
      }
      sum += term.value *= std::min(ratio, none);
    }
    moments_.push_back({sum, log_normal_ + static_cast<double>(extended::log(sum))});
  }
  return moments_[to_integer<std::size_t>(power, "power")];
}

std::optional<double> MomentSeries::log_excess(double order) {
  dpbudget::ranges::order(order);
  const double tau = numeric::tanh_half(local_epsilon_);
  const double shift = order * tau / typical_;
  const double rough_log = 2 * shift * shift * typical_;  // of the moment
  if (shift > most_shift || rough_log > most_log + log_less) return {};
  const double log_unit = rough_log > large_log ? log_less : 0;
  const double slope = (order - 1) * local_epsilon_;
  const double larger = larger_argument(tau, slope, typical_);
  const double larger_slope = (order - 1) * (std::log1p(larger * tau) - std::log1p(-larger * tau));
  const bool is_larger_known = larger * tau < most_larger_tau;
  double log_larger = infinity;
  const double rough_error = error_ + 8 * unit * (1 + slope) +
                             (is_larger_known ? 8 * unit * (larger_slope + order / (1 - most_larger_tau)) : 0);
  // accounting/shuffle/proofs.md, 5.4: coefficients of X^(2 power - 1) and X^(2 power), both times the moment of a
  // normal variable of the latter's power.
  const Extended step = (2 * Extended(order) - 1) * tau;
  const Extended square = Extended(tau) * tau;
  const Extended start = extended::exp(Extended(-log_unit)) / typical_;
  Extended odd = step * start;
  Extended even = 2 * Extended(order) * (Extended(order) - 1) * square * start;
  Extended sum = 0;
  Extended spread = 0;  // by what terms exceed the truth
  for (double k = 1; k < std::min(most_powers, few_powers + most_powers_to_reports * typical_); ++k) {
    const Moment& bound = moment(k);
    const Extended term = even * bound.relative;
    sum += term;
    spread += term * (k * (excess_of_bounds * (k - 1) / typical_ * (k - 1) / typical_ + share_of_block_ / 2));
    if (is_larger_known && k == power_of_larger_argument)
      log_larger = numeric::log_add(log_moment(numbers_, larger_slope), log_moment(fewer_, larger_slope));
    if (term < sum * small_term) {
      const double log_sum = static_cast<double>(extended::log(sum)) + log_unit;
      if (!(log_sum < most_log + log_unit)) return {};
      // All further powers: X^(2 power) times the coefficients' sum, or the series at `larger` X.
      const double log_further = std::min(bound.log_value + slope, log_larger - 2 * k * std::log(larger));
      if (log_further + rough_error < log_sum + negligible) {
        const double log_fewer = log_moment(fewer_, slope);
        if (!(spread <= looseness * std::max(1.0, log_sum) * sum) || log_fewer + rough_error > log_sum + negligible)
          return {};
        const double log_rough = numeric::log_add(log_further, log_fewer) + rough_error;
        return numeric::log_add(log_sum + error_ + unit * (std::abs(log_sum) + 8 * k + 16), log_rough);
      }
    }
    const double normal = (2 * k + 1) / typical_;
    odd = (step * even + (2 * k - 2) * square * odd) / (2 * k + 1) * normal;
    even = (step * odd + (2 * k - 1) * square * even * normal) / (2 * k + 2);
  }
  return {};
}

}  // namespace dpbudget::shuffle
