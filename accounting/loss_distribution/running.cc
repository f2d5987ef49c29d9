#include "dpbudget/accounting/loss_distribution/running.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/loss_distribution/compose.h"
#include "dpbudget/accounting/loss_distribution/query.h"
#include "dpbudget/accounting/numeric/exponential.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {

using numeric::unit;
namespace {

// What a transform may lose of delta.
constexpr double accuracy = 1e-5;

// What a release may leave out at the ends of its losses, relative to delta: room for a million releases.
constexpr double share_of_tail = 1e-13;

// Grid points that a window may be longer than a setting asks for.
constexpr double most_extra = 0x1p22;

}  // namespace

// One side of one direction.
class RunningAccount::Lane {
 public:
  explicit Lane(const Purpose& purpose) : purpose_(purpose) {}

  void add(const NormalPlan& release, std::uint64_t count) {
    auto known = std::ranges::find(releases_, release.event(), &Release::event);
    if (known == releases_.end())
      known = releases_.insert(releases_.end(),
                               {release.event(), std::make_shared<const PlanLosses>(release, purpose_), 0});
    known->count += count;
    for (const Part& part : known->losses->parts(count)) include(part);
  }

  // All that another direction's lane has.
  void add_all_of(const Lane& other, Adjacency adjacency) {
    for (const Release& release : other.releases_) add(NormalPlan(release.event, adjacency), release.count);
  }

  Side side() const { return purpose_.side; }
  bool is_for(Side side, Direction direction) const { return purpose_.side == side && purpose_.direction == direction; }

  // The epsilon at `delta`, on the lane's side.
  double epsilon(double delta) {
    const std::vector<Part> parts = all();
    const double finite = delta - infinite_mass(parts);
    if (!(finite > 0)) return infinity;
    if (!product_) renew(parts, finite);
    for (bool is_new = false;; is_new = true) {
      const double found = answer(parts, delta);
      const bool is_inside = low_ < found && found <= focus_.epsilon;
      if ((is_inside && is_certain_) || is_new) return found;
      renew(parts, finite);
    }
  }

 private:
  struct Release {
    Event event;
    std::shared_ptr<const PlanLosses> losses;
    std::uint64_t count;
  };

  std::vector<Part> all() const {
    std::vector<Part> parts;
    for (const Release& release : releases_)
      for (const Part& part : release.losses->parts(release.count)) parts.push_back(part);
    return parts;
  }

  void include(const Part& part) {
    if (!product_) return;
    product_->multiply(part);
    moments_->add(part);
  }

  // A tilt and a window that twice as many releases would need, reaching down to where epsilon is now.
  void renew(const std::vector<Part>& parts, double delta) {
    std::vector<Part> doubled = parts;
    for (Part& part : doubled) part.count *= 2;
    const double now = focus_at_delta(parts, std::log(delta), accuracy).epsilon;
    focus_ = focus_at_delta(doubled, std::log(delta), accuracy);
    const Setting setting = setting_near(doubled, focus_);
    const double mesh = purpose_.mesh;
    const double extra = std::max(0.0, focus_.epsilon - now) / mesh;
    if (!(extra <= most_extra))
      throw Unsupported(
          fmt::format("a mesh of {:.3g} is too fine for a window from {:.3g} up to {:.3g}", mesh, now, focus_.epsilon));
    const std::size_t length =
        numeric::Fourier::length_for(setting.window.length + to_integer<std::size_t>(extra, "points"));
    const Window window{setting.window.first - static_cast<std::int64_t>(length - setting.window.length), length};
    product_.emplace(setting.order, window);
    log_allowed_ = setting.log_allowed;
    std::vector<double> orders;
    for (const auto& [order, moment] : setting.moments.entries()) orders.push_back(order);
    moments_.emplace(std::move(orders));
    for (const Part& part : parts) include(part);
  }

  double answer(const std::vector<Part>& parts, double delta) {
    LossDistribution sum = empty_sum(parts, product_->window());
    const double top = sum.loss(sum.mass.size() - 1);
    low_ = sum.safe_loss(0);
    const Wrapped wrap = wrapped(*moments_, product_->order(), static_cast<double>(sum.mass.size()) * sum.grid.mesh,
                                 focus_.epsilon, top);
    const double log_beyond = moments_->log_mass_above(top);
    put_masses(sum, product_->sum(), wrap, true);
    if (sum.side == Side::upper) sum.at_infinity += numeric::exp_up(log_beyond, 4 * unit);
    const double log_wrapped = std::max(wrap.above.log_sum(focus_.epsilon, top, sum.grid.mesh),
                                        wrap.below.log_sum(focus_.epsilon, top, sum.grid.mesh));
    is_certain_ = std::max(log_beyond, log_wrapped) <= log_allowed_;
    return epsilon_at(sum, delta);
  }

  Purpose purpose_;
  std::deque<Release> releases_;
  std::optional<TiltedProduct> product_;
  std::optional<MomentTable> moments_;  // of all releases: they bound what wraps around
  Focus focus_{};
  double log_allowed_ = 0;
  double low_ = 0;
  bool is_certain_ = false;
};

RunningAccount::RunningAccount(Adjacency adjacency, double delta, double mesh, Ends ends)
    : adjacency_(adjacency), delta_(delta), mesh_(mesh), ends_(ends), basis_(adjacency) {
  ranges::delta(delta);
  require(0 < mesh && std::isfinite(mesh), "mesh", mesh, "positive and finite");
}

RunningAccount::~RunningAccount() = default;
RunningAccount::RunningAccount(RunningAccount&& other) noexcept = default;
RunningAccount& RunningAccount::operator=(RunningAccount&& other) noexcept = default;

RunningAccount::RunningAccount(const RunningAccount& other)
    : adjacency_(other.adjacency_), delta_(other.delta_), mesh_(other.mesh_), ends_(other.ends_), basis_(other.basis_) {
  for (const auto& lane : other.lanes_) lanes_.push_back(std::make_unique<Lane>(*lane));
}

// With all that was added before.
void RunningAccount::open_lane(Side side, Direction direction) {
  if (std::ranges::any_of(lanes_, [&](const auto& lane) { return lane->is_for(side, direction); })) return;
  const Pair pair = side == Side::upper ? Pair::dominating : Pair::attained;
  auto added = std::make_unique<Lane>(Purpose{side, direction, pair, mesh_, std::max(1e-280, delta_ * share_of_tail)});
  for (const auto& other : lanes_)
    if (direction == Direction::backward && other->is_for(side, Direction::forward))
      added->add_all_of(*other, adjacency_);
  lanes_.push_back(std::move(added));
}

void RunningAccount::add(const Event& release, std::uint64_t count) {
  const NormalPlan normal(release, adjacency_);
  if (count == 0 || normal.is_nothing()) return;
  basis_.add(normal.event(), count);
  for (const Side side : {Side::upper, Side::lower}) {
    if (side == Side::lower && ends_ == Ends::upper) continue;
    // Data sets that attain less than the dominating pair have a direction where that has none.
    const bool differ = basis_.is_directed() || (side == Side::lower && basis_.is_unattained());
    if (differ) open_lane(side, Direction::backward);
    open_lane(side, Direction::forward);
  }
  for (const auto& lane : lanes_) lane->add(normal, count);
}

Bound RunningAccount::epsilon() {
  double lower = 0;
  double upper = 0;
  for (const auto& lane : lanes_) {
    double& end = lane->side() == Side::upper ? upper : lower;
    end = std::max(end, lane->epsilon(delta_));
  }
  return basis_.bound(lower, upper);
}

}  // namespace dpbudget::loss_distribution
