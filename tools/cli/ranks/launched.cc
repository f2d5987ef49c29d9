#include "dpbudget/tools/cli/ranks/launched.h"

#define BOOST_DLL_USE_STD_FS
#include <fmt/format.h>

#include <array>
#include <boost/dll/runtime_symbol_info.hpp>
#include <boost/dll/shared_library.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::tools {
namespace {

// What Open MPI and MPICH tell the processes that they start.
struct Launcher {
  const char* count;
  const char* rank;
};
constexpr std::array<Launcher, 2> launchers = {
    {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, {"PMI_SIZE", "PMI_RANK"}}};

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody changes the environment
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

bool is_program = false;

// Which of how many this is said to be; nothing when it is alone, or nothing that makes sense is said.
std::optional<fl::Share> told() {
  if (!is_program) return std::nullopt;
  for (const Launcher& launcher : launchers) {
    const auto count = integer_in<std::uint64_t>(variable(launcher.count).value_or(""));
    const auto rank = integer_in<std::uint64_t>(variable(launcher.rank).value_or(""));
    if (count && rank && *rank < *count && *count > 1) return fl::Share{*rank, *count};
  }
  return std::nullopt;
}

// Beside the program, as it is built, or where it is installed.
std::unique_ptr<fl::Ranks> loaded() {
  const std::filesystem::path folder = boost::dll::program_location().parent_path();
  for (const std::filesystem::path& file : {folder / "dpbudget_mpi.so", folder / ".." / DPBUDGET_INSTALLED_MPI}) {
    if (!std::filesystem::exists(file)) continue;
    // Open MPI's own parts look for its symbols among those of all. It is never unloaded: what it made lives on.
    static const boost::dll::shared_library library(
        file, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_global);
    return std::unique_ptr<fl::Ranks>(library.get<fl::Ranks*()>("dpbudget_mpi_ranks")());
  }
  throw InvalidArgument(
      "mpirun started several processes, but there is no dpbudget_mpi.so beside this dpbudget: install libopenmpi-dev "
      "or "
      "libmpich-dev, build it again, and leave the two together");
}

}  // namespace

void look_for_launcher() { is_program = true; }

bool is_follower() {
  const auto share = told();
  return share && share->rank > 0;
}

fl::Ranks* launched_ranks() {
  const auto said = told();
  if (!said) return nullptr;
  static const std::unique_ptr<fl::Ranks> ranks = loaded();
  if (ranks->count() != said->count || ranks->rank() != said->rank)
    throw InvalidArgument(fmt::format(
        "mpirun started {} processes, but the MPI that this dpbudget was built with knows of {}: start it by "
        "that MPI's own mpirun",
        said->count, ranks->count()));
  return ranks.get();
}

}  // namespace dpbudget::tools
