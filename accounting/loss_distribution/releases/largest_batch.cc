#include "dpbudget/accounting/loss_distribution/releases/largest_batch.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/numeric/normal.h"

namespace dpbudget::loss_distribution {
namespace {

constexpr double least_batch_noise = 0.05;
constexpr double most_batch_noise = 1e6;

constexpr double fewest_batch_cells = 64;
constexpr double most_batch_cells = 2048;

// A cell's share of what lies on its side, so that a difference keeps its digits; and how little lies below all cells.
constexpr double least_share_of_tail = 1e-3;
constexpr double log_least_below = -30;

// Of a mass, relatively (accounting/loss_distribution/proofs.md, 4j.2).
constexpr double batch_mass_error = 0x1p-23;

// log P(Z <= x), every digit of it where it is small.
double log_below(double x) { return x > 0 ? std::log1p(-numeric::upper_tail(x)) : numeric::log_upper_tail(-x); }

// The law of the largest of `steps` outputs, of which one has the mean `mean` and the others 0.
class Largest {
 public:
  Largest(double mean, double noise, std::uint64_t steps)
      : mean_(mean), noise_(noise), others_(static_cast<double>(steps - 1)) {}

  double log_at_most(double x) const { return log_below((x - mean_) / noise_) + others_ * log_below(x / noise_); }

  // P(from < largest <= to), by the tails on the side where they are small; 0 where their difference has no digits.
  double mass(double from, double to) const {
    const double log_to = log_at_most(to);
    const bool is_lower = log_to < -0.7;
    const double outer = is_lower ? std::exp(log_to) : -std::expm1(log_at_most(from));
    const double inner = is_lower ? std::exp(log_at_most(from)) : -std::expm1(log_to);
    const double difference = outer - inner;
    return difference >= least_share_of_tail * outer ? difference : 0;
  }

 private:
  double mean_;
  double noise_;
  double others_;
};

// Below which next to nothing of the largest output lies: near it is as good.
double lowest_of(const Largest& law, double highest, double noise) {
  const auto excess = [&](double x) { return law.log_at_most(x) - log_least_below; };
  return numeric::certified_root(excess, -40 * noise, highest, {.relative = 0, .absolute = noise * 0x1p-20}).upper;
}

}  // namespace

std::optional<Pieces> largest_batch_pieces(double noise, std::uint64_t steps, const Cut& cut) {
  check(cut);
  if (!(least_batch_noise <= noise && noise <= most_batch_noise)) return std::nullopt;
  const Largest first(2, noise, steps);
  const Largest second(1, noise, steps);
  const double tail = numeric::tail_point(std::min(cut.tail, 0.1) / 2);
  const double of_many = std::sqrt(2 * std::log(static_cast<double>(steps)));
  const double highest = 2 + noise * (tail + of_many);
  const double lowest = lowest_of(first, highest, noise);
  const double width = cut.step * noise * noise;
  const auto cells =
      to_integer<int>(std::clamp(std::ceil((highest - lowest) / width), fewest_batch_cells, most_batch_cells), "cells");
  Pieces result;
  const auto add = [&](double p, double q) {
    const double loss = std::log(p / q);
    result.pieces.push_back({loss, loss, p, q, loss});
  };
  add(std::exp(first.log_at_most(lowest)), std::exp(second.log_at_most(lowest)));
  double from = lowest;
  for (int i = 1; i <= cells; ++i) {
    const double to = lowest + (highest - lowest) * i / cells;
    const double p = first.mass(from, to);
    const double q = second.mass(from, to);
    if (!(p > least_mass && q > least_mass)) continue;  // goes with the next
    add(p, q);
    from = to;
  }
  const double p_above = -std::expm1(first.log_at_most(from));
  const double q_above = -std::expm1(second.log_at_most(from));
  if (!(p_above > least_mass && q_above > least_mass)) return std::nullopt;
  add(p_above, q_above);
  std::ranges::sort(result.pieces, {}, &Piece::barycentre);
  result.errors = {.mass = batch_mass_error, .barycentre = 2 * batch_mass_error, .loss = 2 * batch_mass_error};
  return result;
}

}  // namespace dpbudget::loss_distribution
