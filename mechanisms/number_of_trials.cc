#include "dpbudget/mechanisms/number_of_trials.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/generating_function.h"

namespace dpbudget::mechanisms {
namespace {

constexpr double most_on_average = 1e4;

// Of what is less likely the rest of the tail is less than what inversion is off by.
constexpr double negligible = 0x1p-80;

// The k from `first` on at which the sum of their probabilities exceeds a uniform number: `probability` is the first
// one's, ratio(k) what it takes to the next.
template <class Ratio>
std::uint64_t inverted(std::uint64_t first, double probability, const Ratio& ratio, Stream& stream) {
  double left = stream.uniform();
  std::uint64_t k = first;
  // Probabilities fall from the mode on: small ones after it end the tail.
  for (bool falls = false; left >= probability && !(falls && probability < negligible); ++k) {
    left -= probability;
    const double factor = ratio(static_cast<double>(k));
    falls = falls || factor < 1;
    probability *= factor;
  }
  return k;
}

std::uint64_t poisson(double mean, Stream& stream) {
  return inverted(0, std::exp(-mean), [&](double k) { return mean / (k + 1); }, stream);
}

std::uint64_t negative_binomial(const Trials::NegativeBinomial& law, Stream& stream) {
  const double magnitude = -std::log(law.gamma);
  const double weight = law.eta == 0 ? 1 / magnitude : law.eta / std::expm1(law.eta * magnitude);
  return inverted(
      1, (1 - law.gamma) * weight, [&](double k) { return (1 - law.gamma) * (k + law.eta) / (k + 1); }, stream);
}

}  // namespace

double mean_number(const Trials& trials) {
  ranges::trials(trials);
  if (const auto* poisson = std::get_if<Trials::Poisson>(&trials.law)) return poisson->mean.value();
  const auto& [eta, gamma] = std::get<Trials::NegativeBinomial>(trials.law);
  return numeric::GeneratingFunction::negative_binomial(eta, gamma).mean();
}

void require_drawable(const Trials& trials) {
  if (const auto* poisson = std::get_if<Trials::Poisson>(&trials.law))
    require(!poisson->mean.is_unknown(), "trials", to_text(trials), "of a known mean");
  require(mean_number(trials) <= most_on_average, "trials", to_text(trials), "at most 10000 on average");
}

std::uint64_t number_of_trials(const Trials& trials, Stream& stream) {
  require_drawable(trials);
  if (const auto* law = std::get_if<Trials::NegativeBinomial>(&trials.law)) return negative_binomial(*law, stream);
  // Sums of Poisson numbers are Poisson numbers, and e^-500 is a double.
  constexpr double most_at_once = 500;
  std::uint64_t number = 0;
  for (double left = std::get<Trials::Poisson>(trials.law).mean.value(); left > 0; left -= most_at_once)
    number += poisson(std::min(left, most_at_once), stream);
  return number;
}

}  // namespace dpbudget::mechanisms
