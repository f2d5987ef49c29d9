#include "dpbudget/fl/data/recipe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "dpbudget/fl/data/cifar.h"
#include "dpbudget/fl/data/csv.h"
#include "dpbudget/fl/data/idx.h"
#include "dpbudget/fl/data/partition.h"
#include "dpbudget/fl/data/partition_by_name.h"
#include "dpbudget/fl/data/preprocess.h"
#include "dpbudget/fl/data/synthetic.h"
#include "fl/data/data_files.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

using std::string_literals::operator""s;

class LoadRecipe : public DataFiles {
 protected:
  void SetUp() override {
    DataFiles::SetUp();
    std::string images = "\0\0\x08\x03\0\0\0\x28\0\0\0\x01\0\0\0\x03"s;
    std::string labels = "\0\0\x08\x01\0\0\0\x28"s;
    std::string table = "age,town,pay\n";
    for (int i = 0; i < 40; ++i) {
      images += {static_cast<char>(i * 37), static_cast<char>(i * 11 + 5), static_cast<char>(i * i)};
      labels += static_cast<char>(i % 10);
      table += std::to_string(20 + i * 7 % 31) + "," + "ABC"[i % 3] + "," + std::to_string(i * 17 % 40) + "\n";
    }
    plain("images", images);
    plain("labels", labels);
    plain("table.csv", table);
    std::string photos;
    for (int i = 0; i < 40; ++i)
      for (int j = 0; j < 3073; ++j) photos += static_cast<char>(j == 0 ? i % 10 : (i + 3) * j * j % 251);
    plain("photos", photos);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string idx() const { return "idx:" + path("images") + "," + path("labels"); }

  static void expect_same(FederatedData wanted, const DataRecipe& recipe) {
    const FederatedData loaded = load(recipe);
    EXPECT_NO_THROW(check(loaded));
    EXPECT_EQ(fingerprint(loaded), fingerprint(wanted)) << recipe.source;
    EXPECT_EQ(loaded.test_clients, wanted.test_clients) << recipe.source;
    EXPECT_EQ(loaded.description, wanted.description) << recipe.source;
  }

  static FederatedData scaled(FederatedData data) {
    standardise(data);
    normalise_records(data);
    return data;
  }
};

TEST_F(LoadRecipe, GeneratesSyntheticData) {
  const Synthetic parameters{.alpha = 1, .beta = 0.5, .users = 4, .records_per_user = 30, .seed = 3};
  expect_same(scaled(synthetic(parameters)), {.source = "synthetic:1,0.5", .users = 4, .records = 30, .seed = 3});
  Synthetic power_law = parameters;
  power_law.sizes = SyntheticSizes::power_law;
  expect_same(scaled(synthetic(power_law)), {.source = "synthetic:1,0.5,power-law", .users = 4, .seed = 3});
  EXPECT_EQ(load({.source = "synthetic:0,0", .records = 2}).clients.size(), 100u);
}

TEST_F(LoadRecipe, ReadsImages) {
  const Dataset all = load_idx(path("images"), path("labels"));
  expect_same(scaled(federate(all, 5, 0, 3)), {.source = idx(), .users = 5, .seed = 3});
  expect_same(scaled(federate(all, 5, 50, 3)), {.source = idx(), .partition = "similarity:50", .users = 5, .seed = 3});
  expect_same(scaled(federate_by_name(all, "by-label", {}, 3)), {.source = idx(), .partition = "by-label", .seed = 3});
  expect_same(scaled(federate(load_cifar(path("photos")), 5, 0, 3)),
              {.source = "cifar:" + path("photos"), .users = 5, .seed = 3});
}

TEST(FilesOf, AreTheSources) {
  using Files = std::vector<std::string>;
  EXPECT_EQ(files_of("csv:a.csv,target=y,one-hot"), Files{"a.csv"});
  EXPECT_EQ(files_of("idx:a,b"), (Files{"a", "b"}));
  EXPECT_EQ(files_of("cifar:a"), Files{"a"});
  for (const char* none : {"synthetic:1,1", "idx:a", "a.csv", ""}) EXPECT_EQ(files_of(none), Files{}) << none;
}

TEST_F(LoadRecipe, ScalesAsAsked) {
  const FederatedData raw = federate(load_idx(path("images"), path("labels")), 5, 0, 3);
  DataRecipe recipe{.source = idx(), .users = 5, .seed = 3, .standardised = Standardised::none, .normalised = false};
  expect_same(raw, recipe);
  FederatedData wanted = raw;
  standardise(wanted);
  for (const Standardised which : {Standardised::all, Standardised::numeric}) {
    recipe.standardised = which;
    expect_same(wanted, recipe);
  }
  wanted = raw;
  normalise_records(wanted);
  recipe.standardised = Standardised::none;
  recipe.normalised = true;
  expect_same(wanted, recipe);
}

TEST_F(LoadRecipe, ReadsTables) {
  const std::string source = "csv:" + path("table.csv") + ",target=pay,categorical=town";
  const std::vector<Eigen::Index> numeric{0};
  const CsvColumns columns{.target = "pay", .categorical = {"town"}};
  FederatedData wanted = federate_by_name(load_csv(path("table.csv"), columns).dataset, "sorted", 4, 3);
  standardise(wanted, numeric);
  expect_same(wanted, {.source = source, .users = 4, .seed = 3});

  CsvColumns one_hot = columns;
  one_hot.one_hot = true;
  wanted = federate_by_name(load_csv(path("table.csv"), one_hot).dataset, "power-law:1", 4, 3);
  expect_same(scaled(wanted), {.source = source + ",one-hot",
                               .partition = "power-law:1",
                               .users = 4,
                               .seed = 3,
                               .standardised = Standardised::all,
                               .normalised = true});

  const CsvColumns classes{.target = "town", .categorical = {"town"}};
  wanted = federate(load_csv(path("table.csv"), classes).dataset, 4, 0, 3);
  standardise(wanted, std::vector<Eigen::Index>{0, 1});
  expect_same(wanted, {.source = "csv:" + path("table.csv") + ",categorical=town,target=town", .users = 4, .seed = 3});

  // Categories alone: nothing to standardise.
  const CsvColumns names{.target = "pay", .categorical = {"age", "town"}};
  wanted = federate_by_name(load_csv(path("table.csv"), names).dataset, "iid", 4, 3);
  DataRecipe recipe{.source = "csv:" + path("table.csv") + ",target=pay,categorical=age|town",
                    .partition = "iid",
                    .users = 4,
                    .seed = 3};
  expect_same(wanted, recipe);
  recipe.standardised = Standardised::numeric;
  EXPECT_REFUSED("standardised", load(recipe));
}

TEST_F(LoadRecipe, RefusesByName) {
  const std::string file = path("table.csv");
  for (const std::string& source :
       {""s, "synthetic"s, "synthetic:1"s, "synthetic:1,1,1"s, "synthetic:1,1,power-law,2"s, "idx:images"s, "idx"s,
        "cifar"s, "cifar:"s, "svhn:"s, "other:x"s, "csv"s, "csv:1,2"s, "csv:" + file, "csv:" + file + ",one-hot",
        "csv:" + file + ",target=pay,target=age", "csv:" + file + ",target=pay,one-hot,one-hot",
        "csv:" + file + ",target=pay,categorical=town,categorical=age", "csv:" + file + ",target=pay,other"}) {
    EXPECT_REFUSED("source is " + source + ", but must be synthetic:", load({.source = source}));
    EXPECT_REFUSED("--data is " + source, load({.source = source}, "--data"));
  }
  EXPECT_REFUSED("alpha of --data is x", load({.source = "synthetic:x,1"}, "--data"));
  EXPECT_REFUSED("beta of source is ", load({.source = "synthetic:1,"}));
  EXPECT_REFUSED("alpha is -1", load({.source = "synthetic:-1,1"}));
  EXPECT_REFUSED("users", load({.source = "synthetic:1,1", .users = 0}));
  EXPECT_REFUSED("records_per_user", load({.source = "synthetic:1,1", .records = 1}));
  EXPECT_REFUSED("records", load({.source = "synthetic:1,1,power-law", .records = 50}));
  EXPECT_REFUSED("partition", load({.source = "synthetic:1,1", .partition = "iid"}));
  EXPECT_REFUSED("partition", load({.source = idx(), .partition = "even", .users = 4}));
  EXPECT_REFUSED("users", load({.source = idx()}));
  EXPECT_REFUSED(path("none") + ": No such file", load({.source = "cifar:" + path("none")}));
  EXPECT_REFUSED(path("none") + ": No such file", load({.source = "csv:" + path("none") + ",target=x"}));
  EXPECT_REFUSED(file + ": has no column", load({.source = "csv:" + file + ",target=x"}));
  EXPECT_REFUSED(file + ": has no column \"\"", load({.source = "csv:" + file + ",target=pay,categorical="}));
}

// The papers' three recipes of files, at their numbers of silos.
TEST(LoadRecipeShared, MakesThePapersSilos) {
  const auto insurance = shared_data("insurance.csv");
  if (insurance.empty()) GTEST_SKIP() << "the data files are not in the shared folder";
  const FederatedData charges =
      load({.source = "csv:" + insurance.string() + ",target=charges,categorical=sex|smoker|region", .users = 5});
  EXPECT_EQ(charges.clients.size(), 5u);
  double last = 0;
  for (std::size_t silo = 0; silo < 5; ++silo) {
    double largest = last;
    for (const std::uint32_t row : charges.clients[silo]) {
      EXPECT_GE(charges.train.targets[row], last);
      largest = std::max(largest, charges.train.targets[row]);
    }
    for (const std::uint32_t row : charges.test_clients[silo]) largest = std::max(largest, charges.test.targets[row]);
    last = largest;
  }

  const FederatedData obesity =
      load({.source = "csv:" + shared_data("obesity.csv").string() +
                      ",target=NObesity,categorical=Gender|family_history_with_overweight|FAVC|CAEC|SMOKE|SCC|CALC|"
                      "MTRANS|NObesity",
            .partition = "by-label"});
  EXPECT_EQ(obesity.clients.size(), 7u);
  EXPECT_EQ(obesity.train.records() + obesity.test.records(), 2111u);

  const FederatedData digits = load({.source = "idx:" + shared_data("mnist-10k-images-idx3-ubyte.gz").string() + "," +
                                               shared_data("mnist-10k-labels-idx1-ubyte.gz").string(),
                                     .partition = "digit-pairs"});
  EXPECT_EQ(digits.clients.size(), 25u);
  EXPECT_EQ(digits.train.classes, 2);
  EXPECT_EQ(digits.train.records() + digits.test.records(), 10000u);
}

TEST(Recipe, ProjectsOnPrincipalComponentsBeforeNormsAreSet) {
  DataRecipe recipe;
  recipe.users = 3;
  recipe.records = 40;
  recipe.components = 5;
  const FederatedData data = load(recipe);
  EXPECT_EQ(data.train.features.cols(), 5);
  EXPECT_EQ(data.test.features.cols(), 5);
  EXPECT_NEAR(data.train.features.row(7).norm(), 1, 1e-12);
  EXPECT_NE(data.description.find("5 principal components"), std::string::npos) << data.description;
  for (const int components : {0, 41}) {
    recipe.components = components;
    EXPECT_REFUSED("components", load(recipe));
  }
}

TEST_F(LoadRecipe, TakesTestRecordsFromFilesOfTheirOwn) {
  const std::string images = (folder_ / "images").string();
  const std::string labels = (folder_ / "labels").string();
  const std::string source = "idx:" + images + "," + labels;
  EXPECT_EQ(files_of(source + "," + images + "," + labels), (std::vector{images, labels, images, labels}));
  const FederatedData data = load({.source = source + "," + images + "," + labels, .partition = "iid", .users = 8});
  EXPECT_EQ(data.train.records(), 40U);
  EXPECT_EQ(data.test.records(), 40U);
  EXPECT_TRUE(data.test_clients.empty());
  EXPECT_NO_THROW(check(data));
  EXPECT_REFUSED("source", load({.source = source + "," + images}));
  const std::string photos = (folder_ / "photos").string();
  const FederatedData cifar = load({.source = "cifar:" + photos + "|" + photos + "," + photos, .users = 4});
  EXPECT_EQ(cifar.train.records(), 2 * cifar.test.records());
}

TEST_F(LoadRecipe, DividesATableByItsClients) {
  const std::string source = "csv:" + (folder_ / "table.csv").string() + ",target=pay,client=town";
  const FederatedData data = load({.source = source, .standardised = Standardised::none});
  ASSERT_EQ(data.clients.size(), 3U);
  EXPECT_EQ(data.train.features.cols(), 1);                              // the town is no feature
  EXPECT_EQ(data.clients[0].size() + data.test_clients[0].size(), 14U);  // of A; 13 each of B and C
  EXPECT_EQ(data.clients[1].size() + data.test_clients[1].size(), 13U);
  plain("test.csv", "age,town,pay\n1,A,2\n3,D,4\n");
  const std::string test = (folder_ / "test.csv").string();
  const FederatedData apart = load({.source = source + ",test=" + test, .standardised = Standardised::none});
  EXPECT_EQ(apart.train.records(), 40U);
  EXPECT_EQ(apart.test.targets, (std::vector<double>{2, 4}));
  EXPECT_EQ(apart.clients.size(), 3U);
  EXPECT_EQ(files_of(source + ",test=" + test).size(), 2U);
  EXPECT_REFUSED("partition", load({.source = source, .partition = "iid"}));
  EXPECT_REFUSED("users", load({.source = source, .users = 4}));
  plain("other.csv", "age,city,pay\n1,A,2\n");
  EXPECT_REFUSED((folder_ / "other.csv").string() + ": has another header",
                 load({.source = source + ",test=" + (folder_ / "other.csv").string()}));
}

TEST_F(LoadRecipe, MakesSizesEqualAndKeepsInputsInABall) {
  const std::string source = "csv:" + (folder_ / "table.csv").string() + ",target=pay";
  const DataRecipe recipe{.source = source + ",categorical=town",
                          .partition = "power-law:1",
                          .users = 4,
                          .standardised = Standardised::none,
                          .radius = 30,
                          .equal_sizes = true};
  DataRecipe free = recipe;
  free.equal_sizes = false;
  free.radius.reset();
  const FederatedData data = load(recipe);
  const FederatedData all = load(free);
  const std::size_t least = all.clients.back().size();
  EXPECT_GT(all.clients.front().size(), least);
  bool is_changed = false;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(data.clients[i].size(), least);
    for (std::size_t k = 0; k < least; ++k) {
      const auto before = all.train.features.row(all.clients[i][k]);
      const auto after = data.train.features.row(data.clients[i][k]);
      EXPECT_LT((after - before * std::min(1.0, 30 / before.norm())).norm(), 1e-12);
      is_changed = is_changed || before.norm() > 30;
    }
  }
  EXPECT_TRUE(is_changed);
  EXPECT_EQ(data.train.records(), 4 * least);
  EXPECT_NO_THROW(check(data));
}

TEST_F(LoadRecipe, KnowsSyntheticIid) {
  const FederatedData data = load({.source = "synthetic:iid", .users = 3, .records = 4000});
  EXPECT_TRUE(data.description.starts_with("synthetic-iid, 3 users"));
  EXPECT_REFUSED("source", load({.source = "synthetic:iid,1"}));
  const Synthetic iid{.users = 3, .is_iid = true};
  EXPECT_EQ(synthetic_user(iid, 0).weights, synthetic_user(iid, 2).weights);
  EXPECT_TRUE(synthetic_user(iid, 1).input_mean.isZero());
  EXPECT_REFUSED("alpha", synthetic({.alpha = 1, .is_iid = true}));
}

TEST_F(LoadRecipe, TakesALabelForATargetAndACategory) {
  const std::string source = "csv:" + path("table.csv");
  const DataRecipe both{.source = source + ",target=town,categorical=town", .partition = "iid", .users = 4};
  DataRecipe once = both;
  once.source = source + ",label=town";
  EXPECT_EQ(fingerprint(load(once)), fingerprint(load(both)));
  once.source = source + ",label=town,categorical=town";
  EXPECT_EQ(fingerprint(load(once)), fingerprint(load(both)));
  EXPECT_REFUSED("source", load({.source = source + ",label=town,target=pay"}));
}

}  // namespace
}  // namespace dpbudget::fl
