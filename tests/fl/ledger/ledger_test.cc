#include "dpbudget/fl/ledger/ledger.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/fl/ledger/lines.h"
#include "dpbudget/fl/verify/verify.h"
#include "fl/small.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

const std::string& finished() {
  static const std::string text = ledger_text(small_run("dp-scaffold-warm"), ten_clients());
  return text;
}

// The finished ledger with one line edited as JSON.
std::string edited(std::size_t line, const std::function<void(Line&)>& edit) {
  auto lines = lines_of(finished());
  Line json = Line::parse(lines.at(line));
  edit(json);
  lines[line] = json.dump();
  return text_of(lines);
}

TEST(Ledger, ReadsWhatARunWrote) {
  const Ledger ledger = ledger_from(finished());
  EXPECT_FALSE(ledger.torn);
  EXPECT_EQ(ledger.header.clients, std::vector<std::uint64_t>(10, 20));
  EXPECT_EQ(ledger.header.dimension, 15u);
  EXPECT_EQ(ledger.header.data, "small");
  EXPECT_EQ(ledger.header.fingerprint, fingerprint(ten_clients()));
  EXPECT_EQ(ledger.header.run.warm_start_rounds(), 4u);
  EXPECT_EQ(ledger.header.plans.size(), 7u);
  ASSERT_EQ(ledger.rounds.size(), 10u);
  EXPECT_EQ(ledger.rounds[3].phase, Phase::warm_start);
  EXPECT_EQ(ledger.rounds[4].phase, Phase::training);
  EXPECT_EQ(ledger.participations.size(), 30u);
  ASSERT_TRUE(ledger.end);
  EXPECT_EQ(ledger.end->rounds, 10u);
}

TEST(Ledger, SurvivesReadingAndWritingToTheLastByte) {
  for (const AlgorithmTraits& entry : all_algorithms()) {
    const std::string text = ledger_text(small_run(std::string(entry.name)), ten_clients());
    const Ledger ledger = ledger_from(text);
    std::vector<std::string> lines = {to_line(ledger.header).dump()};
    auto participation = ledger.participations.begin();
    for (const RoundEntry& round : ledger.rounds) {
      lines.push_back(to_line(round).dump());
      for (std::size_t i = 0; i < round.participants.clients.size(); ++i)
        lines.push_back(to_line(*participation++).dump());
    }
    lines.push_back(to_line(*ledger.end).dump());
    EXPECT_EQ(text_of(lines), text) << entry.name;
  }
}

RC_GTEST_PROP(Ledger, KeepsEveryDoubleAndInteger, ()) {
  const auto positive = [] {
    return rc::gen::map(rc::gen::pair(rc::gen::arbitrary<double>(), rc::gen::inRange(-300, 300)),
                        [](std::pair<double, int> p) { return std::ldexp(std::abs(p.first) + 1, p.second); });
  };
  const auto count = [] { return rc::gen::inRange<std::uint64_t>(0, ranges::max_count + 1); };
  ReleaseRun run;
  run.count = *count();
  run.mechanism = "gaussian";
  run.noise_std = *positive();
  run.clip_norm = *positive();
  run.largest_released = *positive();
  run.largest_norm = run.largest_released * *rc::gen::element(1.0, 1.5);
  run.sample = *count();
  run.population = *count();
  run.scheme = "without_replacement";
  run.coordinates = *count();
  run.noise_sum_of_squares = *positive();
  if (*rc::gen::arbitrary<bool>()) run.first = *count();
  if (*rc::gen::arbitrary<bool>()) run.pass = *count();
  if (*rc::gen::arbitrary<bool>()) {
    run.count_noise = *positive();
    run.count_noise_sum_of_squares = *positive();
  }
  if (*rc::gen::arbitrary<bool>()) run.encoder = {-*positive(), *positive(), *count(), *count(), *positive()};
  const Participation participation{*count(), *count(), {run}};
  RC_ASSERT(participation_from(Line::parse(to_line(participation).dump())) == participation);
  const auto integers = rc::gen::container<std::vector<std::uint64_t>>(count());
  const RoundEntry round{*count(),
                         *rc::gen::element(Phase::training, Phase::warm_start),
                         {.scheme = "multinomial",
                          .drawn = *count(),
                          .population = *count(),
                          .rate = *positive(),
                          .clients = *integers,
                          .times = *integers,
                          .weights = *rc::gen::container<std::vector<double>>(positive())}};
  RC_ASSERT(round_from(Line::parse(to_line(round).dump())) == round);
  const LedgerEnd end{*count(), *positive(), *positive()};
  RC_ASSERT(end_from(Line::parse(to_line(end).dump())) == end);
}

// Whatever byte the last write stopped at: the lines before it are read, and no line is invented.
RC_GTEST_PROP(Ledger, DropsALastLineThatIsTorn, ()) {
  const std::string& text = finished();
  const std::size_t header = text.find('\n') + 1;
  const auto length = *rc::gen::inRange<std::size_t>(header, text.size());
  const Ledger ledger = ledger_from(text.substr(0, length));
  RC_ASSERT(ledger.torn == (text[length - 1] != '\n'));
  RC_ASSERT(!ledger.end);
  const auto complete =
      static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<long>(length), '\n'));
  RC_ASSERT(1 + ledger.rounds.size() + ledger.participations.size() == complete);
}

TEST(Ledger, NamesTheLineThatIsBroken) {
  auto lines = lines_of(finished());
  lines[4].resize(lines[4].size() / 2);
  EXPECT_REFUSED("test: line 5 is not a ledger line: it is not JSON", ledger_from(text_of(lines)));
  lines = lines_of(finished());
  lines[2] = "";
  EXPECT_REFUSED("test: line 3", ledger_from(text_of(lines)));
  lines[2] = "[1, 2]";
  EXPECT_REFUSED("test: line 3", ledger_from(text_of(lines)));
  lines[2] = R"({"kind": "remark"})";
  EXPECT_REFUSED("test: line 3 is not a ledger line: `kind` is `remark`", ledger_from(text_of(lines)));
  lines[2] = R"({"kind": "round", "round": 1e999})";
  EXPECT_REFUSED("test: line 3", ledger_from(text_of(lines)));
}

TEST(Ledger, RefusesEveryMissingKeyAndWrongType) {
  for (const std::size_t line : {0, 1, 2, 41}) {
    const Line json = Line::parse(lines_of(finished()).at(line));
    for (const auto& item : json.items()) {
      SCOPED_TRACE(item.key());
      const std::string where = "test: line " + std::to_string(line + 1) + " ";
      EXPECT_REFUSED(where, ledger_from(edited(line, [&](Line& l) { l.erase(item.key()); })));
      EXPECT_REFUSED(where, ledger_from(edited(line, [&](Line& l) { l[item.key()] = true; })));
    }
  }
  const Line header = Line::parse(lines_of(finished()).at(0));
  for (const auto& item : header["run"].items()) {
    SCOPED_TRACE(item.key());
    EXPECT_REFUSED("test: line 1 ", ledger_from(edited(0, [&](Line& l) { l["run"].erase(item.key()); })));
  }
  const Line participation = Line::parse(lines_of(finished()).at(2));
  for (const auto& item : participation["releases"][0].items()) {
    SCOPED_TRACE(item.key());
    EXPECT_REFUSED("test: line 3 ", ledger_from(edited(2, [&](Line& l) { l["releases"][0].erase(item.key()); })));
  }
}

TEST(Ledger, RefusesNumbersThatAreNotCounts) {
  for (const Line& bad : {Line(-1), Line(1.5), Line("1"), Line(), Line(1e300)})
    EXPECT_REFUSED("test: line 2 is not a ledger line: `round` is",
                   ledger_from(edited(1, [&](Line& l) { l["round"] = bad; })));
  EXPECT_REFUSED("test: line 2 ", ledger_from(edited(1, [](Line& l) { l["participants"][0] = -3; })));
  EXPECT_REFUSED("test: line 1 ", ledger_from(edited(0, [](Line& l) { l["version"] = 3; })));
  EXPECT_REFUSED("test: line 1 is not a ledger line: `schedule` is \"csv:noise.csv\"",
                 ledger_from(edited(0, [](Line& l) { l["run"]["schedule"] = "csv:noise.csv"; })));
  EXPECT_REFUSED("test: line 1 ", ledger_from(edited(0, [](Line& l) { l["version"] = ledger_version + 1; })));
  EXPECT_REFUSED("test: line 1 is not a ledger line: `step_schedule` is \"csv:steps.csv\"",
                 ledger_from(edited(0, [](Line& l) { l["run"]["step_schedule"] = "csv:steps.csv"; })));
  EXPECT_REFUSED("test: line 1 is not a ledger line: ", ledger_from(edited(0, [](Line& l) {
                   l["version"] = 4;
                   l["run"]["step_schedule"] = "constant";
                 })));
  EXPECT_REFUSED("test: line 1 is not a ledger line: dimension is 1000000000000000, but must be at most",
                 ledger_from(edited(0, [](Line& l) { l["dimension"] = 1'000'000'000'000'000; })));
  EXPECT_REFUSED("dimension", check_dimension(max_dimension + 1));
  EXPECT_NO_THROW(check_dimension(max_dimension));
  EXPECT_REFUSED("test: line 1 ", ledger_from(edited(0, [](Line& l) { l["adjacency"] = "zero_out_one"; })));
  EXPECT_REFUSED("test: line 1 ", ledger_from(edited(0, [](Line& l) { l["fingerprint"] = "xyz"; })));
  EXPECT_REFUSED("test: line 1 ", ledger_from(edited(0, [](Line& l) { l["clients"] = Line::array(); })));
  EXPECT_REFUSED("test: line 1 ", ledger_from(edited(0, [](Line& l) { l["run"]["noise"] = 0; })));
  EXPECT_REFUSED("test: line 1 ", ledger_from(edited(0, [](Line& l) { l["plans"][0]["plan"]["event"] = 1; })));
}

// The parser would keep the last of them.
TEST(Ledger, RefusesAKeyThatStandsThereTwice) {
  const auto doubled = [](std::size_t line, const std::string& member) {
    auto lines = lines_of(finished());
    const std::size_t at = lines.at(line).find(member);
    EXPECT_NE(at, std::string::npos) << member;
    lines[line].insert(at, member + ",");
    return text_of(lines);
  };
  EXPECT_REFUSED("test: line 1 is not a ledger line: `rounds` stands there twice",
                 ledger_from(doubled(0, R"("rounds":6)")));
  EXPECT_REFUSED("test: line 1 is not a ledger line: `version` stands there twice",
                 ledger_from(doubled(0, R"("version":10)")));
  EXPECT_REFUSED("test: line 1 is not a ledger line: `drawn` stands there twice",
                 ledger_from(doubled(0, R"("drawn":3)")));
  EXPECT_REFUSED("test: line 2 is not a ledger line: `kind` stands there twice",
                 ledger_from(doubled(1, R"("kind":"round")")));
  EXPECT_REFUSED("test: line 3 is not a ledger line: `count` stands there twice",
                 ledger_from(doubled(2, R"("count":3)")));
}

TEST(Ledger, RefusesAKeyThatItDoesNotKnow) {
  const auto refused = [](std::size_t line, const std::string& where, const std::function<void(Line&)>& edit) {
    EXPECT_REFUSED("test: line " + std::to_string(line + 1) + " is not a ledger line: `also` is no key of `" + where,
                   ledger_from(edited(line, edit)));
  };
  const auto add = [](Line& object) { object["also"] = 1; };
  refused(0, "dpbudget ledger`", add);
  refused(0, "run`", [&](Line& line) { add(line["run"]); });
  refused(0, "plans`", [&](Line& line) { add(line["plans"][0]); });
  refused(0, "sizes`", [&](Line& line) { add(line["plans"][0]["sizes"]); });
  refused(1, "round`", add);
  refused(2, "participation`", add);
  refused(2, "releases`", [&](Line& line) { add(line["releases"][0]); });
  refused(41, "end`", add);
  EXPECT_REFUSED("test: line 1 ", ledger_from(edited(0, [&](Line& line) { add(line["plans"][0]["plan"]); })));
  // Nor one that belongs to another kind of release.
  EXPECT_REFUSED(
      "test: line 3 is not a ledger line: `noise_std` is no key of `releases`",
      ledger_from(edited(2, [](Line& line) { line["releases"][0]["mechanism"] = traits_of(Mechanism::none).name; })));
  EXPECT_REFUSED("test: line 3 is not a ledger line: `count_below` is no key of `releases`",
                 ledger_from(edited(2, [](Line& line) { line["releases"][0]["count_below"] = 2.5; })));
}

TEST(Ledger, RefusesNormsThatAreNone) {
  const auto refused = [](const char* key, double value, const std::string& allowed) {
    EXPECT_REFUSED("test: line 3 is not a ledger line: `" + std::string(key) + "` is " + Line(value).dump() +
                       ", but must be " + allowed,
                   ledger_from(edited(2, [&](Line& line) { line["releases"][0][key] = value; })));
  };
  for (const char* key : {"largest_norm", "largest_released", "noise_std", "noise_sum_of_squares"})
    refused(key, -1, "at least 0");
  refused("clip_norm", 0, "positive");
  refused("clip_norm", -0.5, "positive");
  refused("largest_released", 1e9, "at most `largest_norm`");
}

// By the line, the key and what stands there, before anything is computed from it.
TEST(Ledger, RefusesNumbersBeyondAllCounts) {
  const auto refused = [](std::size_t line, const std::string& said, const std::function<void(Line&)>& edit) {
    EXPECT_REFUSED("test: line " + std::to_string(line + 1) + " is not a ledger line: " + said,
                   ledger_from(edited(line, edit)));
  };
  const std::uint64_t large = std::uint64_t{1} << 63U;
  for (const char* key : {"count", "sample", "population", "coordinates"})
    refused(2, "`" + std::string(key) + "` is 9223372036854775808, but must be an integer in [0, 2^53]",
            [&](Line& line) { line["releases"][0][key] = large; });
  for (const char* key : {"round", "drawn", "population"})
    refused(1, "`" + std::string(key) + "` is 9223372036854775808, but must be an integer in [0, 2^53]",
            [&](Line& line) { line[key] = large; });
  refused(1, "`participants` is [9223372036854775808,", [&](Line& line) { line["participants"][0] = large; });
  refused(0, "`clients` is [9223372036854775808,", [&](Line& line) { line["clients"][0] = large; });
  refused(0, "`clients` is [9007199254740992,", [](Line& line) { line["clients"][0] = ranges::max_count; });
  // And what the run itself refuses.
  refused(0, "records is 0, but must be in [1, 2^53]", [](Line& line) { line["clients"][0] = 0; });
  refused(0, "record_rate is 0.2, but must be large enough", [](Line& line) { line["clients"][0] = 1; });
}

TEST(Ledger, RefusesLinesOutOfPlace) {
  auto lines = lines_of(finished());
  lines.push_back(lines[1]);
  EXPECT_REFUSED("test: line 43 is not a ledger line: it follows the end", ledger_from(text_of(lines)));
  lines = lines_of(finished());
  lines.erase(lines.begin());
  EXPECT_REFUSED("test: line 1 ", ledger_from(text_of(lines)));
  lines.insert(lines.begin() + 1, lines_of(finished())[0]);
  lines[0] = lines[1];
  EXPECT_REFUSED("test: line 2 ", ledger_from(text_of(lines)));
}

TEST(Ledger, RefusesWhatIsNoLedger) {
  EXPECT_REFUSED("test: line 1 ", ledger_from("age,sex,bmi\n19,female,27.9\n"));
  EXPECT_REFUSED("test: line 1 ", ledger_from("{}\n"));
  EXPECT_REFUSED("test: line 1 ", ledger_from(std::string("\x00\xff\x10\n", 4)));
  EXPECT_REFUSED("test: there is no complete ledger header", ledger_from(""));
  EXPECT_REFUSED("test: there is no complete ledger header", ledger_from(finished().substr(0, 100)));
  EXPECT_REFUSED("ledger /nowhere/at/all.jsonl cannot be read",
                 read_ledger(std::filesystem::path("/nowhere/at/all.jsonl")));
  EXPECT_REFUSED("ledger", read_ledger(std::filesystem::temp_directory_path()));
}

TEST(Ledger, HasOnePlanForEachClientSize) {
  const std::string text = ledger_text(small_run("dp-fedavg"), small_data({20, 10, 20, 30}));
  EXPECT_EQ(ledger_from(text).header.plans.size(), 21u);
}

// 400 rounds of 50 steps for 5 of 100 clients: a line must not grow with the steps.
TEST(Ledger, StaysSmall) {
  auto run = small_run("dp-fedavg");
  const std::size_t short_run = ledger_text(run, ten_clients()).size();
  run.local_steps = 50;
  EXPECT_LT(ledger_text(run, ten_clients()).size(), short_run + 400);
  for (const std::string& line : lines_of(ledger_text(run, ten_clients()))) {
    if (line.find("participation\"") != std::string::npos) {
      EXPECT_LT(line.size(), 400u);
    }
  }
}

// Whoever declares a value, it stands where it stood.
TEST(Ledger, WritesTheRunsOfVersion4AsTheyWereWritten) {
  for (const auto& entry : std::filesystem::directory_iterator(DPBUDGET_SOURCE_DIR "/tests/fl/ledger/version_4")) {
    SCOPED_TRACE(entry.path().filename());
    std::ifstream file(entry.path());
    std::string first;
    ASSERT_TRUE(std::getline(file, first));
    EXPECT_EQ(to_line(read_ledger(entry.path()).header.run.written()).dump(), Line::parse(first)["run"].dump());
  }
}

// An algorithm's own options are there, all of them and no others.
TEST(Ledger, HoldsTheOptionsOfItsRun) {
  auto run = small_run("prifedsync");
  run.options["optimiser"] = "momentum";
  const std::string whole = ledger_text(run, ten_clients());
  const auto refused = [&](const std::string& why, const std::function<void(Line&)>& edit) {
    auto lines = lines_of(whole);
    Line header = Line::parse(lines.front());
    edit(header["run"]);
    lines.front() = header.dump();
    EXPECT_REFUSED("test: line 1 is not a ledger line: " + why, ledger_from(text_of(lines)));
  };
  EXPECT_NO_THROW(ledger_from(whole));
  refused("`momentum` is missing", [](Line& line) { line.erase("momentum"); });
  refused("`interpolation` is missing", [](Line& line) { line.erase("interpolation"); });
  refused("`momentum` is \"0.9\", but must be a number", [](Line& line) { line["momentum"] = "0.9"; });
  refused("momentum is 1, but must be in [0, 1)", [](Line& line) { line["momentum"] = 1; });
  refused("optimiser is sdg, but must be one of sgd, momentum, adam", [](Line& line) { line["optimiser"] = "sdg"; });
  refused("adaptivity is given, but prifedsync takes it only with optimiser adam",
          [](Line& line) { line["adaptivity"] = 0.5; });
  refused("gap is given, but prifedsync does not take it", [](Line& line) { line["gap"] = 0.5; });
  refused("clip_noise is 5, but must be left out unless clipping is adaptive",
          [](Line& line) { line["clip_noise"] = 5; });
}

// Written by the program of November 2026: every later one reads them, and finds what was planned in what was executed.
TEST(Ledger, OfEarlierVersionsIsReadAndVerifies) {
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(DPBUDGET_SOURCE_DIR "/tests/fl/ledger")) {
    if (entry.path().extension() != ".jsonl") continue;
    SCOPED_TRACE(entry.path().filename());
    const Ledger ledger = read_ledger(entry.path());
    const Report report = verify(ledger, ledger.header.run->delta);
    for (const Check& check : report.checks) EXPECT_TRUE(check.passed) << check.name << ": " << check.reason;
    EXPECT_TRUE(report.is_finished);
    ++found;
  }
  EXPECT_EQ(found, 10U);
}

TEST(Ledger, HasNoByteThatTheParserWouldPassOver) {
  const std::string whole = ledger_text(small_run("dp-fedavg"), ten_clients());
  EXPECT_REFUSED("test: line 1 is not a ledger line: it is not JSON", ledger_from("\xEF\xBB\xBF" + whole));
  std::string with_nul = whole;
  with_nul.insert(with_nul.find('\n'), 1, '\0');
  EXPECT_REFUSED("test: line 1 is not a ledger line: it is not JSON", ledger_from(with_nul));
}

// Rounding would leave other noise than is accounted for, and no ledger of it would verify.
TEST(MakeHeader, RefusesNoiseThatRoundingWouldChange) {
  const auto header_of = [](const RunRequest& run) { return make_header(settle(run), HeldClients(ten_clients()), 33); };
  RunRequest run = small_run("dp-fedavg");
  run.noise_multiplier = 1e-12;
  EXPECT_REFUSED("noise is 1e-12, but must be at least", header_of(run));
  run.noise_multiplier = 1;
  run.rounds = 20;
  run.schedule = "exponential:0.1";
  EXPECT_REFUSED("noise is 1e-1", header_of(run));
  run.schedule = "constant";
  run.silo_noise.assign(10, 1);
  header_of(run);
  run.silo_noise[3] = 4e-150;
  EXPECT_REFUSED("silo_noise is 4e-150, but must be at least", header_of(run));
}

}  // namespace
}  // namespace dpbudget::fl
