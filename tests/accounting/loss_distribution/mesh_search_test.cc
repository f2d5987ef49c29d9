#include "dpbudget/accounting/loss_distribution/mesh_search.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/witness.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::loss_distribution {
namespace {

using Wanted = Question::Wanted;

struct Searched {
  MeshAnswer answer;
  double work;
};

Searched searched(const char* text, const Question& question, double tolerance, std::optional<double> mesh) {
  const Plan plan = parse_plan(text);
  const Outline sketch = outline(plan, 1e-20);
  Evaluator evaluator(plan, tolerance / 10);
  const MeshAnswer answer = MeshSearch(evaluator, sketch, tolerance, tolerance, question).run(mesh);
  return {answer, evaluator.work()};
}

// Tails are presumed to be those of a normal loss, where they once were looked for from 1e-19 down.
TEST(MeshSearch, LooksOnceAtDeltasThatNoTransformShows) {
  const auto [answer, work] = searched("2 x shuffle(100000, pure(1))", {Wanted::log_delta, 1, 0.5}, 1e-3, std::nullopt);
  EXPECT_LT(answer.dominating.upper, log_least_delta);
  EXPECT_EQ(answer.dominating.lower, -infinity);
  EXPECT_LE(work, 150'000);
}

// What takes long to look at for each tail is looked at for one, as counts are searched for.
TEST(MeshSearch, SharesTheTailsOfShuffledReports) {
  const auto tail = [](const char* text, std::uint64_t count) {
    const MeshAnswer found = searched(text, {Wanted::epsilon, count, 1e-6}, 0.1, std::nullopt).answer;
    return std::get<witness::Mesh>(found.witnesses.upper).tail;
  };
  const char* reports = "2 x shuffle(1000, rr(1)) under replace_one";
  EXPECT_EQ(tail(reports, 2), tail(reports, 30));
  EXPECT_LE(tail(reports, 30) * 60, 1e-13);
  const char* others = "2 x poisson(0.01, gaussian(1))";
  EXPECT_GT(tail(others, 2), tail(others, 30));
}

// The sample's two losses are on the grid, whatever the reports' are: meshes that missed them were halved until that
// hardly mattered.
TEST(MeshSearch, PutsOnTheGridWhatDataSetsAttainBesideShuffledReports) {
  const char* text =
      "43 x wor(57 of 60000, discrete_laplace(1.52398)) + 21 x shuffle(414260, rr(0.785276)) under replace_one";
  const Lattice attained = outline(parse_plan(text), 1e-20).attained_lattice;
  EXPECT_FALSE(attained.is_all);
  ASSERT_EQ(attained.atoms.size(), 1U);
  EXPECT_NEAR(attained.atoms.front().distance, 0.00133786543783, 1e-14);
}

// The least tails are more than delta, so that no mesh has a finite upper end: larger and least ones were tried in
// turn.
TEST(MeshSearch, EndsWhereTailsAloneAreMoreThanDelta) {
  const auto [answer, work] = searched("mixture(1.5; 0.5:1, 0.25:2)", {Wanted::epsilon, 1, 1e-300}, 0.5, std::nullopt);
  EXPECT_EQ(answer.dominating.upper, infinity);
  EXPECT_GE(answer.dominating.lower, 47.23);
  EXPECT_LE(work, 600'000);
}

// At other tails the pair of shuffled reports is another one: a lower end of the first was above the next one's upper
// end, tails were moved up to the limit, and the search for what data sets attain began on a mesh of 0, and did not
// end. accounting/loss_distribution/proofs.md, 5.2
TEST(MeshSearch, ForgetsWhatAnotherPairCosts) {
  const auto [whole, work] =
      searched("shuffle(1024, discrete_laplace(1.8))", {Wanted::log_delta, 1, 0.200178297}, 1e-3, std::nullopt);
  EXPECT_LE(whole.dominating.lower, whole.dominating.upper + 0.01);  // pairs differ a little between meshes too
  EXPECT_GT(whole.mesh, 0);
  EXPECT_LT(work, 3'000'000);
  // What is sampled costs that share of it, at the epsilon that the rate makes of it.
  const MeshAnswer sampled =
      searched("wor(0.383, shuffle(1024, discrete_laplace(1.8)))", {Wanted::log_delta, 1, 0.08147}, 1e-3, std::nullopt)
          .answer;
  EXPECT_NEAR(sampled.dominating.upper, whole.dominating.upper + std::log(0.383), 0.3);
  EXPECT_GT(sampled.attained, -90);
}

// A hundred kinds took as much each as one does, far below what lies between the ends.
TEST(MeshSearch, TakesNoLongerOverManyReleasesForWhatIsNearEnough) {
  std::string text = "wor(2 of 1000, laplace(1))";
  for (int i = 1; i < 100; ++i) text += fmt::format(" + wor(2 of 1000, laplace({}))", 1 + 0.01 * i);
  const auto [answer, work] = searched(text.c_str(), {Wanted::epsilon, 1, 1e-6}, 1e-3, std::nullopt);
  EXPECT_LE(answer.width, 1e-3);
  EXPECT_GE(answer.attained, 0.85 * answer.dominating.upper);
  EXPECT_LE(work, 2'500'000);
}

TEST(MeshSearch, ReachesTheToleranceFromAnyMesh) {
  const char* plan = "poisson(0.01, gaussian(1))";
  for (const Question question : {Question{Wanted::epsilon, 1000, 1e-6}, Question{Wanted::log_delta, 1000, 2.0}}) {
    const MeshAnswer fine = searched(plan, question, 1e-3, std::nullopt).answer;
    for (const std::optional<double> mesh : {std::optional<double>(), std::optional(1e-4), std::optional(0.05)}) {
      const MeshAnswer found = searched(plan, question, 1e-2, mesh).answer;
      EXPECT_LE(found.width, 1e-2) << mesh.value_or(0);
      EXPECT_LE(found.dominating.lower, fine.dominating.upper);
      EXPECT_GE(found.dominating.upper, fine.dominating.lower);
      EXPECT_EQ(found.attained, found.dominating.lower);
    }
  }
}

TEST(MeshSearch, IsNarrowAtOnceWhereItEndedBefore) {
  const Question question{Wanted::epsilon, 1000, 1e-6};
  const Searched first = searched("poisson(0.01, gaussian(1))", question, 1e-3, std::nullopt);
  const Searched again = searched("poisson(0.01, gaussian(1))", question, 1e-3, first.answer.mesh);
  EXPECT_LE(again.answer.width, first.answer.width * (1 + 1e-9));
  EXPECT_EQ(again.answer.mesh, first.answer.mesh);
  EXPECT_LE(first.answer.width, 1e-3);
}

TEST(MeshSearch, GoesOnToItsAimWhereThatCostsLittle) {
  const auto found = [](const char* text, double tolerance, double aim) {
    const Plan plan = parse_plan(text);
    const Outline sketch = outline(plan, 1e-20);
    Evaluator evaluator(plan, aim / 10);
    const MeshAnswer answer =
        MeshSearch(evaluator, sketch, tolerance, aim, {Wanted::epsilon, 1, 1e-5}).run(std::nullopt);
    return Searched{answer, evaluator.work()};
  };
  const char* few = "3 x poisson(0.01, gaussian(10))";
  const Searched aimed = found(few, 1e-2, 1e-6), plain = found(few, 1e-2, 1e-2);
  EXPECT_LE(aimed.answer.width, 1e-6);
  EXPECT_GT(plain.answer.width, 1e-5);
  EXPECT_LE(plain.answer.dominating.lower, aimed.answer.dominating.lower);
  EXPECT_GE(plain.answer.dominating.upper, aimed.answer.dominating.upper);
  // What would take long is left at the tolerance.
  const char* many = "100000 x poisson(0.0001, gaussian(0.5))";
  EXPECT_LT(found(many, 1e-2, 1e-9).work, found(many, 1e-2, 1e-2).work + 0x1p22);
}

TEST(MeshSearch, StopsWhereWorkOrRoundingEndsIt) {
  const Searched found = searched("wor(0.01, gaussian(1)) under replace_one", {Wanted::epsilon, 100, 1e-6}, 1e-9, {});
  EXPECT_GT(found.answer.width, 1e-9);
  EXPECT_LT(found.answer.attained, found.answer.dominating.lower);
  EXPECT_LT(found.work, 0x1p27);
}

TEST(MeshSearch, SaysSoWhereNoMeshShowsAnything) {
  EXPECT_THROW(searched("9007199254740992 x rr(1)", {Wanted::epsilon, 2048, 1e-5}, 1e-3, {}), Unsupported);
}

}  // namespace
}  // namespace dpbudget::loss_distribution
