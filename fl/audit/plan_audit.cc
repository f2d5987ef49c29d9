#include "dpbudget/fl/audit/plan_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/plan/plan_text.h"
#include "dpbudget/fl/audit/law.h"

namespace dpbudget::fl {
namespace {

using mechanisms::Purpose;
using mechanisms::Stream;

// Pilot runs and the others have streams of their own.
std::vector<Scored> scores_of(const Law& law, const AuditRequest& request, bool is_pilot) {
  std::vector<Scored> scores;
  const std::uint64_t runs = is_pilot ? request.pilot_runs() : request.runs;
  scores.reserve(runs * request.canaries);
  for (std::uint64_t run = 0; run < runs; ++run)
    for (std::uint64_t canary = 0; canary < request.canaries; ++canary) {
      Stream stream({request.seed, Purpose::local_randomness, run, canary, is_pilot ? 0U : 1U});
      const bool is_in = stream.below(2) == 1;
      scores.push_back({law.draw(is_in, stream), is_in});
    }
  return scores;
}

// All that is drawn, pilot runs included.
double numbers_drawn(const Law& law, double runs, double canaries) { return 1.25 * runs * canaries * (1 + law.cost); }

}  // namespace

Attacked audit(const Plan& plan, const AuditRequest& request) {
  check(request);
  constexpr double most = 2e10;
  const Law law = law_of(plan);
  const double numbers = numbers_drawn(law, static_cast<double>(request.runs), static_cast<double>(request.canaries));
  require(1 + law.cost <= most / 2, "plan", shortened_text(plan.event),
          fmt::format("one whose output takes fewer numbers to draw than about {:.2g}", law.cost));
  require(
      numbers <= most, "runs", request.runs,
      fmt::format("fewer: with the canaries of each they draw about {:.2g} numbers, and 2e10 are the most", numbers));
  const Strategy strategy = chosen_strategy(scores_of(law, request, true), request, true);
  return attacked(strategy, scores_of(law, request, false), request);
}

std::uint64_t usual_canaries(const Plan& plan, std::uint64_t runs) {
  constexpr double few_seconds = 2e8;
  constexpr double fewest = 100;
  constexpr auto most = static_cast<double>(most_usual_canaries);
  const double all_runs = std::max(1.0, static_cast<double>(runs));
  const double quick = std::clamp(few_seconds / numbers_drawn(law_of(plan), all_runs, 1), fewest, most);
  const double allowed = static_cast<double>(most_trials) / all_runs;
  return to_integer<std::uint64_t>(std::floor(std::clamp(allowed, 1.0, quick)), "canaries");
}

}  // namespace dpbudget::fl
