// Plans of many releases of which no two have their losses on one lattice.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "dpbudget/accounting/loss_distribution/plan_losses.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::loss_distribution {
namespace {

double mean_loss(const PlanLosses& losses) {
  double sum = 0;
  for (const Part& part : losses.parts(1))
    for (std::size_t i = 0; i < part.distribution->mass.size(); ++i)
      sum += static_cast<double>(part.count) * part.distribution->mass[i] * part.distribution->loss(i);
  return sum;
}

// Laplace noise has an atom at either end, which came to lie between points: the lower side lost half a mesh of each.
TEST(ManyReleases, HaveGridsThatBeginAtTheirAtoms) {
  std::string text;
  double truth = 0;
  constexpr int number = 40;
  for (int i = 0; i < number; ++i) {
    const double scale = 3 + i / 7.0;
    text += fmt::format("{}laplace({})", i == 0 ? "" : " + ", scale);
    truth += 1 / scale + std::expm1(-1 / scale);
  }
  const double mesh = 0.01;
  const auto mean = [&](Side side) {
    return mean_loss({parse_plan(text), {side, Direction::forward, Pair::dominating, mesh, 1e-15}});
  };
  EXPECT_LE(mean(Side::lower), truth);
  EXPECT_GE(mean(Side::lower), truth - 0.2 * mesh * number);
  EXPECT_GE(mean(Side::upper), truth);
  EXPECT_LE(mean(Side::upper), truth + mesh * mesh * number);
}

}  // namespace
}  // namespace dpbudget::loss_distribution
