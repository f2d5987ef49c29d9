#include "dpbudget/accounting/renyi/with_replacement.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "dpbudget/accounting/renyi/mixed_curve.h"

namespace dpbudget::renyi {

namespace {

// More copies, if they are as rare, need not be amplified.
constexpr double rare = 1e-12;
constexpr std::uint64_t few = 64;

}  // namespace

CurvePtr with_replacement_curve(const Occurrences& law, const CurvesOfCopies& curves) {
  const double rate = rate_of_record(law, true);
  const std::uint64_t often = std::max(few, exceeded_rarely(law, rare));
  std::vector<MixedTerm> terms;
  for (std::uint64_t copies = law.is_certain() ? law.most() : 1; copies <= law.most(); ++copies)
    terms.push_back(
        {log_probability_of(law, copies), copies <= often ? curves.sampled(copies, rate) : curves.known(copies)});
  return mixed_curve(std::move(terms));
}

}  // namespace dpbudget::renyi
