/// @file
/// Masses of the number of ones among independent bits, one from the two before it, in several laws at once.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dpbudget::shuffle {

/// Upwards through the numbers of ones of users who report by randomised response. Downwards is upwards through the
/// numbers of zeros.
struct MassSweep {
  double ones;          ///< users who hold 1
  double zeros;         ///< and 0
  double start;         ///< a number at which nothing is known of the ratio of two masses but that they rise
  double first;         ///< from which on masses are wanted
  std::size_t numbers;  ///< that follow, up to where masses no longer are sums of positive terms

  double users() const { return zeros + ones; }
};

/// What a sweep finds, all in one unit.
class SweptMasses {
 public:
  /// Of a single number.
  SweptMasses() = default;
  /// @param masses  number i at i stride
  SweptMasses(const double* masses, std::size_t stride, std::size_t size, double sum, double error)
      : masses_(masses), stride_(stride), size_(size), sum_(sum), error_(error) {}

  std::size_t size() const { return size_; }
  /// Of one number after the other, from `first` on.
  double operator[](std::size_t i) const { return masses_ == nullptr ? 1 : masses_[i * stride_]; }
  double sum() const { return sum_; }      ///< of them
  double error() const { return error_; }  ///< of the logarithm of any of them

 private:
  const double* masses_ = nullptr;
  std::size_t stride_ = 1;
  std::size_t size_ = 1;
  double sum_ = 1;
  double error_ = 0;
};

/// Memory for sweeps, which many take in turn.
class MassSweeps {
 public:
  /// Masses by accounting/shuffle/proofs.md, 6.6, the same to the last bit by whatever instructions the machine has.
  /// @return one for each of `sweeps`, good until the next ones
  std::span<const SweptMasses> run(double local_epsilon, std::span<const MassSweep> sweeps);

 private:
  std::vector<double> storage_;
  std::vector<SweptMasses> found_;
};

/// Sweeps side by side.
inline constexpr std::size_t sweep_lanes = 8;

/// What is known and found of them.
struct SweepTask {
  double odds;
  double rare_odds;
  std::size_t lanes;  ///< that are used
  double ones[sweep_lanes];
  double zeros[sweep_lanes];
  double start[sweep_lanes];
  double first[sweep_lanes];
  double numbers[sweep_lanes];
  double run_in;       ///< the most numbers from a start to its first
  double most;         ///< of the numbers
  double* masses;      ///< number i of lane j at i stride + j
  std::size_t stride;  ///< a multiple of the vectors' length
  double sum[sweep_lanes];
  double error[sweep_lanes];
};

/// At most as many sweeps as there are lanes; those that nobody takes do what the last one does.
/// @param sweeps  not empty
SweepTask sweep_task(double local_epsilon, std::span<const MassSweep> sweeps);

/// How many numbers its masses take.
std::size_t size_of_masses(const SweepTask& task);

/// One set of instructions.
struct SweepVersion {
  const char* name;
  void (*sweep)(SweepTask& task);
};

/// All that this machine has, the fastest last.
std::span<const SweepVersion> sweep_versions();

}  // namespace dpbudget::shuffle
