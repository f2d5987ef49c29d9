#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/plan/told_response.h"
#include "dpbudget/mechanisms/frequency_utility.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/options/options.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/table.h"
#include "dpbudget/tools/cli/page/page.h"

namespace dpbudget::tools {
namespace {

struct FrequencyOptions {
  std::uint64_t users = 0;
  std::uint64_t categories = 0;
  double epsilon = 0;
  double delta = 0;
  double frequency = 0;
  AccountantChoice accountant;
  bool json = false;
};

struct Oracle {
  Event local;
  double variance;
  Bound own;       // of one report
  Bound shuffled;  // of all reports
};

constexpr std::string_view utility_theorem = "variance: Wang, Blocki, Li, Jha 2017, Theorem 2";
constexpr std::string_view local_note =
    "a report's own epsilon holds against the collector, with delta 0; the shuffled one against whoever sees the "
    "reports in random order, and not their authors";

std::vector<Oracle> oracles_of(const FrequencyOptions& options) {
  require(1 <= options.users && options.users <= ranges::max_count, "users", options.users, "an integer in [1, 2^53]");
  ranges::delta(options.delta);
  mechanisms::require_local_epsilon(options.epsilon);
  mechanisms::require_few_categories(options.categories);
  require(options.epsilon > 0, "epsilon", options.epsilon, "positive: else reports tell nothing");
  require(0 <= options.frequency && options.frequency <= 1, "frequency", options.frequency, "in [0, 1]");
  const double e = options.epsilon;
  const std::uint64_t k = options.categories;
  std::vector<Oracle> oracles;
  for (Event& local : std::vector<Event>{RandomizedResponse{e, k}, SubsetSelection{e, k, best_subset_size(k, e)},
                                         Rappor{e, k}, UnaryEncoding{e, k}, HadamardResponse{e, k}}) {
    const auto spent = [&](Event event, double delta) {
      return options.accountant.of({std::move(event), Adjacency::replace_one})->epsilon(1, delta).value();
    };
    const double variance =
        mechanisms::frequency_variance(*mechanisms::support_of(local), options.users, options.frequency);
    oracles.push_back({local, variance, spent(local, 0), spent(Shuffled{options.users, Inner(local)}, options.delta)});
  }
  return oracles;
}

nlohmann::json json_of(const Oracle& oracle) {
  return {{"local", dpbudget::to_json(Plan{oracle.local, Adjacency::replace_one})},
          {"variance", json_number(oracle.variance)},
          {"local_epsilon", to_json(oracle.own)},
          {"shuffled_epsilon", to_json(oracle.shuffled)}};
}

void run(const FrequencyOptions& options, Page& page) {
  const std::vector<Oracle> oracles = oracles_of(options);
  const std::string asked =
      fmt::format("{} users, each of whom holds one of {} values", grouped(options.users), grouped(options.categories));
  const std::string item = options.frequency == 0 ? std::string("an item that nobody holds")
                                                  : fmt::format("an item that a share of {} holds", options.frequency);
  std::vector<Row> rows{
      {"each user reports", "standard error", "variance", "local epsilon", "shuffled at most", "at least"}};
  nlohmann::json json = nlohmann::json::array();
  page.answer("data", asked);
  page.answer("delta", fmt::format("{}", options.delta));
  for (const Oracle& oracle : oracles) {
    const auto [most, least] = texts_of(oracle.shuffled);
    rows.push_back({to_text(oracle.local), fmt::format("{:.6g}", std::sqrt(oracle.variance)),
                    fmt::format("{:.6g}", oracle.variance), texts_of(oracle.own).most, most, least});
    json.push_back(json_of(oracle));
    page.assume(Plan{Shuffled{options.users, Inner(oracle.local)}, Adjacency::replace_one});
    page.rest_on(oracle.shuffled);
  }
  page.note(local_note);
  page.table("The frequency of " + item, rows);
  if (options.json) {
    std::cout << nlohmann::json{{"users", options.users},
                                {"categories", options.categories},
                                {"frequency", options.frequency},
                                {"delta", options.delta},
                                {"oracles", json}}
              << "\n";
    return;
  }
  std::cout << field("data", asked) << field("estimated", "the frequency of " + item)
            << field("delta", fmt::format("{}, of the shuffled reports; replace_one", options.delta)) << "\n"
            << table(rows, {1, 2}) << "\n"
            << field("by", utility_theorem);
  std::vector<std::string> said;
  for (const Oracle& oracle : oracles)
    for (const std::string& theorem : oracle.shuffled.theorems)
      if (std::ranges::find(said, theorem) == said.end()) {
        said.push_back(theorem);
        std::cout << field("", theorem);
      }
  std::cout << field("note", local_note);
}

}  // namespace

void add_frequency(Program& program, int& /*status*/) {
  auto options = std::make_shared<FrequencyOptions>();
  const Command command =
      program.add("frequency", "how well frequency oracles estimate, and what they cost, each and shuffled");
  if (!command.is_named()) return;
  command.footer(
      "For randomised response, subset selection, basic RAPPOR, optimised unary encoding and Hadamard response, all "
      "of\n"
      "one local epsilon: the variance of the unbiased estimate of an item's frequency, over the randomness of the\n"
      "reports, and a bracket around the epsilon of all reports in random order.\n"
      "Example:\n  dpbudget frequency --users 100000 --categories 64 --epsilon 1 --delta 1e-6");
  count_option(command, "--users", options->users, "who report once each, in [1, 2^53]").required();
  count_option(command, "--categories", options->categories, "values that a user may hold, in [2, 2^32)").required();
  number_option(command, "--epsilon", options->epsilon, "of each report, in (0, 700]").required();
  number_option(command, "--delta", options->delta, "of all reports shuffled, in (0, 1)").required();
  number_option(command, "--frequency", options->frequency, "share of the users who hold the item, in [0, 1]");
  options->accountant.add_to(command);
  command.flag("--json", options->json, "print one JSON object");
  command.action([options, &page = program.page()] { run(*options, page); });
}

}  // namespace dpbudget::tools
