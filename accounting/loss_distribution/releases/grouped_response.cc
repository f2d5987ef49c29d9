#include "dpbudget/accounting/loss_distribution/releases/grouped_response.h"

#include <cmath>

#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/told_response.h"

namespace dpbudget::loss_distribution {

using numeric::unit;
namespace {

constexpr std::uint64_t most_records = 1024;

}  // namespace

Pieces grouped_response_pieces(double epsilon, std::uint64_t records) {
  const auto number = static_cast<double>(records);
  const double odds = std::exp(-epsilon);
  const double farthest = 1 / (1 + odds);  // beyond the nearer of the two integers
  // Of what lies `steps` from it towards the farther one.
  const auto mass = [&](double steps) {
    if (steps == 0) return farthest;
    const double towards = std::exp(-steps * epsilon) * farthest;
    return steps == number ? towards : -std::expm1(-epsilon) * towards;
  };
  Pieces result;
  for (std::uint64_t i = 0; i <= records; ++i) {
    const auto step = static_cast<double>(i);
    const double loss = (2 * step - number) * epsilon;
    result.pieces.push_back({loss, loss, mass(number - step), mass(step), loss});
  }
  const double rounding = 2 * unit * number * epsilon;
  result.errors = {.mass = unit * 16 + rounding, .barycentre = rounding, .loss = rounding};
  return result;
}

bool has_grouped_responses(const Grouped& group) {
  const Event& inner = *group.inner;
  const bool is_pure = std::holds_alternative<PureDp>(inner) || std::holds_alternative<DiscreteLaplace>(inner) ||
                       std::holds_alternative<RandomizedResponse>(inner) ||
                       std::holds_alternative<BoundedRange>(inner) || oracle_response(inner).has_value();
  return is_pure && group.records.value() <= most_records;
}

bool is_attained_by_groups(const Event& inner) {
  return std::holds_alternative<PureDp>(inner) || std::holds_alternative<DiscreteLaplace>(inner);
}

}  // namespace dpbudget::loss_distribution
