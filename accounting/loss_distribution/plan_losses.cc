#include "dpbudget/accounting/loss_distribution/plan_losses.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dpbudget/accounting/base/interruption.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/compose.h"
#include "dpbudget/accounting/loss_distribution/discretise.h"
#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/loss_distribution/releases/finite.h"
#include "dpbudget/accounting/loss_distribution/releases/mixed_over.h"
#include "dpbudget/accounting/loss_distribution/releases/randomly_allocated.h"
#include "dpbudget/accounting/loss_distribution/releases/release.h"
#include "dpbudget/accounting/loss_distribution/releases/sampled.h"
#include "dpbudget/accounting/loss_distribution/releases/truncated.h"
#include "dpbudget/accounting/loss_distribution/transform.h"
#include "dpbudget/accounting/plan/copies.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/releases.h"
#include "dpbudget/accounting/plan/truncated.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget::loss_distribution {
namespace {

constexpr const char* too_often = "the plan repeats a release more than 2^53 times";

std::uint64_t multiplied(std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > ranges::max_count / b) throw Unsupported(too_often);
  return a * b;
}

bool is_atom(const Piece& piece) { return piece.low == piece.high; }

// Two atoms anywhere: a grid through both, if its mesh divides their distance.
bool is_two_atoms(const Pieces& pieces) {
  return pieces.pieces.size() == 2 && is_atom(pieces.pieces[0]) && is_atom(pieces.pieces[1]);
}

// Where a grid should begin: at two atoms; or in far tails so that the piece which holds most of P, as a rare sample
// has one, is at a point. Beside one, below, it would take all that is rare to balance it.
double offset_for(const Pieces& pieces, double mesh, double tail) {
  if (is_two_atoms(pieces)) return pieces.pieces.front().low;
  if (!is_far(tail)) return 0;
  const auto most = std::ranges::find_if(pieces.pieces, [](const Piece& piece) { return piece.p > 0.5; });
  if (most == pieces.pieces.end()) return 0;
  const double position = most->barycentre / mesh;
  return std::abs(position - std::round(position)) <= 1e-9 ? 0 : most->barycentre;
}

// Tails that may be left out are a ten millionth of the delta that is asked for, or less.
constexpr double tails_of_rare = 4e7;

// Atoms for which a mesh is looked for that nearly all of them are on.
constexpr std::size_t most_atoms = 64;
constexpr double least_of_atom = 1e-3;

class Builder {
 public:
  Builder(Adjacency adjacency, const Purpose& purpose) : adjacency_(adjacency), purpose_(purpose) {}

  Pieces losses(const Event& event) const {
    auto exact = in_pieces(event);
    return exact ? *std::move(exact) : around_composition(event);
  }

  // The loss distribution of one release of the plan: it may have a grid of its own.
  LossDistribution release(const Event& event) const { return single(event, true); }

  // Finite releases off the grid, several together; what is left in `releases` takes a distribution each.
  std::vector<LossDistribution> grouped(std::vector<Release>& releases) const {
    std::vector<LossDistribution> groups;
    std::vector<Release> rest;
    std::optional<Pieces> group;
    std::size_t members = 0;
    for (const Release& release : releases) {
      std::optional<Pieces> outcomes = off_grid(release);
      if (!outcomes) {
        rest.push_back(release);
        continue;
      }
      ++members;
      if (group && group->pieces.size() * outcomes->pieces.size() > limits_of_part.outcomes) {
        groups.push_back(on_grid(*group, 0));
        group.reset();
      }
      group = group ? product(*group, *outcomes) : std::move(*outcomes);
    }
    if (members < 2) return {};
    groups.push_back(on_grid(*group, 0));
    releases = std::move(rest);
    return groups;
  }

  double points() const { return points_; }

 private:
  LossDistribution single(const Event& event, bool may_offset) const {
    // Absence has a loss of 0, which is on the grid: it must not be merged with what is not.
    if (const auto* round = std::get_if<Participates>(&event))
      return participating(whole(*round->inner), rate(round->rate));
    if (const auto exact = in_pieces(event))
      return on_grid(*exact, may_offset ? offset_for(*exact, purpose_.mesh, purpose_.tail) : 0);
    return on_grid(around_composition(event), 0);
  }

  // The losses of what needs no grid.
  std::optional<Pieces> in_pieces(const Event& event) const {
    auto exact = release_pieces(event, adjacency_, purpose_.side, purpose_.pair, {purpose_.mesh / 2, purpose_.tail});
    if (!exact) return std::nullopt;
    return oriented(*std::move(exact));
  }

  // Of a composition that is sampled or dealt.
  Pieces around_composition(const Event& event) const {
    return match_node(
        event, [](const Leaf&) { return always_in_pieces(); },
        [&](const PoissonSampled& e) { return poisson(e.rate, whole(*e.inner)); },
        [&](const SampledWithoutReplacement& e) {
          if (purpose_.pair != Pair::dominating) return poisson(e.rate, among_equals(*e.inner));
          return without_replacement(atoms_of(whole(*e.inner)), rate(e.rate), purpose_.tail);
        },
        [&](const SampledWithReplacement& e) { return with_replacement(e); },
        [&](const TruncatedPoisson& e) { return truncated(e); }, [](const Participates&) { return always_in_pieces(); },
        [](const Repeated&) -> Pieces { throw Unsupported(too_often); },
        [](const Composed&) { return always_in_pieces(); }, [](const Shuffled&) { return always_in_pieces(); },
        [&](const RandomlyAllocated& e) { return allocated(e); }, [&](const Grouped& e) { return grouped(e); });
  }

  [[noreturn]] static Pieces always_in_pieces() {
    throw Unsupported("the losses of a single release are known piece by piece");
  }

  // The outcomes of a finite release that is repeated a few times and whose losses miss the grid.
  std::optional<Pieces> off_grid(const Release& release) const {
    if (!has_finite_losses(release.event) || std::holds_alternative<Participates>(release.event)) return std::nullopt;
    auto exact =
        release_pieces(release.event, adjacency_, purpose_.side, purpose_.pair, {purpose_.mesh / 2, purpose_.tail});
    if (!exact || !is_finite(*exact)) return std::nullopt;
    const Pieces losses = oriented(std::move(*exact));
    const double offset = is_two_atoms(losses) ? losses.pieces.front().low : 0;
    const bool is_on_grid = std::ranges::all_of(losses.pieces, [&](const Piece& piece) {
      const double position = (piece.low - offset) / purpose_.mesh;
      return std::abs(position - std::round(position)) <= 1e-9;
    });
    if (is_on_grid) return std::nullopt;
    return power(losses, release.count, limits_of_part);
  }

  Pieces oriented(Pieces forward) const {
    return purpose_.direction == Direction::forward ? std::move(forward) : reversed(std::move(forward));
  }

  // A composition, as one distribution on a grid through 0.
  LossDistribution whole(const Event& event) const {
    if (has_finite_losses(event)) {
      const Cut cut{purpose_.mesh / 2, purpose_.tail};
      if (auto all = release_pieces(event, adjacency_, purpose_.side, purpose_.pair, cut))
        return on_grid(oriented(*std::move(all)), 0);
    }
    std::deque<LossDistribution> distributions;
    std::vector<Part> parts;
    for (const Release& release : releases_of(event)) {
      distributions.push_back(single(release.event, false));
      parts.push_back({&distributions.back(), release.count});
    }
    LossDistribution sum = compose_whole(parts, purpose_.tail);
    points_ += 8 * static_cast<double>(sum.mass.size()) * static_cast<double>(parts.size());
    return sum;
  }

  // Where a sample without the record is like the second neighbour's.
  LossDistribution among_equals(const Event& event) const {
    Purpose purpose = purpose_;
    purpose.pair = Pair::attained_among_equals;
    const Builder builder(adjacency_, purpose);
    LossDistribution sum = builder.whole(event);
    points_ += builder.points();
    return sum;
  }

  // `inside` holds the losses in the purpose's direction, so the pair is turned round and back for `backward`.
  Pieces poisson(const Rate& sampling, const LossDistribution& inside) const {
    const double q = rate(sampling);
    if (purpose_.direction == Direction::forward) return poisson_sampled(atoms_of(inside), q, purpose_.tail);
    return reversed(poisson_sampled(reversed(atoms_of(inside)), q, purpose_.tail));
  }

  // As Release::with_replacement, of a composition.
  Pieces with_replacement(const SampledWithReplacement& e) const {
    const bool is_up = purpose_.side == Side::upper;
    if (purpose_.pair != Pair::dominating) return poisson(rate_of_record(e.draws, is_up), among_equals(*e.inner));
    return *mixed_over(e.draws, purpose_.tail, [&](std::uint64_t copies) -> std::optional<Pieces> {
      const Event inner = for_copies(e, copies, adjacency_, "loss_distribution");
      return without_replacement(atoms_of(whole(inner)), rate_of_record(e.draws, true), purpose_.tail);
    });
  }

  // As Release::truncated, of a composition.
  Pieces truncated(const TruncatedPoisson& e) const {
    const bool is_up = purpose_.side == Side::upper;
    if (purpose_.pair != Pair::dominating)
      return poisson(rate_of_record(e, is_up ? Rounding::up : Rounding::down), whole(*e.inner));
    const auto sampled_at = [&](double rate, const Event& inner) { return std::optional(poisson(rate, whole(inner))); };
    return *truncated_pieces(
        truncated_sample(e), [&](double rate) { return sampled_at(rate, *e.inner); },
        [&](double rate) { return sampled_at(rate, for_replaced(e, adjacency_, "loss_distribution")); });
  }

  // As Release::grouped, of a composition in a Poisson sample.
  Pieces grouped(const Grouped& e) const {
    const auto sampled = sampled_group(e, purpose_.side == Side::upper ? Rounding::up : Rounding::down);
    if (!sampled) return always_in_pieces();
    const double any = rate_of_record(sampled->law, purpose_.side == Side::upper);
    if (purpose_.pair != Pair::dominating) return poisson(any, whole(sampled->inside));
    return *mixed_over(sampled->law, purpose_.tail, [&](std::uint64_t copies) -> std::optional<Pieces> {
      return poisson(any, whole(for_group(e, sampled->inside, copies, adjacency_, "loss_distribution")));
    });
  }

  // Of a composition that is dealt: as `poisson`.
  Pieces allocated(const RandomlyAllocated& e) const {
    const bool is_forward = purpose_.direction == Direction::forward;
    const Pieces inside = atoms_of(whole(*e.inner));
    Pieces dealt = randomly_allocated(is_forward ? inside : reversed(inside), e.steps.value(), purpose_.side,
                                      {purpose_.mesh / 2, purpose_.tail});
    return is_forward ? dealt : reversed(std::move(dealt));
  }

  LossDistribution on_grid(const Pieces& pieces, double offset) const {
    points_ += static_cast<double>(pieces.pieces.size()) + pieces.work;
    const double rare = is_far(purpose_.tail) ? purpose_.tail * tails_of_rare : 0;
    return discretise(pieces, {purpose_.mesh, offset}, purpose_.side, rare);
  }

  double rate(const Rate& rate) const {
    return rounded_rate(rate, purpose_.side == Side::upper ? Rounding::up : Rounding::down);
  }

  Adjacency adjacency_;
  Purpose purpose_;
  mutable double points_ = 0;
};

// The spacing of a grid that all atoms are on, if there is one.
// @param may_offset  whether it may begin at the first of two
std::optional<double> spacing_of(const Pieces& pieces, bool may_offset) {
  if (may_offset && pieces.pieces[0].low != -pieces.pieces[1].low) return pieces.pieces[1].low - pieces.pieces[0].low;
  double least = 0;
  for (const Piece& piece : pieces.pieces)
    if (is_atom(piece) && piece.low != 0 && (least == 0 || std::abs(piece.low) < least)) least = std::abs(piece.low);
  // Nearly all of a sampled release may be next to log(1 - rate): as good as an atom.
  for (const Piece& piece : pieces.pieces)
    if (least == 0 && piece.p > 0.5) least = std::abs(piece.barycentre);
  if (least == 0) return std::nullopt;
  for (const Piece& piece : pieces.pieces) {
    const double multiple = piece.low / least;
    if (is_atom(piece) && std::abs(multiple - std::round(multiple)) > 1e-9) return std::nullopt;
  }
  return least;
}

double variance_of(const Pieces& pieces) {
  double first = 0;
  double second = 0;
  for (const Piece& piece : pieces.pieces) {
    first += piece.p * piece.barycentre;
    second += piece.p * piece.barycentre * piece.barycentre;
  }
  return std::max(0.0, second - first * first);
}

class Sketch {
 public:
  Sketch(const NormalPlan& plan, double tail, Pair pair)
      : found(plan.adjacency(), tail), adjacency_(plan.adjacency()), pair_(pair), tail_(tail) {
    found.basis.add(plan.event());
    found.variance = add(plan.event(), 1, false);
  }

  Outline found;

 private:
  // Variance of the loss of one release, roughly: enough to choose a first mesh by.
  double add(const Event& event, double count, bool is_nested) {
    const auto* round = std::get_if<Participates>(&event);
    const auto pieces = coarse_pieces(round != nullptr ? *round->inner : event);
    if (pieces && !is_nested) note(*pieces, round != nullptr ? count * round->rate.value() : count, round != nullptr);
    if (pieces && round == nullptr) {
      found.releases += count;
      found.range = std::max(found.range, pieces->pieces.back().high - pieces->pieces.front().low);
      return variance_of(*pieces);
    }
    const auto of_sample = [&](const auto& sampled) { return sampled.rate.value() * add(*sampled.inner, count, true); };
    const auto of_releases = [&] { return add_releases(event, count, is_nested); };
    return match_node(
        event, [](const Leaf&) { return 0.0; }, [&](const PoissonSampled& e) { return of_sample(e); },
        [&](const SampledWithoutReplacement& e) { return of_sample(e); },
        [&](const SampledWithReplacement& e) { return rate_of_record(e.draws, true) * add(*e.inner, count, true); },
        [&](const TruncatedPoisson& e) { return of_sample(e); }, [&](const Participates& e) { return of_sample(e); },
        [&](const Repeated&) { return of_releases(); }, [&](const Composed&) { return of_releases(); },
        [](const Shuffled&) { return 0.0; },
        [&](const RandomlyAllocated& e) { return add(*e.inner, count, true) / static_cast<double>(e.steps.value()); },
        [&](const Grouped& e) {
          const auto records = static_cast<double>(e.records.value());
          return records * records * add(*e.inner, count, true);
        });
  }

  double add_releases(const Event& event, double count, bool is_nested) {
    double variance = 0;
    for (const Release& release : releases_of(event)) {
      const auto times = static_cast<double>(release.count);
      variance += times * add(release.event, count * times, is_nested);
    }
    return variance;
  }

  // As many pieces as it takes to see where the losses are.
  std::optional<Pieces> coarse_pieces(const Event& event) const {
    for (double step = 0x1p10;; step /= 32) {
      auto pieces = release_pieces(event, adjacency_, Side::upper, pair_, {step, tail_});
      if (!pieces || pieces->pieces.size() >= 64 || std::ranges::all_of(pieces->pieces, is_atom) || step < 1e-300)
        return pieces;
    }
  }

  // @param has_zero  whether 0 must be on the grid, so that it begins nowhere else
  void note(const Pieces& pieces, double count, bool has_zero) {
    const bool may_offset = !has_zero && is_two_atoms(pieces);
    const double between = pieces.pieces.back().low - pieces.pieces.front().low;
    const auto add_atom = [&](double loss, double p) {
      if (loss != 0 && p > least_of_atom && found.lattice.atoms.size() < most_atoms)
        found.lattice.atoms.push_back({std::abs(loss), p * count});
    };
    note_spacing(spacing_of(pieces, may_offset), count);
    found.lattice.is_all = found.lattice.is_all && is_finite(pieces);
    if (may_offset) return add_atom(between, pieces.pieces.back().p);
    for (const Piece& piece : pieces.pieces)
      if (is_atom(piece) || piece.p > 0.5) add_atom(piece.barycentre, piece.p);
  }

  // Lattices that share no mesh: the one that is repeated too often to be composed outcome by outcome decides, if any.
  void note_spacing(std::optional<double> spacing, double count) {
    if (!spacing) return;
    const double ratio =
        found.lattice.spacing ? std::max(*spacing / *found.lattice.spacing, *found.lattice.spacing / *spacing) : 1;
    if (!found.lattice.spacing && !found.lattice.has_incommensurate) {
      found.lattice.spacing = spacing;
      spacing_count_ = count;
    } else if (found.lattice.spacing && std::abs(ratio - std::round(ratio)) < 1e-9) {
      found.lattice.spacing = std::min(*found.lattice.spacing, *spacing);
      spacing_count_ = std::max(spacing_count_, count);
    } else {
      found.lattice.has_incommensurate = true;
      spacing_count_ = std::max(spacing_count_, count);
      if (count == spacing_count_) found.lattice.spacing = spacing;
      if (spacing_count_ <= limits_of_part.outcomes) found.lattice.spacing.reset();
    }
  }

  Adjacency adjacency_;
  Pair pair_;
  double tail_;
  double spacing_count_ = 0;
};

}  // namespace

Pieces losses_of(const Event& release, Adjacency adjacency, const Purpose& purpose) {
  heed_interruption();
  return Builder(adjacency, purpose).losses(release);
}

PlanLosses::PlanLosses(const NormalPlan& plan, const Purpose& purpose) {
  const Builder builder(plan.adjacency(), purpose);
  std::vector<Release> releases = releases_of(plan.event());
  for (LossDistribution& group : builder.grouped(releases)) releases_.push_back({std::move(group), 1});
  for (const Release& release : releases) {
    heed_interruption();
    releases_.push_back({builder.release(release.event), release.count});
  }
  points_ = builder.points();
}

std::vector<Part> PlanLosses::parts(std::uint64_t count) const {
  std::vector<Part> parts;
  parts.reserve(releases_.size());
  for (const Counted& release : releases_) parts.push_back({&release.distribution, multiplied(release.count, count)});
  return parts;
}

Outline outline(const NormalPlan& plan, double tail) {
  Outline found = Sketch(plan, tail, Pair::dominating).found;
  // Reports that are shuffled are on no lattice.
  const bool has_another = found.basis.is_unattained() && !has_shuffled(plan.event());
  found.attained_lattice = has_another ? Sketch(plan, tail, Pair::attained).found.lattice : found.lattice;
  return found;
}

}  // namespace dpbudget::loss_distribution
