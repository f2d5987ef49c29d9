#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/eval/description.h"
#include "dpbudget/tools/cli/eval/functions.h"
#include "dpbudget/tools/cli/output/output_file.h"

namespace dpbudget::tools {
namespace {

struct EvalOptions {
  std::string queries;
  bool list = false;
  bool json = false;
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

bool is_function(const std::string& name) { return eval_functions().contains(name); }

void run(const EvalOptions& options) {
  if (options.list) {
    if (options.json)
      std::cout << functions_json() << "\n";
    else
      std::cout << functions_text();
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
    throw InvalidArgument(fmt::format("queries file {} cannot be read{}", options.queries,
                                      is_function(options.queries) ? "; --help describes the function" : ""));
  answer_lines(in, options.queries);
}

// Of the function that stands in the place of queries, if one does.
std::string help_of_function(const std::string& name) {
  return name.empty() ? "" : function_text(name, eval_function(name));
}

}  // namespace

void add_eval(Program& program, int& /*status*/) {
  auto options = std::make_shared<EvalOptions>();
  const Command command = program.add("eval", "reference functions: one JSON line in, one out");
  if (!command.is_named()) return;
  command.footer(
      "Examples:\n"
      "  echo '{\"id\": 1, \"function\": \"renyi.gaussian\", \"inputs\": {\"order\": 2, \"noise_multiplier\": 3}}' |\n"
      "      dpbudget eval -\n"
      "  dpbudget eval renyi.gaussian --help\n"
      "  dpbudget eval --list\n"
      "Out: {\"id\", \"value\", \"version\"}, with \"ln_value\" where the value leaves [1e-290, 1e290], or {\"id\", "
      "\"refused\", \"version\"} where a precondition fails. --help after a function's name says what it computes, its "
      "parameters with their ranges, its source and what its value is worth, with an example.");
  const Option queries =
      command.option("queries", options->queries, "a file of JSON lines, or - for standard input").type("FILE");
  Option list = command.flag("--list", options->list, "print the functions: parameters, what each is, its source");
  list.excludes(queries);
  command.flag("--json", options->json, "print the list as JSON, with all that --help says of each").needs(list);
  command.help_instead([options] { return help_of_function(options->queries); });
  command.action([options] { run(*options); });
}

}  // namespace dpbudget::tools
