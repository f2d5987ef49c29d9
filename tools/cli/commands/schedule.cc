#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/sequence/affordable.h"
#include "dpbudget/fl/run/sizes.h"
#include "dpbudget/fl/schedule/rounds.h"
#include "dpbudget/fl/schedule/solve.h"
#include "dpbudget/fl/schedule/text.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/convergence/curves.h"
#include "dpbudget/tools/cli/options/options.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/plot.h"
#include "dpbudget/tools/cli/output/table.h"
#include "dpbudget/tools/cli/page/page.h"
#include "dpbudget/tools/cli/schedule/spending.h"

namespace dpbudget::tools {
namespace {

struct ScheduleOptions {
  std::string shape = "constant";
  std::string noise;
  std::string rounds = "100";
  double user_rate = 1;
  double record_rate = 1;
  std::uint64_t local_steps = 1;
  std::optional<std::string> step;
  double sensitivity = 1;
  std::optional<nlohmann::json> constants;  // of a convergence bound
  double delta = 1e-5;
  std::optional<double> epsilon;
  std::optional<AccountantName> accountant;
  double tolerance = default_tolerance;
  std::optional<std::string> plot;
  bool json = false;

  bool has_table() const { return fl::file_of(shape) || shape.starts_with("table:"); }
};

// The text with `value` in the place of the `?`.
std::string filled(std::string text, const std::string& value) { return text.replace(text.find('?'), 1, value); }

enum class Unknown { none, noise, decay, hold, rounds };

// What a shape leaves open: all of one of its numbers. A file may have any name.
Unknown unknown_in(const std::string& shape) {
  const std::size_t at = shape.find('?');
  if (fl::file_of(shape) || at == std::string::npos) return Unknown::none;
  if (shape.starts_with("table:"))
    throw InvalidArgument(fmt::format("schedule is {}, but a table has no number to be found", shape));
  const std::string_view before = std::string_view(shape).substr(0, at);
  const std::string_view after = std::string_view(shape).substr(at + 1);
  const bool is_whole_and_only = after.empty() || (after.front() == ',' && after.find('?') == std::string::npos);
  for (const auto& [name, unknown] : {std::pair{"beta=", Unknown::decay},
                                      {"factor=", Unknown::decay},
                                      {"exponential:", Unknown::decay},
                                      {"hold=", Unknown::hold},
                                      {"every=", Unknown::hold}})
    if (is_whole_and_only && before.ends_with(name)) return unknown;
  throw InvalidArgument(fmt::format(
      "schedule is {}, but `?` must stand once, for all of beta, factor, hold, every or exponential's FACTOR", shape));
}

Unknown unknown_of(const ScheduleOptions& options) {
  Unknown unknown = unknown_in(options.shape);
  int count = unknown == Unknown::none ? 0 : 1;
  const auto look_at = [&](const std::string& number, Unknown which) {
    if (number != "?") return;
    unknown = which;
    ++count;
  };
  look_at(options.noise, Unknown::noise);
  look_at(options.rounds, Unknown::rounds);
  if (count > 1) throw InvalidArgument("--noise, --rounds and the schedule have several `?`: only one can be found");
  if (count == 1 && !options.epsilon) throw InvalidArgument("--epsilon is missing: the budget that decides the `?`");
  return unknown;
}

std::uint64_t last_round(const ScheduleOptions& options) {
  const std::uint64_t last = read_count("--rounds", options.rounds);
  require(1 <= last, "--rounds", last, "an integer in [1, 2^53], or ?");
  return last;
}

// What was found for the `?`.
struct Found {
  std::optional<std::string> value;
  std::string says;    // the value and what it spends, or why there is none
  bool meets = false;  // whether the budget can be met at all
};

// Everything that is known once the `?` is.
class Run {
 public:
  explicit Run(const ScheduleOptions& options) : options_(options) {
    ranges::delta(options.delta);
    if (options.epsilon) ranges::epsilon(*options.epsilon);
    require(0 < options.tolerance && options.tolerance < 1, "--tolerance", options.tolerance, "in (0, 1)");
    require(0 < options.sensitivity && std::isfinite(options.sensitivity), "--sensitivity", options.sensitivity,
            "positive and finite");
    require(0 < options.user_rate && options.user_rate <= 1, "--user-rate", options.user_rate, "in (0, 1]");
    require(0 < options.record_rate && options.record_rate <= 1, "--record-rate", options.record_rate, "in (0, 1]");
    const std::string step = options.step.value_or(
        options.record_rate == 1 ? "gaussian(?)" : fmt::format("wor({}, gaussian(?))", options.record_rate));
    const Plan plan = options.step ? parse_plan(step) : parse_plan(step, Adjacency::replace_one);
    recipe_ = {Rate(options.user_rate), plan.event};
    adjacency_ = plan.adjacency;
    if (options.noise.empty() && !options.has_table())
      throw InvalidArgument("--noise is missing: the base noise sigma_0, or ?");
  }

  Adjacency adjacency() const { return adjacency_; }
  const fl::RoundRecipe& recipe() const { return recipe_; }

  double noise() const {
    const double noise = options_.noise.empty() ? 1 : read_number("--noise", options_.noise);
    require(0 < noise && std::isfinite(noise), "--noise", noise, "positive and finite, or ?");
    return noise;
  }

  fl::NoiseSchedule schedule(const std::string& shape, double noise) const {
    return {fl::parse_shape(shape), noise / options_.sensitivity, options_.local_steps};
  }

  sequence::Sequence rounds(const fl::NoiseSchedule& schedule, std::uint64_t rounds) const {
    return fl::scheduled_rounds(schedule, recipe_, adjacency_, rounds, options_.tolerance);
  }

  // The number for the `?`.
  Found solved(Unknown unknown) const {
    if (unknown == Unknown::rounds) return affordable_rounds();
    const std::uint64_t last = last_round(options_);
    const fl::OpenNumber open = unknown == Unknown::noise   ? fl::OpenNumber::base_noise
                                : unknown == Unknown::decay ? fl::OpenNumber::decay
                                                            : fl::OpenNumber::hold;
    if (open != fl::OpenNumber::base_noise) fl::require_solvable(open, fl::parse_shape(filled(options_.shape, "1")));
    const auto text_of = [&](double value) {
      return open == fl::OpenNumber::hold ? fmt::format("{}", to_integer<std::uint64_t>(value, "hold"))
                                          : fmt::format("{}", value);
    };
    const auto sequence_at = [&](double value) {
      const bool is_noise = open == fl::OpenNumber::base_noise;
      return rounds(
          is_noise ? schedule(options_.shape, value) : schedule(filled(options_.shape, text_of(value)), noise()), last);
    };
    const fl::OpenSolution found = fl::solve_schedule(open, sequence_at, last, accountant(), options_.tolerance,
                                                      *options_.epsilon, options_.delta);
    if (!found.value)
      return {std::nullopt,
              found.every_value ? "every value meets the budget" : "no value is proven to meet the budget",
              found.every_value};
    return {text_of(*found.value),
            fmt::format("{}: spends epsilon {}", text_of(*found.value), bracket_text(found.at_value)), true};
  }

 private:
  AccountantName accountant() const { return options_.accountant.value_or(AccountantName::best); }

  Found affordable_rounds() const {
    const fl::NoiseSchedule fixed = schedule(options_.shape, noise());
    const std::uint64_t end = fixed.last_round().value_or(ranges::max_count);
    const auto first = [&](std::uint64_t count) { return rounds(fixed, count); };
    const sequence::Reach found =
        sequence::affordable(first, end, accountant(), options_.delta, options_.tolerance, *options_.epsilon).value();
    if (found.rounds == 0)
      return {std::nullopt, fmt::format("0: one round alone spends epsilon {}", bracket_text(found.at_next)), false};
    const std::string_view beyond = !found.is_whole        ? ""
                                    : options_.has_table() ? ", all that the table has"
                                                           : " or more";
    return {fmt::format("{}", found.rounds),
            fmt::format("{}{}: spends epsilon {}", grouped(found.rounds), beyond, bracket_text(found.at_rounds)), true};
  }

  const ScheduleOptions& options_;
  fl::RoundRecipe recipe_{Rate(1.0), Event(Gaussian{Real::unknown()})};
  Adjacency adjacency_ = Adjacency::replace_one;
};

// Chang's claim, where the schedule is one of theirs and the step is a sampled Gaussian.
std::optional<PublishedSpending> claim_of(const ScheduleOptions& options, const fl::NoiseSchedule& schedule,
                                          const std::vector<std::uint64_t>& rounds) {
  const auto* per_round = std::get_if<fl::RoundDecay>(&schedule.shape());
  const auto* per_step = std::get_if<fl::StepDecay>(&schedule.shape());
  const bool is_constant = std::holds_alternative<fl::ConstantNoise>(schedule.shape());
  if (options.step || (per_round == nullptr && per_step == nullptr && !is_constant)) return std::nullopt;
  const std::uint64_t hold = per_round != nullptr ? per_round->hold : per_step != nullptr ? per_step->hold : 0;
  const fl::ChangRun run{.user_rate = options.user_rate,
                         .record_rate = options.record_rate,
                         .lipschitz = 0.5,
                         .batch = 1,
                         .sigma0 = schedule.base_noise(),
                         .beta = per_round != nullptr  ? per_round->beta
                                 : per_step != nullptr ? per_step->beta
                                                       : 1,
                         .local_steps = schedule.local_steps(),
                         .hold = std::min(hold, rounds.back()),
                         .rounds = rounds.back()};
  return published(per_step != nullptr ? fl::ChangScheme::per_step : fl::ChangScheme::per_round, run, rounds,
                   options.delta, options.epsilon);
}

// Chang's Theorem 3 for the same rounds, noise and sampling, from the constants that a user gave.
UtilityColumn utility_of(const ScheduleOptions& options, const fl::NoiseSchedule& schedule,
                         const std::vector<std::uint64_t>& rounds) {
  nlohmann::json given = *options.constants;
  given["schedule"] = fl::to_text(schedule.shape());
  given["noise"] = schedule.base_noise();
  given["local_steps"] = schedule.local_steps();
  if (given.contains("users"))
    given["participants"] = fl::drawn(options.user_rate, Inputs(given, constants()).count("users"));
  const Convergence found = convergence(fl::Analysis::chang, given, rounds);
  const ConvergenceCurve& curve = found.curves.front();
  UtilityColumn column{
      "utility",
      fmt::format("{}, at its best local step: {}; {}, {}", curve.statement->measures, curve.statement->source,
                  to_string(curve.statement->standing), curve.statement->note),
      {}};
  for (const auto& at : curve.at) column.totals.push_back(at ? at->total : std::nullopt);
  return column;
}

void describe(const ScheduleOptions& options, const Run& run, const fl::NoiseSchedule& schedule, const Spending& spent,
              const Found& found, const std::string& shape, Page& page) {
  const Plan first_round{fl::round_event(schedule, run.recipe(), 1), run.adjacency()};
  page.assume(first_round);
  page.answer("schedule", fmt::format("{}, sigma_0 = {}", shape, schedule.base_noise()));
  page.answer("round 1", to_text(first_round.event));
  page.answer("rounds", grouped(last_round(options)));
  page.answer("delta", fmt::format("{}", options.delta));
  if (found.value) page.answer("?", found.says);
  for (const SpendingColumn& column : spent.columns) {
    if (column.epsilons.empty()) continue;
    page.answer(fmt::format("epsilon, {}", to_string(column.accountant)), bracket_text(column.epsilons.back()));
    page.rest_on(column.epsilons.back());
  }
  if (spent.published && !spent.published->epsilons.empty()) {
    page.answer("epsilon, published", bracket_text(spent.published->epsilons.back()));
    page.rest_on(spent.published->epsilons.back());
  }
  page.figure("noise and epsilon over rounds", [&] { return spending_plot(spent, schedule); });
}

int run(ScheduleOptions options, Page& page) {
  const Unknown unknown = unknown_of(options);
  const NamedFiles inputs{{"schedule", fl::file_of(options.shape).value_or("")}};
  check_output_files({}, inputs);
  if (options.plot) check_plot_file(*options.plot, inputs);
  const Run run(options);
  Found found;
  if (unknown != Unknown::none) {
    found = run.solved(unknown);
    if (!found.value) {
      page.answer("?", found.says);
      if (options.json)
        std::cout << nlohmann::json{{"value", nlohmann::json()}, {"explanation", found.says}} << "\n";
      else
        std::cout << field("?", found.says);
      return found.meets ? inside_budget : over_budget;
    }
    std::string& open = unknown == Unknown::noise    ? options.noise
                        : unknown == Unknown::rounds ? options.rounds
                                                     : options.shape;
    open = filled(open, *found.value);
  }
  const std::uint64_t last = last_round(options);
  const fl::NoiseSchedule schedule = run.schedule(options.shape, run.noise());
  const std::vector<std::uint64_t> rounds = curve_rounds(last, options.plot.has_value());
  const std::vector<AccountantName> names =
      options.accountant
          ? std::vector{*options.accountant}
          : std::vector{AccountantName::exact, AccountantName::contour,      AccountantName::loss_distribution,
                        AccountantName::renyi, AccountantName::concentrated, AccountantName::gdp};
  Spending spent =
      spending(run.rounds(schedule, last), names, rounds, options.delta, options.epsilon, options.tolerance);
  spent.published = claim_of(options, schedule, rounds);
  if (options.constants) spent.utility = utility_of(options, schedule, rounds);
  if (options.plot) write_plot(spending_plot(spent, schedule), *options.plot);
  // A table is shown as it was given: it may be a file's.
  const bool is_table = std::holds_alternative<fl::NoiseTable>(schedule.shape());
  const std::string shape = is_table ? options.shape : fl::to_text(schedule.shape());
  const std::string first = to_text(fl::round_event(schedule, run.recipe(), 1));
  describe(options, run, schedule, spent, found, shape, page);
  if (options.json) {
    nlohmann::json json = spending_json(spent, schedule);
    json["schedule"] = shape;
    json["base_noise"] = schedule.base_noise();
    json["first_round"] = first;
    json["adjacency"] = to_string(run.adjacency());
    if (found.value) {
      json["value"] = nlohmann::json::parse(*found.value);
      json["solved"] = found.says;
    }
    std::cout << json << "\n";
  } else {
    std::cout << field("schedule", fmt::format("{}, sigma_0 = {}", shape, schedule.base_noise()))
              << field("round 1", first) << field("adjacency", to_string(run.adjacency()))
              << (found.value ? field("?", found.says) : "") << "\n"
              << spending_table(spent, schedule);
    if (options.plot) std::cout << "\n" << field("figure", *options.plot);
  }
  const auto least = spent.least();
  return options.epsilon && !(least && *least <= *options.epsilon) ? over_budget : inside_budget;
}

}  // namespace

void add_schedule(Program& program, int& status) {
  auto options = std::make_shared<ScheduleOptions>();
  const Command command = program.add("schedule", "what noise that changes from round to round spends");
  if (!command.is_named()) return;
  command.footer(
      "Examples:\n"
      "  dpbudget schedule chang1:beta=0.998,hold=200 --noise 30 --rounds 600 --user-rate 0.2 --record-rate 0.2 \\\n"
      "      --local-steps 50 --delta 1e-5 --epsilon 2 --plot schedule.svg\n"
      "  dpbudget schedule exponential:? --noise 40 --rounds 200 --record-rate 0.1 --epsilon 2\n"
      "  dpbudget schedule csv:noise.csv --step \"poisson(0.01, gaussian(?))\" --rounds ? --epsilon 3\n"
      "Schedules: constant, chang1:beta=B,hold=R and chang2:beta=B,hold=R (variances that fall by beta per round or "
      "per local step after R rounds), exponential:FACTOR, step:factor=F,every=K, inverse-sqrt, inverse:A,B for "
      "A / (r + B), milestones:factor=F,rounds=R;R;... (F times as much from each of the rounds on), "
      "table:N;N;... (a number for each "
      "round; N,N;N,N;... one for each step), csv:FILE (noise; round,noise; or round,step,noise).\n\n"
      "One `?` in the place of --noise, --rounds or one of the schedule's numbers is found, from the safe side, so "
      "that --epsilon is met: the least noise, the steepest decay, the shortest hold, the most rounds. The bounds hold "
      "for the server and a third party alike. Exit status 1 when the budget is exceeded, nothing proven says that it "
      "is kept, or no value meets it.");
  command.option("schedule", options->shape, "how the noise changes").type("SCHEDULE");
  command.option("--noise", options->noise, "sigma_0: base noise multiplier, or ?; 1 for a table").type("NUMBER");
  command.option("--rounds", options->rounds, "R: number of rounds, or ?").type("COUNT");
  number_option(command, "--user-rate", options->user_rate, "p: share of the users in a round, in (0, 1]");
  const Option record_rate =
      number_option(command, "--record-rate", options->record_rate,
                    "q: share of a user's records in a step, drawn without replacement, in (0, 1]");
  count_option(command, "--local-steps", options->local_steps, "tau: noisy steps of a participant per round");
  command
      .option("--step", options->step,
              "a step's release in the plan language, `?` its noise, instead of wor(q, gaussian(?))")
      .type("PLAN")
      .excludes(record_rate);
  number_option(command, "--sensitivity", options->sensitivity,
                "what --noise is divided by: 2 L / B where it is the noise on a mean gradient");
  command
      .option(
          "--constants", [options](const std::string& text) { options->constants = read_constants(text); },
          "also show how far DP-SCAFFOLD may end from the optimum, by Chang et al.'s Theorem 3: a list such as "
          "smoothness=1,distance=5,clip=1,batch=500,... of the constants that `dpbudget converge --help` names, here "
          "smoothness, distance, clip, batch, dimension, users, gradient_variance and control_error")
      .type("LIST");
  number_option(command, "--delta", options->delta, "delta, in (0, 1)");
  number_option(command, "--epsilon", options->epsilon, "the budget: also show where it is exhausted");
  accountant_option(command, options->accountant, "who answers, instead of all but approximate, and of best for `?`");
  number_option(command, "--tolerance", options->tolerance, "relative width aimed at, in (0, 1)");
  command.option("--plot", options->plot, "draw noise and epsilon into this .svg, .png or .pdf (needs gnuplot)")
      .type("FILE");
  command.flag("--json", options->json, "print one JSON object");
  command.action([options, &status, &page = program.page()] { status = run(*options, page); });
}

}  // namespace dpbudget::tools
