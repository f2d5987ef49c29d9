/// @file
/// How far beyond the answer to a question losses are followed.
#pragma once

#include <limits>

#include "dpbudget/accounting/loss_distribution/evaluator.h"
#include "dpbudget/accounting/numeric/bracket.h"

namespace dpbudget::loss_distribution {

/// What each release may leave out at either end of its losses, as one question looks for it. Both ends of a bracket
/// hold whatever that is: it decides how near each other they come. Too much is what the upper end consists of. Too
/// little, and losses far beyond the answer take the tilt with them: their mass, however rare, hides the answer under
/// its rounding.
class MeshTails {
 public:
  /// @param releases            in all
  /// @param tolerance           of the question
  /// @param presumed_log_delta  what delta may be about, where that is what is asked for
  MeshTails(const Question& question, double releases, double tolerance, double presumed_log_delta);

  /// In (0, 1).
  double tail() const { return tail_; }

  /// Whether even the least, at both ends of all releases, may be more than the delta at which epsilon is asked for:
  /// then an upper end that is infinite on one mesh is so on all.
  bool may_be_more_than_delta() const;

  /// What meshes have shown.
  struct Seen {
    numeric::Bracket best;  ///< of all of them
    double width;           ///< of that, relatively
    double upper;           ///< the upper end of the last
    bool is_drowned;        ///< whether rounding decided that
    bool is_helpful;        ///< whether it made the bracket narrower
  };

  /// Whether another tail is to be looked at, on the same mesh: then `tail` is that.
  bool moves(const Seen& seen);

 private:
  double tail_for(double delta) const;
  bool is_too_large(const Seen& seen);
  bool is_hiding(const Seen& seen);

  bool is_delta_;
  double given_;
  double releases_;
  double tolerance_;
  double tail_;
  double hiding_ = 0;                                               // the largest that was seen to hide the answer
  double hidden_upper_ = std::numeric_limits<double>::quiet_NaN();  // the upper end at that tail
  bool may_hide_ = true;                                            // for all that is known
};

}  // namespace dpbudget::loss_distribution
