/// @file
/// Options that several commands share, read so that a bad value is named as the user typed it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/tools/cli/options/command_line.h"
#include "dpbudget/tools/cli/output/output_file.h"

namespace dpbudget::tools {

/// An option whose value is a number in the range that the library checks.
Option number_option(const Command& command, const std::string& names, double& value, const std::string& description);
Option number_option(const Command& command, const std::string& names, std::optional<double>& value,
                     const std::string& description);
Option count_option(const Command& command, const std::string& names, std::uint64_t& value,
                    const std::string& description);
Option count_option(const Command& command, const std::string& names, std::optional<std::uint64_t>& value,
                    const std::string& description);

/// The same whose value may be the unknown `?`.
Option quantity_option(const Command& command, const std::string& names, Real& value, const std::string& description);
Option quantity_option(const Command& command, const std::string& names, Count& value, const std::string& description);

/// --accountant: `name` keeps its value when it is left out.
Option accountant_option(const Command& command, AccountantName& name, const std::string& description);
Option accountant_option(const Command& command, std::optional<AccountantName>& name, const std::string& description);

/// All of a plan's file.
/// @throws InvalidArgument when it cannot be read
std::string contents(const std::string& file);

/// The PLAN argument and --adjacency.
struct PlanArgument {
  std::string text;
  std::optional<Adjacency> adjacency;

  /// Adds both to a command.
  /// @param is_required  whether a plan must be given
  void add_to(const Command& command, bool is_required = true);

  /// The FILE of @FILE.
  NamedFiles files() const;

  /// The plan in the text, which is the plan language, JSON, or @FILE with either.
  /// @throws InvalidArgument when it cannot be read, or as parse_plan and plan_from_json
  Plan plan() const;

  /// The same, refusing a plan with an unknown.
  Plan known_plan() const;
};

/// --accountant and --tolerance.
struct AccountantChoice {
  AccountantName name = AccountantName::best;
  double tolerance = default_tolerance;

  /// Adds both to a command.
  void add_to(const Command& command);

  /// The accountant of `plan`.
  /// @throws as make_accountant, and Unsupported where that refuses
  std::unique_ptr<Accountant> of(const Plan& plan) const { return make_accountant(name, plan, tolerance).value(); }
};

}  // namespace dpbudget::tools
