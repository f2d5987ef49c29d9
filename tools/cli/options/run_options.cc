#include "dpbudget/tools/cli/options/run_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <concepts>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/nearest.h"
#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/run/fields.h"
#include "dpbudget/fl/run/known_options.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/tools/cli/options/toml_text.h"

namespace dpbudget::tools {

std::string flag_of(std::string key) {
  std::ranges::replace(key, '_', '-');
  return "--" + key;
}

std::string read_choice(const std::string& flag, const std::string& text,
                        const std::vector<std::string_view>& choices) {
  std::string name = text;
  std::ranges::replace(name, '-', '_');
  if (std::ranges::find(choices, name) == choices.end())
    throw InvalidArgument(fmt::format("{} is {}, but must be one of {}", flag, text, choices_for(name, choices)));
  return name;
}

namespace {

fl::OptionValue read_option(const std::string& flag, const std::string& text, const fl::OptionInfo& info) {
  switch (info.type) {
    case fl::OptionType::real:
      return read_number(flag, text);
    case fl::OptionType::count:
      return read_count(flag, text);
    case fl::OptionType::text:
      return text;
    case fl::OptionType::choice:
      break;
  }
  return read_choice(flag, text, info.choices);
}

template <class Value>
void read_into(const std::string& flag, const std::string& text, Value& value) {
  if constexpr (requires { typename Value::value_type; } && !std::same_as<Value, std::string>) {
    if constexpr (std::same_as<Value, std::vector<double>>) {
      value.clear();
      std::istringstream parts(text);
      for (std::string part; std::getline(parts, part, ',');) value.push_back(read_number(flag, part));
    } else {
      value.emplace();
      read_into(flag, text, *value);
    }
  } else if constexpr (std::same_as<Value, double>) {
    value = read_number(flag, text);
  } else if constexpr (std::same_as<Value, std::uint64_t>) {
    value = read_count(flag, text);
  } else if constexpr (Named<Value>) {
    value = *choice_named<Value>(read_choice(flag, text, fl::option_choices<Value>()));
  } else {
    value = text;
  }
}

template <class Value>
std::string shown_default(const Value& value) {
  if constexpr (Named<Value>)
    return std::string(to_string(value));
  else if constexpr (std::same_as<Value, std::string> || std::same_as<Value, double> ||
                     std::same_as<Value, std::uint64_t>)
    return fmt::format("{}", value);
  else
    return {};
}

std::string type_of(fl::OptionType type) {
  if (type == fl::OptionType::real) return "NUMBER";
  if (type == fl::OptionType::text) return "SCHEDULE";
  return type == fl::OptionType::count ? "COUNT" : "NAME";
}

// What is said of an option, by each algorithm for itself where they differ.
std::string help_of(const fl::KnownOption& option) {
  std::vector<std::string> texts;
  for (const fl::OptionReading& reading : option.readings) {
    std::string text = reading.info.text;
    if (reading.info.usual) text += "; left out, " + fl::text_of(*reading.info.usual);
    if (option.readings.size() > 1) text = fmt::format("for {}: {}", fmt::join(reading.algorithms, ", "), text);
    texts.push_back(std::move(text));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

// What it stands under: whoever reads it.
std::string heading_of(const fl::KnownOption& option) {
  if (!option.clipping.empty()) return fmt::format("Options of --clipping {}", option.clipping);
  std::vector<std::string_view> takers;
  std::vector<std::string_view> others;
  for (const fl::AlgorithmTraits& algorithm : fl::all_algorithms())
    (algorithm.takes(option.info().key) ? takers : others).push_back(algorithm.name);
  if (others.empty()) return "Options of all algorithms";
  if (others.size() < takers.size()) return fmt::format("Options of all algorithms but {}", fmt::join(others, ", "));
  return fmt::format("Options of {}", fmt::join(takers, ", "));
}

template <class Value>
std::string type_of() {
  if constexpr (std::same_as<Value, double> || std::same_as<Value, std::optional<double>>) return "NUMBER";
  if constexpr (std::same_as<Value, std::uint64_t> || std::same_as<Value, std::optional<std::uint64_t>>) return "COUNT";
  if constexpr (std::same_as<Value, std::vector<double>>) return "LIST";
  return "NAME";
}

std::string text_of(const toml::node& node, const std::string& key) {
  if (const auto* array = node.as_array()) {
    std::vector<std::string> parts;
    for (const toml::node& element : *array) parts.push_back(text_of(element, key));
    return fmt::format("{}", fmt::join(parts, ","));
  }
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* integer = node.as_integer()) return fmt::format("{}", integer->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* boolean = node.as_boolean()) return boolean->get() ? "true" : "false";
  throw InvalidArgument(fmt::format("{} must be a text, a number, a boolean or an array of them", key));
}

std::vector<std::string> keys_of(const Command& command) {
  std::vector<std::string> keys;
  for (std::string key : command.option_names()) {
    std::ranges::replace(key, '-', '_');
    if (key != "config") keys.push_back(key);
  }
  return keys;
}

std::string text_of_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  // A folder opens, but does not read.
  if (!in || std::filesystem::is_directory(file))
    throw InvalidArgument(fmt::format("--config {} cannot be read", file));
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

[[noreturn]] void refuse_at(const std::string& file, std::size_t line, std::size_t column, std::string_view what) {
  throw InvalidArgument(fmt::format("--config {}: line {}, column {}: {}", file, line, column, what));
}

toml::table table_of_file(const std::string& file) {
  const std::string text = text_of_file(file);
  if (const auto flaw = first_flaw(text)) refuse_at(file, flaw->line, flaw->column, flaw->what);
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    refuse_at(file, error.source().begin.line, error.source().begin.column, error.description());
  }
}

void read_config(const Command& command, const std::string& file) {
  const toml::table table = table_of_file(file);
  const std::vector<std::string> known = keys_of(command);
  for (const auto& [name, value] : table) {
    const std::string key(name.str());
    if (std::ranges::find(known, key) == known.end())
      throw InvalidArgument(
          fmt::format("--config {}: there is no `{}`; the nearest is `{}`", file, key, nearest(key, known)));
    const Option option = command.find(flag_of(key)).value();
    // The command line goes before the file.
    if (!option.is_given()) option.read(text_of(value, fmt::format("--config {}: `{}`", file, key)));
  }
}

}  // namespace

namespace {

// What plans are made for, and what they are held against: `dpbudget plan` has options of its own for it.
bool is_of_budgets(std::string_view key) {
  return key == "algorithm" || key == "epsilon" || key == "adversary" || key == "silo_epsilon" || key == "silo_delta";
}

}  // namespace

void run_options(const Command& command, fl::RunRequest& run, Fields which) {
  fl::visit_fields(run, [&]<class Value>(const auto& field, Value& value) {
    if (which == Fields::of_plans && (!field.about_privacy || is_of_budgets(field.key))) return;
    if (which == Fields::not_evaluated && std::string_view(field.key).starts_with("evaluate_")) return;
    const std::string flag = flag_of(field.key);
    const auto read = [&run, &value, flag, asked = field.asked](const std::string& text) {
      if (asked != nullptr) run.*asked = text == "?";
      if (asked == nullptr || !(run.*asked)) read_into(flag, text, value);
    };
    Option option = command.option(flag, read, field.text);
    option.type(type_of<Value>());
    if (const std::string shown = shown_default(value); !shown.empty()) option.shown_default(shown);
  });
  for (const fl::KnownOption& known : fl::known_options()) {
    const fl::OptionInfo& info = known.info();
    if (which == Fields::of_plans && !info.about_privacy) continue;
    const std::string flag = flag_of(info.key);
    const auto read = [&run, info, flag](const std::string& text) {
      run.options.insert_or_assign(info.key, read_option(flag, text, info));
    };
    command.option(flag, read, help_of(known)).type(type_of(info.type)).heading(heading_of(known));
  }
  // Beside the second the first would say nothing.
  for (const auto& [unheard, heard] : {std::pair{"--noise", "--silo-noise"}, {"--record-rate", "--batch-size"}})
    if (auto option = command.find(unheard)) option->excludes(command.find(heard).value());
}

void config_option(const Command& command) {
  command
      .option(
          "--config", [command](const std::string& file) { read_config(command, file); },
          "a TOML file with values for the options left out: `local_steps = 10` for --local-steps 10")
      .type("FILE");
}

}  // namespace dpbudget::tools
