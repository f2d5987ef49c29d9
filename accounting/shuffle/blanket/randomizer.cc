#include "dpbudget/accounting/shuffle/blanket/randomizer.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/told_response.h"

namespace dpbudget::shuffle {
namespace {

const std::string blanket = "Balle, Bell, Gascon, Nissim 2019, Lemma 5.3";

void require_local_epsilon(double value) {
  require(1e-6 <= value && value <= 20, "local_epsilon", value, "in [1e-6, 20]");
}

Cell atom(double mass, double first, double second) {
  return {mass, {first, second}, {first, second}, {first, second}};
}

void add(std::vector<Cell>& cells, const Cell& cell) {
  if (cell.mass > 0) cells.push_back(cell);
}

// Calls visit(x, x', z) for which of three inputs an output speaks for.
template <class Visit>
void each_membership(const Visit& visit) {
  for (const bool x : {false, true})
    for (const bool other : {false, true})
      for (const bool z : {false, true}) visit(x, other, z);
}

// The log ratio of two inputs' probabilities of an output that speaks for the first, the second, both or none.
double log_ratio(double local_epsilon, bool is_first, bool is_second) {
  return is_first == is_second ? 0 : is_first ? local_epsilon : -local_epsilon;
}

// Two outcomes, all other users holding x': what is left of randomisers of two categories.
// accounting/shuffle/blanket/proofs.md, 1.4
BlanketPair binary_witness(double local_epsilon, double speaks_for_first, double speaks_for_second, double for_none) {
  BlanketPair pair{.rest = 0, .atoms = {}, .stretches = {}};
  add(pair.atoms, atom(speaks_for_first, local_epsilon, 0));
  add(pair.atoms, atom(speaks_for_second, -local_epsilon, 0));
  add(pair.atoms, atom(for_none, 0, 0));
  return pair;
}

BlanketPair subset_witness(double local_epsilon, double k, double d, double scale) {
  const double weight = std::exp(local_epsilon);
  if (k == 2) return binary_witness(local_epsilon, 1 / (1 + weight), weight / (1 + weight), 0);
  BlanketPair pair{.rest = 0, .atoms = {}, .stretches = {}};
  each_membership([&](bool x, bool other, bool z) {
    // Of the sets that hold these of three categories, drawn uniformly.
    double inside = d;
    double outside = k - d;
    double share = 1 / (k * (k - 1) * (k - 2));
    for (const bool is_in : {x, other, z}) share *= is_in ? inside-- : outside--;
    if (share > 0)
      add(pair.atoms,
          atom(share * (z ? weight : 1) / scale, log_ratio(local_epsilon, x, z), log_ratio(local_epsilon, other, z)));
  });
  return pair;
}

BlanketPair rappor_witness(double local_epsilon, double k, double kept, double flipped) {
  if (k == 2) return binary_witness(local_epsilon, flipped * flipped, kept * kept, 2 * kept * flipped);
  BlanketPair pair{.rest = 0, .atoms = {}, .stretches = {}};
  each_membership([&](bool x, bool other, bool z) {
    const double mass = (x ? flipped : kept) * (other ? flipped : kept) * (z ? kept : flipped);
    add(pair.atoms, atom(mass, log_ratio(local_epsilon, x, z), log_ratio(local_epsilon, other, z)));
  });
  return pair;
}

// Every bit that is not the user's is set with the same probability.
BlanketPair unary_witness(double local_epsilon, double k, double set) {
  const double unset = 1 - set;
  if (k == 2) return binary_witness(local_epsilon, set / 2, unset / 2, 0.5);
  BlanketPair pair{.rest = 0, .atoms = {}, .stretches = {}};
  each_membership([&](bool x, bool other, bool z) {
    const double mass = (x ? set : unset) * (other ? set : unset) / 2;
    add(pair.atoms, atom(mass, log_ratio(local_epsilon, x, z), log_ratio(local_epsilon, other, z)));
  });
  return pair;
}

// All other users hold the value whose row is the product of the two: it has a 1 where both rows agree.
BlanketPair hadamard_witness(double local_epsilon, double k) {
  const double weight = std::exp(local_epsilon);
  const double one = 1 / (2 * (1 + weight));  // of the columns where a row that is not theirs has a 1
  const double many = weight * one;
  if (k == 2) return binary_witness(local_epsilon, one, many, 0.5);
  BlanketPair pair{.rest = 0, .atoms = {}, .stretches = {}};
  add(pair.atoms, atom(many, 0, 0));
  add(pair.atoms, atom(one, local_epsilon, 0));
  add(pair.atoms, atom(one, 0, local_epsilon));
  add(pair.atoms, atom(many, -local_epsilon, -local_epsilon));
  return pair;
}

// All other users hold 1, or 1/2. Outputs in between are told by log(R_0 / R_z).
std::vector<BlanketPair> laplace_witnesses(double local_epsilon) {
  BlanketPair end{.rest = 0, .atoms = {}, .stretches = {}};
  end.atoms = {atom(std::exp(-local_epsilon) / 2, local_epsilon, 0), atom(0.5, -local_epsilon, 0)};
  end.stretches = {{-local_epsilon, local_epsilon, [local_epsilon](double from, double to) {
                      const double mass = -std::exp(-(local_epsilon + from) / 2) * std::expm1((from - to) / 2) / 2;
                      return Cell{mass, {from, 0}, {(from + to) / 2, 0}, {to, 0}};
                    }}};
  const double half = local_epsilon / 2;
  const auto mass = [half](double from, double to) {
    return -std::exp(-(half + from) / 2) * std::expm1((from - to) / 2) / 2;
  };
  BlanketPair middle{.rest = 0, .atoms = {}, .stretches = {}};
  middle.atoms = {atom(std::exp(-half) / 2, half, -half), atom(std::exp(-half) / 2, -half, half)};
  middle.stretches = {{-half, half,
                       [=](double from, double to) {
                         return Cell{mass(from, to), {from, -half}, {(from + to) / 2, -half}, {to, -half}};
                       }},
                      {-half, half, [=](double from, double to) {
                         return Cell{mass(from, to), {-half, from}, {-half, (from + to) / 2}, {-half, to}};
                       }}};
  return {end, middle};
}

}  // namespace

Randomizer randomized_response(double local_epsilon, std::uint64_t categories) {
  return subset_selection(local_epsilon, categories, 1);
}

// accounting/shuffle/blanket/proofs.md, 2.1
Randomizer subset_selection(double local_epsilon, std::uint64_t categories, std::uint64_t subset) {
  require_local_epsilon(local_epsilon);
  ranges::categories(categories);
  require(1 <= subset && subset < categories, "subset", subset, "in [1, categories - 1]");
  const auto k = static_cast<double>(categories);
  const auto d = static_cast<double>(subset);
  const auto others = static_cast<double>(categories - subset);
  // With the weights 1 and e^local_epsilon, a set drawn uniformly has the mean weight `scale`; the blanket keeps 1.
  const double scale = (d * std::exp(local_epsilon) + others) / k;
  const double pairs = k * (k - 1) * scale;
  BlanketPair pair{.rest = d * std::expm1(local_epsilon) / (k * scale), .atoms = {}, .stretches = {}};
  add(pair.atoms, atom(d * (d - 1) / pairs, local_epsilon, local_epsilon));
  add(pair.atoms, atom(d * others / pairs, local_epsilon, 0));
  add(pair.atoms, atom(d * others / pairs, 0, local_epsilon));
  add(pair.atoms, atom(others * (others - 1) / pairs, 0, 0));
  return {blanket, {pair}, {subset_witness(local_epsilon, k, d, scale)}};
}

// accounting/shuffle/blanket/proofs.md, 2.1
Randomizer rappor(double local_epsilon, std::uint64_t categories) {
  require_local_epsilon(local_epsilon);
  ranges::categories(categories);
  const double odds = std::exp(local_epsilon / 2);
  const double flipped = 1 / (1 + odds);
  const double kept = odds * flipped;
  const double log_flipped = -std::log1p(odds);
  const auto further = static_cast<double>(categories - 2);
  // All bits set: every input makes one match, so the blanket keeps the whole of it.
  const double all_set = odds * flipped * flipped * std::exp(further * log_flipped);
  const double both_set = -flipped * flipped * std::expm1(further * log_flipped) / odds;
  // 1 - (1 - f^k) / s - s f^k = ((s - 1) - (s^2 - 1) f^k) / s, and (s + 1) f = 1.
  const double rest = std::expm1(local_epsilon / 2) * -std::expm1((further + 1) * log_flipped) / odds;
  BlanketPair pair{.rest = rest, .atoms = {}, .stretches = {}};
  add(pair.atoms, atom(kept * flipped / odds, local_epsilon, 0));
  add(pair.atoms, atom(kept * flipped / odds, 0, local_epsilon));
  add(pair.atoms, atom(both_set, local_epsilon, local_epsilon));
  add(pair.atoms, atom(kept * kept / odds + all_set, 0, 0));
  return {blanket, {pair}, {rappor_witness(local_epsilon, further + 2, kept, flipped)}};
}

// accounting/shuffle/blanket/proofs.md, 2.2
Randomizer unary_encoding(double local_epsilon, std::uint64_t categories) {
  require_local_epsilon(local_epsilon);
  ranges::categories(categories);
  const double weight = std::exp(local_epsilon);
  const double set = 1 / (1 + weight);
  const double unset = weight * set;
  const double log_set = -std::log1p(weight);
  const auto further = static_cast<double>(categories - 2);
  // All bits set: every input makes one match, so the blanket keeps the whole of it.
  const double all_set = std::exp((further + 1) * log_set) / 2;
  const double both_set = -set * std::expm1(further * log_set) / (2 * weight);
  const double rest = std::expm1(local_epsilon) * -std::expm1((further + 1) * log_set) / (2 * weight);
  BlanketPair pair{.rest = rest, .atoms = {}, .stretches = {}};
  add(pair.atoms, atom(set / 2, local_epsilon, 0));
  add(pair.atoms, atom(set / 2, 0, local_epsilon));
  add(pair.atoms, atom(both_set, local_epsilon, local_epsilon));
  add(pair.atoms, atom(unset / 2 + all_set, 0, 0));
  return {blanket, {pair}, {unary_witness(local_epsilon, further + 2, set)}};
}

// accounting/shuffle/blanket/proofs.md, 2.3
Randomizer hadamard_response(double local_epsilon, std::uint64_t categories) {
  require_local_epsilon(local_epsilon);
  ranges::categories(categories);
  const double weight = std::exp(local_epsilon);
  const auto order = static_cast<double>(hadamard_order(categories));
  const double quarter = 1 / (2 * (1 + weight));
  const double column = 4 / order * quarter;
  BlanketPair pair{.rest = (1 - 2 / order) * std::expm1(local_epsilon) * 2 * quarter, .atoms = {}, .stretches = {}};
  add(pair.atoms, atom(quarter, local_epsilon, 0));
  add(pair.atoms, atom(quarter, 0, local_epsilon));
  add(pair.atoms, atom((1 - 4 / order) * quarter, local_epsilon, local_epsilon));
  add(pair.atoms, atom(quarter + weight * column, 0, 0));  // the constant column, of 1 only, is every input's
  return {blanket, {pair}, {hadamard_witness(local_epsilon, static_cast<double>(categories))}};
}

// accounting/shuffle/blanket/proofs.md, 3.2
Randomizer laplace(double local_epsilon) {
  require_local_epsilon(local_epsilon);
  // Inputs 0 and 1, blanket (e0 / 2) e^(-e0 max(|y|, |1 - y|)). Between 0 and 1 outputs are told by the logarithm
  // of the ratio that is not 1.
  const double outside = std::exp(-local_epsilon) / 2;
  const auto mass = [local_epsilon](double from, double to) {
    return -std::exp(-(local_epsilon + from) / 2) * std::expm1((from - to) / 2) / 2;
  };
  BlanketPair ends{.rest = -std::expm1(-local_epsilon / 2), .atoms = {}, .stretches = {}};
  ends.atoms = {atom(outside, local_epsilon, 0), atom(outside, 0, local_epsilon)};
  ends.stretches = {
      {0, local_epsilon,
       [mass](double from, double to) { return Cell{mass(from, to), {from, 0}, {(from + to) / 2, 0}, {to, 0}}; }},
      {0, local_epsilon,
       [mass](double from, double to) { return Cell{mass(from, to), {0, from}, {0, (from + to) / 2}, {0, to}}; }}};
  return {
      blanket + "; worst pair: accounting/shuffle/blanket/proofs.md, 3.1", {ends}, laplace_witnesses(local_epsilon)};
}

}  // namespace dpbudget::shuffle
