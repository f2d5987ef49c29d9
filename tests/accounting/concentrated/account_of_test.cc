#include "dpbudget/accounting/concentrated/account_of.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>

#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/concentrated/amplification.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/renyi/curve_of.h"

namespace dpbudget::concentrated {
namespace {

TruncatedCdp tcdp(std::string_view plan) { return account_of(parse_plan(plan)).tcdp; }

// From above, by no more than rounding.
void expect_rho(std::string_view plan, double rho) {
  const TruncatedCdp found = tcdp(plan);
  EXPECT_GE(found.rho, rho) << plan;
  EXPECT_LE(found.rho, rho * (1 + 1e-13)) << plan;
  EXPECT_EQ(found.omega, infinity) << plan;
}

TEST(AccountOf, LeavesAndComposition) {
  expect_rho("gaussian(2)", 0.125);
  expect_rho("discrete_gaussian(2)", 0.125);
  const double pure = 0.5 * std::tanh(0.25);
  for (const auto* plan : {"pure(0.5)", "rr(0.5)", "rr(0.5, 20)", "laplace(2)", "discrete_laplace(2)"})
    expect_rho(plan, pure);
  expect_rho("10 x gaussian(2) + 3 x (gaussian(4) + laplace(2))", 1.25 + 3 * (0.03125 + pure));
  expect_rho("participates(0.3, gaussian(2))", 0.125);
  expect_rho("participates(1, gaussian(2))", 0.125);
  expect_rho("gaussian(1e-200)", infinity);
  for (const auto* plan : {"nothing", "0 x gaussian(1)", "pure(0)", "participates(0, gaussian(2))",
                           "wor(0, gaussian(0.1))", "wor(0.5, nothing)"})
    EXPECT_EQ(tcdp(plan), (TruncatedCdp{0, infinity})) << plan;
  EXPECT_GT(tcdp("gaussian(1e200)").rho, 0);
}

// accounting/concentrated/proofs.md, 3.3 and 4.2
TEST(AccountOf, AmplifiesWhatIsSampledOutwards) {
  const auto expect = [](const TruncatedCdp& found, const TruncatedCdp& exact) {
    EXPECT_GE(found.rho, exact.rho);
    EXPECT_LE(found.rho, exact.rho * (1 + 1e-12));
    EXPECT_LE(found.omega, exact.omega);
    EXPECT_GE(found.omega, exact.omega * (1 - 1e-12));
  };
  const TruncatedCdp once = tcdp_amplify(0.01, {0.125 / 4, infinity});
  expect(tcdp("wor(0.01, gaussian(4))"), once);
  expect(tcdp("wor(1 of 100, gaussian(4))"), once);
  expect(tcdp("wor(0.01, gaussian(8) + 3 x gaussian(8))"), once);
  expect(tcdp("100 x wor(0.01, gaussian(4)) + gaussian(2)"), {100 * once.rho + 0.125, once.omega});
  expect(tcdp("wor(0.1, 1000 x wor(0.01, gaussian(4)))"), tcdp_amplify(0.1, {1000 * once.rho, once.omega}));
  expect(tcdp("wor(1 of 10, gaussian(4))"), tcdp_amplify(0.1, {0.125 / 4, infinity}));
  EXPECT_EQ(tcdp("wor(1, gaussian(4))"), tcdp("gaussian(4)"));
  EXPECT_EQ(tcdp("wor(5 of 5, gaussian(4))"), tcdp("gaussian(4)"));
}

// The curve of the Rényi accountant is tight for the leaves, for compositions of them and for participation.
// accounting/concentrated/proofs.md, 3.1 and 3.2
RC_GTEST_PROP(AccountOf, IsNeverBelowTheRenyiCurve, ()) {
  const auto count = static_cast<std::uint64_t>(*rc::gen::inRange(0, 1000));
  const Event seen = Participates{dpbudget::testing::log_uniform(1e-6, 1), dpbudget::testing::random_event(0, "")};
  const Event event = Composed{{dpbudget::testing::random_event(0, ""), Repeated{count, seen}}};
  const Plan plan{event, Adjacency::replace_one};
  const TruncatedCdp found = account_of(plan).tcdp;
  RC_ASSERT(found.omega == infinity);
  const double order = 1 + dpbudget::testing::log_uniform(1e-4, 1e4);
  RC_ASSERT((*renyi::curve_of(plan).curve)(order) <= order * found.rho * (1 + 1e-9));
}

TEST(AccountOf, RefusesWhatItHasNoTheoremFor) {
  const auto refuses = [](const Plan& plan, const std::string& named, const std::string& instead) {
    try {
      account_of(plan);
      ADD_FAILURE() << "accepted " << to_text(plan);
    } catch (const Unsupported& refusal) {
      const std::string message = refusal.what();
      EXPECT_NE(message.find("`" + named + "` under " + std::string(to_string(plan.adjacency))), std::string::npos)
          << message;
      EXPECT_NE(message.find(instead), std::string::npos) << message;
    }
  };
  const auto refuses_text = [&](std::string_view text, const std::string& named, const std::string& instead) {
    refuses(parse_plan(text), named, instead);
  };
  refuses_text("10 x poisson(0.01, gaussian(1))", "poisson(0.01, gaussian(1))", "use wor");
  refuses_text("approximate(1, 1e-5)", "approximate(1, 1e-05)", "pure");
  refuses_text("shuffle(100, rr(1))", "shuffle(100, rr(1))", "loss_distribution");
  refuses_text("wor(0.2, gaussian(4))", "wor(0.2, gaussian(4))", "sampling_rate <= 0.1");
  refuses_text("wor(0.01, gaussian(1))", "wor(0.01, gaussian(1))", "rho <= 0.1");
  refuses_text("wor(0.01, gaussian(1e-200))", "wor(0.01, gaussian(1e-200))", "rho <= 0.1");
  // The inner omega is log(10) / (4 rho), and log(1e9) / (2 13 0.1^2 rho) is needed.
  refuses_text("wor(1e-9, wor(0.1, gaussian(4)))", "wor(1e-09, wor(0.1, gaussian(4)))",
               "omega >= log(1/sampling_rate) / (2 rho)");
  for (const Adjacency adjacency : {Adjacency::add_or_remove_one, Adjacency::zero_out_one})
    refuses({parse("wor(0.01, gaussian(4))").event, adjacency}, "wor(0.01, gaussian(4))", "replace_one");
  EXPECT_THROW(account_of(parse_plan("gaussian(?)")), InvalidArgument);
  EXPECT_THROW(account_of({Event(Gaussian{-1.0}), Adjacency::replace_one}), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::concentrated
