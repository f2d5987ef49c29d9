#include "dpbudget/tools/cli/options/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/nearest.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/tools/cli/options/help.h"

namespace dpbudget::tools {
namespace {

// CLI11 would say that a command is missing, and not which word it does not know.
void refuse_unknown_command(const CLI::App& program, std::string_view word) {
  std::vector<std::string> known;
  for (const CLI::App* command : program.get_subcommands({})) known.push_back(command->get_name());
  if (word.starts_with('-') || std::ranges::find(known, word) != known.end()) return;
  throw InvalidArgument(fmt::format("there is no command `{}`; the nearest is `{}`", word, nearest(word, known)));
}

// CLI11 would first say what else is missing. Values never begin with two dashes, but after `--` all may.
void refuse_unknown_option(const CLI::App& program, std::span<const char* const> words) {
  const auto commands = program.get_subcommands({});
  const auto found = std::ranges::find(commands, std::string(words[1]), &CLI::App::get_name);
  if (found == commands.end()) return;
  const CLI::App* command = *found;
  std::vector<std::string> known;
  for (const CLI::Option* option : command->get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  for (const std::string_view word : words.subspan(2)) {
    if (word == "--") return;
    const std::string_view name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || std::ranges::find(known, name) != known.end()) continue;
    throw InvalidArgument(fmt::format("{} has no option {}; the nearest is {}", words[1], name, nearest(name, known)));
  }
}

// All that was given but --report: each value with the name of its option.
std::vector<std::pair<std::string, std::string>> given_values(const CLI::App& command) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const CLI::Option* option : command.get_options())
    if (option->get_name() != "--report")
      for (const std::string& value : option->results()) values.emplace_back(option->get_name(), value);
  return values;
}

class HelpInstead final : public HelpFormatter {
 public:
  explicit HelpInstead(std::function<std::string()> text) : text_(std::move(text)) {}

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = text_();
    return text.empty() ? HelpFormatter::make_help(app, std::move(name), mode) : text;
  }

 private:
  std::function<std::string()> text_;
};

}  // namespace

Option& Option::type(const std::string& name) {
  option_->type_name(name);
  // To take it for an option that was not given would write nothing, and say nothing of it.
  if (name == "FILE")
    option_->check(CLI::Validator(
        [](std::string& file) { return file.empty() ? "is the name of no file, but must be one's" : std::string(); },
        ""));
  return *this;
}

Option& Option::shown_default(const std::string& text) {
  option_->default_str(text);
  return *this;
}

Option& Option::required() {
  option_->required()->default_str("");
  return *this;
}

Option& Option::needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Option& Option::heading(const std::string& text) {
  option_->group(text);
  return *this;
}

Option& Option::append_to_description(const std::string& text) {
  option_->description(option_->get_description() + text);
  return *this;
}

bool Option::is_given() const { return option_->count() > 0; }

std::string Option::text() const { return option_->as<std::string>(); }

void Option::read(const std::string& text) const {
  option_->clear();
  option_->add_result(text);
  option_->run_callback();
}

void Command::footer(const std::string& text) const { app_->footer(text); }

void Command::help_instead(std::function<std::string()> text) const {
  app_->formatter(std::make_shared<HelpInstead>(std::move(text)));
}

void Command::action(std::function<void()> run) const {
  option(
      "--report", [report = report_](const std::string& file) { report->file = file; },
      "also write what was asked, assumed and found, and why, as one page into this .html or .md")
      .type("FILE");
  app_->callback([app = app_, report = report_, run = std::move(run)] {
    if (report->file.empty()) return run();
    const std::vector<std::pair<std::string, std::string>> values = given_values(*app);
    const NamedFiles named(values.begin(), values.end());
    Recording recording(*report, app->get_name(), app->get_description(), named);
    run();
    recording.finish();
  });
}

Option Command::option(const std::string& names, Read read, const std::string& description) const {
  return Option(app_->add_option_function<std::string>(names, read, description));
}

Option Command::option(const std::string& names, std::string& text, const std::string& description) const {
  return option(names, [&text](const std::string& given) { text = given; }, description).shown_default(text);
}

Option Command::option(const std::string& names, std::optional<std::string>& text,
                       const std::string& description) const {
  return option(names, [&text](const std::string& given) { text = given; }, description);
}

Option Command::repeated_option(const std::string& name, Read read, const std::string& description) const {
  const auto read_all = [read = std::move(read)](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) read(text);
  };
  return Option(
      app_->add_option_function<std::vector<std::string>>(name, read_all, description)->allow_extra_args(false));
}

Option Command::flag(const std::string& name, bool& is_set, const std::string& description) const {
  return Option(app_->add_flag(name, is_set, description));
}

std::optional<Option> Command::find(const std::string& name) const {
  CLI::Option* option = app_->get_option_no_throw(name);
  return option == nullptr ? std::nullopt : std::optional(Option(option));
}

std::vector<std::string> Command::option_names() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options())
    if (!option->get_lnames().empty() && option->get_lnames().front() != "help")
      names.push_back(option->get_lnames().front());
  return names;
}

Program::Program(int argc, const char* const* argv, const std::string& description, const std::string& version,
                 const std::string& footer)
    : argc_(argc), argv_(argv), app_(std::make_unique<CLI::App>(description, "dpbudget")) {
  app_->formatter(std::make_shared<HelpFormatter>());
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
  app_->footer(footer);
}

Program::~Program() = default;

Command Program::add(const std::string& name, const std::string& description) {
  return Command(app_->add_subcommand(name, description), &report_, argc_ > 1 && name == argv_[1]);
}

std::optional<int> Program::run() {
  try {
    if (argc_ > 1) refuse_unknown_command(*app_, argv_[1]);
    if (argc_ > 2) refuse_unknown_option(*app_, std::span(argv_, static_cast<std::size_t>(argc_)));
    report_.command_line = shell_text(argc_, argv_);
    app_->parse(argc_, argv_);
    return std::nullopt;
  } catch (const CLI::Success& asked_for_help) {
    return app_->exit(asked_for_help);
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace dpbudget::tools
