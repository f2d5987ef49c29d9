#include "dpbudget/accounting/shuffle/blanket/enumeration.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::shuffle {

using numeric::unit;
namespace {

// Of some nanoseconds each: as long as an integral takes, or some times as long, for a sum that is as accurate as
// doubles are.
constexpr double most_terms = 400000;
// What a product below the normal doubles may be off by.
constexpr double underflow = 0x1p-1074;

std::vector<Value> distinct(const BlanketLaw& law) {
  std::vector<Value> values = law.values;
  std::ranges::sort(values, std::ranges::greater(), &Value::value);
  std::vector<Value> merged;
  for (const Value& v : values) {
    if (v.mass == 0) continue;
    if (!merged.empty() && merged.back().value == v.value)
      merged.back().mass += v.mass;
    else
      merged.push_back(v);
  }
  return merged;
}

class Enumeration {
 public:
  Enumeration(std::vector<Value> values, double rest, double reports, Side side)
      : values_(std::move(values)), rest_powers_{1}, side_(side) {
    const auto most = to_integer<std::size_t>(reports, "reports");
    while (rest_powers_.size() <= most) rest_powers_.push_back(rest_powers_.back() * rest);
  }

  // Sum over the counts of the values from `next` on, `left` reports being left; `size` bounds what `sum` has been
  // added up from.
  double over(std::size_t next, double left, double weight, double sum, double size) const {
    if (next == values_.size()) {
      const double shifted = sum + (side_ == Side::upper ? rounding(size) : -rounding(size));
      return weight * rest_powers_[static_cast<std::size_t>(left)] * std::max(0.0, shifted);
    }
    const auto& [value, mass] = values_[next];
    const auto most = to_integer<int>(left, "reports");
    double total = 0;
    for (int i = 0; i <= most; ++i) {
      const auto count = static_cast<double>(i);
      const double more = sum + count * value;
      const double more_size = size + count * std::abs(value);
      // The values fall, so that no later one, nor more of this, makes it positive again.
      if (value <= 0 && more + rounding(more_size) <= 0) break;
      total += over(next + 1, left - count, weight, more, more_size);
      weight *= mass * ((left - count) / (count + 1));
    }
    return total;
  }

 private:
  double rounding(double size) const { return unit * static_cast<double>(values_.size() + 2) * size; }

  std::vector<Value> values_;
  std::vector<double> rest_powers_;
  Side side_;
};

}  // namespace

std::optional<double> enumerated_log_mean_excess(const BlanketLaw& law, double reports, Side side) {
  std::vector<Value> values = distinct(law);
  double terms = 1;
  double largest = 0;
  for (std::size_t j = 0; j < values.size() && terms <= most_terms; ++j) {
    terms *= (reports + static_cast<double>(j) + 1) / (static_cast<double>(j) + 1);
    largest = std::max(largest, std::abs(values[j].value));
  }
  if (terms > most_terms) return std::nullopt;
  const auto distinct_values = static_cast<double>(values.size());
  const double sum = Enumeration(std::move(values), law.rest, reports, side).over(0, reports, 1, 0, 0);
  // All that may follow a weight adds up to at most that, times the largest sum: so much for a product that underflows.
  const double lost = 8 * terms * distinct_values * underflow * reports * largest;
  const double kept = side == Side::upper ? sum + lost : sum - lost;
  if (!(kept > 0)) return std::nullopt;
  // A weight is made of at most 5 roundings for each report.
  const double rounding = reports * (law.relative_error + unit) + unit * (distinct_values + terms / 8 + 8);
  return std::log(kept) - std::log(reports) +
         (side == Side::upper ? 1 : -1) * (rounding + unit * std::abs(std::log(kept)));
}

}  // namespace dpbudget::shuffle
