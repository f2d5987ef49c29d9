/// @file
/// Many waves e^{i s x}, turned together from one s to the next by a multiplication each.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace dpbudget::contour {

/// Their real and imaginary parts, as many of the one as of the other.
struct Waves {
  std::vector<double> real;
  std::vector<double> imaginary;
};

/// Makes them e^{i s x}, one for each of `x`.
void aim(Waves& waves, double s, std::span<const double> x);

/// Multiplies each by the one at the same place in `by`, as many, by the fastest version that the machine has.
/// @return the sum of the products, whatever the version to the last bit
std::complex<double> turn(Waves& waves, const Waves& by);

/// The same of those from place `begin` to the one before `end`.
std::complex<double> turn(Waves& waves, const Waves& by, std::size_t begin, std::size_t end);

/// The way through rising multiples of a step, of which the first is the step. From one to another that is 2^j steps
/// further waves are turned by one multiplication each, which costs error_of_turn units; then they are aimed anew.
/// accounting/contour/proofs.md, 7.2
class Turns {
 public:
  static constexpr double error_of_turn = 2.0 / 3;

  /// @param most  of multiplications between two aims
  explicit Turns(double most) : most_(most) {}

  /// What waves of `x`, the same at each call, are multiplied by to get from the last multiple to this one. Nothing
  /// where they are to be aimed: at first, and where no power of 2 steps leads here.
  const Waves* to(double s, std::span<const double> x);
  /// Goes on to s without waves, which are aimed at the next multiple.
  void pass(double s);
  /// How often waves have been turned since they were aimed.
  double turned() const { return turned_; }

  /// The largest s + (2^j - 1/2) steps below `until`, or 0: who skips the multiples up to there is a power of 2
  /// further.
  double at_stride(double s, double until) const;

 private:
  double most_;
  double step_ = 0;
  double last_ = 0;
  double turned_ = 0;
  bool is_aimed_ = false;
  std::vector<Waves> strides_;
};

/// The same by one set of instructions.
struct TurnVersion {
  const char* name;
  std::complex<double> (*turn)(double* real, double* imaginary, const double* by_real, const double* by_imaginary,
                               std::size_t count);
};

/// All that this machine has, the fastest last.
std::span<const TurnVersion> turn_versions();

}  // namespace dpbudget::contour
