#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/fl/files/cannot_write.h"
#include "dpbudget/fl/files/replace_file.h"
#include "dpbudget/fl/ledger/lines.h"
#include "dpbudget/tools/cli/check/junit.h"
#include "dpbudget/tools/cli/check/verdict.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/options/options.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/output_file.h"
#include "dpbudget/tools/cli/output/table.h"
#include "dpbudget/tools/cli/page/page.h"

namespace dpbudget::tools {
namespace {

struct CheckOptions {
  std::string claims;
  AccountantChoice accountant;
  double slack = default_slack;
  std::string junit;
  bool json = false;
};

std::vector<Claim> claims_in(std::istream& in, const std::string& name, const std::string& folder) {
  std::vector<Claim> claims;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      claims.push_back(claim_from(fl::parsed_line(line), fmt::format("line {}", number), folder));
    } catch (const InvalidArgument& error) {
      const std::string_view why = error.what();  // of a plan: its text and a caret follow
      throw InvalidArgument(fmt::format("line {} of {}: {}", number, name, why.substr(0, why.find('\n'))));
    }
  }
  if (claims.empty()) throw InvalidArgument(fmt::format("claims in {} are none, but must be at least one", name));
  return claims;
}

std::vector<Claim> read_claims(const CheckOptions& options) {
  if (options.claims == "-") return claims_in(std::cin, "standard input", ".");
  std::ifstream in(options.claims);
  // A folder opens, but does not read.
  if (!in || std::filesystem::is_directory(options.claims))
    throw InvalidArgument(fmt::format("claims file {} cannot be read", options.claims));
  return claims_in(in, options.claims, std::filesystem::path(options.claims).parent_path().string());
}

nlohmann::ordered_json finding_json(const Finding& finding) {
  nlohmann::ordered_json json = {{"claim", finding.claim.name},
                                 {"verdict", name_of(finding.verdict)},
                                 {"claimed", {{"epsilon", finding.claim.epsilon}, {"delta", finding.claim.delta}}},
                                 {"spent", to_json(finding.spent)},
                                 {"says", finding.says},
                                 {"hints", finding.hints}};
  if (const auto* plan = std::get_if<Plan>(&finding.claim.of)) json["plan"] = to_json(*plan);
  return json;
}

std::string finding_text(const Finding& finding) {
  std::string text = field("claim", finding.claim.name);
  if (const auto* plan = std::get_if<Plan>(&finding.claim.of)) text += plan_lines(*plan);
  text += field("delta", fmt::format("{}", finding.claim.delta));
  text += field("verdict", fmt::format("{}: {}", name_of(finding.verdict), finding.says));
  for (const std::string& hint : finding.hints) text += field("", hint);
  return text + (finding.verdict == Verdict::not_covered ? "" : reason_lines(finding.spent));
}

std::vector<Row> findings_rows(const std::vector<Finding>& findings) {
  std::vector<Row> rows = {{"claim", "epsilon claimed", "spent at least", "at most", "verdict"}};
  for (const Finding& finding : findings) {
    const bool is_known = finding.verdict != Verdict::not_covered;
    const BoundText spent = texts_of(finding.spent);
    rows.push_back({finding.claim.name, fmt::format("{}", finding.claim.epsilon),
                    spent.least.empty() ? "-" : spent.least, is_known ? spent.most : "-",
                    std::string(name_of(finding.verdict))});
  }
  return rows;
}

int run(const CheckOptions& options, Page& page) {
  require(0 <= options.slack && std::isfinite(options.slack), "--slack", options.slack, "in [0, inf)");
  check_output_files({{"--junit", options.junit}}, {{"claims", options.claims == "-" ? "" : options.claims}});
  const std::vector<Claim> claims = read_claims(options);
  std::vector<Finding> findings;
  for (const Claim& claim : claims)
    findings.push_back(checked(claim, options.accountant.name, options.accountant.tolerance, options.slack));
  page.table("Claims", findings_rows(findings));
  for (const Finding& finding : findings) {
    page.answer(finding.claim.name, fmt::format("{}: {}", name_of(finding.verdict), finding.says));
    page.rest_on(finding.spent);
    if (const auto* plan = std::get_if<Plan>(&finding.claim.of)) page.assume(*plan);
  }
  if (options.json) {
    for (const Finding& finding : findings) std::cout << finding_json(finding) << "\n";
  } else {
    for (const Finding& finding : findings) std::cout << finding_text(finding) << "\n";
    std::cout << table(findings_rows(findings), {1, 2, 3});
  }
  if (!options.junit.empty() &&
      !replace_file(options.junit, {junit(findings, options.claims == "-" ? "claims" : options.claims)}))
    throw CannotWrite(fmt::format("--junit {} cannot be written", options.junit));
  return std::ranges::count(findings, Verdict::unsafe, &Finding::verdict) > 0 ? over_budget : inside_budget;
}

}  // namespace

void add_check(Program& program, int& status) {
  auto options = std::make_shared<CheckOptions>();
  const Command command = program.add("check", "whether others' epsilons are safe, and how tight: one claim a line");
  if (!command.is_named()) return;
  command.footer(
      "Example:\n"
      "  echo '{\"claim\": \"ours\", \"plan\": \"14063 x poisson(256 of 60000, gaussian(1.1))\", \"epsilon\": 2.38,\n"
      "         \"delta\": 1e-5}' | tr -d '\\n' | dpbudget check -\n"
      "In the place of \"plan\": \"opacus\", the history of an accountant; \"dp_event\", the members of "
      "dp_accounting's\n"
      "to_named_tuple(); \"rounds\", a CSV file with noise, rate and count; \"renyi\", [order, epsilon] each.\n"
      "Exit status 1 if any claim is unsafe: below what two neighbouring data sets are proven to spend.");
  command.option("claims", options->claims, "a file of JSON lines, or - for standard input").type("FILE").required();
  options->accountant.add_to(command);
  number_option(command, "--slack", options->slack, "how far above what is spent a claim is still tight, relative");
  command.option("--junit", options->junit, "write a test case for each claim to this file").type("FILE");
  command.flag("--json", options->json, "print one JSON object a claim");
  command.action([options, &status, &page = program.page()] { status = run(*options, page); });
}

}  // namespace dpbudget::tools
