/// @file
/// The command line.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <string_view>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/fl/files/cannot_write.h"
#include "dpbudget/fl/simulate/runner.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/options/command_line.h"
#include "dpbudget/tools/cli/output/table.h"
#include "dpbudget/tools/cli/ranks/launched.h"
#include "dpbudget/version.h"

namespace {

// Buffers of many megabytes come and go by the thousand: to get each anew from the system, page by page, takes a fifth
// of the time of some answers.
void keep_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);  // but from what is kept: a threshold of M_MMAP_THRESHOLD is 32 MB at most
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

// The exit status.
int run(int argc, char** argv) {
  int status = dpbudget::tools::inside_budget;
  constexpr std::string_view plans = "Plans: ";
  dpbudget::tools::Program program(
      argc, argv,
      "dpbudget computes how much privacy a training run spends, who could see it, and how much of the run a\n"
      "budget allows. Every number says by which theorem it holds, under which adjacency, and whether it is\n"
      "proven or only an estimate.",
      std::string(dpbudget::version),
      dpbudget::tools::field(plans,
                             dpbudget::signatures() + ", COUNT x PLAN, PLAN + PLAN; a rate is a number or `m of n`.",
                             plans.size()) +
          "\nExit status: 0 done and inside the budget; 1 a budget is exceeded, or a ledger does not verify; 2 bad\n"
          "input; 3 the training diverged; 4 an output cannot be written; 130 interrupted.\n"
          "`dpbudget COMMAND --help` says more.");
  dpbudget::tools::add_commands(program, status);
  try {
    if (const auto answered = program.run()) return *answered;
  } catch (const dpbudget::tools::UsageError& error) {
    std::cerr << "dpbudget: " << error.what() << "; see dpbudget --help\n";
    return dpbudget::tools::bad_input;
  } catch (const dpbudget::InvalidArgument& error) {
    std::cerr << "dpbudget: " << error.what() << "\n";
    return dpbudget::tools::bad_input;
  } catch (const dpbudget::fl::Diverged& error) {
    std::cerr << "dpbudget: the training diverged, a smaller --step may help: " << error.what() << "\n";
    return dpbudget::tools::diverged;
  } catch (const dpbudget::CannotWrite& error) {
    std::cerr << "dpbudget: " << error.what() << "\n";
    return dpbudget::tools::cannot_write;
  } catch (const std::bad_alloc&) {
    std::cerr << "dpbudget: there is not enough memory for what is asked\n";
    return dpbudget::tools::bad_input;
  } catch (const std::exception& error) {
    std::cerr << "dpbudget: " << error.what() << "\n";
    return dpbudget::tools::bad_input;
  }
  return status;
}

// One of the processes that mpirun started speaks for all; what none of them divides, it does alone.
int follow(int argc, char** argv) {
  std::cout.setstate(std::ios::badbit);
  std::cerr.setstate(std::ios::badbit);
  constexpr std::array<std::string_view, 3> divided = {"simulate", "sweep", "verify"};
  if (argc < 2 || std::ranges::find(divided, argv[1]) == divided.end()) return dpbudget::tools::inside_budget;
  // The page is the first one's, as is the exit status: who left with another would end it before it has said why.
  std::vector<char*> words;
  for (int i = 0; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--report") ++i;
    if (word != "--report" && !word.starts_with("--report=")) words.push_back(argv[i]);
  }
  words.push_back(nullptr);
  run(static_cast<int>(words.size()) - 1, words.data());
  return dpbudget::tools::inside_budget;
}

// A file that is opened must not take the place of a standard stream that was closed, and be written over. Each is
// given what it cannot use, so that it fails as it would have.
void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) == -1) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): only printing an error can still throw, and nothing is left to save then
int main(int argc, char** argv) {
  keep_memory();
  keep_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond what a file may have fails as any other
  dpbudget::tools::look_for_launcher();
  if (dpbudget::tools::is_follower()) return follow(argc, argv);
  const int status = run(argc, argv);
  using dpbudget::tools::bad_input;
  using dpbudget::tools::cannot_write;
  using dpbudget::tools::diverged;
  const bool has_failed = status == bad_input || status == diverged || status == cannot_write;
  if (std::cout.flush() || has_failed) return status;
  std::cerr << "dpbudget: standard output could not be written\n";
  return cannot_write;
}
