/// @file
/// A Release whose gradients are a known function, and which notes where it was asked.
#pragma once

#include <vector>

#include "dpbudget/fl/algorithms/algorithm.h"

namespace dpbudget::fl {

/// The gradient of |x - target|^2 / 2 plus, at each call, one more `drift` in every coordinate.
class ScriptedRelease final : public Release {
 public:
  ScriptedRelease(Vector target, double drift) : target_(std::move(target)), drift_(drift) {}

  const Vector& gradient(const Vector& parameters) override {
    asked.push_back(parameters);
    given.push_back((parameters - target_).array() + drift_ * static_cast<double>(asked.size()));
    current_ = given.back();
    return current_;
  }

  std::vector<Vector> asked;
  std::vector<Vector> given;

 private:
  Vector target_;
  double drift_;
  Vector current_;
};

}  // namespace dpbudget::fl
