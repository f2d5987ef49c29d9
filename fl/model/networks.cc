#include "dpbudget/fl/model/networks.h"

#include <fmt/format.h>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/model/block_model.h"
#include "dpbudget/fl/model/convolutional_network.h"
#include "dpbudget/fl/model/cross_entropy.h"
#include "dpbudget/fl/model/dense_network.h"

namespace dpbudget::fl {

using Eigen::Index;

template <class Scalar>
std::unique_ptr<Model> make_mlp(Index features, Index hidden_units, int classes) {
  require(1 <= features, "features", features, "at least 1");
  require(1 <= hidden_units, "hidden_units", hidden_units, "at least 1");
  const CrossEntropy<Scalar> head(classes);
  using Body = DenseNetwork<Scalar>;
  return std::make_unique<BlockModel<Body, CrossEntropy<Scalar>>>(fmt::format("mlp:{}", hidden_units),
                                                                  Body({features, hidden_units, classes}), head);
}

template <class Scalar>
std::unique_ptr<Model> make_cnn(Index features, int classes) {
  require(features == 784 || features == 3072, "features", features, "784 (28 x 28 x 1) or 3072 (32 x 32 x 3)");
  const CrossEntropy<Scalar> head(classes);
  using Body = ConvolutionalNetwork<Scalar>;
  const Body body(features == 784 ? ImageShape{28, 28, 1} : ImageShape{32, 32, 3}, {16, 32, 128}, classes);
  return std::make_unique<BlockModel<Body, CrossEntropy<Scalar>>>("cnn", body, head);
}

template std::unique_ptr<Model> make_mlp<float>(Index, Index, int);
template std::unique_ptr<Model> make_mlp<double>(Index, Index, int);
template std::unique_ptr<Model> make_cnn<float>(Index, int);
template std::unique_ptr<Model> make_cnn<double>(Index, int);

}  // namespace dpbudget::fl
