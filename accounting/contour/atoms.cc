#include "dpbudget/accounting/contour/atoms.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/contour/waves.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::contour {
namespace {

using numeric::unit;

// Turning by multiplication costs so many units each time, and is allowed so much of what the weights err by, but so
// often at least; then all angles are computed anew.
constexpr double error_of_turn = 2.0 / 3;
constexpr double fewest_turns = 24;
constexpr double most_turns = 4096;
constexpr double share_of_turns = 0.25;
// Below it, phi - 1 needs terms that are right relative to their size.
constexpr double small_phase = 0.03;

// The law tilted by e^{c L}, around its mean.
struct TiltedAtoms {
  double log_moment;
  double log_moment_error;
  double mean;
  double variance;
  std::vector<double> weights;  // sum to 1
  std::vector<double> losses;   // less the mean
  // Bounds on the error of a sum of weight (e^{i s loss} - 1): what weights and additions err by, over |s| or
  // absolutely, and what angles err by, over |s|.
  double linear_error = 0;
  double mass_error = 0;
  double angle_error = 0;
};

TiltedAtoms tilted_atoms(const std::vector<Atom>& law, double c) {
  double shift = -infinity;
  for (const auto& [loss, mass] : law) shift = std::max(shift, c * loss + std::log(mass));
  TiltedAtoms result{.log_moment = 0, .log_moment_error = 0, .mean = 0, .variance = 0, .weights = {}, .losses = {}};
  const std::size_t size = law.size();
  result.weights.reserve(size);
  result.losses.reserve(size);
  const auto additions = static_cast<double>(size) / 8;
  double sum = 0;
  double sum_of_errors = 0;  // in units
  double first = 0;
  for (const auto& [loss, mass] : law) {
    const double log_mass = std::log(mass);
    const double exponent = c * loss + log_mass - shift;
    const double weight = std::exp(exponent);
    result.weights.push_back(weight);
    sum += weight;
    sum_of_errors += weight * (2 + std::abs(c * loss) + std::abs(log_mass) + std::abs(shift));
    first += weight * loss;
  }
  result.log_moment = shift + std::log(sum);
  result.log_moment_error = unit * (4 + additions + sum_of_errors / sum + std::abs(shift) + std::log(sum));
  result.mean = first / sum;
  double second = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double loss = law[i].loss;
    const double weight = result.weights[i] /= sum;
    const double centred = loss - result.mean;
    const double relative_error =
        8 + additions + std::abs(c * loss) + std::abs(std::log(law[i].mass)) + std::abs(shift) + sum_of_errors / sum;
    result.losses.push_back(centred);
    result.mass_error += unit * weight * relative_error;
    result.linear_error += unit * weight * relative_error * std::abs(centred);
    result.angle_error += unit * weight * (4 * std::abs(centred) + 2 * (std::abs(loss) + std::abs(result.mean)));
    second += weight * centred * centred;
  }
  result.variance = second;
  return result;
}

// By how many steps a node may be further than the last: 2^0, 2^1, ...
constexpr int strides = 32;

// phi at rising multiples of a step, of which the first is the step. From one node to another that is 2^j steps further
// all angles are turned by one multiplication each, and nodes are skipped so that they are.
// accounting/contour/proofs.md, 7.2
class Characteristic {
 public:
  Characteristic(TiltedAtoms law, double floor)
      : law_(std::move(law)),
        floor_(floor),
        most_turns_(std::clamp(std::floor(share_of_turns * law_.mass_error / (error_of_turn * unit)), fewest_turns,
                               most_turns)) {}

  LogCharacteristic operator()(double s) {
    if (step_ == 0) step_ = s;
    const bool is_small = s * s * law_.variance < small_phase * small_phase;
    const double of_angles = s * law_.angle_error;
    LogCharacteristic phi = is_small
                                ? log1p(change(s), std::min(s * law_.linear_error, 2 * law_.mass_error) + of_angles)
                                : log1p(turned(s) - 1.0, law_.mass_error + of_angles + turning_error());
    phi.below_until = at_stride(s, below_until(phi, s, law_.variance, floor_));
    phi.phase += s * law_.mean;
    phi.error += unit * std::abs(s * law_.mean);
    return phi;
  }

 private:
  // phi - 1.
  std::complex<double> change(double s) {
    is_turning_ = false;
    last_ = s;
    double real = 0;
    double imaginary = 0;
    for (std::size_t i = 0; i < law_.losses.size(); ++i) {
      const double half = s * law_.losses[i] / 2;
      const double sine = std::sin(half);
      const double twice = 2 * law_.weights[i] * sine;
      real -= twice * sine;
      imaginary += twice * std::cos(half);
    }
    return {real, imaginary};
  }

  // The largest s + (2^j - 1/2) step below `until`, or 0: the caller goes on at the first multiple of the step beyond.
  double at_stride(double s, double until) const {
    constexpr double rounding = 1e-6;  // the multiples of the step that are skipped are counted in double
    const double skipped = (until - s) / step_ - rounding;
    if (!(skipped >= 1)) return 0;
    const int stride = std::min(strides - 1, static_cast<int>(std::log2(std::floor(skipped) + 1)));
    return s + std::min(std::ldexp(1.0, stride) - 0.5, skipped) * step_;
  }

  std::complex<double> turned(double s) {
    const double steps = (s - last_) / step_;
    last_ = s;
    int exponent = 0;
    const bool is_stride = std::frexp(steps, &exponent) == 0.5 && 1 <= exponent && exponent <= strides;
    if (is_turning_ && is_stride && ++turns_ < most_turns_) return turned_by(static_cast<std::size_t>(exponent - 1));
    is_turning_ = true;
    turns_ = 0;
    aim(waves_, s, law_.losses);
    double real = 0;
    double imaginary = 0;
    for (std::size_t i = 0; i < law_.weights.size(); ++i) {
      real += waves_.real[i] *= law_.weights[i];
      imaginary += waves_.imaginary[i] *= law_.weights[i];
    }
    return {real, imaginary};
  }

  std::complex<double> turned_by(std::size_t stride) {
    if (strides_.size() <= stride) strides_.resize(stride + 1);
    Waves& by = strides_[stride];
    if (by.real.empty()) aim(by, std::ldexp(step_, static_cast<int>(stride)), law_.losses);
    return turn(waves_, by);
  }

  double turning_error() const { return (1 + error_of_turn * most_turns_) * unit; }

  TiltedAtoms law_;
  double floor_;
  double most_turns_;
  double last_ = 0;
  double step_ = 0;
  bool is_turning_ = false;
  double turns_ = 0;
  Waves waves_;  // weighted
  std::vector<Waves> strides_;
};

class Atoms final : public Transform {
 public:
  explicit Atoms(std::vector<Atom> law) : law_(std::move(law)) {
    for (const Atom& atom : law_) max_loss_ = std::max(max_loss_, atom.loss);
  }

  Cumulant cumulant(double c) const override {
    const TiltedAtoms law = tilted_atoms(law_, c);
    return {law.log_moment, law.mean, law.variance, law.log_moment_error};
  }

  // Finitely many waves come back to where they began, or as near as one likes.
  std::function<double(double)> log_envelope(double) const override {
    return [](double) { return 0.0; };
  }

  std::function<LogCharacteristic(double)> log_characteristic(double c, double, double floor) const override {
    return [phi = Characteristic(tilted_atoms(law_, c), floor)](double s) mutable { return phi(s); };
  }

  // A turn takes an eighth of an exponential at most.
  double cost(double, double) const override { return 2 + static_cast<double>(law_.size()) / 8; }

  double max_loss() const override { return max_loss_; }

 private:
  std::vector<Atom> law_;
  double max_loss_ = -infinity;
};

}  // namespace

TransformPtr atoms(std::vector<Atom> law) { return std::make_shared<Atoms>(std::move(law)); }

}  // namespace dpbudget::contour
