#include "dpbudget/accounting/plan/json.h"

#include <fmt/format.h>

#include <initializer_list>
#include <nlohmann/json.hpp>

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

// The members of a JSON object, each asked for once by name; `done` refuses those nobody asked for.
class Members {
 public:
  Members(const json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object_.is_object()) throw InvalidArgument(fmt::format("{} must be a JSON object", where_));
  }

  const json& at(const std::string& name) {
    const auto member = object_.find(name);
    if (member == object_.end()) throw InvalidArgument(fmt::format("{} lacks `{}`", where_, name));
    ++asked_;
    return *member;
  }
  bool has(const std::string& name) const { return object_.contains(name); }

  Real real(const std::string& name) {
    const json& value = at(name);
    if (value == "?") return Real::unknown();
    if (!value.is_number()) throw InvalidArgument(fmt::format("{} of {} must be a number or \"?\"", name, where_));
    return value.get<double>();
  }
  std::uint64_t integer(const std::string& name) {
    const json& value = at(name);
    if (!value.is_number_unsigned())
      throw InvalidArgument(
          fmt::format("{} of {} is {}, but must be an integer of at least 0", name, where_, value.dump()));
    return value.get<std::uint64_t>();
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
  Event inner() { return event_from_json(at("inner")); }

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

Event read(const std::string& name, const json& body) {
  Members members(body, name);
  const auto made = [&](Event event) {
    members.done();
    return event;
  };
  if (name == "gaussian") return made(Gaussian{members.real("noise_multiplier")});
  if (name == "laplace") return made(Laplace{members.real("scale")});
  if (name == "discrete_gaussian") return made(DiscreteGaussian{members.real("noise_multiplier")});
  if (name == "discrete_laplace") return made(DiscreteLaplace{members.real("scale")});
  if (name == "randomized_response")
    return made(RandomizedResponse{members.real("epsilon"), members.integer("categories")});
  if (name == "pure_dp") return made(PureDp{members.real("epsilon")});
  if (name == "approximate_dp") return made(ApproximateDp{members.real("epsilon"), members.real("delta")});
  if (name == "poisson_sampled") return made(PoissonSampled{members.rate("rate"), members.inner()});
  if (name == "sampled_without_replacement")
    return made(SampledWithoutReplacement{members.rate("rate"), members.inner()});
  if (name == "participates") return made(Participates{members.rate("rate"), members.inner()});
  if (name == "repeated") return made(Repeated{members.count("count"), members.inner()});
  if (name == "shuffled") {
    Shuffled shuffled{members.count("reports"), members.inner()};
    if (members.has("records")) shuffled.records = members.integer("records");
    return made(shuffled);
  }
  if (name == "composed") {
    Composed composed;
    const json& parts = members.at("parts");
    if (!parts.is_array()) throw InvalidArgument("parts of composed must be a JSON array");
    for (const json& part : parts) composed.parts.push_back(event_from_json(part));
    return made(std::move(composed));
  }
  throw InvalidArgument(fmt::format("event `{}` is unknown", name));
}

}  // namespace

json to_json(const Event& event) {
  return match(
      event,
      [](const Gaussian& e) -> json { return {{"gaussian", {{"noise_multiplier", quantity(e.noise_multiplier)}}}}; },
      [](const Laplace& e) -> json { return {{"laplace", {{"scale", quantity(e.scale)}}}}; },
      [](const DiscreteGaussian& e) -> json {
        return {{"discrete_gaussian", {{"noise_multiplier", quantity(e.noise_multiplier)}}}};
      },
      [](const DiscreteLaplace& e) -> json { return {{"discrete_laplace", {{"scale", quantity(e.scale)}}}}; },
      [](const RandomizedResponse& e) -> json {
        return {{"randomized_response", {{"epsilon", quantity(e.epsilon)}, {"categories", e.categories}}}};
      },
      [](const PureDp& e) -> json { return {{"pure_dp", {{"epsilon", quantity(e.epsilon)}}}}; },
      [](const ApproximateDp& e) -> json {
        return {{"approximate_dp", {{"epsilon", quantity(e.epsilon)}, {"delta", quantity(e.delta)}}}};
      },
      [](const PoissonSampled& e) -> json {
        return {{"poisson_sampled", {{"rate", rate(e.rate)}, {"inner", to_json(*e.inner)}}}};
      },
      [](const SampledWithoutReplacement& e) -> json {
        return {{"sampled_without_replacement", {{"rate", rate(e.rate)}, {"inner", to_json(*e.inner)}}}};
      },
      [](const Participates& e) -> json {
        return {{"participates", {{"rate", rate(e.rate)}, {"inner", to_json(*e.inner)}}}};
      },
      [](const Repeated& e) -> json {
        return {{"repeated", {{"count", quantity(e.count)}, {"inner", to_json(*e.inner)}}}};
      },
      [](const Composed& e) -> json {
        json parts = json::array();
        for (const Event& part : e.parts) parts.push_back(to_json(part));
        return {{"composed", {{"parts", std::move(parts)}}}};
      },
      [](const Shuffled& e) -> json {
        json members = {{"reports", quantity(e.reports)}, {"inner", to_json(*e.inner)}};
        if (e.records != 1) members["records"] = e.records;
        return {{"shuffled", std::move(members)}};
      });
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
