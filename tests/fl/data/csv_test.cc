#include "dpbudget/fl/data/csv.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "fl/data/data_files.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

using Names = std::vector<std::string>;

class LoadCsv : public DataFiles {
 protected:
  const std::string text_ =
      "age,town,pay,smokes\n"
      "30,York,1.5,yes\n"
      "41,Bath,-2e3,no\n"
      "52,\"Ely, Cambs\",0,no\n"
      "30.5,Bath,7,yes\n";
};

TEST_F(LoadCsv, ReadsNumbersCodesAndTargets) {
  for (const auto& path : {plain("plain", text_), gzipped("gzipped", text_)}) {
    const CsvTable table = load_csv(path, {.target = "pay", .categorical = {"smokes", "town"}});
    EXPECT_NO_THROW(check(table.dataset));
    EXPECT_EQ(table.features, (Names{"age", "town", "smokes"}));
    EXPECT_EQ(table.numeric, std::vector<Eigen::Index>{0});
    EXPECT_EQ(table.dataset.features, (Matrix{{30, 2, 1}, {41, 0, 0}, {52, 1, 0}, {30.5, 0, 1}}));
    EXPECT_EQ(table.dataset.targets, (std::vector<double>{1.5, -2000, 0, 7}));
    EXPECT_TRUE(table.dataset.labels.empty());
    EXPECT_TRUE(table.class_names.empty());
  }
}

TEST_F(LoadCsv, SpreadsCategoriesOverColumns) {
  const CsvTable table =
      load_csv(plain("table", text_), {.target = "pay", .categorical = {"smokes", "town"}, .one_hot = true});
  EXPECT_EQ(table.features, (Names{"age", "town=Bath", "town=Ely, Cambs", "town=York", "smokes=no", "smokes=yes"}));
  EXPECT_EQ(table.numeric, std::vector<Eigen::Index>{0});
  EXPECT_EQ(table.dataset.features,
            (Matrix{{30, 0, 0, 1, 0, 1}, {41, 1, 0, 0, 1, 0}, {52, 0, 1, 0, 1, 0}, {30.5, 1, 0, 0, 0, 1}}));
}

TEST_F(LoadCsv, SortsTheClassesOfACategoricalTarget) {
  for (const bool one_hot : {false, true}) {
    const CsvTable table =
        load_csv(plain("table", text_), {.target = "town", .categorical = {"smokes", "town"}, .one_hot = one_hot});
    EXPECT_NO_THROW(check(table.dataset));
    EXPECT_EQ(table.class_names, (Names{"Bath", "Ely, Cambs", "York"}));
    EXPECT_EQ(table.dataset.labels, (std::vector<std::int32_t>{2, 0, 1, 0}));
    EXPECT_EQ(table.dataset.classes, 3);
    EXPECT_TRUE(table.dataset.targets.empty());
    EXPECT_EQ(table.dataset.features.cols(), one_hot ? 4 : 3);
    EXPECT_EQ(table.numeric, (std::vector<Eigen::Index>{0, 1}));
    EXPECT_EQ(table.dataset.features.col(1), (Vector{{1.5, -2000, 0, 7}}));
  }
}

TEST_F(LoadCsv, NamesFileLineAndColumn) {
  const auto refused = [&](const std::string& text, const std::string& reason, const CsvColumns& columns) {
    EXPECT_REFUSED((folder_ / "bad").string() + ": " + reason, load_csv(plain("bad", text), columns));
  };
  const CsvColumns pay{.target = "pay", .categorical = {"smokes", "town"}};
  refused("", "has no records below a header", pay);
  refused("age,pay\n", "has no records below a header", pay);
  refused(text_, "has no column \"wage\"", {.target = "wage"});
  refused(text_, "has no column \"\"", {.target = ""});
  refused(text_, "has no column \"city\"", {.target = "pay", .categorical = {"city"}});
  refused(text_, "column \"town\" is named twice", {.target = "pay", .categorical = {"town", "town"}});
  refused("a,pay,a\n1,2,3\n", "has two columns \"a\"", {.target = "pay"});
  refused("pay\n1\n2\n", "has no column beside the target", {.target = "pay"});
  refused("age,pay\n1,2\n3\n", "line 3: has 1 fields, but the header has 2", {.target = "pay"});
  refused("age,pay\n1,2,3\n", "line 2: has 3 fields", {.target = "pay"});
  refused("age,pay\n1,2\n\n", "line 3: has 1 fields", {.target = "pay"});
  refused(text_, "line 2, column \"town\": is \"York\", but must be a finite number", {.target = "pay"});
  refused(text_, "line 2, column \"town\": is \"York\"", {.target = "town", .categorical = {"smokes"}});
  for (const std::string bad : {"", " 1", "1 ", "nan", "inf", "1e999", "1.2.3", "0x1"})
    refused("\"a\nge\",pay\n1,2\n" + bad + ",3\n", "line 4, column \"a?ge\": is \"" + bad + "\"", {.target = "pay"});
  refused("age,pay\n1,2\n1,\"3\nx\"\n", "line 3, column \"pay\": is \"3?x\"", {.target = "pay"});
  refused("age,pay\n1,2\n2,2\n", "column \"pay\" has a single value", {.target = "pay", .categorical = {"pay"}});
  refused("age,pay\n1,\"2\n", "line 2: a quote that is not closed", {.target = "pay"});
  EXPECT_REFUSED((folder_ / "none").string() + ": No such file", load_csv(folder_ / "none", pay));
}

// 33,000 records, no two with the same name: 33,000 columns of them would be more than 2^30 numbers.
TEST_F(LoadCsv, RefusesAOneHotColumnThatIsTooWide) {
  std::string text = "age,name,pay\n";
  for (int record = 0; record < 33000; ++record) text += "1,n" + std::to_string(record) + ",2\n";
  const auto path = plain("wide", text);
  const CsvColumns columns{.target = "pay", .categorical = {"name"}, .one_hot = true};
  EXPECT_REFUSED(path.string() +
                     ": 33000 records of 33001 numbers are too many (2^30 are the most); column \"name\" "
                     "alone becomes 33000",
                 load_csv(path, columns));
  EXPECT_EQ(load_csv(path, {.target = "pay", .categorical = {"name"}}).dataset.features.cols(), 2);
}

TEST(LoadCsvShared, ReadsTheInsuranceRecords) {
  const auto path = shared_data("insurance.csv");
  if (path.empty()) GTEST_SKIP() << "insurance.csv is not in the shared folder";
  const CsvTable codes = load_csv(path, {.target = "charges", .categorical = {"sex", "smoker", "region"}});
  EXPECT_NO_THROW(check(codes.dataset));
  EXPECT_EQ(codes.dataset.records(), 1338u);
  EXPECT_EQ(codes.features, (Names{"age", "sex", "bmi", "children", "smoker", "region"}));
  EXPECT_EQ(codes.dataset.features.row(0), (Eigen::RowVectorXd{{19, 0, 27.9, 0, 1, 3}}));
  EXPECT_EQ(codes.dataset.targets[0], 16884.924);
  // As `awk` adds them up: the mean charge of the data set's description.
  EXPECT_NEAR(Vector::Map(codes.dataset.targets.data(), 1338).mean(), 13270.42, 0.01);
  const CsvTable spread =
      load_csv(path, {.target = "charges", .categorical = {"sex", "smoker", "region"}, .one_hot = true});
  EXPECT_EQ(spread.dataset.features.cols(), 3 + 2 + 2 + 4);
  EXPECT_EQ(spread.dataset.features.rightCols(4).rowwise().sum(), Vector::Ones(1338));
}

TEST(LoadCsvShared, ReadsTheObesityRecords) {
  const auto path = shared_data("obesity.csv");
  if (path.empty()) GTEST_SKIP() << "obesity.csv is not in the shared folder";
  const CsvTable table = load_csv(path, {.target = "NObesity",
                                         .categorical = {"Gender", "family_history_with_overweight", "FAVC", "CAEC",
                                                         "SMOKE", "SCC", "CALC", "MTRANS", "NObesity"}});
  EXPECT_NO_THROW(check(table.dataset));
  EXPECT_EQ(table.dataset.records(), 2111u);
  EXPECT_EQ(table.dataset.features.cols(), 16);
  EXPECT_EQ(table.numeric.size(), 8u);
  EXPECT_EQ(table.class_names, (Names{"Insufficient_Weight", "Normal_Weight", "Obesity_Type_I", "Obesity_Type_II",
                                      "Obesity_Type_III", "Overweight_Level_I", "Overweight_Level_II"}));
  std::map<std::int32_t, int> counts;
  for (const std::int32_t label : table.dataset.labels) ++counts[label];
  // The counts that the data set's page publishes.
  EXPECT_EQ(counts,
            (std::map<std::int32_t, int>{{0, 272}, {1, 287}, {2, 351}, {3, 297}, {4, 324}, {5, 290}, {6, 290}}));
}

}  // namespace
}  // namespace dpbudget::fl
