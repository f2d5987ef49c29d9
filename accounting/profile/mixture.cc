#include "dpbudget/accounting/profile/mixture.h"

#include <cmath>
#include <limits>

namespace dpbudget::profile {

double mixture_loss(double rate, double loss) {
  if (rate == 1) return loss;
  if (loss > 30) return loss + std::log(rate + (1 - rate) * std::exp(-loss));
  const double change = rate * std::expm1(loss);
  return change > -0.5 ? std::log1p(change) : std::log((1 - rate) + rate * std::exp(loss));
}

double unmixed_loss(double rate, double loss) {
  if (rate == 1) return loss;
  if (loss > 1) return loss - std::log(rate) + std::log1p((rate - 1) * std::exp(-loss));
  const double least = std::log1p(-rate);
  if (loss > std::fmax(least / 2, -0.5)) return std::log1p(std::expm1(loss) / rate);
  if (loss <= least) return -std::numeric_limits<double>::infinity();
  return std::log(std::expm1(loss - least)) + least - std::log(rate);
}

}  // namespace dpbudget::profile
