#include "dpbudget/fl/model/linear_models.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/model/block_model.h"
#include "dpbudget/fl/model/cross_entropy.h"
#include "dpbudget/fl/model/dense_network.h"
#include "dpbudget/fl/model/single_output.h"

namespace dpbudget::fl {
namespace {

template <class Head>
std::unique_ptr<Model> with_outputs(std::string name, Eigen::Index features, Eigen::Index outputs, Head head) {
  require(1 <= features, "features", features, "at least 1");
  using Body = DenseNetwork<typename Head::Values::Scalar>;
  return std::make_unique<BlockModel<Body, Head>>(std::move(name), Body({features, outputs}), head);
}

}  // namespace

template <class Scalar>
std::unique_ptr<Model> make_softmax(Eigen::Index features, int classes) {
  return with_outputs("softmax", features, classes, CrossEntropy<Scalar>(classes));
}

template <class Scalar>
std::unique_ptr<Model> make_logistic(Eigen::Index features) {
  return with_outputs("logistic", features, 1, MarginHead<LogisticLoss, Scalar>({}));
}

template <class Scalar>
std::unique_ptr<Model> make_linear(Eigen::Index features) {
  return with_outputs("linear", features, 1, SquaredErrorHead<Scalar>());
}

template <class Scalar>
std::unique_ptr<Model> make_hinge(Eigen::Index features, double smoothing) {
  require(0 < smoothing && std::isfinite(smoothing), "smoothing", smoothing, "positive and finite");
  return with_outputs(fmt::format("hinge:{}", smoothing), features, 1,
                      MarginHead<SmoothedHingeLoss, Scalar>({smoothing}));
}

template std::unique_ptr<Model> make_softmax<float>(Eigen::Index, int);
template std::unique_ptr<Model> make_softmax<double>(Eigen::Index, int);
template std::unique_ptr<Model> make_logistic<float>(Eigen::Index);
template std::unique_ptr<Model> make_logistic<double>(Eigen::Index);
template std::unique_ptr<Model> make_linear<float>(Eigen::Index);
template std::unique_ptr<Model> make_linear<double>(Eigen::Index);
template std::unique_ptr<Model> make_hinge<float>(Eigen::Index, double);
template std::unique_ptr<Model> make_hinge<double>(Eigen::Index, double);

}  // namespace dpbudget::fl
