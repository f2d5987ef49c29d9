/// @file
/// How many reports hide the one that changed, and means over that number.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "dpbudget/accounting/numeric/binomial.h"
#include "dpbudget/accounting/numeric/bracket.h"
#include "dpbudget/accounting/numeric/extended.h"

namespace dpbudget::shuffle {

/// The number C of the other users' reports that are clones of the first user's: C ~ Bin(others, e^l / (1 + e^l)) for
/// log odds l.
class CloneCount {
 public:
  /// @param others    an integer in [0, 2^53]
  /// @param log_odds  any double; infinity: all of them
  CloneCount(double others, double log_odds);

  double others() const { return others_; }
  double mode() const { return binomial_ ? binomial_->mode() : others_; }
  double deviation() const { return binomial_ ? binomial_->deviation() : 0; }

  /// P(C = at), at an integer in [0, others], with how far the logarithm may be off. For means over many values,
  /// `ratio` is cheaper.
  numeric::Bracket log_mass(double at) const;

  /// P(C = at + 1) / P(C = at), off by `odds_error` relatively.
  numeric::Extended ratio(double at) const { return (others_ - at) / (numeric::Extended(at) + 1) * odds_; }

  /// By what the odds may be off, relatively: their logarithm is off by a few units of its last place.
  double odds_error() const { return odds_error_; }

 private:
  double others_;
  numeric::Extended odds_;
  double odds_error_;
  std::optional<numeric::Binomial> binomial_;  // none where the number is certain
};

/// The numbers of clones from `first` to `last`.
struct CloneBlock {
  double first;
  double last;
  double mass;       ///< their probability
  double mass_next;  ///< that of the numbers from `first` + 1 to `last` + 1
};

/// How many values of m may be treated as one at m.
using Stride = std::function<double(double)>;

/// Nearly all of the law of C, in blocks.
struct CloneBlocks {
  std::vector<CloneBlock> blocks;
  double below;  ///< upper bound on the probability of fewer clones than any block has
  double above;  ///< of more
  double error;  ///< relative, of the masses
};

/// @param negligible  both bounds are at most about this
CloneBlocks clone_blocks(const CloneCount& count, const Stride& stride, double negligible);

/// Upper bounds on the law of C, also where it is rarer than any double.
struct UpperMasses {
  /// Neighbouring numbers.
  struct Block {
    double first;            ///< the least number of clones in it
    numeric::Extended mass;  ///< their probability is at most this
  };
  /// The same by its logarithm.
  struct Stretch {
    double first;     ///< as in a block
    double log_mass;  ///< of all numbers up to its largest, at most
  };
  std::vector<Block> blocks;   ///< all numbers but those of `below`
  std::vector<Stretch> below;  ///< the numbers below any block's, which are rarer than an Extended holds; from the top
  double error;                ///< of the blocks' masses, relative
};

/// What is more than the mode is left to the last block where it is below 1e-25 of the whole.
UpperMasses upper_masses(const CloneCount& count, const Stride& stride);

/// A function of the number of reports m = C + 1 that share the first user's fate, in logarithms; it must not increase
/// in m.
using OfReports = std::function<numeric::Bracket(double)>;

/// log E[f(C + 1)] between two proven bounds. Values of C are taken in blocks, over which f is bounded by its values at
/// the ends; what is left out on either side is bounded by a geometric series and counts in the upper end.
/// @param negligible  relative mass that may be left out
numeric::Bracket log_mean(const CloneCount& count, const OfReports& f, const Stride& stride, double negligible);

}  // namespace dpbudget::shuffle
