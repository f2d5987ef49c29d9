#include "dpbudget/tools/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/read_number.h"

namespace dpbudget::tools {
namespace {

// "--delta" for "-d,--delta".
std::string long_name(const std::string& names) { return names.substr(names.rfind("--")); }

template <class Value, class Read>
CLI::Option* option(CLI::App& app, const std::string& names, Value& value, const std::string& description, Read read,
                    const std::string& type) {
  return app
      .add_option_function<std::string>(
          names, [&value, read, name = long_name(names)](const std::string& text) { value = read(name, text); },
          description)
      ->type_name(type);
}

std::string contents(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in || !text) throw InvalidArgument(fmt::format("plan file {} cannot be read", file));
  return text.str();
}

std::string accountant_names() {
  std::vector<std::string_view> names;
  names.reserve(all_accountants.size());
  for (const AccountantName name : all_accountants) names.push_back(to_string(name));
  return fmt::format("{}", fmt::join(names, ", "));
}

AccountantName read_accountant(const std::string& option, const std::string& text) {
  const auto found = accountant_named(text);
  if (!found) throw InvalidArgument(fmt::format("{} is {}, but must be one of {}", option, text, accountant_names()));
  return *found;
}

std::string with_accountants(const std::string& description) {
  return fmt::format("{}: one of {}", description, accountant_names());
}

}  // namespace

CLI::Option* number_option(CLI::App& app, const std::string& names, double& value, const std::string& description) {
  return option(app, names, value, description, read_number, "NUMBER")->default_str(fmt::format("{}", value));
}
CLI::Option* number_option(CLI::App& app, const std::string& names, std::optional<double>& value,
                           const std::string& description) {
  return option(app, names, value, description, read_number, "NUMBER");
}
CLI::Option* count_option(CLI::App& app, const std::string& names, std::uint64_t& value,
                          const std::string& description) {
  return option(app, names, value, description, read_count, "COUNT")->default_str(fmt::format("{}", value));
}
CLI::Option* count_option(CLI::App& app, const std::string& names, std::optional<std::uint64_t>& value,
                          const std::string& description) {
  return option(app, names, value, description, read_count, "COUNT");
}

CLI::Option* accountant_option(CLI::App& app, AccountantName& name, const std::string& description) {
  return option(app, "--accountant", name, with_accountants(description), read_accountant, "NAME")
      ->default_str(std::string(to_string(name)));
}
CLI::Option* accountant_option(CLI::App& app, std::optional<AccountantName>& name, const std::string& description) {
  return option(app, "--accountant", name, with_accountants(description), read_accountant, "NAME");
}

void PlanArgument::add_to(CLI::App& app) {
  app.add_option("plan", text, "what is released: the plan language, its JSON form, or @FILE with either")
      ->required()
      ->type_name("PLAN");
  app.add_option_function<std::string>(
         "--adjacency",
         [this](const std::string& name) {
           adjacency = adjacency_named(name);
           if (!adjacency)
             throw InvalidArgument(
                 fmt::format("--adjacency is {}, but must be add_or_remove_one, replace_one or zero_out_one", name));
         },
         "add_or_remove_one, replace_one or zero_out_one; left out, the one that the plan's `under` names, or under "
         "which its sampling is analysed")
      ->type_name("NAME");
}

NamedFiles PlanArgument::files() const {
  if (!text.starts_with('@')) return {};
  return {{"plan", text.substr(1)}};
}

Plan PlanArgument::plan() const {
  const NamedFiles from = files();
  check_output_files({}, from);
  const std::string source = from.empty() ? text : contents(from.front().second);
  const std::size_t first = source.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || source[first] != '{') return parse_plan(source, adjacency);
  Plan plan = [&] {
    try {
      return plan_from_json(nlohmann::json::parse(source));
    } catch (const nlohmann::json::exception& error) {
      throw InvalidArgument(fmt::format("plan is not JSON: {}", error.what()));
    }
  }();
  if (adjacency && *adjacency != plan.adjacency)
    throw InvalidArgument(
        fmt::format("--adjacency is {}, but the plan says {}", to_string(*adjacency), to_string(plan.adjacency)));
  return plan;
}

Plan PlanArgument::known_plan() const {
  Plan known = plan();
  if (unknowns(known.event) > 0)
    throw InvalidArgument("plan has an unknown `?`; give the number, or use `dpbudget solve`");
  return known;
}

void AccountantChoice::add_to(CLI::App& app) {
  accountant_option(app, name, "who answers, best being the narrowest that all prove together");
  number_option(app, "--tolerance", tolerance, "relative width that brackets are refined to, in (0, 1)");
}

}  // namespace dpbudget::tools
