#include "dpbudget/accounting/approximate/composed_curve.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "dpbudget/accounting/approximate/composition.h"
#include "dpbudget/accounting/approximate/failure.h"
#include "dpbudget/accounting/approximate/heterogeneous.h"
#include "dpbudget/accounting/approximate/optimal_composition.h"
#include "dpbudget/accounting/approximate/shares.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::approximate {
namespace {

using numeric::unit;

double lowered(double value, double relative_error) { return std::nextafter(value * (1 - relative_error - unit), 0.0); }

// A delta that `count` mechanisms of failure probability `delta` have together, rounded up.
double failing_together(double delta, double count) {
  return std::min(1.0, numeric::raised(-std::expm1(count * std::log1p(-delta)), 8 * unit));
}

// The most that each of `count` may fail, for them to fail with probability `delta` together; less what the certificate
// of a composition without any other delta needs for its rounding.
double share_of_each(double delta, double count) { return lowered(-std::expm1(std::log1p(-delta) / count), 0x1p-34); }

// Remembers its answers: curves inside curves are asked the same again.
class RememberingCurve : public Curve {
 public:
  double epsilon(double delta) const final {
    const auto known = answers_.find(delta);
    return known != answers_.end() ? known->second : answers_.emplace(delta, answer(delta)).first->second;
  }

 private:
  virtual double answer(double delta) const = 0;
  mutable std::map<double, double> answers_;
};

class RepeatedCurve final : public RememberingCurve {
 public:
  RepeatedCurve(double count, CurvePtr inner) : count_(count), inner_(std::move(inner)) {}

  double least_delta() const override { return failing_together(inner_->least_delta(), count_); }

 private:
  double answer(double delta) const override {
    const double share = best_share(share_of_each(delta, count_), inner_->least_delta(), [&](double each) {
      const double epsilon = inner_->epsilon(each);
      return std::isinf(epsilon) ? epsilon : optimal_composition_epsilon(epsilon, each, count_, delta);
    });
    const double epsilon = inner_->epsilon(share);
    return std::isinf(epsilon) ? epsilon : optimal_composition_epsilon_bound(epsilon, share, count_, delta);
  }

  double count_;
  CurvePtr inner_;
};

class ComposedCurve final : public RememberingCurve {
 public:
  explicit ComposedCurve(std::vector<Part> parts) : parts_(std::move(parts)) {
    for (const Part& part : parts_) {
      releases_ += part.count;
      repeated_.push_back(repeated_curve(part.count, part.curve));
    }
  }

  double least_delta() const override {
    double sum = 0;
    for (const CurvePtr& part : repeated_) sum = numeric::add_up(sum, part->least_delta());
    return std::min(1.0, sum);
  }

 private:
  double answer(double delta) const override {
    const double share =
        best_share(share_of_each(delta, releases_), 0, [&](double each) { return with_equal_shares(each, delta); });
    return std::min(basic(delta), with_equal_shares(share, delta));
  }

  // Parts that cannot do with their equal share get what they need, and leave less to the others.
  double basic(double delta) const {
    double needed = 0;
    for (const CurvePtr& part : repeated_) needed = numeric::add_up(needed, part->least_delta());
    if (needed > delta) return infinity;
    const double spare = lowered((delta - needed) / static_cast<double>(repeated_.size()), 2 * unit);
    double sum = 0;
    for (const CurvePtr& part : repeated_) {
      const double least = part->least_delta();
      sum = numeric::add_up(sum, part->epsilon(std::max(least, lowered(least + spare, 2 * unit))));
    }
    return sum;
  }

  // accounting/approximate/proofs.md, 3.2
  double with_equal_shares(double each, double delta) const {
    std::vector<Equal> groups;
    std::vector<Failing> failing;
    for (const auto& [count, curve] : parts_) {
      const double least = curve->least_delta();
      const double at_least = curve->epsilon(least);
      double share = std::max(each, least);
      double epsilon = share == least ? at_least : curve->epsilon(share);
      // A release whose epsilon the share hardly lowers does without.
      if (epsilon > 0.99 * at_least) {
        share = least;
        epsilon = at_least;
      }
      if (std::isinf(epsilon)) return infinity;
      groups.push_back({epsilon, count});
      failing.push_back({share, count});
    }
    const double failure =
        numeric::raised(-std::expm1(log_no_failure(failing)), unit * (8 + static_cast<double>(failing.size())));
    if (!(failure <= delta)) return infinity;
    const double slack = std::max(0.0, lowered((delta - failure) / (1 - failure), 4 * unit));
    const double closed = kairouz_heterogeneous_epsilon_bound(groups, slack);
    return std::min(closed, exact(groups, failing, delta));
  }

  double exact(const std::vector<Equal>& groups, const std::vector<Failing>& failing, double delta) const {
    constexpr double most_terms = 1024;
    if (releases_ >= most_terms) return infinity;
    std::vector<double> epsilons;
    std::vector<double> deltas;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const auto count = to_integer<std::size_t>(groups[i].count, "count");
      epsilons.insert(epsilons.end(), count, groups[i].epsilon);
      deltas.insert(deltas.end(), count, failing[i].delta);
    }
    if (combinations(epsilons) > most_terms) return infinity;
    return optimal_composition_heterogeneous_epsilon_bound(epsilons, deltas, delta);
  }

  std::vector<Part> parts_;
  std::vector<CurvePtr> repeated_;
  double releases_ = 0;
};

class Nothing final : public Curve {
 public:
  double epsilon(double /*delta*/) const override { return 0; }
};

}  // namespace

CurvePtr repeated_curve(double count, CurvePtr inner) {
  if (count == 0) return std::make_shared<Nothing>();
  if (count == 1) return inner;
  return std::make_shared<RepeatedCurve>(count, std::move(inner));
}

CurvePtr composed_curve(std::vector<Part> parts) {
  std::erase_if(parts, [](const Part& part) { return part.count == 0; });
  if (parts.empty()) return std::make_shared<Nothing>();
  if (parts.size() == 1) return repeated_curve(parts.front().count, parts.front().curve);
  return std::make_shared<ComposedCurve>(std::move(parts));
}

}  // namespace dpbudget::approximate
