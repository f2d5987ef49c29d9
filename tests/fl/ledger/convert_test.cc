#include "dpbudget/fl/ledger/convert.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "accounting/base/full_disk.h"
#include "dpbudget/fl/files/cannot_write.h"
#include "dpbudget/fl/files/gzip_blocks.h"
#include "dpbudget/fl/verify/verify.h"
#include "fl/small.h"
#include "fl/write_file.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

namespace fs = std::filesystem;

// A folder of its own, removed at the end.
class ConvertLedger : public ::testing::Test {
 protected:
  ConvertLedger() { fs::create_directory(folder_); }
  ~ConvertLedger() override { fs::remove_all(folder_); }

  fs::path path(const std::string& name) const { return folder_ / name; }

  std::string bytes_of(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // Runs into a ledger of that name.
  void run_into(const std::string& name, const RunRequest& run) const {
    LedgerWriter writer(path(name));
    simulate_into(writer, run, ten_clients());
  }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("dpbudget-convert-" + std::to_string(::getpid()));
};

TEST_F(ConvertLedger, GivesEachFormTheOther) {
  for (const char* algorithm : {"dp-fedavg", "binomial-ac-sa", "fedavg"}) {
    run_into("plain.jsonl", small_run(algorithm));
    run_into("packed.jsonl.gz", small_run(algorithm));
    EXPECT_LT(fs::file_size(path("packed.jsonl.gz")), fs::file_size(path("plain.jsonl"))) << algorithm;
    convert_ledger(path("plain.jsonl"), path("there.gz"));
    EXPECT_TRUE(bytes_of("there.gz") == bytes_of("packed.jsonl.gz")) << algorithm;
    convert_ledger(path("there.gz"), path("back.jsonl"));
    EXPECT_TRUE(bytes_of("back.jsonl") == bytes_of("plain.jsonl")) << algorithm;
    EXPECT_FALSE(fs::exists(path("back.jsonl.part")));
    const LedgerSummary plain = summary_of(path("plain.jsonl"));
    const LedgerSummary packed = summary_of(path("there.gz"));
    EXPECT_FALSE(plain.is_packed);
    EXPECT_TRUE(packed.is_packed);
    for (const LedgerSummary& summary : {plain, packed}) {
      EXPECT_EQ(summary.rounds, 6U);
      EXPECT_EQ(summary.participations, 18U);
      EXPECT_TRUE(summary.end);
      EXPECT_FALSE(summary.is_torn);
    }
  }
}

TEST_F(ConvertLedger, VerifiesInEitherForm) {
  for (const AlgorithmTraits& algorithm : all_algorithms()) {
    run_into("packed.jsonl.gz", small_run(algorithm.name));
    convert_ledger(path("packed.jsonl.gz"), path("plain.jsonl"));
    const Report packed = verify(path("packed.jsonl.gz"), 1e-5);
    const Report plain = verify(path("plain.jsonl"), 1e-5);
    const Report whole = verify(read_ledger(path("plain.jsonl")), 1e-5);
    for (const Report* other : {&plain, &whole}) {
      ASSERT_EQ(packed.checks.size(), other->checks.size()) << algorithm.name;
      for (std::size_t i = 0; i < packed.checks.size(); ++i) {
        EXPECT_TRUE(packed.checks[i].passed) << algorithm.name << ": " << packed.checks[i].reason;
        EXPECT_EQ(packed.checks[i].reason, other->checks[i].reason) << algorithm.name;
      }
      ASSERT_EQ(packed.views.size(), other->views.size());
      for (std::size_t i = 0; i < packed.views.size(); ++i)
        if (packed.views[i].executed) {
          EXPECT_EQ(packed.views[i].executed->epsilon.upper, other->views[i].executed->epsilon.upper);
        }
    }
  }
}

// A round whose write was interrupted is left out, and one that was changed is found.
TEST_F(ConvertLedger, ReadsUpToTheLastWholeBlock) {
  run_into("packed.jsonl.gz", small_run("dp-fedavg"));
  const std::string whole = bytes_of("packed.jsonl.gz");
  write_file(path("torn.gz"), whole.substr(0, whole.size() * 2 / 3));
  const LedgerSummary torn = summary_of(path("torn.gz"));
  EXPECT_TRUE(torn.is_torn);
  EXPECT_LT(torn.rounds, 6U);
  EXPECT_EQ(torn.participations, 3 * torn.rounds);
  EXPECT_TRUE(verify(path("torn.gz"), 1e-5).passed);
  std::string damaged = whole;
  damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 1);
  write_file(path("damaged.gz"), damaged);
  EXPECT_REFUSED("ledger " + path("damaged.gz").string() + ": gzip block", verify(path("damaged.gz"), 1e-5));
}

TEST_F(ConvertLedger, WritesNothingOfWhatIsNoLedger) {
  write_file(path("no"), "no ledger\n");
  write_file(path("there"), "earlier\n");
  EXPECT_REFUSED(path("no").string() + ": line 1 is not a ledger line", convert_ledger(path("no"), path("there")));
  run_into("plain.jsonl", small_run("dp-fedavg"));
  std::string text = bytes_of("plain.jsonl");
  write_file(path("plain.jsonl"), text + "{}\n");
  EXPECT_REFUSED(path("plain.jsonl").string() + ": line 27", convert_ledger(path("plain.jsonl"), path("there")));
  EXPECT_EQ(bytes_of("there"), "earlier\n");
  EXPECT_FALSE(fs::exists(path("there.part")));
}

TEST_F(ConvertLedger, KeepsWhatStoodThereOnAFullDisk) {
  run_into("plain.jsonl", small_run("dp-fedavg"));
  write_file(path("there"), "earlier\n");
  {
    const FullDisk disk(100);
    EXPECT_THROW(convert_ledger(path("plain.jsonl"), path("there")), CannotWrite);
  }
  EXPECT_EQ(bytes_of("there"), "earlier\n");
  EXPECT_FALSE(fs::exists(path("there.part")));
}

// Of a packed ledger whole blocks are dropped, and the rest is packed as what stands before.
TEST_F(ConvertLedger, IsTakenUpPacked) {
  const RunRequest run = small_run("dp-fedavg");
  run_into("whole.jsonl.gz", run);
  const std::string whole = bytes_of("whole.jsonl.gz");
  const Ledger ledger = read_ledger(path("whole.jsonl.gz"));
  for (const std::uint64_t done : {0U, 2U, 6U}) {
    write_file(path("some.gz"), whole.substr(0, whole.size() - 1));
    LedgerWriter writer(path("some.gz"));
    writer.take_up(ledger.header, done);
    for (std::uint64_t round = done; round < 6; ++round)
      writer.round(ledger.rounds[round], std::span(ledger.participations).subspan(3 * round, 3));
    writer.end(*ledger.end);
    EXPECT_TRUE(bytes_of("some.gz") == whole) << done;
  }
  // Packed as one piece there is no place to go on from.
  convert_ledger(path("whole.jsonl.gz"), path("plain.jsonl"));
  write_file(path("one.gz"), gzip_block(bytes_of("plain.jsonl")));
  EXPECT_REFUSED("ledger " + path("one.gz").string() + " was packed by another program",
                 LedgerWriter(path("one.gz")).take_up(ledger.header, 2));
}

}  // namespace
}  // namespace dpbudget::fl
