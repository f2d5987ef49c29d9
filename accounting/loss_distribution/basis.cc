#include "dpbudget/accounting/loss_distribution/basis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "dpbudget/accounting/loss_distribution/releases/release.h"

namespace dpbudget::loss_distribution {

void Basis::add(const Event& event) {
  Basis more = *this;
  more.gather(event);
  *this = std::move(more);
}

void Basis::gather(const Event& event) {
  require_theorem(event, adjacency_);
  match_node(
      event, [](const Leaf&) {},
      [&](const PoissonSampled& e) {
        has_poisson_ = true;
        gather(*e.inner);
      },
      [&](const SampledWithoutReplacement& e) {
        has_without_replacement_ = true;
        gather(*e.inner);
      },
      [&](const Participates& e) { gather(*e.inner); }, [&](const Repeated& e) { gather(*e.inner); },
      [&](const Composed& e) {
        for (const Event& part : e.parts) gather(part);
      },
      [&](const Shuffled&) { has_shuffled_ = true; });
  if (std::string theorem = theorem_of(event); !theorem.empty()) theorems_.cite(std::move(theorem));
}

Bound Basis::bound(double lower, double upper) const {
  Theorems theorems = theorems_;
  theorems.cite(
      "composition of privacy-loss distributions, all errors bounded: accounting/loss_distribution/proofs.md");
  Bound result{.lower = lower,
               .upper = upper,
               .guarantee = Guarantee::proven,
               .theorem = fmt::format("{}", fmt::join(theorems.take(), "; ")),
               .notes = {},
               .accountant = "loss_distribution"};
  if (has_without_replacement_)
    result.notes.emplace_back(
        std::string("the upper end is that of sampling without replacement's dominating pair, which no data sets "
                    "attain") +
        (has_shuffled_ ? "" : "; the lower end is attained"));
  if (has_shuffled_)
    result.notes.emplace_back(
        "the upper end is that of shuffling's dominating pair; the lower end is that of data sets which are "
        "neighbours, where such are known, and else counts shuffled reports as nothing");
  return result;
}

}  // namespace dpbudget::loss_distribution
