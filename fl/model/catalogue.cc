#include "dpbudget/fl/model/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "dpbudget/accounting/base/nearest.h"
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

using Asked = std::optional<Precision>;

// What `make` makes for a scalar of that precision.
template <class Make>
std::unique_ptr<Model> in_precision(Precision precision, const Make& make) {
  return precision == Precision::single_ ? make(float{}) : make(double{});
}

std::unique_ptr<Model> hinge(std::string_view smoothing, const Dataset& dataset, Asked precision) {
  require_two_classes("hinge", dataset);
  const auto value = number_in(smoothing);
  require(value && 0 < *value && std::isfinite(*value), "smoothing", fmt::format("`{}`", smoothing),
          "a positive, finite number, as in hinge:10");
  return in_precision(precision.value_or(Precision::double_),
                      [&]<class Scalar>(Scalar) { return make_hinge<Scalar>(dataset.features.cols(), *value); });
}

std::unique_ptr<Model> mlp(std::string_view hidden_units, const Dataset& dataset, Asked precision) {
  const int classes = classes_of("mlp", dataset);
  const auto value = integer_in<std::int64_t>(hidden_units);
  require(value && 1 <= *value && *value <= most_hidden_units, "hidden_units", fmt::format("`{}`", hidden_units),
          "a whole number in [1, 1000000], as in mlp:200");
  return in_precision(precision.value_or(Precision::single_),
                      [&]<class Scalar>(Scalar) { return make_mlp<Scalar>(dataset.features.cols(), *value, classes); });
}

std::unique_ptr<Model> cnn(const Dataset& dataset, Asked precision) {
  const int classes = classes_of("cnn", dataset);
  const auto features = dataset.features.cols();
  require(features == 784 || features == 3072, "dataset", fmt::format("of {} features", features),
          "of 784 (28 x 28 x 1) or 3072 (32 x 32 x 3) for cnn");
  return in_precision(precision.value_or(Precision::single_),
                      [&]<class Scalar>(Scalar) { return make_cnn<Scalar>(features, classes); });
}

std::unique_ptr<Model> softmax(const Dataset& dataset, Asked precision) {
  const int classes = classes_of("softmax", dataset);
  return in_precision(precision.value_or(Precision::double_),
                      [&]<class Scalar>(Scalar) { return make_softmax<Scalar>(dataset.features.cols(), classes); });
}

std::unique_ptr<Model> logistic(const Dataset& dataset, Asked precision) {
  require_two_classes("logistic", dataset);
  return in_precision(precision.value_or(Precision::double_),
                      [&]<class Scalar>(Scalar) { return make_logistic<Scalar>(dataset.features.cols()); });
}

std::unique_ptr<Model> linear(const Dataset& dataset, Asked precision) {
  require(dataset.classes == 0 && dataset.labels.empty(), "dataset", fmt::format("of {} classes", dataset.classes),
          "with numbers as targets for model linear");
  return in_precision(precision.value_or(Precision::double_),
                      [&]<class Scalar>(Scalar) { return make_linear<Scalar>(dataset.features.cols()); });
}

struct Entry {
  std::string form;  // as model_names has it
  ModelMaker make;
};

std::string_view name_in(std::string_view form) { return form.substr(0, form.find(':')); }

bool takes_parameter(std::string_view form) { return form.find(':') != std::string_view::npos; }

std::vector<Entry>& registry() {
  using Parameter = std::optional<std::string_view>;
  static std::vector<Entry> all = {
      {"softmax", [](Parameter, const Dataset& dataset, Asked precision) { return softmax(dataset, precision); }},
      {"logistic", [](Parameter, const Dataset& dataset, Asked precision) { return logistic(dataset, precision); }},
      {"linear", [](Parameter, const Dataset& dataset, Asked precision) { return linear(dataset, precision); }},
      {"hinge:SMOOTHING", [](Parameter smoothing, const Dataset& dataset,
                             Asked precision) { return hinge(*smoothing, dataset, precision); }},
      {"mlp:HIDDEN_UNITS",
       [](Parameter units, const Dataset& dataset, Asked precision) { return mlp(*units, dataset, precision); }},
      {"cnn", [](Parameter, const Dataset& dataset, Asked precision) { return cnn(dataset, precision); }},
  };
  return all;
}

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const Entry& entry : registry()) names.push_back(entry.form);
  return names;
}

void add_model(std::string form, ModelMaker make) {
  const bool is_taken =
      std::ranges::any_of(registry(), [&](const Entry& entry) { return name_in(entry.form) == name_in(form); });
  require(!name_in(form).empty() && !is_taken, "model", fmt::format("`{}`", form), "a name that no model has yet");
  registry().push_back({std::move(form), std::move(make)});
}

std::unique_ptr<Model> make_model(std::string_view name, const Dataset& dataset, std::optional<Precision> precision) {
  require(1 <= dataset.features.cols(), "dataset", "without features", "of at least one feature");
  const auto found = std::ranges::find_if(registry(), [&](const Entry& entry) {
    return name_in(entry.form) == name_in(name) && takes_parameter(entry.form) == takes_parameter(name);
  });
  if (found == registry().end()) {
    const std::vector<std::string> known = model_names();
    const std::vector<std::string_view> names(known.begin(), known.end());
    throw InvalidArgument(fmt::format("model is `{}`, but must be one of {}", name, choices_for(name, names)));
  }
  const auto parameter = takes_parameter(name) ? std::optional(name.substr(name.find(':') + 1)) : std::nullopt;
  std::unique_ptr<Model> model = found->make(parameter, dataset, precision);
  if (precision)
    require(model->precision() == *precision, "precision", to_string(*precision),
            fmt::format("{}, which {} computes in", to_string(model->precision()), name));
  return model;
}

}  // namespace dpbudget::fl
