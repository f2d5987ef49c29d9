#include "dpbudget/tools/python/bindings/given.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "dpbudget/accounting/accountants/choices.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/adjacency_choices.h"
#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/tools/python/bindings/bindings.h"

namespace dpbudget::python {
namespace {

namespace nb = nanobind;

[[noreturn]] void refuse_type(nb::handle object, std::string_view name, std::string_view allowed) {
  throw nb::type_error(
      fmt::format("{} is {}, but must be {}", name, nb::type_name(object.type()).c_str(), allowed).c_str());
}

// With whatever characters it has, a NUL among them.
std::string text_of(nb::handle string, std::string_view name) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(string.ptr(), &size);
  if (text != nullptr) return {text, static_cast<std::size_t>(size)};
  PyErr_Clear();
  throw InvalidArgument(fmt::format("{} has half of a surrogate pair, but must be text", name));
}

// "?" is; any other text is refused.
bool is_unknown(nb::handle object, std::string_view name) {
  if (!nb::isinstance<nb::str>(object)) return false;
  const std::string text = text_of(object, name);
  if (text != "?") throw InvalidArgument(fmt::format("{} is '{}', but must be a number or '?'", name, text));
  return true;
}

// Python prints no more digits than it reads.
std::string digits_of(const nb::object& integer) {
  const auto text = nb::steal<nb::str>(PyObject_Str(integer.ptr()));
  if (text.is_valid()) return text.c_str();
  PyErr_Clear();
  return "an integer of thousands of digits";
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
  throw InvalidArgument(fmt::format("{} is {}, but must be an integer in [0, 2^53]", name, digits_of(index)));
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

// What json.loads returns, or any other mapping of such.
std::string json_of(nb::handle mapping) {
  const nb::object plain = nb::module_::import_("builtins").attr("dict")(mapping);
  return text_of(nb::module_::import_("json").attr("dumps")(plain), "plan");
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

Trials ReadTrials::read(nb::handle object, std::string_view name) {
  if (!nb::isinstance<nb::str>(object)) refuse_type(object, name, "a text, as \"geometric(0.1)\"");
  return parse_trials(text_of(object, name));
}

Steps ReadSteps::read(nb::handle object, std::string_view name) {
  if (!nb::isinstance<nb::tuple>(object)) return ReadCount::read(object, name);
  if (nb::len(object) != 2) refuse_type(object, name, "an integer, or a pair (times, steps)");
  return {ReadInteger::read(object[0], "times"), ReadCount::read(object[1], name)};
}

Table ReadTable::read(nb::handle object, std::string_view name) {
  if (PySequence_Check(object.ptr()) == 0 || nb::isinstance<nb::str>(object))
    refuse_type(object, name, "a sequence of pairs of numbers");
  Table table;
  for (const nb::handle row : object) {
    if (!nb::isinstance<nb::tuple>(row) || nb::len(row) != 2) refuse_type(row, name, "a sequence of pairs of numbers");
    table.push_back({ReadNumber::read(row[0], name), ReadNumber::read(row[1], name)});
  }
  return table;
}

bool ReadFlag::read(nb::handle object, std::string_view name) {
  if (!nb::isinstance<nb::bool_>(object)) refuse_type(object, name, "True or False");
  return nb::cast<bool>(object);
}

ParsedPlan ReadPlan::read(nb::handle object, std::string_view name) {
  if (nb::isinstance<ParsedPlan>(object)) return nb::cast<ParsedPlan>(object);
  if (nb::isinstance<nb::str>(object)) return from_text(text_of(object, name));
  if (PyMapping_Check(object.ptr()) != 0 && nb::hasattr(object, "keys")) return from_json(json_of(object));
  refuse_type(object, name, "a plan, its text or its JSON");
}

std::string ReadText::read(nb::handle object, std::string_view name) {
  if (!nb::isinstance<nb::str>(object)) refuse_type(object, name, "a text");
  return text_of(object, name);
}

std::optional<std::string> ReadOptionalText::read(nb::handle object, std::string_view name) {
  if (object.is_none()) return std::nullopt;
  return ReadText::read(object, name);
}

Adjacency adjacency_of(const std::string& name) {
  if (const auto found = adjacency_named(name)) return *found;
  throw InvalidArgument(fmt::format("adjacency is {}, but must be {}", name, adjacency_choices(name)));
}

AccountantName read_accountant(const GivenText& accountant) {
  const std::string name = accountant.read("accountant");
  if (const auto found = accountant_named(name)) return *found;
  throw InvalidArgument(fmt::format("accountant is {}, but must be one of {}", name, accountant_choices(name)));
}

Plan read_plan(const GivenPlan& plan, const GivenOptionalText& adjacency) {
  ParsedPlan read = plan.read("plan");
  const std::optional<std::string> named = adjacency.read("adjacency");
  return plan_of(std::move(read), named ? std::optional(adjacency_of(*named)) : std::nullopt);
}

void add_given(nb::module_& module) {
  module.def(
      "number", [](const std::string& name, const GivenNumber& given) { return given.read(name); }, nb::arg("name"),
      nb::arg("given").none(), nb::sig("def number(name: str, given: typing.Any) -> float"),
      "An argument called `name`, which must be a number.");
  module.def(
      "integer", [](const std::string& name, const GivenInteger& given) { return given.read(name); }, nb::arg("name"),
      nb::arg("given").none(), nb::sig("def integer(name: str, given: typing.Any) -> int"),
      "An argument called `name`, which must be an integer in [0, 2^53].");
}

}  // namespace dpbudget::python
