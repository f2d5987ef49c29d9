// Configuration files: every key of a run, from TOML to a run that is settled.

#include <string>

#include "dpbudget/fl/run/run.h"
#include "dpbudget/tools/cli/options/command_line.h"
#include "dpbudget/tools/cli/options/run_options.h"
#include "fuzz/memory_file.h"
#include "fuzz/target.h"

DPBUDGET_FUZZ_TARGET(const std::string_view input) {
  const dpbudget::fuzz::MemoryFile file(input);
  const std::string path = file.path();
  const char* arguments[] = {"dpbudget", "simulate", "--config", path.c_str()};
  dpbudget::tools::Program program(4, arguments, "", "", "");
  const dpbudget::tools::Command command = program.add("simulate", "");
  dpbudget::fl::RunRequest request;
  dpbudget::tools::run_options(command, request);
  dpbudget::tools::config_option(command);
  program.run();
  dpbudget::fl::settle(request);
}
