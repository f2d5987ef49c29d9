#include "dpbudget/accounting/shuffle/randomizer.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dpbudget/accounting/plan/ranges.h"
#include "dpbudget/accounting/profile/normal.h"
#include "dpbudget/accounting/require.h"

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

// P(a < Z < b), without cancellation between numbers near 1.
double between(double a, double b) {
  return a + b > 0 ? profile::upper_tail(a) - profile::upper_tail(b)
                   : profile::upper_tail(-b) - profile::upper_tail(-a);
}

}  // namespace

Randomizer randomized_response(double local_epsilon, std::uint64_t categories) {
  return subset_selection(local_epsilon, categories, 1);
}

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
  return {blanket, {pair}};
}

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
  return {blanket, {pair}};
}

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
  return {blanket + "; worst pair: accounting/shuffle/blanket_proofs.md, section 3", {ends}};
}

Randomizer gaussian_signs(double noise, double left_out) {
  require(1 <= noise && noise <= 1e3, "noise", noise, "in [1, 1e3]");
  require(1e-100 <= left_out && left_out <= 0.1, "left_out", left_out, "in [1e-100, 0.1]");
  // The blanket has density phi((|y| + 1) / noise) / noise. Outputs are told by v = log(R_1 / R_-1) = 2 y / noise^2.
  const double last = 2 * (1 + noise * profile::upper_tail_point(left_out)) / (noise * noise);
  if (last > 600)
    throw Unsupported("gaussian_signs has likelihood ratios above e^600; it needs more noise or left_out");
  const double half = noise / 2;
  const auto cell = [=](double from, double to, bool is_positive) {
    const double mass = between(from * half + 1 / noise, to * half + 1 / noise);
    const double ratio = std::log(between(from * half - 1 / noise, to * half - 1 / noise) / mass);
    const auto at = [=](double log_ratio) { return is_positive ? LogRatios{log_ratio, 0} : LogRatios{0, log_ratio}; };
    return Cell{mass, at(from), at(std::clamp(ratio, from, to)), at(to)};
  };
  BlanketPair pair{.rest = std::erf(1 / (noise * std::numbers::sqrt2)), .atoms = {}, .stretches = {}};
  pair.stretches = {{0, last, [cell](double from, double to) { return cell(from, to, true); }},
                    {0, last, [cell](double from, double to) { return cell(from, to, false); }}};
  pair.left_out = profile::upper_tail(last * half - 1 / noise) * (1 + 1e-9);
  pair.left_out_blanket = 2 * profile::upper_tail(last * half + 1 / noise);
  // A cell is at least 2^-12 of a stretch wide, and the normal law's hazard rate in it at least 0.79 on the side that
  // `between` takes; so the difference of two tails loses a factor of 2 / width at most. A tail itself is right within
  // (2 + x^2 / 8) units.
  const double farthest = last * half + 1 / noise;
  pair.mass_error = 0x1p-49 * (4 + farthest * farthest / 8) * (2 + 0x1p14 / (last * half));
  pair.mean_error = 4 * pair.mass_error;
  return {blanket, {pair}, "holds for the inputs 1 and -1; that no other pair in [-1, 1] is worse is not proven"};
}

}  // namespace dpbudget::shuffle
