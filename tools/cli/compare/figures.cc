#include "dpbudget/tools/cli/compare/figures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/tradeoff/piecewise_linear.h"

namespace dpbudget::tools {
namespace {

// Enough for a curve to look smooth.
constexpr int profile_points = 48;
constexpr int trade_off_points = 200;

const std::string lower_title = "proven lower bound";

// Lines by accountant, filled point by point, and what they are to be seen against.
class Lines {
 public:
  void add(AccountantName name, double x, double y, Guarantee guarantee) {
    Line& line = lines_[static_cast<int>(name)];
    if (guarantee == Guarantee::estimate) line.stroke = Stroke::dashed;
    line.title = std::string(to_string(name)) + (line.stroke == Stroke::dashed ? " (estimate)" : "");
    line.x.push_back(x);
    line.y.push_back(y);
  }

  void add_shadow(const std::string& title, double x, double y) {
    shadow_.title = title;
    shadow_.stroke = Stroke::shadow;
    shadow_.x.push_back(x);
    shadow_.y.push_back(y);
  }

  // The shadow first, then the accountants in their usual order. Estimates may fall far below all that is proven, and
  // would press the rest together: they end there.
  std::vector<Line> all() {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [name, line] : lines_)
      if (line.stroke == Stroke::solid) least = std::min(least, *std::ranges::min_element(line.y));
    for (auto& [name, line] : lines_)
      if (line.stroke == Stroke::dashed && std::isfinite(least)) keep_above(line, least / 100);
    std::vector<Line> result;
    if (!shadow_.x.empty()) result.push_back(shadow_);
    for (auto& [name, line] : lines_) result.push_back(std::move(line));
    return result;
  }

 private:
  static void keep_above(Line& line, double least) {
    Line kept{line.title, {}, {}, line.stroke};
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      if (line.y[i] < least) continue;
      kept.x.push_back(line.x[i]);
      kept.y.push_back(line.y[i]);
    }
    line = std::move(kept);
  }

  std::map<int, Line> lines_;
  Line shadow_;
};

double value_of(const Question& question, const Answer& answer) {
  return question.wants_epsilon ? answer.found->bound.upper : std::exp(answer.found->log_upper);
}

// The best lower end among the answers; 0 when there is none.
double lower_of(const Question& question, const std::vector<Answer>& answers) {
  double best = 0;
  for (const Answer& answer : answers)
    if (answer.found)
      best = std::max(best, question.wants_epsilon ? answer.found->bound.lower : std::exp(answer.found->log_lower));
  return best;
}

// The profile of every accountant: delta at each of `epsilons`.
std::vector<std::vector<Answer>> profiles(Comparison& comparison, const std::vector<double>& epsilons) {
  std::vector<std::vector<Answer>> answers;
  answers.reserve(epsilons.size());
  for (const double epsilon : epsilons) answers.push_back(comparison.ask({false, epsilon}, 1));
  return answers;
}

std::vector<double> spread_epsilons(double largest) {
  std::vector<double> epsilons;
  for (int i = 0; i <= profile_points; ++i) epsilons.push_back(largest * i / profile_points);
  return epsilons;
}

}  // namespace

std::vector<std::uint64_t> spread_rounds(std::uint64_t first, std::uint64_t last, std::size_t most) {
  std::vector<std::uint64_t> rounds;
  const double start = std::log(static_cast<double>(first));
  const double step = (std::log(static_cast<double>(last)) - start) / static_cast<double>(most - 1);
  for (std::size_t i = 0; i < most; ++i) {
    const auto next = to_integer<std::uint64_t>(std::round(std::exp(start + static_cast<double>(i) * step)), "rounds");
    const std::uint64_t inside = i + 1 == most ? last : std::clamp(next, first, last);
    if (rounds.empty() || inside > rounds.back()) rounds.push_back(inside);
  }
  return rounds;
}

RoundsCurve rounds_curve(Comparison& comparison, const Question& question, std::vector<std::uint64_t> rounds) {
  RoundsCurve curve{question, std::move(rounds), {}};
  for (const std::uint64_t count : curve.rounds) curve.answers.push_back(comparison.ask(question, count));
  return curve;
}

Plot rounds_plot(const RoundsCurve& curve) {
  Lines lines;
  for (std::size_t i = 0; i < curve.rounds.size(); ++i) {
    const auto x = static_cast<double>(curve.rounds[i]);
    if (const double lower = lower_of(curve.question, curve.answers[i]); lower > 0)
      lines.add_shadow(lower_title, x, lower);
    for (const Answer& answer : curve.answers[i])
      if (const double y = answer.found ? value_of(curve.question, answer) : 0; 0 < y && std::isfinite(y))
        lines.add(answer.accountant, x, y, answer.found->bound.guarantee);
  }
  return {.title = "",
          .x_label = "rounds",
          .y_label = std::string(curve.question.wanted_name()),
          .has_log_x = true,
          .has_log_y = true,
          .lines = lines.all()};
}

Plot profile_plot(Comparison& comparison, double largest_epsilon) {
  Lines lines;
  const std::vector<double> epsilons = spread_epsilons(largest_epsilon);
  const auto answers = profiles(comparison, epsilons);
  const Question question{false, 0};
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    if (const double lower = lower_of(question, answers[i]); lower > 0)
      lines.add_shadow(lower_title, epsilons[i], lower);
    for (const Answer& answer : answers[i])
      if (const double y = answer.found ? value_of(question, answer) : 0; y > 0)
        lines.add(answer.accountant, epsilons[i], y, answer.found->bound.guarantee);
  }
  return {.title = "",
          .x_label = "epsilon",
          .y_label = "delta",
          .has_log_x = false,
          .has_log_y = true,
          .lines = lines.all()};
}

Plot trade_off_plot(Comparison& comparison, double largest_epsilon) {
  const std::vector<double> epsilons = spread_epsilons(largest_epsilon);
  const auto answers = profiles(comparison, epsilons);
  Lines lines;
  for (const double a : {0.0, 1.0}) lines.add_shadow("perfect privacy", a, 1 - a);
  for (std::size_t k = 0; k < answers.front().size(); ++k) {
    std::map<double, double> log_deltas;
    std::vector<double> known;
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
      if (!answers[i][k].found) continue;
      log_deltas[epsilons[i]] = answers[i][k].found->log_upper;
      known.push_back(epsilons[i]);
    }
    if (known.empty()) continue;
    const auto f = tradeoff::PiecewiseLinear::from_profile([&](double e) { return log_deltas.at(e); }, known);
    for (int i = 0; i <= trade_off_points; ++i) {
      const double a = static_cast<double>(i) / trade_off_points;
      const auto answer = std::ranges::find_if(answers, [&](const auto& at) { return at[k].found.has_value(); });
      lines.add((*answer)[k].accountant, a, f->type_two_error(a), (*answer)[k].found->bound.guarantee);
    }
  }
  return {.title = "",
          .x_label = "type I error",
          .y_label = "type II error, at least",
          .has_log_x = false,
          .has_log_y = false,
          .lines = lines.all()};
}

}  // namespace dpbudget::tools
