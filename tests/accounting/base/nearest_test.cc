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

TEST(Nearest, IsSaidBesideAllThatThereAre) {
  EXPECT_EQ(choices_for("nose", std::vector<std::string_view>{"rounds", "noise"}),
            "rounds, noise; the nearest is noise");
}

}  // namespace
}  // namespace dpbudget
