#include "dpbudget/fl/audit/law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/answer.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::fl {
namespace {

using mechanisms::Purpose;
using mechanisms::Stream;

struct Mean {
  double value;
  double error;  // standard
};

template <class Term>
Mean mean_of(int draws, const Term& term) {
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < draws; ++i) {
    const double one = term();
    sum += one;
    squares += one * one;
  }
  const double mean = sum / draws;
  return {mean, std::sqrt(std::max(0.0, squares / draws - mean * mean) / draws)};
}

// E[(1 - e^(epsilon - L))_+] with the record is delta of the pair, from the other side E[(1 - e^(epsilon + L))_+]
// without it.
Mean delta_of(const Law& law, double epsilon, bool is_in, int draws) {
  Stream stream({3, Purpose::local_randomness, 0, 0, is_in ? 1U : 0U});
  return mean_of(draws, [&] {
    const double loss = law.draw(is_in, stream);
    return std::max(0.0, -std::expm1(epsilon - (is_in ? loss : -loss)));
  });
}

struct Case {
  std::string plan;
  bool is_attained = true;  // by the pair that is drawn
};

// fl/audit/proofs.md, 2.1, 2.2, 2.3 and 2.4. Six standard errors are exceeded once in 5e8 draws.
TEST(AuditLaw, HasTheDeltaOfItsPlan) {
  const std::vector<Case> cases = {
      {"gaussian(1)"},
      {"laplace(0.7)"},
      {"discrete_gaussian(0.8)"},
      {"discrete_laplace(1.5)"},
      {"rr(1, 3)"},
      {"mixture(1; 0.3:1, 0.2:2)"},
      {"pure(0.8)"},
      {"approximate(0.5, 0.01)"},
      {"zcdp(0.3)", false},
      {"gdp(0.8)"},
      {"exponential(1)", false},
      {"poisson(0.2, gaussian(1))"},
      {"poisson(0.2, gaussian(1)) under replace_one"},
      {"wor(1 of 4, gaussian(1)) under replace_one"},
      {"with_replacement(3 of 10, gaussian(1)) under replace_one", false},
      {"participates(0.3, laplace(1))"},
      {"5 x gaussian(2)"},
      {"3 x poisson(0.3, laplace(1)) + gaussian(2)"},
      {"random_allocation(4, gaussian(1))"},
      {"random_allocation(3, approximate(0.5, 0.02))"},
      {"random_allocation(2 of 4, gaussian(1))"},
      {"random_allocation(3 of 3, laplace(2))"},
      {"subset_selection(1, 5)"},
      {"rappor(1, 4)"},
      {"oue(1, 4)"},
      {"hadamard(1, 4)"},
      {"shuffle(5, rr(1)) under replace_one", false},
      {"group(2, gaussian(3))"},
      {"group(2, laplace(3))"},
  };
  constexpr int draws = 40000;
  for (const Case& one : cases) {
    const Plan plan = parse_plan(one.plan);
    const Law law = law_of(plan);
    for (const double epsilon : {0.1, 0.6}) {
      const DeltaBound bound = make_accountant(AccountantName::best, plan).value()->delta(1, epsilon).value();
      const Mean in = delta_of(law, epsilon, true, draws);
      const Mean out = delta_of(law, epsilon, false, draws);
      for (const Mean& found : {in, out})
        EXPECT_LE(found.value - 6 * found.error, bound.bound.upper) << one.plan << " " << epsilon;
      if (!one.is_attained) continue;
      EXPECT_GE(std::max(in.value + 6 * in.error, out.value + 6 * out.error), bound.bound.lower)
          << one.plan << " " << epsilon;
    }
  }
}

TEST(AuditLaw, ArePairsOfLaws) {
  for (const char* text : {"gaussian(1)", "laplace(1)", "rr(1, 3)", "poisson(0.2, gaussian(1))",
                           "random_allocation(3, rr(1))", "random_allocation(2 of 5, rr(1))", "rappor(1, 3)"}) {
    const Law law = law_of(parse_plan(text));
    Stream stream({5, Purpose::local_randomness, 0, 0, 0});
    const Mean whole = mean_of(40000, [&] { return std::exp(law.draw(false, stream)); });
    EXPECT_NEAR(whole.value, 1, 6 * whole.error) << text;
  }
}

TEST(AuditLaw, IsRefusedByTheEventThatHasNone) {
  const auto refusal = [](const std::string& text) {
    try {
      law_of(parse_plan(text));
    } catch (const Unsupported& refused) {
      return std::string(refused.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal("gaussian(1) + tcdp(0.1, 5)").find("tcdp(0.1, 5)"), std::string::npos);
  EXPECT_NE(refusal("poisson(0.1, laplace(1)) under replace_one").find("under replace_one"), std::string::npos);
  EXPECT_NE(refusal("group(2, rr(1))").find("group(2, rr(1))"), std::string::npos);
  EXPECT_NE(refusal("shuffled_batches(3, gaussian(1))").find("shuffled_batches(3,"), std::string::npos);
  EXPECT_NE(refusal("select(poisson(2), gaussian(1))").find("select(poisson(2),"), std::string::npos);
  EXPECT_NE(refusal("profile(0:0.1, 1:0.01)").find("profile("), std::string::npos);
}

}  // namespace
}  // namespace dpbudget::fl
