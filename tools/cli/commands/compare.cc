#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/compare/comparison.h"
#include "dpbudget/tools/cli/compare/curve_output.h"
#include "dpbudget/tools/cli/compare/figures.h"
#include "dpbudget/tools/cli/options/options.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/plot.h"
#include "dpbudget/tools/cli/output/table.h"
#include "dpbudget/tools/cli/page/page.h"

namespace dpbudget::tools {
namespace {

// Numbers of rounds that a curve is drawn through.
constexpr std::size_t curve_points = 40;

// What the eye can tell apart in a profile.
constexpr double drawn_tolerance = 0.02;

struct CompareOptions {
  PlanArgument plan;
  std::optional<double> delta;
  std::optional<double> epsilon;
  double tolerance = default_tolerance;
  std::optional<std::string> rounds;
  std::optional<std::string> plot;
  std::optional<std::string> figure;
  bool csv = false;
  bool json = false;
};

Question question_of(const CompareOptions& options) {
  if (options.delta.has_value() == options.epsilon.has_value())
    throw InvalidArgument("give one of --delta and --epsilon: the other is what is compared");
  if (options.delta) {
    ranges::delta_from_zero(*options.delta);
    return {true, *options.delta};
  }
  ranges::epsilon(*options.epsilon);
  return {false, *options.epsilon};
}

std::vector<std::uint64_t> rounds_of(const CompareOptions& options) {
  if (!options.rounds) return {1};
  const std::size_t dots = options.rounds->find("..");
  if (dots == std::string::npos || dots == 0 || dots + 2 == options.rounds->size())
    throw InvalidArgument(fmt::format("--rounds is {}, but must be FIRST..LAST, such as 1..10000", *options.rounds));
  const std::uint64_t first = read_count("--rounds' FIRST", options.rounds->substr(0, dots));
  const std::uint64_t last = read_count("--rounds' LAST", options.rounds->substr(dots + 2));
  if (!(1 <= first && first < last))
    throw InvalidArgument(
        fmt::format("--rounds is {}, but must be FIRST..LAST with 1 <= FIRST < LAST", *options.rounds));
  return spread_rounds(first, last, curve_points);
}

std::string figure_of(const CompareOptions& options) {
  const std::string figure = options.figure ? *options.figure : !options.rounds ? "profile" : "rounds";
  if (figure != "rounds" && figure != "profile" && figure != "trade-off")
    throw InvalidArgument(fmt::format("--figure is {}, but must be rounds, profile or trade-off", figure));
  if (figure == "rounds" && !options.rounds) throw InvalidArgument("--figure rounds needs --rounds FIRST..LAST");
  if (figure != "rounds" && options.rounds.has_value())
    throw InvalidArgument(fmt::format("--figure {} shows one number of rounds: leave --rounds out", figure));
  return figure;
}

// Somewhat beyond what is asked, so that the figure shows its surroundings.
double largest_epsilon(const Question& question, const std::vector<Answer>& answers) {
  if (!question.wants_epsilon) return question.given > 0 ? 2 * question.given : 1;
  double best = 0;
  for (const Answer& answer : ranked(answers))
    if (answer.found && best == 0) best = answer.found->bound.upper;
  return 0 < best && std::isfinite(best) ? 1.5 * best : 1;
}

// e^epsilon is a slope there.
constexpr double steepest = 600;

Plot drawn(const CompareOptions& options, const Plan& plan, const RoundsCurve& curve) {
  const std::string figure = figure_of(options);
  Comparison comparison(plan, std::max(options.tolerance, drawn_tolerance));
  const double largest = largest_epsilon(curve.question, curve.answers.back());
  Plot plot = figure == "rounds"    ? rounds_plot(curve)
              : figure == "profile" ? profile_plot(comparison, largest)
                                    : trade_off_plot(comparison, std::min(largest, steepest));
  const std::string at =
      figure == "rounds" ? fmt::format(", {} = {}", curve.question.given_name(), curve.question.given) : "";
  plot.title = fmt::format("{}\n{}{}", shortened_text(plan.event), to_string(plan.adjacency), at);
  return plot;
}

// What is said of the figure.
std::string draw(const CompareOptions& options, const Plan& plan, const RoundsCurve& curve) {
  const Plot plot = drawn(options, plan, curve);
  if (plot.lines.empty()) return "none: nobody answers with anything above 0 to draw";
  write_plot(plot, *options.plot);
  return *options.plot;
}

void describe(const CompareOptions& options, const Plan& plan, const RoundsCurve& curve, Page& page) {
  page.assume(plan);
  page.answer(options.rounds ? "a round" : "plan", to_text(plan.event));
  page.answer(curve.question.given_name(), fmt::format("{}", curve.question.given));
  for (const Answer& answer : ranked(curve.answers.back())) {
    if (!answer.found) {
      page.answer(to_string(answer.accountant), "no answer: " + answer.refusal);
      continue;
    }
    const std::string text =
        curve.question.wants_epsilon ? bracket_text(answer.found->bound) : bracket_text(*answer.found);
    page.answer(to_string(answer.accountant), fmt::format("{} {}", curve.question.wanted_name(), text));
    page.rest_on(answer.found->bound);
  }
  page.figure(figure_of(options), [&] { return drawn(options, plan, curve); });
}

void print(const CompareOptions& options, const Plan& plan, const RoundsCurve& curve, const std::string& figure) {
  const bool is_curve = options.rounds.has_value();
  if (options.csv) {
    std::cout << curve_csv(curve);
  } else if (options.json) {
    nlohmann::json json{{"plan", dpbudget::to_json(plan)}, {curve.question.given_name(), curve.question.given}};
    if (is_curve) {
      json["curve"] = curve_json(curve);
    } else {
      json["answers"] = nlohmann::json::array();
      for (const Answer& answer : curve.answers.front()) json["answers"].push_back(to_json(curve.question, answer));
    }
    std::cout << json << "\n";
  } else {
    std::cout << plan_lines(plan) << field(curve.question.given_name(), fmt::format("{}", curve.question.given)) << "\n"
              << (is_curve ? curve_table(curve) : comparison_table(curve.question, curve.answers.front()));
    if (!figure.empty()) std::cout << "\n" << field("figure", figure);
  }
}

void run(const CompareOptions& options, Page& page) {
  const Question question = question_of(options);
  require(0 < options.tolerance && options.tolerance < 1, "tolerance", options.tolerance, "in (0, 1)");
  const std::vector<std::uint64_t> rounds = rounds_of(options);
  if (options.csv && options.json) throw InvalidArgument("--csv and --json exclude each other");
  if (options.figure.has_value() && !options.plot) throw InvalidArgument("--figure needs --plot FILE to draw it in");
  if (options.plot.has_value()) {
    figure_of(options);
    check_plot_file(*options.plot, options.plan.files());
  }
  const Plan plan = options.plan.known_plan();
  Comparison comparison(plan, options.tolerance);
  const RoundsCurve curve = rounds_curve(comparison, question, rounds);
  const std::string figure = options.plot ? draw(options, plan, curve) : "";
  print(options, plan, curve, figure);
  describe(options, plan, curve, page);
  const auto is_answered = [](const Answer& answer) { return answer.found.has_value(); };
  for (const std::vector<Answer>& answers : curve.answers)
    if (std::ranges::any_of(answers, is_answered)) return;
  throw Unsupported("no accountant answers");
}

}  // namespace

void add_compare(Program& program, int& /*status*/) {
  auto options = std::make_shared<CompareOptions>();
  const Command command = program.add("compare", "every accountant on one plan, side by side");
  if (!command.is_named()) return;
  command.footer(
      "Examples:\n"
      "  dpbudget compare \"10000 x poisson(0.01, gaussian(1))\" --delta 1e-5\n"
      "  dpbudget compare \"poisson(0.01, gaussian(1))\" --delta 1e-5 --rounds 1..10000 --plot rounds.svg\n"
      "  dpbudget compare \"1000 x wor(0.02, gaussian(1))\" --delta 1e-5 --plot profile.png --figure profile\n"
      "Proven bounds come first, the tightest on top, then estimates, then who refuses and why. With --rounds the plan "
      "is one round.");
  options->plan.add_to(command);
  number_option(command, "--delta", options->delta, "compare epsilon at this delta, in [0, 1); 0 asks for pure DP");
  number_option(command, "--epsilon", options->epsilon, "compare delta at this epsilon, at least 0");
  command.option("--rounds", options->rounds, "repeat the plan FIRST..LAST times: a curve").type("FIRST..LAST");
  command.option("--plot", options->plot, "draw a figure into this .svg, .png or .pdf (needs gnuplot)").type("FILE");
  command
      .option("--figure", options->figure,
              "rounds (the default with --rounds), profile (delta against epsilon; the default without) or trade-off")
      .type("NAME");
  number_option(command, "--tolerance", options->tolerance, "relative width that brackets are refined to, in (0, 1)");
  command.flag("--csv", options->csv, "print comma-separated values");
  command.flag("--json", options->json, "print one JSON object");
  command.action([options, &page = program.page()] { run(*options, page); });
}

}  // namespace dpbudget::tools
