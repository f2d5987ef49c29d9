/// @file
/// Random records for models to be tried on.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "dpbudget/fl/model/model.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::fl {

struct Problem {
  Dataset dataset;
  Vector parameters;
  std::vector<std::uint32_t> rows;  ///< all of them, in order
};

/// Normal features and parameters; labels of that many classes, uniform, or for 0 classes normal targets.
inline Problem problem_for(const Model& model, std::uint64_t seed, Eigen::Index records, Eigen::Index features,
                           int classes, double scale = 1) {
  mechanisms::Stream stream({seed, mechanisms::Purpose::data_generation, 0, 0, 0});
  Problem problem{{Matrix(records, features), {}, classes}, Vector(model.dimension()), {}};
  for (double& value : problem.dataset.features.reshaped()) value = stream.normal();
  for (double& value : problem.parameters) value = scale * stream.normal();
  for (Eigen::Index i = 0; i < records; ++i)
    if (classes == 0)
      problem.dataset.targets.push_back(stream.normal());
    else
      problem.dataset.labels.push_back(static_cast<std::int32_t>(stream.uniform() * classes));
  problem.rows.resize(static_cast<std::size_t>(records));
  std::iota(problem.rows.begin(), problem.rows.end(), 0U);
  return problem;
}

struct Sum {
  Vector gradient;
  double largest_norm;
};

inline Sum clipped_sum(const Model& model, const Problem& problem, double clip_norm) {
  const auto workspace = model.workspace();
  Sum sum{Vector::Constant(model.dimension(), 7), 0};
  sum.largest_norm =
      model.clipped_gradient_sum(problem.parameters, problem.dataset, problem.rows, clip_norm, *workspace, sum.gradient)
          .largest;
  return sum;
}

}  // namespace dpbudget::fl
