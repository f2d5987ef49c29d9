#include "dpbudget/accounting/shuffle/responses/repeated_reports.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::shuffle {

using numeric::unit;
namespace {

// Outcomes that are looked at in all, each in some ten nanoseconds.
constexpr double most_looks = 2e6;
constexpr double fewest_levels = 128;
constexpr double most_even_levels = 4096;
// Levels closer than this are one.
constexpr double apart = 1e-9;

void keep_distinct(std::vector<double>& values) {
  std::ranges::sort(values);
  const auto same = std::ranges::unique(values, [](double a, double b) { return b - a < apart; });
  values.erase(same.begin(), same.end());
}

}  // namespace

RepeatedReports::RepeatedReports(const FewReports& reports, std::uint64_t rounds)
    : mass_error_(reports.error), tests_(reports.laws.size()) {
  require(1 <= rounds && rounds <= most_rounds, "rounds", rounds, "in [1, 16]");
  double outcomes = 0;
  for (const ReportLaw& law : reports.laws) {
    Law& kept = laws_.emplace_back();
    for (const auto& [p, q] : law) {
      kept.push_back({p, q, std::log(p / q)});
      largest_loss_ = std::max(largest_loss_, std::abs(kept.back().loss));
    }
    outcomes += static_cast<double>(law.size());
  }
  // A loss is the logarithm of a quotient of two masses.
  largest_loss_ += 2 * mass_error_ + unit * (2 + largest_loss_);
  if (rounds == 1) return;
  const auto repeats = static_cast<double>(rounds);
  const double allowed = std::max(fewest_levels, most_looks / (outcomes * repeats));
  std::vector<double> levels = corners(rounds, to_integer<std::size_t>(allowed / 2, "levels"));
  const auto even = to_integer<int>(std::min(allowed / 2, most_even_levels), "levels");
  for (int i = -even; i <= even; ++i) levels.push_back(largest_loss_ * repeats * i / even);
  keep_distinct(levels);
  std::vector<double> none(levels.size());
  std::ranges::transform(levels, none.begin(), [](double level) { return std::max(0.0, -std::expm1(level)); });
  std::vector<Test> always(levels.size());
  std::ranges::transform(levels, always.begin(), [](double level) { return level < 0 ? Test{1, 1} : Test{0, 0}; });
  levels_ = std::move(levels);
  most_ = std::move(none);
  for (auto& tests : tests_) tests = always;
  for (std::uint64_t round = 1; round < rounds; ++round) add_round();
}

// Where delta of few rounds has its corners: at sums of losses.
std::vector<double> RepeatedReports::corners(std::uint64_t rounds, std::size_t allowed) const {
  std::vector<double> losses;
  for (const Law& law : laws_)
    for (const Outcome& outcome : law) losses.push_back(outcome.loss);
  keep_distinct(losses);
  std::vector<double> levels{0};
  for (std::uint64_t round = 1; round < rounds && levels.size() * losses.size() <= allowed; ++round) {
    std::vector<double> sums;
    for (const double level : levels)
      for (const double loss : losses) sums.push_back(level + loss);
    levels.insert(levels.end(), sums.begin(), sums.end());
    keep_distinct(levels);
  }
  return levels;
}

void RepeatedReports::add_round() {
  std::vector<double> most(levels_.size());
  std::ranges::transform(levels_, most.begin(), [&](double level) { return most_after(level); });
  std::vector<std::vector<Test>> tests(laws_.size());
  for (std::size_t law = 0; law < laws_.size(); ++law) {
    tests[law].resize(levels_.size());
    std::ranges::transform(levels_, tests[law].begin(), [&](double level) { return test_after(law, level); });
  }
  most_ = std::move(most);
  tests_ = std::move(tests);
  end_ += largest_loss_ * (1 + unit);
  error_ += mass_error_ + unit * static_cast<double>(laws_.front().size() + 16);
}

// accounting/shuffle/proofs.md, 7.2: one round more, of the law that is worst here.
double RepeatedReports::most_after(double level) const {
  const double margin = 2 * mass_error_ + unit * (4 + largest_loss_ + std::abs(level));
  double worst = 0;
  for (const Law& law : laws_) {
    double most = 0;
    for (const auto& [p, q, loss] : law) most += p * most_at(level - loss - margin);
    worst = std::max(worst, most);
  }
  return worst;
}

double RepeatedReports::most_at(double level) const {
  if (level >= end_) return 0;
  if (level <= -end_) return -std::expm1(level);
  const auto next = std::ranges::upper_bound(levels_, level);
  if (next == levels_.end()) return most_.back();
  if (next == levels_.begin()) return 1;
  const auto i = static_cast<std::size_t>(next - levels_.begin());
  // The chord in e^level.
  const double share = std::expm1(level - levels_[i]) / std::expm1(levels_[i - 1] - levels_[i]);
  return share * most_[i - 1] + (1 - share) * most_[i];
}

// accounting/shuffle/proofs.md, 7.3: one round more of the same law, whichever test is better here.
RepeatedReports::Test RepeatedReports::test_after(std::size_t law, double level) const {
  Test test{0, 0};
  for (const auto& [p, q, loss] : laws_[law]) {
    const Test after = test_at(law, level - loss);
    test.power += p * after.power;
    test.error += q * after.error;
  }
  return test;
}

RepeatedReports::Test RepeatedReports::test_at(std::size_t law, double level) const {
  if (level >= end_) return {0, 0};
  if (level <= -end_) return {1, 1};
  const auto next = std::ranges::upper_bound(levels_, level);
  if (next == levels_.end()) return {0, 0};
  if (next == levels_.begin()) return {1, 1};
  const auto i = static_cast<std::size_t>(next - levels_.begin());
  const double factor = std::exp(level);
  const auto value = [factor](const Test& test) { return test.power - factor * test.error; };
  const Test& below = tests_[law][i - 1];
  const Test& above = tests_[law][i];
  return value(below) >= value(above) ? below : above;
}

// accounting/shuffle/proofs.md, 7.4
numeric::Bracket RepeatedReports::delta(double epsilon) const {
  ranges::epsilon(epsilon);
  if (epsilon >= end_ + largest_loss_) return {0, 0};
  const double error = 2 * (error_ + mass_error_ + unit * static_cast<double>(laws_.front().size() + 16));
  const double factor = std::exp(epsilon) * (1 + unit);
  double lower = 0;
  for (std::size_t law = 0; law < laws_.size(); ++law) {
    const Test test = test_after(law, epsilon);
    lower = std::max(lower, test.power * (1 - error) - factor * test.error * (1 + error));
  }
  return {lower, std::min(1.0, most_after(epsilon) * (1 + error))};
}

numeric::Bracket RepeatedReports::epsilon(double target) const {
  ranges::delta(target);
  const double last = end_ + largest_loss_;
  const auto above = [&](double epsilon) { return delta(epsilon).upper - target; };
  const auto below = [&](double epsilon) { return delta(epsilon).lower - target; };
  const numeric::RootPrecision precision{.relative = 1e-9, .absolute = 1e-12};
  const double upper = above(0) <= 0 ? 0 : numeric::certified_root(above, 0.0, last, precision, 60).upper;
  const double lower = below(0) <= 0 ? 0 : numeric::certified_root(below, 0.0, last, precision, 60).lower;
  return {std::min(lower, upper), upper};
}

}  // namespace dpbudget::shuffle
