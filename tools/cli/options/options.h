/// @file
/// Options that several commands share, read so that a bad value is named as the user typed it.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::tools {

/// An option whose value is a number in the range that the library checks.
CLI::Option* number_option(CLI::App& app, const std::string& names, double& value, const std::string& description);
CLI::Option* number_option(CLI::App& app, const std::string& names, std::optional<double>& value,
                           const std::string& description);
CLI::Option* count_option(CLI::App& app, const std::string& names, std::uint64_t& value,
                          const std::string& description);
CLI::Option* count_option(CLI::App& app, const std::string& names, std::optional<std::uint64_t>& value,
                          const std::string& description);

/// --accountant: `name` keeps its value when it is left out.
CLI::Option* accountant_option(CLI::App& app, AccountantName& name, const std::string& description);
CLI::Option* accountant_option(CLI::App& app, std::optional<AccountantName>& name, const std::string& description);

/// The PLAN argument and --adjacency.
struct PlanArgument {
  std::string text;
  std::optional<Adjacency> adjacency;

  /// Adds both to a command.
  void add_to(CLI::App& app);

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
  void add_to(CLI::App& app);

  /// The accountant of `plan`.
  /// @throws as make_accountant, and Unsupported where that refuses
  std::unique_ptr<Accountant> of(const Plan& plan) const { return make_accountant(name, plan, tolerance).value(); }
};

}  // namespace dpbudget::tools
