#include "dpbudget/accounting/sequence/loss_distribution.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/running.h"

namespace dpbudget::sequence {
namespace {

constexpr double least_refinement = 1.0 / 64;
constexpr int most_doublings = 6;

// The online account, gone through from the start again when fewer rounds are asked for than are in it.
class LossDistribution final : public Accountant {
 public:
  LossDistribution(Sequence sequence, double delta, double tolerance, double rough_epsilon)
      : sequence_(std::move(sequence)), delta_(delta), rounds_(sequence_.rounds()) {
    choose_mesh(tolerance, rough_epsilon);
  }

  Answer<Bound> epsilon(std::uint64_t rounds) override {
    return answered([&] { return bound(rounds); });
  }

 private:
  Bound bound(std::uint64_t rounds) {
    if (!running_ || rounds < done_) restart();
    while (done_ < rounds) {
      const Stretch& stretch = sequence_.stretches[stretch_];
      const std::uint64_t count = std::min(rounds - done_, stretch.count - within_);
      running_->add(stretch.round, count);
      done_ += count;
      within_ += count;
      if (within_ == stretch.count) {
        ++stretch_;
        within_ = 0;
      }
    }
    Bound found = running_->epsilon();
    check_consistency(found);
    return found;
  }

  void restart() {
    running_.emplace(sequence_.adjacency, delta_, mesh_);
    done_ = within_ = 0;
    stretch_ = 0;
  }

  // A mesh at which the upper end of the whole is within `tolerance` of where it would go: what it is off by falls like
  // mesh^2, so that two coarse meshes tell. A mesh decides how near a bound comes, never whether it holds.
  void choose_mesh(double tolerance, double rough_epsilon) {
    const auto rounds = static_cast<double>(std::max<std::uint64_t>(rounds_, 1));
    const double coarse = upper_at(4 * std::sqrt(tolerance * rough_epsilon / rounds));
    const double finer = upper_at(mesh_ / 2);
    const double excess = (coarse - finer) / 3;
    if (std::isfinite(coarse) && excess > tolerance * finer) {
      const double chosen = mesh_ * std::max(least_refinement, std::sqrt(tolerance * finer / excess));
      running_.reset();
      mesh_ = chosen;
    }
    // A mesh may take more grid points than are allowed.
    for (int i = 0; i < most_doublings; ++i) {
      if (epsilon(rounds_)) return;
      running_.reset();
      mesh_ *= 2;
    }
  }

  double upper_at(double mesh) {
    mesh_ = mesh;
    running_.reset();
    return bound(rounds_).upper;
  }

  Sequence sequence_;
  double delta_;
  std::uint64_t rounds_;
  double mesh_ = 0;
  std::optional<loss_distribution::RunningAccount> running_;
  std::uint64_t done_ = 0;    // rounds in it
  std::size_t stretch_ = 0;   // the stretch of the next round,
  std::uint64_t within_ = 0;  // and how many of its rounds are done
};

}  // namespace

std::unique_ptr<Accountant> make_loss_distribution(Sequence sequence, double delta, double tolerance,
                                                   double rough_epsilon) {
  return std::make_unique<LossDistribution>(std::move(sequence), delta, tolerance, rough_epsilon);
}

}  // namespace dpbudget::sequence
