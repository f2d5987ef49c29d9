#include "dpbudget/fl/data/idx.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "fl/data/data_files.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

using std::string_literals::operator""s;

class LoadIdx : public DataFiles {
 protected:
  // Two images of 2 rows and 3 columns.
  const std::string image_header_ = "\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x03"s;
  const std::string images_ = image_header_ + "\0\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\xff"s;
  const std::string labels_ = "\0\0\x08\x01\0\0\0\x02\x09\x03"s;
};

TEST_F(LoadIdx, ReadsPlainAndGzippedAlike) {
  for (const auto& images : {plain("images", images_), gzipped("images.gz", images_)})
    for (const auto& labels : {plain("labels", labels_), gzipped("labels.gz", labels_)}) {
      const Dataset dataset = load_idx(images, labels);
      EXPECT_NO_THROW(check(dataset));
      EXPECT_EQ(dataset.classes, 10);
      EXPECT_EQ(dataset.labels, (std::vector<std::int32_t>{9, 3}));
      EXPECT_EQ(dataset.features, (Matrix{{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 255}} / 255));
    }
}

TEST_F(LoadIdx, NamesTheFileThatIsWrong) {
  const auto images = plain("images", images_);
  const auto labels = plain("labels", labels_);
  const auto bad = folder_ / "bad";
  const auto refused = [&](const std::string& bytes, const std::string& reason, bool gz, bool is_images) {
    gz ? gzipped("bad", bytes) : plain("bad", bytes);
    EXPECT_REFUSED(bad.string() + ": " + reason, is_images ? load_idx(bad, labels) : load_idx(images, bad));
  };
  for (const bool gz : {false, true}) {
    for (std::size_t size = 0; size < images_.size(); ++size)
      refused(images_.substr(0, size), "is truncated", gz, true);
    for (std::size_t size = 0; size < labels_.size(); ++size)
      refused(labels_.substr(0, size), "is truncated", gz, false);
    refused(images_ + "x", "has bytes after its end", gz, true);
    refused(labels_ + "\0"s, "has bytes after its end", gz, false);
    refused(labels_, "begins with 0x00000801, but must begin with 0x00000803", gz, true);
    refused(images_, "begins with 0x00000803, but must begin with 0x00000801", gz, false);
    refused("\0\0\x08\x01\0\0\0\x02\x09\x0a"s, "label 1 is 10, but must be below 10", gz, false);
    refused("\0\0\x08\x01\0\0\0\x02\x09\xff"s, "label 1 is 255", gz, false);
    refused("\0\0\x08\x01\0\0\0\0"s, "has no records", gz, false);
    refused("\0\0\x08\x03\0\0\0\x02\0\0\0\0\0\0\0\x03"s, "claims images with a side of 0", gz, true);
    refused("\0\0\x08\x03\0\0\0\x01\0\0\0\x01\0\0\0\x03zzz"s, "has 1 images, but " + labels.string() + " has 2", gz,
            true);
  }
}

TEST_F(LoadIdx, TrustsNoHeaderWithItsMemory) {
  const auto labels = plain("labels", labels_);
  EXPECT_REFUSED((folder_ / "huge").string() + ": is truncated",
                 load_idx(plain("huge", "\0\0\x08\x03\xff\xff\xff\xff\0\x01\0\0\0\x01\0\0z"s), labels));
  EXPECT_REFUSED((folder_ / "side").string() + ": claims images with a side of",
                 load_idx(plain("side", "\0\0\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"s), labels));
  EXPECT_REFUSED((folder_ / "labels2").string() + ": is truncated",
                 load_idx(plain("side", images_), plain("labels2", "\0\0\x08\x01\xff\xff\xff\xff\x01"s)));
}

TEST_F(LoadIdx, RefusesWhatIsNoFile) {
  const auto images = plain("images", images_);
  EXPECT_REFUSED((folder_ / "none").string() + ": No such file", load_idx(images, folder_ / "none"));
  EXPECT_REFUSED((folder_ / "none").string() + ": No such file", load_idx(folder_ / "none", plain("labels", labels_)));
  EXPECT_REFUSED(folder_.string() + ": is a directory", load_idx(folder_, plain("labels", labels_)));
  for (const int classes : {1, 0, -5, 257}) EXPECT_REFUSED("classes", load_idx(images, images, classes));
}

TEST_F(LoadIdx, RefusesDamagedCompression) {
  const auto labels = plain("labels", labels_);
  std::string noisy = image_header_;
  for (int i = 0; i < 12; ++i) noisy += static_cast<char>(i * 37 + 11);
  const std::string whole = contents(gzipped("whole", noisy));
  for (std::size_t size = 2; size < whole.size(); ++size) {
    const auto cut = plain("cut", whole.substr(0, size));
    EXPECT_REFUSED(cut.string() + ": ", load_idx(cut, labels));
  }
  // Every byte of the compressed data and of its checksum: each change is noticed.
  for (std::size_t at = 10; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    const auto damaged = plain("damaged", changed);
    EXPECT_REFUSED(damaged.string() + ": ", load_idx(damaged, labels));
  }
}

TEST(LoadIdxMnist, ReadsTheRealFiles) {
  const std::filesystem::path folder = DPBUDGET_SHARED_DIR "/data";
  const auto images = folder / "mnist-10k-images-idx3-ubyte.gz";
  if (!std::filesystem::exists(images)) GTEST_SKIP() << "the MNIST files are not in the shared folder";
  const Dataset dataset = load_idx(images, folder / "mnist-10k-labels-idx1-ubyte.gz");
  EXPECT_NO_THROW(check(dataset));
  EXPECT_EQ(dataset.records(), 10000u);
  EXPECT_EQ(dataset.features.cols(), 28 * 28);
  EXPECT_EQ(dataset.features.minCoeff(), 0);
  EXPECT_EQ(dataset.features.maxCoeff(), 1);
  // Ten balanced enough classes, and bright centres with dark corners, tell a misread apart.
  std::vector<int> counts(10);
  for (const std::int32_t label : dataset.labels) ++counts[static_cast<std::size_t>(label)];
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
  EXPECT_LT(dataset.features.col(0).mean(), 0.01);
  EXPECT_GT(dataset.features.col(14 * 28 + 14).mean(), 0.3);
}

}  // namespace
}  // namespace dpbudget::fl
