#include "dpbudget/fl/tuning/selection.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::fl {
namespace {

double count_of(std::uint64_t count) { return static_cast<double>(count); }

// By how much a mean of scores is off, and its product with what 1 / sensitivity makes of it.
// fl/tuning/proofs.md, 2.1
double mean_error(const Folds& folds) { return (count_of(folds.count()) + count_of(folds.clients()) + 4) * 0x1p-53; }

}  // namespace

std::optional<double> mean_score(const FoldScores& scores) {
  double sum = 0;
  for (const std::optional<double>& score : scores) {
    if (!score) return std::nullopt;
    sum += *score;
  }
  return sum / static_cast<double>(scores.size());
}

std::optional<double> score_deviation(const FoldScores& scores) {
  const std::optional<double> mean = mean_score(scores);
  if (!mean) return std::nullopt;
  double squares = 0;
  for (const std::optional<double>& score : scores) squares += (*score - *mean) * (*score - *mean);
  return scores.size() > 1 ? std::sqrt(squares / (static_cast<double>(scores.size()) - 1)) : 0;
}

std::optional<std::size_t> best_of(const std::vector<FoldScores>& scores, bool larger_is_better) {
  std::optional<std::size_t> best;
  double best_mean = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::optional<double> mean = mean_score(scores[i]);
    if (!mean || (best && (larger_is_better ? *mean <= best_mean : *mean >= best_mean))) continue;
    best = i;
    best_mean = *mean;
  }
  return best;
}

// fl/tuning/proofs.md, 2.1
SelectionSensitivity selection_sensitivity(const Folds& folds, bool is_personal) {
  const std::uint64_t clients = folds.clients();
  const double count = count_of(folds.count());
  const auto share = [&](std::uint64_t client, std::uint64_t fold) {
    return is_personal ? 1 / count_of(clients)
                       : count_of(folds.held_out(client, fold)) / count_of(folds.held_out(fold));
  };
  const auto sensitivity = [&](double largest) {
    return numeric::raised(largest / count + 2 * mean_error(folds), (count + 6) * numeric::unit);
  };
  double most = 0;
  std::vector<double> user;
  for (std::uint64_t client = 0; client < clients; ++client) {
    double sum = 0;
    for (std::uint64_t fold = 0; fold < folds.count(); ++fold) {
      sum += share(client, fold);
      most = std::max(most, share(client, fold) / count_of(folds.held_out(client, fold)));
    }
    user.push_back(sensitivity(sum));
  }
  return {sensitivity(most), std::move(user)};
}

// fl/tuning/proofs.md, 2.2
double range_for_user(double epsilon, const SelectionSensitivity& sensitivity, std::uint64_t client) {
  return numeric::raised(epsilon * (sensitivity.user[client] / sensitivity.record), 2 * numeric::unit);
}

std::size_t choose_privately(const std::vector<FoldScores>& scores, double sensitivity, double epsilon,
                             mechanisms::Stream& stream) {
  require(0 < epsilon && std::isfinite(epsilon), "selection_epsilon", epsilon, "positive and finite");
  std::size_t chosen = 0;
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    FoldScores counted = scores[i];
    for (std::optional<double>& score : counted) {
      score = score.value_or(0);
      require(0 <= *score && *score <= 1, "score", *score, "in [0, 1]");
    }
    const double uniform = stream.uniform() + 0x1p-54;  // in (0, 1)
    const double noisy = *mean_score(counted) * (epsilon / (2 * sensitivity)) - std::log(-std::log(uniform));
    if (noisy <= largest) continue;
    largest = noisy;
    chosen = i;
  }
  return chosen;
}

}  // namespace dpbudget::fl
