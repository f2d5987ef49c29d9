#include "dpbudget/fl/papers/noble_published.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/renyi/amplified.h"
#include "dpbudget/accounting/renyi/conversion.h"
#include "dpbudget/accounting/renyi/gaussian.h"
#include "dpbudget/accounting/renyi/without_replacement.h"

namespace dpbudget::fl {
namespace {

// The literal theorem at integer orders, `count` times: without the cap that the accountant applies.
class UncappedStage final : public renyi::Curve {
 public:
  UncappedStage(double count, double rate, const renyi::CurvePtr& base) : count_(count), theorem_(rate, base) {}
  double operator()(double order) const override {
    const auto integer = to_integer<std::size_t>(order, "order");
    while (known_.size() + 1 < integer) known_.push_back(count_ * theorem_(known_.size() + 2).value);
    return known_[integer - 2];
  }

 private:
  double count_;
  renyi::WithoutReplacement theorem_;
  mutable std::vector<double> known_;  // at orders 2, 3, ...
};

void require_rates(double local_steps, double users, double user_rate, double record_rate) {
  require(1 <= local_steps && std::isfinite(local_steps), "local_steps", local_steps, "finite and at least 1");
  require(1 <= users && std::isfinite(users), "users", users, "finite and at least 1");
  require(0 < user_rate && user_rate <= 1, "user_rate", user_rate, "in (0, 1]");
  require(0 < record_rate && record_rate <= 1, "record_rate", record_rate, "in (0, 1]");
}

// The curve of one round.
UncappedStage one_round(double local_steps, double users, double user_rate, double record_rate,
                        double noise_multiplier) {
  require_rates(local_steps, users, user_rate, record_rate);
  ranges::noise_multiplier(noise_multiplier);
  const renyi::CurvePtr aggregated =
      renyi::gaussian_curve(1 / (noise_multiplier * noise_multiplier * user_rate * users));
  return {1, user_rate, std::make_shared<UncappedStage>(local_steps, record_rate, aggregated)};
}

// B.4's bound at one order, in the share x of delta that the conversion takes; infinite where nothing is claimed.
double advanced(double rdp, double order, double rounds, double amplifies, double delta, double x) {
  const double converted = rdp + std::log(rounds * amplifies / (x * delta)) / (order - 1);
  const double round = amplifies == 1 ? converted : std::log1p(amplifies * std::expm1(converted));
  return round * std::sqrt(-2 * rounds * std::log((1 - x) * delta)) + rounds * round * std::expm1(round);
}

void check_order(int max_order) {
  require(2 <= max_order && max_order <= 1000, "max_order", max_order, "an integer in [2, 1000]");
}

}  // namespace

PublishedClaim noble_third_party_epsilon_as_published(double rounds, double local_steps, double users, double user_rate,
                                                      double record_rate, double noise_multiplier, double delta,
                                                      int max_order) {
  require(1 <= rounds && std::isfinite(rounds), "rounds", rounds, "finite and at least 1");
  ranges::delta(delta);
  check_order(max_order);
  const UncappedStage round = one_round(local_steps, users, user_rate, record_rate, noise_multiplier);
  PublishedClaim best{std::numeric_limits<double>::infinity(), 0};
  for (int order = 2; order <= max_order; ++order) {
    const double rdp = rounds * round(order);
    if (!std::isfinite(rdp)) break;
    const double epsilon = renyi::to_epsilon_mironov(order, rdp, delta);
    if (epsilon < best.epsilon) best = {epsilon, static_cast<double>(order)};
  }
  return best;
}

double noble_third_party_epsilon_as_printed(double rounds, double local_steps, double users, double user_rate,
                                            double record_rate, double noise_multiplier, double delta, int max_order) {
  const double best = noble_third_party_epsilon_as_published(rounds, local_steps, users, user_rate, record_rate,
                                                             noise_multiplier, delta, max_order)
                          .order;
  if (best == 0) return std::numeric_limits<double>::infinity();
  const UncappedStage round = one_round(local_steps, users, user_rate, record_rate, noise_multiplier);
  const auto at = [&](double integer) { return integer < 2 ? 0 : rounds * round(integer); };
  constexpr int points = 1000;
  const double first = best - 1 + 1e-4;
  double printed = std::numeric_limits<double>::infinity();
  for (int i = 0; i < points; ++i) {
    const double order = first + (best + 1 - first) * i / (points - 1);
    const double lower = std::floor(order);
    const double upper = std::ceil(order);
    const double rdp = renyi::interpolate(order, lower, at(lower), upper, at(upper));
    if (std::isfinite(rdp)) printed = std::min(printed, renyi::to_epsilon_mironov(order, rdp, delta));
  }
  return printed;
}

PublishedClaim noble_epsilon_without_approximation(NobleView view, double rounds, double local_steps, double users,
                                                   double user_rate, double record_rate, double noise_multiplier,
                                                   double delta, int max_order) {
  require(1 <= rounds && std::isfinite(rounds), "rounds", rounds, "finite and at least 1");
  ranges::delta(delta);
  check_order(max_order);
  const bool is_third_party = view == NobleView::third_party;
  // One user's steps: the aggregate's noise is put in by hand, and users are sampled below.
  const double noise = is_third_party ? noise_multiplier * std::sqrt(user_rate * users) : noise_multiplier;
  require_rates(local_steps, users, user_rate, record_rate);
  ranges::noise_multiplier(noise_multiplier);
  const UncappedStage steps(local_steps, record_rate, renyi::gaussian_curve(1 / (noise * noise)));
  const double amplifies = is_third_party ? user_rate : 1;
  PublishedClaim best{std::numeric_limits<double>::infinity(), 0};
  const auto look_at = [&](double order, double rdp) {
    if (!std::isfinite(rdp)) return;
    const auto at = [&](double x) {
      const double epsilon = advanced(rdp, order, rounds, amplifies, delta, x);
      return std::isfinite(epsilon) ? epsilon : std::numeric_limits<double>::max();
    };
    const double epsilon = boost::math::tools::brent_find_minima(at, 1e-9, 1 - 1e-9, 30).second;
    if (epsilon < std::min(best.epsilon, std::numeric_limits<double>::max())) best = {epsilon, order};
  };
  for (int order = 2; order <= max_order; ++order) look_at(order, steps(order));
  if (best.order == 0) return best;
  constexpr int points = 200;
  const double middle = best.order;
  for (int i = 1; i < points; ++i) {
    const double order = middle - 1 + 2.0 * i / points;
    const double lower = std::floor(order);
    const double upper = std::ceil(order);
    if (lower == upper || upper > max_order) continue;
    look_at(order, renyi::interpolate(order, lower, lower < 2 ? 0 : steps(lower), upper, steps(upper)));
  }
  return best;
}

std::uint64_t noble_third_party_rounds_as_published(double epsilon, double local_steps, double users, double user_rate,
                                                    double record_rate, double noise_multiplier, double delta,
                                                    int max_order) {
  ranges::epsilon(epsilon);
  ranges::delta(delta);
  check_order(max_order);
  const UncappedStage round = one_round(local_steps, users, user_rate, record_rate, noise_multiplier);
  double most = 0;
  for (int order = 2; order <= max_order; ++order)
    most = std::max(most, (epsilon - renyi::to_epsilon_mironov(order, 0, delta)) / round(order));
  return to_integer<std::uint64_t>(std::min(most, static_cast<double>(ranges::max_count)), "rounds");
}

}  // namespace dpbudget::fl
