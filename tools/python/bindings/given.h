/// @file
/// Arguments as Python gives them. They are taken as they come and read where their names are known, so that an error
/// says which one is wrong, what was given and what is allowed.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/plan/event.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::python {

/// Any object; `Read` says in stubs what it must be, and reads it.
template <class Read>
struct Given {
  nanobind::object object;

  /// @param name  of the argument
  /// @throws nanobind::type_error, or InvalidArgument naming the argument
  auto read(std::string_view name) const { return Read::read(object, name); }
};

/// A number.
struct ReadNumber {
  static constexpr auto type = nanobind::detail::const_name("typing.SupportsFloat");
  static double read(nanobind::handle object, std::string_view name);
};

/// A number or the unknown "?".
struct ReadReal {
  static constexpr auto type = nanobind::detail::const_name("typing.SupportsFloat | str");
  static Real read(nanobind::handle object, std::string_view name);
};

/// An integer in [0, 2^53].
struct ReadInteger {
  static constexpr auto type = nanobind::detail::const_name("typing.SupportsIndex");
  static std::uint64_t read(nanobind::handle object, std::string_view name);
};

/// An integer in [0, 2^53] or the unknown "?".
struct ReadCount {
  static constexpr auto type = nanobind::detail::const_name("typing.SupportsIndex | str");
  static Count read(nanobind::handle object, std::string_view name);
};

/// A number, a fraction exactly as (drawn, population) or fractions.Fraction, or the unknown "?".
struct ReadRate {
  static constexpr auto type = nanobind::detail::const_name("typing.SupportsFloat | tuple[int, int] | str");
  static Rate read(nanobind::handle object, std::string_view name);
};

/// Draws with replacement as (drawn, population), of which the first may be the unknown "?".
struct ReadDraws {
  static constexpr auto type = nanobind::detail::const_name("tuple[int | str, int]");
  static Draws read(nanobind::handle object, std::string_view name);
};

/// How many runs there are, as the plan language writes it.
struct ReadTrials {
  static constexpr auto type = nanobind::detail::const_name("str");
  static Trials read(nanobind::handle object, std::string_view name);
};

/// A number of batches, or (times, steps); the number may be the unknown "?".
struct ReadSteps {
  static constexpr auto type = nanobind::detail::const_name("typing.SupportsIndex | str | tuple[int, int | str]");
  static Steps read(nanobind::handle object, std::string_view name);
};

/// Pairs of numbers, as a sequence of tuples.
struct ReadTable {
  static constexpr auto type = nanobind::detail::const_name("collections.abc.Sequence[tuple[float, float]]");
  static Table read(nanobind::handle object, std::string_view name);
};

/// True or False.
struct ReadFlag {
  static constexpr auto type = nanobind::detail::const_name("bool");
  static bool read(nanobind::handle object, std::string_view name);
};

/// A plan, or what one is made from: text, JSON text, or a mapping as json.loads returns it.
struct ReadPlan {
  static constexpr auto type =
      nanobind::detail::const_name("dpbudget._core.Plan | str | collections.abc.Mapping[str, typing.Any]");
  static ParsedPlan read(nanobind::handle object, std::string_view name);
};

/// A text.
struct ReadText {
  static constexpr auto type = nanobind::detail::const_name("str");
  static std::string read(nanobind::handle object, std::string_view name);
};

/// A text or None, as an argument that may be None.
struct ReadOptionalText {
  static constexpr auto type = nanobind::detail::const_name("str");
  static std::optional<std::string> read(nanobind::handle object, std::string_view name);
};

using GivenNumber = Given<ReadNumber>;
using GivenReal = Given<ReadReal>;
using GivenInteger = Given<ReadInteger>;
using GivenCount = Given<ReadCount>;
using GivenRate = Given<ReadRate>;
using GivenDraws = Given<ReadDraws>;
using GivenTrials = Given<ReadTrials>;
using GivenSteps = Given<ReadSteps>;
using GivenTable = Given<ReadTable>;
using GivenFlag = Given<ReadFlag>;
using GivenPlan = Given<ReadPlan>;
using GivenText = Given<ReadText>;
using GivenOptionalText = Given<ReadOptionalText>;

/// @throws InvalidArgument listing the names that there are
Adjacency adjacency_of(const std::string& name);
AccountantName read_accountant(const GivenText& accountant);

/// The plan under `adjacency` if named, as `plan_of`.
Plan read_plan(const GivenPlan& plan, const GivenOptionalText& adjacency);

}  // namespace dpbudget::python

template <class Read>
struct nanobind::detail::type_caster<dpbudget::python::Given<Read>> {
  NB_TYPE_CASTER(dpbudget::python::Given<Read>, Read::type)

  bool from_python(handle source, std::uint32_t /*flags*/, cleanup_list* /*cleanup*/) noexcept {
    value.object = borrow(source);
    return true;
  }
};
