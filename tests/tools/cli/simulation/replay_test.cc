#include "dpbudget/tools/cli/simulation/replay.h"

#include <gtest/gtest.h>

#include <string>

#include "tools/cli/program.h"

namespace dpbudget {
namespace {

using testing::Program;
using testing::Ran;

const std::string sizes = "--users 5 --records 40 ";
const std::string options =
    "simulate --algorithm dp-scaffold --user-rate 0.6 --rounds 4 --local-steps 2 --noise 6 --clip 0.5 --seed 3 " +
    sizes + "--step-schedule inverse-sqrt ";
const std::string replay = " --replay synthetic:1,1 " + sizes;

TEST_F(Program, ReplaysAnHonestRun) {
  ASSERT_EQ(run(options + "--ledger run.jsonl").status, 0);
  const Ran honest = run("verify run.jsonl" + replay);
  EXPECT_EQ(honest.status, 0) << honest.out << honest.err;
  EXPECT_NE(honest.out.find("executed again, 4 rounds are the same to the last bit"), std::string::npos) << honest.out;
  // Of a run that was interrupted as far as it came, and with a budget that cut it short.
  const std::string text = text_of("run.jsonl");
  std::size_t end = 0;
  for (int line = 0; line < 7; ++line) end = text.find('\n', end) + 1;
  write("cut.jsonl", text.substr(0, end));
  EXPECT_EQ(run("verify cut.jsonl" + replay).status, 0);
  ASSERT_EQ(run(options + "--epsilon 1.2 --ledger short.jsonl").status, 0);
  EXPECT_EQ(run("verify short.jsonl" + replay).status, 0);
}

// What agrees with itself, and is not what was executed.
TEST_F(Program, FindsForgeriesByReplay) {
  ASSERT_EQ(run(options + "--ledger run.jsonl").status, 0);
  const auto forged = [&](const std::string& from, const std::string& to) {
    std::string text = text_of("run.jsonl");
    const std::size_t at = text.rfind(from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
    write("forged.jsonl", text);
    EXPECT_EQ(run("verify forged.jsonl").status, 0) << from;
    const Ran found = run("verify forged.jsonl" + replay);
    EXPECT_EQ(found.status, 1) << from;
    EXPECT_NE(found.out.find("executed again, it differs"), std::string::npos) << found.out;
  };
  forged("\"train_loss\":", "\"train_loss\":1");
  forged("\"largest_norm\":", "\"largest_norm\":1");
  std::string text = text_of("run.jsonl");
  text.replace(text.find("synthetic(1, 1)"), 15, "synthetic(0, 0)");
  write("forged.jsonl", text);
  const Ran found = run("verify forged.jsonl" + replay);
  EXPECT_EQ(found.status, 1);
  EXPECT_NE(found.out.find("the ledger says that its data are synthetic(0, 0)"), std::string::npos) << found.out;
}

TEST_F(Program, ReplaysInThePrecisionOfTheRun) {
  ASSERT_EQ(run(options + "--precision single --ledger run.jsonl").status, 0);
  EXPECT_EQ(run("verify run.jsonl" + replay).status, 0);
  std::string text = text_of("run.jsonl");
  const std::string single = R"("precision":"single")";
  ASSERT_NE(text.find(single), std::string::npos);
  write("forged.jsonl", text.replace(text.find(single), single.size(), R"("precision":"double")"));
  EXPECT_EQ(run("verify forged.jsonl" + replay).status, 1);
  refuses(options + "--precision half --ledger other.jsonl", "--precision");
}

TEST_F(Program, ReplaysPassesOverShuffledRecords) {
  const Ran simulated = run(options + "--batches shuffled --ledger run.jsonl");
  ASSERT_EQ(simulated.status, 0) << simulated.err;
  EXPECT_NE(simulated.out.find("shuffled_batches(2, gaussian(6))"), std::string::npos) << simulated.out;
  const Ran honest = run("verify run.jsonl" + replay);
  EXPECT_EQ(honest.status, 0) << honest.out << honest.err;
  EXPECT_NE(honest.out.find("no record twice in a pass"), std::string::npos) << honest.out;
  EXPECT_NE(honest.out.find("executed again, 4 rounds are the same to the last bit"), std::string::npos) << honest.out;
}

// Before, random numbers were others, which a verification draws again.
TEST_F(Program, ReplaysFromVersion10On) {
  const std::string older = DPBUDGET_SOURCE_DIR "/tests/fl/ledger/version_9/steps.jsonl";
  EXPECT_EQ(run("verify " + older).status, 0);
  refuses("verify " + older + replay,
          "--replay is asked for a ledger of version 9, but must be for one of version 10 or later");
  ASSERT_EQ(run(options + "--ledger run.jsonl").status, 0);
  std::string text = text_of("run.jsonl");
  const std::string version = "\"version\":10";
  const std::size_t at = text.find(version);
  ASSERT_NE(at, std::string::npos);
  write("forged.jsonl", text.replace(at, version.size(), "\"version\":9"));
  const Ran forged = run("verify forged.jsonl");
  EXPECT_EQ(forged.status, 1);
  EXPECT_NE(forged.out.find("its own stream gives"), std::string::npos) << forged.out;
}

TEST_F(Program, ReplaysRecordsThatNobodyHolds) {
  ASSERT_EQ(run(options + "--data synthetic:1,1,drawn --evaluate-clients 2 --ledger run.jsonl").status, 0);
  const Ran honest = run("verify run.jsonl --replay synthetic:1,1,drawn " + sizes);
  EXPECT_EQ(honest.status, 0) << honest.out << honest.err;
  EXPECT_NE(honest.out.find("executed again, 4 rounds are the same to the last bit"), std::string::npos) << honest.out;
  refuses("verify run.jsonl --replay synthetic:1,1 --standardise none " + sizes, "--replay is");
  refuses("verify run.jsonl --replay synthetic:1,1,drawn --users 6 --records 40", "--replay is");
}

TEST_F(Program, ReplaysOnTheDataOfTheLedgerOnly) {
  ASSERT_EQ(run(options + "--ledger run.jsonl").status, 0);
  refuses("verify run.jsonl --replay synthetic:0,1 " + sizes, "--replay is synthetic(0, 1)");
  refuses("verify run.jsonl --replay synthetic:1,1 --users 6 --records 40", "--replay is");
  refuses("verify run.jsonl --users 6", "--users requires --replay");
  refuses("verify --matrix --replay synthetic:1,1", "--replay");
}

}  // namespace
}  // namespace dpbudget
