// Runs whose noise follows validation errors, stopped by a filter.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dpbudget/fl/account/run_filter.h"
#include "dpbudget/fl/verify/verify.h"
#include "fl/kinds.h"

namespace dpbudget::fl {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> failed(const std::string& text) {
  const Ledger ledger = ledger_from(text);
  std::vector<std::string> names;
  for (const Check& check : verify(ledger, ledger.header.run->delta).checks)
    if (!check.passed) names.push_back(check.name);
  return names;
}

// The noise of each round, by the scores that were shown and nothing else of the program.
std::vector<double> noises_by_hand(const RunRequest& run, const std::vector<Metrics>& history, double factor,
                                   std::uint64_t patience, std::uint64_t rounds) {
  std::vector<double> noises;
  double noise = run.noise_multiplier;
  double best = 1;
  std::uint64_t waited = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const auto found = std::ranges::find(history, round, &Metrics::round);
    if (round % run.evaluate_every == 0) {
      if (1 - found->test_score < best || round == 0) {
        best = 1 - found->test_score;
        waited = 0;
      } else if (++waited == patience) {
        noise *= factor;
        waited = 0;
      }
    }
    noises.push_back(noise);
  }
  return noises;
}

TEST(FollowingErrors, NoiseFallsWithTheScoresUntilTheFilterStopsTheRun) {
  for (const std::uint64_t every : {1U, 2U, 3U}) {
    RunRequest run = following_errors().run;
    run.rounds = 40;
    run.evaluate_every = every;
    const Finished whole = finished(run, eight_clients());
    const Ledger ledger = ledger_from(whole.ledger);
    const std::uint64_t rounds = ledger.rounds.size();
    EXPECT_EQ(whole.result.rounds, rounds);
    ASSERT_LT(rounds, ledger.header.run.released_rounds());
    EXPECT_EQ(whole.result.last.round, rounds);
    const std::vector<double> noises = noises_by_hand(run, whole.result.history, 0.5, 1, rounds);
    EXPECT_LT(noises.back(), noises.front());
    for (const Participation& at : ledger.participations)
      for (const ReleaseRun& release : at.releases)
        EXPECT_DOUBLE_EQ(release.noise_std * static_cast<double>(release.sample) / (2 * release.clip_norm),
                         noises[at.round - 1]);
    const Report report = verify(ledger, run.delta);
    EXPECT_TRUE(report.passed);
    ASSERT_TRUE(report.budget && report.budget->spent);
    EXPECT_LE(*report.budget->spent, *run.epsilon);
    // The guarantee is the budget, whatever of it was used.
    EXPECT_GE(*report.budget->spent, 0.99 * *run.epsilon);
    EXPECT_EQ(report.views[0].executed->epsilon.upper, report.views[0].planned->epsilon.upper);
    for (const View& view : report.views)
      for (const auto* priced : {&view.planned, &view.executed})
        if (*priced) EXPECT_EQ((*priced)->epsilon.lower, 0) << "nothing need have been spent";
    EXPECT_FALSE(report.worst_client);
    EXPECT_TRUE(std::isinf(report.clients[0].paid->epsilon.upper));
  }
}

// A warm start leaves the model as it is, which is no sign that it gets no better.
TEST(FollowingErrors, CountFromTheEndOfAWarmStart) {
  RunRequest run = kind_of("dp-scaffold-warm");
  run.warm_start_rounds = 4;
  run.schedule = "validation:factor=0.5,patience=2";
  run.noise_multiplier = 8;
  run.epsilon = 4;
  const Finished whole = finished(run, eight_clients());
  const Ledger ledger = ledger_from(whole.ledger);
  ASSERT_GT(ledger.rounds.size(), 6U);
  for (const RoundEntry& entry : ledger.rounds) EXPECT_EQ(entry.validation_error.has_value(), entry.round > 4);
  const auto* milestones = std::get_if<Milestones>(&ledger.header.run.schedule());
  ASSERT_NE(milestones, nullptr);
  for (const std::uint64_t round : milestones->rounds) EXPECT_GE(round, 7U);
  EXPECT_TRUE(failed(whole.ledger).empty());
}

TEST(FollowingErrors, IsEndedByNothingButTheFilter) {
  RunRequest run = following_errors().run;
  run.rounds = 3;
  run.epsilon = 100;
  EXPECT_EQ(finished(run, eight_clients()).result.rounds, 3U);
  EXPECT_TRUE(failed(finished(run, eight_clients()).ledger).empty());
  // Noise that grows is let through for longer.
  run.rounds = 60;
  run.epsilon = 3;
  run.noise_multiplier = 3;
  run.schedule = "validation:factor=2,patience=1";
  const std::uint64_t grown = finished(run, eight_clients()).result.rounds;
  run.schedule = "validation:factor=1,patience=1";
  EXPECT_GT(grown, finished(run, eight_clients()).result.rounds);
}

// Noise that would leave the range of a double is let through by no filter.
TEST(FollowingErrors, EndWhereTheNoiseWouldBeNone) {
  RunRequest run = following_errors().run;
  run.schedule = "validation:factor=1e-300,patience=1";
  const std::string text = finished(run, eight_clients()).ledger;
  EXPECT_LT(ledger_from(text).rounds.size(), 12U);
  EXPECT_TRUE(failed(text).empty());
}

// fl/account/proofs.md, 12.4
TEST(FollowingErrors, HasNoGuaranteeBeyondItsFilter) {
  const RunRequest run = following_errors().run;
  const Ledger ledger = ledger_from(finished(run, eight_clients(), Fault::ignored_filter).ledger);
  EXPECT_EQ(ledger.rounds.size(), ledger.header.run.released_rounds());
  const Report report = verify(ledger, run.delta);
  EXPECT_FALSE(report.passed);
  for (const View& view : report.views) EXPECT_FALSE(view.executed) << to_string(view.adversary);
  EXPECT_FALSE(report.budget->spent);
}

TEST(FollowingErrors, AreHeldAgainstTheNoise) {
  const std::string text = finished(following_errors().run, eight_clients()).ledger;
  EXPECT_TRUE(failed(text).empty());
  std::vector<std::string> lines = lines_of(text);
  std::vector<std::size_t> rounds;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (Json::parse(lines[i])["kind"] == "round") rounds.push_back(i);
  ASSERT_GT(rounds.size(), 3U);
  const auto forged = [&](std::size_t line, const auto& change) {
    std::vector<std::string> changed = lines;
    Json json = Json::parse(changed[line]);
    change(json);
    changed[line] = json.dump();
    return failed(text_of(changed));
  };
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  EXPECT_TRUE(has(forged(rounds[2], [](Json& json) { json.erase("validation_error"); }), "validation"));
  // A first error of nothing: all noise should have fallen from the second evaluation on.
  EXPECT_TRUE(has(forged(rounds[0], [](Json& json) { json["validation_error"] = 0; }), "noise"));
  // Shares of test records, of which the score at the end is one.
  EXPECT_TRUE(has(forged(rounds[1], [](Json& json) { json["validation_error"] = 7.5; }), "validation"));
  EXPECT_TRUE(has(forged(lines.size() - 1, [](Json& json) { json["validation_error"] = 0.999; }), "validation"));
  // A score of 1/2 is that of an accuracy, and of squares whose errors may be larger.
  std::vector<std::string> halves = lines;
  Json last = Json::parse(halves.back());
  last["test_score"] = last["validation_error"] = 0.5;
  halves.back() = last.dump();
  Json second = Json::parse(halves[rounds[1]]);
  second["validation_error"] = 7.5;
  halves[rounds[1]] = second.dump();
  EXPECT_FALSE(has(failed(text_of(halves)), "validation"));
  // Rounds out of order are told, and nothing else is made of them.
  EXPECT_TRUE(has(forged(rounds[0], [](Json& json) { json["round"] = 0; }), "rounds"));
  EXPECT_TRUE(has(forged(rounds[2], [](Json& json) { json["round"] = 1; }), "rounds"));
  // A filter of a larger budget is another plan.
  EXPECT_TRUE(has(forged(0, [](Json& json) { json["run"]["epsilon"] = 4; }), "header"));
  // Rounds that are left out at the end might have gone on.
  std::vector<std::string> shorter(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(rounds[2]));
  Json end = Json::parse(lines.back());
  end["rounds"] = 2;
  shorter.push_back(end.dump());
  EXPECT_TRUE(has(failed(text_of(shorter)), "rounds"));
}

TEST(FollowingErrors, AreRecordedOnlyWhereNoiseFollowsThem) {
  std::vector<std::string> lines = lines_of(finished(kind_of("dp-fedavg"), eight_clients()).ledger);
  Json round = Json::parse(lines[1]);
  EXPECT_FALSE(round.contains("validation_error"));
  round["validation_error"] = 0.25;
  lines[1] = round.dump();
  EXPECT_EQ(failed(text_of(lines)), std::vector<std::string>{"validation"});
}

// The same releases as those of a schedule that is constant, of which it is known what they spend.
// fl/account/proofs.md, 12.2
TEST(FollowingErrors, NeverCostMoreThanTheFilterSaysAndMayCostLess) {
  RunRequest run = following_errors().run;
  run.rounds = 2;
  run.schedule = "validation:factor=0.5,patience=1000";
  const Report filtered = verify(ledger_from(finished(run, eight_clients()).ledger), run.delta);
  run.schedule = "constant";
  const Report fixed = verify(ledger_from(finished(run, eight_clients()).ledger), run.delta);
  for (std::size_t i = 0; i < fixed.views.size(); ++i) {
    if (!filtered.views[i].executed) continue;
    EXPECT_LE(filtered.views[i].executed->epsilon.lower, fixed.views[i].executed->epsilon.upper);
    EXPECT_GT(filtered.views[i].executed->epsilon.upper, fixed.views[i].executed->epsilon.upper);
  }
}

// What was let through of a torn ledger is what a finished one guarantees.
TEST(FollowingErrors, OfAnUnfinishedRunKeepToTheBudget) {
  const RunRequest run = following_errors().run;
  const std::string text = finished(run, eight_clients()).ledger;
  for (const std::size_t kept : {text.size() / 2, text.size() - 3}) {
    const Ledger ledger = ledger_from(text.substr(0, kept));
    const Report report = verify(ledger, run.delta);
    EXPECT_TRUE(report.passed) << kept;
    EXPECT_LE(report.budget->spent.value(), *run.epsilon);
  }
}

}  // namespace
}  // namespace dpbudget::fl
