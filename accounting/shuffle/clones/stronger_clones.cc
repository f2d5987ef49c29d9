#include "dpbudget/accounting/shuffle/clones/stronger_clones.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/numeric/log_math.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/shuffle/clones/ranges.h"

namespace dpbudget::shuffle {
namespace {

constexpr double sum_tolerance = 1e-9;

void require_rows(const std::vector<std::vector<double>>& rows) {
  require(rows.size() >= 2, "rows", rows.size(), "at least two");
  for (const std::vector<double>& row : rows) {
    require(!row.empty() && row.size() == rows.front().size(), "rows", row.size(), "of one length, at least 1");
    for (const double probability : row)
      require(0 <= probability && probability <= 1, "rows", probability, "in [0, 1]");
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    require(std::abs(sum - 1) <= sum_tolerance, "rows", sum, "of sum 1");
  }
}

}  // namespace

StrongerClones StrongerClones::of_randomized_response(double local_epsilon, std::uint64_t categories) {
  clone_ranges::local_epsilon(local_epsilon);
  dpbudget::ranges::categories(categories);
  // C ~ Bin(n - 1, 2 / (e^epsilon_0 + k - 1)): odds 2 / (e^epsilon_0 + k - 3).
  const auto others = static_cast<double>(categories - 2);
  if (categories == 2) return {local_epsilon, std::numbers::ln2 - numeric::log_expm1(local_epsilon), 0};
  // log(e^epsilon_0 - 1 + others), and the share (e^epsilon_0 + 1) / (e^epsilon_0 + 1 + others).
  const double log_rest = numeric::log_add(numeric::log_expm1(local_epsilon), std::log(others));
  const double log_unshared = std::log(others) - numeric::log_add(local_epsilon, 0);
  return {local_epsilon, std::numbers::ln2 - log_rest, -numeric::log_add(0, log_unshared)};
}

StrongerClones StrongerClones::of_response(const ToldResponse& response) {
  clone_ranges::local_epsilon(response.epsilon);
  // C ~ Bin(n - 1, 2 told / (e^epsilon_0 + 1)), and 1 - told is known by itself. Both are rounded outwards.
  const double log_rest =
      numeric::log_add(numeric::log_expm1(response.epsilon), std::numbers::ln2 + std::log(response.untold));
  const double log_odds = std::numbers::ln2 + std::log(response.told) - log_rest;
  return {response.epsilon, log_odds - 16 * numeric::unit * (1 + std::abs(log_rest)),
          std::min(0.0, std::log(response.told) + 2 * numeric::unit)};
}

StrongerClones StrongerClones::of_rows(const std::vector<std::vector<double>>& rows, double local_epsilon) {
  require_rows(rows);
  clone_ranges::local_epsilon(local_epsilon);
  const double ratio = std::exp(local_epsilon);
  for (std::size_t y = 0; y < rows.front().size(); ++y) {
    double least = 1;
    double largest = 0;
    double second = 0;
    for (const std::vector<double>& row : rows) {
      least = std::min(least, row[y]);
      if (row[y] > largest)
        second = std::exchange(largest, row[y]);
      else
        second = std::max(second, row[y]);
    }
    // Rounded against the certificate, but for the few units that the rows themselves may be off.
    const double slack = 1 + 4 * numeric::unit;
    if (largest > least * ratio * slack)
      throw Unsupported(fmt::format("rows are not local_epsilon-DP at output {}: {} against {}", y, largest, least));
    if ((largest + second) / (ratio + 1) > least * slack)
      throw Unsupported(
          fmt::format("stronger clones need R_i(y) >= (R_x(y) + R_x'(y)) / (e^local_epsilon + 1), which fails at "
                      "output {}: without "
                      "it their Lemma 3.5 is false (erratum to arXiv:2208.04591); the clones of arXiv:2012.12803 hold",
                      y));
  }
  return {local_epsilon, std::numbers::ln2 - numeric::log_expm1(local_epsilon), 0};
}

ClonePair StrongerClones::pair(double reports) const {
  clone_ranges::reports(reports);
  return {local_epsilon_, CloneCount(reports - 1, log_odds_), log_share_};
}

}  // namespace dpbudget::shuffle
