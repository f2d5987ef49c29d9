#include "dpbudget/fl/model/heterogeneity.h"

#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/model/catalogue.h"
#include "dpbudget/fl/model/minimise.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/options/fl_options.h"
#include "dpbudget/tools/cli/options/options.h"
#include "dpbudget/tools/cli/options/run_options.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/output_file.h"
#include "dpbudget/tools/cli/output/table.h"
#include "dpbudget/tools/cli/page/page.h"

namespace dpbudget::tools {
namespace {

struct HeterogeneityOptions {
  DataOptions data;
  std::string model = "softmax";
  double regularisation = 5e-3;
  double gap = 1e-9;
  std::uint64_t seed = 1;
  bool json = false;
};

// A quantity, and what it is.
struct Measured {
  std::string name;
  double value;
  std::string text;
};

std::vector<Measured> measured(const HeterogeneityOptions& options, const fl::FederatedData& data,
                               const fl::Model& model) {
  using fl::ClientWeights;
  const double mu = options.regularisation;
  const fl::Minimum equal = minimum(model, data, ClientWeights::equal, mu, options.gap);
  const fl::Minimum by_records = minimum(model, data, ClientWeights::by_records, mu, options.gap);
  const std::vector<fl::Minimum> own = client_minima(model, data, mu, options.gap);
  std::vector<fl::Vector> optima;
  double own_gap = 0;
  for (const fl::Minimum& minimum : own) {
    optima.push_back(minimum.point);
    own_gap = std::max(own_gap, minimum.gap);
  }
  const fl::Vector start = model.initial(options.seed);
  fl::Vector gradient(start.size());
  const double first = global_loss(model, data, start, ClientWeights::equal, mu, gradient);
  const std::vector<fl::Vector> points{start, equal.point, by_records.point};
  const fl::AtOptimum at_optimum = dissimilarity_at_optimum(model, data, equal.point, mu);
  return {
      {"least", equal.value - equal.gap, "F* is at least this, clients counting alike"},
      {"least_found", equal.value, "and at most this"},
      {"gap", first - equal.value + equal.gap, "F(x^0) - F* at most"},
      {"distance", (start - equal.point).norm() + std::sqrt(2 * equal.gap / mu), "|x^0 - x*| at most"},
      {"strong_convexity", mu, "of F"},
      {"least_by_records", by_records.value - by_records.gap, "F* at least, clients counting by their records"},
      {"zeta", at_optimum.dissimilarity, "zeta*^2: mean |grad F_i|^2 at the minimum (Lowy; Woodworth et al.)"},
      {"dissimilarity_at_start", gradient_dissimilarity(model, data, start, ClientWeights::equal),
       "mean |grad F_i - grad F|^2 at x^0"},
      {"dissimilarity_at_optimum", gradient_dissimilarity(model, data, equal.point, ClientWeights::equal),
       "the same at the minimum"},
      {"heterogeneity_at_least", largest_gradient_dissimilarity(model, data, points, ClientWeights::equal),
       "upsilon^2 (Lowy) is at least this: the largest over x^0 and the minima"},
      {"heterogeneity_by_records_at_least",
       largest_gradient_dissimilarity(model, data, points, ClientWeights::by_records),
       "Gamma_n^2 (Chen) is at least this"},
      {"optima_gap", local_global_gap(model, data, by_records.point, optima, mu),
       fmt::format("Gamma_s (Chen), wrong by {:.3g} at most", std::max(own_gap, by_records.gap))},
  };
}

void run(const HeterogeneityOptions& options, Page& page) {
  check_output_files({}, options.data.files());
  const fl::FederatedData data = options.data.load(options.seed);
  const std::unique_ptr<fl::Model> model = fl::make_model(options.model, data.train);
  const std::vector<Measured> all = measured(options, data, *model);
  page.answer("data", data.description);
  page.answer("model", model->name());
  page.assume("not private", "all of it: it is computed from the records without noise");
  std::vector<Row> rows{{"quantity", "value", "what it is"}};
  for (const Measured& quantity : all)
    rows.push_back({quantity.name, fmt::format("{:.10g}", quantity.value), quantity.text});
  page.table("Quantities", rows);
  if (options.json) {
    nlohmann::json json{{"data", data.description}, {"model", model->name()}};
    for (const Measured& quantity : all) json[quantity.name] = json_number(quantity.value);
    std::cout << json << "\n";
    return;
  }
  std::cout << field("data", data.description) << field("model", model->name()) << "\n";
  std::cout << table(rows, {1}) << "\nNone of it is private: it is computed from the records without noise.\n";
}

}  // namespace

void add_heterogeneity(Program& program, int& /*status*/) {
  auto options = std::make_shared<HeterogeneityOptions>();
  const Command command =
      program.add("heterogeneity", "how far clients' data lie apart, and the least loss that there is");
  if (!command.is_named()) return;
  command.footer(
      "Example:\n"
      "  dpbudget heterogeneity --data synthetic:1,1 --users 20 --records 500\n"
      "F_i is client i's mean training loss plus lambda / 2 |x|^2, F their mean. Its minimum is found to --gap, which "
      "the gradient proves up to its rounding: F - F* <= |grad F|^2 / (2 lambda). `gap`, `distance`, "
      "`strong_convexity` and `optima_gap` are "
      "constants of `dpbudget converge`.");
  options->data.add_to(command);
  command.option("--model", options->model, "softmax, logistic, linear or hinge:SMOOTHING").type("NAME");
  number_option(command, "--regularisation", options->regularisation, "lambda, positive");
  number_option(command, "--gap", options->gap, "how far from the least value each minimum may be");
  count_option(command, "--seed", options->seed, "seed of the data, where --data-seed gives none");
  config_option(command);
  command.flag("--json", options->json, "print one JSON object");
  command.action([options, &page = program.page()] { run(*options, page); });
}

}  // namespace dpbudget::tools
