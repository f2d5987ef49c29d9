#include "dpbudget/accounting/plan/plan_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <initializer_list>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "dpbudget/accounting/plan/each_field.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget {
namespace {

std::string text(const Real& quantity) { return quantity.is_unknown() ? "?" : fmt::format("{}", quantity.value()); }
std::string text(const Count& quantity) { return quantity.is_unknown() ? "?" : fmt::format("{}", quantity.value()); }
std::string text(const Rate& rate) {
  if (const auto* fraction = std::get_if<Rate::Fraction>(&rate.form))
    return fmt::format("{} of {}", fraction->drawn, fraction->population);
  return text(std::get<Real>(rate.form));
}

std::string text(const Steps& steps) {
  return steps.times == 1 ? text(steps.number) : fmt::format("{} of {}", steps.times, text(steps.number));
}

std::string text(const Draws& draws) { return fmt::format("{} of {}", text(draws.number), draws.population); }

// Text that may stand as an operand of `x` or `+`: a composition needs brackets there.
std::string operand(const Event& event) {
  const auto* composed = std::get_if<Composed>(&event);
  return composed != nullptr && !composed->parts.empty() ? fmt::format("({})", to_text(event)) : to_text(event);
}

std::string text(const Table& rows) {
  std::string all;
  for (const auto& [first, second] : rows) all += fmt::format("{}{}:{}", all.empty() ? "" : ", ", first, second);
  return all;
}

// What stands in an event's brackets.
std::string arguments_of(const Event& event) {
  std::string arguments;
  const auto add = [&](std::string_view argument, std::string_view separator = ", ") {
    arguments += fmt::format("{}{}", arguments.empty() ? "" : separator, argument);
  };
  each_field(
      event,
      Overloaded{
          [&]<class Kind>(const fields::RealField<Kind>&, const Real& value) { add(text(value)); },
          [&]<class Kind>(const fields::CountField<Kind>&, const Count& value) { add(text(value)); },
          [&]<class Kind>(const fields::IntegerField<Kind>&, std::uint64_t value) { add(std::to_string(value)); },
          [&]<class Kind>(const fields::OptionalField<Kind>& field, std::uint64_t value) {
            if (value != field.usual) add(fmt::format("{}", value));
          },
          [&]<class Kind>(const fields::FlagField<Kind>& field, bool value) {
            if (value) add(field.name);
          },
          [&]<class Kind>(const fields::RateField<Kind>&, const Rate& value) { add(text(value)); },
          [&]<class Kind>(const fields::DrawsField<Kind>&, const Draws& value) { add(text(value)); },
          [&]<class Kind>(const fields::StepsField<Kind>&, const Steps& value) { add(text(value)); },
          [&]<class Kind>(const fields::TrialsField<Kind>&, const Trials& trials) { add(to_text(trials)); },
          [&]<class Kind>(const fields::TableField<Kind>&, const Table& rows) { add(text(rows), "; "); },
          [&]<class Kind>(const fields::InnerField<Kind>&, const Inner& inner) { add(to_text(*inner)); },
          [&]<class Kind>(const fields::PartsField<Kind>&, const std::vector<Event>&) {}  // has no brackets
      });
  return arguments;
}

constexpr Overloaded parameter{
    []<class Kind>(const fields::RealField<Kind>& field) { return std::string(field.parameter); },
    []<class Kind>(const fields::CountField<Kind>& field) { return std::string(field.name); },
    []<class Kind>(const fields::IntegerField<Kind>& field) { return std::string(field.name); },
    []<class Kind>(const fields::OptionalField<Kind>& field) { return fmt::format("[, {}]", field.name); },
    []<class Kind>(const fields::FlagField<Kind>& field) { return fmt::format("[, {}]", field.name); },
    []<class Kind>(const fields::RateField<Kind>& field) { return std::string(field.name); },
    []<class Kind>(const fields::DrawsField<Kind>& field) { return fmt::format("{} of population", field.name); },
    []<class Kind>(const fields::TrialsField<Kind>&) {
      return std::string("poisson(mean)|geometric(gamma)|negative_binomial(eta, gamma)");
    },
    []<class Kind>(const fields::StepsField<Kind>& field) {
      return fmt::format("[{} of ]{}", field.times, field.name);
    },
    []<class Kind>(const fields::TableField<Kind>& field) {
      return fmt::format("; {}:{}, ...", field.first, field.second);
    },
    []<class Kind>(const fields::InnerField<Kind>&) { return std::string("PLAN"); }};

template <class Kind>
std::string signature() {
  std::string parameters = Kind::fields([](const auto&... field) {
    return fmt::format("{}", fmt::join(std::initializer_list<std::string>{parameter(field)...}, ", "));
  });
  // These have what sets them apart inside.
  for (const std::string_view apart : {", [", ", ;"})
    if (const auto at = parameters.find(apart); at != std::string::npos) parameters.erase(at, 2);
  if (parameters.starts_with("; ")) parameters.erase(0, 2);
  return fmt::format("{}({})", Kind::name.text, parameters);
}

}  // namespace

std::string to_text(const Event& event) {
  if (const auto* repeated = std::get_if<Repeated>(&event))
    return fmt::format("{} x {}", text(repeated->count), operand(*repeated->inner));
  if (const auto* composed = std::get_if<Composed>(&event)) {
    if (composed->parts.empty()) return "nothing";
    return fmt::format("{}", fmt::join(composed->parts | std::views::transform(operand), " + "));
  }
  return fmt::format("{}({})", name_of(event).text, arguments_of(event));
}

std::string signatures() {
  std::string all;
  each_kind([&]<class Kind>(std::type_identity<Kind>) {
    if constexpr (is_named<Kind>) {
      if (!all.empty()) all += ", ";
      all += signature<Kind>();
    }
  });
  return all;
}

std::string shortened_text(const Event& event) {
  std::string text = to_text(event);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

std::string to_text(const Plan& plan) {
  return to_text(plan.event) + " under " + std::string(to_string(plan.adjacency));
}

}  // namespace dpbudget
