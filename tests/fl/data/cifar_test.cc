#include "dpbudget/fl/data/cifar.h"

#include <gtest/gtest.h>

#include <string>

#include "fl/data/data_files.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

// A record whose pixel at place i is (7 i + label) modulo 256.
std::string record(char label) {
  std::string bytes(1, label);
  for (int i = 0; i < 3072; ++i) bytes += static_cast<char>(i * 7 + label);
  return bytes;
}

class LoadCifar : public DataFiles {};

TEST_F(LoadCifar, ReadsPlainAndGzippedAlike) {
  const std::string bytes = record(9) + record(0);
  for (const auto& path : {plain("plain", bytes), gzipped("gzipped", bytes)}) {
    const Dataset dataset = load_cifar(path);
    EXPECT_NO_THROW(check(dataset));
    EXPECT_EQ(dataset.classes, 10);
    EXPECT_EQ(dataset.labels, (std::vector<std::int32_t>{9, 0}));
    ASSERT_EQ(dataset.features.rows(), 2);
    ASSERT_EQ(dataset.features.cols(), 3072);
    for (Eigen::Index i = 0; i < 3072; ++i) {
      EXPECT_EQ(dataset.features(0, i), static_cast<double>((i * 7 + 9) % 256) / 255);
      EXPECT_EQ(dataset.features(1, i), static_cast<double>(i * 7 % 256) / 255);
    }
  }
}

TEST_F(LoadCifar, NamesTheFileThatIsWrong) {
  const auto refused = [&](const std::string& bytes, const std::string& reason) {
    EXPECT_REFUSED((folder_ / "bad").string() + ": " + reason, load_cifar(plain("bad", bytes)));
    EXPECT_REFUSED((folder_ / "bad").string() + ": " + reason, load_cifar(gzipped("bad", bytes)));
  };
  refused("", "has no records");
  refused(record(1).substr(1), "is 3072 bytes long, which is no multiple of the 3073 of a record");
  refused(record(1) + "x", "is 3074 bytes long");
  refused(record(1) + record(10), "label 1 is 10, but must be below 10");
  refused(record(-1), "label 0 is 255");
  EXPECT_REFUSED((folder_ / "none").string() + ": No such file", load_cifar(folder_ / "none"));
}

TEST(LoadCifar10, ReadsTheRealFile) {
  const auto path = shared_data("cifar10-10k.bin.gz");
  if (path.empty()) GTEST_SKIP() << "the CIFAR-10 file is not in the shared folder";
  const Dataset dataset = load_cifar(path);
  EXPECT_EQ(dataset.records(), 10000u);
  std::vector<int> counts(10);
  for (const std::int32_t label : dataset.labels) ++counts[static_cast<std::size_t>(label)];
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(dataset.features.minCoeff(), 0);
  EXPECT_EQ(dataset.features.maxCoeff(), 1);
  // The means that are published for CIFAR-10's colours; photographs are smooth along a row but not from plane to
  // plane.
  const double published[] = {0.4914, 0.4822, 0.4465};
  for (Eigen::Index plane = 0; plane < 3; ++plane)
    EXPECT_NEAR(dataset.features.middleCols(plane * 1024, 1024).mean(), published[plane], 0.01);
  const double along_row = (dataset.features.col(500) - dataset.features.col(501)).cwiseAbs().mean();
  const double half_an_image_apart = (dataset.features.col(500) - dataset.features.col(517)).cwiseAbs().mean();
  EXPECT_LT(along_row, half_an_image_apart / 2);
}

}  // namespace
}  // namespace dpbudget::fl
