#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/files/cannot_write.h"
#include "dpbudget/fl/simulate/runner.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/options/command_line.h"
#include "dpbudget/tools/python/bindings/bindings.h"
#include "dpbudget/tools/python/bindings/released.h"
#include "dpbudget/tools/python/bindings/simulator_lock.h"

namespace dpbudget::python {
namespace {

namespace nb = nanobind;

// While it lives, a stream writes into a text.
class Captured {
 public:
  explicit Captured(std::ostream& stream) : stream_(stream), before_(stream.rdbuf(text_.rdbuf())) {}
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  ~Captured() { stream_.rdbuf(before_); }

  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::ostream& stream_;
  std::streambuf* before_;
};

// The program's own message, after its progress on a terminal.
std::string last_message(const std::string& said) {
  constexpr std::string_view from = "dpbudget: ";
  const std::size_t begin = said.rfind(from);
  if (begin == std::string::npos) return said;
  std::string message = said.substr(begin + from.size());
  while (message.ends_with('\n')) message.pop_back();
  return message;
}

// Exit status and standard output, or what is said in its place where the status is that of an error.
std::pair<int, std::string> run(const std::vector<std::string>& arguments) {
  std::vector<const char*> given{"dpbudget"};
  for (const std::string& argument : arguments) given.push_back(argument.c_str());
  const std::scoped_lock lock(simulator_lock());
  const Captured output(std::cout);
  const Captured said(std::cerr);
  int status = tools::inside_budget;
  tools::Program program(static_cast<int>(given.size()), given.data(), "", "", "");
  tools::add_commands(program, status);
  try {
    if (const auto answered = program.run()) status = *answered;
  } catch (const tools::UsageError& error) {
    throw InvalidArgument(error.what());
  } catch (const fl::Diverged& error) {
    return {tools::diverged, std::string("the training diverged, a smaller --step may help: ") + error.what()};
  } catch (const CannotWrite& error) {
    return {tools::cannot_write, error.what()};
  }
  const bool has_answered = status == tools::inside_budget || status == tools::over_budget;
  return {status, has_answered ? output.text() : last_message(said.text())};
}

}  // namespace

std::mutex& simulator_lock() {
  static std::mutex mutex;
  return mutex;
}

void add_program(nb::module_& module) {
  module.def("run_program", &run, nb::arg("arguments"), nb::call_guard<Released>(),
             "Exit status and standard output, or what is said of an error, of a command of the program that runs "
             "inside this process.");
}

}  // namespace dpbudget::python
