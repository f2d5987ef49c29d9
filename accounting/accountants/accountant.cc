#include "dpbudget/accounting/accountants/accountant.h"

#include <utility>

#include "dpbudget/accounting/accountants/best_of.h"
#include "dpbudget/accounting/approximate/accountant.h"
#include "dpbudget/accounting/approximate/curve_of.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/concentrated/account_of.h"
#include "dpbudget/accounting/concentrated/accountant.h"
#include "dpbudget/accounting/contour/accountant.h"
#include "dpbudget/accounting/exact/composed_gaussian.h"
#include "dpbudget/accounting/exact/shuffled.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/plan/normal_form.h"
#include "dpbudget/accounting/renyi/accountant.h"
#include "dpbudget/accounting/tradeoff/accountant.h"

namespace dpbudget {
namespace {

// An accountant that looks at all repetitions as one plan.
class OfWholePlan final : public Accountant {
 public:
  using EpsilonOf = Bound (*)(const NormalPlan&, double);
  using DeltaOf = DeltaBound (*)(const NormalPlan&, double);

  OfWholePlan(NormalPlan plan, EpsilonOf epsilon_of, DeltaOf delta_of)
      : plan_(std::move(plan)), epsilon_of_(epsilon_of), delta_of_(delta_of) {}

  Bound epsilon(std::uint64_t count, double delta) override { return epsilon_of_(plan_.repeated(count), delta); }
  DeltaBound delta(std::uint64_t count, double epsilon) override { return delta_of_(plan_.repeated(count), epsilon); }

 private:
  NormalPlan plan_;
  EpsilonOf epsilon_of_;
  DeltaOf delta_of_;
};

class LossDistribution final : public Accountant {
 public:
  LossDistribution(const NormalPlan& plan, double tolerance) : accountant_(plan, tolerance) {}
  Bound epsilon(std::uint64_t count, double delta) override {
    Bound found = accountant_.epsilon(count, delta);
    check_consistency(found);
    return found;
  }
  DeltaBound delta(std::uint64_t count, double epsilon) override {
    DeltaBound found = accountant_.delta(count, epsilon);
    check_consistency(found);
    return found;
  }

 private:
  loss_distribution::Accountant accountant_;
};

class ByContour final : public Accountant {
 public:
  explicit ByContour(const NormalPlan& plan) : contour_(plan) {}
  Bound epsilon(std::uint64_t count, double delta) override {
    return contour_.epsilon(static_cast<double>(count), delta);
  }
  DeltaBound delta(std::uint64_t count, double epsilon) override {
    return contour_.delta(static_cast<double>(count), epsilon);
  }

 private:
  contour::Contour contour_;
};

Bound exact_epsilon(const NormalPlan& plan, double delta) {
  const auto* shuffled = std::get_if<Shuffled>(&plan.event());
  Bound bound = shuffled != nullptr ? exact::shuffled_epsilon(*shuffled, plan.adjacency(), delta)
                                    : exact::composed_gaussian_epsilon(plan, delta);
  bound.accountant = "exact";
  return bound;
}

DeltaBound exact_delta(const NormalPlan& plan, double epsilon) {
  const auto* shuffled = std::get_if<Shuffled>(&plan.event());
  DeltaBound found = shuffled != nullptr ? exact::shuffled_delta(*shuffled, plan.adjacency(), epsilon)
                                         : exact::composed_gaussian_delta(plan, epsilon);
  found.bound.accountant = "exact";
  return found;
}

std::unique_ptr<Accountant> made(AccountantName name, const NormalPlan& plan, double tolerance);

// What all others prove together.
class Best final : public Accountant {
 public:
  Best(const NormalPlan& plan, double tolerance)
      : members_(
            best_members(has_shuffled(plan.event())), [=](AccountantName name) { return made(name, plan, tolerance); },
            tolerance) {}

  Bound epsilon(std::uint64_t count, double delta) override {
    ranges::delta(delta);
    return members_.asked([&](Accountant& member) { return member.epsilon(count, delta); });
  }
  DeltaBound delta(std::uint64_t count, double epsilon) override {
    ranges::epsilon(epsilon);
    return members_.asked([&](Accountant& member) { return member.delta(count, epsilon); });
  }

 private:
  BestOf<Accountant> members_;
};

std::unique_ptr<Accountant> made(AccountantName name, const NormalPlan& plan, double tolerance) {
  switch (name) {
    case AccountantName::best:
      return std::make_unique<Best>(plan, tolerance);
    case AccountantName::exact:
      // Each refuses here what it cannot take, before any question.
      if (const auto* shuffled = std::get_if<Shuffled>(&plan.event()))
        exact::require_shuffled_theorem(*shuffled, plan.adjacency());
      else
        exact::composed_gaussian_delta(plan, 0);
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

}  // namespace

std::unique_ptr<Accountant> make_accountant(AccountantName name, const Plan& plan, double tolerance) {
  require(0 < tolerance && tolerance < 1, "tolerance", tolerance, "in (0, 1)");
  return made(name, plan, tolerance);
}

}  // namespace dpbudget
