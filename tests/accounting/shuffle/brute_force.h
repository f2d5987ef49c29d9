/// @file
/// Shuffled reports summed over every outcome.
#pragma once

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <map>
#include <vector>

namespace dpbudget::testing {

using Law = std::vector<double>;
using Histogram = std::vector<int>;

inline double binomial_mass(double trials, double probability, double k) {
  if (k < 0 || k > trials) return 0;
  return trials == 0 ? 1 : pdf(boost::math::binomial(trials, probability), k);
}

/// P(A = a, C = c) less 0 of the clone pair, by its definition: the mean of `f(p, q)` over every outcome, where p and q
/// are the probabilities of an outcome under the two hypotheses.
template <class F>
void each_clone_outcome(double local_epsilon, double cloned, int reports, F&& f) {
  const double truth = 1 / (1 + std::exp(-local_epsilon));
  for (int c = 0; c < reports; ++c) {
    const double weight = binomial_mass(reports - 1, cloned, c);
    for (int a = 0; a <= c + 1; ++a) {
      const double with = weight * binomial_mass(c, 0.5, a - 1);
      const double without = weight * binomial_mass(c, 0.5, a);
      f(truth * with + (1 - truth) * without, (1 - truth) * with + truth * without);
    }
  }
}

/// The histograms of reports by their probabilities, for users with these output laws.
inline std::map<Histogram, double> shuffled(const std::vector<Law>& users) {
  std::map<Histogram, double> now{{Histogram(users.front().size(), 0), 1.0}};
  for (const Law& law : users) {
    std::map<Histogram, double> next;
    for (const auto& [histogram, probability] : now)
      for (std::size_t y = 0; y < law.size(); ++y) {
        if (law[y] == 0) continue;
        Histogram more = histogram;
        ++more[y];
        next[more] += probability * law[y];
      }
    now = std::move(next);
  }
  return now;
}

/// The hockey-stick divergence at e^epsilon, the larger of both directions.
inline double divergence(const std::map<Histogram, double>& p, const std::map<Histogram, double>& q, double epsilon) {
  const auto one_way = [&](const auto& from, const auto& to) {
    double delta = 0;
    for (const auto& [histogram, probability] : from) {
      const auto other = to.find(histogram);
      delta += std::max(0.0, probability - std::exp(epsilon) * (other == to.end() ? 0.0 : other->second));
    }
    return delta;
  };
  return std::max(one_way(p, q), one_way(q, p));
}

/// The largest divergence of neighbours, over all values of all users: `rows` are a local randomiser's output laws, one
/// a value.
inline double worst_divergence(const std::vector<Law>& rows, int reports, double epsilon) {
  double worst = 0;
  std::vector<std::size_t> values(static_cast<std::size_t>(reports - 1), 0);
  while (true) {
    std::vector<Law> users;
    users.reserve(values.size() + 1);
    for (const std::size_t value : values) users.push_back(rows[value]);
    std::vector<std::map<Histogram, double>> laws;
    laws.reserve(rows.size());
    for (const Law& row : rows) {
      users.push_back(row);
      laws.push_back(shuffled(users));
      users.pop_back();
    }
    for (std::size_t x = 0; x < rows.size(); ++x)
      for (std::size_t y = x + 1; y < rows.size(); ++y) worst = std::max(worst, divergence(laws[x], laws[y], epsilon));
    // The next non-decreasing sequence: the others' order does not matter.
    std::size_t at = values.size();
    while (at > 0 && values[at - 1] + 1 == rows.size()) --at;
    if (at == 0) return worst;
    const std::size_t value = values[at - 1] + 1;
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(at) - 1, values.end(), value);
  }
}

/// k-ary randomised response.
inline std::vector<Law> response_rows(double local_epsilon, std::size_t categories) {
  const double rest = 1 / (std::exp(local_epsilon) + static_cast<double>(categories) - 1);
  std::vector<Law> rows(categories, Law(categories, rest));
  for (std::size_t x = 0; x < categories; ++x) rows[x][x] = std::exp(local_epsilon) * rest;
  return rows;
}

}  // namespace dpbudget::testing
