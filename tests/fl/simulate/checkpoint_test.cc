#include "dpbudget/fl/simulate/checkpoint.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <zlib.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "accounting/base/full_disk.h"
#include "dpbudget/fl/files/cannot_write.h"
#include "dpbudget/fl/files/replace_file.h"
#include "fl/kinds.h"
#include "fl/write_file.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

const std::string opening = "dpbudget checkpoint, version 2 ";

template <class Change>
Identity identity_with(const Change& change) {
  RunRequest run = kind_of("dp-prifedsync");
  change(run);
  return {settle(run), 0xfedcba9876543210U};
}

Identity identity() { return {settle(kind_of("dp-prifedsync")), 0xfedcba9876543210U}; }

State some_state() {
  State state;
  state.round = 17;
  state.clip_norm = 0.1;
  state.server.model = Vector{{1.0 / 3, -0.0, 5e-324, 1.7976931348623157e308}};
  state.server.control = Vector{{0.1, 1e-17, -2, 3}};
  state.server.memory = {Vector(), Vector{{0.3, 1}}};
  state.clients[1].control = Vector{{7, 1.0 / 7}};
  state.clients[4].model = Vector{{-1.0 / 9}};
  state.history = {{0, 0.1, 0.2, std::nullopt}, {3, 1.0 / 3, 0.7, 1.0 / 11, {{"log10_gap", -1.0 / 7}}}};
  return state;
}

void expect_same(const State& a, const State& b) {
  EXPECT_EQ(a.round, b.round);
  EXPECT_EQ(a.clip_norm, b.clip_norm);
  EXPECT_TRUE(equal_bits(a.server.model, b.server.model));
  EXPECT_TRUE(equal_bits(a.server.control, b.server.control));
  ASSERT_EQ(a.server.memory.size(), b.server.memory.size());
  for (std::size_t i = 0; i < a.server.memory.size(); ++i)
    EXPECT_TRUE(equal_bits(a.server.memory[i], b.server.memory[i]));
  ASSERT_EQ(a.clients.size(), b.clients.size());
  for (const auto& [client, kept] : a.clients) {
    ASSERT_TRUE(b.clients.contains(client)) << client;
    EXPECT_TRUE(equal_bits(kept.control, b.clients.at(client).control)) << client;
    EXPECT_TRUE(equal_bits(kept.model, b.clients.at(client).model)) << client;
  }
  EXPECT_EQ(a.history, b.history);
}

TEST(Checkpoint, ReadsBackToTheLastBit) {
  const TemporaryFile file;
  write_checkpoint(file.path(), identity(), some_state());
  expect_same(read_checkpoint(file.path(), identity()), some_state());
  State plain = some_state();
  plain.clip_norm = std::numeric_limits<double>::infinity();
  write_checkpoint(file.path(), identity(), plain);
  expect_same(read_checkpoint(file.path(), identity()), plain);
}

RC_GTEST_PROP(Checkpoint, ReadsBackAnyFiniteModel, (const std::vector<double>& numbers)) {
  const TemporaryFile file;
  State state = some_state();
  state.server.model = Eigen::Map<const Vector>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
  write_checkpoint(file.path(), identity(), state);
  RC_ASSERT(equal_bits(read_checkpoint(file.path(), identity()).server.model, state.server.model));
}

TEST(Checkpoint, IsRefusedForAnotherRunOrOtherData) {
  const TemporaryFile file;
  write_checkpoint(file.path(), identity(), some_state());
  Identity other = identity();
  other.fingerprint += 1;
  EXPECT_REFUSED("checkpoint " + file.path().string(), read_checkpoint(file.path(), other));
  other = identity_with([](RunRequest& run) { run.noise_multiplier = std::nextafter(run.noise_multiplier, 5); });
  EXPECT_REFUSED("checkpoint " + file.path().string(), read_checkpoint(file.path(), other));
  other = identity_with([](RunRequest& run) { run.seed += 1; });
  EXPECT_REFUSED("checkpoint " + file.path().string(), read_checkpoint(file.path(), other));
  // The number of threads changes nothing.
  other = identity_with([](RunRequest& run) { run.threads = 7; });
  expect_same(read_checkpoint(file.path(), other), some_state());
}

TEST(Checkpoint, IsRefusedWhenItIsNone) {
  const TemporaryFile file;
  EXPECT_REFUSED("checkpoint " + file.path().string(), read_checkpoint(file.path(), identity()));
  EXPECT_REFUSED("checkpoint ", read_checkpoint(std::filesystem::temp_directory_path(), identity()));
  for (const std::string text : {"", "garbage", "{}", "\xf6", "[1,2]", "\xa0", "\x80"}) {
    write_file(file.path(), text);
    EXPECT_REFUSED("checkpoint " + file.path().string(), read_checkpoint(file.path(), identity()));
  }
}

TEST(Checkpoint, IsRefusedWhenCutOffAnywhereOrPadded) {
  const TemporaryFile file;
  write_checkpoint(file.path(), identity(), some_state());
  const std::string whole = file.text();
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    write_file(file.path(), whole.substr(0, length));
    EXPECT_REFUSED("checkpoint " + file.path().string(), read_checkpoint(file.path(), identity()));
  }
  write_file(file.path(), whole + "x");
  EXPECT_REFUSED("checkpoint " + file.path().string(), read_checkpoint(file.path(), identity()));
}

// It would go on with other random numbers.
TEST(Checkpoint, IsRefusedOfAnOlderProgram) {
  const TemporaryFile file;
  write_checkpoint(file.path(), identity(), some_state());
  write_file(file.path(), "dpbudget checkpoint " + file.text().substr(opening.size()));
  EXPECT_REFUSED("checkpoint " + file.path().string() + " is of an older version of the program, which drew other",
                 read_checkpoint(file.path(), identity()));
}

// A checksum that fits what a hand has changed.
TEST(Checkpoint, IsRefusedWhereACountIsNoInteger) {
  const TemporaryFile file;
  write_checkpoint(file.path(), identity(), some_state());
  const std::string whole = file.text();
  const std::size_t begin = whole.find('\n') + 1;
  for (const auto& [name, value] : {std::pair("/round", 3.7), {"/round", -1.0}, {"/clients/0/client", 1e300}}) {
    nlohmann::json json = nlohmann::json::from_cbor(whole.substr(begin));
    json["state"][nlohmann::json::json_pointer(name)] = value;
    std::string content;
    nlohmann::json::to_cbor(json, content);
    const auto* bytes = reinterpret_cast<const Bytef*>(content.data());
    const auto sum = crc32(0, bytes, static_cast<uInt>(content.size()));
    write_file(file.path(), fmt::format("{}{:08x}\n", opening, sum) + content);
    EXPECT_REFUSED("checkpoint " + file.path().string() + " is no checkpoint: a number that should be an integer",
                   read_checkpoint(file.path(), identity()));
  }
}

// CRC-32 finds every change of one bit, and of any run of bits up to 32.
TEST(Checkpoint, IsRefusedInOneLineWhereverABitIsFlipped) {
  const TemporaryFile file;
  write_checkpoint(file.path(), identity(), some_state());
  const std::string whole = file.text();
  const std::size_t begin = whole.find('\n') + 1;
  ASSERT_TRUE(whole.starts_with(opening));
  const auto* content = reinterpret_cast<const Bytef*>(whole.data() + begin);
  EXPECT_EQ(std::stoul(whole.substr(opening.size(), 8), nullptr, 16),
            crc32(0, content, static_cast<uInt>(whole.size() - begin)));
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(static_cast<unsigned char>(damaged[bit / 8]) ^ (1U << bit % 8));
    write_file(file.path(), damaged);
    try {
      read_checkpoint(file.path(), identity());
      ADD_FAILURE() << "bit " << bit;
    } catch (const InvalidArgument& error) {
      const std::string message = error.what();
      ASSERT_TRUE(message.starts_with("checkpoint " + file.path().string())) << message;
      ASSERT_NE(message.find(bit < 8 * opening.size() ? "is no checkpoint" : "is damaged"), std::string::npos)
          << bit << message;
      ASSERT_EQ(message.find('\n'), std::string::npos) << message;
    }
  }
}

TEST(Checkpoint, ReplacesTheOldOneAndLeavesNothingBeside) {
  const TemporaryFile file;
  write_checkpoint(file.path(), identity(), some_state());
  State later = some_state();
  later.round = 18;
  write_checkpoint(file.path(), identity(), later);
  EXPECT_EQ(read_checkpoint(file.path(), identity()).round, 18U);
  EXPECT_FALSE(std::filesystem::exists(file.path().string() + ".part"));
  EXPECT_THROW(write_checkpoint("/nowhere/at/all", identity(), later), std::runtime_error);
}

TEST(Checkpoint, IsOneRunsAloneOnceItIsThere) {
  const TemporaryFile file;
  std::filesystem::remove(file.path());
  CheckpointFile mine(file.path());
  CheckpointFile theirs(file.path());  // neither of them has written yet
  mine.write(identity(), some_state());
  State later = some_state();
  later.round = 18;
  EXPECT_THROW(theirs.write(identity(), later), CannotWrite);
  EXPECT_REFUSED("checkpoint " + file.path().string() + " is being written by another run",
                 CheckpointFile(file.path()));
  // At no moment another run can take it.
  std::atomic<bool> is_over = false;
  std::thread thief([&] {
    while (!is_over) {
      FileLock lock;
      if (lock.take(file.path())) ADD_FAILURE() << "taken";
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 300; ++i) mine.write(identity(), later);
  is_over = true;
  thief.join();
  EXPECT_REFUSED("checkpoint", CheckpointFile(file.path()));
  EXPECT_EQ(read_checkpoint(file.path(), identity()).round, 18U);
}

// A run of many hours must not find that out at its first checkpoint.
TEST(Checkpoint, KeepsTheOldOneAndNothingElseOnAFullDisk) {
  const TemporaryFile file;
  write_checkpoint(file.path(), identity(), some_state());
  {
    const FullDisk disk(100);
    EXPECT_THROW(write_checkpoint(file.path(), identity(), some_state()), std::runtime_error);
  }
  expect_same(read_checkpoint(file.path(), identity()), some_state());
  EXPECT_FALSE(std::filesystem::exists(part_of(file.path())));
}

TEST(Checkpoint, ThatCannotBeWrittenIsRefusedBeforeTheFirstRound) {
  const TemporaryFile ledger;
  write_file(ledger.path(), "earlier\n");
  LedgerWriter writer(ledger.path());
  Surroundings around;
  around.ledger = &writer;
  around.progress = [](std::uint64_t round) { ADD_FAILURE() << round; };
  for (const std::filesystem::path& file :
       {std::filesystem::path("/nowhere/at/all"), std::filesystem::temp_directory_path()}) {
    around.checkpoint = file;
    EXPECT_REFUSED("checkpoint " + file.string(), simulate(kind_of("dp-fedavg"), eight_clients(), around));
  }
  EXPECT_EQ(ledger.text(), "earlier\n");
  const TemporaryFile fine;
  const CheckpointFile asked(fine.path());
  EXPECT_FALSE(std::filesystem::exists(fine.path()));
  EXPECT_FALSE(std::filesystem::exists(fine.path().string() + ".part"));
}

}  // namespace
}  // namespace dpbudget::fl
