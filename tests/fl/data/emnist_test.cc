#include "dpbudget/fl/data/emnist.h"

#include <gtest/gtest.h>

#include <string>

#include "fl/data/data_files.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

using std::string_literals::operator""s;
using LoadEmnist = DataFiles;

TEST_F(LoadEmnist, TurnsImagesUpright) {
  plain("images", "\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x02\x00\x33\x66\x99\x01\x02\x03\x04"s);
  plain("labels", "\0\0\x08\x01\0\0\0\x02\x01\x1a"s);
  const Dataset letters = load_emnist(folder_ / "images", folder_ / "labels");
  EXPECT_EQ(letters.classes, 27);
  EXPECT_EQ(letters.features.row(0) * 5, (Eigen::RowVectorXd{{0, 2, 1, 3}}));
  EXPECT_EQ(load_emnist(folder_ / "images", folder_ / "labels", 47).classes, 47);
  EXPECT_REFUSED((folder_ / "labels").string(), load_emnist(folder_ / "images", folder_ / "labels", 26));
  plain("wide", "\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x03\x00\x33\x66\x99\x01\x02"s);
  EXPECT_REFUSED((folder_ / "wide").string() + ": has images of 3 pixels",
                 load_emnist(folder_ / "wide", folder_ / "labels"));
}

}  // namespace
}  // namespace dpbudget::fl
