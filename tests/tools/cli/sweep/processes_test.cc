#include "dpbudget/tools/cli/sweep/processes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>

namespace dpbudget::tools {
namespace {

class InProcesses : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void note(std::size_t i) const { std::ofstream(folder_ / std::to_string(i)) << getpid(); }

  std::set<std::string> noted() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) names.insert(entry.path().filename());
    return names;
  }
  std::set<std::string> ids() const {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      std::string id;
      std::ifstream(entry.path()) >> id;
      found.insert(id);
    }
    return found;
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("dpbudget-processes-" + std::to_string(getpid()));
};

TEST_F(InProcesses, DoesAllOfItOnceInProcessesOfTheirOwn) {
  for (const std::uint64_t processes : {1, 2, 5, 40}) {
    std::size_t last = 0;
    const int status = in_processes(
        20, processes,
        [&](std::size_t i) {
          EXPECT_FALSE(std::filesystem::exists(folder_ / std::to_string(i)));
          note(i);
          return 0;
        },
        [&](std::size_t done) { last = done; });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(last, 20U);
    EXPECT_EQ(noted().size(), 20U);
    EXPECT_EQ(ids() == std::set{std::to_string(getpid())}, processes == 1);
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
}

TEST_F(InProcesses, HandsOutTheGreatestStatus) {
  const auto nothing = [](std::size_t) {};
  for (const std::uint64_t processes : {1, 3})
    EXPECT_EQ(in_processes(6, processes, [](std::size_t i) { return i == 2 ? 2 : 0; }, nothing), 2);
  EXPECT_EQ(in_processes(0, 3, [](std::size_t) { return 1; }, nothing), 0);
}

TEST_F(InProcesses, OneThatEndsBadlyTakesNobodyAlong) {
  const auto nothing = [](std::size_t) {};
  const int killed = in_processes(
      8, 2,
      [&](std::size_t i) {
        if (i == 0) kill(getpid(), SIGKILL);
        note(i);
        return 0;
      },
      nothing);
  EXPECT_EQ(killed, 128 + SIGKILL);
  EXPECT_EQ(noted().size(), 7U);
  const int thrown = in_processes(
      8, 2, [](std::size_t i) -> int { return i == 0 ? throw std::runtime_error("on purpose") : 0; }, nothing);
  EXPECT_EQ(thrown, 2);
}

}  // namespace
}  // namespace dpbudget::tools
