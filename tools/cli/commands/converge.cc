#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/schedule/text.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/convergence/curves.h"
#include "dpbudget/tools/cli/options/fl_options.h"
#include "dpbudget/tools/cli/options/options.h"
#include "dpbudget/tools/cli/options/run_options.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/table.h"
#include "dpbudget/tools/cli/page/page.h"
#include "dpbudget/tools/cli/schedule/spending.h"

namespace dpbudget::tools {
namespace {

struct ConvergeOptions {
  std::string algorithm;
  std::uint64_t rounds = 100;
  std::optional<std::string> schedule;
  nlohmann::json constants = nlohmann::json::object();
  std::optional<std::string> plot;
  bool json = false;
};

void run(const ConvergeOptions& options, Page& page) {
  const fl::AlgorithmTraits& algorithm = fl::find_algorithm(options.algorithm);
  require(1 <= options.rounds, "--rounds", options.rounds, "an integer in [1, 2^53]");
  const NamedFiles inputs{{"--schedule", fl::file_of(options.schedule.value_or("")).value_or("")}};
  check_output_files({}, inputs);
  if (options.plot) check_plot_file(*options.plot, inputs);
  nlohmann::json constants = options.constants;
  if (options.schedule) constants["schedule"] = *options.schedule;
  const Convergence found =
      convergence(algorithm.analysis, constants, curve_rounds(options.rounds, options.plot.has_value()));
  if (options.plot) write_plot(convergence_plot(found), *options.plot);
  page.answer("algorithm", options.algorithm);
  for (const ConvergenceCurve& curve : found.curves) {
    const Statement& statement = *curve.statement;
    const auto& end = curve.at.back();
    page.answer(fmt::format("{} ({})", statement.name, to_string(statement.standing)),
                end && end->total ? fmt::format("{} after {} rounds: {}, by {}", statement.measures, options.rounds,
                                                rounded_up(*end->total), statement.source)
                                  : fmt::format("{}: no figure, by {}", statement.measures, statement.source));
    if (!statement.note.empty()) page.note(fmt::format("{}: {}", statement.name, statement.note));
  }
  page.figure("bounds over rounds", [&] { return convergence_plot(found); });
  if (options.json) {
    std::cout << nlohmann::json{{"algorithm", options.algorithm},
                                {"constants", constants},
                                {"statements", convergence_json(found)}}
              << "\n";
    return;
  }
  std::cout << field("algorithm", options.algorithm) << "\n" << convergence_text(found);
  if (options.plot) std::cout << "\n" << field("figure", *options.plot);
}

}  // namespace

void add_converge(Program& program, int& /*status*/) {
  auto options = std::make_shared<ConvergeOptions>();
  const Command command = program.add("converge", "how far from the optimum a federated algorithm may end");
  if (!command.is_named()) return;
  command.footer(
      "Examples:\n"
      "  dpbudget converge dp-fedavg --rounds 400 --smoothness 1 --distance 5 --noise 30 --clip 1 --batch 800 \\\n"
      "      --dimension 410 --users 100 --participants 20 --local-steps 10 --gradient-variance 1 \\\n"
      "      --dissimilarity-offset 0.5\n"
      "  dpbudget converge dp-scaffold --schedule chang1:beta=0.998,hold=200 --rounds 700 --smoothness 2 --distance 1 "
      "\\\n"
      "      --noise 30 --clip 1 --batch 500 --dimension 50 --users 40 --participants 8 --local-steps 50 \\\n"
      "      --gradient-variance 1 --control-error 1 --plot converge.svg\n"
      "Every statement about the algorithm is shown, term by term: what is proven, what its paper states, and orders "
      "whose constants are unknown. A statement whose preconditions fail, or that lacks a constant, says so; steps "
      "that are left out are those at which it is least. What is proven is so with its rounding; what papers state is "
      "computed in double precision. `dpbudget eval` answers each as convergence.NAME, whose inputs are the options "
      "with _ for -, and rounds. Exit status 2 when none has an answer.");
  command.option("algorithm", options->algorithm, algorithm_names(false)).required().type("NAME");
  count_option(command, "--rounds", options->rounds, "T or R: the last number of rounds shown");
  command
      .option("--schedule", options->schedule,
              "how the noise changes, for dp-scaffold: see `dpbudget schedule --help`; left out, constant")
      .type("SCHEDULE");
  for (const Parameter& constant : constants()) {
    const std::string flag = flag_of(std::string(constant.name));
    command
        .option(
            flag,
            [options, flag, name = std::string(constant.name)](const std::string& text) {
              options->constants[name] = json_number(read_number(flag, text));
            },
            std::string(constant.meaning) +
                (constant.is_optional() ? fmt::format("; left out, {}", constant.left_out) : ""))
        .type("NUMBER");
  }
  config_option(command);
  command.option("--plot", options->plot, "draw the totals into this .svg, .png or .pdf (needs gnuplot)").type("FILE");
  command.flag("--json", options->json, "print one JSON object");
  command.action([options, &page = program.page()] { run(*options, page); });
}

}  // namespace dpbudget::tools
