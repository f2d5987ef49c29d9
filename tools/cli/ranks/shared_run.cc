#include "dpbudget/tools/cli/ranks/shared_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/fl/simulate/team.h"
#include "dpbudget/tools/cli/output/exit_status.h"

namespace dpbudget::tools {
namespace {

constexpr const char* no_more = "no more";

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

void follow(fl::Ranks& ranks, const std::function<SeededRun(std::uint64_t seed)>& seeded) {
  for (std::string told = ranks.from_first({}); told != no_more; told = ranks.from_first({})) {
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
  nlohmann::json outcome{{"status", inside_budget}};
  std::exception_ptr thrown;
  try {
    outcome["status"] = work();
  } catch (const std::exception& error) {
    thrown = std::current_exception();
    outcome = {{"status", bad_input}, {"failed", error.what()}};
  }
  int status = outcome.at("status");
  const std::vector<std::string> outcomes = ranks->to_first(outcome.dump());
  for (std::size_t rank = 1; rank < outcomes.size(); ++rank) {
    const auto other = nlohmann::json::parse(outcomes[rank]);
    status = std::max(status, other.at("status").get<int>());
    if (other.contains("failed"))
      std::cerr << fmt::format("dpbudget: rank {}: {}\n", rank, other.at("failed").get<std::string>());
  }
  if (thrown) std::rethrow_exception(thrown);
  return status;
}

}  // namespace dpbudget::tools
