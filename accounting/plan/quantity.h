/// @file
/// A number in a plan that may still be unknown.
#pragma once

#include <cstdint>
#include <optional>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget {

/// A number, or the `?` that `solve` finds.
template <class Number>
class Quantity {
 public:
  Quantity(Number value) : value_(value) {}  // NOLINT(google-explicit-constructor): a plain number is a quantity
  static Quantity unknown() { return Quantity(); }

  bool is_unknown() const { return !value_; }

  /// @throws InvalidArgument when the number is unknown: an accountant needs every number of its plan
  Number value() const {
    if (!value_) throw InvalidArgument("the plan has an unknown `?`; give the number, or ask `solve` for it");
    return *value_;
  }

  friend bool operator==(const Quantity&, const Quantity&) = default;

 private:
  Quantity() = default;
  std::optional<Number> value_;
};

/// A real number, or the unknown.
using Real = Quantity<double>;
/// An integer, or the unknown.
using Count = Quantity<std::uint64_t>;

}  // namespace dpbudget
