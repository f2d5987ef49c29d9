/// @file
/// The mesh that makes a bracket as narrow as asked for.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "dpbudget/accounting/base/witness.h"
#include "dpbudget/accounting/loss_distribution/evaluator.h"
#include "dpbudget/accounting/loss_distribution/mesh_tails.h"
#include "dpbudget/accounting/loss_distribution/outline.h"
#include "dpbudget/accounting/loss_distribution/plan_losses.h"
#include "dpbudget/accounting/numeric/bracket.h"

namespace dpbudget::loss_distribution {

/// What is known of epsilon (negative ones included) or of log delta at the end of a search.
struct MeshAnswer {
  numeric::Bracket dominating;  ///< of the dominating pair
  double attained;              ///< lower end for data sets that are neighbours
  double width;                 ///< of `dominating`, as relative_width
  double mesh;                  ///< where the dominating pair's search ended: a good start for the next question
  Witnesses witnesses = {};     ///< of the upper end of `dominating`, and of `attained`
  bool is_of_game = false;  ///< whether the upper end is that of a game of rounds (clipped_batches.h), which is less
};

/// The delta that a search's upper end of log delta proves.
double upper_delta(double log_upper);

/// Of the bracket of what is wanted, relative to its upper end; of delta, not its logarithm.
double relative_width(Question::Wanted wanted, const numeric::Bracket& bracket);

/// One question's search. Meshes are made finer until the bracket is narrow, rounding is what limits it, or finer ones
/// take too long; and coarser where the first guess was too fine.
class MeshSearch {
 public:
  /// @param evaluator  of the plan that `outline` is of; outlives this
  /// @param tolerance  relative width that is wanted, in (0, 1)
  /// @param aim        what is better still, where it costs little; at most `tolerance`
  MeshSearch(Evaluator& evaluator, const Outline& outline, double tolerance, double aim, const Question& question);

  /// What meshes may take that resolve nothing, and where something is known without them.
  static constexpr double most_in_vain = 0x1p24;
  static constexpr double in_vain_beside = 0x1p21;  // where it is asked on which side of a budget the answer is
  static constexpr double little_in_vain = 0x1p20;

  /// @param mesh     to begin with; a quarter of a release's own deviation where none is known
  /// @param in_vain  work of meshes that resolve nothing, at most
  /// @throws Unsupported when no mesh says anything
  MeshAnswer run(std::optional<double> mesh, double in_vain = most_in_vain);

 private:
  struct Upper {
    double value;
    bool is_drowned;  // as Evaluator::is_drowned
  };

  double first_mesh() const;
  double resolving(double variance) const;  // a mesh for all releases' variance
  double least_mesh() const;
  Purpose purpose(Side side, Direction direction, Pair pair) const;
  double ask(Side side, Direction direction, Pair pair, std::optional<double> hint);
  Witness witness_of(const Purpose& purpose) const { return witness::Mesh{purpose.mesh, purpose.tail}; }
  void take(const numeric::Bracket& here);
  void find_lattices();

  bool refine(int step);
  std::optional<numeric::Bracket> at_this_mesh();
  void begin_again();
  void give_up_aim();
  bool is_settled(double width);
  bool is_beyond_transforms() const;
  bool is_enough() const;
  bool is_within(double log_upper) const;
  double next_mesh(double width) const;
  double affordable_mesh(double wish, double width) const;
  void raise_lower();
  double attained_lower();
  double attained_at(double mesh);
  bool is_seen_where_resolved();
  double attained_from(double mesh);
  bool is_wide(double attained) const;
  double least_raise(double attained, bool is_costly) const;

  Evaluator& evaluator_;
  const Outline& outline_;
  double tolerance_;
  double aim_;
  Question question_;
  std::vector<Direction> directions_;
  Lattice lattice_;           // of the dominating pair
  Lattice attained_lattice_;  // of data sets that are neighbours

  double in_vain_ = most_in_vain;
  int turn_ = 0;              // how meshes are chosen; changed by one that does not help
  double mesh_ = 0;           // looked at now
  double resolved_mesh_ = 0;  // the last that showed something
  MeshTails tails_;
  std::map<Direction, Upper> uppers_;      // the last of each direction
  Direction larger_ = Direction::forward;  // of the larger of them
  numeric::Bracket best_;
  double best_attained_ = -std::numeric_limits<double>::infinity();
  Witnesses witnesses_;  // of the best ends; the lower one's is the attained end's where that is another pair's
  double width_ = std::numeric_limits<double>::infinity();  // of the last bracket
  double upper_ = std::numeric_limits<double>::infinity();  // of the last, its upper end
  double settled_mesh_ = 0;                                 // that one's mesh
  int stalled_ = 0;                                         // meshes in a row that did not make it narrower
};

}  // namespace dpbudget::loss_distribution
