#include "dpbudget/tools/python/bindings/bound.h"

#include <nanobind/stl/string.h>

#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/python/bindings/bindings.h"

namespace dpbudget::python {
namespace {

namespace nb = nanobind;

nb::str text(std::string_view text) { return nb::str(text.data(), text.size()); }

nb::tuple texts(const std::vector<std::string>& all) {
  nb::list list;
  for (const std::string& one : all) list.append(text(one));
  return nb::tuple(list);
}

template <class... More>
nb::object made(const char* name, const Bound& bound, const More&... more) {
  return nb::module_::import_("dpbudget._bound")
      .attr(name)(bound.lower, bound.upper, text(to_string(bound.guarantee)), texts(bound.theorems), texts(bound.notes),
                  text(bound.accountant), more...);
}

Guarantee guarantee_named(std::string_view name) {
  return name == to_string(Guarantee::proven) ? Guarantee::proven : Guarantee::estimate;
}

}  // namespace

nb::object to_python(const Bound& bound) { return made("Bound", bound); }

nb::object to_python(const DeltaBound& found) {
  return made("DeltaBound", found.bound, found.log_lower, found.log_upper);
}

void add_bound_texts(nb::module_& module) {
  module.def(
      "bracket_text",
      [](double lower, double upper, const std::string& guarantee) {
        return tools::bracket_text(Bound{lower, upper, guarantee_named(guarantee), {}, {}});
      },
      nb::arg("lower"), nb::arg("upper"), nb::arg("guarantee"),
      "The ends as the program prints them, rounded outwards.");
  module.def(
      "delta_bracket_text",
      [](double ln_lower, double ln_upper, const std::string& guarantee) {
        return tools::bracket_text(DeltaBound{{0, 0, guarantee_named(guarantee), {}, {}}, ln_lower, ln_upper});
      },
      nb::arg("ln_lower"), nb::arg("ln_upper"), nb::arg("guarantee"),
      "The same for a delta, whose ends are given by their logarithms.");
}

}  // namespace dpbudget::python
