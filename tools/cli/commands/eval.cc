#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/eval/functions.h"
#include "dpbudget/tools/cli/output/output_file.h"

namespace dpbudget::tools {
namespace {

struct EvalOptions {
  std::string queries;
  bool list = false;
};

void answer_lines(std::istream& in, const std::string& name) {
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    nlohmann::json query = nlohmann::json::parse(line, nullptr, false);
    if (!query.is_object())
      throw InvalidArgument(fmt::format("line {} of {} is not a JSON object: {}", number, name, line.substr(0, 60)));
    std::cout << evaluate(query).dump() << "\n";
  }
}

void run(const EvalOptions& options) {
  if (options.list) {
    for (const auto& [name, function] : eval_functions()) std::cout << name << "\n";
    return;
  }
  if (options.queries.empty()) throw InvalidArgument("queries is missing: give a file, or - for standard input");
  if (options.queries == "-") {
    answer_lines(std::cin, "standard input");
    return;
  }
  check_output_files({}, {{"queries", options.queries}});
  std::ifstream in(options.queries);
  // A folder opens, but does not read.
  if (!in || std::filesystem::is_directory(options.queries))
    throw InvalidArgument(fmt::format("queries file {} cannot be read", options.queries));
  answer_lines(in, options.queries);
}

}  // namespace

void add_eval(Program& program, int& /*status*/) {
  auto options = std::make_shared<EvalOptions>();
  const Command command = program.add("eval", "reference functions: one JSON line in, one out");
  command.footer(
      "Example:\n"
      "  echo '{\"id\": 1, \"function\": \"renyi.gaussian\", \"inputs\": {\"order\": 2, \"noise_multiplier\": 3}}' |\n"
      "      dpbudget eval -\n"
      "Out: {\"id\", \"value\"}, with \"ln_value\" where the value leaves [1e-290, 1e290], or {\"id\", \"refused\"} "
      "where a precondition fails.");
  const Option queries =
      command.option("queries", options->queries, "a file of JSON lines, or - for standard input").type("FILE");
  command.flag("--list", options->list, "print the names of the functions").excludes(queries);
  command.action([options] { run(*options); });
}

}  // namespace dpbudget::tools
