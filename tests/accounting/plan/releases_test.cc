#include "dpbudget/accounting/plan/releases.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/plan/normal_form.h"

namespace dpbudget {
namespace {

using Listed = std::vector<std::pair<std::string, std::uint64_t>>;

Listed listed(const char* plan) {
  Listed all;
  for (const Release& release : releases_of(NormalPlan(parse_plan(plan)).event()))
    all.emplace_back(to_text(release.event), release.count);
  return all;
}

TEST(Releases, AreThePartsWithTheirCounts) {
  EXPECT_EQ(listed("nothing"), Listed{});
  EXPECT_EQ(listed("rr(1)"), (Listed{{"rr(1)", 1}}));
  EXPECT_EQ(listed("2 x (rr(1) + 3 x wor(0.5, 2 x rr(2)))"), (Listed{{"rr(1)", 2}, {"wor(0.5, 2 x rr(2))", 6}}));
}

TEST(Releases, OfGaussiansAreOne) {
  EXPECT_EQ(listed("3 x gaussian(1)"), (Listed{{"3 x gaussian(1)", 1}}));
  EXPECT_EQ(listed("rr(1) + 3 x gaussian(1) + 2 x rr(2) + gaussian(2)"),
            (Listed{{"rr(1)", 1}, {"3 x gaussian(1) + gaussian(2)", 1}, {"rr(2)", 2}}));
}

// Together they have less noise than a double holds the square of.
TEST(Releases, OfGaussiansStayApartWhereTheirNoiseLeavesTheRange) {
  EXPECT_EQ(listed("gaussian(1e-154) + gaussian(1.01e-154)"),
            (Listed{{"gaussian(1e-154)", 1}, {"gaussian(1.01e-154)", 1}}));
}

}  // namespace
}  // namespace dpbudget
