#include "dpbudget/accounting/solve/most_reports.h"

#include <gtest/gtest.h>

#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::solve {
namespace {

TEST(MostReports, AreThoseThatASampleHasRecordsFor) {
  EXPECT_EQ(most_reports(parse_plan("shuffle(?, rr(1))").event), 1ULL << 53);
  EXPECT_EQ(most_reports(parse_plan("wor(0.1, shuffle(?, rr(1)))").event), 1ULL << 53);
  EXPECT_EQ(most_reports(parse_plan("wor(10 of 100, gaussian(?)) + shuffle(7, rr(1))").event), 1ULL << 53);
  EXPECT_EQ(most_reports(parse_plan("rr(1) + 3 x wor(10 of 100, shuffle(?, pure(1), 3))").event), 3U);
  EXPECT_EQ(most_reports(parse_plan("wor(10 of 100, participates(0.1, wor(4 of 9, shuffle(?, rr(1)))))").event), 4U);
}

}  // namespace
}  // namespace dpbudget::solve
