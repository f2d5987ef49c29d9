/// @file
/// A plan put to every accountant.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/plan/each_field.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/accounting/plan/visit.h"
#include "fuzz/target.h"

namespace dpbudget::fuzz {

/// What a plan asks for, as far as it decides how long an answer takes.
struct Work {
  std::uint64_t nodes = 0;
  std::uint64_t largest_count = 0;  ///< of repetitions (nested ones multiplied), reports, records and categories
};

inline Work work_of(const Event& event, std::uint64_t times = 1) {
  Work work{1, times};
  const auto note = [&](std::uint64_t count) { work.largest_count = std::max(work.largest_count, count); };
  const auto add = [&](const Event& child, std::uint64_t child_times) {
    const Work inside = work_of(child, child_times);
    work.nodes += inside.nodes;
    note(inside.largest_count);
  };
  const auto* repeated = std::get_if<Repeated>(&event);
  const std::uint64_t of_children = repeated == nullptr ? times : times * repeated->count.value();
  each_field(
      event,
      Overloaded{[&]<class Kind>(const fields::RealField<Kind>&, const Real&) {},
                 [&]<class Kind>(const fields::CountField<Kind>&, const Count& value) { note(value.value()); },
                 [&]<class Kind>(const fields::IntegerField<Kind>&, std::uint64_t value) { note(value); },
                 [&]<class Kind>(const fields::OptionalField<Kind>&, std::uint64_t value) { note(value); },
                 [&]<class Kind>(const fields::FlagField<Kind>&, bool) {},
                 [&]<class Kind>(const fields::RateField<Kind>&, const Rate&) {},
                 [&]<class Kind>(const fields::DrawsField<Kind>&, const Draws& draws) { note(draws.number.value()); },
                 [&]<class Kind>(const fields::TrialsField<Kind>&, const Trials&) {},
                 [&]<class Kind>(const fields::StepsField<Kind>&, const Steps& steps) { note(steps.value()); },
                 [&]<class Kind>(const fields::TableField<Kind>&, const Table& rows) { note(rows.size()); },
                 [&]<class Kind>(const fields::InnerField<Kind>&, const Inner& inner) {
                   add(*inner, std::min<std::uint64_t>(of_children, 1U << 10U));
                 },
                 [&]<class Kind>(const fields::PartsField<Kind>&, const std::vector<Event>& parts) {
                   for (const Event& part : parts) add(part, of_children);
                 }});
  return work;
}

struct Question {
  double epsilon;
  double delta;
};

/// Ordinary ones, and such as are near the ends of the range of a double.
inline constexpr std::array questions = {Question{0.5, 1e-6}, Question{0, 0.3}, Question{1e-9, 1e-100},
                                         Question{30, 1e-300}};

/// Asks every accountant for epsilon and for delta, coarsely, and holds what they prove against each other. A plan that
/// is unknown in part, or so large that it may well take long, is asked nobody about. Which question is asked depends
/// on how long the plan's text is, so that the same input asks the same.
inline void ask_everybody(const Plan& plan) {
  if (unknowns(plan.event) > 0) return;
  const Work work = work_of(plan.event);
  if (work.nodes > 6 || work.largest_count > 100) return;

  const Question& question = questions.at(to_text(plan).size() % questions.size());
  double most = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const AccountantName name : all_accountants) {
    const auto accountant = make_accountant(name, plan, 0.5);
    if (!accountant) continue;
    const auto delta = (*accountant)->delta(1, question.epsilon);
    expect(!delta || delta->bound.lower <= delta->bound.upper, "the ends of delta are in order");
    const auto epsilon = (*accountant)->epsilon(1, question.delta);
    if (!epsilon || epsilon->guarantee != Guarantee::proven) continue;
    expect(epsilon->lower <= epsilon->upper, "the ends of epsilon are in order");
    most = std::max(most, epsilon->lower);
    least = std::min(least, epsilon->upper);
  }
  expect(most <= least, "what accountants prove of epsilon overlaps");
}

}  // namespace dpbudget::fuzz
