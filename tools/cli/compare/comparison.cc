#include "dpbudget/tools/cli/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/table.h"

namespace dpbudget::tools {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// 0 proven, 1 estimate, 2 refused.
int standing(const Answer& answer) {
  if (!answer.found) return 2;
  return answer.found->bound.guarantee == Guarantee::proven ? 0 : 1;
}

std::string milliseconds(double seconds) { return fmt::format("{:.{}f} ms", 1e3 * seconds, seconds < 0.01 ? 2 : 0); }

}  // namespace

Comparison::Comparison(const Plan& plan, double tolerance) {
  for (const AccountantName name : all_accountants) {
    if (name == AccountantName::best) continue;
    Member member{name, nullptr, "", 0};
    const Clock::time_point start = Clock::now();
    auto made = make_accountant(name, plan, tolerance);
    if (made)
      member.accountant = *std::move(made);
    else
      member.refusal = made.error().text();
    member.seconds = seconds_since(start);
    members_.push_back(std::move(member));
  }
}

std::vector<Answer> Comparison::ask(const Question& question, std::uint64_t count) {
  std::vector<Answer> answers;
  answers.reserve(members_.size());
  for (Member& member : members_) {
    Answer answer{member.name, std::nullopt, member.refusal, member.seconds};
    const Clock::time_point start = Clock::now();
    if (member.accountant && question.wants_epsilon) {
      if (auto found = member.accountant->epsilon(count, question.given))
        answer.found = DeltaBound{*std::move(found), 0, 0};
      else
        answer.refusal = found.error().text();
    } else if (member.accountant) {
      if (auto found = member.accountant->delta(count, question.given))
        answer.found = *std::move(found);
      else
        answer.refusal = found.error().text();
    }
    answer.seconds += seconds_since(start);
    member.seconds = 0;  // told once
    answers.push_back(std::move(answer));
  }
  return answers;
}

std::vector<Answer> ranked(std::vector<Answer> answers) {
  std::ranges::stable_sort(answers, [](const Answer& a, const Answer& b) {
    if (standing(a) != standing(b)) return standing(a) < standing(b);
    if (!a.found) return false;
    if (a.found->bound.upper != b.found->bound.upper) return a.found->bound.upper < b.found->bound.upper;
    return a.found->log_upper < b.found->log_upper;
  });
  return answers;
}

std::string comparison_table(const Question& question, const std::vector<Answer>& answers) {
  std::vector<Row> rows{
      {"accountant", fmt::format("{} at least", question.wanted_name()), "at most", "guarantee", "time"}};
  std::string reasons;
  std::string refusals;
  for (const Answer& answer : ranked(answers)) {
    const std::string_view name = to_string(answer.accountant);
    if (!answer.found) {
      refusals += named_lines(name, answer.refusal);
      continue;
    }
    const BoundText text = question.wants_epsilon ? texts_of(answer.found->bound) : texts_of(*answer.found);
    rows.push_back({std::string(name), text.least.empty() ? "-" : text.least, text.most,
                    std::string(to_string(answer.found->bound.guarantee)), milliseconds(answer.seconds)});
    reasons += theorem_lines(name, answer.found->bound);
  }
  std::string result;
  if (rows.size() > 1) result += table(rows, {1, 2, 4}) + "\nBy these theorems:\n" + reasons;
  if (!refusals.empty()) result += (result.empty() ? "" : "\n") + ("Not answered by:\n" + refusals);
  return result;
}

nlohmann::json to_json(const Question& question, const Answer& answer) {
  nlohmann::json json{{"accountant", to_string(answer.accountant)}, {"seconds", answer.seconds}};
  if (answer.found)
    json[question.wanted_name()] = question.wants_epsilon ? to_json(answer.found->bound) : to_json(*answer.found);
  else
    json["refused"] = answer.refusal;
  return json;
}

}  // namespace dpbudget::tools
