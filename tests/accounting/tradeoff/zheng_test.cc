// Tables 1 to 3 of Zheng, Chen, Long and Su (2021): the printed mu, and what the runs behind it provably have.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/tradeoff/federated.h"

namespace dpbudget::tradeoff {
namespace {

struct Training {
  double noise;
  std::uint64_t batch;
  std::uint64_t records;
  std::uint64_t steps;
  double printed;
};

TEST(Zheng, PrintsTheMuOfTheLimitInAllTables) {
  constexpr std::array<Training, 18> runs = {{{1, 16, 600, 38 * 93, 2.71},
                                              {0.9, 16, 600, 38 * 83, 3.10},
                                              {0.75, 16, 600, 38 * 64, 3.96},
                                              {1, 16, 600, 38 * 194, 3.92},
                                              {0.9, 16, 600, 38 * 176, 4.51},
                                              {0.75, 16, 600, 38 * 127, 5.58},
                                              {1, 16, 600, 38 * 386, 5.52},
                                              {0.9, 16, 600, 38 * 325, 6.13},
                                              {0.75, 16, 600, 38 * 245, 7.75},
                                              {1, 8, 600, 76 * 266, 3.24},
                                              {0.9, 8, 600, 76 * 229, 3.64},
                                              {0.75, 8, 600, 76 * 191, 4.84},
                                              {1, 16, 500, 32 * 468, 6.70},
                                              {0.75, 16, 500, 32 * 321, 9.77},
                                              {0.5, 16, 500, 32 * 207, 26.81},
                                              {1, 16, 500, 32 * 904, 9.31},
                                              {0.75, 16, 500, 32 * 671, 14.13},
                                              {0.5, 16, 500, 32 * 405, 37.51}}};
  for (const Training& run : runs)
    EXPECT_NEAR(federated_mu_max({{run.batch, run.records, run.noise, run.steps}}), run.printed, 0.005) << run.printed;
}

TEST(Zheng, SpendsWhatAnIndependentCompositionFound) {
  // epsilon at delta 1e-5 of the limit, of C_p composed and of an attained pair, found by another program.
  struct Known {
    Training run;
    double limit;
    double composed;
    double attained;
  };
  constexpr std::array<Known, 4> rows = {{{{1, 16, 600, 38 * 93, 2.71}, 14.64, 13.88, 10.82},
                                          {{0.75, 16, 600, 38 * 245, 7.75}, 62.32, 52.03, 38.08},
                                          {{1, 8, 600, 76 * 266, 3.24}, 18.45, 17.84, 13.27},
                                          {{0.5, 16, 500, 32 * 405, 37.51}, 862.4, 289.4, 212.8}}};
  for (const auto& [run, limit, composed, attained] : rows) {
    const Event step = SampledWithoutReplacement{Rate(run.batch, run.records), Event(Gaussian{run.noise})};
    const Plan plan{repeat(run.steps, step), Adjacency::replace_one};
    const Bound gdp = make_accountant(AccountantName::gdp, plan).value()->epsilon(1, 1e-5).value();
    EXPECT_NEAR(gdp.upper, limit, 1e-3 * limit);
    EXPECT_EQ(gdp.guarantee, Guarantee::estimate);
    const Bound proven = make_accountant(AccountantName::loss_distribution, plan).value()->epsilon(1, 1e-5).value();
    EXPECT_NEAR(proven.upper, composed, 2e-3 * composed);
    EXPECT_NEAR(proven.lower, attained, 2e-3 * attained);
    EXPECT_EQ(proven.guarantee, Guarantee::proven);
  }
}

}  // namespace
}  // namespace dpbudget::tradeoff
