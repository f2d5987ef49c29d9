#include "dpbudget/fl/data/svhn.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "dpbudget/fl/data/mat_file.h"
#include "dpbudget/fl/data/recipe.h"
#include "fl/data/data_files.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

// Written by another program than this library's.
std::filesystem::path kept(const std::string& name) {
  return std::filesystem::path(DPBUDGET_SOURCE_DIR) / "tests/fuzz/corpus/svhn" / name;
}

double pixel(int row, int column, int colour, int record) {
  return ((row * 7 + column * 3 + colour * 50 + record * 100) % 256) / 255.0;
}

class LoadSvhn : public DataFiles {
 protected:
  // A MAT-file's header, and elements.
  static std::string tag(std::uint32_t type, std::uint32_t size) {
    std::string bytes;
    for (const std::uint32_t word : {type, size})
      for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((word >> shift) & 0xffU);
    return bytes;
  }
  const std::string header_ = contents(kept("two_compressed")).substr(0, 128);
};

TEST_F(LoadSvhn, ReadsColoursRowByRow) {
  const std::string bytes = contents(kept("two_compressed"));
  for (const auto& path : {kept("two_compressed"), gzipped("gzipped", bytes)}) {
    const Dataset dataset = load_svhn(path);
    EXPECT_NO_THROW(check(dataset));
    EXPECT_EQ(dataset.classes, 10);
    EXPECT_EQ(dataset.labels, (std::vector<std::int32_t>{0, 3}));  // 10 is the digit 0
    ASSERT_EQ(dataset.features.rows(), 2);
    ASSERT_EQ(dataset.features.cols(), 3072);
    for (int record = 0; record < 2; ++record)
      for (int colour = 0; colour < 3; ++colour)
        for (int row = 0; row < 32; ++row)
          for (int column = 0; column < 32; ++column)
            ASSERT_EQ(dataset.features(record, (colour * 32 + row) * 32 + column), pixel(row, column, colour, record));
  }
}

TEST_F(LoadSvhn, ReadsLabelsOfAnyNumberAndOneImage) {
  const Dataset dataset = load_svhn(kept("labels_as_doubles"));
  EXPECT_EQ(dataset.labels, std::vector<std::int32_t>{7});
  EXPECT_EQ(dataset.records(), 1U);
}

TEST_F(LoadSvhn, NamesTheFileThatIsWrong) {
  const auto refused = [&](const std::string& bytes, const std::string& reason) {
    EXPECT_REFUSED((folder_ / "bad").string() + ": " + reason, load_svhn(plain("bad", bytes)));
  };
  const std::string good = contents(kept("two_compressed"));
  const auto kept_refused = [](const std::string& name, const std::string& reason) {
    EXPECT_REFUSED(kept(name).string() + ": " + reason, load_svhn(kept(name)));
  };
  kept_refused("wrong_label", "label 0 is 11, but must be an integer in [1, 10]");
  kept_refused("version_7.3", "is a MAT-file of version 7.3, which is HDF5");
  kept_refused("short", "is truncated");
  refused("", "is truncated");
  refused(std::string(128, 'x'), "is no MAT-file: it does not begin with `MATLAB`");
  refused(header_.substr(0, 126) + "MI", "has the byte order of other machines");
  refused(header_.substr(0, 124) + std::string("\x03\x01", 2) + "IM", "is no MAT-file of version 5");
  refused(header_, "has no images `X` of bytes");
  refused(header_ + tag(9, 8) + std::string(8, '\0'), "has an element of type 9, no variable");
  refused(header_ + tag(15, 4) + "none", "is damaged: a variable cannot be decompressed");
  refused(header_ + tag(14, 8) + tag(6, 8), "is damaged: 8 bytes of a variable are missing");
  // The second variable, the labels, cut off.
  std::string cut = good;
  cut.resize(good.size() - 3);
  refused(cut, "is truncated");
  std::string changed = good;
  changed[128 + 8 + 20] = static_cast<char>(changed[128 + 8 + 20] ^ 0x55);
  EXPECT_THROW(load_svhn(plain("bad", changed)), InvalidArgument);
  EXPECT_REFUSED((folder_ / "none").string() + ": No such file", load_svhn(folder_ / "none"));
}

TEST_F(LoadSvhn, IsASourceWithTestFiles) {
  const std::string file = kept("two_compressed").string();
  const FederatedData data = load({.source = "svhn:" + file + "|" + file + "," + file, .users = 2});
  EXPECT_EQ(data.test.records(), 2U);
  EXPECT_EQ(data.train.records(), 4U);
  EXPECT_EQ(files_of("svhn:a|b,c"), (std::vector<std::string>{"a", "b", "c"}));
}

}  // namespace
}  // namespace dpbudget::fl
