#include "dpbudget/accounting/sequence/loss_distribution.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/running.h"

namespace dpbudget::sequence {
namespace {

constexpr double least_refinement = 1.0 / 64;
constexpr int most_doublings = 6;

// How many places on the way to the last round are kept, and how many of those that were asked about.
constexpr std::uint64_t most_marks = 16;
constexpr std::size_t most_asked = 4;

// A mesh for so many times as many rounds as are asked about is too coarse for them.
constexpr std::uint64_t fewer_by = 8;

// Of more different rounds than so many a mesh is chosen by half of that, each of which stands for those around it; and
// so much finer, for what they miss.
constexpr std::size_t most_rounds = 256;
constexpr double finer_by_sample = 0.95;

using loss_distribution::RunningAccount;

// The online account, gone on with from places on the way that are kept.
class LossDistribution final : public Accountant {
 public:
  // @param largest_mesh  that is chosen
  LossDistribution(Sequence sequence, double delta, double tolerance, double rough_epsilon,
                   double largest_mesh = infinity)
      : sequence_(std::move(sequence)), delta_(delta), tolerance_(tolerance), rounds_(sequence_.rounds()) {
    choose_mesh(rough_epsilon, largest_mesh);
  }

  Answer<Bound> epsilon(std::uint64_t rounds) override {
    return answered([&] { return bound(rounds); });
  }

 private:
  struct Place {
    RunningAccount account;
    std::uint64_t done = 0;    // rounds in it
    std::size_t stretch = 0;   // the stretch of the next round,
    std::uint64_t within = 0;  // and how many of its rounds are done
  };

  Bound bound(std::uint64_t rounds) {
    if (whole_ && rounds == rounds_) return *whole_;
    if (0 < rounds && rounds <= rounds_ / fewer_by) {
      if (!few_) few_ = of_few(rounds_ / fewer_by);
      if (*few_)
        if (const Answer<Bound> found = (*few_)->epsilon(rounds)) return *found;
    }
    return bound_on_mesh(rounds);
  }

  // The first rounds on a mesh of their own; null where there is none that is finer.
  std::unique_ptr<LossDistribution> of_few(std::uint64_t rounds) {
    auto own = answered([&] {
      const double rough_epsilon = bound_on_mesh(rounds).upper;
      return std::make_unique<LossDistribution>(sequence_.beginning(rounds), delta_, tolerance_, rough_epsilon, mesh_);
    });
    return own && (*own)->mesh_ <= mesh_ ? *std::move(own) : nullptr;
  }

  Bound bound_on_mesh(std::uint64_t rounds) {
    Place place = nearest(rounds);
    while (place.done < rounds) {
      go_on(place, rounds);
      if (place.within == 0 && place.done < rounds) mark(place);
    }
    Bound found = place.account.epsilon();
    check_consistency(found);
    asked_.push_back(std::move(place));
    if (asked_.size() > most_asked) asked_.pop_front();
    return found;
  }

  // Where to go on from for so many rounds.
  Place nearest(std::uint64_t rounds) const {
    const Place* nearest = nullptr;
    const auto look_at = [&](const Place& place) {
      if (place.done <= rounds && (nearest == nullptr || place.done > nearest->done)) nearest = &place;
    };
    std::ranges::for_each(marks_, look_at);
    std::ranges::for_each(asked_, look_at);
    return nearest != nullptr ? *nearest : Place{RunningAccount(sequence_.adjacency, delta_, mesh_)};
  }

  // To the end of a stretch, or to so many rounds.
  void go_on(Place& place, std::uint64_t rounds) const {
    const Stretch& stretch = sequence_.stretches[place.stretch];
    const std::uint64_t count = std::min(rounds - place.done, stretch.count - place.within);
    place.account.add(stretch.round, count);
    place.done += count;
    place.within += count;
    if (place.within < stretch.count) return;
    ++place.stretch;
    place.within = 0;
  }

  // Asked for its epsilon a place has its transforms, which who goes on from there need not make. One that has no
  // answer is no mark.
  void mark(Place& place) {
    const std::uint64_t last = marks_.empty() ? 0 : marks_.back().done;
    if (place.done < last + std::max<std::uint64_t>(rounds_ / most_marks, 1)) return;
    Place asked = place;
    if (!answered([&] { return asked.account.epsilon(); })) return;
    marks_.push_back(asked);
    place = std::move(asked);
  }

  // A mesh at which the upper end of the whole is within `tolerance` of where it would go: what it is off by falls like
  // mesh^2, so that two coarse meshes tell. A mesh decides how near a bound comes, never whether it holds.
  void choose_mesh(double rough_epsilon, double largest) {
    const auto rounds = static_cast<double>(std::max<std::uint64_t>(rounds_, 1));
    const double coarse = upper_at(4 * std::sqrt(tolerance_ * rough_epsilon / rounds));
    const double finer = upper_at(mesh_ / 2);
    const double excess = (coarse - finer) / 3;
    if (std::isfinite(coarse) && excess > tolerance_ * finer)
      mesh_ *= std::max(least_refinement, std::sqrt(tolerance_ * finer / excess));
    if (is_sampled()) mesh_ *= finer_by_sample;
    mesh_ = std::min(mesh_, largest);
    // A mesh may take more grid points than are allowed.
    for (int i = 0; i < most_doublings; ++i) {
      if (const Answer<Bound> whole = epsilon(rounds_)) {
        whole_ = *whole;
        return;
      }
      marks_.clear();
      mesh_ *= 2;
    }
  }

  bool is_sampled() const { return sequence_.stretches.size() > most_rounds; }

  double upper_at(double mesh) {
    mesh_ = mesh;
    RunningAccount account(sequence_.adjacency, delta_, mesh, RunningAccount::Ends::upper);
    const std::vector<Stretch>& stretches = sequence_.stretches;
    const std::size_t many = is_sampled() ? 2 * stretches.size() / most_rounds : 1;
    // In turn each of a group stands for it: rounds that return now and then are seen as often as they return.
    for (std::size_t first = 0, group = 0; first < stretches.size(); first += many, ++group) {
      const std::size_t end = std::min(first + many, stretches.size());
      std::uint64_t count = 0;
      for (std::size_t i = first; i < end; ++i) count += stretches[i].count;
      account.add(stretches[first + group % (end - first)].round, count);
    }
    return account.epsilon().upper;
  }

  Sequence sequence_;
  double delta_;
  double tolerance_;
  std::uint64_t rounds_;
  double mesh_ = 0;
  std::optional<Bound> whole_;
  std::optional<std::unique_ptr<LossDistribution>> few_;  // made when it is first needed
  std::vector<Place> marks_;                              // in ascending order
  std::deque<Place> asked_;                               // the last
};

}  // namespace

std::unique_ptr<Accountant> make_loss_distribution(Sequence sequence, double delta, double tolerance,
                                                   double rough_epsilon) {
  return std::make_unique<LossDistribution>(std::move(sequence), delta, tolerance, rough_epsilon);
}

}  // namespace dpbudget::sequence
