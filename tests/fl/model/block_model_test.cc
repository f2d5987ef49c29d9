/// What every model must do, of each of them.
#include "dpbudget/fl/model/block_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include "accounting/base/nan.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/fl/model/convolutional_network.h"
#include "dpbudget/fl/model/cross_entropy.h"
#include "dpbudget/fl/model/dense_network.h"
#include "dpbudget/fl/model/linear_models.h"
#include "dpbudget/fl/model/networks.h"
#include "dpbudget/fl/model/single_features.h"
#include "fl/model/problems.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

using Eigen::Index;

template <class Scalar>
std::unique_ptr<Model> tiny_cnn(const ImageShape& shape) {
  using Body = ConvolutionalNetwork<Scalar>;
  return std::make_unique<BlockModel<Body, CrossEntropy<Scalar>>>("tiny cnn", Body(shape, {2, 3, 5}, 3),
                                                                  CrossEntropy<Scalar>(3));
}

std::unique_ptr<Model> three_layers() {
  using Body = DenseNetwork<double>;
  return std::make_unique<BlockModel<Body, CrossEntropy<double>>>("three layers", Body({6, 5, 4, 3}),
                                                                  CrossEntropy<double>(3));
}

struct Case {
  std::string name;
  std::unique_ptr<Model> (*make)();
  Index features;
  int classes;      // 0: targets
  double scale;     // of the parameters
  double rounding;  // relative, of the precision inside
};

const Case cases[] = {
    {"softmax", [] { return make_softmax<double>(6, 4); }, 6, 4, 1, 1e-12},
    {"logistic", [] { return make_logistic<double>(6); }, 6, 2, 1, 1e-12},
    {"linear", [] { return make_linear<double>(6); }, 6, 0, 1, 1e-12},
    {"hinge", [] { return make_hinge<double>(6, 3); }, 6, 2, 0.5, 1e-12},
    {"softmax_float", [] { return make_softmax<float>(6, 4); }, 6, 4, 1, 1e-5},
    {"logistic_float", [] { return make_logistic<float>(6); }, 6, 2, 1, 1e-5},
    {"linear_float", [] { return make_linear<float>(6); }, 6, 0, 1, 1e-5},
    {"hinge_float", [] { return make_hinge<float>(6, 3); }, 6, 2, 0.5, 1e-5},
    {"mlp", [] { return make_mlp<double>(6, 5, 3); }, 6, 3, 1, 1e-12},
    {"three_layers", [] { return three_layers(); }, 6, 3, 1, 1e-12},
    {"mlp_float", [] { return make_mlp<float>(6, 5, 3); }, 6, 3, 1, 1e-5},
    {"cnn_10x10x1", [] { return tiny_cnn<double>({10, 10, 1}); }, 100, 3, 0.5, 1e-12},
    {"cnn_13x12x2", [] { return tiny_cnn<double>({13, 12, 2}); }, 312, 3, 0.5, 1e-12},
    {"cnn_float", [] { return tiny_cnn<float>({10, 10, 1}); }, 100, 3, 0.5, 1e-5},
};

class EveryModel : public testing::TestWithParam<Case> {
 protected:
  Problem problem(std::uint64_t seed, Index records) const {
    return problem_for(*model_, seed, records, GetParam().features, GetParam().classes, GetParam().scale);
  }

  // By what clipping stays below the norm given, so that the rounding of the sum finds room: blocks of up to 128.
  double room(Eigen::Index records) const {
    const auto count = static_cast<double>(records);
    return count * (std::min(count, 128.0) * (rounding_ < 1e-9 ? 0x1p-53 : 0x1p-24) + std::ceil(count / 32) * 0x1p-53);
  }

  std::unique_ptr<Model> model_ = GetParam().make();
  double rounding_ = GetParam().rounding;
};

INSTANTIATE_TEST_SUITE_P(, EveryModel, testing::ValuesIn(cases), [](const auto& test) { return test.param.name; });

// Central differences; in float their steps must be large.
TEST_P(EveryModel, HasTheGradientOfItsLoss) {
  const Problem given = problem(1, 9);
  const auto workspace = model_->workspace();
  const Vector gradient = clipped_sum(*model_, given, infinity).gradient / 9;
  const bool exact = rounding_ < 1e-9;
  const double step = exact ? 1e-6 : 1e-3;
  for (Index i = 0; i < model_->dimension(); ++i) {
    const auto loss = [&](double by) {
      Vector moved = given.parameters;
      moved(i) += by;
      return model_->loss(moved, given.dataset, given.rows, *workspace);
    };
    EXPECT_NEAR(gradient(i), (loss(step) - loss(-step)) / (2 * step), (exact ? 1e-7 : 3e-3) * (1 + gradient.norm()))
        << i;
  }
}

// Each record alone, its gradient in full.
TEST_P(EveryModel, ClipsRecordByRecord) {
  for (const Index records : {1, 31, 32, 33, 140}) {
    const Problem given = problem(2, records);
    Matrix gradients(records, model_->dimension());
    for (const std::uint32_t row : given.rows) {
      Problem alone = given;
      alone.rows = {row};
      gradients.row(row) = clipped_sum(*model_, alone, infinity).gradient;
    }
    const Vector norms = gradients.rowwise().norm();
    const double middle = norms.mean();
    for (const double clip_norm : {middle / 100, middle, 2 * middle, infinity}) {
      Vector expected = Vector::Zero(model_->dimension());
      for (Index i = 0; i < records; ++i)
        expected += gradients.row(i) * (norms(i) > clip_norm ? clip_norm / norms(i) : 1);
      const Sum actual = clipped_sum(*model_, given, clip_norm);
      EXPECT_LE((actual.gradient - expected).norm(),
                (rounding_ + room(records)) * static_cast<double>(records) * std::min(clip_norm, middle));
      EXPECT_NEAR(actual.largest_norm, norms.maxCoeff(), rounding_ * norms.maxCoeff());
    }
  }
}

TEST_P(EveryModel, NeverAddsMoreThanTheClippingNorm) {
  const Problem given = problem(3, 100);
  const double allowed = 1 + (rounding_ < 1e-9 ? 1e-15 : 0);  // double: as mechanisms/clip.h says
  for (const std::uint32_t row : given.rows) {
    Problem alone = given;
    alone.rows = {row};
    const double norm = clipped_sum(*model_, alone, infinity).largest_norm;
    if (norm == 0) continue;  // a hinge that is met
    for (const double clip_norm : {0.01, norm / 3, norm * (1 - 1e-8), norm, norm * (1 + 1e-8)})
      EXPECT_LE(clipped_sum(*model_, alone, clip_norm).gradient.norm(), clip_norm * allowed);
  }
}

TEST_P(EveryModel, SaysTheNormsItClips) {
  const Problem given = problem(4, 140);
  const auto workspace = model_->workspace();
  std::vector<double> norms(140);
  model_->gradient_norms(given.parameters, given.dataset, given.rows, *workspace, norms);
  EXPECT_EQ(*std::ranges::max_element(norms), clipped_sum(*model_, given, 1).largest_norm);
  for (const std::uint32_t row : {0U, 77U, 139U}) {
    Problem alone = given;
    alone.rows = {row};
    EXPECT_NEAR(norms[row], clipped_sum(*model_, alone, infinity).gradient.norm(), rounding_ * norms[row]);
  }
}

TEST_P(EveryModel, DoesNotMindHowRowsAreSplit) {
  const Problem given = problem(5, 150);
  const auto workspace = model_->workspace();
  const Sum whole = clipped_sum(*model_, given, 0.5);
  const double loss = model_->loss(given.parameters, given.dataset, given.rows, *workspace);
  const double score = model_->score(given.parameters, given.dataset, given.rows, *workspace);
  for (const std::size_t size : {1U, 7U, 32U, 128U}) {
    Vector sum = Vector::Zero(model_->dimension());
    double largest_norm = 0, losses = 0, scores = 0;
    for (std::size_t begin = 0; begin < 150; begin += size) {
      Problem part = given;
      part.rows.assign(given.rows.begin() + static_cast<std::ptrdiff_t>(begin),
                       given.rows.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(150, begin + size)));
      const auto share = static_cast<double>(part.rows.size()) / 150;
      const Sum clipped = clipped_sum(*model_, part, 0.5);
      sum += clipped.gradient;
      largest_norm = std::max(largest_norm, clipped.largest_norm);
      losses += share * model_->loss(given.parameters, given.dataset, part.rows, *workspace);
      scores += share * model_->score(given.parameters, given.dataset, part.rows, *workspace);
    }
    EXPECT_LE((sum - whole.gradient).norm(), (rounding_ + room(150)) * 150 * 0.5);
    EXPECT_NEAR(largest_norm, whole.largest_norm, rounding_ * largest_norm);
    EXPECT_NEAR(losses, loss, 10 * rounding_ * (1 + loss));
    EXPECT_NEAR(scores, score, 10 * rounding_ * (1 + score));
  }
}

TEST_P(EveryModel, CountsARowAsOftenAsItIsGiven) {
  Problem given = problem(6, 5);
  given.rows = {4, 2, 4};
  Vector expected = Vector::Zero(model_->dimension());
  for (const std::uint32_t row : {4U, 2U, 4U}) {
    Problem alone = given;
    alone.rows = {row};
    expected += clipped_sum(*model_, alone, 1).gradient;
  }
  EXPECT_LE((clipped_sum(*model_, given, 1).gradient - expected).norm(), 3 * rounding_);
  given.rows.clear();
  EXPECT_EQ(clipped_sum(*model_, given, 1).gradient, Vector::Zero(model_->dimension()));
  EXPECT_EQ(clipped_sum(*model_, given, 1).largest_norm, 0);
}

TEST_P(EveryModel, IsTheSameInAUsedWorkspace) {
  const Problem first = problem(7, 140), second = problem(8, 33);
  const auto workspace = model_->workspace();
  Vector sum(model_->dimension());
  for (const Problem* given : {&first, &second, &first}) {
    model_->clipped_gradient_sum(given->parameters, given->dataset, given->rows, 1, *workspace, sum);
    EXPECT_EQ(sum, clipped_sum(*model_, *given, 1).gradient);
    const double loss = model_->loss(given->parameters, given->dataset, given->rows, *workspace);
    EXPECT_EQ(loss, model_->loss(given->parameters, given->dataset, given->rows, *model_->workspace()));
  }
}

// Features that were rounded before are those that it would round, and are taken for no other data set's.
TEST_P(EveryModel, IsTheSameWithFeaturesThatAreRounded) {
  const Problem given = problem(9, 300);
  const Problem other = problem(10, 300);
  const SingleFeatures rounded(given.dataset);
  const auto workspace = model_->workspace();
  workspace->single_features = &rounded;
  Vector sum(model_->dimension());
  for (const Problem* of : {&given, &other}) {
    model_->clipped_gradient_sum(of->parameters, of->dataset, of->rows, 1, *workspace, sum);
    EXPECT_EQ(sum, clipped_sum(*model_, *of, 1).gradient);
    const double loss = model_->loss(of->parameters, of->dataset, of->rows, *workspace);
    EXPECT_EQ(loss, model_->loss(of->parameters, of->dataset, of->rows, *model_->workspace()));
  }
}

TEST_P(EveryModel, LearnsFromWhereItStarts) {
  Problem given = problem(9, 60);
  given.parameters = model_->initial(1);
  ASSERT_EQ(given.parameters.size(), model_->dimension());
  EXPECT_EQ(given.parameters, model_->initial(1));
  const auto workspace = model_->workspace();
  const auto loss = [&] { return model_->loss(given.parameters, given.dataset, given.rows, *workspace); };
  const double before = loss();
  for (int step = 0; step < 50; ++step) given.parameters -= 0.1 * clipped_sum(*model_, given, infinity).gradient / 60;
  EXPECT_LT(loss(), 0.98 * before);
}

TEST_P(EveryModel, NeverPassesWhatIsNotFinite) {
  const Problem good = problem(10, 40);
  const auto workspace = model_->workspace();
  std::vector<double> norms(40);
  for (const double bad : {nan, infinity})
    for (Index i = 0; i < model_->dimension(); ++i) {
      Problem given = good;
      given.parameters(i) = bad;
      EXPECT_REFUSED("parameters", clipped_sum(*model_, given, 1));
      EXPECT_REFUSED("parameters",
                     model_->gradient_norms(given.parameters, given.dataset, given.rows, *workspace, norms));
      EXPECT_FALSE(std::isfinite(model_->loss(given.parameters, given.dataset, given.rows, *workspace)));
    }
  for (const double bad : {nan, rounding_ < 1e-9 ? infinity : 1e300})
    for (const Index row : {0, 39}) {
      Problem given = good;
      given.dataset.features.row(row).setConstant(bad);
      EXPECT_REFUSED("norm", clipped_sum(*model_, given, 1));
      EXPECT_REFUSED("norm", model_->gradient_norms(given.parameters, given.dataset, given.rows, *workspace, norms));
    }
}

TEST_P(EveryModel, RefusesByName) {
  const Problem good = problem(11, 5);
  const auto workspace = model_->workspace();
  Vector out(model_->dimension());
  std::vector<double> norms(5);
  // Of the four functions, by a problem with one fault.
  const auto expect_refused = [&](const std::string& name, const std::function<void(Problem&)>& spoil) {
    Problem given = good;
    spoil(given);
    norms.resize(given.rows.size());
    EXPECT_REFUSED(name, model_->clipped_gradient_sum(given.parameters, given.dataset, given.rows, 1, *workspace, out));
    EXPECT_REFUSED(name, model_->gradient_norms(given.parameters, given.dataset, given.rows, *workspace, norms));
    EXPECT_REFUSED(name, model_->loss(given.parameters, given.dataset, given.rows, *workspace));
    EXPECT_REFUSED(name, model_->score(given.parameters, given.dataset, given.rows, *workspace));
  };
  expect_refused("parameters",
                 [](Problem& given) { given.parameters.conservativeResize(given.parameters.size() - 1); });
  expect_refused("rows", [](Problem& given) { given.rows[2] = 5; });
  expect_refused("dataset", [](Problem& given) {
    given.dataset.features.conservativeResize(5, given.dataset.features.cols() + 1);
  });
  expect_refused("dataset",
                 [](Problem& given) { given.dataset.features.conservativeResize(4, given.dataset.features.cols()); });
  expect_refused("dataset", [](Problem& given) {  // numbers to fit instead of classes, or classes instead of numbers
    if (given.dataset.classes == 0)
      given.dataset = {given.dataset.features, {0, 1, 0, 1, 0}, 2};
    else
      given.dataset = {given.dataset.features, {}, 0, {1, 2, 3, 4, 5}};
  });
  if (GetParam().classes > 0) {
    expect_refused("dataset", [](Problem& given) { ++given.dataset.classes; });
    for (const std::int32_t label : {-1, GetParam().classes})
      expect_refused("label", [&](Problem& given) { given.dataset.labels[4] = label; });
  }
  for (const double clip_norm : {0.0, -1.0, nan}) EXPECT_REFUSED("clip_norm", clipped_sum(*model_, good, clip_norm));
  norms.resize(4);
  EXPECT_REFUSED("out", model_->gradient_norms(good.parameters, good.dataset, good.rows, *workspace, norms));
  out.resize(out.size() + 1);
  EXPECT_REFUSED("out", model_->clipped_gradient_sum(good.parameters, good.dataset, good.rows, 1, *workspace, out));
  EXPECT_REFUSED("rows", model_->loss(good.parameters, good.dataset, {}, *workspace));
  EXPECT_REFUSED("rows", model_->score(good.parameters, good.dataset, {}, *workspace));
}

TEST_P(EveryModel, RefusesAnothersWorkspace) {
  const Problem given = problem(12, 5);
  Vector out(model_->dimension());
  for (const Case& other : cases) {
    if (other.name == GetParam().name) continue;
    const auto model = other.make();
    // Models of one shape may share their memory.
    if (model->dimension() == model_->dimension()) continue;
    const auto workspace = model->workspace();
    EXPECT_REFUSED("workspace",
                   model_->clipped_gradient_sum(given.parameters, given.dataset, given.rows, 1, *workspace, out));
    EXPECT_REFUSED("workspace", model_->loss(given.parameters, given.dataset, given.rows, *workspace));
  }
}

// n contributions in blocks of 128, added in double: the blocks' sums round 2^-53 of n C each, and so do the additions
// inside a block.
TEST(Clipping, LeavesRoomForAddingTheBlocks) {
  const auto model = make_softmax<double>(3, 2);
  for (const Index records : {200, 1280, 12800}) {
    const Problem given = problem_for(*model, 13, records, 3, 2);
    const auto workspace = model->workspace();
    Vector sum(model->dimension());
    const Norms norms = model->clipped_gradient_sum(given.parameters, given.dataset, given.rows, 1e-3, *workspace, sum);
    const auto n = static_cast<double>(records);
    EXPECT_LE(norms.largest_clipped, 1e-3 / (1 + n * (128 + std::ceil(n / 128)) * 0x1p-53) * (1 + 0x1p-52)) << records;
    EXPECT_GE(norms.largest_clipped, 1e-3 * (1 - 2 * n * (128 + std::ceil(n / 128)) * 0x1p-53)) << records;
  }
}

TEST(ClippingInFloat, CoversItsOwnRoundings) {
  const auto model = make_mlp<float>(30, 20, 10);
  double closest = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Problem given = problem_for(*model, seed, 1, 30, 10, 0.3);
    const double clip_norm = 0.3 + 0.01 * static_cast<double>(seed);
    closest = std::max(closest, clipped_sum(*model, given, clip_norm).gradient.norm() / clip_norm);
  }
  EXPECT_LE(closest, 1);
  EXPECT_GT(closest, 1 - 1e-6);
}

}  // namespace
}  // namespace dpbudget::fl
