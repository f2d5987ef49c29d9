#include "dpbudget/fl/ledger/as_written.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "dpbudget/fl/ledger/lines.h"
#include "fl/small.h"

namespace dpbudget::fl {
namespace {

// Lines of every kind of participation.
const std::vector<std::string>& all_kinds() {
  static const std::vector<std::string> lines = [] {
    std::vector<std::string> found;
    const auto add = [&](const RunRequest& run) {
      std::size_t of_run = 0;
      for (const std::string& line : lines_of(ledger_text(run, ten_clients())))
        if (line.starts_with(R"({"kind":"participation")") && ++of_run <= 3) found.push_back(line);
    };
    for (const AlgorithmTraits& algorithm : all_algorithms()) add(small_run(algorithm.name));
    RunRequest run = small_run("dp-fedavg");
    run.clipping = AdaptiveClipping{};
    add(run);
    run.clipping = FixedClipping{};
    run.batches = Batches::shuffled;
    run.local_steps = 7;
    add(run);
    return found;
  }();
  return lines;
}

std::optional<Participation> parsed(const std::string& line) {
  try {
    const Line json = parsed_line(line);
    if (kind_of(json) != participation_kind) return std::nullopt;
    return participation_from(json);
  } catch (const InvalidArgument&) {
    return std::nullopt;
  }
}

TEST(AsWritten, IsWhatTheParserMakesOfEveryKind) {
  std::size_t recognised = 0;
  for (const std::string& line : all_kinds()) {
    const auto found = participation_as_written(line);
    ASSERT_TRUE(parsed(line)) << line;
    if (!found) {
      EXPECT_NE(line.find("\"encoder\""), std::string::npos) << line;
      continue;
    }
    EXPECT_EQ(*found, *parsed(line)) << line;
    ++recognised;
  }
  EXPECT_GT(recognised, all_kinds().size() / 2);
}

// Whatever is changed, left out or put in: what is recognised is what the parser makes of it.
RC_GTEST_PROP(AsWritten, RecognisesNothingThatTheParserReadsOtherwise, ()) {
  std::string line = *rc::gen::elementOf(all_kinds());
  const auto edits = *rc::gen::inRange(1, 4);
  for (int edit = 0; edit < edits; ++edit) {
    const auto at = *rc::gen::inRange<std::size_t>(0, line.size());
    const char with = *rc::gen::elementOf(std::string("0123456789.-+eE,:\"{}[] ninf_\\\n\x01\xFF"));
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        line[at] = with;
        break;
      case 1:
        line.erase(at, 1);
        break;
      default:
        line.insert(at, 1, with);
    }
  }
  if (const auto found = participation_as_written(line)) {
    RC_ASSERT(parsed(line).has_value());
    RC_ASSERT(*parsed(line) == *found);
  }
}

TEST(AsWritten, LeavesOddNumbersToTheParser) {
  const std::string& line = all_kinds().front();
  const std::size_t at = line.find(R"("client":)") + 9;
  const auto with = [&](const std::string& number) {
    std::string edited = line;
    edited.replace(at, edited.find(',', at) - at, number);
    return participation_as_written(edited).has_value();
  };
  EXPECT_TRUE(with("0"));
  EXPECT_TRUE(with("9007199254740992"));
  for (const char* odd : {"9007199254740993", "007", "-1", "3.0", "3e0", "3E0", "", " 3", "+3", "0x3", "null", "\"3\""})
    EXPECT_FALSE(with(odd)) << odd;
}

}  // namespace
}  // namespace dpbudget::fl
