/// @file
/// Shuffled randomised response of so few reports that all neighbouring data sets can be gone through.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace dpbudget::shuffle {

/// One outcome: its probability where the user holds x, and where it holds x'.
struct ReportedCounts {
  double p;
  double q;
};

/// The shuffled reports on two neighbouring data sets, outcome by outcome.
using ReportLaw = std::vector<ReportedCounts>;

/// The laws of all neighbouring data sets, up to a permutation of the categories (accounting/shuffle/proofs.md, 7.1).
/// With a law, its reverse is one of them.
struct FewReports {
  std::vector<ReportLaw> laws;
  double error;  ///< every mass is right up to this much of itself
};

/// Whether there are few enough for that: up to 64 reports of two values, or 12 of four, whose rarest outcome a double
/// holds.
/// @param local_epsilon  in (0, 600]
/// @param categories     k, at least 2
/// @param reports        at least 1
bool are_few(double local_epsilon, std::uint64_t categories, std::uint64_t reports);

/// @return nothing unless they are few
std::optional<FewReports> few_reports(double local_epsilon, std::uint64_t categories, std::uint64_t reports);

}  // namespace dpbudget::shuffle
