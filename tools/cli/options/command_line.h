/// @file
/// Commands and their options as this program uses them. The library that parses them stays in command_line.cc: its
/// headers take longer to compile than all commands together.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "dpbudget/tools/cli/page/report.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the name of another library
class App;
class Option;
}  // namespace CLI

namespace dpbudget::tools {

/// One option of a command, which owns it.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  /// What help calls its value.
  Option& type(const std::string& name);
  /// What help shows as its default.
  Option& shown_default(const std::string& text);
  /// It must be given: help then shows no default.
  Option& required();
  Option& needs(const Option& other);
  Option& excludes(const Option& other);
  /// Under which heading help lists it; without, under that of all options.
  Option& heading(const std::string& text);
  /// Adds to its line of help.
  Option& append_to_description(const std::string& text);

  bool is_given() const;
  /// What was given.
  std::string text() const;
  /// Reads `text` as its value, as if it had been given, and nothing else.
  void read(const std::string& text) const;

 private:
  CLI::Option* option_;
};

/// One command of the program, which owns it.
class Command {
 public:
  using Read = std::function<void(const std::string& text)>;

  Command(CLI::App* app, Report* report, bool is_named) : app_(app), report_(report), is_named_(is_named) {}

  /// Whether it is the one that the command line names: nobody sees the options of the others.
  bool is_named() const { return is_named_; }

  /// What stands under the options in its help.
  void footer(const std::string& text) const;
  /// What its help is instead, once the options are read; where the text is empty, its help stays what it is.
  void help_instead(std::function<std::string()> text) const;
  /// What it does when it is given. To be said last, when it has its options: --report follows them.
  void action(std::function<void()> run) const;

  /// An option, or an argument when `names` starts with no dash.
  /// @param read  may throw InvalidArgument, which ends the program with its text
  Option option(const std::string& names, Read read, const std::string& description) const;
  /// The same whose value is a text; help shows the one it has.
  Option option(const std::string& names, std::string& text, const std::string& description) const;
  Option option(const std::string& names, std::optional<std::string>& text, const std::string& description) const;
  /// The same that may be given several times, each of which is read.
  Option repeated_option(const std::string& name, Read read, const std::string& description) const;
  Option flag(const std::string& name, bool& is_set, const std::string& description) const;

  /// The option of that name, if there is one.
  std::optional<Option> find(const std::string& name) const;
  /// The long names of its options, without dashes, as far as they are not `help`.
  std::vector<std::string> option_names() const;

 private:
  CLI::App* app_;
  Report* report_;
  bool is_named_;
};

/// A command line that the library cannot read.
struct UsageError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// The whole program: `--help`, `--version`, and one command.
class Program {
 public:
  /// @param argc, argv  the command line: argv[1] names the command
  Program(int argc, const char* const* argv, const std::string& description, const std::string& version,
          const std::string& footer);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Command add(const std::string& name, const std::string& description);

  /// What the command that runs says on its page, where --report asks for one.
  Page& page() { return report_.page; }

  /// Reads the arguments and runs the command that they name.
  /// @return the exit status, when help or the version was asked for instead
  /// @throws UsageError; InvalidArgument naming a command that does not exist, and whatever readers and commands throw
  std::optional<int> run();

 private:
  int argc_;
  const char* const* argv_;
  std::unique_ptr<CLI::App> app_;
  Report report_;
};

}  // namespace dpbudget::tools
