#include "dpbudget/accounting/contour/composition.h"

#include <algorithm>
#include <utility>

#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::contour {
namespace {

using numeric::unit;

// accounting/contour/proofs.md, 4.2
class Composition final : public Transform {
 public:
  explicit Composition(std::vector<Part> parts) : parts_(std::move(parts)) {
    const auto is_rough = [](const Part& part) { return &part.loss->rough() == part.loss.get(); };
    if (std::ranges::all_of(parts_, is_rough)) return;
    std::vector<Part> rough;
    for (const auto& [count, loss] : parts_) rough.push_back({count, TransformPtr(loss, &loss->rough())});
    rough_ = composed(std::move(rough));
  }

  Cumulant cumulant(double c) const override {
    Cumulant sum{};
    for (const auto& [count, loss] : parts_) {
      const Cumulant one = loss->cumulant(c);
      sum.value += count * one.value;
      sum.mean += count * one.mean;
      sum.variance += count * one.variance;
      sum.error += count * one.error;
    }
    sum.error += rounding() * std::abs(sum.value);
    return sum;
  }

  std::function<double(double)> log_envelope(double c) const override {
    std::vector<std::pair<double, std::function<double(double)>>> factors;
    factors.reserve(parts_.size());
    for (const auto& [count, loss] : parts_) factors.emplace_back(count, loss->log_envelope(c));
    return [factors = std::move(factors)](double s) {
      double sum = 0;
      for (const auto& [count, log_envelope] : factors) sum += count * log_envelope(s);
      return sum;
    };
  }

  std::function<LogCharacteristic(double)> log_characteristic(double c, double reach, double floor) const override {
    std::vector<std::pair<double, std::function<LogCharacteristic(double)>>> factors;
    factors.reserve(parts_.size());
    for (const auto& [count, loss] : parts_)
      factors.emplace_back(count, loss->log_characteristic(c, reach, floor / count));
    return [factors = std::move(factors), rounding = rounding()](double s) {
      LogCharacteristic sum{};
      double turned = 0;
      double log_upper = 0;
      for (const auto& [count, log_characteristic] : factors) {
        const LogCharacteristic one = log_characteristic(s);
        sum.log_abs += count * one.log_abs;
        sum.phase += count * one.phase;
        turned += count * std::abs(one.phase);
        sum.error += count * one.error;
        log_upper += count * one.log_upper();
        sum.below_until = std::max(sum.below_until, one.below_until);
      }
      if (std::isinf(sum.error)) sum.log_abs = log_upper;
      sum.error += rounding * (turned + std::abs(sum.log_abs));
      return sum;
    };
  }

  double cost(double c, double reach) const override {
    double sum = 0;
    for (const Part& part : parts_) sum += part.loss->cost(c, reach);
    return sum;
  }

  const Transform& rough() const override { return rough_ ? *rough_ : *this; }

  double max_loss() const override {
    double sum = 0;
    double magnitudes = 0;
    for (const auto& [count, loss] : parts_) {
      sum += count * loss->max_loss();
      magnitudes += count * std::abs(loss->max_loss());
    }
    return sum + rounding() * magnitudes;
  }

 private:
  // A product and an addition per part; a count may itself be rounded.
  double rounding() const { return unit * (1 + static_cast<double>(parts_.size()) / 8); }

  std::vector<Part> parts_;
  TransformPtr rough_;  // null where all parts are
};

}  // namespace

TransformPtr composed(std::vector<Part> parts) {
  if (parts.size() == 1 && parts.front().count == 1) return parts.front().loss;
  return std::make_shared<Composition>(std::move(parts));
}

}  // namespace dpbudget::contour
