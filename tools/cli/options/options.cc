#include "dpbudget/tools/cli/options/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "dpbudget/accounting/accountants/choices.h"
#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/plan/adjacency_choices.h"
#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/tools/cli/options/plan_tables.h"

namespace dpbudget::tools {
namespace {

// "--delta" for "-d,--delta".
std::string long_name(const std::string& names) { return names.substr(names.rfind("--")); }

template <class Value, class Read>
Option option(const Command& command, const std::string& names, Value& value, const std::string& description, Read read,
              const std::string& type) {
  return command
      .option(
          names, [&value, read, name = long_name(names)](const std::string& text) { value = read(name, text); },
          description)
      .type(type);
}

template <class Number, Number (*read)(std::string_view, std::string_view)>
Quantity<Number> unless_unknown(const std::string& name, const std::string& text) {
  return text == "?" ? Quantity<Number>::unknown() : read(name, text);
}

std::string accountant_names() {
  std::vector<std::string_view> names;
  names.reserve(all_accountants.size());
  for (const AccountantName name : all_accountants) names.push_back(to_string(name));
  return fmt::format("{}", fmt::join(names, ", "));
}

AccountantName read_accountant(const std::string& option, const std::string& text) {
  const auto found = accountant_named(text);
  if (!found)
    throw InvalidArgument(fmt::format("{} is {}, but must be one of {}", option, text, accountant_choices(text)));
  return *found;
}

std::string with_accountants(const std::string& description) {
  return fmt::format("{}: one of {}", description, accountant_names());
}

}  // namespace

std::string contents(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in || !text) throw InvalidArgument(fmt::format("plan file {} cannot be read", file));
  return text.str();
}

Option number_option(const Command& command, const std::string& names, double& value, const std::string& description) {
  return option(command, names, value, description, read_number, "NUMBER").shown_default(fmt::format("{}", value));
}
Option number_option(const Command& command, const std::string& names, std::optional<double>& value,
                     const std::string& description) {
  return option(command, names, value, description, read_number, "NUMBER");
}
Option count_option(const Command& command, const std::string& names, std::uint64_t& value,
                    const std::string& description) {
  return option(command, names, value, description, read_count, "COUNT").shown_default(fmt::format("{}", value));
}
Option count_option(const Command& command, const std::string& names, std::optional<std::uint64_t>& value,
                    const std::string& description) {
  return option(command, names, value, description, read_count, "COUNT");
}

Option quantity_option(const Command& command, const std::string& names, Real& value, const std::string& description) {
  return option(command, names, value, description, unless_unknown<double, read_number>, "NUMBER|?");
}
Option quantity_option(const Command& command, const std::string& names, Count& value, const std::string& description) {
  return option(command, names, value, description, unless_unknown<std::uint64_t, read_count>, "COUNT|?");
}

Option accountant_option(const Command& command, AccountantName& name, const std::string& description) {
  return option(command, "--accountant", name, with_accountants(description), read_accountant, "NAME")
      .shown_default(std::string(to_string(name)));
}
Option accountant_option(const Command& command, std::optional<AccountantName>& name, const std::string& description) {
  return option(command, "--accountant", name, with_accountants(description), read_accountant, "NAME");
}

void PlanArgument::add_to(const Command& command, bool is_required) {
  Option plan =
      command.option("plan", text, "what is released: the plan language, its JSON form, or @FILE with either");
  plan.type("PLAN");
  if (is_required) plan.required();
  command
      .option(
          "--adjacency",
          [this](const std::string& name) {
            adjacency = adjacency_named(name);
            if (!adjacency)
              throw InvalidArgument(fmt::format("--adjacency is {}, but must be {}", name, adjacency_choices(name)));
          },
          fmt::format("{}; left out, the one that the plan's `under` names, or under which its sampling is analysed",
                      adjacency_choice))
      .type("NAME");
}

NamedFiles PlanArgument::files() const {
  if (!text.starts_with('@')) return table_files(text);
  return {{"plan", text.substr(1)}};
}

Plan PlanArgument::plan() const {
  check_output_files({}, files());
  const std::string source = text.starts_with('@') ? contents(text.substr(1)) : text;
  const std::size_t first = source.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || source[first] != '{') return parse_plan(with_tables(source), adjacency);
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
  require_known(known.event);
  return known;
}

void AccountantChoice::add_to(const Command& command) {
  accountant_option(command, name, "who answers, best being the narrowest that all prove together");
  number_option(command, "--tolerance", tolerance, "relative width that brackets are refined to, in (0, 1)");
}

}  // namespace dpbudget::tools
