#include "dpbudget/accounting/approximate/accountant.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "dpbudget/accounting/approximate/curve_of.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/numeric/exponential.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/accounting/plan/pure.h"
#include "dpbudget/accounting/plan/releases.h"
#include "dpbudget/accounting/profile/gaussian.h"

namespace dpbudget::approximate {
namespace {

using numeric::unit;

// The largest delta that is looked for, next to 1.
constexpr double log_greatest = -0x1p-20;

constexpr std::size_t few_releases = 64;

// Of the logarithm of delta, relative: where the curve takes little, and elsewhere.
constexpr double fine = 0x1p-40;
constexpr double coarse = 0x1p-19;

Bound bound(double upper, const PlanCurve& plan_curve) {
  Bound proven{.lower = 0,
               .upper = upper,
               .guarantee = Guarantee::proven,
               .theorems = plan_curve.theorems,
               .notes = {},
               .accountant = "approximate"};
  proven.witnesses.upper = witness::Composition{};
  if (std::isinf(upper)) proven.notes.emplace_back("this accountant knows no finite epsilon at this delta");
  return proven;
}

DeltaBound delta_bound(double log_upper, const PlanCurve& plan_curve) {
  const double upper = std::min(1.0, numeric::exp_up(log_upper, 4 * unit * (1 + std::abs(log_upper))));
  return {bound(upper, plan_curve), -infinity, log_upper};
}

// The log delta next to where the curve falls to `epsilon`, on the safe side: the curve itself is asked there.
double log_delta_of(const Curve& curve, double epsilon, double precision) {
  const auto excess = [&](double log_delta) {
    const double at = curve.epsilon(std::exp(log_delta) * (1 - 4 * unit * (1 - log_delta)));
    return std::isinf(at) ? infinity : at - epsilon;
  };
  const auto range = numeric::range_around(excess, log_greatest, {1}, {log_least_delta, log_greatest});
  if (range.upper.value > 0) return 0;
  return numeric::certified_root(excess, range, numeric::RootPrecision{.relative = precision}, 60).upper;
}

}  // namespace

bool takes_little(const Event& event) { return !has_shuffled(event) && releases_of(event).size() <= few_releases; }

Accountant::Accountant(const NormalPlan& plan)
    : plan_(plan), once_(curve_of(plan)), precision_(takes_little(plan.event()) ? fine : coarse) {}

// What the repetitions of several releases compose to is better known than repetitions of their composition.
PlanCurve Accountant::repeated(std::uint64_t count) const {
  if (count == 1) return once_;
  const bool is_one_release = !std::holds_alternative<Composed>(plan_.event()) &&
                              !std::holds_alternative<Repeated>(plan_.event()) &&
                              !gaussian_noise(plan_.event(), Rounding::down);
  return is_one_release ? approximate::repeated(count, once_) : curve_of(plan_.repeated(count));
}

Bound Accountant::epsilon(std::uint64_t count, double delta) const {
  ranges::count(count);
  ranges::delta_from_zero(delta);
  const PlanCurve plan_curve = repeated(count);
  Bound found = bound(plan_curve.curve->epsilon(delta), plan_curve);
  if (delta > 0) return found;
  const double pure = numeric::multiply_up(static_cast<double>(count), pure_epsilon(plan_.event(), plan_.adjacency()));
  if (!(pure < found.upper)) return found;
  found.upper = pure;
  found.witnesses.upper = witness::LargestLoss{pure};
  found.theorems.emplace_back("composition of pure guarantees: Dwork, Roth 2014, Theorem 3.16");
  found.notes.clear();
  return found;
}

DeltaBound Accountant::delta(std::uint64_t count, double epsilon) const {
  ranges::count(count);
  ranges::epsilon(epsilon);
  const PlanCurve plan_curve = repeated(count);
  if (const auto noise = gaussian_noise(plan_.repeated(count).event(), Rounding::down))
    return delta_bound(profile::gaussian_log_delta_bound(*noise, epsilon).upper, plan_curve);
  if (plan_curve.curve->epsilon(0) <= epsilon) return delta_bound(-infinity, plan_curve);
  return delta_bound(log_delta_of(*plan_curve.curve, epsilon, precision_), plan_curve);
}

bool Accountant::is_delta_above(std::uint64_t count, double epsilon, double log_most) const {
  ranges::count(count);
  ranges::epsilon(epsilon);
  if (!(log_least_delta <= log_most && log_most < log_greatest)) return false;
  if (gaussian_noise(plan_.repeated(count).event(), Rounding::down)) return false;
  return repeated(count).curve->epsilon(std::exp(log_most)) > epsilon;
}

Bound epsilon(const NormalPlan& plan, double delta) {
  ranges::delta(delta);
  return Accountant(plan).epsilon(1, delta);
}

DeltaBound delta(const NormalPlan& plan, double epsilon) {
  ranges::epsilon(epsilon);
  return Accountant(plan).delta(1, epsilon);
}

}  // namespace dpbudget::approximate
