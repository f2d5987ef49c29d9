#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/fl/account/claim.h"
#include "dpbudget/fl/account/least_noise.h"
#include "dpbudget/fl/account/plans.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/schedule/text.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/options/fl_options.h"
#include "dpbudget/tools/cli/options/options.h"
#include "dpbudget/tools/cli/options/run_options.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/output_file.h"
#include "dpbudget/tools/cli/output/table.h"
#include "dpbudget/tools/cli/page/runs.h"

namespace dpbudget::tools {
namespace {

struct PlanOptions {
  fl::RunRequest run;
  fl::Sizes sizes{.clients = 100, .records = 4000};
  std::optional<fl::Adversary> adversary;
  std::optional<fl::Basis> basis;
  std::optional<double> epsilon;
  bool json = false;
};

// One line of the answer: an adversary's view on one basis.
struct Line {
  fl::Adversary adversary;
  fl::Basis basis;
  fl::AdversaryPlan plan;
  Bound epsilon;                        // of the whole run
  std::optional<std::uint64_t> rounds;  // most training rounds inside the budget
};

std::vector<Line> lines_of(const PlanOptions& options, const fl::SettledRun& run) {
  std::vector<Line> lines;
  fl::Pricing price(run->delta);
  for (const fl::Adversary adversary : fl::all_adversaries)
    for (const fl::Basis basis : fl::all_bases) {
      if (options.adversary && *options.adversary != adversary) continue;
      if (options.basis && *options.basis != basis) continue;
      auto plan = fl::plan(run, options.sizes, adversary, basis);
      if (!plan) continue;
      Line line{adversary, basis, std::move(*plan), {}, std::nullopt};
      line.epsilon = fl::claimed_epsilon(run, options.sizes, adversary, basis, price);
      if (options.epsilon)
        line.rounds = fl::claimed_rounds(run, options.sizes, adversary, basis, *options.epsilon, price);
      lines.push_back(std::move(line));
    }
  return lines;
}

// What else there is to say against one adversary.
struct Besides {
  fl::Adversary adversary;
  std::vector<std::pair<fl::Basis, std::string>> nothing;  // why there is no plan
  std::vector<fl::Stated> stated;
  std::optional<double> noise;  // that the paper prescribes for the budget
};

std::vector<Besides> besides_of(const PlanOptions& options, const fl::SettledRun& run, const std::vector<Line>& lines) {
  std::vector<Besides> all;
  for (const fl::Adversary adversary : fl::all_adversaries) {
    if (options.adversary && *options.adversary != adversary) continue;
    Besides besides{adversary, {}, {}, std::nullopt};
    for (const fl::Basis basis : fl::all_bases) {
      if (options.basis && *options.basis != basis) continue;
      const bool has_line = std::ranges::any_of(
          lines, [&](const Line& line) { return line.adversary == adversary && line.basis == basis; });
      if (!has_line) besides.nothing.emplace_back(basis, fl::why_no_plan(run, options.sizes, adversary, basis));
    }
    if (options.basis != fl::Basis::proven) {
      besides.stated = fl::also_stated(run, options.sizes, adversary);
      if (options.epsilon) besides.noise = fl::prescribed_noise(run, options.sizes, adversary, *options.epsilon);
    }
    all.push_back(std::move(besides));
  }
  return all;
}

std::string besides_text(const Besides& besides, std::optional<double> epsilon) {
  std::string text;
  for (const auto& [basis, why] : besides.nothing) text += field(to_string(basis), fmt::format("nothing: {}", why));
  for (const fl::Stated& stated : besides.stated) {
    const bool is_proven = stated.guarantee == Guarantee::proven;
    const std::string value = is_proven ? rounded_up(stated.epsilon) : "about " + claimed_text(stated.epsilon);
    text += field("stated",
                  fmt::format("epsilon {} at delta {:.6g} ({}) by {}", std::isfinite(stated.epsilon) ? value : "none",
                              stated.delta, to_string(stated.guarantee), stated.source));
    for (const std::string& note : stated.notes) text += field("", note);
  }
  if (besides.noise)
    text += field("stated", fmt::format("noise {} for epsilon {}", rounded_up(*besides.noise), *epsilon));
  return text.empty() ? text : fmt::format("{}, besides\n{}\n", to_string(besides.adversary), text);
}

nlohmann::json besides_json(const Besides& besides) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [basis, why] : besides.nothing) json["nothing"][to_string(basis)] = why;
  for (const fl::Stated& stated : besides.stated)
    json["stated"].push_back({{"source", stated.source},
                              {"epsilon", json_number(stated.epsilon)},
                              {"delta", stated.delta},
                              {"guarantee", to_string(stated.guarantee)},
                              {"notes", stated.notes}});
  if (besides.noise) json["noise"] = *besides.noise;
  return json;
}

std::string batch_text(const PlanOptions& options, const fl::SettledRun& run) {
  if (!run->batch_size && run->batches != fl::Batches::disjoint)
    return fmt::format("s = {}{}", run->record_rate,
                       run->batches == fl::Batches::with_replacement ? ", drawn with replacement"
                       : run->batches == fl::Batches::shuffled       ? ", shuffled"
                                                                     : "");
  return fmt::format("{} batches of {}", to_string(run->batches), fl::batch_of(run, options.sizes.records));
}

std::string noise_text(const PlanOptions& options, const fl::SettledRun& run) {
  if (options.run.asks_noise)
    return fmt::format("noise {}, the least found that is proven to keep them to epsilon {} against {}",
                       rounded_up(run->noise_multiplier), *options.epsilon, to_string(run->budget_for));
  if (const auto* bits = run.find_options<fl::BinomialNoise>()) return fmt::format("{} noise bits", bits->noise_bits);
  if (!options.sizes.noise_multiplier) return fmt::format("noise {}", run->noise_multiplier);
  return fmt::format("noise {}, the least of the silos'", *options.sizes.noise_multiplier);
}

std::string why_nothing(const PlanOptions& options, const fl::SettledRun& run) {
  if (!run.algorithm().adds_noise()) return fmt::format("there is no plan for {}: it adds no noise", run->algorithm);
  if (std::holds_alternative<fl::MedianClipping>(run->clipping))
    return fmt::format("there is no plan for {}: clipping at the median guarantees nothing", run->algorithm);
  return fmt::format("there is no {} plan of {} against {}", options.basis ? to_string(*options.basis) : "such",
                     run->algorithm, options.adversary ? to_string(*options.adversary) : "anybody");
}

void print(const PlanOptions& options, const fl::SettledRun& run, const std::vector<Line>& lines) {
  std::cout << field("algorithm", run->algorithm)
            << field("run",
                     fmt::format("T = {} rounds{}, K = {}, l = {}, {}, {}, {} users with {} records",
                                 grouped(run->rounds),
                                 run.warm_start_rounds() > 0
                                     ? fmt::format(" after {} warm-start rounds", run.warm_start_rounds())
                                     : "",
                                 run.local_steps(), run->user_rate, batch_text(options, run), noise_text(options, run),
                                 grouped(options.sizes.clients), grouped(options.sizes.records)))
            << "\n";
  Row heading{"adversary", "basis", "guarantee", fmt::format("epsilon at T = {}", grouped(run->rounds))};
  if (options.epsilon) heading.push_back(fmt::format("largest T for epsilon {}", *options.epsilon));
  std::vector<Row> rows{heading};
  for (const Line& line : lines) {
    Row row{
        std::string(to_string(line.adversary)), std::string(to_string(line.basis)),
        std::string(to_string(line.plan.guarantee)),
        line.plan.guarantee == Guarantee::estimate ? claimed_text(line.epsilon.upper) : rounded_up(line.epsilon.upper)};
    if (line.rounds) row.push_back(grouped(*line.rounds));
    rows.push_back(row);
  }
  std::cout << fmt::format("delta {}\n", run->delta) << table(rows, {3, 4}) << "\n";
  for (const Line& line : lines) {
    std::cout << fmt::format("{}, {}\n", to_string(line.adversary), to_string(line.basis))
              << field("plan", to_text(line.plan.plan)) << field("by", line.plan.source);
    for (const std::string& note : line.plan.notes)
      std::cout << field(line.plan.guarantee == Guarantee::estimate ? "gap" : "note", note);
    std::cout << "\n";
  }
  for (const Besides& besides : besides_of(options, run, lines)) std::cout << besides_text(besides, options.epsilon);
}

void describe(const PlanOptions& options, const fl::SettledRun& run, const std::vector<Line>& lines, Page& page) {
  if (!page.is_wanted()) return;
  page.answer("algorithm", fmt::format("{}, {} rounds", run->algorithm, grouped(run->rounds)));
  page.answer("delta", fmt::format("{}", run->delta));
  std::vector<Row> plans{{"adversary", "basis", "plan", "rests on"}};
  for (const Line& line : lines) {
    assume(line.adversary, page);
    page.assume(line.plan.plan);
    const bool is_estimate = line.plan.guarantee == Guarantee::estimate;
    std::string text = is_estimate ? "about " + claimed_text(line.epsilon.upper) + " (estimate)"
                                   : fmt::format("at most {} (proven)", rounded_up(line.epsilon.upper));
    if (line.rounds)
      text += fmt::format("; {} rounds {} epsilon {}", grouped(*line.rounds),
                          is_estimate ? "are said to fit" : "are proven to fit", *options.epsilon);
    page.answer(fmt::format("epsilon, {}, {}", to_string(line.adversary), to_string(line.basis)), text);
    // The plan's own notes are said with whom they are about.
    Bound reason = line.epsilon;
    std::erase_if(reason.notes, [&](const std::string& note) {
      return std::ranges::find(line.plan.notes, note) != line.plan.notes.end();
    });
    page.rest_on(reason);
    plans.push_back({std::string(to_string(line.adversary)), std::string(to_string(line.basis)),
                     to_text(line.plan.plan), line.plan.source});
    for (const std::string& note : line.plan.notes)
      page.note(fmt::format("{}, {}: {}", to_string(line.adversary), to_string(line.basis), note));
  }
  page.table("What is released", std::move(plans));
}

void run(PlanOptions options, Page& page) {
  // One adversary's plan alone, to be handed on: the one that is proven, unless the other was asked for.
  if (options.adversary && !options.epsilon && !options.basis) options.basis = fl::Basis::proven;
  if (options.epsilon) ranges::epsilon(*options.epsilon);
  check_output_files({}, {{"--schedule", fl::file_of(options.run.schedule).value_or("")}});
  fl::RunRequest request = options.run;
  require(!fl::validation_of(request.schedule), "--schedule", request.schedule,
          "one that is fixed in advance: what follows validation errors is known when a model has been trained, by "
          "`dpbudget simulate`");
  // No plan depends on the clipping norm, which noise is measured against; a private run must have one.
  if (fl::find_algorithm(request.algorithm).adds_noise()) request.clip_norm = 1;
  if (request.asks_noise) {
    request.epsilon = options.epsilon;
    request.budget_for = options.adversary.value_or(request.budget_for);
    request = fl::with_least_noise(request, [&](const fl::SettledRun&) { return std::vector{options.sizes}; });
    request.epsilon.reset();
  }
  const fl::SettledRun run = fl::settle(request);
  if (const auto& silos = run->silo_noise; !silos.empty())
    // The records of the silo with the least noise pay most.
    options.sizes.noise_multiplier = std::ranges::min(silos);
  // Who counts most is drawn most often, where draws go by weight.
  if (const auto& weights = run->client_weights; !weights.empty()) options.sizes.weight = std::ranges::max(weights);
  require(options.sizes.dimension == 0 || fl::traits_of(run.algorithm().mechanism).encodes_bits, "--dimension",
          options.sizes.dimension, fmt::format("left out for {}, whose plan does not depend on it", run->algorithm));
  fl::check(run, options.sizes);
  const std::vector<Line> lines = lines_of(options, run);
  if (lines.empty()) throw InvalidArgument(why_nothing(options, run));
  describe(options, run, lines, page);
  if (options.json) {
    nlohmann::json json = nlohmann::json::array();
    for (const Line& line : lines) {
      json.push_back({{"adversary", to_string(line.adversary)},
                      {"basis", to_string(line.basis)},
                      {"plan", dpbudget::to_json(line.plan.plan)},
                      {"guarantee", to_string(line.plan.guarantee)},
                      {"source", line.plan.source},
                      {"notes", line.plan.notes},
                      {"delta", run->delta},
                      {"noise", json_number(run->noise_multiplier)},
                      {"epsilon", json_number(line.epsilon.upper)},
                      {"bound", dpbudget::tools::to_json(line.epsilon)}});
      if (line.rounds) json.back()["rounds"] = *line.rounds;
    }
    // Beside each line of the same adversary.
    for (const Besides& besides : besides_of(options, run, lines))
      for (nlohmann::json& line : json)
        if (line["adversary"] == to_string(besides.adversary)) line["besides"] = besides_json(besides);
    std::cout << json << "\n";
  } else if (options.adversary && !options.epsilon) {
    std::cout << to_text(lines.front().plan.plan) << "\n";
  } else {
    print(options, run, lines);
  }
}

}  // namespace

void add_plan(Program& program, int& /*status*/) {
  auto options = std::make_shared<PlanOptions>();
  const Command command = program.add("plan", "what a federated algorithm releases, per adversary");
  if (!command.is_named()) return;
  command.footer(
      "Examples:\n"
      "  dpbudget plan dp-scaffold --users 100 --records 4000 --user-rate 0.05 --record-rate 0.2 --local-steps 10 \\\n"
      "      --noise 10 --epsilon 3 --delta 2.5e-6\n"
      "  dpbudget epsilon \"$(dpbudget plan dp-fedavg --noise 30 --adversary server)\" --delta 1e-5\n"
      "With --adversary and without --epsilon the plan alone is printed: the proven one, unless --basis says "
      "otherwise.");
  command.option("algorithm", options->run.algorithm, algorithm_names(true)).required().type("NAME");
  count_option(command, "--users", options->sizes.clients, "M: number of users");
  count_option(command, "--records", options->sizes.records, "R: training records that each user holds");
  count_option(command, "--dimension", options->sizes.dimension, "parameters of the model, for binomial-ac-sa")
      .shown_default("");
  run_options(command, options->run, Fields::of_plans);
  adversary_option(command, options->adversary, "show one only");
  command
      .option(
          "--basis",
          [options](const std::string& name) {
            options->basis = choice_named<fl::Basis>(name);
            if (!options->basis)
              throw InvalidArgument(fmt::format("--basis is {}, but must be published or proven", name));
          },
          "show one only: published or proven")
      .type("NAME");
  number_option(command, "--epsilon", options->epsilon, "also show the largest T for this epsilon");
  command.flag("--json", options->json, "print one JSON array");
  command.action([options, command, &page = program.page()] {
    check_record_rate(command, options->run);
    run(*options, page);
  });
}

}  // namespace dpbudget::tools
