/// @file
/// The program as a user runs it, in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace dpbudget::testing {

struct Ran {
  int status;
  std::string out;
  std::string err;
};

// The one that the tests were built with, unless an instrumented one is to be run.
inline std::string program() {
  const char* instrumented = std::getenv("DPBUDGET_PROGRAM");
  return instrumented != nullptr ? instrumented : DPBUDGET_PROGRAM;
}

class Program : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::temp_directory_path() / (std::string("dpbudget-") + test->name() + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }

  std::string text_of(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // After what the shell has been told, such as "ulimit -t 1".
  Ran run_after(const std::string& setting, const std::string& arguments) const {
    return run_before(setting + " &&", arguments);
  }

  // By what is to start it, such as "nice".
  Ran run_before(const std::string& starter, const std::string& arguments) const {
    const std::string command =
        "cd '" + folder_.string() + "' && " + starter + " '" + program() + "' " + arguments + " 2>err";
    FILE* pipe = popen(command.c_str(), "r");
    std::string out;
    std::array<char, 4096> buffer{};
    while (const std::size_t read = fread(buffer.data(), 1, buffer.size(), pipe)) out.append(buffer.data(), read);
    const int status = pclose(pipe);
    std::ifstream err(path("err"));
    return {WEXITSTATUS(status), out, std::string(std::istreambuf_iterator<char>(err), {})};
  }

  Ran run(const std::string& arguments) const { return run_after("true", arguments); }

  // Exit status 2, one line (and the plan with a caret below it, for plans), nothing on standard output.
  void refuses(const std::string& arguments, const std::string& named) const {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_EQ(ran.out, "") << arguments;
    EXPECT_EQ(ran.err.find("dpbudget: "), 0U) << arguments << ": " << ran.err;
    EXPECT_NE(ran.err.substr(0, ran.err.find('\n')).find(named), std::string::npos) << arguments << ": " << ran.err;
    const auto lines = std::count(ran.err.begin(), ran.err.end(), '\n');
    EXPECT_TRUE(lines == 1 || (lines == 3 && ran.err.find("plan, column") != std::string::npos)) << ran.err;
  }

  std::filesystem::path folder_;
};

}  // namespace dpbudget::testing
