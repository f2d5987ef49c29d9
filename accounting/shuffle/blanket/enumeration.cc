#include "dpbudget/accounting/shuffle/blanket/enumeration.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::shuffle {

using numeric::unit;
namespace {

constexpr double most_terms = 20000;
constexpr double least_log_weight = -600;  // smaller probabilities could lose digits

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
  Enumeration(std::vector<Value> values, double rest, Side side)
      : values_(std::move(values)), rest_(rest), side_(side) {}

  // Sum over the counts of the values from `next` on, `left` reports being left; `size` bounds what `sum` has been
  // added up from.
  double over(std::size_t next, double left, double weight, double sum, double size) const {
    if (next == values_.size()) {
      const double rounding = unit * static_cast<double>(values_.size() + 2) * size;
      return weight * std::pow(rest_, left) * std::max(0.0, sum + (side_ == Side::upper ? rounding : -rounding));
    }
    const auto& [value, mass] = values_[next];
    const auto most = to_integer<int>(left, "reports");
    double total = 0;
    for (int i = 0; i <= most; ++i) {
      const auto count = static_cast<double>(i);
      total += over(next + 1, left - count, weight, sum + count * value, size + count * std::abs(value));
      weight *= mass * ((left - count) / (count + 1));
    }
    return total;
  }

 private:
  std::vector<Value> values_;
  double rest_;
  Side side_;
};

}  // namespace

std::optional<double> enumerated_log_mean_excess(const BlanketLaw& law, double reports, Side side) {
  std::vector<Value> values = distinct(law);
  double terms = 1;
  double least = law.rest > 0 ? law.rest : 1;  // no rest is exactly 0
  for (std::size_t j = 0; j < values.size() && terms <= most_terms; ++j) {
    terms *= (reports + static_cast<double>(j) + 1) / (static_cast<double>(j) + 1);
    least = std::min(least, values[j].mass);
  }
  if (terms > most_terms || !(reports * std::log(least) > least_log_weight)) return std::nullopt;
  const auto distinct_values = static_cast<double>(values.size());
  const double sum = Enumeration(std::move(values), law.rest, side).over(0, reports, 1, 0, 0);
  // A weight is made of at most 4 roundings for each report and a power of `rest`.
  const double rounding = reports * (law.relative_error + unit) + unit * (distinct_values + terms / 8 + 8);
  return std::log(sum) - std::log(reports) +
         (side == Side::upper ? 1 : -1) * (rounding + unit * std::abs(std::log(sum)));
}

}  // namespace dpbudget::shuffle
