#include "dpbudget/tools/cli/schedule/spending.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/integer_search.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/table.h"

namespace dpbudget::tools {
namespace {

// What a table shows of many rounds.
constexpr std::size_t table_rows = 11;

Guarantee guarantee_of(const sequence::Reach& reach) {
  const bool is_proven = reach.at_rounds.guarantee == Guarantee::proven && reach.at_next.guarantee == Guarantee::proven;
  return is_proven ? Guarantee::proven : Guarantee::estimate;
}

std::string reach_text(const sequence::Reach& reach) {
  const std::string_view kind = guarantee_of(reach) == Guarantee::estimate ? " (estimate)" : "";
  if (reach.is_whole) return fmt::format("not within these {} rounds{}", grouped(reach.rounds), kind);
  return fmt::format("after round {}: epsilon {} there, {} one round later{}", grouped(reach.rounds),
                     rounded_up(reach.at_rounds.upper), rounded_up(reach.at_next.upper), kind);
}

std::string yes(bool holds) { return holds ? "holds" : "FAILS"; }

// The claim and its preconditions at the last round.
std::string published_lines(const PublishedSpending& published) {
  const fl::ChangPreconditions conditions = fl::chang_preconditions(published.scheme, published.run);
  const auto beyond = fl::chang_first_round_beyond_beta(published.scheme, published.run);
  const Bound& last = published.epsilons.back();
  std::string lines =
      field("published", (conditions.has_order() ? bracket_text(last) + " by " : "") + joined(last.theorems));
  for (const std::string& note : last.notes) lines += field("", "gap: " + note);
  lines += field("", fmt::format("asks for sigma_0 >= sqrt(5): {}; p q <= 0.1: {}; order <= {:.6g}",
                                 yes(conditions.sigma0), yes(conditions.rates), conditions.order_cap));
  lines += field("", fmt::format("asks for beta >= {:.8g}: {}{}", conditions.least_beta, yes(conditions.beta),
                                 beyond ? fmt::format(", from round {} on", grouped(*beyond)) : ""));
  return lines;
}

}  // namespace

std::optional<double> Spending::least() const {
  std::optional<double> least;
  for (const SpendingColumn& column : columns)
    if (!column.epsilons.empty() && column.epsilons.back().guarantee == Guarantee::proven)
      least = std::min(least.value_or(column.epsilons.back().upper), column.epsilons.back().upper);
  return least;
}

std::vector<std::uint64_t> curve_rounds(std::uint64_t last, bool in_figure) {
  const std::size_t most = in_figure ? 41 : 11;
  std::vector<std::uint64_t> rounds;
  const double step = static_cast<double>(last - 1) / static_cast<double>(most - 1);
  for (std::size_t i = 0; i < most; ++i) {
    const auto next = i + 1 == most ? last : 1 + to_integer<std::uint64_t>(static_cast<double>(i) * step, "round");
    if (rounds.empty() || next > rounds.back()) rounds.push_back(next);
  }
  return rounds;
}

Spending spending(const sequence::Sequence& sequence, const std::vector<AccountantName>& names,
                  std::vector<std::uint64_t> rounds, double delta, std::optional<double> epsilon, double tolerance) {
  Spending result{delta, epsilon, std::move(rounds), {}, std::nullopt};
  const std::uint64_t last = result.rounds.back();
  std::string reason;  // of who takes the most, and so says best what is wrong
  for (const AccountantName name : names) {
    SpendingColumn column{name, {}, std::nullopt, ""};
    try {
      const auto accountant = sequence::make_accountant(name, sequence, delta, tolerance).value();
      for (const std::uint64_t round : result.rounds) column.epsilons.push_back(accountant->epsilon(round).value());
      if (epsilon) {
        // What is known of the rounds above says where to begin.
        std::uint64_t start = 0;
        for (std::size_t i = 0; i < result.rounds.size(); ++i)
          if (column.epsilons[i].upper <= *epsilon) start = result.rounds[i];
        column.reach = sequence::reach(*accountant, last, *epsilon, start).value();
      }
    } catch (const Unsupported& unable) {
      column.epsilons.clear();
      column.refusal = unable.what();
      if (reason.empty() || name == AccountantName::loss_distribution) reason = unable.refusal.of_all().reason;
    }
    result.columns.push_back(std::move(column));
  }
  const auto refuses = [](const SpendingColumn& column) { return !column.refusal.empty(); };
  if (std::ranges::all_of(result.columns, refuses)) {
    if (names.size() == 1) throw Unsupported(result.columns.front().refusal);
    throw Unsupported(reason);
  }
  return result;
}

PublishedSpending published(fl::ChangScheme scheme, const fl::ChangRun& run, const std::vector<std::uint64_t>& rounds,
                            double delta, std::optional<double> epsilon) {
  const auto claimed_after = [&](std::uint64_t round) {
    fl::ChangRun shorter = run;
    shorter.rounds = round;
    shorter.hold = std::min(run.hold, round);
    return fl::chang_epsilon(scheme, shorter, delta);
  };
  PublishedSpending result{scheme, run, {}, std::nullopt};
  for (const std::uint64_t round : rounds) result.epsilons.push_back(claimed_after(round));
  if (!epsilon) return result;
  const std::uint64_t last = numeric::largest_that_fits(0, run.rounds + 1, [&](std::uint64_t round) {
    return round == 0 || (round <= run.rounds && claimed_after(round).upper <= *epsilon);
  });
  sequence::Reach reach{};
  reach.rounds = last;
  reach.is_whole = last == run.rounds;
  reach.at_rounds = last == 0 ? Bound{} : claimed_after(last);
  reach.at_next = claimed_after(std::min(last + 1, run.rounds));
  reach.at_rounds.guarantee = Guarantee::estimate;
  result.reach = std::move(reach);
  return result;
}

namespace {

Row heading_of(const Spending& spending) {
  Row heading{"round", "noise", "sum 1/noise^2"};
  for (const SpendingColumn& column : spending.columns)
    if (column.refusal.empty()) heading.emplace_back(to_string(column.accountant));
  if (spending.published) heading.emplace_back("published");
  if (spending.utility) heading.push_back(spending.utility->name);
  return heading;
}

// After the round at that place of `spending.rounds`.
Row row_of(const Spending& spending, const fl::NoiseSchedule& schedule, std::size_t place) {
  const std::uint64_t round = spending.rounds[place];
  Row row{grouped(round), fmt::format("{:.6g}", schedule.noise(round, schedule.local_steps())),
          fmt::format("{:.6g}", schedule.sum_inverse_variance(round))};
  for (const SpendingColumn& column : spending.columns)
    if (column.refusal.empty())
      row.push_back((column.epsilons[place].guarantee == Guarantee::estimate ? "~" : "") +
                    texts_of(column.epsilons[place]).most);
  if (spending.published) {
    const double claimed = spending.published->epsilons[place].upper;
    row.push_back((std::isfinite(claimed) ? "~" : "") + claimed_text(claimed));
  }
  if (spending.utility) {
    const auto& total = spending.utility->totals[place];
    row.push_back(total ? rounded_up(*total) : "none");
  }
  return row;
}

std::string spent_rounds(const Spending& spending, const fl::NoiseSchedule& schedule) {
  std::vector<Row> rows{heading_of(spending)};
  std::vector<std::size_t> right(rows.front().size());
  std::iota(right.begin(), right.end(), 0);
  const std::size_t last = spending.rounds.size() - 1;
  const std::size_t shown = std::min(table_rows, last + 1);
  for (std::size_t k = 0; k < shown; ++k)
    rows.push_back(row_of(spending, schedule, shown == 1 ? last : k * last / (shown - 1)));
  return table(rows, right);
}

std::string exhausted(const Spending& spending, double epsilon) {
  std::string text = fmt::format("A budget of epsilon {} is exhausted\n", epsilon);
  for (const SpendingColumn& column : spending.columns)
    if (column.reach) text += named_lines(to_string(column.accountant), reach_text(*column.reach));
  if (spending.published && spending.published->reach)
    text += named_lines("published", reach_text(*spending.published->reach));
  if (!spending.least()) text += "Nothing proven says that it is kept: it counts as exceeded.\n";
  return text;
}

std::string theorems_and_refusals(const Spending& spending) {
  std::string theorems = "By these theorems, after the last round:\n";
  std::string refusals;
  for (const SpendingColumn& column : spending.columns) {
    if (column.refusal.empty())
      theorems += theorem_lines(to_string(column.accountant), column.epsilons.back());
    else
      refusals += named_lines(to_string(column.accountant), column.refusal);
  }
  return refusals.empty() ? theorems : theorems + "\nNot answered by:\n" + refusals;
}

}  // namespace

std::string spending_table(const Spending& spending, const fl::NoiseSchedule& schedule) {
  std::string text = fmt::format(
      "epsilon at most, at delta {} (~ marks an estimate); noise of a round's last step:\n\n", spending.delta);
  text += spent_rounds(spending, schedule) + "\n";
  if (spending.epsilon) text += exhausted(spending, *spending.epsilon) + "\n";
  if (spending.published) text += published_lines(*spending.published) + "\n";
  if (spending.utility) text += field("utility", spending.utility->says) + "\n";
  return text + theorems_and_refusals(spending);
}

nlohmann::json spending_json(const Spending& spending, const fl::NoiseSchedule& schedule) {
  nlohmann::json json{{"delta", spending.delta}, {"rounds", nlohmann::json::array()}};
  for (std::size_t i = 0; i < spending.rounds.size(); ++i) {
    const std::uint64_t round = spending.rounds[i];
    nlohmann::json line{{"round", round},
                        {"noise", schedule.noise(round, schedule.local_steps())},
                        {"sum_inverse_variance", schedule.sum_inverse_variance(round)}};
    for (const SpendingColumn& column : spending.columns)
      if (column.refusal.empty()) line["epsilon"][to_string(column.accountant)] = to_json(column.epsilons[i]);
    if (spending.published) line["published"] = to_json(spending.published->epsilons[i]);
    if (spending.utility && spending.utility->totals[i])
      line[spending.utility->name] = json_number(*spending.utility->totals[i]);
    json["rounds"].push_back(std::move(line));
  }
  for (const SpendingColumn& column : spending.columns) {
    const std::string_view name = to_string(column.accountant);
    if (!column.refusal.empty()) json["refused"][name] = column.refusal;
    if (column.reach)
      json["exhausted"][name] = {{"rounds", column.reach->rounds},
                                 {"is_whole", column.reach->is_whole},
                                 {"guarantee", to_string(guarantee_of(*column.reach))}};
  }
  if (spending.published) {
    const auto& [scheme, run, epsilons, reach] = *spending.published;
    if (reach)
      json["exhausted"]["published"] = {
          {"rounds", reach->rounds}, {"is_whole", reach->is_whole}, {"guarantee", to_string(Guarantee::estimate)}};
    const fl::ChangPreconditions conditions = fl::chang_preconditions(scheme, run);
    const auto beyond = fl::chang_first_round_beyond_beta(scheme, run);
    json["published_preconditions"] = {
        {"sigma0", conditions.sigma0},
        {"rates", conditions.rates},
        {"beta", conditions.beta},
        {"least_beta", conditions.least_beta},
        {"order_cap", conditions.order_cap},
        {"first_round_beyond_beta", beyond ? nlohmann::json(*beyond) : nlohmann::json()}};
  }
  return json;
}

Plot spending_plot(const Spending& spending, const fl::NoiseSchedule& schedule) {
  Plot plot{.title = fmt::format("epsilon at delta {}, and noise", spending.delta),
            .x_label = "rounds",
            .y_label = "epsilon, noise multiplier",
            .has_log_x = false,
            .has_log_y = true,
            .lines = {}};
  const auto line = [&](const std::string& title, Stroke stroke, const auto& y_at) {
    Line drawn{title, {}, {}, stroke};
    for (std::size_t i = 0; i < spending.rounds.size(); ++i)
      if (const double y = y_at(i); 0 < y && std::isfinite(y)) {
        drawn.x.push_back(static_cast<double>(spending.rounds[i]));
        drawn.y.push_back(y);
      }
    if (!drawn.x.empty()) plot.lines.push_back(std::move(drawn));
  };
  line("noise", Stroke::shadow,
       [&](std::size_t i) { return schedule.noise(spending.rounds[i], schedule.local_steps()); });
  for (const SpendingColumn& column : spending.columns) {
    if (!column.refusal.empty()) continue;
    const bool is_estimate = column.epsilons.back().guarantee == Guarantee::estimate;
    line(std::string(to_string(column.accountant)) + (is_estimate ? " (estimate)" : ""),
         is_estimate ? Stroke::dashed : Stroke::solid, [&](std::size_t i) { return column.epsilons[i].upper; });
  }
  if (spending.published)
    line("published (estimate)", Stroke::dashed, [&](std::size_t i) { return spending.published->epsilons[i].upper; });
  if (spending.utility)
    line(spending.utility->name, Stroke::dashed,
         [&](std::size_t i) { return spending.utility->totals[i].value_or(0); });
  return plot;
}

}  // namespace dpbudget::tools
