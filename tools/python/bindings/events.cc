#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/each_field.h"
#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/tools/python/bindings/bindings.h"
#include "dpbudget/tools/python/bindings/given.h"

namespace dpbudget::python {
namespace {

namespace nb = nanobind;

// What Python gives for each kind of field, and what the argument is called there: as in the language's help.
template <class Owner>
GivenReal given_for(const fields::RealField<Owner>&);
template <class Owner>
GivenRate given_for(const fields::RateField<Owner>&);
template <class Owner>
GivenDraws given_for(const fields::DrawsField<Owner>&);
template <class Owner>
GivenTrials given_for(const fields::TrialsField<Owner>&);
template <class Owner>
GivenSteps given_for(const fields::StepsField<Owner>&);
template <class Owner>
GivenTable given_for(const fields::TableField<Owner>&);
template <class Owner>
GivenCount given_for(const fields::CountField<Owner>&);
template <class Owner>
GivenInteger given_for(const fields::IntegerField<Owner>&);
template <class Owner>
GivenInteger given_for(const fields::OptionalField<Owner>&);
template <class Owner>
GivenFlag given_for(const fields::FlagField<Owner>&);
template <class Owner>
GivenPlan given_for(const fields::InnerField<Owner>&);

nb::arg argument(const auto& field) { return nb::arg(field.name.data()); }
template <class Owner>
nb::arg argument(const fields::RealField<Owner>& field) {
  return nb::arg(field.parameter.data());
}
template <class Owner>
nb::arg argument(const fields::InnerField<Owner>&) {
  return nb::arg("plan");
}
template <class Owner>
auto argument(const fields::OptionalField<Owner>& field) {
  return nb::arg(field.name.data()) = field.usual;
}
template <class Owner>
auto argument(const fields::FlagField<Owner>& field) {
  return nb::arg(field.name.data()) = false;
}

// Reads members, and keeps the adjacency that a plan among them was given.
class Reader {
 public:
  auto operator()(const auto& field, const auto& given) const { return given.read(argument(field).name_); }

  template <class Owner>
  Inner operator()(const fields::InnerField<Owner>&, const GivenPlan& given) {
    ParsedPlan plan = given.read("plan");
    adjacency_ = plan.adjacency;
    return std::move(plan.event);
  }

  std::optional<Adjacency> adjacency() const { return adjacency_; }

 private:
  std::optional<Adjacency> adjacency_;
};

// What a range says that it allows.
template <class Number>
std::string allowed_by(void (*range)(Number), Number outside) {
  try {
    range(outside);
  } catch (const InvalidArgument& refusal) {
    constexpr std::string_view before = "must be ";
    const std::string_view text = refusal.what();
    return std::string(text.substr(text.find(before) + before.size()));
  }
  return "any number";
}

std::string range_of(const auto& field) { return allowed_by<std::uint64_t>(field.range, ranges::max_count + 1); }
template <class Owner>
std::string range_of(const fields::RealField<Owner>& field) {
  return allowed_by(field.range, std::numeric_limits<double>::quiet_NaN());
}
template <class Owner>
std::string range_of(const fields::RateField<Owner>&) {
  return "in [0, 1], or exactly as (drawn, population)";
}
template <class Owner>
std::string range_of(const fields::DrawsField<Owner>&) {
  return "(number, population): how many draws, or places, and of how many records";
}
template <class Owner>
std::string range_of(const fields::TrialsField<Owner>&) {
  return "how many runs there are: \"poisson(mean)\", \"geometric(gamma)\" or \"negative_binomial(eta, gamma)\"";
}
template <class Owner>
std::string range_of(const fields::StepsField<Owner>&) {
  return "how many batches, in [1, 2^53], or (times, steps): into how many of them a record is dealt";
}
template <class Owner>
std::string range_of(const fields::TableField<Owner>& field) {
  return fmt::format("pairs ({}, {})", field.first, field.second);
}
template <class Owner>
std::string range_of(const fields::FlagField<Owner>&) {
  return "whether that is promised";
}
template <class Owner>
std::string range_of(const fields::InnerField<Owner>&) {
  return "what runs inside";
}

template <class Kind, class... Field>
std::string documentation(const Field&... field) {
  std::string names;
  std::string members;
  ((names += fmt::format("{}{}", names.empty() ? "" : ", ", argument(field).name_)), ...);
  ((members += fmt::format("{:<10} {}\n", argument(field).name_, range_of(field))), ...);
  const auto is_noise = [](std::string_view name) { return name == "noise" || name == "scale"; };
  const std::string unit =
      (is_noise(argument(field).name_) || ...) ? "It is relative to the sensitivity under the plan's adjacency. " : "";
  return fmt::format(
      "`{}({})` of the plan language: {}.\n\n{}\n{}A number may be \"?\", the unknown that solve finds. Which theorems "
      "an answer rests on, it says itself (`Bound.theorems`).\n\nRaises InvalidArgument naming the number that is "
      "outside its range.",
      Kind::name.text, names, Kind::name.assumes, members, unit);
}

template <class Kind, class... Field>
void add_function(nb::module_& module, const Field&... field) {
  module.def(
      Kind::name.text.data(),
      [field...](const decltype(given_for(field))&... given) {
        Reader read;
        Event event = Kind{read(field, given)...};
        check(event);
        return ParsedPlan{std::move(event), read.adjacency()};
      },
      argument(field)..., documentation<Kind>(field...).c_str());
}

}  // namespace

void add_events(nb::module_& module) {
  nb::module_ events =
      module.def_submodule("events", "A function for every event that has a name in the plan language.");
  each_kind([&]<class Kind>(std::type_identity<Kind>) {
    if constexpr (!Kind::name.text.empty())
      Kind::fields([&](const auto&... field) { add_function<Kind>(events, field...); });
  });
}

}  // namespace dpbudget::python
