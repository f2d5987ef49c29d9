// `dpbudget compare` as a user runs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/cli/program.h"

namespace dpbudget {
namespace {

using nlohmann::json;
using testing::Program;
using testing::Ran;

const std::string sgd = "'10000 x poisson(0.01, gaussian(1))' --delta 1e-5 ";

json answer_of(const json& comparison, const std::string& accountant) {
  for (const json& answer : comparison["answers"])
    if (answer["accountant"] == accountant) return answer;
  return nullptr;
}

TEST_F(Program, ComparesEveryAccountant) {
  const json comparison = json::parse(run("compare " + sgd + "--json").out);
  EXPECT_NEAR(answer_of(comparison, "contour")["epsilon"]["upper"].get<double>(), 6.18771239, 1e-8);
  EXPECT_NEAR(answer_of(comparison, "renyi")["epsilon"]["upper"].get<double>(), 6.71227, 1e-5);
  EXPECT_EQ(answer_of(comparison, "renyi")["epsilon"]["guarantee"], "proven");
  // The limit is below what is proven to be spent: no bound, and called none.
  EXPECT_EQ(answer_of(comparison, "gdp")["epsilon"]["guarantee"], "estimate");
  EXPECT_LT(answer_of(comparison, "gdp")["epsilon"]["upper"].get<double>(),
            answer_of(comparison, "contour")["epsilon"]["lower"].get<double>());
  EXPECT_NE(answer_of(comparison, "exact")["refused"].get<std::string>().find("Gaussians alone"), std::string::npos);
  EXPECT_EQ(answer_of(comparison, "best"), nullptr);
}

TEST_F(Program, ComparisonTablesPutProvenBoundsFirst) {
  const std::string table = run("compare " + sgd).out;
  const auto at = [&](const std::string& text) { return table.find("\n" + text); };
  EXPECT_LT(at("contour"), at("loss_distribution"));
  EXPECT_LT(at("loss_distribution"), at("renyi"));
  EXPECT_LT(at("renyi"), at("gdp"));
  EXPECT_NE(table.find("Not answered by:\nexact"), std::string::npos) << table;
  std::size_t widest = 0;
  for (std::size_t start = 0, end = 0; end != std::string::npos; start = end + 1) {
    end = table.find('\n', start);
    widest = std::max(widest, std::min(end, table.size()) - start);
  }
  EXPECT_LE(widest, 100U);
}

TEST_F(Program, ComparesDeltasToo) {
  const json comparison = json::parse(run("compare 'gaussian(1)' --epsilon 60 --json").out);
  EXPECT_NEAR(answer_of(comparison, "exact")["delta"]["ln_upper"].get<double>(), -1779.2, 0.1);
  EXPECT_NEAR(answer_of(comparison, "gdp")["delta"]["ln_upper"].get<double>(), -1779.2, 0.1);
  EXPECT_NE(run("compare 'gaussian(1)' --epsilon 60").out.find("e-773"), std::string::npos);
}

TEST_F(Program, ComparesAlongRounds) {
  const json comparison = json::parse(run("compare 'laplace(10)' --delta 1e-6 --rounds 1..1000 --json").out);
  const json& curve = comparison["curve"];
  EXPECT_EQ(curve.front()["rounds"], 1);
  EXPECT_EQ(curve.back()["rounds"], 1000);
  double last = 0;
  for (const json& point : curve)
    for (const json& answer : point["answers"])
      if (answer["accountant"] == "loss_distribution") {
        EXPECT_GE(answer["epsilon"]["upper"].get<double>(), last);
        last = answer["epsilon"]["lower"].get<double>();
      }
  EXPECT_NEAR(last, 18.95, 0.02);
  const std::string table = run("compare 'laplace(10)' --delta 1e-6 --rounds 1..3").out;
  EXPECT_NE(table.find("\n     3  "), std::string::npos) << table;
}

TEST_F(Program, ComparesAsCsv) {
  const std::string csv = run("compare 'rr(1)' --epsilon 0.5 --csv").out;
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "rounds,accountant,lower,upper,ln_lower,ln_upper,guarantee,theorem,seconds,refusal");
  EXPECT_NE(csv.find("\n1,loss_distribution,0."), std::string::npos) << csv;
  EXPECT_NE(csv.find("\n1,exact,,,,,,,"), std::string::npos) << csv;
}

TEST_F(Program, DrawsFigures) {
  const auto text_of = [&](const std::string& file) {
    std::ifstream in(path(file));
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(run("compare 'gaussian(2)' --delta 1e-5 --rounds 1..50 --plot rounds.svg").status, 0);
  EXPECT_NE(text_of("rounds.svg").find("gdp"), std::string::npos);
  EXPECT_NE(text_of("rounds.svg").find("proven lower bound"), std::string::npos);
  EXPECT_EQ(run("compare 'gaussian(2)' --delta 1e-5 --plot \"it's.png\"").status, 0);
  EXPECT_EQ(text_of("it's.png").substr(1, 3), "PNG");
  EXPECT_EQ(run("compare '9 x rr(0.1)' --epsilon 0.5 --plot curve.pdf --figure trade-off").status, 0);
  EXPECT_EQ(text_of("curve.pdf").substr(0, 4), "%PDF");
  EXPECT_FALSE(std::filesystem::exists(path("rounds.svg.part")));
}

TEST_F(Program, ComparisonsThatNobodyAnswersFail) {
  const Ran ran = run("compare 'random_allocation(9, rr(1)) under replace_one' --delta 1e-5");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.err, "dpbudget: no accountant answers\n");
  EXPECT_NE(ran.out.find("Not answered by:\n"), std::string::npos) << ran.out;
  refuses("epsilon 'random_allocation(9, rr(1)) under replace_one' --delta 1e-5",
          "no accountant has a theorem for `random_allocation(9, rr(1))`");
}

TEST_F(Program, ComparesPureDp) {
  const Ran ran = run("compare '3 x laplace(2)' --delta 0");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("approximate"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("delta 0 asks for pure DP"), std::string::npos) << ran.out;
  EXPECT_EQ(run("compare 'gaussian(1)' --delta 0").status, 2);
}

TEST_F(Program, CompareRefusesBadInputAndDrawsNothing) {
  refuses("compare 'gaussian(1)'", "one of --delta and --epsilon");
  refuses("compare 'gaussian(1)' --delta 1e-5 --epsilon 1", "one of --delta and --epsilon");
  refuses("compare 'gaussian(1)' --delta 1", "delta is 1, but must be in [0, 1)");
  refuses("compare 'gaussian(1)' --epsilon nan", "epsilon is nan");
  refuses("compare 'gaussian(?)' --delta 1e-5", "unknown `?`");
  refuses("compare 'gaussian(1)' --delta 1e-5 --tolerance 0", "tolerance is 0");
  for (const auto* rounds : {"7", "0..5", "5..5", "9..3", "a..b", "1..2.5", ".."})
    refuses("compare 'gaussian(1)' --delta 1e-5 --rounds " + std::string(rounds), "--rounds");
  refuses("compare 'gaussian(1)' --delta 1e-5 --csv --json", "--csv and --json");
  refuses("compare 'gaussian(1)' --delta 1e-5 --plot figure.bmp", "--plot is figure.bmp");
  refuses("compare 'gaussian(1)' --delta 1e-5 --plot missing/figure.svg", "no folder");
  refuses("compare 'gaussian(1)' --delta 1e-5 --plot figure.svg --figure pie", "--figure is pie");
  refuses("compare 'gaussian(1)' --delta 1e-5 --plot figure.svg --figure rounds", "needs --rounds");
  refuses("compare 'gaussian(1)' --delta 1e-5 --rounds 1..9 --plot figure.svg --figure profile", "leave --rounds out");
  refuses("compare 'gaussian(1)' --delta 1e-5 --figure profile", "--plot FILE");
  EXPECT_FALSE(std::filesystem::exists(path("figure.svg")));
}

}  // namespace
}  // namespace dpbudget
