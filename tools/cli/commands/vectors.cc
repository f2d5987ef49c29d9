#include "dpbudget/tools/cli/eval/vectors.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "dpbudget/tools/cli/commands/commands.h"

namespace dpbudget::tools {
namespace {

struct VectorsOptions {
  std::string function;
  bool schema = false;
};

void run(const VectorsOptions& options) {
  if (options.schema) {
    std::cout << vectors_schema();
    return;
  }
  for (const std::string_view line : options.function.empty() ? vector_lines() : vectors_of(options.function))
    std::cout << line << "\n";
}

}  // namespace

void add_vectors(Program& program, int& /*status*/) {
  auto options = std::make_shared<VectorsOptions>();
  const Command command = program.add("vectors", "reference vectors of the functions of eval, to 25 digits");
  if (!command.is_named()) return;
  const nlohmann::json& head = vectors_head();
  command.footer(fmt::format(
      "{} vectors of {} functions over their domains, extremes included, computed from the functions' statements in "
      "ball "
      "arithmetic by a program that shares no code with this one. Out: a line that says what follows, with the "
      "functions "
      "whose value no statement fixes; then {{\"id\", \"function\", \"inputs\", \"value\"}} a line, with \"ln_value\" "
      "in "
      "the place of \"value\" where a value leaves [1e-290, 1e290]. Numbers of inputs are IEEE doubles, taken exactly; "
      "values are texts.\n"
      "Examples:\n"
      "  dpbudget vectors --function renyi.gaussian\n"
      "  dpbudget vectors | tail -n +2 | dpbudget eval -",
      head["vectors"].get<int>(), head["functions"].get<int>()));
  Option function =
      command.option("--function", options->function, "those of one function, by its name in eval --list");
  command.flag("--schema", options->schema, "print the JSON schema of a line").excludes(function);
  command.action([options] { run(*options); });
}

}  // namespace dpbudget::tools
