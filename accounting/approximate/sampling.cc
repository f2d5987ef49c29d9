#include "dpbudget/accounting/approximate/sampling.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/binomial.h"
#include "dpbudget/accounting/profile/gaussian.h"

namespace dpbudget::approximate {

using numeric::Binomial;
namespace {

double amplified_epsilon(double sampling_rate, double epsilon) {
  if (sampling_rate == 1) return epsilon;
  if (epsilon < 700) return std::log1p(sampling_rate * std::expm1(epsilon));
  // e^epsilon may overflow; beside it 1 does not count, except where the rate makes up for it.
  const double log_product = epsilon + std::log(sampling_rate);
  return log_product > 40 ? log_product : std::log1p(std::exp(log_product));
}

// log of all terms that follow one of 1, when each is at most `ratio` times the one before.
double log_rest(double ratio) { return ratio < 1 ? std::log(ratio / (1 - ratio)) : infinity; }

}  // namespace

EpsilonLogDelta amplify_by_sampling(double epsilon, double delta, double sampling_rate) {
  ranges::epsilon(epsilon);
  ranges::release_delta(delta);
  require(0 <= sampling_rate && sampling_rate <= 1, "sampling_rate", sampling_rate, "in [0, 1]");
  return {amplified_epsilon(sampling_rate, epsilon), std::log(sampling_rate) + std::log(delta)};
}

EpsilonLogDelta amplify_with_replacement(double epsilon, double population, double draws,
                                         const LogDeltaOfGroup& log_delta_of_group) {
  ranges::epsilon(epsilon);
  require(1 <= population && population <= 0x1p53 && population == std::floor(population), "population", population,
          "an integer in [1, 2^53]");
  require(1 <= draws && draws <= 1e9 && draws == std::floor(draws), "draws", draws, "an integer in [1, 10^9]");
  const double drawn = -std::expm1(draws * std::log1p(-1 / population));
  const double amplified = amplified_epsilon(drawn, epsilon);
  if (population == 1) return {amplified, std::min(0.0, log_delta_of_group(draws))};

  if (std::isinf(log_delta_of_group(draws))) return {amplified, -infinity};

  const Binomial times = Binomial::of_one_in(draws, population);
  double log_scale = -infinity;  // of the largest term so far
  double sum = 0;                // in its units
  double terms = 0;
  const auto add = [&](double log_term) {
    if (log_term > log_scale) {
      sum *= std::exp(log_scale - log_term);
      log_scale = log_term;
    }
    if (log_term > -infinity) sum += std::exp(log_term - log_scale);
    constexpr double most_terms = 0x1p21;
    if (++terms > most_terms)
      throw Unsupported("draws are too many for a delta this small: more than 2^21 terms of its sum matter");
  };
  // Adds what is left out once that is next to nothing.
  const auto is_done = [&](double log_rest) {
    const bool is_negligible = std::exp(std::min(log_rest - log_scale, 700.0)) < 0x1p-60 * sum;
    if (is_negligible) add(log_rest);
    return is_negligible;
  };
  const double mode = std::max(1.0, times.mode());
  // Upwards the deltas may rise to 1, downwards they do not rise.
  double k = mode;
  while (true) {
    const double log_mass = times.log_mass(k);
    add(log_mass + log_delta_of_group(k));
    if (k == draws || is_done(log_mass + log_rest((draws - k) / (k + 1) * times.odds()))) break;
    ++k;
  }
  k = mode;
  while (k > 1) {
    --k;
    const double log_term = times.log_mass(k) + log_delta_of_group(k);
    add(log_term);
    if (is_done(log_term + log_rest(k / (draws - k + 1) / times.odds()))) break;
  }
  return {amplified, std::min(0.0, log_scale + std::log(sum))};
}

EpsilonLogDelta amplify_with_replacement_gaussian(double epsilon, double mu, double population, double draws) {
  ranges::epsilon(epsilon);
  require(1e-300 <= mu && std::isfinite(mu), "mu", mu, "finite and at least 1e-300");
  // Farther apart than this the outputs are told apart by themselves, whatever a double holds of the rest.
  const double certain = 4 * (std::sqrt(epsilon) + 10);
  return amplify_with_replacement(epsilon, population, draws, [&](double size) {
    const double distance = size * mu;
    const double noise = 1 / std::min(distance, std::max(certain, 1.0));
    return profile::gaussian_log_delta(epsilon, noise);
  });
}

}  // namespace dpbudget::approximate
