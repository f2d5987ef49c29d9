#include "dpbudget/accounting/contour/sample_moments.h"

#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

namespace dpbudget::contour {
namespace {

using Digits = boost::multiprecision::cpp_bin_float_50;

struct Excess {
  Digits real;
  Digits imaginary;
};

// M(c + is) - 1 by the definition of the pairs, on panels that are narrower.
Excess excess_by_definition(const SamplePair& pair, double variance, double c, double s) {
  const Digits v = variance;
  const double deviation = std::sqrt(variance);
  const bool is_drawn = pair.kind == SampleKind::without_replacement;
  const double left = is_drawn ? 0 : -variance / 2 - (14 + (c + 1) * deviation) * deviation;
  const double right = (c + 3) * variance + 14 * deviation;
  const double width = std::min({3 * deviation, 2.0, 12 / (s + 1)});
  const auto panels = static_cast<int>(std::ceil((right - left) / width));
  const Digits step = (Digits(right) - left) / panels;
  Excess sum{0, 0};
  const auto add = [&](const Digits& w, const Digits& weight) {
    const Digits ratio = 1 + Digits(pair.rate) * boost::multiprecision::expm1(w);
    const Digits loss = log(ratio);
    const Digits mass = weight * exp(-(w + v / 2) * (w + v / 2) / (2 * v));
    const Digits angle = s * loss;
    if (pair.kind != SampleKind::add) {
      const Digits size = mass * exp((c + 1) * loss);
      sum.real += size * cos(angle);
      sum.imaginary += size * sin(angle);
    }
    if (pair.kind != SampleKind::remove) {
      const Digits size = mass * exp(-c * loss);
      sum.real += size * cos(angle);
      sum.imaginary -= size * sin(angle);
    }
    // What has a loss of 0 without replacement, and else all of the mass.
    sum.real -= is_drawn ? mass * (1 + ratio) : mass;
  };
  using Rule = boost::math::quadrature::gauss<Digits, 30>;
  for (int k = 0; k < panels; ++k)
    for (std::size_t i = 0; i < Rule::abscissa().size(); ++i)
      for (const int sign : {-1, 1})
        add(left + (k + (1 + sign * Rule::abscissa()[i]) / 2) * step, Rule::weights()[i] * step / 2);
  const Digits scale = 1 / sqrt(2 * boost::math::constants::pi<Digits>() * v);
  // Add's moment is that of (1+x)^{-z}, whose sine has the other sign.
  return {sum.real * scale, sum.imaginary * scale};
}

struct Point {
  double rate, variance, c, s;
};

class SampleMomentsOf : public ::testing::TestWithParam<SampleKind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, SampleMomentsOf,
                         ::testing::Values(SampleKind::remove, SampleKind::add, SampleKind::without_replacement));

// accounting/contour/proofs.md, 8.1 to 8.4
TEST_P(SampleMomentsOf, AreRightToWithinTheirErrors) {
  for (const auto& [rate, variance, c, s] : {Point{0.01, 1, 3, 8}, Point{0.9, 0.1, 10, 10}, Point{0.3, 3, 0.2, 6},
                                             Point{0.99, 2, 4, 6}, Point{0.5, 1e-6, 1000, 100}}) {
    // A noise besides: nodes serve both.
    const SamplePair pair{GetParam(), rate};
    const std::vector<double> variances{variance, 0.9 * variance};
    const SampleMoments moments(pair, variances, 1.2 * c, s);
    const auto at = moments.at(c);
    SampleMoments::Walk walk;
    std::vector<double> real(2);
    std::vector<double> imaginary(2);
    // By turns of the first wave that skip ever more.
    for (const double part : {64, 32, 16, 8, 4, 2}) moments.evaluate(at, s / part, walk, real, imaginary);
    const double error = moments.evaluate(at, s, walk, real, imaginary);
    for (const std::size_t j : {0, 1}) {
      const Excess on_axis = excess_by_definition(pair, variances[j], c, 0);
      const Excess expected = excess_by_definition(pair, variances[j], c, s);
      EXPECT_LE(abs(at.moments.value[j] - on_axis.real), at.moments.error[0]) << rate << ' ' << variances[j];
      EXPECT_LE(abs(real[j] - expected.real), error) << rate << ' ' << variances[j] << ' ' << c << ' ' << s;
      EXPECT_LE(abs(imaginary[j] - expected.imaginary), error) << rate << ' ' << variances[j] << ' ' << c << ' ' << s;
      EXPECT_LE(at.moments.error[0], 1e-6 * on_axis.real) << rate << ' ' << variances[j];
      const double kernel = std::hypot(c, s) * std::hypot(c + 1, s) / c / (c + 1);
      EXPECT_LE(error, 1e-6 * kernel * on_axis.real) << rate << ' ' << variances[j];
    }
  }
}

// What a contour is thought to take decides whether it is taken.
TEST(SampleMoments, TellHowManyNodesTakeThemFarther) {
  for (const SampleKind kind : {SampleKind::remove, SampleKind::add, SampleKind::without_replacement})
    for (const double reach : {1.0, 100.0, 1000.0}) {
      const SamplePair pair{kind, 0.04};
      const SampleMoments near(pair, {0.02}, 5, 0);
      const SampleMoments far(pair, {0.02}, 5, reach);
      EXPECT_LE(near.nodes(0), near.nodes(reach));
      EXPECT_EQ(far.nodes(reach), near.nodes(reach)) << reach;
    }
  EXPECT_TRUE(std::isinf(SampleMoments({SampleKind::remove, 0.04}, {0.02}, 5, 0).nodes(1e9)));
}

// Waves turn fast only where the sample's loss is that of the Gaussian: panels of one width throughout would be 300.
TEST(SampleMoments, AreNarrowOnlyWhereWavesTurnFast) {
  const SampleMoments rare({SampleKind::remove, 1e-4}, {0.25}, 10, 0);
  const SampleMoments frequent({SampleKind::remove, 0.9}, {0.25}, 10, 0);
  EXPECT_LT(3 * rare.nodes(1000), frequent.nodes(1000));
}

}  // namespace
}  // namespace dpbudget::contour
