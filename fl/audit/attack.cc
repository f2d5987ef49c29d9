#include "dpbudget/fl/audit/attack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"

namespace dpbudget::fl {
namespace {

// How many of all numbers from 1 on are looked at.
constexpr double points_of_spread = 48;

// Of a pilot's mistakes, for its threshold to be fitted finely.
constexpr std::uint64_t fewest_fitted = 1000;

// What one of them is times the one before.
double ratio_of_spread(std::size_t most) { return std::pow(static_cast<double>(most), 1 / points_of_spread); }

// Evenly on a logarithmic scale, from 1 to `most`.
std::set<std::size_t> spread(std::size_t most) {
  std::set<std::size_t> found;
  for (double i = 0; i <= points_of_spread; ++i)
    found.insert(static_cast<std::size_t>(std::pow(static_cast<double>(most), i / points_of_spread)));
  return found;
}

// A pilot's scores in falling order, with how many of the first ones were in.
class Pilot {
 public:
  Pilot(std::vector<Scored> scores, const AuditRequest& request)
      : scores_(std::move(scores)),
        request_(request),
        scale_(static_cast<double>(request.trials()) / static_cast<double>(scores_.size())) {
    std::ranges::stable_sort(scores_, [](const Scored& a, const Scored& b) { return a.score > b.score; });
    ins_.push_back(0);
    for (const Scored& one : scores_) ins_.push_back(ins_.back() + (one.is_in ? 1 : 0));
  }

  std::size_t size() const { return scores_.size(); }

  // How many a test calls in that does so with the first `count`: all that score as the last of these.
  std::size_t with_ties(std::size_t count) const {
    const auto end = std::ranges::upper_bound(scores_, score(count - 1), std::ranges::greater{}, &Scored::score);
    return static_cast<std::size_t>(end - scores_.begin());
  }

  // Of the test that says "in" of the first `count`. Mistakes are counted once more than there were, so that a test
  // which made none is not taken for one that makes none.
  double test(std::size_t count) const {
    const std::uint64_t ins = ins_.back();
    const std::uint64_t outs = size() - ins;
    if (ins == 0 || outs == 0) return 0;
    TestCounts counts{.in = scaled(ins), .in_called_in = 0, .out = scaled(outs), .out_called_in = 0};
    counts.in_called_in = std::min(counts.in, scaled(ins_[count] > 0 ? ins_[count] - (ins_[count] == ins ? 1 : 0) : 0));
    counts.out_called_in = std::min(counts.out, scaled(count - ins_[count] + 1));
    return epsilon_of_test(counts, request_.delta, request_.confidence);
  }

  // Of the rarer kind, of that test.
  std::uint64_t fewest_mistakes(std::size_t count) const {
    return std::min<std::uint64_t>(count - ins_[count], ins_.back() - ins_[count]);
  }

  // How many guesses of all trials it is to guess of the first `count` and of the last as many.
  std::uint64_t guesses_for(std::size_t count) const { return std::min(2 * scaled(count), request_.trials() / 2 * 2); }

  // Of guessing that the first `count` were in, and the last as many out.
  double guesses(std::size_t count) const {
    const std::uint64_t last = ins_.back() - ins_[size() - count];
    const std::uint64_t right = ins_[count] + count - last;
    GuessCounts counts{.canaries = request_.trials(), .guesses = guesses_for(count), .correct = 0};
    const double share = static_cast<double>(right) / (2 * static_cast<double>(count) + 1);
    counts.correct = static_cast<std::uint64_t>(share * static_cast<double>(counts.guesses));
    return epsilon_of_guesses(counts, request_.delta, request_.confidence);
  }

  double score(std::size_t place) const { return scores_[place].score; }

 private:
  std::uint64_t scaled(std::uint64_t count) const {
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(static_cast<double>(count) * scale_)));
  }

  std::vector<Scored> scores_;
  const AuditRequest& request_;
  double scale_;
  std::vector<std::uint64_t> ins_;
};

}  // namespace

void check(const AuditRequest& request) {
  constexpr std::uint64_t most = most_trials;
  require(1 <= request.runs && request.runs <= most, "runs", request.runs, fmt::format("an integer in [1, {}]", most));
  require(1 <= request.canaries && request.canaries <= most / request.runs, "canaries", request.canaries,
          fmt::format("an integer in [1, {}], so that all runs together have at most {}", most / request.runs, most));
  require(0 <= request.delta && request.delta < 1, "delta", request.delta, "in [0, 1)");
  require(0 < request.confidence && request.confidence < 1, "confidence", request.confidence, "in (0, 1)");
}

Strategy chosen_strategy(std::vector<Scored> scores, const AuditRequest& request, bool may_test) {
  const Pilot pilot(std::move(scores), request);
  const std::size_t size = pilot.size();
  Strategy best{
      .estimator = Estimator::guesses, .threshold = 0, .guesses = std::min<std::uint64_t>(2, request.trials())};
  double most = -1;
  const auto offer = [&](double epsilon, const Strategy& strategy) {
    if (epsilon <= most) return;
    most = epsilon;
    best = strategy;
  };
  for (const std::size_t count : spread(std::max<std::size_t>(1, size / 2)))
    if (2 * count <= size) offer(pilot.guesses(count), {Estimator::guesses, 0, pilot.guesses_for(count)});
  if (!may_test) return best;
  std::size_t best_wanted = 0;
  const auto offer_test = [&](std::size_t wanted) {
    if (wanted == 0 || wanted >= size) return;
    const std::size_t count = pilot.with_ties(wanted);
    if (count == size) return;
    const double before = most;
    offer(pilot.test(count), {Estimator::test, pilot.score(count - 1), 0});
    if (most > before) best_wanted = wanted;
  };
  for (const std::size_t near : spread(std::max<std::size_t>(1, size - 1)))
    for (const std::size_t wanted : {near, size - near}) offer_test(wanted);
  // Where mistakes are few their number is luck, and the threshold that fits it best shows less on others.
  if (best_wanted == 0 || pilot.fewest_mistakes(best_wanted) < fewest_fitted) return best;
  // Those are up to a third apart, which hides what a small mistake leaks.
  const auto coarse = static_cast<double>(best_wanted);
  const auto all = static_cast<double>(size);
  constexpr int steps = 16;
  for (int step = -steps; step <= steps; ++step) {
    const double by = std::pow(ratio_of_spread(size), static_cast<double>(step) / steps);
    for (const double wanted : {coarse * by, all - (all - coarse) * by})
      offer_test(to_integer<std::size_t>(std::clamp(std::floor(wanted), 0.0, all), "count"));
  }
  return best;
}

Attacked attacked(const Strategy& strategy, std::vector<Scored> scores, const AuditRequest& request) {
  Attacked found{.epsilon = 0, .strategy = strategy};
  if (strategy.estimator == Estimator::test) {
    TestCounts& counts = found.test;
    for (const Scored& one : scores) {
      (one.is_in ? counts.in : counts.out) += 1;
      (one.is_in ? counts.in_called_in : counts.out_called_in) += one.score >= strategy.threshold ? 1 : 0;
    }
    // Without trials of one kind nothing is known of its rate.
    if (counts.in > 0 && counts.out > 0) found.epsilon = epsilon_of_test(counts, request.delta, request.confidence);
    return found;
  }
  std::ranges::stable_sort(scores, [](const Scored& a, const Scored& b) { return a.score > b.score; });
  const std::uint64_t half = strategy.guesses / 2;
  found.guesses = {.canaries = scores.size(), .guesses = strategy.guesses, .correct = 0};
  for (std::uint64_t place = 0; place < strategy.guesses; ++place) {
    const bool says_in = place < strategy.guesses - half;
    const Scored& one = scores[says_in ? place : scores.size() - strategy.guesses + place];
    found.guesses.correct += says_in == one.is_in ? 1 : 0;
  }
  found.epsilon = epsilon_of_guesses(found.guesses, request.delta, request.confidence);
  return found;
}

}  // namespace dpbudget::fl
