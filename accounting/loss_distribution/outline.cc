#include "dpbudget/accounting/loss_distribution/outline.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/loss_distribution/pieces/pair.h"
#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"
#include "dpbudget/accounting/loss_distribution/releases/finite.h"
#include "dpbudget/accounting/loss_distribution/releases/release.h"
#include "dpbudget/accounting/loss_distribution/releases/shuffled_responses.h"
#include "dpbudget/accounting/plan/copies.h"
#include "dpbudget/accounting/plan/releases.h"
#include "dpbudget/accounting/plan/truncated.h"
#include "dpbudget/accounting/plan/visit.h"
#include "dpbudget/accounting/shuffle/local.h"

namespace dpbudget::loss_distribution {
namespace {

// Atoms for which a mesh is looked for that nearly all of them are on.
constexpr std::size_t most_atoms = 64;
constexpr double least_of_atom = 1e-3;

// From so many shuffled reports on it takes long to go through their worst data sets.
constexpr std::uint64_t many_reports = 1024;

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

// So many reports that the rarest losses that matter are like those of Gaussian noise.
bool has_normal_tails(const Release& release) {
  const auto* shuffled = std::get_if<Shuffled>(&release.event);
  return std::holds_alternative<Gaussian>(release.event) ||
         (shuffled != nullptr && shuffle::has_pure_reports(*shuffled) && shuffled->reports.value() >= many_reports);
}

class Sketch {
 public:
  Sketch(const NormalPlan& plan, double tail, Pair pair)
      : found(plan.adjacency(), tail), adjacency_(plan.adjacency()), pair_(pair), tail_(tail) {
    found.basis.add(plan.event());
    found.variance = add(plan.event(), 1, false);
    found.has_normal_tails = std::ranges::all_of(releases_of(plan.event()), has_normal_tails);
  }

  Outline found;

 private:
  // Variance of the loss of one release, roughly: enough to choose a first mesh by.
  double add(const Event& event, double count, bool is_nested) {
    const auto* round = std::get_if<Participates>(&event);
    const Event& inside = round != nullptr ? *round->inner : event;
    if (pair_ != Pair::dominating && is_about_pure_reports(inside)) {
      found.lattice.is_all = false;
      return 0;
    }
    const auto pieces = coarse_pieces(inside);
    if (pieces && !is_nested)
      note(inside, *pieces, round != nullptr ? count * round->rate.value() : count, round != nullptr);
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
        [&](const Shuffled& e) {
          return shuffle::has_pure_reports(e) ? 0.0 : add(*e.inner, count, true) / hidden_among(e.reports);
        },
        [&](const RandomlyAllocated& e) {
          const auto times = static_cast<double>(e.steps.times);
          return add(*e.inner, count, true) * times * times / static_cast<double>(e.steps.value());
        },
        [&](const ShuffledBatches& e) { return add(*e.inner, count, true) / hidden_among(e.steps); },
        [&](const Grouped& e) {
          const auto records = static_cast<double>(e.records.value());
          return records * records * add(*e.inner, count, true);
        },
        [&](const Selected& e) {
          const double variance = add(*e.inner, count, true);
          found.range *= 2;
          return 4 * variance;
        });
  }

  // Shuffled reports, sampled or not. What they attain is on no lattice, and takes long to look at.
  static bool is_about_pure_reports(const Event& event) {
    const bool are_several = std::holds_alternative<Repeated>(event) || std::holds_alternative<Composed>(event);
    return !are_several && shuffle::has_pure_shuffle(event);
  }

  // What dominates takes nothing for hidden.
  double hidden_among(const Count& number) const {
    return pair_ == Pair::dominating ? 1 : static_cast<double>(number.value());
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
    if (!has_slow_responses(event)) return finer_pieces(event, pair_, 0x1p10);
    // Where all others are equal reports show nearly as much, at once.
    const double largest = shuffle::randomizer_epsilon(*std::get<Shuffled>(event).inner);
    return finer_pieces(event, Pair::attained_among_equals, largest / 32);
  }

  std::optional<Pieces> finer_pieces(const Event& event, Pair pair, double first_step) const {
    for (double step = first_step;; step /= 32) {
      auto pieces = release_pieces(event, adjacency_, Side::upper, pair, {step, tail_});
      if (!pieces || pieces->pieces.size() >= 64 || std::ranges::all_of(pieces->pieces, is_atom) || step < 1e-300)
        return pieces;
    }
  }

  // Whether the worst data sets of shuffled responses are gone through.
  bool has_responses(const Event& event) const {
    const auto* shuffled = std::get_if<Shuffled>(&event);
    return shuffled != nullptr && shuffle::is_binary_response(*shuffled) &&
           has_shuffled_response_pieces(shuffle::randomizer_epsilon(*shuffled->inner),
                                        static_cast<double>(shuffled->reports.value()), tail_);
  }

  // And that takes long.
  bool has_slow_responses(const Event& event) const {
    return has_responses(event) && std::get<Shuffled>(event).reports.value() >= many_reports;
  }

  // @param has_zero  whether 0 must be on the grid, so that it begins nowhere else
  void note(const Event& event, const Pieces& pieces, double count, bool has_zero) {
    found.has_lattice_of_tail = found.has_lattice_of_tail || has_responses(event);
    if (has_slow_responses(event)) return note_spacing(spacing_of_responses(std::get<Shuffled>(event)), count);
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

  // Of the worst data sets' pair.
  std::optional<double> spacing_of_responses(const Shuffled& event) const {
    return shuffled_response_spacing(shuffle::randomizer_epsilon(*event.inner),
                                     static_cast<double>(event.reports.value()), tail_);
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

Outline outline(const NormalPlan& plan, double tail) {
  Outline found = Sketch(plan, tail, Pair::dominating).found;
  found.attained_lattice = found.lattice;
  if (!found.basis.is_unattained()) return found;
  const Outline attained = Sketch(plan, tail, Pair::attained).found;
  found.attained_lattice = attained.lattice;
  if (!shuffle::has_pure_shuffle(plan.event())) found.attained_variance = attained.variance;
  return found;
}

}  // namespace dpbudget::loss_distribution
