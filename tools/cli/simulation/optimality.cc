#include "dpbudget/tools/cli/simulation/optimality.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/model/heterogeneity.h"
#include "dpbudget/fl/model/minimise.h"

namespace dpbudget::tools {

std::vector<std::string> optimality_names() { return {"log10_gap", "gradient_dissimilarity"}; }

fl::Measure optimality(const fl::SettledRun& run, const fl::Model& model, const fl::FederatedData& data, double gap) {
  if (!run->client_weights.empty())
    throw InvalidArgument(
        "--optimum is given, but must be left out beside --client-weights: it knows equal weights "
        "and those by records");
  const fl::ClientWeights weights =
      run->weights == fl::Weights::equal ? fl::ClientWeights::equal : fl::ClientWeights::by_records;
  const fl::Minimum best = fl::minimum(model, data, weights, run->regularisation, gap);
  const double least = best.value - best.gap;
  return [&model, &data, weights, regularisation = run->regularisation, least](const fl::Vector& parameters) {
    fl::Vector gradient(parameters.size());
    const double value = fl::global_loss(model, data, parameters, weights, regularisation, gradient);
    // At the minimum itself rounding leaves nothing.
    const double above = std::max(value - least, std::numeric_limits<double>::min());
    return std::map<std::string, double>{
        {"log10_gap", std::log10(above)},
        {"gradient_dissimilarity", fl::gradient_dissimilarity(model, data, parameters, weights)}};
  };
}

}  // namespace dpbudget::tools
