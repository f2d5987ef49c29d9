#include "dpbudget/accounting/solve/most_reports.h"

#include <algorithm>

#include "dpbudget/accounting/plan/ranges.h"

namespace dpbudget::solve {
namespace {

// Where `drawn` records are there to report on.
std::uint64_t most_reports_of(const Event& event, std::uint64_t drawn) {
  std::uint64_t most = ranges::max_count;
  const auto inside = [&](const auto& e) { most = most_reports_of(*e.inner, drawn); };
  match(
      event,
      [&](const Shuffled& e) {
        if (e.reports.is_unknown()) most = drawn / e.records;
      },
      [&](const SampledWithoutReplacement& e) {
        const auto* fraction = std::get_if<Rate::Fraction>(&e.rate.form);
        most = most_reports_of(*e.inner, fraction != nullptr ? std::min(drawn, fraction->drawn) : drawn);
      },
      [&](const PoissonSampled& e) { inside(e); }, [&](const Participates& e) { inside(e); },
      [&](const Repeated& e) { inside(e); },
      [&](const Composed& e) {
        for (const Event& part : e.parts) most = std::min(most, most_reports_of(part, drawn));
      },
      [](const auto&) {});
  return most;
}

}  // namespace

std::uint64_t most_reports(const Event& event) { return most_reports_of(event, ranges::max_count); }

}  // namespace dpbudget::solve
