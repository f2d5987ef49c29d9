/// @file
/// What an event says of itself: what it is called and what it is made of. Language, JSON, range checks and unknowns
/// read these descriptions (each_field.h) and know no event by name.
///
/// A description names an event's members in the order in which they stand in the struct, in the language and in JSON.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/plan/quantity.h"
#include "dpbudget/accounting/plan/table.h"
#include "dpbudget/accounting/plan/trials.h"

namespace dpbudget {

struct Event;
struct Rate;
struct Draws;
struct Steps;
class Inner;

/// What the `?` of an event stands for.
enum class UnknownKind { count, noise, scale, rate, epsilon, delta, reports, steps, rho, mu, draws, group, trials };

/// What an event is called.
struct EventName {
  std::string_view text;  ///< in the language; empty for what has a notation of its own there
  std::string_view json;
  std::string_view assumes;  ///< what must be true of what is accounted as this, in words for a reviewer
};

namespace fields {

/// A real number, which may be unknown.
template <class Owner>
struct RealField {
  Real Owner::* member;
  std::string_view name;
  std::string_view parameter;  ///< in the language's help
  void (*range)(double);       ///< throws InvalidArgument
  UnknownKind kind;
};

template <class Owner>
constexpr RealField<Owner> noise_multiplier(Real Owner::* member) {
  return {member, "noise_multiplier", "noise", ranges::noise_multiplier, UnknownKind::noise};
}
template <class Owner>
constexpr RealField<Owner> scale(Real Owner::* member) {
  return {member, "scale", "scale", ranges::scale, UnknownKind::scale};
}
template <class Owner>
constexpr RealField<Owner> epsilon(Real Owner::* member) {
  return {member, "epsilon", "epsilon", ranges::epsilon, UnknownKind::epsilon};
}
template <class Owner>
constexpr RealField<Owner> delta(Real Owner::* member) {
  return {member, "delta", "delta", ranges::release_delta, UnknownKind::delta};
}

template <class Owner>
constexpr RealField<Owner> rho(Real Owner::* member) {
  return {member, "rho", "rho", ranges::rho, UnknownKind::rho};
}
/// Never unknown: `check` refuses that.
template <class Owner>
constexpr RealField<Owner> omega(Real Owner::* member) {
  return {member, "omega", "omega", ranges::omega, UnknownKind::rho};
}
template <class Owner>
constexpr RealField<Owner> mu(Real Owner::* member) {
  return {member, "mu", "mu", ranges::mu, UnknownKind::mu};
}

/// A sampling rate, which may be unknown.
template <class Owner>
struct RateField {
  Rate Owner::* member;
  std::string_view name;
};

template <class Owner>
constexpr RateField<Owner> rate(Rate Owner::* member) {
  return {member, "rate"};
}

/// Draws with replacement, whose number may be unknown.
template <class Owner>
struct DrawsField {
  Draws Owner::* member;
  std::string_view name;
};

template <class Owner>
constexpr DrawsField<Owner> draws(Draws Owner::* member) {
  return {member, "draws"};
}

/// The places of a batch, of so many records.
template <class Owner>
constexpr DrawsField<Owner> batch(Draws Owner::* member) {
  return {member, "batch"};
}

/// How many runs there are, whose mean may be unknown if it is Poisson's.
template <class Owner>
struct TrialsField {
  Trials Owner::* member;
  std::string_view name;
};

template <class Owner>
constexpr TrialsField<Owner> trials(Trials Owner::* member) {
  return {member, "trials"};
}

/// How many batches there are, which may be unknown, and how many of them a record is dealt into.
template <class Owner>
struct StepsField {
  Steps Owner::* member;
  std::string_view name;
  std::string_view times;  ///< in JSON, left out where it is 1
};

template <class Owner>
constexpr StepsField<Owner> dealt_steps(Steps Owner::* member) {
  return {member, "steps", "times"};
}

/// A list of pairs of numbers, none of them unknown. The language sets it apart from what stands before,
/// if anything does, by a semicolon.
template <class Owner>
struct TableField {
  Table Owner::* member;
  std::string_view name;
  std::string_view first;  ///< what a row's numbers are called
  std::string_view second;
  void (*range)(const Table&);  ///< throws InvalidArgument
};

template <class Owner>
constexpr TableField<Owner> shifts(Table Owner::* member) {
  return {member, "shifts", "probability", "offset", ranges::shifts};
}

template <class Owner>
constexpr TableField<Owner> points(Table Owner::* member) {
  return {member, "points", "epsilon", "delta", ranges::points};
}

template <class Owner>
constexpr TableField<Owner> divergences(Table Owner::* member) {
  return {member, "divergences", "order", "epsilon", ranges::divergences};
}

/// An integer, which may be unknown.
template <class Owner>
struct CountField {
  Count Owner::* member;
  std::string_view name;
  int least;  ///< what `range` allows
  void (*range)(std::uint64_t);
  UnknownKind kind;
};

template <class Owner>
constexpr CountField<Owner> count(Count Owner::* member) {
  return {member, "count", 0, ranges::count, UnknownKind::count};
}
template <class Owner>
constexpr CountField<Owner> reports(Count Owner::* member) {
  return {member, "reports", 1, ranges::reports, UnknownKind::reports};
}
template <class Owner>
constexpr CountField<Owner> steps(Count Owner::* member) {
  return {member, "steps", 1, ranges::steps, UnknownKind::steps};
}

template <class Owner>
constexpr CountField<Owner> group(Count Owner::* member) {
  return {member, "records", 1, ranges::group, UnknownKind::group};
}

/// An integer that is never unknown and always said.
template <class Owner>
struct IntegerField {
  std::uint64_t Owner::* member;
  std::string_view name;
  int least;  ///< what `range` allows
  void (*range)(std::uint64_t);
};

/// Of a frequency oracle, whose reports are about one of so many values.
template <class Owner>
constexpr IntegerField<Owner> domain(std::uint64_t Owner::* member) {
  return {member, "categories", 2, ranges::categories};
}

/// An integer that is never unknown and that the language leaves out, last as it stands, where it is `usual`.
template <class Owner>
struct OptionalField {
  std::uint64_t Owner::* member;
  std::string_view name;
  int least;  ///< what `range` allows
  void (*range)(std::uint64_t);
  std::uint64_t usual;
  bool is_always_in_json;
};

template <class Owner>
constexpr OptionalField<Owner> categories(std::uint64_t Owner::* member) {
  return {member, "categories", 2, ranges::categories, 2, true};
}
/// 0 where it is the best one for frequencies.
template <class Owner>
constexpr OptionalField<Owner> subset(std::uint64_t Owner::* member) {
  return {member, "subset", 0, ranges::subset, 0, false};
}
template <class Owner>
constexpr OptionalField<Owner> records(std::uint64_t Owner::* member) {
  return {member, "records", 1, ranges::records, 1, false};
}

/// What is promised of a release, or not. The language says it by the field's name, last, and leaves it out, as JSON
/// does, where it is not.
template <class Owner>
struct FlagField {
  bool Owner::* member;
  std::string_view name;
};

template <class Owner>
constexpr FlagField<Owner> clipped(bool Owner::* member) {
  return {member, "clipped"};
}

/// A node's one child.
template <class Owner>
struct InnerField {
  Inner Owner::* member;
  std::string_view name;
};

template <class Owner>
constexpr InnerField<Owner> inner(Inner Owner::* member) {
  return {member, "inner"};
}

/// A node's children.
template <class Owner>
struct PartsField {
  std::vector<Event> Owner::* member;
  std::string_view name;
};

template <class Owner>
constexpr PartsField<Owner> parts(std::vector<Event> Owner::* member) {
  return {member, "parts"};
}

}  // namespace fields
}  // namespace dpbudget
