#include "dpbudget/accounting/loss_distribution/basis.h"

#include <fmt/format.h>

#include <utility>

#include "dpbudget/accounting/loss_distribution/releases/grouped_response.h"
#include "dpbudget/accounting/loss_distribution/releases/release_theorems.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/normal_mixture.h"
#include "dpbudget/accounting/plan/releases.h"
#include "dpbudget/accounting/plan/visit.h"

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
        has_bounded_range_ = has_bounded_range_ || std::holds_alternative<BoundedRange>(leaf.event());
        is_directed_ = is_directed_ || std::holds_alternative<MixtureOfGaussians>(leaf.event());
      },
      [&](const PoissonSampled& e) {
        is_directed_ = is_directed_ || adjacency_ != Adjacency::replace_one;
        gather(*e.inner);
      },
      [&](const SampledWithoutReplacement& e) {
        has_without_replacement_ = true;
        gather(*e.inner);
      },
      [&](const SampledWithReplacement& e) {
        has_replacement_ = true;
        gather(*e.inner);
      },
      [&](const TruncatedPoisson& e) {
        has_truncation_ = is_directed_ = true;
        gather(*e.inner);
      },
      [&](const Participates& e) { gather(*e.inner); }, [&](const Repeated& e) { gather(*e.inner); },
      [&](const Composed& e) {
        for (const Event& part : e.parts) gather(part);
      },
      [&](const Shuffled&) { has_shuffled_ = true; },
      [&](const RandomlyAllocated& e) {
        is_directed_ = true;
        has_repeated_allocation_ = has_repeated_allocation_ || e.steps.times > 1;
        gather(*e.inner);
      },
      [&](const ShuffledBatches& e) {
        has_batches_ = is_directed_ = true;
        gather(*e.inner);
      },
      [&](const Grouped& e) {
        const bool is_attained =
            gaussian_noise(event, Rounding::down) || normal_mixture(event, adjacency_, Rounding::down, 1e-20) ||
            std::holds_alternative<Laplace>(*e.inner) || (has_grouped_responses(e) && is_attained_by_groups(*e.inner));
        has_unattained_group_ = has_unattained_group_ || !is_attained;
        gather(*e.inner);
      },
      [&](const Selected& e) {
        has_selection_ = true;
        gather(*e.inner);
      });
  for (std::string& theorem : theorems_of(event, adjacency_)) theorems_.cite(std::move(theorem));
}

Bound Basis::bound(double lower, double upper, std::uint64_t count) const {
  Theorems theorems = theorems_;
  const bool is_composed = releases_ * static_cast<double>(count) > 1;
  theorems.cite(fmt::format("{}privacy-loss distribution{}, all errors bounded: accounting/loss_distribution/proofs.md",
                            is_composed ? "composition of " : "", is_composed ? "s" : ""));
  Bound result{.lower = lower,
               .upper = upper,
               .guarantee = Guarantee::proven,
               .theorems = theorems.take(),
               .notes = {},
               .accountant = std::string(accountant_)};
  if (has_without_replacement_)
    result.notes.emplace_back(
        std::string("the upper end is that of sampling without replacement's dominating pair, which no data sets "
                    "attain") +
        (has_shuffled_ || !(lower > 0) ? "" : "; the lower end is attained"));
  if (has_replacement_)
    result.notes.emplace_back(
        std::string("the upper end is that of batches drawn with replacement whose times that a record is drawn are "
                    "told, which no data sets attain") +
        (lower > 0 ? "; the lower end is attained where sums with Gaussian noise are released" : ""));
  if (has_truncation_)
    result.notes.emplace_back(
        "the upper end is that of batches that tell whether other records fill them, which no data sets need attain; "
        "the lower end is that of data sets whose other records tell nothing");
  if (has_repeated_allocation_)
    result.notes.emplace_back(
        "the upper end of an allocation into several steps is that of as many into one each, of fewer steps, which no "
        "data sets need attain; the lower end is that of the outputs' sum, or of one step");
  if (has_batches_)
    result.notes.emplace_back(
        "the upper end takes nothing for hidden by shuffling the batches; the lower end is that of data sets that are "
        "neighbours: what a Poisson sample of the same size is said to cost may be less than that");
  if (has_bounded_range_)
    result.notes.emplace_back(
        "the upper end takes a bounded range for pure DP; the lower end is that of responses that have the range");
  if (has_unattained_group_)
    result.notes.emplace_back(
        "the upper end is what guarantees say of a group, which no data sets need attain; the lower end is that of "
        "groups that change one record's part");
  if (has_selection_)
    result.notes.emplace_back(
        "the upper end holds for the worst score at each epsilon; the lower end is that of the score which prefers "
        "outputs that tell more");
  if (has_shuffled_)
    result.notes.emplace_back(
        "the upper end is that of shuffling's dominating pair; the lower end is that of data sets which are "
        "neighbours, where such are known, and else counts shuffled reports as nothing");
  return result;
}

}  // namespace dpbudget::loss_distribution
