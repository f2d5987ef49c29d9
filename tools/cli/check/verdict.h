/// @file
/// Whether a claimed epsilon can be trusted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/tools/cli/check/claim.h"

namespace dpbudget::tools {

enum class Verdict {
  safe_and_tight,  ///< no less than is proven to suffice, and within the slack of what is proven to be spent
  safe_but_loose,  ///< beyond the slack above what is proven to suffice
  safe,            ///< no less than is proven to suffice; how tight it is cannot be told
  undecided,       ///< between what is proven to be spent and what is proven to suffice
  unsafe,          ///< below what data sets are proven to spend
  not_covered,     ///< no theorem covers what is claimed, as under this adjacency
};

constexpr std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::safe_and_tight:
      return "safe_and_tight";
    case Verdict::safe_but_loose:
      return "safe_but_loose";
    case Verdict::safe:
      return "safe";
    case Verdict::undecided:
      return "undecided";
    case Verdict::unsafe:
      return "unsafe";
    case Verdict::not_covered:
      return "not_covered";
  }
  return "";
}

/// Up to which a claim is tight unless another slack is asked for.
inline constexpr double default_slack = 0.01;

/// @param claimed  an epsilon, in [0, inf)
/// @param spent    what the same plan spends at the same delta, its upper end proven
/// @param slack    relative, in [0, inf): up to which a claim is tight
/// @return anything but not_covered
Verdict judge(double claimed, const Bound& spent, double slack);

/// One sentence of what is known, and by how much the claim is off.
std::string sentence(double claimed, const Bound& spent, double slack);

/// What a claim was found to be.
struct Finding {
  Claim claim;
  Verdict verdict;
  Bound spent;                     ///< infinite, with the reason as its note, where nothing is known
  std::string says;                ///< one sentence
  std::vector<std::string> hints;  ///< what an unsafe claim may have meant, and which data sets attain what is spent
};

/// @param slack  as `judge`
Finding checked(const Claim& claim, AccountantName accountant, double tolerance, double slack);

}  // namespace dpbudget::tools
