#include "dpbudget/accounting/shuffle/clones/variation_ratio.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/random_event.h"
#include "accounting/shuffle/brute_force.h"
#include "mechanisms/refused.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::divergence;
using dpbudget::testing::Law;
using dpbudget::testing::log_uniform;
using dpbudget::testing::shuffled;

double revealed(const VariationRatio& randomizer, double reports, double epsilon) {
  return std::exp(log_delta(variation_ratio_revealed(randomizer, reports), epsilon, {0}).upper);
}

// Outputs {0, 1, *, #}, where the others prefer # as far as ratios of p allow.
struct Family {
  Law r0, r1, others;
};
Family family(double p, double a) {
  const double rest = 1 - a - p * a;    // of the pair's components * and #
  const double background = 1 - 2 * a;  // of the others'
  // p A + B / p = rest, A + B = background.
  const double star = (rest - background / p) / (p - 1 / p);
  const double hash = background - star;
  return {{p * a, a, p * star, hash / p}, {a, p * a, p * star, hash / p}, {a, a, star, hash}};
}

double truth(const Family& f, int reports, double epsilon) {
  std::vector<Law> users(static_cast<std::size_t>(reports), f.others);
  users.front() = f.r0;
  const auto p = shuffled(users);
  users.front() = f.r1;
  return divergence(p, shuffled(users), epsilon);
}

// formulas.md 6.6: the published form understates.
TEST(VariationRatio, PublishedFormIsRefuted) {
  const double e = std::exp(1.0);
  struct Case {
    double a;
    int reports;
    double truth, published;
  };
  for (const Case& c :
       {Case{0.2 / (e + 1), 3, 0.02763836593264319988, 0.02015116222}, Case{0.5 / (e + 1), 5, 0.040966, 0.029718}}) {
    const VariationRatio randomizer{e, (e - 1) * c.a, e};
    const double exact = truth(family(e, c.a), c.reports, 0.4);
    EXPECT_NEAR(exact, c.truth, 1e-6);
    const double published = variation_ratio_published_delta(randomizer, c.reports, 0.4);
    EXPECT_NEAR(published, c.published, 1e-6);
    EXPECT_LT(published, exact);
    EXPECT_GE(revealed(randomizer, c.reports, 0.4), exact);
  }
}

// accounting/shuffle/proofs.md, 4.1
RC_GTEST_PROP(VariationRatio, RevealedFormBoundsTheFamilyThatRefutesThePublishedOne, ()) {
  const double p = std::exp(log_uniform(0.1, 3));
  const double a = log_uniform(0.05, 1) / (p + 1);
  const Family f = family(p, a);
  RC_PRE(f.others[2] >= 0 && f.others[3] >= 0);
  const int reports = *rc::gen::inRange(1, 8);
  const double epsilon = std::log(p) * log_uniform(0.01, 1);
  RC_ASSERT(truth(f, reports, epsilon) <= revealed({p, (p - 1) * a, p}, reports, epsilon) + 1e-14);
}

TEST(VariationRatio, RefusesBadInputByName) {
  for (const double bad : {1.0, 0.5, -1.0, HUGE_VAL, std::nan("")})
    EXPECT_REFUSED("ratio", variation_ratio_revealed({bad, 0.1, 2}, 10));
  for (const double bad : {0.0, -0.1, 0.34, std::nan("")})
    EXPECT_REFUSED("total_variation", variation_ratio_revealed({2, bad, 2}, 10));
  for (const double bad : {0.9, 0.0, HUGE_VAL, std::nan("")})
    EXPECT_REFUSED("background_ratio", variation_ratio_revealed({2, 0.1, bad}, 10));
  EXPECT_REFUSED("background_ratio", variation_ratio_revealed({2, 0.33, 1}, 10));
  EXPECT_REFUSED("reports", variation_ratio_revealed({2, 0.1, 2}, 0));
  EXPECT_REFUSED("epsilon", variation_ratio_published_delta({2, 0.1, 2}, 10, -1));
}

}  // namespace
}  // namespace dpbudget::shuffle
