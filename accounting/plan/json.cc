#include "dpbudget/accounting/plan/json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

#include "dpbudget/accounting/base/nearest.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/plan/each_field.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget {
namespace {

using nlohmann::json;

template <class Number>
json quantity(const Quantity<Number>& value) {
  return value.is_unknown() ? json("?") : json(value.value());
}

json rate(const Rate& value) {
  if (const auto* fraction = std::get_if<Rate::Fraction>(&value.form))
    return {{"drawn", fraction->drawn}, {"population", fraction->population}};
  return quantity(std::get<Real>(value.form));
}

json trials(const Trials& value) {
  if (const auto* poisson = std::get_if<Trials::Poisson>(&value.law))
    return {{"poisson", {{"mean", quantity(poisson->mean)}}}};
  const auto& [eta, gamma] = std::get<Trials::NegativeBinomial>(value.law);
  if (eta == 1) return {{"geometric", {{"gamma", gamma}}}};
  return {{"negative_binomial", {{"eta", eta}, {"gamma", gamma}}}};
}

// The members of a JSON object, each asked for once by name; `done` refuses those nobody asked for.
class Members {
 public:
  Members(const json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object_.is_object()) throw InvalidArgument(fmt::format("{} must be a JSON object", where_));
  }

  bool has(const std::string& name) const { return object_.contains(name); }

  const json& at(const std::string& name) {
    const auto member = object_.find(name);
    if (member == object_.end()) throw InvalidArgument(fmt::format("{} lacks `{}`", where_, name));
    ++asked_;
    return *member;
  }

  Real real(const std::string& name) {
    const json& value = at(name);
    if (value == "?") return Real::unknown();
    if (!value.is_number()) throw InvalidArgument(fmt::format("{} of {} must be a number or \"?\"", name, where_));
    return value.get<double>();
  }
  double number(const std::string& name) {
    const json& value = at(name);
    if (!value.is_number()) throw InvalidArgument(fmt::format("{} of {} must be a number", name, where_));
    return value.get<double>();
  }
  std::uint64_t integer(const std::string& name) {
    const json& value = at(name);
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    // To JSON Schema 2.0 and -0 are integers, too.
    const double number = value.is_number() ? value.get<double>() : -1;
    if (!(number >= 0 && number <= static_cast<double>(ranges::max_count) && std::floor(number) == number))
      throw InvalidArgument(
          fmt::format("{} of {} is {}, but must be an integer in [0, 2^53]", name, where_, value.dump()));
    return static_cast<std::uint64_t>(number);
  }
  Count count(const std::string& name) {
    return object_.value(name, json()) == "?" ? unknown_count(name) : integer(name);
  }
  Rate rate(const std::string& name) {
    if (!object_.contains(name) || !object_[name].is_object()) return real(name);
    Members fraction(at(name), name);
    const Rate exact(fraction.integer("drawn"), fraction.integer("population"));
    fraction.done();
    return exact;
  }
  Draws draws(const std::string& name) {
    Members given(at(name), name);
    const Draws draws{given.count("drawn"), given.integer("population")};
    given.done();
    return draws;
  }
  Trials trials(const std::string& name) {
    const json& value = at(name);
    if (!value.is_object() || value.size() != 1)
      throw InvalidArgument(
          fmt::format("{} of {} must be a JSON object with one member, named after the law", name, where_));
    const std::string law = value.begin().key();
    Members members(value.begin().value(), law);
    const auto read = [&]() -> Trials {
      if (law == "poisson") return {Trials::Poisson{members.real("mean")}};
      if (law == "geometric") return geometric(members.number("gamma"));
      if (law == "negative_binomial") {
        const double eta = members.number("eta");
        return {Trials::NegativeBinomial{eta, members.number("gamma")}};
      }
      throw InvalidArgument(
          fmt::format("{} of {} is {}, but must be poisson, geometric or negative_binomial", name, where_, law));
    };
    Trials result = read();
    members.done();
    return result;
  }
  Table table(const std::string& name, std::string_view first, std::string_view second) {
    const json& rows = at(name);
    if (!rows.is_array()) throw InvalidArgument(fmt::format("{} of {} must be a JSON array", name, where_));
    Table table;
    for (const json& row : rows) {
      Members members(row, fmt::format("an item of {}", name));
      table.push_back({members.real(std::string(first)).value(), members.real(std::string(second)).value()});
      members.done();
    }
    return table;
  }
  bool flag(const std::string& name) {
    const json& value = at(name);
    if (!value.is_boolean()) throw InvalidArgument(fmt::format("{} of {} must be true or false", name, where_));
    return value.get<bool>();
  }
  void done() const {
    if (asked_ == object_.size()) return;
    throw InvalidArgument(
        fmt::format("{} has {} member(s) too many: {}", where_, object_.size() - asked_, object_.dump()));
  }

 private:
  Count unknown_count(const std::string& name) {
    at(name);
    return Count::unknown();
  }

  const json& object_;
  std::string where_;
  std::size_t asked_ = 0;
};

// Reads the member that a description asks for.
class MemberReader {
 public:
  explicit MemberReader(Members& members, std::string_view event) : members_(members), event_(event) {}

  template <class Kind>
  Real operator()(const fields::RealField<Kind>& field) const {
    return members_.real(std::string(field.name));
  }
  template <class Kind>
  Count operator()(const fields::CountField<Kind>& field) const {
    return members_.count(std::string(field.name));
  }
  template <class Kind>
  std::uint64_t operator()(const fields::IntegerField<Kind>& field) const {
    return members_.integer(std::string(field.name));
  }
  template <class Kind>
  std::uint64_t operator()(const fields::OptionalField<Kind>& field) const {
    const std::string name(field.name);
    return field.is_always_in_json || members_.has(name) ? members_.integer(name) : field.usual;
  }
  template <class Kind>
  bool operator()(const fields::FlagField<Kind>& field) const {
    const std::string name(field.name);
    return members_.has(name) && members_.flag(name);
  }
  template <class Kind>
  Rate operator()(const fields::RateField<Kind>& field) const {
    return members_.rate(std::string(field.name));
  }
  template <class Kind>
  Draws operator()(const fields::DrawsField<Kind>& field) const {
    return members_.draws(std::string(field.name));
  }
  template <class Kind>
  Trials operator()(const fields::TrialsField<Kind>& field) const {
    return members_.trials(std::string(field.name));
  }
  template <class Kind>
  Steps operator()(const fields::StepsField<Kind>& field) const {
    const Count number = members_.count(std::string(field.name));
    const std::string times(field.times);
    return members_.has(times) ? Steps(members_.integer(times), number) : Steps(number);
  }
  template <class Kind>
  Table operator()(const fields::TableField<Kind>& field) const {
    return members_.table(std::string(field.name), field.first, field.second);
  }
  template <class Kind>
  Event operator()(const fields::InnerField<Kind>& field) const {
    return event_from_json(members_.at(std::string(field.name)));
  }
  template <class Kind>
  std::vector<Event> operator()(const fields::PartsField<Kind>& field) const {
    const json& array = members_.at(std::string(field.name));
    if (!array.is_array()) throw InvalidArgument(fmt::format("{} of {} must be a JSON array", field.name, event_));
    std::vector<Event> parts;
    for (const json& part : array) parts.push_back(event_from_json(part));
    return parts;
  }

 private:
  Members& members_;
  std::string_view event_;
};

Event read(const std::string& name, const json& body) {
  std::optional<Event> event;
  each_kind([&]<class Kind>(std::type_identity<Kind>) {
    if (Kind::name.json != name) return;
    Members members(body, name);
    event = made_of<Kind>(MemberReader(members, name));
    members.done();
  });
  if (!event) {
    std::vector<std::string> known;
    each_kind([&]<class Kind>(std::type_identity<Kind>) { known.emplace_back(Kind::name.json); });
    throw InvalidArgument(fmt::format("event `{}` is unknown; the nearest is `{}`", name, nearest(name, known)));
  }
  return *std::move(event);
}

json members_of(const Event& event) {
  json members = json::object();
  const auto add = [&](std::string_view name, json value) { members[std::string(name)] = std::move(value); };
  each_field(
      event,
      Overloaded{
          [&]<class Kind>(const fields::RealField<Kind>& field, const Real& value) {
            add(field.name, quantity(value));
          },
          [&]<class Kind>(const fields::CountField<Kind>& field, const Count& value) {
            add(field.name, quantity(value));
          },
          [&]<class Kind>(const fields::IntegerField<Kind>& field, std::uint64_t value) { add(field.name, value); },
          [&]<class Kind>(const fields::OptionalField<Kind>& field, std::uint64_t value) {
            if (field.is_always_in_json || value != field.usual) add(field.name, value);
          },
          [&]<class Kind>(const fields::FlagField<Kind>& field, bool value) {
            if (value) add(field.name, true);
          },
          [&]<class Kind>(const fields::RateField<Kind>& field, const Rate& value) { add(field.name, rate(value)); },
          [&]<class Kind>(const fields::DrawsField<Kind>& field, const Draws& value) {
            add(field.name, json{{"drawn", quantity(value.number)}, {"population", value.population}});
          },
          [&]<class Kind>(const fields::StepsField<Kind>& field, const Steps& value) {
            add(field.name, quantity(value.number));
            if (value.times != 1) add(field.times, value.times);
          },
          [&]<class Kind>(const fields::TrialsField<Kind>& field, const Trials& value) {
            add(field.name, trials(value));
          },
          [&]<class Kind>(const fields::TableField<Kind>& field, const Table& rows) {
            json items = json::array();
            for (const auto& [first, second] : rows)
              items.push_back({{std::string(field.first), first}, {std::string(field.second), second}});
            add(field.name, std::move(items));
          },
          [&]<class Kind>(const fields::InnerField<Kind>& field, const Inner& inner) {
            add(field.name, to_json(*inner));
          },
          [&]<class Kind>(const fields::PartsField<Kind>& field, const std::vector<Event>& events) {
            json parts = json::array();
            for (const Event& part : events) parts.push_back(to_json(part));
            add(field.name, std::move(parts));
          }});
  return members;
}

}  // namespace

json to_json(const Event& event) {
  const std::string_view name = name_of(event).json;
  return {{std::string(name), members_of(event)}};
}

json to_json(const Plan& plan) {
  return {{"version", plan_json_version}, {"adjacency", to_string(plan.adjacency)}, {"event", to_json(plan.event)}};
}

Event event_from_json(const json& json) {
  if (!json.is_object() || json.size() != 1)
    throw InvalidArgument("an event must be a JSON object with one member, named after the event");
  Event event = read(json.begin().key(), json.begin().value());
  check(event);
  return event;
}

Plan plan_from_json(const json& json) {
  Members members(json, "plan");
  if (const auto& version = members.at("version"); version != plan_json_version)
    throw InvalidArgument(fmt::format("version of the plan is {}, but must be {}", version.dump(), plan_json_version));
  const auto& name = members.at("adjacency");
  const auto adjacency = name.is_string() ? adjacency_named(name.get<std::string>()) : std::nullopt;
  if (!adjacency)
    throw InvalidArgument(fmt::format(
        "adjacency of the plan is {}, but must be add_or_remove_one, replace_one or zero_out_one", name.dump()));
  Plan plan{event_from_json(members.at("event")), *adjacency};
  members.done();
  if (unknowns(plan.event) > 1) throw InvalidArgument("the plan has more than one `?`, but may have one at most");
  return plan;
}

}  // namespace dpbudget
