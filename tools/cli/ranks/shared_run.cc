#include "dpbudget/tools/cli/ranks/shared_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/files/cannot_write.h"
#include "dpbudget/fl/simulate/team.h"
#include "dpbudget/tools/cli/output/exit_status.h"

namespace dpbudget::tools {
namespace {

using nlohmann::json;

constexpr const char* no_more = "no more";
constexpr const char* look_too = "look";

// Messages may name files in no known encoding.
std::string text_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

int status_of(const std::exception& error) {
  return dynamic_cast<const CannotWrite*>(&error) != nullptr ? cannot_write : bad_input;
}

}  // namespace

Leading::~Leading() {
  if (ranks_ != nullptr) ranks_->from_first(no_more);
}

SharedRun::SharedRun(fl::Ranks* ranks, std::uint64_t seed) : ranks_(ranks) {
  if (ranks_ != nullptr) ranks_->from_first(std::to_string(seed));
}

SharedRun::~SharedRun() {
  if (ranks_ != nullptr) fl::dismiss(*ranks_);
}

void have_looked_at(fl::Ranks* ranks) {
  if (ranks != nullptr) ranks->from_first(look_too);
}

void follow(fl::Ranks& ranks, const std::function<SeededRun(std::uint64_t seed)>& seeded,
            const std::function<void()>& look) {
  for (std::string told = ranks.from_first({}); told != no_more; told = ranks.from_first({})) {
    if (told == look_too) {
      look();
      continue;
    }
    std::optional<SeededRun> run;
    std::string failure;
    try {
      run = seeded(std::stoull(told));
    } catch (const std::exception& error) {
      failure = error.what();
    }
    if (run)
      fl::serve(ranks, run->run, *run->clients);
    else
      fl::decline(ranks, failure);
  }
}

int together(fl::Ranks* ranks, const std::function<int()>& work) {
  if (ranks == nullptr) return work();
  json outcome{{"status", inside_budget}, {"failed", ""}};
  std::exception_ptr thrown;
  try {
    outcome["status"] = work();
  } catch (const std::exception& error) {
    thrown = std::current_exception();
    outcome = {{"status", status_of(error)}, {"failed", error.what()}};
  }
  json all = outcome;
  std::set<std::string> said = {outcome.at("failed")};
  const std::vector<std::string> outcomes = ranks->to_first(text_of(outcome));
  for (std::size_t rank = 1; rank < outcomes.size(); ++rank) {
    const json other = json::parse(outcomes[rank]);
    all["status"] = std::max(all.at("status").get<int>(), other.at("status").get<int>());
    const std::string failed = other.at("failed");
    if (said.insert(failed).second && !failed.empty())
      std::cerr << fmt::format("dpbudget: rank {}: {}\n", rank, failed);
  }
  const int status = json::parse(ranks->from_first(text_of(all))).at("status");
  if (thrown && ranks->rank() == 0) std::rethrow_exception(thrown);
  return status;
}

int same_everywhere(fl::Ranks* ranks, const std::string& own, const std::string& what) {
  if (ranks == nullptr) return inside_budget;
  const std::string first = ranks->from_first(own);
  return together(ranks, [&]() -> int {
    if (own == first) return inside_budget;
    throw InvalidArgument(fmt::format("{} are others there", what));
  });
}

}  // namespace dpbudget::tools
