#include "dpbudget/tools/cli/simulation/summary.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tools/cli/program.h"

namespace dpbudget::tools {
namespace {

class Summary : public testing::Program {
 protected:
  // Taken up after its first evaluation, which nothing was measured of.
  static SeedRun taken_up(std::uint64_t seed, bool is_measured) {
    fl::RunRequest request;
    request.algorithm = "fedavg";
    request.seed = seed;
    SeedRun run{seed, "", fl::settle(request), {}, {}};
    run.result.history = {{.round = 0, .train_loss = 2, .test_score = 0.1},
                          {.round = 5, .train_loss = 1, .test_score = 0.5}};
    if (is_measured) run.result.history.back().measured = {{"log10_gap", -1.5}, {"gradient_dissimilarity", 0.25}};
    run.result.last = run.result.history.back();
    return run;
  }
};

TEST_F(Summary, DrawsWhatWasMeasured) {
  for (const std::uint64_t seeds : {1, 3}) {
    std::vector<SeedRun> runs;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) runs.push_back(taken_up(seed, true));
    EXPECT_EQ(plot_runs(runs, path("run.svg")), path("run.svg"));
    EXPECT_TRUE(std::filesystem::exists(path("run.svg")));
    EXPECT_NE(summary_table(runs).find("-1.5"), std::string::npos);
  }
}

TEST_F(Summary, LeavesOutWhatWasNotMeasuredOfAll) {
  const std::vector<SeedRun> runs = {taken_up(1, true), taken_up(2, false)};
  EXPECT_EQ(summary_table(runs).find("log10_gap"), std::string::npos);
  EXPECT_EQ(plot_runs(runs, path("run.svg")), path("run.svg"));
}

}  // namespace
}  // namespace dpbudget::tools
