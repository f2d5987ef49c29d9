/// @file
/// Bounds as objects of the package's own class, which is written in Python.
#pragma once

#include <nanobind/nanobind.h>

#include "dpbudget/accounting/base/bound.h"

namespace dpbudget::python {

/// A dpbudget.Bound. The interpreter's lock must be held.
/// @throws nanobind::python_error
nanobind::object to_python(const Bound& bound);

/// A dpbudget.DeltaBound.
nanobind::object to_python(const DeltaBound& found);

/// For casters, which may not throw: no object, and Python's error set, where there is one.
template <class Kind>
nanobind::handle to_python_or_error(const Kind& bound) noexcept {
  try {
    return to_python(bound).release();
  } catch (nanobind::python_error& error) {
    error.restore();
    return {};
  }
}

}  // namespace dpbudget::python

template <>
struct nanobind::detail::type_caster<dpbudget::Bound> {
  static constexpr auto Name = const_name("dpbudget._bound.Bound");
  static handle from_cpp(const dpbudget::Bound& bound, rv_policy /*policy*/, cleanup_list* /*cleanup*/) noexcept {
    return dpbudget::python::to_python_or_error(bound);
  }
};

template <>
struct nanobind::detail::type_caster<dpbudget::DeltaBound> {
  static constexpr auto Name = const_name("dpbudget._bound.DeltaBound");
  static handle from_cpp(const dpbudget::DeltaBound& found, rv_policy /*policy*/, cleanup_list* /*cleanup*/) noexcept {
    return dpbudget::python::to_python_or_error(found);
  }
};
