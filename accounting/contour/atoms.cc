#include "dpbudget/accounting/contour/atoms.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::contour {
namespace {

using numeric::unit;

// Turning by multiplication this often costs no more than `turning_error`; then all angles are computed anew.
constexpr int most_turns = 32;
constexpr double turning_error = 16 * unit;
// Nodes that are worth skipping.
constexpr double least_skip = 24;
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

// phi at one multiple of a step after the other.
class Characteristic {
 public:
  Characteristic(TiltedAtoms law, double floor) : law_(std::move(law)), floor_(floor) {}

  LogCharacteristic operator()(double s) {
    const bool is_small = s * s * law_.variance < small_phase * small_phase;
    const double of_angles = s * law_.angle_error;
    LogCharacteristic phi = is_small
                                ? log1p(change(s), std::min(s * law_.linear_error, 2 * law_.mass_error) + of_angles)
                                : log1p(turned(s) - 1.0, law_.mass_error + of_angles + turning_error);
    // To turn from node to node costs less than to skip a few.
    const double until = below_until(phi, s, law_.variance, floor_);
    phi.below_until = until > s + least_skip * step_ ? until : 0;
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

  std::complex<double> turned(double s) {
    const double step = s - last_;
    last_ = s;
    if (is_turning_ && step == step_ && ++turns_ < most_turns) return turned_by_step();
    // A step that comes again is worth its angles; one across skipped nodes does not.
    if (step == before_ && step != step_) {
      step_ = step;
      aim(step, by_real_, by_imaginary_);
    }
    before_ = step;
    is_turning_ = true;
    turns_ = 0;
    aim(s, real_, imaginary_);
    double real = 0;
    double imaginary = 0;
    for (std::size_t i = 0; i < real_.size(); ++i) {
      real += real_[i] *= law_.weights[i];
      imaginary += imaginary_[i] *= law_.weights[i];
    }
    return {real, imaginary};
  }

  void aim(double s, std::vector<double>& real, std::vector<double>& imaginary) const {
    real.resize(law_.losses.size());
    imaginary.resize(law_.losses.size());
    for (std::size_t i = 0; i < real.size(); ++i) {
      const double angle = s * law_.losses[i];
      const double sine = std::sin(angle);
      real[i] = std::cos(angle);
      imaginary[i] = sine;
    }
  }

  std::complex<double> turned_by_step() {
    constexpr std::size_t lanes = 4;
    double real[lanes] = {};
    double imaginary[lanes] = {};
    const auto turn = [&](std::size_t i, std::size_t lane) {
      const double x = real_[i] * by_real_[i] - imaginary_[i] * by_imaginary_[i];
      imaginary_[i] = real_[i] * by_imaginary_[i] + imaginary_[i] * by_real_[i];
      real_[i] = x;
      real[lane] += x;
      imaginary[lane] += imaginary_[i];
    };
    const std::size_t whole = real_.size() / lanes * lanes;
    for (std::size_t i = 0; i < whole; i += lanes)
      for (std::size_t lane = 0; lane < lanes; ++lane) turn(i + lane, lane);
    for (std::size_t i = whole; i < real_.size(); ++i) turn(i, i - whole);
    return {(real[0] + real[1]) + (real[2] + real[3]), (imaginary[0] + imaginary[1]) + (imaginary[2] + imaginary[3])};
  }

  TiltedAtoms law_;
  double floor_;
  double last_ = 0;
  double step_ = 0;    // that is turned by
  double before_ = 0;  // the step before this one
  bool is_turning_ = false;
  int turns_ = 0;
  // Weighted e^{i s loss}, and e^{i step loss}.
  std::vector<double> real_;
  std::vector<double> imaginary_;
  std::vector<double> by_real_;
  std::vector<double> by_imaginary_;
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

  // A turn takes an eighth of an exponential.
  double cost(double, double) const override { return 2 + static_cast<double>(law_.size()) / 8; }

  double max_loss() const override { return max_loss_; }

 private:
  std::vector<Atom> law_;
  double max_loss_ = -infinity;
};

}  // namespace

TransformPtr atoms(std::vector<Atom> law) { return std::make_shared<Atoms>(std::move(law)); }

}  // namespace dpbudget::contour
