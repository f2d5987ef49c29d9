#include "dpbudget/accounting/loss_distribution/plan_losses.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dpbudget/accounting/base/interruption.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/discretise.h"
#include "dpbudget/accounting/loss_distribution/grid_offset.h"
#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/loss_distribution/releases/dealt_blocks.h"
#include "dpbudget/accounting/loss_distribution/releases/finite.h"
#include "dpbudget/accounting/loss_distribution/releases/mixed_over.h"
#include "dpbudget/accounting/loss_distribution/releases/randomly_allocated.h"
#include "dpbudget/accounting/loss_distribution/releases/release.h"
#include "dpbudget/accounting/loss_distribution/releases/sampled.h"
#include "dpbudget/accounting/loss_distribution/releases/selected.h"
#include "dpbudget/accounting/loss_distribution/releases/truncated.h"
#include "dpbudget/accounting/loss_distribution/transform.h"
#include "dpbudget/accounting/loss_distribution/whole.h"
#include "dpbudget/accounting/plan/copies.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/pure.h"
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

// More releases than meshes pass through the atoms of.
constexpr std::size_t few_releases = 8;

// Meshes inside of a sample add the square of this to what the sample's own costs, at most.
constexpr double coarser_inside = 0.25;
// Relative to the largest loss: coarser ones would put it far beyond itself.
constexpr double coarsest_inside = 0x1p-8;

// Tails that may be left out are a ten millionth of the delta that is asked for, or less. Releases whose delta is some
// hundred times as much decide about it.
constexpr double tails_of_rare = 4e9;

// Where equal releases have atoms: at `distance` from 0, and at multiples of it if they have nothing else.
struct AtomsOfEqual {
  double distance;
  bool are_all;
};
std::optional<AtomsOfEqual> atoms_of_equal(const Event& composition) {
  const std::vector<Release> releases = releases_of(composition);
  if (releases.size() != 1) return std::nullopt;
  if (const auto* laplace = std::get_if<Laplace>(&releases.front().event))
    return AtomsOfEqual{1 / laplace->scale.value(), false};
  if (const auto* laplace = std::get_if<DiscreteLaplace>(&releases.front().event))
    return AtomsOfEqual{1 / laplace->scale.value(), true};
  if (const auto* discrete = std::get_if<DiscreteGaussian>(&releases.front().event)) {
    const double noise = discrete->noise_multiplier.value();
    return AtomsOfEqual{0.5 / noise / noise, true};
  }
  return std::nullopt;
}

// Atoms between points of a grid lose up to a mesh each on one of the sides; where there is nothing else a mesh as
// wide as they are apart loses nothing.
double through_atoms(double wish, const Event& composition) {
  const auto atoms = atoms_of_equal(composition);
  if (!atoms || atoms->distance < wish) return wish;
  return atoms->are_all ? atoms->distance : atoms->distance / std::ceil(atoms->distance / wish);
}

class Builder {
 public:
  Builder(Adjacency adjacency, const Purpose& purpose) : adjacency_(adjacency), purpose_(purpose) {}

  Pieces losses(const Event& event) const {
    auto exact = in_pieces(event);
    return exact ? *std::move(exact) : around_composition(event);
  }

  // The loss distribution of one release of the plan, of so many: it may have a grid of its own.
  LossDistribution release(const Event& event, std::size_t releases) const {
    return single(event, releases > few_releases ? Offset::of_many : Offset::any);
  }

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
  double pairs() const { return pairs_; }

 private:
  enum class Offset { none, any, of_many };

  double offset_by(const Pieces& pieces, Offset offset) const {
    if (offset == Offset::none) return 0;
    if (offset == Offset::of_many && purpose_.side == Side::lower && !is_far(purpose_.tail))
      return offset_for_atoms(pieces, purpose_.mesh);
    return offset_for(pieces, purpose_.mesh, purpose_.tail);
  }

  LossDistribution single(const Event& event, Offset offset) const {
    // Absence has a loss of 0, which is on the grid: it must not be merged with what is not.
    if (const auto* round = std::get_if<Participates>(&event))
      return participating(whole(*round->inner), rate(round->rate));
    const auto* dealt = std::get_if<RandomlyAllocated>(&event);
    if (dealt != nullptr && dealt->steps.times > 1 && purpose_.pair == Pair::dominating)
      return whole(blocks_of(*dealt, adjacency_));
    if (const auto exact = in_pieces(event)) return on_grid(*exact, offset_by(*exact, offset));
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
        [&](const PoissonSampled& e) {
          return poisson(e.rate, inside(e, pair_inside_sample(purpose_.pair, *e.inner)));
        },
        [&](const SampledWithoutReplacement& e) {
          if (purpose_.pair != Pair::dominating) return poisson(e.rate, inside(e, Pair::attained_among_equals));
          return without_replacement(atoms_of(inside(e, purpose_.pair)), rate(e.rate), purpose_.tail);
        },
        [&](const SampledWithReplacement& e) { return with_replacement(e); },
        [&](const TruncatedPoisson& e) { return truncated(e); }, [](const Participates&) { return always_in_pieces(); },
        [](const Repeated&) -> Pieces { throw Unsupported(too_often); },
        [](const Composed&) { return always_in_pieces(); }, [&](const Shuffled& e) { return reports(e); },
        [&](const RandomlyAllocated& e) { return allocated(e); }, [&](const ShuffledBatches& e) { return batches(e); },
        [&](const Grouped& e) { return grouped(e); }, [&](const Selected& e) { return best_of_runs(e); });
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

  // For what is inside of a sample, whose losses come to lie nearer together: by the slope of log(1 - rate + rate
  // e^loss) at the largest of them or more. A mesh so much coarser costs little beside that of the sample.
  template <class Sample>
  LossDistribution inside(const Sample& sample, Pair pair) const {
    Purpose purpose = purpose_;
    purpose.pair = pair;
    if (!has_finite_losses(*sample.inner)) {
      const double largest = pure_epsilon(*sample.inner, adjacency_);
      const double odds = sample.rate.value() / (1 - sample.rate.value());
      const double slope = 1 / (1 + std::exp(-largest) / odds);
      purpose.mesh = std::max(purpose.mesh, std::min(purpose.mesh * coarser_inside / slope, largest * coarsest_inside));
    }
    return whole_for(purpose, *sample.inner);
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
      distributions.push_back(single(release.event, Offset::none));
      parts.push_back({&distributions.back(), release.count});
    }
    LossDistribution sum = compose_whole(parts, purpose_.tail);
    points_ += 8 * static_cast<double>(sum.mass.size()) * static_cast<double>(parts.size());
    return sum;
  }

  // Where a sample without the record is like the second neighbour's.
  LossDistribution among_equals(const Event& event) const { return whole_of(event, Pair::attained_among_equals); }

  // Of a sample that may lack the record.
  LossDistribution in_sample(const Event& event) const {
    return whole_of(event, pair_inside_sample(purpose_.pair, event));
  }

  LossDistribution whole_of(const Event& event, Pair pair) const {
    Purpose purpose = purpose_;
    purpose.pair = pair;
    return whole_for(purpose, event);
  }

  // Of a dominating pair, which may leave out so much.
  LossDistribution dominating_with(double tail, const Event& event) const {
    Purpose purpose = purpose_;
    purpose.tail = tail;
    return whole_for(purpose, event);
  }

  // For what is made of its atoms, on a grid of its own.
  LossDistribution whole_for(Purpose purpose, const Event& event) const {
    purpose.mesh = through_atoms(purpose.mesh, event);
    const Builder builder(adjacency_, purpose);
    LossDistribution sum = builder.whole(event);
    add_work_of(builder);
    return sum;
  }

  // `inside` holds the losses in the purpose's direction, so the pair is turned round and back for `backward`.
  Pieces poisson(const Rate& sampling, const LossDistribution& inside) const {
    return poisson(sampling, inside, purpose_.tail);
  }
  Pieces poisson(const Rate& sampling, const LossDistribution& inside, double tail) const {
    const double q = rate(sampling);
    if (purpose_.direction == Direction::forward) return poisson_sampled(atoms_of(inside), q, tail);
    return reversed(poisson_sampled(reversed(atoms_of(inside)), q, tail));
  }

  // As Release::with_replacement, of a composition.
  Pieces with_replacement(const SampledWithReplacement& e) const {
    const bool is_up = purpose_.side == Side::upper;
    if (purpose_.pair != Pair::dominating) return poisson(rate_of_record(e.draws, is_up), among_equals(*e.inner));
    return *mixed_over(e.draws, purpose_.tail, [&](std::uint64_t copies, double tail) -> std::optional<Pieces> {
      const Event inner = for_copies(e, copies, adjacency_, "loss_distribution");
      return without_replacement(atoms_of(dominating_with(tail, inner)), rate_of_record(e.draws, true), tail);
    });
  }

  // As Release::truncated, of a composition.
  Pieces truncated(const TruncatedPoisson& e) const {
    const bool is_up = purpose_.side == Side::upper;
    if (purpose_.pair != Pair::dominating)
      return poisson(rate_of_record(e, is_up ? Rounding::up : Rounding::down), in_sample(*e.inner));
    const auto sampled_at = [&](double rate, const Event& inner) {
      return std::optional(poisson(rate, whole_of(inner, purpose_.pair)));
    };
    return *truncated_pieces(
        truncated_sample(e), [&](double rate) { return sampled_at(rate, *e.inner); },
        [&](double rate) { return sampled_at(rate, for_replaced(e, adjacency_, "loss_distribution")); });
  }

  // As Release::grouped, of a composition in a Poisson sample.
  Pieces grouped(const Grouped& e) const {
    const auto sampled = sampled_group(e, purpose_.side == Side::upper ? Rounding::up : Rounding::down);
    if (!sampled) return always_in_pieces();
    const double any = rate_of_record(sampled->law, purpose_.side == Side::upper);
    if (purpose_.pair != Pair::dominating) return poisson(any, in_sample(sampled->inside));
    return *mixed_over(sampled->law, purpose_.tail, [&](std::uint64_t copies, double tail) -> std::optional<Pieces> {
      const Event group = for_group(e, sampled->inside, copies, adjacency_, "loss_distribution");
      return poisson(any, dominating_with(tail, group), tail);
    });
  }

  // Of a composition on shuffled batches: nothing is hidden of what dominates.
  Pieces batches(const ShuffledBatches& e) const {
    if (purpose_.pair == Pair::dominating) return atoms_of(whole(*e.inner));
    return dealt(e.steps, among_equals(*e.inner));
  }

  // Of a composition that each user reports and that is not epsilon-DP: as Release::reports.
  Pieces reports(const Shuffled& e) const {
    if (purpose_.pair == Pair::dominating) return atoms_of(whole(*e.inner));
    try {
      return dealt(e.reports.value(), whole_of(*e.inner, Pair::attained));
    } catch (const Unsupported&) {
      return one_atom();
    }
  }

  // Of a composition that is dealt: as `poisson`. Into several steps: accounting/loss_distribution/proofs.md, 4c.6.
  Pieces allocated(const RandomlyAllocated& e) const {
    if (e.steps.times > 1) {
      if (purpose_.pair == Pair::dominating) return atoms_of(whole(blocks_of(e, adjacency_)));
      return poisson(share_of_step(e.steps), in_sample(*e.inner));
    }
    return dealt(e.steps, in_sample(*e.inner));
  }

  Pieces dealt(const Steps& steps, const LossDistribution& once) const {
    const bool is_forward = purpose_.direction == Direction::forward;
    const Pieces inside = atoms_of(once);
    Pieces all = randomly_allocated(is_forward ? inside : reversed(inside), steps.value(), purpose_.side,
                                    {purpose_.mesh / 2, purpose_.tail});
    return is_forward ? all : reversed(std::move(all));
  }

  // What is left out of one run is left out of all.
  Pieces best_of_runs(const Selected& e) const {
    const numeric::GeneratingFunction runs = generating_function(e.trials);
    Purpose purpose = purpose_;
    purpose.tail = purpose_.tail / std::max(1.0, runs.mean());
    Pieces inside = one_run(*e.inner, purpose);
    while (inside.pieces.size() > most_selected) {
      purpose.mesh *= std::ceil(static_cast<double>(inside.pieces.size()) / most_selected);
      inside = one_run(*e.inner, purpose);
    }
    const Cut cut{purpose_.mesh / 2, purpose_.tail};
    if (purpose_.pair != Pair::dominating) return selected_by_loss(inside, runs, cut);
    return purpose_.side == Side::upper ? selected(inside, runs, cut) : selected_merged(inside, runs, cut);
  }

  Pieces one_run(const Event& event, const Purpose& purpose) const {
    const Builder builder(adjacency_, purpose);
    const std::vector<Release> releases = releases_of(event);
    if (auto exact = builder.in_pieces(event); exact && is_finite(*exact) && exact->pieces.size() <= most_selected)
      return *std::move(exact);
    const bool is_one = releases.size() == 1 && releases.front().count == 1;
    Pieces inside = atoms_of(is_one ? builder.single(releases.front().event, Offset::any) : builder.whole(event));
    add_work_of(builder);
    return inside;
  }

  LossDistribution on_grid(const Pieces& pieces, double offset) const {
    points_ += std::max(pieces.of_components, static_cast<double>(pieces.pieces.size()));
    pairs_ += pieces.work;
    return discretise(pieces, {purpose_.mesh, offset}, purpose_.side, purpose_.tail * tails_of_rare);
  }

  void add_work_of(const Builder& other) const {
    points_ += other.points();
    pairs_ += other.pairs();
  }

  double rate(const Rate& rate) const {
    return rounded_rate(rate, purpose_.side == Side::upper ? Rounding::up : Rounding::down);
  }

  Adjacency adjacency_;
  Purpose purpose_;
  mutable double points_ = 0;
  mutable double pairs_ = 0;
};

// From above what is dealt into several steps is as many releases of one step each, which repetitions add to.
std::vector<Release> releases_for(const NormalPlan& plan, Pair pair) {
  std::vector<Release> releases;
  for (const Release& release : releases_of(plan.event())) {
    const auto* dealt = std::get_if<RandomlyAllocated>(&release.event);
    if (dealt == nullptr || dealt->steps.times == 1 || pair != Pair::dominating) {
      releases.push_back(release);
      continue;
    }
    for (const Release& block : releases_of(blocks_of(*dealt, plan.adjacency())))
      releases.push_back({block.event, multiplied(release.count, block.count)});
  }
  return releases;
}

}  // namespace

Pieces losses_of(const Event& release, Adjacency adjacency, const Purpose& purpose) {
  heed_interruption();
  return Builder(adjacency, purpose).losses(release);
}

PlanLosses::PlanLosses(const NormalPlan& plan, const Purpose& purpose) {
  const Builder builder(plan.adjacency(), purpose);
  std::vector<Release> releases = releases_for(plan, purpose.pair);
  for (LossDistribution& group : builder.grouped(releases)) releases_.push_back({std::move(group), 1});
  for (const Release& release : releases) {
    heed_interruption();
    releases_.push_back({builder.release(release.event, releases.size()), release.count});
  }
  points_ = builder.points();
  pairs_ = builder.pairs();
}

std::vector<Part> PlanLosses::parts(std::uint64_t count) const {
  std::vector<Part> parts;
  parts.reserve(releases_.size());
  for (const Counted& release : releases_) parts.push_back({&release.distribution, multiplied(release.count, count)});
  return parts;
}

}  // namespace dpbudget::loss_distribution
