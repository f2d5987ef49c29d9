#include "dpbudget/fl/model/linear_models.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/require.h"
#include "dpbudget/fl/model/block_model.h"
#include "dpbudget/fl/model/dense_network.h"
#include "dpbudget/fl/model/single_output.h"

namespace dpbudget::fl {
namespace {

template <class Head>
std::unique_ptr<Model> with_one_output(std::string name, Eigen::Index features, Head head) {
  require(1 <= features, "features", features, "at least 1");
  using Body = DenseNetwork<double>;
  return std::make_unique<BlockModel<Body, Head>>(std::move(name), Body({features, 1}), head);
}

}  // namespace

std::unique_ptr<Model> make_logistic(Eigen::Index features) {
  return with_one_output("logistic", features, MarginHead(LogisticLoss{}));
}

std::unique_ptr<Model> make_linear(Eigen::Index features) {
  return with_one_output("linear", features, SquaredErrorHead());
}

std::unique_ptr<Model> make_hinge(Eigen::Index features, double smoothing) {
  require(0 < smoothing && std::isfinite(smoothing), "smoothing", smoothing, "positive and finite");
  return with_one_output(fmt::format("hinge:{}", smoothing), features, MarginHead(SmoothedHingeLoss{smoothing}));
}

}  // namespace dpbudget::fl
