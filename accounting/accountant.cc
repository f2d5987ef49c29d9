#include "dpbudget/accounting/accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/approximate/accountant.h"
#include "dpbudget/accounting/approximate/curve_of.h"
#include "dpbudget/accounting/concentrated/account_of.h"
#include "dpbudget/accounting/concentrated/accountant.h"
#include "dpbudget/accounting/contour/accountant.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/plan/ranges.h"
#include "dpbudget/accounting/profile/composed_gaussian.h"
#include "dpbudget/accounting/profile/shuffled.h"
#include "dpbudget/accounting/renyi/accountant.h"
#include "dpbudget/accounting/require.h"
#include "dpbudget/accounting/tradeoff/accountant.h"

namespace dpbudget {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// An accountant that looks at all repetitions as one plan.
class OfWholePlan final : public Accountant {
 public:
  using EpsilonOf = Bound (*)(const Plan&, double);
  using DeltaOf = DeltaBound (*)(const Plan&, double);

  OfWholePlan(Plan plan, EpsilonOf epsilon_of, DeltaOf delta_of)
      : plan_(std::move(plan)), epsilon_of_(epsilon_of), delta_of_(delta_of) {}

  Bound epsilon(std::uint64_t count, double delta) override { return epsilon_of_(repeated(count), delta); }
  DeltaBound delta(std::uint64_t count, double epsilon) override { return delta_of_(repeated(count), epsilon); }

 private:
  Plan repeated(std::uint64_t count) const { return {repeat(count, plan_.event), plan_.adjacency}; }

  Plan plan_;
  EpsilonOf epsilon_of_;
  DeltaOf delta_of_;
};

// Proofs that exclude each other are a defect of ours, which no answer may hide.
void check_consistency(const Bound& bound) {
  if (bound.lower > bound.upper)
    throw std::logic_error(fmt::format(
        "the proven bounds {} and {} exclude each other: this is a defect in dpbudget, please report the plan",
        bound.lower, bound.upper));
}

class LossDistribution final : public Accountant {
 public:
  LossDistribution(const Plan& plan, double tolerance) : accountant_(plan, tolerance) {}
  Bound epsilon(std::uint64_t count, double delta) override {
    Bound found = accountant_.epsilon(count, delta);
    check_consistency(found);
    return found;
  }
  DeltaBound delta(std::uint64_t count, double epsilon) override {
    DeltaBound found = accountant_.delta(count, epsilon);
    check_consistency(found.bound);
    return found;
  }

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

Bound exact_epsilon(const Plan& plan, double delta) {
  const auto shuffled = profile::lone_shuffle(plan.event);
  Bound bound = shuffled ? profile::shuffled_epsilon(*shuffled, plan.adjacency, delta)
                         : profile::composed_gaussian_epsilon(plan.event, delta);
  bound.accountant = "exact";
  return bound;
}

DeltaBound exact_delta(const Plan& plan, double epsilon) {
  const auto shuffled = profile::lone_shuffle(plan.event);
  DeltaBound found = shuffled ? profile::shuffled_delta(*shuffled, plan.adjacency, epsilon)
                              : profile::composed_gaussian_delta(plan.event, epsilon);
  found.bound.accountant = "exact";
  return found;
}

// Whether reports are shuffled anywhere in an event.
bool has_shuffle(const Event& event) {
  return match(
      event, [](const Shuffled&) { return true; }, [](const PoissonSampled& e) { return has_shuffle(*e.inner); },
      [](const SampledWithoutReplacement& e) { return has_shuffle(*e.inner); },
      [](const Participates& e) { return has_shuffle(*e.inner); },
      [](const Repeated& e) { return has_shuffle(*e.inner); },
      [](const Composed& e) { return std::ranges::any_of(e.parts, has_shuffle); }, [](const auto&) { return false; });
}

// Asks the others, from the narrowest on, until one's bracket is narrow; then what they say holds together.
class Best final : public Accountant {
 public:
  Best(const Plan& plan, double tolerance) : tolerance_(tolerance) {
    std::string refusal;
    std::vector<AccountantName> names = {AccountantName::exact, AccountantName::contour,
                                         AccountantName::loss_distribution, AccountantName::renyi,
                                         AccountantName::concentrated};
    // It alone takes (epsilon, delta)-DP randomisers, and it knows what no mesh shows: that shuffling is never worse
    // than the local guarantee. Before the meshes, which may be narrow enough to be the last asked.
    if (has_shuffle(plan.event)) names.insert(names.begin() + 2, AccountantName::approximate);
    for (const AccountantName name : names) {
      try {
        members_.push_back(make_accountant(name, plan, tolerance));
        if (name == AccountantName::exact) closed_form_ = members_.back().get();
      } catch (const InvalidArgument& unable) {
        // The widest reach, and so the most to say.
        if (refusal.empty() || name == AccountantName::loss_distribution) refusal = unable.what();
      }
    }
    if (members_.empty()) throw Unsupported(refusal);
  }

  Bound epsilon(std::uint64_t count, double delta) override {
    ranges::delta(delta);
    return asked<Bound>([&](Accountant& member) { return member.epsilon(count, delta); },
                        [](Bound& bound) -> Bound& { return bound; },
                        [](Bound& best, const Bound& other) { best.lower = std::max(best.lower, other.lower); },
                        [&](const Bound& bound) {
                          return bound.upper < infinity && bound.upper - bound.lower <= tolerance_ * bound.upper;
                        });
  }

  DeltaBound delta(std::uint64_t count, double epsilon) override {
    ranges::epsilon(epsilon);
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
      } catch (const InvalidArgument& unable) {  // its own limit: the question was in range
        refusal = unable.what();
      }
      // What has a closed form is known to no other more closely.
      if (best && (is_narrow(*best) || member.get() == closed_form_)) break;
    }
    if (!best) throw Unsupported(refusal);
    check_consistency(bound_of(*best));
    return *best;
  }

  double tolerance_;
  std::vector<std::unique_ptr<Accountant>> members_;
  const Accountant* closed_form_ = nullptr;
};

}  // namespace

std::unique_ptr<Accountant> make_accountant(AccountantName name, const Plan& plan, double tolerance) {
  require(0 < tolerance && tolerance < 1, "tolerance", tolerance, "in (0, 1)");
  check(plan.event);
  switch (name) {
    case AccountantName::best:
      return std::make_unique<Best>(plan, tolerance);
    case AccountantName::exact:
      // Each refuses here what it cannot take, before any question.
      if (const auto shuffled = profile::lone_shuffle(plan.event))
        profile::require_shuffled_theorem(*shuffled, plan.adjacency);
      else
        profile::composed_gaussian_delta(plan.event, 0);
      return std::make_unique<OfWholePlan>(plan, exact_epsilon, exact_delta);
    case AccountantName::contour:
      return std::make_unique<ByContour>(plan);
    case AccountantName::loss_distribution:
      return std::make_unique<LossDistribution>(plan, tolerance);
    case AccountantName::renyi:
      renyi::curve_of(plan);
      return std::make_unique<OfWholePlan>(plan, renyi::epsilon, renyi::delta);
    case AccountantName::concentrated:
      concentrated::account_of(plan);
      return std::make_unique<OfWholePlan>(plan, concentrated::epsilon, concentrated::delta);
    case AccountantName::approximate:
      approximate::curve_of(plan);
      return std::make_unique<OfWholePlan>(plan, approximate::epsilon, approximate::delta);
    case AccountantName::gdp:
      tradeoff::gaussian_dp(plan);
      return std::make_unique<OfWholePlan>(plan, tradeoff::epsilon, tradeoff::delta);
  }
  throw InvalidArgument("there is no such accountant");
}

}  // namespace dpbudget
