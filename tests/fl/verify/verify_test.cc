#include "dpbudget/fl/verify/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/fl/ledger/lines.h"
#include "dpbudget/fl/verify/checks.h"
#include "dpbudget/fl/verify/executed.h"
#include "fl/asked.h"
#include "fl/small.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

constexpr double delta = 1e-5;

std::string failed(const Report& report) {
  std::string names;
  for (const Check& check : report.checks)
    if (!check.passed) names += check.name + ' ';
  return names;
}

double epsilon_of(const Plan& plan) {
  return make_accountant(AccountantName::best, plan).value()->epsilon(1, delta).value().upper;
}

// Against a third party, of ten clients of twenty records.
double plan_cost(const RunRequest& run) {
  return epsilon_of(plan(run, {.clients = 10, .records = 20}, Adversary::third_party, Basis::proven)->plan);
}

Report report_on(const std::string& text) { return verify(ledger_from(text), delta); }

class VerifyTest : public ::testing::Test {
 protected:
  // The names of the checks that fail once `edit` has had its way with the ledger's lines.
  std::string failed_after(const std::function<void(std::vector<std::string>&)>& edit) {
    auto lines = lines_of(text_);
    edit(lines);
    const Report report = report_on(text_of(lines));
    EXPECT_EQ(report.passed, failed(report).empty());
    return failed(report);
  }

  std::string failed_after(const std::string& kind, const std::function<void(Line&)>& edit, bool all = false) {
    return failed_after([&](std::vector<std::string>& lines) {
      bool done = false;
      for (std::string& line : lines) {
        Line json = Line::parse(line);
        if (json["kind"] != kind || (done && !all)) continue;
        edit(json);
        line = json.dump();
        done = true;
      }
    });
  }

  const std::string text_ = ledger_text(small_run("dp-scaffold-warm"), ten_clients());
};

TEST_F(VerifyTest, PassesWhatWasExecutedAsPlanned) {
  for (const AlgorithmTraits& entry : all_algorithms()) {
    SCOPED_TRACE(entry.name);
    for (const Unit unit : {Unit::record, Unit::user}) {
      auto run = small_run(std::string(entry.name));
      run.unit = unit;
      if (unit == Unit::user && !entry.scaled_step) continue;  // the others' papers know records alone
      const FederatedData data = small_data({20, 31, 20, 31, 20, 20, 31});
      const Report report = report_on(ledger_text(run, data));
      EXPECT_TRUE(report.passed) << failed(report);
      EXPECT_TRUE(report.is_finished);
      EXPECT_EQ(report.is_private, entry.adds_noise());
      EXPECT_EQ(report.views.size(), entry.adds_noise() ? 5u : 0u);
      EXPECT_EQ(report.rounds_executed, released_rounds(completed(run)));
    }
  }
}

// fl/account/proofs.md, 9.7: larger clients were drawn than might have been.
TEST_F(VerifyTest, CountsOnNoMoreReportsThanAnyDrawWouldHaveBrought) {
  for (const char* algorithm : {"binomial-ac-sa", "shuffled-mb-sgd"}) {
    const Report report = report_on(ledger_text(small_run(algorithm), small_data({20, 31, 60, 31, 60, 45, 60})));
    for (const View& view : report.views) {
      if (!view.planned) continue;
      ASSERT_TRUE(view.executed) << algorithm << ": " << to_string(view.adversary);
      EXPECT_EQ(view.executed->epsilon.upper, view.planned->epsilon.upper) << algorithm << to_string(view.adversary);
    }
  }
}

TEST_F(VerifyTest, PricesPlanAndLedgerAlike) {
  const Report report = report_on(text_);
  const auto epsilon = [](const std::string& plan) { return epsilon_of(parse_plan(plan, Adjacency::replace_one)); };
  const double proven = epsilon("10 x participates(3 of 10, 3 x wor(4 of 20, gaussian(2)))");
  const double user_level = epsilon("10 x participates(3 of 10, 3 x gaussian(0.5))");
  ASSERT_EQ(report.views.size(), 5u);
  for (const View& view : report.views) {
    const double expected = view.adversary == Adversary::user_level ? user_level : proven;
    EXPECT_NEAR(view.planned->epsilon.upper, expected, 1e-9 * expected);
    EXPECT_NEAR(view.executed->epsilon.upper, expected, 1e-9 * expected);
    EXPECT_EQ(view.planned->sizes.records, 20u);
    EXPECT_EQ(view.executed->sizes.records, 20u);
    EXPECT_EQ(view.published.has_value(),
              view.adversary == Adversary::third_party || view.adversary == Adversary::server);
  }
  EXPECT_EQ(report.views[0].published->guarantee, Guarantee::estimate);
  EXPECT_NEAR(report.views[1].published->upper, epsilon("10 x (3 x wor(4 of 20, gaussian(2)))"), 1e-12);
}

TEST_F(VerifyTest, ChargesEachClientForItsOwnRounds) {
  const Ledger ledger = ledger_from(text_);
  const Report report = verify(ledger, delta);
  ASSERT_EQ(report.clients.size(), 10u);
  std::uint64_t most = 0;
  for (const ClientSpend& spend : report.clients) {
    const auto count =
        static_cast<std::uint64_t>(std::ranges::count(ledger.participations, spend.client, &Participation::client));
    EXPECT_EQ(spend.participations, count);
    most = std::max(most, count);
    if (count == 0) {
      EXPECT_EQ(spend.paid->epsilon.upper, 0);
      continue;
    }
    const std::string plan = std::to_string(3 * count) + " x wor(4 of 20, gaussian(2))";
    const double expected = epsilon_of(parse_plan(plan, Adjacency::replace_one));
    EXPECT_NEAR(spend.paid->epsilon.upper, expected, 1e-9 * expected);
  }
  ASSERT_TRUE(report.worst_client);
  EXPECT_EQ(report.clients[*report.worst_client].participations, most);
}

TEST_F(VerifyTest, ReportsTheWorstClientSize) {
  const Report report = report_on(ledger_text(small_run("dp-fedavg"), small_data({20, 14, 40, 14, 40, 20, 14})));
  // Batches of 4 of 20, 2 of 14 and 8 of 40 at the same noise multiplier: 0.2 is the worst rate for a record.
  for (const View& view : report.views)
    if (view.adversary != Adversary::user_level) {
      for (const std::uint64_t records : {14, 20, 40})
        EXPECT_GE(view.planned->epsilon.upper,
                  epsilon_of(plan(small_run("dp-fedavg"), {7, records, 162}, view.adversary, Basis::proven)->plan));
    } else {
      EXPECT_EQ(view.planned->sizes.records, 40u);  // the largest batch has the least noise
    }
}

TEST_F(VerifyTest, SeesNoiseThatIsOnePerCentTooSmall) {
  const auto spoil = [](Line& line) {
    for (Line& run : line["releases"]) run["noise_std"] = 0.99 * run["noise_std"].get<double>();
  };
  EXPECT_EQ(failed_after("participation", spoil), "noise noise_stream epsilon ");
  EXPECT_EQ(failed_after("participation", spoil, true), "noise noise_stream epsilon ");
}

// The record may say what was planned while something else was drawn: by the variance of 15 * 3 * 30 draws 1 % of the
// standard deviation is not seen, 30 % is; the draws made again show both.
TEST_F(VerifyTest, SeesNoiseThatWasNotDrawnAsRecorded) {
  for (const double factor : {0.49, 1.69, 0.0, 0.99 * 0.99})
    EXPECT_EQ(failed_after(
                  "participation",
                  [&](Line& line) {
                    for (Line& run : line["releases"])
                      run["noise_sum_of_squares"] = factor * run["noise_sum_of_squares"].get<double>();
                  },
                  true),
              factor == 0.99 * 0.99 ? "noise_stream " : "noise_stream noise_variance ")
        << factor;
}

TEST_F(VerifyTest, SeesAnotherClippingNorm) {
  EXPECT_EQ(failed_after("participation", [](Line& line) { line["releases"][0]["clip_norm"] = 0.6; }),
            "clipping noise epsilon ");
  EXPECT_EQ(failed_after("participation", [](Line& line) { line["releases"][0]["clip_norm"] = 0.4; }),
            "clipping noise epsilon ");
  // Models clip with a margin for rounding: what exceeds the norm by a unit in the last place was not clipped to it.
  EXPECT_EQ(failed_after("participation",
                         [](Line& line) {
                           line["releases"][0]["largest_norm"] = 1;
                           line["releases"][0]["largest_released"] = std::nextafter(0.5, 1);
                         }),
            "clipping ");
}

TEST_F(VerifyTest, SeesADroppedRound) {
  for (const std::uint64_t round : {1, 5, 10})
    EXPECT_EQ(failed_after([&](std::vector<std::string>& lines) {
                std::erase_if(lines, [&](const std::string& line) {
                  const Line json = Line::parse(line);
                  return json.contains("round") && json["round"] == round;
                });
              }),
              "rounds ")
        << round;
}

TEST_F(VerifyTest, NamesTheRoundThatWasDue) {
  auto lines = lines_of(text_);
  Line third = Line::parse(lines[9]);
  third["round"] = 7;
  lines[9] = third.dump();
  const Report report = report_on(text_of(lines));
  EXPECT_EQ(std::ranges::find(report.checks, "rounds", &Check::name)->reason.substr(0, 31),
            "round 7 stands where 3 was due ");
}

TEST_F(VerifyTest, SeesAnExtraRound) {
  EXPECT_EQ(failed_after([](std::vector<std::string>& lines) {
              for (std::size_t i = 4; i > 0; --i) {
                Line json = Line::parse(lines[lines.size() - 5]);
                json["round"] = 11;
                lines.insert(lines.end() - 1, json.dump());
              }
            }),
            "rounds user_sampling epsilon ");
}

TEST_F(VerifyTest, SeesADuplicatedAndAMissingParticipation) {
  EXPECT_EQ(failed_after([](std::vector<std::string>& lines) { lines.insert(lines.begin() + 2, lines[2]); }),
            "participations ");
  EXPECT_EQ(failed_after([](std::vector<std::string>& lines) { lines.erase(lines.begin() + 2); }), "participations ");
}

TEST_F(VerifyTest, SeesForeignParticipants) {
  const auto absent = [](const Line& round) {
    const auto participants = round["participants"].get<std::vector<std::uint64_t>>();
    std::uint64_t client = 0;
    while (std::ranges::count(participants, client) != 0) ++client;
    return client;
  };
  EXPECT_EQ(failed_after([&](std::vector<std::string>& lines) {
              const std::uint64_t client = absent(Line::parse(lines[1]));
              Line json = Line::parse(lines[2]);
              json["client"] = client;
              lines[2] = json.dump();
            }),
            "participations noise_stream ");
  EXPECT_EQ(failed_after("participation", [](Line& line) { line["client"] = 10; }), "participations ");
  EXPECT_EQ(failed_after("round", [](Line& line) { line["participants"][1] = line["participants"][0]; }),
            "user_sampling participations ");
}

TEST_F(VerifyTest, SeesAnotherSampleOrPopulation) {
  EXPECT_EQ(failed_after("participation", [](Line& line) { line["releases"][0]["sample"] = 5; }),
            "record_sampling epsilon ");
  EXPECT_EQ(failed_after("participation", [](Line& line) { line["releases"][0]["population"] = 21; }),
            "record_sampling epsilon ");
  EXPECT_EQ(failed_after("participation", [](Line& line) { line["releases"][0]["scheme"] = "fixed"; }),
            "record_sampling epsilon ");
  EXPECT_EQ(failed_after("round", [](Line& line) { line["population"] = 11; }), "user_sampling ");
  EXPECT_EQ(failed_after("round", [](Line& line) { line["drawn"] = 4; }), "user_sampling epsilon ");
}

TEST_F(VerifyTest, SeesAnotherNumberOfSteps) {
  EXPECT_EQ(failed_after(
                "participation", [](Line& line) { line["releases"][0]["count"] = 4; }, true),
            "local_steps noise_variance epsilon ");
  EXPECT_EQ(failed_after("participation", [](Line& line) { line["releases"] = Line::array(); }), "local_steps ");
}

TEST_F(VerifyTest, SeesReleasesThatAreNone) {
  EXPECT_EQ(failed_after("participation", [](Line& line) { line["releases"][0]["count"] = 0; }),
            "local_steps noise_stream ");
}

// Where the schedule has no noise for the round, the report says so all the same.
TEST_F(VerifyTest, SeesAnExtraRoundOfASchedule) {
  auto run = small_run("dp-fedavg");
  run.schedule = "exponential:0.5";
  auto lines = lines_of(ledger_text(run, ten_clients()));
  for (std::size_t i = 4; i > 0; --i) {
    Line json = Line::parse(lines[lines.size() - 5]);
    json["round"] = 1000000;
    lines.insert(lines.end() - 1, json.dump());
  }
  EXPECT_EQ(failed(report_on(text_of(lines))), "rounds user_sampling epsilon ");
}

TEST_F(VerifyTest, SeesReleasesWithoutAGuarantee) {
  const auto strip = [](Line& line) {
    Line& release = line["releases"][0];
    release["mechanism"] = "none";
    for (const char* key : {"noise_std", "clip_norm", "noise_sum_of_squares"}) release.erase(key);
  };
  EXPECT_EQ(failed_after("participation", strip), "clipping noise epsilon ");
  auto lines = lines_of(text_);
  Line json = Line::parse(lines[2]);
  strip(json);
  lines[2] = json.dump();
  const Report report = report_on(text_of(lines));
  EXPECT_FALSE(report.views[0].executed);
  EXPECT_TRUE(std::isinf(report.clients[json["client"].get<std::size_t>()].paid->epsilon.upper));
  EXPECT_EQ(report.worst_client, json["client"].get<std::uint64_t>());
}

TEST_F(VerifyTest, SeesAHeaderWhosePlansAreNotItsRuns) {
  EXPECT_EQ(failed_after(std::string(header_kind), [](Line& line) { line["plans"].erase(0); }), "header ");
  EXPECT_EQ(failed_after(std::string(header_kind), [](Line& line) { line["run"]["noise"] = 1.0; }), "header noise ");
  EXPECT_EQ(failed_after(std::string(header_kind), [](Line& line) { line["dimension"] = 14; }), "header noise ");
}

// At its own delta and against its own adversary, whatever delta is asked for.
TEST_F(VerifyTest, HoldsARunToItsOwnBudget) {
  EXPECT_FALSE(report_on(text_).budget);
  for (const Adversary adversary : {Adversary::server, Adversary::user_level}) {
    Line line = Line::parse(lines_of(text_)[0]);
    line["run"]["adversary"] = to_string(adversary);
    const auto with_budget = [&](double epsilon) {
      line["run"]["epsilon"] = epsilon;
      auto lines = lines_of(text_);
      lines[0] = line.dump();
      return lines;
    };
    const Report free = report_on(text_);
    const double spent = std::ranges::find(free.views, adversary, &View::adversary)->executed->epsilon.upper;
    for (const double asked : {delta, 1e-7}) {
      const Report kept = verify(ledger_from(text_of(with_budget(spent))), asked);
      EXPECT_TRUE(kept.passed) << failed(kept);
      EXPECT_EQ(kept.budget->spent, spent);
      EXPECT_EQ(kept.budget->delta, delta);
      const Report exceeded = verify(ledger_from(text_of(with_budget(0.999 * spent))), asked);
      EXPECT_EQ(failed(exceeded), "budget ");
      EXPECT_FALSE(exceeded.passed);
    }
    // Nothing is spent yet.
    EXPECT_EQ(report_on(with_budget(1e-9)[0] + '\n').budget->spent, 0);
    EXPECT_TRUE(report_on(with_budget(1e-9)[0] + '\n').passed);
  }
}

TEST_F(VerifyTest, SaysThatARunDidNotFinish) {
  auto lines = lines_of(text_);
  lines.resize(1 + 4 * 7);  // the header and seven rounds
  const Report report = report_on(text_of(lines));
  EXPECT_TRUE(report.passed) << failed(report);
  EXPECT_FALSE(report.is_finished);
  EXPECT_EQ(report.rounds_executed, 7u);
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_LT(report.views[0].executed->epsilon.upper, report.views[0].planned->epsilon.upper);
}

TEST_F(VerifyTest, CountsARoundThatWasCutOff) {
  auto lines = lines_of(text_);
  lines.resize(1 + 4 * 7 + 2);
  const Report report = report_on(text_of(lines) + R"({"kind":"partici)");
  EXPECT_TRUE(report.passed) << failed(report);
  EXPECT_EQ(report.rounds_executed, 8u);
  EXPECT_EQ(report.notes.size(), 3u);
}

// To work out what thousands of noises cost takes minutes, which nobody should be able to ask for by a line alone.
TEST_F(VerifyTest, DoesNotPriceWhatWasPlannedAndNotExecuted) {
  auto lines = lines_of(ledger_text(small_run("dp-fedavg"), ten_clients()));
  Line header = Line::parse(lines[0]);
  header["run"]["rounds"] = 2000;
  header["run"]["schedule"] = "inverse-sqrt";
  lines[0] = header.dump();
  const Report report = report_on(text_of(lines));
  EXPECT_EQ(failed(report), "header rounds noise ");
  for (const View& view : report.views) EXPECT_FALSE(view.planned) << to_string(view.adversary);
  EXPECT_TRUE(report.views[0].executed);
  EXPECT_TRUE(std::ranges::any_of(report.notes, [](const std::string& note) {
    return note.starts_with("the 2000 noises that the header plans are not those that were executed");
  }));
}

// With one local step the noise of all participants hides each, and in a round that was cut off some of it is not
// recorded: what is there costs more than was planned, though all went as planned.
TEST_F(VerifyTest, PassesARoundThatWasCutOffWhereTheNoiseOfAllIsCounted) {
  for (const std::string algorithm : {"dp-fedavg", "dp-mb-sgd"}) {
    auto run = small_run(algorithm);
    run.local_steps = 1;
    run.epsilon = plan_cost(run);
    run.budget_for = Adversary::third_party;
    const auto lines = lines_of(ledger_text(run, ten_clients()));
    // The header, six rounds of a line and three participations each, and the end.
    ASSERT_EQ(lines.size(), 26U);
    for (const std::size_t kept : {3U, 24U}) {
      const Report report = report_on(text_of({lines.begin(), lines.begin() + static_cast<long>(kept)}));
      EXPECT_TRUE(report.passed) << algorithm << ", " << kept << " lines: " << failed(report);
      EXPECT_GT(report.views[0].executed->epsilon.upper, report.views[0].planned->epsilon.upper);
    }
  }
}

// Batches of 4 of 20 records, 7 steps: a pass of five and one of two. Every forgery of where a batch lies is found, and
// where a record may be in two batches of a pass nothing is claimed.
// fl/account/proofs.md, 11.5
TEST_F(VerifyTest, FindsEveryForgeryOfShuffledBatches) {
  auto run = small_run("dp-fedavg");
  run.batches = Batches::shuffled;
  run.local_steps = 7;
  const std::string text = ledger_text(run, ten_clients());
  const Report honest = report_on(text);
  EXPECT_TRUE(honest.passed) << failed(honest);
  const auto sampling = std::ranges::find(honest.checks, "record_sampling", &Check::name);
  EXPECT_NE(sampling->reason.find("no record twice in a pass"), std::string::npos) << sampling->reason;
  struct Forgery {
    std::string what;
    std::function<void(Line&)> edit;  // of the releases of the first participation
    bool is_priced;
  };
  const std::vector<Forgery> forgeries = {
      {"another pass", [](Line& releases) { releases[1]["pass"] = 3; }, true},
      {"no pass", [](Line& releases) { releases[0].erase("pass"); }, false},
      {"no place", [](Line& releases) { releases[0].erase("first"); }, false},
      {"elsewhere in the order", [](Line& releases) { releases[1]["first"] = 8; }, true},
      {"beyond the order", [](Line& releases) { releases[1]["first"] = 16; }, false},
      {"the pass before", [](Line& releases) { releases[1]["pass"] = 1; }, false},
      {"a batch more in the pass",
       [](Line& releases) {
         releases[0]["count"] = 6;
         releases[1]["count"] = 1;
       },
       false},
      {"larger batches", [](Line& releases) { releases[1]["sample"] = 5; }, true},
      {"fresh batches",
       [](Line& releases) {
         for (Line& release : releases) release["scheme"] = "without_replacement";
       },
       true}};
  for (const Forgery& forgery : forgeries) {
    SCOPED_TRACE(forgery.what);
    auto lines = lines_of(text);
    std::uint64_t client = 0;
    for (std::string& line : lines) {
      Line json = Line::parse(line);
      if (json["kind"] != "participation") continue;
      ASSERT_EQ(json["releases"].size(), 2U);
      client = json["client"];
      forgery.edit(json["releases"]);
      line = json.dump();
      break;
    }
    const Ledger ledger = ledger_from(text_of(lines));
    const auto checks = check_ledger(ledger);
    EXPECT_FALSE(std::ranges::find(checks, "record_sampling", &Check::name)->passed);
    const Sizes sizes = distinct_sizes(ledger.header.run, ledger.header.clients).front();
    Execution execution(ledger);
    EXPECT_EQ(execution.plan(sizes, Adversary::server).has_value(), forgery.is_priced);
    EXPECT_EQ(execution.realised(client).has_value(), forgery.is_priced);
  }
}

// Over the sampling of users a client that was never drawn might have been: seeds give other draws, not other numbers.
TEST_F(VerifyTest, CountsKindsOfClientsThatWereNeverDrawn) {
  const FederatedData data = small_data({20, 20, 40, 20, 20});
  std::size_t without = 0;
  for (const Batches batches : {Batches::fresh, Batches::disjoint, Batches::with_replacement})
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      auto run = small_run("dp-mb-sgd");
      run.batches = batches;
      run.rounds = 2;
      run.user_rate = 0.2;
      run.seed = seed;
      run.schedule = "exponential:0.5";
      const Ledger ledger = ledger_from(ledger_text(run, data));
      without += std::ranges::count(ledger.participations, 2U, &Participation::client) == 0 ? 1U : 0U;
      const Report report = verify(ledger, delta);
      EXPECT_TRUE(report.passed) << failed(report);
      for (const View& view : report.views) {
        EXPECT_EQ(view.executed->epsilon.upper, view.planned->epsilon.upper) << to_string(view.adversary);
        for (const Sizes& sizes : distinct_sizes(ledger.header.run, ledger.header.clients))
          EXPECT_EQ(to_text(Execution(ledger).plan(sizes, view.adversary).value()),
                    to_text(plan(run, sizes, view.adversary, Basis::proven)->plan))
              << sizes.records;
      }
    }
  EXPECT_GE(without, 2U);
}

TEST_F(VerifyTest, CountsRoundsThatDrewNobody) {
  auto run = small_run("dp-fedavg");
  run.client_sampling = ClientSampling::poisson;
  run.user_rate = 0x1p-10;
  const Ledger ledger = ledger_from(ledger_text(run, ten_clients()));
  ASSERT_TRUE(ledger.participations.empty());
  const Report report = verify(ledger, delta);
  EXPECT_TRUE(report.passed) << failed(report);
  for (const View& view : report.views)
    EXPECT_EQ(view.executed->epsilon.upper, view.planned->epsilon.upper) << to_string(view.adversary);
}

TEST_F(VerifyTest, ReportsARunThatHasOnlyAHeader) {
  const Report report = report_on(lines_of(text_)[0] + '\n');
  EXPECT_TRUE(report.passed) << failed(report);
  EXPECT_FALSE(report.worst_client);
  EXPECT_FALSE(report.views[0].executed);
}

TEST_F(VerifyTest, ClaimsNothingForARunWithoutNoise) {
  const Report report = report_on(ledger_text(small_run("scaffold"), ten_clients()));
  EXPECT_TRUE(report.passed);
  EXPECT_TRUE(report.views.empty());
  EXPECT_TRUE(std::isinf(report.clients[*report.worst_client].paid->epsilon.upper));
  EXPECT_EQ(report.notes.size(), 1u);
}

// A header of a few letters may plan for more noises than there is time to write down.
TEST_F(VerifyTest, RefusesASchedulesNoisesThatNoLedgerLists) {
  Ledger ledger = ledger_from(text_);
  auto run = ledger.header.run.written();
  run.schedule = "chang2:beta=0.999999999,hold=1";
  run.rounds = std::uint64_t{1} << 50U;
  ledger.header.run = settle(run);
  EXPECT_REFUSED("schedule is chang2:beta=0.999999999,hold=1, but must be one that changes", verify(ledger, delta));
  run.rounds = 2;
  run.local_steps = max_noises;
  ledger.header.run = settle(run);
  EXPECT_REFUSED("schedule is chang2", verify(ledger, delta));
}

TEST_F(VerifyTest, RefusesABadDelta) {
  for (const double bad : {0.0, 1.0, -1.0, std::nan("")}) EXPECT_REFUSED("delta", verify(ledger_from(text_), bad));
}

}  // namespace
}  // namespace dpbudget::fl
