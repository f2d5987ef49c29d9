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

// Turning by multiplication is allowed so much of what the weights err by, but so often at least; then all angles are
// computed anew.
constexpr double fewest_turns = 64;
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

// phi at rising multiples of a step, of which the first is the step; nodes are skipped so that waves can be turned.
// accounting/contour/proofs.md, 7.2
class Characteristic {
 public:
  Characteristic(TiltedAtoms law, double floor)
      : law_(std::move(law)),
        floor_(floor),
        most_turns_(std::clamp(std::floor(share_of_turns * law_.mass_error / (Turns::error_of_turn * unit)),
                               fewest_turns, most_turns)),
        turns_(most_turns_) {}

  LogCharacteristic operator()(double s) {
    const bool is_small = s * s * law_.variance < small_phase * small_phase;
    const double of_angles = s * law_.angle_error;
    LogCharacteristic phi = is_small
                                ? log1p(change(s), std::min(s * law_.linear_error, 2 * law_.mass_error) + of_angles)
                                : log1p(turned(s) - 1.0, law_.mass_error + of_angles + turning_error());
    phi.below_until = turns_.at_stride(s, below_until(phi, s, law_.variance, floor_));
    phi.phase += s * law_.mean;
    phi.error += unit * std::abs(s * law_.mean);
    return phi;
  }

 private:
  // phi - 1.
  std::complex<double> change(double s) {
    turns_.pass(s);
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

  std::complex<double> turned(double s) {
    if (const Waves* by = turns_.to(s, law_.losses)) return turn(waves_, *by);
    aim(waves_, s, law_.losses);
    double real = 0;
    double imaginary = 0;
    for (std::size_t i = 0; i < law_.weights.size(); ++i) {
      real += waves_.real[i] *= law_.weights[i];
      imaginary += waves_.imaginary[i] *= law_.weights[i];
    }
    return {real, imaginary};
  }

  double turning_error() const { return (1 + Turns::error_of_turn * most_turns_) * unit; }

  TiltedAtoms law_;
  double floor_;
  double most_turns_;
  Turns turns_;
  Waves waves_;  // weighted
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
