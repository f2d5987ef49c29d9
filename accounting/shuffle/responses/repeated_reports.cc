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

// Outcomes that are looked at in all, each in a few nanoseconds.
constexpr double most_looks = 2e6;
constexpr double fewest_levels = 128;
constexpr double most_even_levels = 4096;
// Logarithms of levels closer than this are one.
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
      kept.push_back({p, q, q / p});
      largest_loss_ = std::max(largest_loss_, std::abs(std::log(p / q)));
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
  std::ranges::transform(levels, levels.begin(), [](double level) { return std::exp(level); });
  most_.resize(levels.size());
  std::ranges::transform(levels, most_.begin(), [](double level) { return std::max(0.0, 1 - level); });
  std::vector<Test> always(levels.size());
  std::ranges::transform(levels, always.begin(), [](double level) { return level < 1 ? Test{1, 1} : Test{0, 0}; });
  levels_ = std::move(levels);
  for (auto& tests : tests_) tests = always;
  for (std::uint64_t round = 1; round < rounds; ++round) add_round();
}

// Where delta of few rounds has its corners: at sums of losses.
std::vector<double> RepeatedReports::corners(std::uint64_t rounds, std::size_t allowed) const {
  std::vector<double> losses;
  for (const Law& law : laws_)
    for (const Outcome& outcome : law) losses.push_back(-std::log(outcome.ratio));
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
  std::vector<double> most = most_after(levels_);
  std::vector<std::vector<Test>> tests(laws_.size());
  for (std::size_t law = 0; law < laws_.size(); ++law) tests[law] = tests_after(law, levels_);
  most_ = std::move(most);
  tests_ = std::move(tests);
  end_ += largest_loss_ * (1 + unit);
  greatest_ = std::exp(end_) * (1 + 4 * unit);
  least_ = std::exp(-end_) * (1 - 4 * unit);
  error_ += mass_error_ + unit * static_cast<double>(laws_.front().size() + 16);
}

// Visits (i, levels[i] times the ratio, the first of our own levels above that): one pass, as both rise.
template <class Visit>
void RepeatedReports::each_next(std::span<const double> levels, double ratio, const Visit& visit) const {
  const auto start = std::ranges::upper_bound(levels_, levels.front() * ratio);
  auto next = static_cast<std::size_t>(start - levels_.begin());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const double level = levels[i] * ratio;
    while (next < levels_.size() && levels_[next] <= level) ++next;
    visit(i, level, next);
  }
}

// accounting/shuffle/proofs.md, 7.2: one round more, of the law that is worst here.
std::vector<double> RepeatedReports::most_after(std::span<const double> levels) const {
  const double lowered = 1 - 2 * mass_error_ - 8 * unit;
  std::vector<double> worst(levels.size(), 0.0);
  std::vector<double> most(levels.size());
  for (const Law& law : laws_) {
    std::ranges::fill(most, 0.0);
    for (const Outcome& outcome : law)
      each_next(levels, outcome.ratio * lowered,
                [&](std::size_t i, double level, std::size_t next) { most[i] += outcome.p * most_at(level, next); });
    for (std::size_t i = 0; i < levels.size(); ++i) worst[i] = std::max(worst[i], most[i]);
  }
  return worst;
}

double RepeatedReports::most_at(double level, std::size_t next) const {
  if (level >= greatest_) return 0;
  if (level <= least_) return 1 - level;
  if (next == levels_.size()) return most_.back();
  if (next == 0) return 1;
  const double share = (levels_[next] - level) / (levels_[next] - levels_[next - 1]);
  return share * most_[next - 1] + (1 - share) * most_[next];
}

// accounting/shuffle/proofs.md, 7.3: one round more of the same law, whichever test is better here.
std::vector<RepeatedReports::Test> RepeatedReports::tests_after(std::size_t law, std::span<const double> levels) const {
  std::vector<Test> tests(levels.size(), Test{0, 0});
  for (const Outcome& outcome : laws_[law])
    each_next(levels, outcome.ratio, [&](std::size_t i, double level, std::size_t next) {
      const Test after = test_at(law, level, next);
      tests[i].power += outcome.p * after.power;
      tests[i].error += outcome.q * after.error;
    });
  return tests;
}

RepeatedReports::Test RepeatedReports::test_at(std::size_t law, double level, std::size_t next) const {
  if (level >= greatest_) return {0, 0};
  if (level <= least_) return {1, 1};
  if (next == levels_.size()) return {0, 0};
  if (next == 0) return {1, 1};
  const auto value = [level](const Test& test) { return test.power - level * test.error; };
  const Test& below = tests_[law][next - 1];
  const Test& above = tests_[law][next];
  return value(below) >= value(above) ? below : above;
}

// accounting/shuffle/proofs.md, 7.4
double RepeatedReports::rounding() const {
  return 2 * (error_ + mass_error_ + unit * static_cast<double>(laws_.front().size() + 16));
}

double RepeatedReports::upper_delta(double epsilon) const {
  const double level = std::exp(epsilon) * (1 - 2 * unit);
  return std::min(1.0, most_after(std::span(&level, 1)).front() * (1 + rounding()));
}

double RepeatedReports::lower_delta(double epsilon) const {
  const double level = std::exp(epsilon) * (1 + 2 * unit);
  double lower = 0;
  for (std::size_t law = 0; law < laws_.size(); ++law) {
    const Test test = tests_after(law, std::span(&level, 1)).front();
    lower = std::max(lower, test.power * (1 - rounding()) - level * test.error * (1 + rounding()));
  }
  return lower;
}

numeric::Bracket RepeatedReports::delta(double epsilon) const {
  ranges::epsilon(epsilon);
  if (epsilon >= end_ + largest_loss_) return {0, 0};
  return {lower_delta(epsilon), upper_delta(epsilon)};
}

numeric::Bracket RepeatedReports::epsilon(double target) const {
  ranges::delta(target);
  const double last = end_ + largest_loss_;
  const auto above = [&](double epsilon) { return (epsilon < last ? upper_delta(epsilon) : 0) - target; };
  const auto below = [&](double epsilon) { return (epsilon < last ? lower_delta(epsilon) : 0) - target; };
  const numeric::RootPrecision precision{.relative = 1e-9, .absolute = 1e-12};
  const double upper = above(0) <= 0 ? 0 : numeric::certified_root(above, 0.0, last, precision, 60).upper;
  const double lower = below(0) <= 0 ? 0 : numeric::certified_root(below, 0.0, last, precision, 60).lower;
  return {std::min(lower, upper), upper};
}

}  // namespace dpbudget::shuffle
