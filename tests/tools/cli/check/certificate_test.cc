#include "dpbudget/tools/cli/check/certificate.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/cli/program.h"

namespace dpbudget {
namespace {

using nlohmann::json;

class CertificateProgram : public testing::Program {
 protected:
  json certificate_of(const std::string& question) const {
    const testing::Ran ran = run(question + " --certificate certificate.json");
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_FALSE(std::filesystem::exists(path("certificate.json.part")));
    return json::parse(text_of("certificate.json"));
  }
};

TEST_F(CertificateProgram, SaysWhatWasAskedAndAnswered) {
  const json found = certificate_of("epsilon 'gaussian(2)' --delta 1e-5 --adjacency replace_one --json");
  EXPECT_EQ(found.at("format"), "dpbudget certificate");
  EXPECT_EQ(found.at("version"), tools::certificate_version);
  EXPECT_EQ(found.at("delta"), 1e-5);
  EXPECT_EQ(found.at("plan").at("adjacency"), "replace_one");
  const json answer = json::parse(run("epsilon 'gaussian(2)' --delta 1e-5 --adjacency replace_one --json").out);
  EXPECT_EQ(found.at("plan"), answer.at("plan"));
  for (const char* end : {"lower", "upper"}) {
    EXPECT_EQ(found.at("epsilon").at(end), answer.at("epsilon").at(end));
    EXPECT_EQ(found.at(end).at("accountant"), "exact");
    EXPECT_EQ(found.at(end).at("theorems"), answer.at("epsilon").at("theorems"));
  }
}

TEST_F(CertificateProgram, HasTheLogarithmsOfDelta) {
  const json found = certificate_of("delta 'gaussian(0.5)' --epsilon 90");
  EXPECT_EQ(found.at("epsilon"), 90);
  EXPECT_LT(found.at("delta").at("ln_lower"), found.at("delta").at("ln_upper"));
}

TEST_F(CertificateProgram, HasAWitnessOfEachAccountant) {
  const std::string plan = "'1000 x poisson(0.01, gaussian(1))' --delta 1e-6";
  const auto witness = [&](const std::string& question) { return certificate_of(question).at("upper").at("witness"); };
  EXPECT_EQ(witness("epsilon 'gaussian(2)' --delta 1e-5").at("kind"), "normal_root");
  EXPECT_EQ(witness("epsilon '5 x rr(1)' --delta 1e-5 --accountant loss_distribution").at("number"), 6);
  EXPECT_EQ(witness("epsilon 'laplace(2)' --delta 0").at("kind"), "largest_loss");
  EXPECT_EQ(witness("epsilon '5 x pure(1)' --delta 1e-5 --accountant approximate").at("kind"), "composition");
  EXPECT_GT(witness("epsilon " + plan + " --accountant renyi").at("order"), 1);
  EXPECT_GT(witness("epsilon 'gaussian(2)' --delta 1e-5 --accountant concentrated").at("rho"), 0.124);
  EXPECT_GT(witness("epsilon " + plan + " --accountant loss_distribution").at("mesh"), 0);
  EXPECT_EQ(witness("epsilon " + plan).at("smoothing"), 0);
  EXPECT_GT(witness("epsilon '1000 x laplace(50)' --delta 1e-5").at("smoothing"), 0);
}

TEST_F(CertificateProgram, NamesTheOwnerOfEitherEnd) {
  const json found = certificate_of("epsilon 'poisson(0.01, gaussian(1))' --delta 1e-6");
  EXPECT_EQ(found.at("upper").at("accountant"), "approximate");
  EXPECT_EQ(found.at("lower").at("accountant"), "loss_distribution");
  EXPECT_EQ(found.at("lower").at("witness").at("kind"), "mesh");
}

TEST_F(CertificateProgram, IsOfTheRoundsThatFit) {
  const json found = certificate_of("rounds 'laplace(10)' --epsilon 3 --delta 1e-6");
  const json whole = certificate_of("epsilon '46 x laplace(10)' --delta 1e-6");
  EXPECT_EQ(found.at("plan"), whole.at("plan"));
  EXPECT_LE(found.at("epsilon").at("upper"), 3);
  EXPECT_EQ(found.at("upper").at("witness").at("kind"), whole.at("upper").at("witness").at("kind"));
  const testing::Ran none = run("rounds 'gaussian(0.1)' --epsilon 3 --delta 1e-6 --certificate certificate.json");
  EXPECT_EQ(none.status, 1);
  const json one = json::parse(text_of("certificate.json"));
  EXPECT_EQ(one.at("plan"), certificate_of("epsilon 'gaussian(0.1)' --delta 1e-6").at("plan"));
  EXPECT_GT(one.at("epsilon").at("lower"), 3);
}

TEST_F(CertificateProgram, IsOfThePlanThatIsSolved) {
  const json found = certificate_of("solve '3 x gaussian(?)' --epsilon 2 --delta 1e-6");
  const json solved = json::parse(run("solve '3 x gaussian(?)' --epsilon 2 --delta 1e-6 --json").out);
  EXPECT_EQ(found.at("plan").at("event").at("repeated").at("inner").at("gaussian").at("noise_multiplier"),
            solved.at("value"));
  EXPECT_EQ(found.at("epsilon").at("upper"), solved.at("at_value").at("upper"));
  EXPECT_EQ(found.at("upper").at("witness").at("kind"), "normal_root");
  write("certificate.json", "before");
  EXPECT_EQ(run("solve 'gaussian(1) + laplace(?)' --epsilon 0.1 --delta 1e-6 --certificate certificate.json").status,
            1);
  EXPECT_EQ(text_of("certificate.json"), "before");
}

TEST_F(CertificateProgram, IsRefusedForAnEstimate) {
  write("certificate.json", "before");
  refuses("epsilon '10 x poisson(0.1, gaussian(2))' --delta 1e-5 --accountant gdp --certificate certificate.json",
          "--certificate");
  EXPECT_EQ(text_of("certificate.json"), "before");
}

TEST_F(CertificateProgram, GoesNowhereThatIsTaken) {
  write("plan.txt", "gaussian(2)");
  refuses("epsilon @plan.txt --delta 1e-5 --certificate plan.txt", "--certificate");
  refuses("epsilon 'gaussian(2)' --delta 1e-5 --certificate none/certificate.json", "--certificate");
  refuses("epsilon 'gaussian(2)' --delta 1e-5 --certificate same.md --report same.md", "--report");
  refuses("delta 'gaussian(2' --epsilon 1 --certificate certificate.json", "plan, column");
  refuses("rounds @plan.txt --epsilon 1 --delta 1e-5 --certificate plan.txt", "--certificate");
  refuses("solve 'gaussian(?)' --epsilon 1 --delta 1e-5 --certificate none/certificate.json", "--certificate");
  refuses("solve 'gaussian(?)' --tpr 0.05 --fpr 0.01 --certificate certificate.json", "--certificate");
  EXPECT_FALSE(std::filesystem::exists(path("certificate.json")));
  EXPECT_EQ(text_of("plan.txt"), "gaussian(2)");
}

}  // namespace
}  // namespace dpbudget
