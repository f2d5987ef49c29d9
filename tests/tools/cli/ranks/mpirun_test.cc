// The program as several processes that mpirun starts. Without MPI there is nothing to test.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tools/cli/program.h"

namespace dpbudget {
namespace {

using testing::Program;
using testing::Ran;

class Mpirun : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    const std::filesystem::path beside = std::filesystem::path(testing::program()).parent_path();
    if (!std::filesystem::exists(beside / "dpbudget_mpi.so") || run_after("command -v mpirun", "--version").status != 0)
      GTEST_SKIP() << "there is no MPI";
    write("rank-1-dies", "[ \"${OMPI_COMM_WORLD_RANK-$PMI_RANK}\" != 1 ] || (sleep 2; kill -9 $$) &\nexec \"$@\"\n");
  }

  // More ranks than cores, by root, is what Open MPI wants to be asked for.
  static std::string started(std::size_t ranks) {
    return "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
           "OMPI_MCA_mpi_yield_when_idle=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe; mpirun -n " +
           std::to_string(ranks);
  }
  Ran run_on(std::size_t ranks, const std::string& arguments) const { return run_before(started(ranks), arguments); }
};

const std::string of_run =
    "--algorithm dp-scaffold --users 9 --records 40 --user-rate 0.6 --local-steps 2 --noise 6 --clip 0.5 --seed 3 ";

TEST_F(Mpirun, LeavesTheSameBitsOnAnyNumberOfRanks) {
  const std::string run_it = "simulate " + of_run + "--rounds 5 --seeds 2 ";
  const std::string files = "--ledger l --checkpoint c --save-model m --json";
  const Ran alone = run(run_it + files);
  ASSERT_EQ(alone.status, 0) << alone.err;
  const auto left = [&] {
    std::string all;
    for (const char* file : {"l", "c", "m"})
      for (const char* seed : {"3", "4"}) {
        const std::filesystem::path name(file);
        const std::string own = name.stem().string() + ".seed-" + seed + name.extension().string();
        EXPECT_TRUE(std::filesystem::exists(path(own))) << own;
        all += text_of(own);
        std::filesystem::remove(path(own));
      }
    return all;
  };
  const std::string expected = left();
  for (const std::size_t ranks : {1, 2, 4}) {
    const Ran shared = run_on(ranks, run_it + files);
    EXPECT_EQ(shared.status, 0) << shared.err;
    EXPECT_EQ(shared.out, alone.out) << ranks;
    EXPECT_EQ(left(), expected) << ranks;
  }
}

TEST_F(Mpirun, ReplaysOnSeveralRanks) {
  ASSERT_EQ(run("simulate " + of_run + "--rounds 5 --ledger l").status, 0);
  const std::string replay = "verify l --replay synthetic:1,1 --users 9 --records 40";
  const Ran shared = run_on(2, replay);
  EXPECT_EQ(shared.status, 0) << shared.err;
  EXPECT_EQ(shared.out, run(replay).out);
}

TEST_F(Mpirun, VerifiesOnSeveralRanks) {
  ASSERT_EQ(run("simulate " + of_run + "--rounds 700 --evaluate-every 700 --ledger l.gz").status, 0);
  const Ran shared = run_on(3, "verify l.gz");
  EXPECT_EQ(shared.status, 0) << shared.err;
  EXPECT_EQ(shared.out, run("verify l.gz").out);
  write("no", "{}\n");
  EXPECT_EQ(run_on(2, "verify no").status, 2);
  EXPECT_EQ(run_on(2, "verify l.gz --epsilon 1e-3").status, 1);
}

TEST_F(Mpirun, DividesTheRunsOfASweep) {
  const std::string sweep = "sweep " + of_run + "--rounds 3 --grid step=0.1,1 --seeds 2 --results s";
  const Ran shared = run_on(3, sweep);
  EXPECT_EQ(shared.status, 0) << shared.err;
  EXPECT_NE(shared.out.find("4 runs, 3 at a time"), std::string::npos) << shared.out;
  const Ran after = run(sweep);
  EXPECT_NE(after.out.find("4 runs, of which 4 are in s already"), std::string::npos) << after.out;
  EXPECT_EQ(after.out.substr(after.out.find("step")), shared.out.substr(shared.out.find("step")));
}

TEST_F(Mpirun, SaysOnceWhatIsWrongAndWritesNothing) {
  const Ran refused = run_on(2, "simulate " + of_run + "--rounds 3 --data idx:none,none --ledger l");
  EXPECT_EQ(refused.status, 2) << refused.err;
  EXPECT_EQ(refused.out, "");
  const std::size_t first = refused.err.find("dpbudget: ");
  EXPECT_NE(first, std::string::npos) << refused.err;
  EXPECT_EQ(refused.err.find("dpbudget: ", first + 1), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(path("l")));
  EXPECT_EQ(run_on(2, "simulate " + of_run + "--step 1e300 --rounds 3 --ledger l").status, 3);
  EXPECT_EQ(run_on(2, "simulate " + of_run + "--rounds 3 --ledger /dev/full").status, 4);
}

TEST_F(Mpirun, SaysWhatIsWrongWithARunOfAnotherRank) {
  const Ran refused = run_on(2, "sweep " + of_run + "--rounds 2 --grid pca=2,5000 --results s");
  EXPECT_EQ(refused.status, 2) << refused.err;
  EXPECT_NE(refused.err.find("dpbudget: --pca 5000 --seed 3: components is 5000"), std::string::npos) << refused.err;
  EXPECT_NE(refused.out.find("1 of 2 runs are not in s yet"), std::string::npos) << refused.out;
}

// Each rank in a folder of its own, of which one has no data, and then others.
TEST_F(Mpirun, NamesTheRankThatHasOtherDataThanASweep) {
  const std::string table = "x,y\n1,1\n2,2\n3,3\n4,4\n5,5\n6,6\n7,7\n8,8\n9,9\n";
  std::filesystem::create_directory(path("r0"));
  std::filesystem::create_directory(path("r1"));
  write("r0/d.csv", table);
  write("by-rank", "cd r${OMPI_COMM_WORLD_RANK-$PMI_RANK} && exec \"$@\"\n");
  const auto sweep = [&] {
    return run_before(
        started(2) + " sh by-rank",
        "sweep --algorithm dp-mb-sgd --model linear --users 2 --user-rate 1 --record-rate 0.5 --rounds 2 --noise 3 "
        "--clip 9 --data csv:d.csv,target=y --grid step=0.1,1 --results '" +
            path("s") + "'");
  };
  const Ran missing = sweep();
  EXPECT_EQ(missing.status, 2) << missing.err;
  EXPECT_NE(missing.err.find("dpbudget: rank 1: d.csv"), std::string::npos) << missing.err;
  write("r1/d.csv", table + "10,11\n");
  const Ran other = sweep();
  EXPECT_EQ(other.status, 2) << other.err;
  EXPECT_NE(other.err.find("dpbudget: rank 1: the data are others there"), std::string::npos) << other.err;
  EXPECT_EQ(text_of("s"), "");
  write("r1/d.csv", table);
  EXPECT_EQ(sweep().status, 0);
}

TEST_F(Mpirun, LeavesThePageToOneProcess) {
  const std::string simulate = "simulate " + of_run + "--rounds 2 --ledger l --report ";
  ASSERT_EQ(run(simulate + "alone.md").status, 0);
  ASSERT_EQ(run_on(3, simulate + "shared.md").status, 0);
  EXPECT_NEAR(static_cast<double>(text_of("shared.md").size()), static_cast<double>(text_of("alone.md").size()), 50);
}

TEST_F(Mpirun, NoticesAnotherMpisLauncher) {
  const Ran ran = run_after("export PMI_SIZE=2 PMI_RANK=0", "simulate " + of_run + "--rounds 2 --ledger l");
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("dpbudget: mpirun started 2 processes, but"), std::string::npos) << ran.err;
  EXPECT_EQ(run_after("export PMI_SIZE=x PMI_RANK=", "--version").status, 0);
}

TEST_F(Mpirun, LeavesWhatNobodyDividesToOneProcess) {
  const Ran shared = run_on(2, "epsilon 'gaussian(1)' --delta 1e-5");
  EXPECT_EQ(shared.out, run("epsilon 'gaussian(1)' --delta 1e-5").out);
}

// A rank is killed after two seconds.
TEST_F(Mpirun, LosesNothingThatWasWrittenWhenARankDies) {
  const std::string run_it = "simulate " + of_run + "--rounds 40000 --evaluate-every 40000 --checkpoint-every 20 ";
  const Ran died = run_before(started(2) + " sh rank-1-dies", run_it + "--ledger l --checkpoint c");
  EXPECT_NE(died.status, 0);
  EXPECT_NE(died.err.find("rank 1"), std::string::npos) << died.err;
  const Ran verified = run("verify l");
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  EXPECT_NE(verified.out.find("the run did not finish"), std::string::npos) << verified.out;
  // It is taken up by another number of ranks, for two seconds of CPU.
  write("ends-soon", "ulimit -t 2\nexec \"$@\"\n");
  const std::string before = text_of("l");
  run_before("sh ends-soon", run_it + "--ledger l --checkpoint c --resume");
  const std::string after = text_of("l");
  const std::string common = before.substr(0, before.rfind("{\"kind\":\"round\""));
  EXPECT_GT(after.size(), before.size());
  EXPECT_EQ(after.substr(0, common.size()), common);
  EXPECT_EQ(run("verify l").status, 0);
}

}  // namespace
}  // namespace dpbudget
