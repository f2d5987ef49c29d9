#include <nlohmann/json.hpp>

#include "tools/cli/program.h"

namespace dpbudget::testing {
namespace {

class LedgerCommand : public Program {
 protected:
  static constexpr const char* simulated =
      "simulate --algorithm dp-fedavg --users 4 --records 50 --rounds 6 --user-rate 0.5 --noise 5 --clip 1 --seed 3 ";

  nlohmann::json summary(const std::string& file) const {
    const Ran ran = run("ledger " + file + " --json");
    EXPECT_EQ(ran.status, 0) << ran.err;
    return nlohmann::json::parse(ran.out);
  }
};

TEST_F(LedgerCommand, TellsAndConvertsWhatARunWrote) {
  ASSERT_EQ(run(simulated + std::string("--ledger run.jsonl")).status, 0);
  ASSERT_EQ(run(simulated + std::string("--ledger packed.jsonl.gz")).status, 0);
  const nlohmann::json plain = summary("run.jsonl");
  EXPECT_EQ(plain["rounds"], 6);
  EXPECT_EQ(plain["participations"], 12);
  EXPECT_EQ(plain["clients"], 4);
  EXPECT_EQ(plain["finished"], true);
  EXPECT_EQ(plain["packed"], false);
  EXPECT_EQ(summary("packed.jsonl.gz")["packed"], true);
  const Ran shown = run("ledger run.jsonl --to other.gz");
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_NE(shown.out.find("6 of 6 planned, with 12 participations; finished"), std::string::npos) << shown.out;
  EXPECT_EQ(text_of("other.gz"), text_of("packed.jsonl.gz"));
  EXPECT_EQ(run("ledger packed.jsonl.gz --to back.jsonl").status, 0);
  EXPECT_EQ(text_of("back.jsonl"), text_of("run.jsonl"));
  EXPECT_EQ(run("verify packed.jsonl.gz").out, run("verify run.jsonl").out);
  EXPECT_EQ(run("verify packed.jsonl.gz --replay synthetic:1,1 --users 4 --records 50").status, 0);
}

TEST_F(LedgerCommand, OverwritesNothingThatItReads) {
  ASSERT_EQ(run(simulated + std::string("--ledger run.jsonl")).status, 0);
  const std::string before = text_of("run.jsonl");
  const Ran refused = run("ledger run.jsonl --to run.jsonl");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("--to is run.jsonl, but ledger reads the same file"), std::string::npos) << refused.err;
  EXPECT_EQ(text_of("run.jsonl"), before);
  write("no.jsonl", "{}\n");
  const Ran none = run("ledger no.jsonl --to there.gz");
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.err, "dpbudget: no.jsonl: line 1 is not a ledger line: `kind` is missing\n");
  EXPECT_FALSE(std::filesystem::exists(path("there.gz")));
  EXPECT_EQ(run("ledger").err, "dpbudget: ledger is required; see dpbudget --help\n");
  EXPECT_EQ(run("ledger nowhere.jsonl").err, "dpbudget: ledger nowhere.jsonl cannot be read\n");
}

TEST_F(LedgerCommand, ReadsAPipeOnce) {
  ASSERT_EQ(run(simulated + std::string("--ledger run.jsonl.gz")).status, 0);
  const auto piped = [&](const std::string& command) { return run_before("cat run.jsonl.gz |", command); };
  const Ran shown = piped("ledger /dev/stdin");
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_NE(shown.out.find("/dev/stdin, packed"), std::string::npos) << shown.out;
  EXPECT_EQ(piped("ledger /dev/stdin --to other.jsonl").err,
            "dpbudget: ledger /dev/stdin must be a file with --to, which reads it twice\n");
  EXPECT_EQ(piped("verify /dev/stdin").status, 0);
}

// Taken up, a packed ledger is what an uninterrupted run would have left.
TEST_F(LedgerCommand, IsTakenUpPacked) {
  const std::string files = "--checkpoint run.state --checkpoint-every 2 ";
  ASSERT_EQ(run(simulated + files + "--ledger run.jsonl.gz").status, 0);
  const std::string whole = text_of("run.jsonl.gz");
  write("run.jsonl.gz", whole + std::string("\x1f\x8b\x08", 3));
  EXPECT_EQ(summary("run.jsonl.gz")["torn"], true);
  const Ran resumed = run(simulated + files + "--ledger run.jsonl.gz --resume");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(text_of("run.jsonl.gz"), whole);
}

}  // namespace
}  // namespace dpbudget::testing
