#include "dpbudget/accounting/numeric/concave_tail.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/geometric_sum.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::numeric {
namespace {

// Of the distances over which the law and the weights bend, what one block takes: it misses about the square of that.
constexpr double share = 0x1p-10;

// Beyond so many deviations below the mode the masses are one tail.
constexpr double deviations_below = 9.5;

constexpr double negligible = 0x1p-46;

// The mean of places 0, ..., n - 1 under weights e^(x place), less their middle: accounting/numeric/proofs.md, 4.2.
double least_drift(double x, double n) {
  const double linear = x * (n * n - 1) / 12;
  return x > 0 ? linear * std::max(0.0, 1 - (n * n + 1) * x * x / 60) : linear;
}
double most_drift(double x, double n) { return -least_drift(-x, n); }

// An outcome, with bounds on its mass relative to the largest and on its weight.
struct Node {
  double at;
  double log_mass_lower;
  double mass_upper;
  Bracket weight;
};

// accounting/numeric/proofs.md, 4.5
class ConcaveTail {
 public:
  ConcaveTail(const Binomial& law, double first, const ConcaveWeight& weight, double log_odds_error)
      : law_(law),
        first_(first),
        weight_(weight),
        log_odds_error_(log_odds_error),
        log_anchor_(law.log_mass(std::max(first, law.mode()))),
        // What is uncertain at the first outcome may be below 0.
        lift_(std::max(0.0, -weight.at(first).lower)) {}

  Bracket operator()() {
    std::optional<Node> before;
    Node here = node(start());
    add_below(here);
    double covered = here.at - 1;
    for (double blocks = 1;; ++blocks) {
      const double next_at = std::min(law_.count(), here.at + (before ? gap(here.at) : 1));
      const Node next = node(next_at);
      const bool is_last = next_at == here.at;
      const double right = is_last ? 0 : std::floor((next_at - here.at - 1) / 2);
      upper_ += below_tangent(before, here, next, {here.at - 1 - covered, right});
      lower_ += above_chord(here, next);
      covered = here.at + right;
      if (is_last || is_rest_negligible(before, here, right)) return sum(blocks);
      before = here;
      here = next;
    }
  }

 private:
  // The outcomes from at - left to at + right.
  struct Reach {
    double left;
    double right;
  };

  double start() const { return std::max(first_, std::floor(law_.mode() - deviations_below * law_.deviation()) - 30); }

  // d log P(i) / d log odds = i - mean; the mean itself moves by less than it counts twice for.
  // accounting/numeric/proofs.md, 4.6
  Node node(double i) const {
    const double log_mass = law_.log_mass(i);
    const double error = law_.log_mass_error(log_mass) + 2 * (std::abs(i - law_.mean()) + 1) * log_odds_error_;
    return {i, log_mass - error - log_anchor_, std::exp(log_mass + error - log_anchor_), weight_.at(i)};
  }

  // How far the next node is. What weights have yet to settle by falls as they do.
  // accounting/numeric/proofs.md, 4.3
  double gap(double i) const {
    const double offset = i - first_;
    const double settling = share * (1 / weight_.bend + offset / 2);
    return std::max(1.0, std::floor(std::min({1 + offset, settling, share * law_.deviation()})));
  }

  // log P(i + 1) / P(i), or of P(i) / P(i - 1): the slope of a tangent of log P at i.
  Approximation slope(double i) const {
    const auto [value, error] = law_.log_ratio(std::min(i, law_.count() - 1), 1);
    return {value, error + log_odds_error_};
  }

  // No weight below the first node exceeds its own.
  // accounting/numeric/proofs.md, 4.4
  void add_below(const Node& node) {
    if (node.at == first_) return;
    const auto [step, error] = slope(node.at);
    const double masses = step > error ? node.mass_upper / std::expm1(step - error) : infinity;
    upper_ += (masses + std::numeric_limits<double>::min()) * (std::max(0.0, node.weight.upper) + lift_);
  }

  static double most_rise(const Node& before, const Node& here) {
    return std::max(0.0, (here.weight.upper - before.weight.lower) / (here.at - before.at));
  }
  static double least_rise(const Node& here, const Node& next) {
    return std::max(0.0, (next.weight.lower - here.weight.upper) / (next.at - here.at));
  }

  // P below its tangent at `here`, and the weight below a line through its value there.
  // accounting/numeric/proofs.md, 4.1
  double below_tangent(const std::optional<Node>& before, const Node& here, const Node& next,
                       const Reach& reach) const {
    const double weight = here.weight.upper + lift_;
    const double numbers = reach.left + reach.right + 1;
    if (numbers == 1) return here.mass_upper * weight;
    const auto [step, error] = slope(here.at);
    const double masses = std::exp(-reach.left * step) * exponential_sum(step, numbers) * (1 + 2 * numbers * error);
    const double drift = (reach.right - reach.left) / 2 + most_drift(step, numbers) + numbers * numbers / 12 * error;
    const double rise = drift > 0 ? most_rise(*before, here) : least_rise(here, next);
    return here.mass_upper * masses * (weight + rise * drift);
  }

  // From `here` to before `next`, or `here` alone where it is the last: P and the weight above their chords.
  // accounting/numeric/proofs.md, 4.1
  static double above_chord(const Node& here, const Node& next) {
    if (!(here.weight.lower > 0)) return 0;
    const double mass = std::exp(here.log_mass_lower);
    const double numbers = std::max(1.0, next.at - here.at);
    if (numbers == 1) return mass * here.weight.lower;
    const double step = (next.log_mass_lower - here.log_mass_lower) / numbers;
    const double place = std::max(0.0, (numbers - 1) / 2 + least_drift(step, numbers));
    const double rise = std::max(0.0, next.weight.lower - here.weight.lower) / numbers;
    return mass * exponential_sum(step, numbers) * (here.weight.lower + rise * place);
  }

  // What comes beyond here + right goes to the upper end, if it is little.
  // accounting/numeric/proofs.md, 4.4
  bool is_rest_negligible(const std::optional<Node>& before, const Node& here, double right) {
    const double little = negligible * (lower_ > 0 ? lower_ : upper_);
    if (!before || !(here.mass_upper * here.weight.upper < little)) return false;
    if (std::isinf(lift_)) return lower_ > 0 || here.mass_upper == 0;
    const auto [value, error] = slope(here.at);
    const double step = value + error;
    if (!(step < 0)) return false;
    const double fall = -std::expm1(step);
    const double weight = here.weight.upper + lift_ + most_rise(*before, here) * (right + 1 + 1 / fall);
    const double rest = here.mass_upper * std::exp(step * (right + 1)) / fall * weight;
    if (!(rest < little)) return false;
    upper_ += rest;
    return true;
  }

  // accounting/numeric/proofs.md, 4.6
  Bracket sum(double blocks) const {
    const auto moved = [&](double log_value, double direction) {
      if (std::isinf(log_value)) return log_value;
      const double magnitudes = std::abs(log_anchor_) + std::abs(log_anchor_ + log_value);
      return log_anchor_ + log_value + direction * unit * (128 + blocks / 8 + magnitudes);
    };
    // Where uncertain weights are beyond a double, nothing is known from above.
    return {lower_ > 0 ? moved(std::log(lower_), -1) : -infinity, upper_ >= 0 ? moved(std::log(upper_), 1) : infinity};
  }

  const Binomial& law_;
  double first_;
  const ConcaveWeight& weight_;
  double log_odds_error_;
  double log_anchor_;
  double lift_;
  double lower_ = 0;
  double upper_ = 0;
};

}  // namespace

Bracket log_concave_tail(const Binomial& binomial, double first, const ConcaveWeight& weight, double log_odds_error) {
  return ConcaveTail(binomial, first, weight, log_odds_error)();
}

}  // namespace dpbudget::numeric
