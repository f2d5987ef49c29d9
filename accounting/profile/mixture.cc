#include "dpbudget/accounting/profile/mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dpbudget::profile {
namespace {

// q (e^loss - 1), infinite where it is beyond a double.
double mixture_change(double rate, double loss) {
  if (loss < 700) return rate * std::expm1(loss);
  const double root = std::exp(loss / 2);  // no double tells e^loss from e^loss - 1
  return rate * root * root;
}

}  // namespace

double mixture_loss(double rate, double loss) {
  if (rate == 1) return loss;
  const double change = mixture_change(rate, loss);
  if (std::isinf(change)) return loss + std::log(rate);
  return change > -0.5 ? std::log1p(change) : std::log((1 - rate) + rate * std::exp(loss));
}

double mixture_slope(double rate, double loss) {
  const double others = (1 - rate) * std::exp(-loss) / rate;
  return std::min(1.0, 1 / (1 + others) * (1 + 0x1p-49) + 0x1p-1022);
}

double unmixed_loss(double rate, double loss) {
  if (rate == 1) return loss;
  if (loss > 1) return loss - std::log(rate) + std::log1p((rate - 1) * std::exp(-loss));
  const double least = std::log1p(-rate);
  if (loss > std::fmax(least / 2, -0.5)) {
    const double change = std::expm1(loss) / rate;
    return std::isinf(change) ? std::log(std::expm1(loss)) - std::log(rate) : std::log1p(change);
  }
  if (loss <= least) return -std::numeric_limits<double>::infinity();
  return std::log(std::expm1(loss - least) / rate) + least;
}

}  // namespace dpbudget::profile
