#include "dpbudget/accounting/accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dpbudget/accounting/contour/accountant.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/plan/ranges.h"
#include "dpbudget/accounting/profile/gaussian.h"
#include "dpbudget/accounting/renyi/accountant.h"
#include "dpbudget/accounting/require.h"

namespace dpbudget {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Plan repeated(const Plan& plan, std::uint64_t count) { return {repeat(count, plan.event), plan.adjacency}; }

class Renyi final : public Accountant {
 public:
  explicit Renyi(const Plan& plan) : plan_(plan) { renyi::curve_of(plan); }
  Bound epsilon(std::uint64_t count, double delta) override { return renyi::epsilon(repeated(plan_, count), delta); }
  DeltaBound delta(std::uint64_t count, double epsilon) override {
    return renyi::delta(repeated(plan_, count), epsilon);
  }

 private:
  Plan plan_;
};

class LossDistribution final : public Accountant {
 public:
  LossDistribution(const Plan& plan, double tolerance) : accountant_(plan, tolerance) {}
  Bound epsilon(std::uint64_t count, double delta) override { return accountant_.epsilon(count, delta); }
  DeltaBound delta(std::uint64_t count, double epsilon) override { return accountant_.delta(count, epsilon); }

 private:
  loss_distribution::Accountant accountant_;
};

class ByContour final : public Accountant {
 public:
  explicit ByContour(const Plan& plan) : contour_(plan) {}
  Bound epsilon(std::uint64_t count, double delta) override {
    return contour_.epsilon(static_cast<double>(count), delta);
  }
  DeltaBound delta(std::uint64_t count, double epsilon) override {
    return contour_.delta(static_cast<double>(count), epsilon);
  }

 private:
  contour::Contour contour_;
};

// A composition of Gaussians is one Gaussian.
class Exact final : public Accountant {
 public:
  explicit Exact(const Plan& plan) : plan_(plan) {
    if (!gaussian_noise(plan.event, Rounding::down))
      throw Unsupported(fmt::format("exact has no closed form for `{}`: it takes compositions of Gaussians alone",
                                    shortened_text(plan.event)));
  }

  Bound epsilon(std::uint64_t count, double delta) override {
    ranges::delta(delta);
    if (count == 0) return nothing();
    Bound bound = nothing();
    bound.upper = profile::gaussian_epsilon_bound(noise(count, Rounding::down), 0, delta).upper;
    bound.lower = profile::gaussian_epsilon_bound(noise(count, Rounding::up), 0, delta).lower;
    return bound;
  }

  DeltaBound delta(std::uint64_t count, double epsilon) override {
    ranges::epsilon(epsilon);
    DeltaBound found{nothing(), -infinity, -infinity};
    if (count == 0) return found;
    found.log_upper = profile::gaussian_log_delta_bound(noise(count, Rounding::down), 0, epsilon).upper;
    found.log_lower = profile::gaussian_log_delta_bound(noise(count, Rounding::up), 0, epsilon).lower;
    found.bound.upper = std::min(1.0, std::exp(found.log_upper) * (1 + 0x1p-49));
    found.bound.lower = std::exp(found.log_lower) * (1 - 0x1p-49);
    return found;
  }

 private:
  double noise(std::uint64_t count, Rounding rounding) const {
    return gaussian_noise(repeat(count, plan_.event), rounding).value();
  }
  static Bound nothing() {
    return {.lower = 0,
            .upper = 0,
            .guarantee = Guarantee::proven,
            .theorem = "Gaussian: Balle, Wang 2018, Theorem 8; composition: Dong, Roth, Su 2019, Corollary 3.3",
            .notes = {},
            .accountant = "exact"};
  }

  Plan plan_;
};

// Asks the others, from the narrowest on, until one's bracket is narrow; then what they say holds together.
class Best final : public Accountant {
 public:
  Best(const Plan& plan, double tolerance) : tolerance_(tolerance) {
    for (const AccountantName name :
         {AccountantName::exact, AccountantName::contour, AccountantName::loss_distribution, AccountantName::renyi}) {
      try {
        members_.push_back(make_accountant(name, plan, tolerance));
      } catch (const Unsupported& refusal) {
        refusals_.emplace_back(refusal.what());
      }
    }
    if (members_.empty()) throw Unsupported(refusals_.back());
  }

  Bound epsilon(std::uint64_t count, double delta) override {
    return asked<Bound>([&](Accountant& member) { return member.epsilon(count, delta); },
                        [](Bound& bound) -> Bound& { return bound; },
                        [](Bound& best, const Bound& other) { best.lower = std::max(best.lower, other.lower); },
                        [&](const Bound& bound) { return bound.upper - bound.lower <= tolerance_ * bound.upper; });
  }

  DeltaBound delta(std::uint64_t count, double epsilon) override {
    return asked<DeltaBound>([&](Accountant& member) { return member.delta(count, epsilon); },
                             [](DeltaBound& found) -> Bound& { return found.bound; },
                             [](DeltaBound& best, const DeltaBound& other) {
                               best.bound.lower = std::max(best.bound.lower, other.bound.lower);
                               best.log_lower = std::max(best.log_lower, other.log_lower);
                             },
                             [&](const DeltaBound& found) {
                               return found.log_upper == -infinity ||
                                      -std::expm1(found.log_lower - found.log_upper) <= tolerance_;
                             });
  }

 private:
  template <class Answer, class Ask, class BoundOf, class TakeLower, class IsNarrow>
  Answer asked(const Ask& ask, const BoundOf& bound_of, const TakeLower& take_lower, const IsNarrow& is_narrow) {
    std::optional<Answer> best;
    std::string refusal;
    for (const auto& member : members_) {
      try {
        Answer answer = ask(*member);
        if (!best) {
          best = std::move(answer);
        } else if (bound_of(answer).upper < bound_of(*best).upper) {
          take_lower(answer, *best);
          best = std::move(answer);
        } else {
          take_lower(*best, answer);
        }
      } catch (const Unsupported& unable) {
        refusal = unable.what();
      }
      if (best && is_narrow(*best)) break;
    }
    if (!best) throw Unsupported(refusal);
    return *best;
  }

  double tolerance_;
  std::vector<std::unique_ptr<Accountant>> members_;
  std::vector<std::string> refusals_;
};

}  // namespace

std::unique_ptr<Accountant> make_accountant(AccountantName name, const Plan& plan, double tolerance) {
  require(0 < tolerance && tolerance < 1, "tolerance", tolerance, "in (0, 1)");
  check(plan.event);
  switch (name) {
    case AccountantName::best:
      return std::make_unique<Best>(plan, tolerance);
    case AccountantName::exact:
      return std::make_unique<Exact>(plan);
    case AccountantName::contour:
      return std::make_unique<ByContour>(plan);
    case AccountantName::loss_distribution:
      return std::make_unique<LossDistribution>(plan, tolerance);
    case AccountantName::renyi:
      return std::make_unique<Renyi>(plan);
  }
  throw InvalidArgument("there is no such accountant");
}

}  // namespace dpbudget
