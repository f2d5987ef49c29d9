#include "dpbudget/tools/cli/check/claim_option.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/tools/cli/check/verdict.h"
#include "dpbudget/tools/cli/output/table.h"

namespace dpbudget::tools {
namespace {

// Below nothing is an estimate proven to lie: then its lower end alone counts.
Bound proven_part(Bound found) {
  if (found.guarantee == Guarantee::estimate) found.upper = std::numeric_limits<double>::infinity();
  return found;
}

}  // namespace

void claim_option(const Command& command, std::optional<double>& claim, const std::string& of) {
  const auto read = [&claim](const std::string& text) {
    claim = read_number("--claim", text);
    require(0 <= *claim && std::isfinite(*claim), "--claim", text, "at least 0 and finite");
  };
  command.option("--claim", read, fmt::format("somebody's {} for the same: exit status 1 where it is unsafe", of))
      .type("NUMBER");
}

std::string claim_text(double claim, const Bound& found) {
  const Bound proven = proven_part(found);
  return fmt::format("{}: {}", name_of(judge(claim, proven, default_slack)), sentence(claim, proven, default_slack));
}

std::string verdict_line(const std::optional<double>& claim, const Bound& found) {
  return claim ? field("claim", claim_text(*claim, found)) : "";
}

nlohmann::json verdict_json(double claim, const Bound& found) {
  const Bound proven = proven_part(found);
  return {{"claimed", claim},
          {"verdict", name_of(judge(claim, proven, default_slack))},
          {"says", sentence(claim, proven, default_slack)}};
}

bool is_unsafe(const std::optional<double>& claim, const Bound& found) { return claim && *claim < found.lower; }

}  // namespace dpbudget::tools
