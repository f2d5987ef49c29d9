#include "dpbudget/accounting/loss_distribution/releases/shuffled.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/loss_distribution/pieces/loss_cells.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/numeric/tanh_half.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;
using shuffle::CloneBlock;
using shuffle::CloneBlocks;

// (1 + tau X) mu_m against (1 - tau X) mu_m with probability `mass`, X the mean of m fair signs; m = 0: no loss.
struct Component {
  double signs;
  double mass;
  double tau;
  double one_less_tau;  // 1 - tau, which cancels
};

// Adds the outcomes of one component whose loss is within the cells and positive, and half of those whose loss is 0.
void add(const Component& component, LossCells& cells) {
  const double m = component.signs;
  const double tau = component.tau;
  if (m == 0 || tau == 0) {
    cells.add(0, component.mass / 2, component.mass / 2);
    return;
  }
  const double centre = std::ceil(m / 2);
  const auto fair = numeric::Binomial::of_odds(m, 0);
  double mass = component.mass * std::exp(fair.log_mass(centre));
  for (double b = centre; b <= m; ++b) {
    // m (1 +- tau X), of positive parts.
    const double towards = m * component.one_less_tau + 2 * tau * b;
    const double away = m * component.one_less_tau + 2 * tau * (m - b);
    const double loss = std::log(towards / away);
    if (loss > cells.end()) return;
    if (mass < least_mass) return cells.leave_out(4 * m);
    const double share = (2 * b == m ? mass / 2 : mass) / m;
    cells.add(loss, share * towards, share * away);
    mass *= (m - b) / (b + 1);
  }
}

// The mixture's own reverse: the outcome with the opposite signs has the opposite loss.
Pieces with_opposites(Pieces half) {
  Pieces all = reversed(half);
  auto first = half.pieces.begin();
  const bool are_one = first != half.pieces.end() && is_atom(*first) && first->low == 0;
  if (are_one) {
    all.pieces.back().p += first->p;
    all.pieces.back().q += first->q;
    ++first;
  }
  all.pieces.insert(all.pieces.end(), first, half.pieces.end());
  return all;
}

// P(|X| > x) <= 2 e^(-m x^2 / 2) by Hoeffding, and 1 +- tau X <= 2; the loss exceeds l where tau X > tanh(l / 2).
double outside(const std::vector<Component>& components, double loss) {
  double sum = 0;
  for (const Component& component : components) {
    if (component.signs == 0 || component.tau == 0) continue;
    const double x = std::tanh(loss / 2) / component.tau * (1 - unit);
    if (x < 1) sum += component.mass * 4 * std::exp(-component.signs * x * x / 2);
  }
  return sum * (1 + 0x1p-30);
}

// So many reports or fewer have few outcomes in all, which are taken as they are.
constexpr double few_reports = 40;

Pieces pieces_of(const std::vector<Component>& components, double largest, double error, const Cut& cut) {
  double most_signs = 0;
  for (const Component& component : components) most_signs = std::max(most_signs, component.signs);
  const bool is_few = most_signs <= few_reports;
  LossCells cells = is_few ? LossCells::of_outcomes()
                           : LossCells(largest, cut, [&](double loss) { return outside(components, loss); });
  for (const Component& component : components)
    if (component.mass > 0) add(component, cells);
  // A mass is the product of as many ratios as outcomes from the centre; within the cells, or by underflow, these are
  // at most 40 deviations of m / 4.
  const double steps = std::min(most_signs, 40 * std::sqrt(most_signs));
  const double fair_error = most_signs == 0 ? 0 : numeric::Binomial::of_odds(most_signs, 0).log_mass_error(1);
  return with_opposites(cells.pieces(2 * (error + fair_error + unit * (64 + steps))));
}

// Each component has about as many outcomes as the root of its signs.
constexpr double most_clones = 0x1p32;

// Blocks of this share of the clones move losses by 1e-5 of their size; narrower ones cost seconds.
constexpr double least_share = 2e-5;

// So do more outcomes than this, which only tails as rare as the least double have.
constexpr double most_outcomes = 0x1p23;

// Blocks whose width costs epsilon about as much as the cells do.
CloneBlocks blocks_of(const shuffle::CloneCount& count, double local_epsilon, const Cut& cut) {
  if (!(count.mode() <= most_clones))
    throw Unsupported(fmt::format(
        "about {:.3g} of the shuffled reports are clones, but the loss distributions of more than 2^32 take too long; "
        "the approximate accountant takes any number",
        count.mode()));
  if (count.others() < few_reports) return shuffle::clone_blocks(count, [](double) { return 1.0; }, 0);
  const double deviation = 2 * std::tanh(local_epsilon / 2) / std::sqrt(count.mode() + 1);
  // Blocks, and the outcomes of each, reach as many deviations on either side.
  const double square_of_reach = 2 * std::log(1 / cut.tail);
  const double outcomes_of_unit = 2 * square_of_reach * count.deviation() / std::sqrt(count.mode() + 1);
  const double least = std::min(0.05, std::max(least_share, outcomes_of_unit / most_outcomes));
  const double share = std::clamp(0.5 * (cut.step / deviation) * (cut.step / deviation), least, 0.05);
  return shuffle::clone_blocks(count, [&](double m) { return share * m; }, cut.tail / 16);
}

}  // namespace

// accounting/shuffle/proofs.md, 1.6
Pieces clone_pieces(const shuffle::ClonePair& pair, Side side, const Cut& cut) {
  check(cut);
  const double tau = numeric::tanh_half(pair.local_epsilon);
  const double rest = numeric::one_less_tanh_half(pair.local_epsilon);
  const double share = std::exp(pair.log_share);
  const CloneBlocks found = blocks_of(pair.count, pair.local_epsilon, cut);
  const bool is_upper = side == Side::upper;
  std::vector<Component> components;
  components.reserve(found.blocks.size() + 2);
  for (const CloneBlock& block : found.blocks)
    components.push_back({(is_upper ? block.first : block.last) + 1, share * block.mass, tau, rest});
  // What the blocks leave out shows all on the upper side, and nothing on the lower one.
  if (is_upper) {
    components.push_back({1, share * found.below, tau, rest});
    components.back().mass += share * found.above;
  }
  double unshared = -std::expm1(pair.log_share);
  if (!is_upper) unshared += share * (found.below + found.above);
  components.push_back({0, unshared, 0, 1});
  return pieces_of(components, pair.local_epsilon, found.error, cut);
}

Pieces hidden_pair_pieces(const shuffle::HiddenPair& pair, const Cut& cut) {
  check(cut);
  const double tau = numeric::tanh_half(pair.local_epsilon);
  const double one_less_tau = numeric::one_less_tanh_half(pair.local_epsilon);
  const CloneBlocks found = blocks_of(pair.count, pair.local_epsilon, cut);
  std::vector<Component> components;
  components.reserve(found.blocks.size() + 1);
  double covered = 0;
  for (const CloneBlock& block : found.blocks) {
    // The report is rarest among few reports; rounded up, which can only make it rarer. What tau is then less than 1 by
    // is a sum of positive terms.
    const double dilution = pair.dilution(block.first) * (1 + pair.dilution_error());
    const double mass = pair.share * (block.mass + pair.absent * block.mass_next);
    components.push_back({block.last + 1, mass, tau / (1 + dilution), (one_less_tau + dilution) / (1 + dilution)});
    covered += mass;
  }
  // A little less than the rest of the mass, which shows nothing: no reports of either value, and what is left out.
  components.push_back({0, std::max(0.0, (1 - covered) * (1 - 0x1p-30) - found.error), 0, 1});
  return pieces_of(components, pair.local_epsilon, found.error, cut);
}

}  // namespace dpbudget::loss_distribution
