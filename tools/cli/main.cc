/// @file
/// The command line.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/simulate/runner.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/options/help.h"
#include "dpbudget/tools/cli/options/run_options.h"
#include "dpbudget/version.h"

namespace {

// CLI11 would say that a command is missing, and not which word it does not know.
void refuse_unknown_command(const CLI::App& program, std::string_view word) {
  std::vector<std::string> known;
  for (const CLI::App* command : program.get_subcommands({})) known.push_back(command->get_name());
  if (word.starts_with('-') || std::ranges::find(known, word) != known.end()) return;
  throw dpbudget::InvalidArgument(
      fmt::format("there is no command `{}`; the nearest is `{}`", word, dpbudget::tools::nearest(word, known)));
}

void add_commands(CLI::App& program, int& status) {
  using namespace dpbudget::tools;
  add_epsilon(program, status);
  add_delta(program, status);
  add_rounds(program, status);
  add_solve(program, status);
  add_compare(program, status);
  add_schedule(program, status);
  add_plan(program, status);
  add_simulate(program, status);
  add_verify(program, status);
  add_eval(program, status);
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): only printing an error can still throw, and nothing is left to save then
int main(int argc, char** argv) {
  int status = dpbudget::tools::inside_budget;
  CLI::App program(
      "dpbudget computes how much privacy a training run spends, who could see it, and how much of the run a\n"
      "budget allows. Every number says by which theorem it holds, under which adjacency, and whether it is\n"
      "proven or only an estimate.",
      "dpbudget");
  program.formatter(std::make_shared<dpbudget::tools::HelpFormatter>());
  program.set_version_flag("--version", std::string(dpbudget::version));
  program.require_subcommand(1);
  program.footer(
      "Plans: gaussian(noise), laplace(scale), discrete_gaussian(noise), discrete_laplace(scale),\n"
      "rr(epsilon[, categories]), pure(epsilon), approximate(epsilon, delta), poisson(rate, PLAN),\n"
      "wor(rate, PLAN), participates(rate, PLAN), shuffle(reports, PLAN[, records]), COUNT x PLAN,\n"
      "PLAN + PLAN; a rate is a number or `m of n`.\n\n"
      "Exit status: 0 done and inside the budget; 1 a budget is exceeded, or a ledger does not verify; 2 bad input.\n"
      "`dpbudget COMMAND --help` says more.");
  add_commands(program, status);
  try {
    if (argc > 1) refuse_unknown_command(program, argv[1]);
    program.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help) {
    return program.exit(asked_for_help);
  } catch (const CLI::ParseError& error) {
    std::cerr << "dpbudget: " << error.what() << "; see dpbudget --help\n";
    return dpbudget::tools::bad_input;
  } catch (const dpbudget::InvalidArgument& error) {
    std::cerr << "dpbudget: " << error.what() << "\n";
    return dpbudget::tools::bad_input;
  } catch (const dpbudget::fl::Diverged& error) {
    std::cerr << "dpbudget: the training diverged, a smaller --step may help: " << error.what() << "\n";
    return dpbudget::tools::bad_input;
  } catch (const std::exception& error) {
    std::cerr << "dpbudget: " << error.what() << "\n";
    return dpbudget::tools::bad_input;
  }
  return status;
}
