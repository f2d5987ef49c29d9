#include "dpbudget/accounting/solve/dp_sgd.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::solve {
namespace {

DpSgdQuestion known() { return {60000, 256, 60.0, 1.1, 1e-5}; }

DpSgd asked(const DpSgdQuestion& question) { return dp_sgd(question, AccountantName::best, default_tolerance).value(); }

double upper(const Plan& plan, double delta) {
  return make_accountant(AccountantName::best, plan).value()->epsilon(1, delta)->upper;
}

TEST(DpSgd, IsThePlanThatItSays) {
  const DpSgd run = asked(known());
  EXPECT_EQ(run.steps, 14063U);
  EXPECT_EQ(to_text(run.plan), "14063 x poisson(256 of 60000, gaussian(1.1)) under add_or_remove_one");
  EXPECT_EQ(run.epsilon.upper, upper(run.plan, 1e-5));
  EXPECT_EQ(run.notes, std::vector<std::string>{"60 epochs are 14062.5 steps, rounded up to 14063"});
  ASSERT_EQ(run.others.size(), 2U);
  EXPECT_EQ(to_text(run.others[0].plan), "14063 x wor(256 of 60000, gaussian(0.55)) under replace_one");
  EXPECT_EQ(to_text(run.others[1].plan), "61 x gaussian(1.1) under zero_out_one");
  const DpSgd whole = dp_sgd({60000, 600, 2.0, 0.5, 1e-6}, AccountantName::best, default_tolerance).value();
  EXPECT_EQ(to_text(whole.others[1].plan), "2 x shuffled_batches(100, gaussian(0.5)) under zero_out_one");
  // We shuffle and report Poisson: that would be too little.
  EXPECT_GT(whole.others[1].epsilon->lower, whole.epsilon.upper);
  for (const OtherSampling& other : run.others) EXPECT_EQ(other.epsilon->upper, upper(other.plan, 1e-5));
}

TEST(DpSgd, StepsAreExact) {
  const auto steps = [](std::uint64_t records, std::uint64_t batch, double epochs) {
    return asked({records, batch, epochs, 1e9, 1e-5}).steps;
  };
  EXPECT_EQ(steps(60000, 256, 64), 15000U);
  EXPECT_EQ(steps(60000, 60000, 3), 3U);
  EXPECT_EQ(steps(100, 100, 5e-324), 1U);
  // What is written in decimals is meant, and no double is one of these.
  EXPECT_EQ(steps(10, 1, 0.1), 1U);
  EXPECT_EQ(steps(1000, 100, 1.1), 11U);
  EXPECT_EQ(steps(1000, 10, 0.07), 7U);
  EXPECT_EQ(steps(1000, 1, 0.001), 1U);
  EXPECT_EQ(steps(1000, 100, 1.7), 17U);
  EXPECT_EQ(steps(1000, 100, 1.7000000000000002), 18U);
  EXPECT_EQ(steps(3, 1, 0.33333333333333331), 1U);
  EXPECT_EQ(steps((1U << 30) + 1, 1, 0x1p-30), 2U);  // 2^-30 above one step
  EXPECT_EQ(steps((std::uint64_t{1} << 53) - 1, (std::uint64_t{1} << 53) - 1, 0x1p52), std::uint64_t{1} << 52);
}

TEST(DpSgd, FindsWhicheverNumberIsUnknownInsideTheBudgetAndJustSo) {
  DpSgdQuestion question = known();
  question.epsilon = 3.0;
  const auto spends = [](const DpSgdQuestion& all) { return asked(all).epsilon.upper; };
  {
    DpSgdQuestion noise = question;
    noise.noise = Real::unknown();
    const DpSgd run = asked(noise);
    EXPECT_LE(run.epsilon.upper, 3);
    DpSgdQuestion less = known();
    less.noise = run.noise * (1 - 1e-6);
    EXPECT_GT(spends(less), 3);
  }
  {
    DpSgdQuestion epochs = question;
    epochs.epochs = Real::unknown();
    const DpSgd run = asked(epochs);
    EXPECT_LE(run.epsilon.upper, 3);
    EXPECT_TRUE(run.notes.empty());
    DpSgdQuestion same = known();
    same.epochs = run.epochs;
    EXPECT_EQ(asked(same).steps, run.steps);
    same.epochs = run.epochs + 256. / 60000;
    EXPECT_GT(spends(same), 3);
  }
  {
    DpSgdQuestion batch = question;
    batch.batch = Count::unknown();
    const DpSgd run = asked(batch);
    EXPECT_LE(run.epsilon.upper, 3);
    DpSgdQuestion more = known();
    more.batch = run.batch + 1;
    EXPECT_GT(spends(more), 3);
  }
  {
    DpSgdQuestion records = question;
    records.records = Count::unknown();
    const DpSgd run = asked(records);
    EXPECT_LE(run.epsilon.upper, 3);
    DpSgdQuestion fewer = known();
    fewer.records = run.records - 1;
    EXPECT_GT(spends(fewer), 3);
  }
  {
    DpSgdQuestion delta = question;
    delta.delta = Real::unknown();
    const DpSgd run = asked(delta);
    EXPECT_LE(run.epsilon.upper, 3);
    EXPECT_LT(run.delta, 1e-5);
    EXPECT_EQ(run.delta, make_accountant(AccountantName::best, run.plan).value()->delta(1, 3)->bound.upper);
  }
}

TEST(DpSgd, RefusesWhereItsOwnSamplingHasNoAnswer) {
  EXPECT_FALSE(dp_sgd(known(), AccountantName::exact, default_tolerance));
}

template <class Error = InvalidArgument>
void refused(const std::string& text, const DpSgdQuestion& question) {
  try {
    asked(question);
    FAIL() << "accepted, instead of: " << text;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST(DpSgd, NamesWhatIsWrong) {
  const double nan = std::nan("");
  const Real any = Real::unknown();
  refused("no number is `?`", {60000, 256, 60.0, 1.1, 1e-5, 3.0});
  refused("epochs and noise are `?`", {60000, 256, any, any, 1e-5, 3.0});
  refused("records and epsilon are `?`", {Count::unknown(), 256, 1.0, 1.0, 1e-5});
  refused("records is 0", {0, 1, 1.0, 1.0, 1e-5});
  refused("batch is 0, but must be in [1, records], and records are 60000", {60000, 0, 60.0, 1.1, 1e-5});
  refused("batch is 70000", {60000, 70000, 60.0, 1.1, 1e-5});
  refused("batch is 0", {Count::unknown(), 0, 60.0, 1.1, 1e-5, 3.0});
  refused("epochs is 0, but must be positive and finite", {60000, 256, 0.0, 1.1, 1e-5});
  refused("epochs is nan", {60000, 256, nan, 1.1, 1e-5});
  refused("epochs is 1e+300, but must make 2^53 steps at most", {60000, 256, 1e300, 1.1, 1e-5});
  refused("noise is -1", {60000, 256, 60.0, -1.0, 1e-5});
  refused("noise is inf", {60000, 256, 60.0, HUGE_VAL, 1e-5});
  refused("delta is 0, but must be in (0, 1)", {60000, 256, 60.0, 1.1, 0.0});
  refused("delta is nan", {60000, 256, 60.0, 1.1, nan});
  refused("epsilon is -1", {60000, 256, 60.0, any, 1e-5, -1.0});
  refused<NoValue>("epochs has no value: one step alone", {60000, 60000, any, 0.01, 1e-5, 1.0});
  refused<NoValue>("batch has no value: not even batches of 1", {60000, Count::unknown(), 60.0, 0.01, 1e-5, 0.1});
  refused<NoValue>("records has no value", {Count::unknown(), 1, 0x1p50, 1.0, 1e-5, 1.0});
  refused<NoValue>("delta has no value", {60000, 60000, 60.0, 1e-3, any, 0.0});
}

// More of what leaks never costs less.
RC_GTEST_PROP(DpSgd, CostsMoreWithMoreEpochsAndLessWithMoreNoise, ()) {
  const auto records = *rc::gen::inRange<std::uint64_t>(1000, 100000);
  const auto batch = *rc::gen::inRange<std::uint64_t>(1, 1 + records / 10);
  const double epochs = *rc::gen::inRange(1, 200) / 8.0;
  const double noise = 0.7 + *rc::gen::inRange(0, 40) / 10.0;
  const auto run_of = [&](double passes, double deviation) {
    return dp_sgd({records, batch, passes, deviation, 1e-6}, AccountantName::renyi, default_tolerance).value();
  };
  const DpSgd run = run_of(epochs, noise);
  RC_ASSERT(run.epsilon.upper < run_of(epochs + 1, noise).epsilon.upper);
  RC_ASSERT(run.epsilon.upper > run_of(epochs, noise + 0.5).epsilon.upper);
  // The last step is the first with which all records have had their epochs.
  RC_ASSERT(static_cast<double>(run.steps * batch) >= epochs * static_cast<double>(records));
  RC_ASSERT(static_cast<double>((run.steps - 1) * batch) < epochs * static_cast<double>(records));
}

}  // namespace
}  // namespace dpbudget::solve
