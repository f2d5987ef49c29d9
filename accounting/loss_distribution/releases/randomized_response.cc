#include "dpbudget/accounting/loss_distribution/releases/randomized_response.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {

Pieces randomized_response_pieces(double epsilon, std::uint64_t categories) {
  ranges::epsilon(epsilon);
  ranges::categories(categories);
  return told_response_pieces(told_response(RandomizedResponse{epsilon, categories}));
}

Pieces told_response_pieces(const ToldResponse& response) {
  const double epsilon = response.epsilon;
  Pieces result;
  if (epsilon == 0) {
    result.pieces = {{0, 0, 1, 1, 0}};
    return result;
  }
  const double odds = std::exp(-epsilon);  // of the other value against the truth
  const double truth = response.told / (1 + odds);
  const double lie = odds * truth;
  result.pieces.push_back({-epsilon, -epsilon, lie, truth, -epsilon});
  if (response.untold > 0) result.pieces.push_back({0, 0, response.untold, response.untold, 0});
  result.pieces.push_back({epsilon, epsilon, truth, lie, epsilon});
  result.errors.mass = 8 * numeric::unit;
  return result;
}

}  // namespace dpbudget::loss_distribution
