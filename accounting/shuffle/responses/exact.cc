#include "dpbudget/accounting/shuffle/responses/exact.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <string_view>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/extended.h"

namespace dpbudget::shuffle {
namespace {

using numeric::Extended;
namespace extended = numeric::extended;

// Weights and their sums are in extended precision: what cancels in P0 - e^epsilon P1 has 11 bits to spare.
using Weights = std::vector<Extended>;

constexpr double most_histograms = 0x1p22;
constexpr double most_enumerated_steps = 0x1p34;
constexpr std::size_t most_enumerated_outputs = 1024;

// No ratio of two doubles is above e^this, and no ratio of two histograms' masses is above the largest of a report.
constexpr double largest_ratio = 1500;

// How many histograms there are of `reports` over so many outputs: C(reports + outputs - 1, outputs - 1).
double histograms(double reports, std::size_t outputs) {
  double number = 1;
  for (std::size_t i = 1; i < outputs && number <= most_histograms; ++i)
    number *= (reports + static_cast<double>(i)) / static_cast<double>(i);
  return number;
}

// Histograms of up to `reports` reports, numbered in the order in which `each` visits them.
class Histograms {
 public:
  Histograms(std::size_t outputs, std::size_t reports) : outputs_(outputs), reports_(reports) {
    // Entry [j][m] is C(m + j, j), the number of histograms of at most m reports over j outputs.
    at_most_.assign(outputs * (reports + 1), 1);
    for (std::size_t j = 1; j < outputs; ++j)
      for (std::size_t m = 1; m <= reports; ++m)
        at_most_[j * (reports + 1) + m] = at_most(j, m - 1) + at_most(j - 1, m);
  }

  std::size_t outputs() const { return outputs_; }
  std::size_t number(std::size_t reports) const { return at_most(outputs_ - 1, reports); }

  // Visits every histogram of so many reports, with its number.
  template <class Visit>
  void each(std::size_t reports, const Visit& visit) const {
    std::vector<std::size_t> counts(outputs_, 0);
    counts.back() = reports;
    for (std::size_t index = 0;; ++index) {
      visit(counts, index);
      // The next one in lexicographic order: one report moves up to the output before the last that has any.
      std::size_t last = outputs_ - 1;
      while (last > 0 && counts[last] == 0) --last;
      if (last == 0) return;
      const std::size_t left = counts[last] - 1;
      counts[last] = 0;
      ++counts[last - 1];
      counts.back() = left;
    }
  }

  // Adds one report to histograms of one less: the sum over outputs y of coefficients[y] masses[counts - y].
  Extended with_one_more(const std::vector<std::size_t>& counts, std::size_t reports, const Weights& coefficients,
                         const Weights& masses) const {
    // Without one report of y the number is that of the outputs before y with a report less, and of those after y.
    std::size_t after = rank_from(counts, 0, reports);
    std::size_t before = 0;
    std::size_t left = reports;
    Extended sum = 0;
    for (std::size_t y = 0; y < outputs_ && left > 0; ++y) {
      after -= step(y, left, counts[y]);
      if (counts[y] > 0) {
        sum += coefficients[y] * masses[before + step(y, left - 1, counts[y] - 1) + after];
        before += step(y, left - 1, counts[y]);
      } else {
        before += step(y, left - 1, 0);
      }
      left -= counts[y];
    }
    return sum;
  }

 private:
  std::size_t at_most(std::size_t j, std::size_t m) const { return at_most_[j * (reports_ + 1) + m]; }

  // How many histograms of `left` reports over the outputs from y on have fewer than `count` of y.
  std::size_t step(std::size_t y, std::size_t left, std::size_t count) const {
    const std::size_t rest = outputs_ - 1 - y;
    if (count == 0 || rest == 0) return 0;
    return at_most(rest, left) - (count > left ? 0 : at_most(rest, left - count));
  }

  std::size_t rank_from(const std::vector<std::size_t>& counts, std::size_t y, std::size_t left) const {
    std::size_t rank = 0;
    for (; y < outputs_; left -= counts[y], ++y) rank += step(y, left, counts[y]);
    return rank;
  }

  std::size_t outputs_;
  std::size_t reports_;
  std::vector<std::size_t> at_most_;
};

Weights checked(std::span<const double> probabilities, std::string_view name, std::size_t outputs) {
  require(probabilities.size() == outputs && outputs <= most_enumerated_outputs, name, probabilities.size(),
          fmt::format("a list of as many probabilities as r0 has, 1 to {}", most_enumerated_outputs));
  Extended sum = 0;
  for (const double p : probabilities) {
    require(0 <= p && p <= 1, name, p, "a list of probabilities in [0, 1]");
    sum += p;
  }
  require(extended::abs(sum - 1) <= 1e-9, name, static_cast<double>(sum), "a list of probabilities with sum 1");
  Weights result(probabilities.begin(), probabilities.end());
  for (Extended& p : result) p /= sum;
  return result;
}

std::size_t checked_outputs(std::span<const double> r0) {
  require(!r0.empty(), "r0", "empty", "a list of probabilities");
  return r0.size();
}

void require_few_histograms(std::uint64_t reports, std::size_t outputs) {
  if (!(histograms(static_cast<double>(reports), outputs) <= most_histograms))
    throw Unsupported(
        fmt::format("{} reports of {} outputs have more than 2^22 histograms, too many to count", reports, outputs));
}

// The masses of the histograms of `reports` users who all report by `others`.
Weights multinomial(const Histograms& all, std::size_t reports, const Weights& others) {
  const auto n = Extended(reports);
  std::vector<Weights> logs(others.size(), Weights(reports + 1, 0));
  for (std::size_t y = 0; y < others.size(); ++y)
    for (std::size_t count = 1; count <= reports; ++count)
      logs[y][count] = Extended(count) * extended::log(others[y]) - boost::math::lgamma(Extended(count) + 1);
  const Extended log_orders = boost::math::lgamma(n + 1);
  Weights masses(all.number(reports));
  all.each(reports, [&](const std::vector<std::size_t>& counts, std::size_t index) {
    Extended log_mass = log_orders;
    for (std::size_t y = 0; y < counts.size(); ++y) log_mass += logs[y][counts[y]];
    masses[index] = extended::exp(log_mass);
  });
  return masses;
}

// The larger direction, from the masses of the others' histograms.
double delta_of(const Histograms& all, std::size_t reports, const Weights& masses, const Weights& r0, const Weights& r1,
                double epsilon) {
  const Extended factor = extended::exp(Extended(std::min(epsilon, largest_ratio)));
  Weights forward(r0.size());
  Weights backward(r0.size());
  for (std::size_t y = 0; y < r0.size(); ++y) {
    forward[y] = r0[y] - factor * r1[y];
    backward[y] = r1[y] - factor * r0[y];
  }
  Extended of_r0 = 0;
  Extended of_r1 = 0;
  all.each(reports, [&](const std::vector<std::size_t>& counts, std::size_t) {
    of_r0 += std::max(Extended(0), all.with_one_more(counts, reports, forward, masses));
    of_r1 += std::max(Extended(0), all.with_one_more(counts, reports, backward, masses));
  });
  return static_cast<double>(std::min(Extended(1), std::max(of_r0, of_r1)));
}

}  // namespace

double exact_delta(std::span<const double> r0, std::span<const double> r1, std::span<const double> others,
                   std::uint64_t reports, double epsilon) {
  ranges::reports(reports);
  ranges::epsilon(epsilon);
  const std::size_t outputs = checked_outputs(r0);
  const Weights p0 = checked(r0, "r0", outputs);
  const Weights p1 = checked(r1, "r1", outputs);
  const Weights of_others = checked(others, "others", outputs);
  if (outputs == 1) return 0;
  require_few_histograms(reports, outputs);
  const auto counted = static_cast<std::size_t>(reports);
  const Histograms all(outputs, counted);
  return delta_of(all, counted, multinomial(all, counted - 1, of_others), p0, p1, epsilon);
}

double exact_delta(std::span<const double> r0, std::span<const double> r1, std::span<const std::vector<double>> others,
                   double epsilon) {
  ranges::epsilon(epsilon);
  const std::size_t outputs = checked_outputs(r0);
  const Weights p0 = checked(r0, "r0", outputs);
  const Weights p1 = checked(r1, "r1", outputs);
  std::vector<Weights> of_others;
  of_others.reserve(others.size());
  for (const std::vector<double>& other : others) of_others.push_back(checked(other, "others", outputs));
  if (outputs == 1) return 0;
  const std::size_t reports = others.size() + 1;
  require_few_histograms(reports, outputs);
  const double steps =
      histograms(static_cast<double>(reports), outputs) * static_cast<double>(reports) * static_cast<double>(outputs);
  if (!(steps <= most_enumerated_steps))
    throw Unsupported(fmt::format("{} users with probabilities of their own take more than 2^34 steps", reports));
  const Histograms all(outputs, reports);
  Weights masses = {1};
  for (std::size_t user = 0; user < of_others.size(); ++user) {
    Weights next(all.number(user + 1));
    all.each(user + 1, [&](const std::vector<std::size_t>& counts, std::size_t index) {
      next[index] = all.with_one_more(counts, user + 1, of_others[user], masses);
    });
    masses = std::move(next);
  }
  return delta_of(all, reports, masses, p0, p1, epsilon);
}

}  // namespace dpbudget::shuffle
