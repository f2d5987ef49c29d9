#include "dpbudget/accounting/loss_distribution/releases/randomly_allocated.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <ranges>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/loss_distribution/releases/ratio_law.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;

constexpr double greatest_dealt_loss = 250;
constexpr double least_dealt_tail = 1e-100;
constexpr double most_rounding = 1e-3;

// Who asks for tails so far below the least is told infinity from above, on any mesh.
constexpr double tail_beyond_resolving = 1e-8 * least_dealt_tail;

// Cells of the laws on the way, relative to their deviations.
constexpr double widest_cell = 0.5;
constexpr double narrowest_cell = 1.0 / 512;

// Errors of divergences that are so many times the tails are nothing beside the delta that is asked for, but two thirds
// of all cells would be below.
constexpr double floor_over_tails = 0x1p16;

// Products of masses that take as long as one piece takes on its way to an answer.
constexpr double products_in_piece = 128;

// One part of the outcomes beyond the pieces, at a ratio of the cell.
void put(RatioCell& cell, double ratio, double q) {
  cell.mean = std::clamp((cell.mean * cell.q + ratio * q) / (cell.q + q), cell.low, cell.high);
  cell.q += q;
}

// A bound on the mass of a tail whose excess over its smaller mass, at the loss `far`, is known; the smaller one's
// losses are those beyond `near`.
double tail_mass(double excess, double far, double near, double error) {
  const double apart = -std::expm1(far - near + 2 * error) * (1 - 4 * unit);
  if (!(apart > 0)) throw Unsupported("one piece tells too little of what is dealt");
  return excess / apart * (1 + 4 * unit);
}

// Outcomes above the pieces go to the first ratio and to infinity, outcomes below to the last ratio and to 0
// (accounting/loss_distribution/proofs.md, 4c.3).
void spread_tails(const Pieces& inner, RatioCells& law) {
  const Piece& first = inner.pieces.front();
  const Piece& last = inner.pieces.back();
  const double error = inner.errors.loss + unit * (4 + std::abs(first.low) + std::abs(last.high));
  if (inner.p_above > 0) {
    const double p = tail_mass(inner.p_above, first.high, last.high, error);
    put(law.cells.front(), law.cells.front().high, p * std::exp(error - last.high) * (1 + 4 * unit));
    law.p_at_infinity += inner.p_above * (1 + unit);
  }
  if (inner.q_below > 0) {
    const double q = tail_mass(inner.q_below, first.low, last.low, error);
    put(law.cells.back(), law.cells.back().low, q * std::exp(first.low + 2 * error - last.low) * (1 + 4 * unit));
    law.q_at_zero += inner.q_below * (1 + unit);
  }
}

bool is_beyond(const Piece& piece) { return !(-greatest_dealt_loss < piece.low && piece.high < greatest_dealt_loss); }

// Of pieces in order from an end on: those beyond what may be dealt as one outcome, and as many more with them as it
// takes for a loss that may be.
struct End {
  Piece together{0, 0, 0, 0, 0};
  std::size_t count = 0;

  template <class Pieces>
  explicit End(const Pieces& pieces) {
    for (const Piece& piece : pieces) {
      if (!is_beyond(piece) && (count == 0 || !is_beyond(together))) return;
      // Of p and q the larger one has its digits.
      const bool has_p = piece.p > piece.q;
      together.p += has_p ? piece.p : piece.q * std::exp(piece.barycentre);
      together.q += has_p ? piece.p * std::exp(-piece.barycentre) : piece.q;
      together.low = together.high = together.barycentre = std::log(together.p / together.q);
      ++count;
    }
  }
};

// What shows less and has no losses beyond what may be dealt.
// accounting/loss_distribution/proofs.md, 4c.3
Pieces within_reach(Pieces inner) {
  std::vector<Piece>& pieces = inner.pieces;
  const End low(pieces);
  const End high(pieces | std::views::reverse);
  const std::size_t count = low.count + high.count;
  if (count == 0 || count > pieces.size()) return inner;
  if (high.count > 0) {
    pieces.resize(pieces.size() - high.count);
    pieces.push_back(high.together);
  }
  if (low.count > 0) {
    pieces.erase(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(low.count));
    pieces.insert(pieces.begin(), low.together);
  }
  inner.errors.mass += inner.errors.barycentre + unit * (4 + static_cast<double>(count) / 8);
  inner.errors.barycentre += 2 * inner.errors.mass;
  return inner;
}

RatioCells ratios_of(const Pieces& inner, Side side) {
  const double first = inner.pieces.front().low;
  const double last = inner.pieces.back().high;
  if (!(first > -greatest_dealt_loss && last < greatest_dealt_loss))
    throw Unsupported("of what is dealt, losses are at most 250");
  const bool is_upper = side == Side::upper;
  const double outwards = is_upper ? 1 : -1;
  RatioCells law;
  law.errors = {
      .mass = inner.errors.mass + 2 * unit,
      .ratio = inner.errors.barycentre + inner.errors.loss + unit * (4 + std::max(std::abs(first), std::abs(last)))};
  law.q_at_zero = inner.q_at_infinity * (1 + outwards * (inner.errors.infinity + unit));
  law.p_at_infinity = inner.p_at_infinity * (1 + outwards * (inner.errors.infinity + unit));
  for (const Piece& piece : inner.pieces) {
    // Of p and q the larger one has its digits.
    double q = piece.p > piece.q ? piece.p * std::exp(-piece.barycentre) : piece.q;
    if (std::max(piece.p, piece.q) < least_mass) q = is_upper ? q + least_mass : 0;
    if (!(q > 0)) continue;
    const double low = law.cells.empty() ? std::exp(piece.low) : std::max(std::exp(piece.low), law.cells.back().high);
    const double high = std::max(low, std::exp(piece.high));
    law.cells.push_back({low, high, q, std::clamp(std::exp(piece.barycentre), low, high)});
  }
  if (law.cells.empty()) throw Unsupported("what is dealt has no finite losses");
  if (is_upper) spread_tails(inner, law);
  return law;
}

// The law of the sum of `steps` ratios: doubled, and one added where the binary digits of `steps` ask for it.
RatioCells sum_of(const RatioCells& one, std::uint64_t steps, const RatioMesh& mesh, Side side) {
  const RatioLaw single = on_mesh(one, mesh, side);
  RatioLaw law = single;
  for (int bit = static_cast<int>(std::bit_width(steps)) - 2; bit >= 0; --bit) {
    RatioCells doubled = sum(law, law, mesh, side);
    const bool is_one_more = ((steps >> static_cast<unsigned>(bit)) & 1U) != 0;
    if (bit == 0 && !is_one_more) return doubled;
    law = on_mesh(doubled, mesh, side);
    if (!is_one_more) continue;
    RatioCells more = sum(law, single, mesh, side);
    if (bit == 0) return more;
    law = on_mesh(more, mesh, side);
  }
  return one;
}

Pieces pieces_of(const RatioCells& law, double inner_work, Side side) {
  const double outwards = side == Side::upper ? 1 : -1;
  if (!(law.errors.mass <= most_rounding)) throw Unsupported("of so many steps rounding leaves too little");
  Pieces result{.pieces = {}, .errors = {}};
  result.pieces.reserve(law.cells.size());
  double reach = 0;
  for (const RatioCell& cell : law.cells) {
    const double low = std::log(cell.low / law.count);
    const double high = std::log(cell.high / law.count);
    const double mean = cell.mean / law.count;
    result.pieces.push_back({low, high, cell.q * mean, cell.q, std::clamp(std::log(mean), low, high)});
    reach = std::max({reach, std::abs(low), std::abs(high)});
  }
  // Sums of errors, where factors are what is meant.
  const auto factor = [](double error) { return error * (1 + 2 * error); };
  const double of_mass = factor(law.errors.mass);
  const double of_ratio = factor(law.errors.ratio) + unit * (4 + reach);
  result.errors = {.mass = of_mass + of_ratio, .infinity = 2 * unit, .barycentre = of_ratio, .loss = of_ratio};
  const double masses = 1 + outwards * (of_mass + unit);
  result.p_at_infinity = law.p_at_infinity / law.count * masses;
  result.q_at_infinity = law.q_at_zero * masses;
  result.work = inner_work + law.products / products_in_piece;
  return result;
}

}  // namespace

double step_inside_allocation(double step, std::uint64_t steps) {
  // One ratio may decide the sum, or all of them together.
  return std::min(widest_cell, step * std::sqrt(std::sqrt(static_cast<double>(steps))));
}

Pieces randomly_allocated(const Pieces& inner, std::uint64_t steps, Side side, const Cut& cut) {
  check(cut);
  if (steps == 1) return inner;
  const RatioCells one = side == Side::upper ? ratios_of(inner, side) : ratios_of(within_reach(inner), side);
  const double additions = 2 * static_cast<double>(std::bit_width(steps));
  const double tail = std::max(cut.tail, least_dealt_tail);
  RatioMesh mesh{.width = widest_cell, .tail = tail / additions / 2, .floor = floor_over_tails * tail};
  // A first pass, of the widest cells, sees how narrow the losses are that `cut` must resolve.
  RatioCells law = sum_of(one, steps, mesh, side);
  const double deviation = std::max(total_variation(law) / variation_of_normal_law, 0x1p-40);
  mesh.width = std::clamp(1.7 * cut.step / std::min(1.0, deviation), narrowest_cell, widest_cell);
  const double products = law.products;
  if (mesh.width < widest_cell && cut.tail >= tail_beyond_resolving) {
    law = sum_of(one, steps, mesh, side);
    law.products += products;
  }
  return pieces_of(law, inner.work, side);
}

}  // namespace dpbudget::loss_distribution
