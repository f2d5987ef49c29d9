#include "dpbudget/fl/model/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/model/linear_models.h"
#include "dpbudget/fl/model/networks.h"

namespace dpbudget::fl {
namespace {

constexpr std::int64_t most_hidden_units = 1'000'000;

int classes_of(std::string_view name, const Dataset& dataset) {
  require(dataset.targets.empty() && 2 <= dataset.classes, "dataset",
          dataset.targets.empty() ? fmt::format("of {} classes", dataset.classes) : "with numbers as targets",
          fmt::format("of two classes or more for model {}; numbers are for model linear", name));
  return dataset.classes;
}

void require_two_classes(std::string_view name, const Dataset& dataset) {
  require(classes_of(name, dataset) == 2, "dataset", fmt::format("of {} classes", dataset.classes),
          fmt::format("of two classes for {}", name));
}

std::unique_ptr<Model> hinge(std::string_view smoothing, const Dataset& dataset) {
  require_two_classes("hinge", dataset);
  const auto value = number_in(smoothing);
  require(value && 0 < *value && std::isfinite(*value), "smoothing", fmt::format("`{}`", smoothing),
          "a positive, finite number, as in hinge:10");
  return make_hinge(dataset.features.cols(), *value);
}

std::unique_ptr<Model> mlp(std::string_view hidden_units, const Dataset& dataset) {
  const int classes = classes_of("mlp", dataset);
  const auto value = integer_in<std::int64_t>(hidden_units);
  require(value && 1 <= *value && *value <= most_hidden_units, "hidden_units", fmt::format("`{}`", hidden_units),
          "a whole number in [1, 1000000], as in mlp:200");
  return make_mlp<float>(dataset.features.cols(), *value, classes);
}

std::unique_ptr<Model> cnn(const Dataset& dataset) {
  const int classes = classes_of("cnn", dataset);
  const auto features = dataset.features.cols();
  require(features == 784 || features == 3072, "dataset", fmt::format("of {} features", features),
          "of 784 (28 x 28 x 1) or 3072 (32 x 32 x 3) for cnn");
  return make_cnn<float>(features, classes);
}

}  // namespace

std::span<const std::string_view> model_names() {
  static constexpr std::array<std::string_view, 6> names = {"softmax",         "logistic",         "linear",
                                                            "hinge:SMOOTHING", "mlp:HIDDEN_UNITS", "cnn"};
  return names;
}

std::unique_ptr<Model> make_model(std::string_view name, const Dataset& dataset) {
  const auto features = dataset.features.cols();
  require(1 <= features, "dataset", "without features", "of at least one feature");
  if (name == "softmax") return make_softmax(features, classes_of(name, dataset));
  if (name == "logistic") {
    require_two_classes(name, dataset);
    return make_logistic(features);
  }
  if (name == "linear") {
    require(dataset.classes == 0 && dataset.labels.empty(), "dataset", fmt::format("of {} classes", dataset.classes),
            "with numbers as targets for model linear");
    return make_linear(features);
  }
  if (name == "cnn") return cnn(dataset);
  if (name.starts_with("hinge:")) return hinge(name.substr(6), dataset);
  if (name.starts_with("mlp:")) return mlp(name.substr(4), dataset);
  throw InvalidArgument(fmt::format("model is `{}`, but must be one of {}", name, fmt::join(model_names(), ", ")));
}

}  // namespace dpbudget::fl
