/// @file
/// Where an accountant's search ended, so that somebody else can check an end of a bracket without searching: any such
/// number proves something, and these prove what is said.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

namespace dpbudget {

namespace witness {

/// Gaussians compose to N(mu, 1) against N(0, 1), whose likelihood ratio is e^epsilon at `root`: delta is
/// P(x > root) - e^epsilon Q(x > root).
struct NormalRoot {
  double mu;
  double root;
};

/// Delta is a sum over so many outcomes.
struct Outcomes {
  std::uint64_t number;
};

/// No outcome tells more than this: delta is 0 from here on.
struct LargestLoss {
  double loss;
};

/// The named composition theorems, which have nothing to be chosen.
struct Composition {};

/// The Rényi divergence of one order.
struct RenyiOrder {
  double order;  ///< infinity for pure DP
  double divergence;
};

/// (rho, omega)-tCDP, converted at one order below omega.
struct ConcentratedOrder {
  double rho;
  double omega;
  double excess;  ///< of the order over 1
};

/// Which of two neighbours is P.
enum class Way { remove, add };

constexpr std::string_view to_string(Way way) { return way == Way::remove ? "remove" : "add"; }

/// The trapezoid sum of accounting/contour/proofs.md, 1.1 and 1.2.
struct Contour {
  Way way;
  double abscissa;
  double step;
  std::uint64_t terms;  ///< on either side of the middle one
  double log_tail;      ///< of what lies beyond these, in delta, at most
  double alias_below;   ///< orders at which Chernoff's bound is taken for the aliases
  double alias_above;
  double smoothing;  ///< inverse variance of a Gaussian that is released besides, so that the sum ends; 0 for none
};

/// Losses on a grid.
struct Mesh {
  double mesh;
  double tail;  ///< mass that each release may leave out at either end
};

}  // namespace witness

/// Of one end; monostate where there is none that would help.
using Witness =
    std::variant<std::monostate, witness::NormalRoot, witness::Outcomes, witness::LargestLoss, witness::Composition,
                 witness::RenyiOrder, witness::ConcentratedOrder, witness::Contour, witness::Mesh>;

/// Of both ends.
struct Witnesses {
  Witness lower;
  Witness upper;
};

}  // namespace dpbudget
