#include "dpbudget/tools/cli/page/figures.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/to_integer.h"

namespace dpbudget::tools {
namespace {

// Enough for the eye, and few enough for accountants that take their time.
constexpr int points = 24;

// The two ends of what was asked at every x.
class Ends {
 public:
  void add(double x, double lower, double upper, Guarantee guarantee) {
    if (upper > 0 && std::isfinite(upper)) {
      upper_.x.push_back(x);
      upper_.y.push_back(upper);
    }
    if (lower > 0) {
      lower_.x.push_back(x);
      lower_.y.push_back(lower);
    }
    if (guarantee == Guarantee::estimate) upper_.stroke = Stroke::dashed;
  }

  Plot against(std::string x, bool has_log_x, std::string y) && {
    upper_.title = upper_.stroke == Stroke::dashed ? "about (estimate)" : "at most";
    lower_.title = "at least";
    std::vector<Line> all{std::move(upper_)};
    if (!lower_.x.empty()) all.push_back(std::move(lower_));
    return {.title = "",
            .x_label = std::move(x),
            .y_label = std::move(y),
            .has_log_x = has_log_x,
            .has_log_y = true,
            .lines = std::move(all)};
  }

 private:
  Line upper_;
  Line lower_;
};

}  // namespace

Plot profile_of(Accountant& accountant, std::uint64_t count, double epsilon) {
  Ends ends;
  const double largest = 0 < epsilon && std::isfinite(epsilon) ? 2 * epsilon : 1;
  for (int i = 0; i <= points; ++i) {
    const double at = largest * i / points;
    const Answer<DeltaBound> answer = accountant.delta(count, at);
    if (!answer) continue;
    const DeltaBound found = answer.value();
    ends.add(at, std::exp(found.log_lower), std::exp(found.log_upper), found.bound.guarantee);
  }
  return std::move(ends).against("epsilon", false, "delta");
}

Plot growth_of(Accountant& accountant, std::uint64_t count, double delta) {
  Ends ends;
  const double last = 2 * static_cast<double>(std::clamp<std::uint64_t>(count, 1, ranges::max_count / 2));
  std::uint64_t before = 0;
  for (int i = 0; i <= points; ++i) {
    const auto at = to_integer<std::uint64_t>(std::round(std::pow(last, i / double{points})), "rounds");
    if (std::exchange(before, at) == at) continue;
    const Answer<Bound> answer = accountant.epsilon(at, delta);
    if (!answer) continue;
    const Bound found = answer.value();
    ends.add(static_cast<double>(at), found.lower, found.upper, found.guarantee);
  }
  return std::move(ends).against("rounds", true, "epsilon");
}

}  // namespace dpbudget::tools
