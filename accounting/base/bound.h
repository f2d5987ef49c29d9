/// @file
/// What a number claims to be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/accounting/base/witness.h"

namespace dpbudget {

/// `proven`: holds in exact arithmetic by the cited theorem, whose preconditions were checked, and rounding can only
/// have made it larger. `estimate`: a limit theorem, or a published claim whose proof has a gap.
enum class Guarantee { proven, estimate };

/// As answers print it.
constexpr std::string_view to_string(Guarantee guarantee) {
  return guarantee == Guarantee::proven ? "proven" : "estimate";
}

/// Who proves a number, and by what.
struct Source {
  std::string accountant;
  std::vector<std::string> theorems;
};

/// A bracket around a true epsilon (or delta), with its reason.
struct Bound {
  double lower = 0;                         ///< proven lower bound on the truth; 0 when none is known
  double upper = 0;                         ///< upper bound on the truth, as far as `guarantee` says
  Guarantee guarantee = Guarantee::proven;  ///< what `upper` is
  std::vector<std::string> theorems;        ///< the statements it rests on, innermost first
  std::vector<std::string> notes;           ///< what a reader must know besides
  std::string accountant{};                 ///< by name, which one gave `upper`; empty for a published claim
  Witnesses witnesses{};                    ///< what either end can be checked by
  std::optional<Source> lower_source{};     ///< of `lower`, where it is not that of `upper`
  bool is_resolved = false;  ///< whether `upper` is known to be, up to the tolerance, what the pair costs that it is of
};

/// Whether `value` is outside of a bracket, and no nearer to it than that is wide: then whatever is between the ends is
/// on one side of the value, and about as far from it.
constexpr bool is_clear_of(double value, double lower, double upper) {
  const double width = upper - lower;
  return lower - value >= width || value - upper >= width;
}

/// The statements in one line.
std::string joined(const std::vector<std::string>& theorems);

/// A bracket around a true delta, with logarithms for deltas that a double cannot hold; -infinity for 0.
struct DeltaBound {
  Bound bound;
  double log_lower;
  double log_upper;
};

/// @throws std::logic_error when the ends exclude each other: a defect of ours, which no answer may hide
void check_consistency(const Bound& bound);
/// The same of a bracket of delta.
void check_consistency(const DeltaBound& found);

}  // namespace dpbudget
