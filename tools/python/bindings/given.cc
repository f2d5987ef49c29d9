#include "dpbudget/tools/python/bindings/given.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/json.h"

namespace dpbudget::python {
namespace {

namespace nb = nanobind;

[[noreturn]] void refuse_type(nb::handle object, std::string_view name, std::string_view allowed) {
  throw nb::type_error(
      fmt::format("{} is {}, but must be {}", name, nb::type_name(object.type()).c_str(), allowed).c_str());
}

// "?" is; any other text is refused.
bool is_unknown(nb::handle object, std::string_view name) {
  if (!nb::isinstance<nb::str>(object)) return false;
  const char* text = nb::borrow<nb::str>(object).c_str();
  if (std::string_view(text) != "?")
    throw InvalidArgument(fmt::format("{} is '{}', but must be a number or '?'", name, text));
  return true;
}

std::uint64_t integer(nb::handle object, std::string_view name) {
  const auto index = nb::steal<nb::object>(PyNumber_Index(object.ptr()));
  if (!index.is_valid()) {
    PyErr_Clear();
    refuse_type(object, name, "an integer");
  }
  const std::uint64_t value = PyLong_AsUnsignedLongLong(index.ptr());
  if (PyErr_Occurred() == nullptr && value <= ranges::max_count) return value;
  PyErr_Clear();
  throw InvalidArgument(fmt::format("{} is {}, but must be an integer in [0, 2^53]", name, nb::str(index).c_str()));
}

Rate fraction(nb::handle drawn, nb::handle population) {
  const std::uint64_t m = integer(drawn, "drawn");
  const std::uint64_t n = integer(population, "population");
  ranges::fraction(m, n);
  return {m, n};
}

ParsedPlan from_json(const std::string& text) {
  try {
    Plan plan = plan_from_json(nlohmann::json::parse(text));
    return {std::move(plan.event), plan.adjacency};
  } catch (const nlohmann::json::exception& error) {
    throw InvalidArgument(fmt::format("plan is not JSON: {}", error.what()));
  }
}

ParsedPlan from_text(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{' ? from_json(text) : parse(text);
}

template <class Choices, class Named>
auto named(const std::string& name, std::string_view what, const Choices& all, const Named& find) {
  const auto found = find(name);
  if (found) return *found;
  std::vector<std::string_view> names;
  for (const auto choice : all) names.push_back(to_string(choice));
  throw InvalidArgument(fmt::format("{} is {}, but must be one of {}", what, name, fmt::join(names, ", ")));
}

}  // namespace

double ReadNumber::read(nb::handle object, std::string_view name) {
  const double value = PyFloat_AsDouble(object.ptr());
  if (value != -1 || PyErr_Occurred() == nullptr) return value;
  const bool is_large = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
  PyErr_Clear();
  if (is_large) throw InvalidArgument(fmt::format("{} is larger than any double", name));
  refuse_type(object, name, "a number");
}

Real ReadReal::read(nb::handle object, std::string_view name) {
  if (is_unknown(object, name)) return Real::unknown();
  return ReadNumber::read(object, name);
}

std::uint64_t ReadInteger::read(nb::handle object, std::string_view name) { return integer(object, name); }

Count ReadCount::read(nb::handle object, std::string_view name) {
  if (is_unknown(object, name)) return Count::unknown();
  return integer(object, name);
}

Rate ReadRate::read(nb::handle object, std::string_view name) {
  if (nb::isinstance<nb::tuple>(object) && nb::len(object) == 2) return fraction(object[0], object[1]);
  if (!nb::isinstance<nb::int_>(object) && nb::hasattr(object, "numerator") && nb::hasattr(object, "denominator"))
    return fraction(object.attr("numerator"), object.attr("denominator"));
  return ReadReal::read(object, name);
}

Draws ReadDraws::read(nb::handle object, std::string_view name) {
  if (!nb::isinstance<nb::tuple>(object) || nb::len(object) != 2)
    refuse_type(object, name, "a pair (drawn, population)");
  return {ReadCount::read(object[0], "draws"), ReadInteger::read(object[1], "population")};
}

ParsedPlan ReadPlan::read(nb::handle object, std::string_view name) {
  if (nb::isinstance<ParsedPlan>(object)) return nb::cast<ParsedPlan>(object);
  if (nb::isinstance<nb::str>(object)) return from_text(nb::borrow<nb::str>(object).c_str());
  if (nb::isinstance<nb::dict>(object))
    return from_json(nb::borrow<nb::str>(nb::module_::import_("json").attr("dumps")(object)).c_str());
  refuse_type(object, name, "a plan, its text or its JSON");
}

Adjacency read_adjacency(const std::string& name) { return named(name, "adjacency", all_adjacencies, adjacency_named); }

AccountantName read_accountant(const std::string& name) {
  return named(name, "accountant", all_accountants, accountant_named);
}

Plan read_plan(const GivenPlan& plan, const std::optional<std::string>& adjacency) {
  return plan_of(plan.read("plan"), adjacency ? std::optional(read_adjacency(*adjacency)) : std::nullopt);
}

}  // namespace dpbudget::python
