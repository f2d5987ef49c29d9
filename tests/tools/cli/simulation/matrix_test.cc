#include "dpbudget/tools/cli/simulation/matrix.h"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>

namespace dpbudget::tools {
namespace {

// What one client's records paid is a figure against those who know when it took part: not against a third party, nor
// for all that a user holds.
TEST(MatrixText, ShowsTheWorstClientsRecordsToTheServerAlone) {
  fl::Report report{};
  report.delta = 1e-5;
  report.passed = true;
  for (const fl::Adversary adversary : fl::all_adversaries)
    report.views.push_back({adversary, std::nullopt, std::nullopt, std::nullopt});
  const auto paid = std::make_shared<fl::Paid>();
  paid->epsilon.upper = 7.25;
  report.clients.push_back({0, 10, 1, paid});
  report.worst_client = 0;
  std::istringstream lines(matrix_text({{{"dp-fedavg", "constant", report}}, {}, true}));
  int shown = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("7.25") == std::string::npos) continue;
    EXPECT_NE(line.find("server"), std::string::npos) << line;
    ++shown;
  }
  EXPECT_EQ(shown, 1);
}

}  // namespace
}  // namespace dpbudget::tools
