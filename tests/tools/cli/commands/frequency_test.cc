// `dpbudget frequency` as a user runs it.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/cli/program.h"

namespace dpbudget {
namespace {

using nlohmann::json;
using testing::Program;
using testing::Ran;

TEST_F(Program, SaysWhatFrequenciesCost) {
  const Ran ran = run("frequency --users 1000 --categories 16 --epsilon 1 --delta 1e-6");
  EXPECT_EQ(ran.status, 0) << ran.err;
  for (const auto* text : {"1,000 users", "rr(1, 16)", "subset_selection(1, 16, 4)", "rappor(1, 16)", "oue(1, 16)",
                           "hadamard(1, 16)", "shuffled frequency oracle", "Wang, Blocki, Li, Jha 2017, Theorem 2"})
    EXPECT_NE(ran.out.find(text), std::string::npos) << text << " is not in " << ran.out;
  const json found =
      json::parse(run("frequency --users 1000 --categories 16 --epsilon 1 --delta 1e-6 --frequency 0.25 --json").out);
  ASSERT_EQ(found["oracles"].size(), 5U);
  const double s = std::exp(1.0);
  // (f p (1 - p) + (1 - f) q (1 - q)) / (n (p - q)^2), p = 1/2, q = 1 / (s + 1)
  const double q = 1 / (s + 1);
  EXPECT_NEAR(found["oracles"][3]["variance"].get<double>(),
              (0.25 * 0.25 + 0.75 * q * (1 - q)) / (1000 * (0.5 - q) * (0.5 - q)), 1e-12);
  for (const json& oracle : found["oracles"]) {
    EXPECT_EQ(oracle["local_epsilon"]["upper"], 1);
    EXPECT_LT(oracle["shuffled_epsilon"]["upper"], 1);
    EXPECT_LE(oracle["shuffled_epsilon"]["lower"], oracle["shuffled_epsilon"]["upper"]);
    EXPECT_EQ(oracle["shuffled_epsilon"]["guarantee"], "proven");
  }
}

TEST_F(Program, RefusesFrequenciesOutOfRange) {
  const auto refuses = [this](const std::string& given, const std::string& name) {
    const Ran ran = run("frequency " + given);
    EXPECT_EQ(ran.status, 2) << given;
    EXPECT_EQ(ran.err.find("dpbudget: " + name), 0U) << ran.err;
  };
  refuses("--users 0 --categories 4 --epsilon 1 --delta 1e-6", "users is 0");
  refuses("--users 9 --categories 1 --epsilon 1 --delta 1e-6", "categories is 1");
  refuses("--users 9 --categories 4294967296 --epsilon 1 --delta 1e-6", "categories is 4294967296");
  refuses("--users 9 --categories 4 --epsilon 0 --delta 1e-6", "epsilon is 0");
  refuses("--users 9 --categories 4 --epsilon 701 --delta 1e-6", "epsilon is 701");
  refuses("--users 9 --categories 4 --epsilon 1 --delta 0", "delta is 0");
  refuses("--users 9 --categories 4 --epsilon 1 --delta 1e-6 --frequency 1.5", "frequency is 1.5");
}

}  // namespace
}  // namespace dpbudget
