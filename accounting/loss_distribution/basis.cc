#include "dpbudget/accounting/loss_distribution/basis.h"

#include <fmt/format.h>

#include <utility>

#include "dpbudget/accounting/loss_distribution/releases/grouped_response.h"
#include "dpbudget/accounting/loss_distribution/releases/release_theorems.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/normal_mixture.h"
#include "dpbudget/accounting/plan/releases.h"
#include "dpbudget/accounting/plan/visit.h"
#include "dpbudget/accounting/shuffle/local.h"

namespace dpbudget::loss_distribution {

void Basis::add(const Event& event, std::uint64_t count) {
  Basis more = *this;
  more.gather(event);
  more.releases_ += static_cast<double>(count) * number_of_releases(event);
  *this = std::move(more);
}

void Basis::gather(const Event& event) {
  require_theorem(event, adjacency_, accountant_);
  match_node(
      event,
      [&](const Leaf& leaf) {
        if (std::holds_alternative<BoundedRange>(leaf.event())) unattained_.insert(Unattained::bounded_range);
        is_directed_ = is_directed_ || std::holds_alternative<MixtureOfGaussians>(leaf.event());
      },
      [&](const PoissonSampled& e) {
        is_directed_ = is_directed_ || adjacency_ != Adjacency::replace_one;
        gather(*e.inner);
      },
      [&](const SampledWithoutReplacement& e) {
        unattained_.insert(Unattained::without_replacement);
        gather(*e.inner);
      },
      [&](const SampledWithReplacement& e) {
        unattained_.insert(Unattained::replacement);
        gather(*e.inner);
      },
      [&](const TruncatedPoisson& e) {
        unattained_.insert(Unattained::truncation);
        is_directed_ = true;
        gather(*e.inner);
      },
      [&](const Participates& e) { gather(*e.inner); }, [&](const Repeated& e) { gather(*e.inner); },
      [&](const Composed& e) {
        for (const Event& part : e.parts) gather(part);
      },
      [&](const Shuffled& e) {
        if (shuffle::has_pure_reports(e)) {
          unattained_.insert(Unattained::shuffle);
          return;
        }
        unattained_.insert(Unattained::reports);
        gather(*e.inner);
      },
      [&](const RandomlyAllocated& e) {
        is_directed_ = true;
        if (e.steps.times > 1) unattained_.insert(Unattained::repeated_allocation);
        gather(*e.inner);
      },
      [&](const ShuffledBatches& e) {
        unattained_.insert(Unattained::batches);
        is_directed_ = true;
        gather(*e.inner);
      },
      [&](const Grouped& e) {
        const bool is_attained =
            gaussian_noise(event, Rounding::down) || normal_mixture(event, adjacency_, Rounding::down, 1e-20) ||
            std::holds_alternative<Laplace>(*e.inner) || (has_grouped_responses(e) && is_attained_by_groups(*e.inner));
        if (!is_attained) unattained_.insert(Unattained::group);
        gather(*e.inner);
      },
      [&](const Selected& e) {
        unattained_.insert(Unattained::selection);
        gather(*e.inner);
      });
  for (std::string& theorem : theorems_of(event, adjacency_)) theorems_.cite(std::move(theorem));
}

// What the two ends are.
std::string Basis::note_of(Unattained kind, bool has_lower, bool is_of_game) const {
  switch (kind) {
    case Unattained::without_replacement:
      if (is_of_game)
        return "the upper end is that of a game of rounds on clipped batches of fixed size, which tells more than data "
               "sets need attain; the lower end is attained";
      return std::string(
                 "the upper end is that of sampling without replacement's dominating pair, which no data sets "
                 "attain") +
             (unattained_.contains(Unattained::shuffle) || !has_lower ? "" : "; the lower end is attained");
    case Unattained::replacement:
      return std::string(
                 "the upper end is that of batches drawn with replacement whose times that a record is drawn are "
                 "told, which no data sets attain") +
             (has_lower ? "; the lower end is attained where sums with Gaussian noise are released" : "");
    case Unattained::truncation:
      return "the upper end is that of batches that tell whether other records fill them, which no data sets need "
             "attain; the lower end is that of data sets whose other records tell nothing";
    case Unattained::repeated_allocation:
      return "the upper end of an allocation into several steps is that of as many into one each, of fewer steps, "
             "which no data sets need attain; the lower end is that of the outputs' sum, or of one step";
    case Unattained::batches:
      return "the upper end takes nothing for hidden by shuffling the batches; the lower end is that of data sets that "
             "are neighbours: what a Poisson sample of the same size is said to cost may be less than that";
    case Unattained::bounded_range:
      return "the upper end takes a bounded range for pure DP; the lower end is that of responses that have the range";
    case Unattained::group:
      return "the upper end is what guarantees say of a group, which no data sets need attain; the lower end is that "
             "of groups that change one record's part";
    case Unattained::selection:
      return "the upper end holds for the worst score at each epsilon; the lower end is that of the score which "
             "prefers outputs that tell more";
    case Unattained::shuffle:
      return "the upper end is that of shuffling's dominating pair; the lower end is that of data sets which are "
             "neighbours, where such are known, and else counts shuffled reports as nothing";
    case Unattained::reports:
      return "the upper end takes nothing for hidden by shuffling reports that are not epsilon-DP; the lower end is "
             "that of data sets where all others hold the same, and shuffling may hide as much as that";
  }
  return {};
}

Bound Basis::bound(double lower, double upper, std::uint64_t count, bool is_of_game) const {
  Theorems theorems = theorems_;
  const bool is_composed = releases_ * static_cast<double>(count) > 1;
  if (is_of_game)
    theorems.cite(
        "rounds on batches of fixed size, the released sums' contributions in a ball whose diameter is the "
        "sensitivity: accounting/loss_distribution/proofs.md, 4k.8");
  theorems.cite(fmt::format("{}privacy-loss distribution{}, all errors bounded: accounting/loss_distribution/proofs.md",
                            is_composed ? "composition of " : "", is_composed ? "s" : ""));
  Bound result{.lower = lower,
               .upper = upper,
               .guarantee = Guarantee::proven,
               .theorems = theorems.take(),
               .notes = {},
               .accountant = std::string(accountant_)};
  for (const Unattained kind : unattained_) result.notes.push_back(note_of(kind, lower > 0, is_of_game));
  return result;
}

}  // namespace dpbudget::loss_distribution
