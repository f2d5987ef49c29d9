#include "dpbudget/accounting/shuffle/responses/worst_profile.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/shuffle/responses/mass_sweeps.h"
#include "dpbudget/accounting/shuffle/responses/response_sum.h"

namespace dpbudget::shuffle {
namespace {

// Numbers of ones to look at, in all.
constexpr double most_profile_steps = 6e7;

constexpr double tolerance = 2e-4;

// The others of whom from `fewest` to `most` hold a one, with what is shown when those who may hold either leave.
struct Block {
  double fewest;
  double most;
  std::vector<double> log_deltas;
  double excess;  // over what is known to be attained

  friend bool operator<(const Block& one, const Block& other) { return one.excess < other.excess; }
};

// accounting/shuffle/proofs.md, 6.4
class WorstProfile {
 public:
  WorstProfile(double local_epsilon, double reports, std::span<const double> epsilons, double log_least)
      : others_(reports - 1),
        sums_(local_epsilon, epsilons),
        log_least_(log_least),
        attained_(epsilons.size(), -infinity),
        worst_(epsilons.size(), -infinity) {}

  // The blocks that exceed the most are halved, as long as any exceeds more than the tolerance.
  std::vector<double> find() {
    add({{0, 0}, {others_, others_}, {0, others_}});
    while (!open_.empty()) add(halves());
    return worst_;
  }

 private:
  // Of how many of the others hold a one.
  struct Range {
    double fewest;
    double most;
  };

  // Of so many blocks as fill the lanes of sweeps; those that need not be halved are settled.
  std::vector<Range> halves() {
    std::vector<Range> found;
    while (!open_.empty() && found.size() < sweep_lanes) {
      Block block = open_.top();
      open_.pop();
      // More may be known to be attained by now.
      block.excess = excess(block.log_deltas);
      if (!open_.empty() && block < open_.top()) {
        open_.push(std::move(block));
      } else if (block.excess <= 0 || block.fewest == block.most || sums_.steps() > most_profile_steps) {
        settle(block.log_deltas);
      } else {
        const double middle = std::floor(std::midpoint(block.fewest, block.most));
        found.push_back({block.fewest, middle});
        found.push_back({middle + 1, block.most});
      }
    }
    return found;
  }

  void add(const std::vector<Range>& ranges) {
    std::vector<OtherBits> certain;
    for (const auto [fewest, most] : ranges) certain.push_back({others_ - most, fewest});
    std::vector<std::vector<double>> log_deltas = sums_.log_deltas(certain, log_least_);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      Block block{ranges[i].fewest, ranges[i].most, std::move(log_deltas[i]), 0};
      if (block.fewest == block.most) {
        for (std::size_t j = 0; j < worst_.size(); ++j) attained_[j] = std::max(attained_[j], block.log_deltas[j]);
        settle(block.log_deltas);
        continue;
      }
      block.excess = excess(block.log_deltas);
      open_.push(std::move(block));
    }
  }

  double excess(const std::vector<double>& log_deltas) const {
    double most = -infinity;
    for (std::size_t i = 0; i < worst_.size(); ++i)
      if (log_deltas[i] > log_least_)
        most = std::max(most, log_deltas[i] - attained_[i] - tolerance * (2 + std::abs(attained_[i])));
    return most;
  }

  void settle(const std::vector<double>& log_deltas) {
    for (std::size_t i = 0; i < worst_.size(); ++i) worst_[i] = std::max(worst_[i], log_deltas[i]);
  }

  double others_;
  ResponseSums sums_;
  double log_least_;
  std::vector<double> attained_;
  std::vector<double> worst_;
  std::priority_queue<Block> open_;
};

}  // namespace

std::vector<double> worst_response_log_deltas(double local_epsilon, double reports, std::span<const double> epsilons,
                                              double log_least) {
  using Reach = ResponseSumReach;
  require(least_profile_epsilon <= local_epsilon && local_epsilon <= Reach::most_local_epsilon, "local_epsilon",
          local_epsilon, "in [1e-3, 20]");
  require(1 <= reports && reports <= Reach::most_reports && reports == std::floor(reports), "reports", reports,
          "an integer in [1, 2^32]");
  require(Reach::least_log_delta <= log_least && log_least <= 0, "log_least", log_least, "in [-250, 0]");
  require(!epsilons.empty(), "epsilons", 0, "at least one");
  double last = -1;
  for (const double epsilon : epsilons) {
    require(0 <= epsilon && last < epsilon && epsilon < local_epsilon, "epsilons", epsilon,
            "increasing, in [0, local_epsilon)");
    last = epsilon;
  }
  return WorstProfile(local_epsilon, reports, epsilons, log_least).find();
}

}  // namespace dpbudget::shuffle
