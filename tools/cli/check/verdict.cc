#include "dpbudget/tools/cli/check/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/renyi/conversion.h"
#include "dpbudget/tools/cli/check/attained.h"
#include "dpbudget/tools/cli/output/bound_output.h"

namespace dpbudget::tools {
namespace {

// "about 12.3 % more": of how much `larger` is above `smaller`.
std::string excess(double larger, double smaller) {
  if (!(smaller > 0)) return fmt::format("about {:.3g} more", larger);
  const double ratio = larger / smaller;
  return ratio < 10 ? fmt::format("about {:.3g} % more", 100 * (ratio - 1))
                    : fmt::format("about {:.3g} times as much", ratio);
}

Answer<Bound> spent_by(const Plan& plan, double delta, AccountantName name, double tolerance) {
  auto accountant = make_accountant(name, plan, tolerance);
  if (!accountant) return accountant.error();
  Answer<Bound> found = (*accountant)->epsilon(1, delta);
  if (found && found->guarantee != Guarantee::proven)
    return Refusal{std::string(to_string(name)), "gives an estimate, which proves nothing of a claim"};
  return found;
}

// A table bounds what is spent from above alone.
Bound implied_by(const RenyiTable& table, double delta) {
  Bound bound{0, std::numeric_limits<double>::infinity(), Guarantee::proven, {}, {}, {}};
  for (const auto& [order, epsilon] : table) {
    const double converted = renyi::to_epsilon_canonne(order, epsilon, delta);
    if (!(converted < bound.upper)) continue;
    bound.upper = converted;
    bound.theorems = {fmt::format("conversion at order {}: Canonne, Kamath, Steinke 2020, Proposition 12", order)};
  }
  bound.notes = {"as far as the table is right, which is not checked"};
  return bound;
}

// The adjacencies under which the claim would be no less than what is spent, and close to it; where there is no answer
// under the plan's own, what all others say.
std::vector<std::string> meant(const Claim& claim, const Plan& plan, AccountantName name, double tolerance,
                               double slack, bool is_covered) {
  std::vector<std::string> hints;
  for (const Adjacency other : all_adjacencies) {
    if (other == plan.adjacency) continue;
    const Answer<Bound> spent = spent_by({plan.event, other}, claim.delta, name, tolerance);
    if (spent && judge(claim.epsilon, *spent, slack) == Verdict::safe_and_tight)
      hints.push_back(fmt::format("it is what the same plan spends under {}", to_string(other)));
    else if (spent && !is_covered)
      hints.push_back(fmt::format("under {} it spends {}", to_string(other), bracket_text(*spent)));
  }
  return hints;
}

}  // namespace

Verdict judge(double claimed, const Bound& spent, double slack) {
  if (claimed < spent.lower) return Verdict::unsafe;
  if (!(spent.upper <= claimed)) return Verdict::undecided;
  if (claimed <= (1 + slack) * spent.lower || claimed == 0) return Verdict::safe_and_tight;
  return (1 + slack) * spent.upper < claimed ? Verdict::safe_but_loose : Verdict::safe;
}

std::string sentence(double claimed, const Bound& spent, double slack) {
  const BoundText text = texts_of(spent);
  const std::string least = text.least.empty() ? "0" : text.least;
  switch (judge(claimed, spent, slack)) {
    case Verdict::safe_and_tight:
      return fmt::format("{} is claimed; at least {} and at most {} is spent", claimed, least, text.most);
    case Verdict::safe_but_loose:
      return fmt::format("{} is claimed, where {} suffices: {}", claimed, text.most, excess(claimed, spent.upper));
    case Verdict::safe:
      return fmt::format("{} is claimed, and {} suffices", claimed, text.most);
    case Verdict::undecided:
      return fmt::format("{} is claimed; at least {} is spent, and only {} is proven to suffice", claimed, least,
                         text.most);
    case Verdict::unsafe:
      return fmt::format("{} is claimed, but at least {} is spent, {}", claimed, least, excess(spent.lower, claimed));
    case Verdict::not_covered:
      break;
  }
  return "";
}

Finding checked(const Claim& claim, AccountantName accountant, double tolerance, double slack) {
  if (const auto* table = std::get_if<RenyiTable>(&claim.of)) {
    const Bound spent = implied_by(*table, claim.delta);
    return {claim, judge(claim.epsilon, spent, slack), spent, sentence(claim.epsilon, spent, slack), {}};
  }
  const Plan& plan = std::get<Plan>(claim.of);
  const Answer<Bound> spent = spent_by(plan, claim.delta, accountant, tolerance);
  if (!spent)
    return {claim, Verdict::not_covered, no_bound(spent.error()), spent.error().text(),
            meant(claim, plan, accountant, tolerance, slack, false)};
  Finding finding{claim, judge(claim.epsilon, *spent, slack), *spent, sentence(claim.epsilon, *spent, slack), {}};
  if (finding.verdict == Verdict::unsafe) {
    finding.hints = meant(claim, plan, accountant, tolerance, slack, true);
    finding.hints.push_back("attained where " + attaining_neighbours(plan));
  }
  return finding;
}

}  // namespace dpbudget::tools
