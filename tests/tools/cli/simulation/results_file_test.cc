#include "dpbudget/tools/cli/simulation/results_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "fl/small.h"
#include "mechanisms/refused.h"

namespace dpbudget::tools {
namespace {

TEST(ResultsFile, IsOneRunsAloneFromItsBeginning) {
  const fl::TemporaryFile file;
  const std::string name = file.path().string();
  std::optional<ResultsFile> mine(std::in_place, name, std::vector<std::string>{"round"});
  ResultsFile theirs(name, {"round"});
  mine->begin();
  mine->append({{"round", 1}});
  EXPECT_REFUSED("--results is " + name + ", which another run is writing", theirs.begin());
  std::ifstream in(file.path());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "{\"round\":1}\n");
  mine.reset();
  theirs.begin();
  EXPECT_EQ(std::filesystem::file_size(file.path()), 0U);
}

}  // namespace
}  // namespace dpbudget::tools
