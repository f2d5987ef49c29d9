#include "dpbudget/accounting/base/nearest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dpbudget {
namespace {

TEST(Nearest, TakesTheFewestChangesOfLetters) {
  const std::vector<std::string> known = {"rounds", "noise", "local_steps", "clip"};
  EXPECT_EQ(nearest("round", known), "rounds");
  EXPECT_EQ(nearest("nose", known), "noise");
  EXPECT_EQ(nearest("localsteps", known), "local_steps");
  EXPECT_EQ(nearest("clap", known), "clip");
}

}  // namespace
}  // namespace dpbudget
