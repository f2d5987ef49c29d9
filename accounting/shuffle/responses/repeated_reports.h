/// @file
/// Rounds of few shuffled reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dpbudget/accounting/numeric/bracket.h"
#include "dpbudget/accounting/shuffle/responses/few_reports.h"

namespace dpbudget::shuffle {

/// Delta of rounds each of which shows one of some laws (accounting/shuffle/proofs.md, 7.2 to 7.4). The upper end is
/// that of the law that is worst for what the rounds before have shown, which an adaptive composition attains; the
/// lower end is that of one law in every round, the worst. Of one round both are the same but for rounding; of more
/// each is as near to its truth as the work allows: about 1e-6 for a few rounds, 1e-3 for dozens.
class RepeatedReports {
 public:
  /// @param reports  with every law its reverse, and no outcome of probability 0 in one of the two alone
  /// @param rounds   in [1, 16]
  RepeatedReports(const FewReports& reports, std::uint64_t rounds);

  /// @param epsilon  in [0, inf)
  numeric::Bracket delta(double epsilon) const;

  /// Two epsilons: at the upper one the upper end of delta is at most `delta`; at the lower one the lower end is above
  /// it, or it is 0.
  /// @param delta  in (0, 1)
  numeric::Bracket epsilon(double delta) const;

  static constexpr std::uint64_t most_rounds = 16;

 private:
  struct Outcome {
    double p;
    double q;
    double ratio;  // q / p
  };
  using Law = std::vector<Outcome>;
  // A test between the two data sets: the probabilities that it says the first, under the first and under the second.
  struct Test {
    double power;
    double error;
  };

  void add_round();
  std::vector<double> most_after(std::span<const double> levels) const;
  double most_at(double level, std::size_t next) const;
  std::vector<Test> tests_after(std::size_t law, std::span<const double> levels) const;
  Test test_at(std::size_t law, double level, std::size_t next) const;
  template <class Visit>
  void each_next(std::span<const double> levels, double ratio, const Visit& visit) const;
  std::vector<double> corners(std::uint64_t rounds, std::size_t allowed) const;
  double upper_delta(double epsilon) const;
  double lower_delta(double epsilon) const;
  double rounding() const;

  std::vector<Law> laws_;
  double mass_error_;        // relative, of every mass
  double error_ = 0;         // relative, of what is known of the rounds so far
  double largest_loss_ = 0;  // of one round
  double end_ = 0;           // of the rounds so far
  double least_ = 1;         // at most e^-end
  double greatest_ = 1;      // at least e^end
  // Of the rounds so far, at each e^epsilon: what delta is at most, and one test for each law.
  std::vector<double> levels_;
  std::vector<double> most_;
  std::vector<std::vector<Test>> tests_;
};

}  // namespace dpbudget::shuffle
