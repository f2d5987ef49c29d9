#include "dpbudget/fl/model/catalogue.h"

#include <gtest/gtest.h>

#include <string>

#include "dpbudget/fl/model/linear_models.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

Dataset records(Eigen::Index features, int classes) { return {Matrix::Zero(2, features), {0, 1}, classes}; }

const Dataset targets{Matrix::Zero(2, 6), {}, 0, {0.5, 1}};

TEST(MakeModel, MakesWhatTheNameSays) {
  for (const std::string name : {"softmax", "logistic", "hinge:10", "hinge:0.25", "mlp:3", "mlp:1000000"})
    EXPECT_EQ(make_model(name, records(6, 2))->name(), name);
  EXPECT_EQ(make_model("linear", targets)->name(), "linear");
  EXPECT_EQ(make_model("cnn", records(784, 10))->name(), "cnn");
  EXPECT_EQ(make_model("softmax", records(6, 5))->dimension(), 35);
  EXPECT_EQ(make_model("logistic", records(6, 2))->dimension(), 7);
  EXPECT_EQ(make_model("linear", targets)->dimension(), 7);
  EXPECT_EQ(make_model("mlp:4", records(6, 3))->dimension(), 7 * 4 + 5 * 3);
  EXPECT_EQ(make_model("softmax", records(6, 5))->initial(9), Vector::Zero(35));
}

TEST(MakeModel, ComputesInThePrecisionThatIsAskedFor) {
  const auto usual = [](const std::string& name) {
    return name == "cnn" || name.starts_with("mlp") ? Precision::single_ : Precision::double_;
  };
  for (const std::string name : {"softmax", "logistic", "linear", "hinge:2", "mlp:3", "cnn"}) {
    const Dataset dataset = name == "linear" ? targets : records(784, 2);
    EXPECT_EQ(make_model(name, dataset)->precision(), usual(name)) << name;
    for (const Precision precision : {Precision::single_, Precision::double_}) {
      EXPECT_EQ(make_model(name, dataset, precision)->precision(), precision) << name;
      EXPECT_EQ(make_model(name, dataset, precision)->name(), name);
    }
  }
}

TEST(MakeModel, RefusesUnknownNamesWithTheListOfNames) {
  for (const std::string name : {"", "soft max", "Softmax", "mlp", "hinge", "cnn:3", "svm", "logistic:", "\n"})
    EXPECT_REFUSED("model", make_model(name == "\n" ? "newline" : name, records(6, 2)));
  try {
    make_model("svm", records(6, 2));
    FAIL();
  } catch (const InvalidArgument& error) {
    for (const std::string& name : model_names())
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << name;
  }
}

TEST(MakeModel, RefusesWhatAModelCannotTake) {
  for (const std::string name : {"softmax", "logistic", "hinge:1", "mlp:3", "cnn"})
    EXPECT_REFUSED("dataset is with numbers as targets, but must be of two classes or more", make_model(name, targets));
  for (const std::string name : {"logistic", "hinge:1"}) EXPECT_REFUSED("dataset", make_model(name, records(6, 3)));
  EXPECT_REFUSED("dataset", make_model("linear", records(6, 2)));
  EXPECT_REFUSED("dataset", make_model("softmax", records(6, 1)));
  EXPECT_REFUSED("dataset", make_model("cnn", records(785, 10)));
  EXPECT_REFUSED("dataset", make_model("softmax", records(0, 2)));
}

TEST(MakeModel, RefusesParametersOutOfRange) {
  for (const std::string text : {"", "0", "-1", "inf", "nan", "1x", " 1", "1e400"})
    EXPECT_REFUSED("smoothing", make_model("hinge:" + text, records(6, 2)));
  for (const std::string text : {"", "0", "-1", "1000001", "2.5", "1e3", "99999999999999999999", " 1"})
    EXPECT_REFUSED("hidden_units", make_model("mlp:" + text, records(6, 2)));
}

TEST(AddModel, TakesNoNameTwice) {
  const auto make = [](std::optional<std::string_view>, const Dataset&, std::optional<Precision>) {
    return make_linear<double>(1);
  };
  for (const std::string form : {"softmax", "hinge", "mlp:UNITS", "", ":WIDTH"})
    EXPECT_REFUSED("model is `" + form + "`, but must be a name that no model has yet", add_model(form, make));
}

TEST(AddModel, MakesWhatWasAddedWithItsParameter) {
  add_model("test-linear:FEATURES",
            [](std::optional<std::string_view> features, const Dataset&, std::optional<Precision>) {
              return make_linear<double>(static_cast<Eigen::Index>(features->size()));
            });
  EXPECT_EQ(make_model("test-linear:abc", records(6, 2))->dimension(), 4);
  EXPECT_REFUSED("model is `test-linear`", make_model("test-linear", records(6, 2)));
  EXPECT_EQ(model_names().back(), "test-linear:FEATURES");
  EXPECT_EQ(make_model("test-linear:abc", records(6, 2), Precision::double_)->dimension(), 4);
  EXPECT_REFUSED("precision is single, but must be double, which test-linear:abc computes in",
                 make_model("test-linear:abc", records(6, 2), Precision::single_));
}

}  // namespace
}  // namespace dpbudget::fl
