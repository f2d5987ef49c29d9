#include "dpbudget/fl/verify/same_plan.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

#include "dpbudget/accounting/plan/each_field.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget::fl {
namespace {

bool is_close(const Real& a, const Real& b) {
  if (a.is_unknown() || b.is_unknown()) return a == b;
  return a == b || std::abs(a.value() - b.value()) <= solved_tolerance * std::max(a.value(), b.value());
}

bool is_same(const Event& a, const Event& b) {
  if (a.index() != b.index()) return false;
  bool same = true;
  each_field(a, Overloaded{[&]<class Kind>(const fields::RealField<Kind>& field, const Real& value) {
                             const Real& other = std::get<Kind>(b).*field.member;
                             const bool is_solved =
                                 std::is_same_v<Kind, ApproximateDp> && field.kind == UnknownKind::epsilon;
                             same = same && (is_solved ? is_close(value, other) : value == other);
                           },
                           [&]<class Kind>(const fields::InnerField<Kind>& field, const Inner& inner) {
                             same = same && is_same(*inner, *(std::get<Kind>(b).*field.member));
                           },
                           [&]<class Kind>(const fields::PartsField<Kind>& field, const std::vector<Event>& parts) {
                             same = same && std::ranges::equal(parts, std::get<Kind>(b).*field.member, is_same);
                           },
                           [&]<template <class> class Field, class Kind>(const Field<Kind>& field, const auto& value) {
                             same = same && value == std::get<Kind>(b).*field.member;
                           }});
  return same;
}

}  // namespace

bool is_same_plan(const Plan& recorded, const Plan& computed) {
  return recorded.adjacency == computed.adjacency && is_same(recorded.event, computed.event);
}

}  // namespace dpbudget::fl
