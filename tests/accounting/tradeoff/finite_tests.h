/// @file
/// Pairs of finite distributions and the errors of their tests, by means that share nothing with the library.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "accounting/random_event.h"
#include "dpbudget/accounting/tradeoff/piecewise_linear.h"

namespace dpbudget::testing {

using Outcomes = std::vector<tradeoff::Outcome>;

/// Up to `most` outcomes; some are impossible under one of the two distributions.
inline Outcomes random_outcomes(int most) {
  Outcomes outcomes;
  const int count = *rc::gen::inRange(1, most + 1);
  double p = 0;
  double q = 0;
  for (int i = 0; i < count; ++i) {
    const int kind = i == 0 ? 2 : *rc::gen::inRange(0, 8);
    outcomes.push_back({kind == 0 ? 0 : log_uniform(1e-4, 1), kind == 1 ? 0 : log_uniform(1e-4, 1)});
    p += outcomes.back().p;
    q += outcomes.back().q;
  }
  for (tradeoff::Outcome& outcome : outcomes) outcome = {outcome.p / p, outcome.q / q};
  return outcomes;
}

inline Outcomes product_of(const Outcomes& a, const Outcomes& b) {
  Outcomes product;
  for (const auto& x : a)
    for (const auto& y : b) product.push_back({x.p * y.p, x.q * y.q});
  return product;
}

/// f(a) as the dual of the linear program over randomised tests: the largest of sum of min(q, c p) - c a over c, which
/// one of the likelihood ratios attains.
inline double least_type_two_error(const Outcomes& outcomes, double a) {
  long double best = 0;
  for (const auto& at : outcomes) {
    if (at.p == 0) continue;
    const long double c = static_cast<long double>(at.q) / at.p;
    long double value = -c * a;
    for (const auto& [p, q] : outcomes) value += std::min<long double>(q, c * p);
    best = std::max(best, value);
  }
  return static_cast<double>(best);
}

/// The same for many outcomes: they are rejected by falling likelihood ratio until the type I error is used up.
inline double swept_type_two_error(Outcomes outcomes, double a) {
  std::erase_if(outcomes, [](const auto& outcome) { return outcome.p == 0 && outcome.q == 0; });  // they have no ratio
  std::ranges::sort(outcomes, [](const auto& x, const auto& y) { return x.q * y.p > y.q * x.p; });
  long double left = a;
  long double kept = 0;
  for (const auto& [p, q] : outcomes) {
    const long double share = p == 0 ? 1 : std::min(1.0L, left / p);
    left -= share * p;
    kept += (1 - share) * q;
  }
  return static_cast<double>(kept);
}

/// delta(epsilon), by its definition.
inline double delta_of(const Outcomes& outcomes, double epsilon) {
  long double delta = 0;
  for (const auto& [p, q] : outcomes) delta += std::max(0.0L, q - std::exp(static_cast<long double>(epsilon)) * p);
  return static_cast<double>(delta);
}

/// Type I errors to look at: the ends, close to them, and between.
inline std::vector<double> type_one_errors() {
  std::vector<double> errors = {0, 1e-12, 1e-6, 1e-3, 1 - 1e-3, 1 - 1e-6, 1};
  for (int i = 1; i < 40; ++i) errors.push_back(i / 40.0);
  std::ranges::sort(errors);
  return errors;
}

}  // namespace dpbudget::testing
