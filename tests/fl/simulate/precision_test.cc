// Runs whose models compute in single precision.

#include "dpbudget/fl/model/precision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "dpbudget/fl/verify/verify.h"
#include "fl/small.h"

namespace dpbudget::fl {
namespace {

struct Ran {
  Result result;
  Ledger ledger;
};

Ran ran(const RunRequest& run) {
  const TemporaryFile file;
  const FederatedData data = ten_clients();
  Result result = [&] {
    LedgerWriter writer(file.path());
    Surroundings around;
    around.ledger = &writer;
    return simulate(run, data, around);
  }();
  return {std::move(result), read_ledger(file.path())};
}

RunRequest run_of(std::optional<Precision> precision) {
  RunRequest run = small_run("dp-fedavg");
  run.precision = precision;
  return run;
}

TEST(Precision, IsWrittenDownAndVerifies) {
  for (const auto precision : {std::optional<Precision>{}, std::optional(Precision::single_)}) {
    const Ran run = ran(run_of(precision));
    EXPECT_EQ(run.ledger.header.run->precision, precision);
    EXPECT_TRUE(verify(run.ledger, 1e-5).passed);
  }
}

TEST(Precision, ChangesLastPlacesAlone) {
  const Vector usual = ran(run_of(std::nullopt)).result.parameters;
  EXPECT_EQ(ran(run_of(Precision::double_)).result.parameters, usual);
  const Vector single = ran(run_of(Precision::single_)).result.parameters;
  EXPECT_NE(single, usual);
  EXPECT_LT((single - usual).norm(), 1e-5 * usual.norm());
}

// However the sum is rounded: a contribution stays a little below the norm.
TEST(Precision, ClipsBelowTheNorm) {
  RunRequest run = run_of(Precision::single_);
  run.clip_norm = 1e-3;
  const Ran done = ran(run);
  double largest = 0;
  for (const Participation& participation : done.ledger.participations)
    for (const ReleaseRun& release : participation.releases) {
      EXPECT_GT(release.largest_norm, release.clip_norm);
      largest = std::max(largest, release.largest_released / release.clip_norm);
    }
  EXPECT_LT(largest, 1);
  EXPECT_GT(largest, 1 - 1e-5);
}

}  // namespace
}  // namespace dpbudget::fl
