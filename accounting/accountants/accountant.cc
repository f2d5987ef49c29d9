#include "dpbudget/accounting/accountants/accountant.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "dpbudget/accounting/accountants/best_of.h"
#include "dpbudget/accounting/approximate/accountant.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/interruption.h"
#include "dpbudget/accounting/base/last_few.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/concentrated/accountant.h"
#include "dpbudget/accounting/contour/accountant.h"
#include "dpbudget/accounting/exact/accountant.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/loss_distribution/basis.h"
#include "dpbudget/accounting/loss_distribution/clipped_batches.h"
#include "dpbudget/accounting/plan/normal_form.h"
#include "dpbudget/accounting/plan/releases.h"
#include "dpbudget/accounting/plan/visit.h"
#include "dpbudget/accounting/renyi/accountant.h"
#include "dpbudget/accounting/shuffle/local.h"
#include "dpbudget/accounting/tradeoff/accountant.h"

namespace dpbudget {
namespace {

constexpr std::string_view no_pure_guarantee =
    "has no theorem for pure DP (delta 0) of this plan: Gaussian noise and guarantees with a delta have none; "
    "ask for a delta above 0";

// Whether it is above is for the end that is printed to say, and not for its rounded logarithm.
double log_excess(const DeltaBound& found, double most) {
  const double excess = found.log_upper - std::log(most);
  return found.bound.upper <= most ? std::min(0.0, excess) : std::max(std::numeric_limits<double>::min(), excess);
}

// One accountant's own class, asked for numbers in range.
template <class Own>
class By final : public Accountant {
 public:
  template <class... Given>
  explicit By(const Given&... given) : own_(given...) {}

  Answer<Bound> epsilon(std::uint64_t count, double delta) override {
    ranges::count(count);
    ranges::delta_from_zero(delta);
    heed_interruption();
    if (delta > 0)
      return epsilons_.found({count, delta}, [&] { return consistent([&] { return own_.epsilon(count, delta); }); });
    if constexpr (std::is_same_v<Own, approximate::Accountant>) return pure_epsilon(count);
    return Refusal{"", "delta 0 asks for pure DP, for which the accountants best and approximate alone have theorems"};
  }
  Answer<Bound> epsilon_from_above(std::uint64_t count, double delta) override {
    if (!has_own_upper_end()) return epsilon(count, delta);
    return upper_epsilon(count, delta, [&](auto& own) { return own.epsilon_from_above(count, delta); });
  }
  Answer<Bound> epsilon_beside(std::uint64_t count, double delta, double budget) override {
    ranges::epsilon(budget);
    return upper_epsilon(count, delta, [&](auto& own) { return own.epsilon_beside(count, delta, budget); });
  }
  Answer<DeltaBound> delta(std::uint64_t count, double epsilon) override {
    ranges::count(count);
    ranges::epsilon(epsilon);
    heed_interruption();
    return deltas_.found({count, epsilon}, [&] { return consistent([&] { return own_.delta(count, epsilon); }); });
  }
  Answer<DeltaBound> delta_from_above(std::uint64_t count, double epsilon) override {
    if (!has_own_upper_end()) return delta(count, epsilon);
    return upper_delta(count, epsilon, [&](auto& own) { return own.delta_from_above(count, epsilon); });
  }
  Answer<DeltaBound> delta_beside(std::uint64_t count, double epsilon, double budget) override {
    ranges::delta_from_zero(budget);
    return upper_delta(count, epsilon, [&](auto& own) { return own.delta_beside(count, epsilon, budget); });
  }
  bool is_delta_above(std::uint64_t count, double epsilon, double log_most) override {
    if constexpr (std::is_same_v<Own, approximate::Accountant>) {
      heed_interruption();
      const auto found = answered([&] { return own_.is_delta_above(count, epsilon, log_most); });
      return found && *found;
    }
    return false;
  }

 private:
  // Whether it may be asked for less than both ends.
  static constexpr bool tells_ends_apart =
      std::is_same_v<Own, loss_distribution::Accountant> || std::is_same_v<Own, contour::Contour>;

  // Whether the lower end is of another pair, which takes as long again.
  bool has_own_upper_end() const {
    if constexpr (tells_ends_apart) return own_.is_unattained();
    return false;
  }

  // By `ask` of an accountant that may be asked for less than both ends, unless these are known.
  template <class Ask>
  Answer<Bound> upper_epsilon(std::uint64_t count, double delta, const Ask& ask) {
    if constexpr (tells_ends_apart)
      if (delta > 0 && epsilons_.known({count, delta}) == nullptr) {
        ranges::count(count);
        ranges::delta_from_zero(delta);
        heed_interruption();
        return consistent([&] { return ask(own_); });
      }
    return epsilon(count, delta);
  }

  // The same of delta.
  template <class Ask>
  Answer<DeltaBound> upper_delta(std::uint64_t count, double epsilon, const Ask& ask) {
    if constexpr (tells_ends_apart)
      if (deltas_.known({count, epsilon}) == nullptr) {
        ranges::count(count);
        ranges::epsilon(epsilon);
        heed_interruption();
        return consistent([&] { return ask(own_); });
      }
    return delta(count, epsilon);
  }

  template <class Ask>
  static Answer<std::invoke_result_t<const Ask&>> consistent(const Ask& ask) {
    auto found = answered(ask);
    if (found) check_consistency(*found);
    return found;
  }

  Answer<Bound> pure_epsilon(std::uint64_t count) const
    requires std::is_same_v<Own, approximate::Accountant>
  {
    Answer<Bound> found = consistent([&] { return own_.epsilon(count, 0); });
    if (!found || std::isfinite(found->upper)) return found;
    return Refusal{std::string(to_string(AccountantName::approximate)), std::string(no_pure_guarantee)};
  }

  // Searches come back to where they were, asking for another end or for less of one: to most accountants that is the
  // same question.
  static constexpr std::size_t most_kept = 16;
  using Asked = std::pair<std::uint64_t, double>;  // count, and delta or epsilon

  Own own_;
  LastFew<Asked, Answer<Bound>> epsilons_{most_kept};
  LastFew<Asked, Answer<DeltaBound>> deltas_{most_kept};
};

Answer<std::unique_ptr<Accountant>> made(AccountantName name, const NormalPlan& plan, double tolerance);

// Asks a member, unless it has nothing below what is known.
struct AskForDelta {
  Answer<DeltaBound> (Accountant::*ask)(std::uint64_t, double);
  std::uint64_t count;
  double epsilon;

  Answer<DeltaBound> operator()(Accountant& member) const { return (member.*ask)(count, epsilon); }
  bool is_in_vain(Accountant& member, const DeltaBound& known) const {
    return member.is_delta_above(count, epsilon, known.log_upper);
  }
};

// What all others prove together.
class Best final : public Accountant {
 public:
  Best(const NormalPlan& plan, double tolerance)
      : pure_([=] { return made(AccountantName::approximate, plan, tolerance); }),
        members_([=](AccountantName name) { return member(name, plan, tolerance); }, tolerance),
        is_lone_shuffle_(has_many_reports(plan.event())),
        is_unattained_(is_unattained(plan)),
        has_games_(loss_distribution::has_clipped_batches(plan.event())),
        has_shuffles_(has_shuffles(plan.event())),
        is_of_shuffles_(is_of_shuffles(plan.event())),
        is_of_curves_(has_shuffles_ && is_of_curves(plan.event())),
        is_of_draws_(!has_games_ && has_draws(plan.event()) && is_of_draws(plan.event())),
        is_of_gaussians_(is_of_gaussians(plan.event())),
        has_quick_roots_(approximate::takes_little(plan.event())),
        most_on_meshes_(most_on_meshes(plan.event())),
        releases_(has_shuffled(plan.event()) ? infinity : number_of_releases(plan.event())) {}

  std::optional<Refusal> refusal() { return members_.refusal(); }

  Answer<Bound> epsilon(std::uint64_t count, double delta) override {
    return epsilon_by(&Accountant::epsilon, count, delta, meshes(count));
  }
  Answer<Bound> epsilon_from_above(std::uint64_t count, double delta) override {
    return epsilon_by(&Accountant::epsilon_from_above, count, delta, meshes_from_above(count));
  }
  Answer<Bound> epsilon_beside(std::uint64_t count, double delta, double budget) override {
    ranges::count(count);
    ranges::delta_from_zero(delta);
    ranges::epsilon(budget);
    if (delta == 0) return pure_epsilon(count);
    const auto is_enough = [&](const Bound& found) {
      return (found.upper <= budget && is_resolved(found)) || is_clear_of(budget, found.lower, found.upper);
    };
    return members_.asked_until(
        is_enough, [&](Accountant& member) { return member.epsilon_beside(count, delta, budget); },
        meshes_from_above(count));
  }
  Answer<DeltaBound> delta(std::uint64_t count, double epsilon) override {
    return delta_by(&Accountant::delta, count, epsilon, of_delta(meshes(count)));
  }
  Answer<DeltaBound> delta_from_above(std::uint64_t count, double epsilon) override {
    return delta_by(&Accountant::delta_from_above, count, epsilon, of_delta(meshes_from_above(count)));
  }
  Answer<DeltaBound> delta_beside(std::uint64_t count, double epsilon, double budget) override {
    ranges::count(count);
    ranges::epsilon(epsilon);
    ranges::delta_from_zero(budget);
    return members_.asked_until([&](const DeltaBound& found) { return found.bound.upper <= budget; },
                                [&](Accountant& member) { return member.delta_beside(count, epsilon, budget); },
                                of_delta(meshes_from_above(count)));
  }

 private:
  static Answer<std::unique_ptr<Accountant>> member(AccountantName name, const NormalPlan& plan, double tolerance);

  Answer<Bound> epsilon_by(Answer<Bound> (Accountant::*ask)(std::uint64_t, double), std::uint64_t count, double delta,
                           const Meshes& meshes) {
    ranges::count(count);
    ranges::delta_from_zero(delta);
    if (delta == 0) return pure_epsilon(count);
    return members_.asked([&](Accountant& member) { return (member.*ask)(count, delta); }, meshes);
  }
  Answer<DeltaBound> delta_by(Answer<DeltaBound> (Accountant::*ask)(std::uint64_t, double), std::uint64_t count,
                              double epsilon, const Meshes& meshes) {
    ranges::count(count);
    ranges::epsilon(epsilon);
    return members_.asked(AskForDelta{ask, count, epsilon}, meshes);
  }

  static bool is_shuffle(const Event& event, double least_reports) {
    const auto* shuffled = std::get_if<Shuffled>(&event);
    return shuffled != nullptr && shuffle::has_pure_reports(*shuffled) &&
           static_cast<double>(shuffled->reports.value()) >= least_reports;
  }
  // Of a single set of reports `exact` has the same pair's sums, and meshes of this many take seconds.
  static bool has_many_reports(const Event& event) { return is_shuffle(event, many_reports); }
  // Others are less sharp, and take longer where few reports hide the one that changed.
  static bool has_shuffles(const Event& event) {
    bool has_any = is_shuffle(event, 1);
    each_child(event, [&](const Event& child) { has_any = has_any || has_shuffles(child); });
    return has_any;
  }
  // Meshes have the best pairs of shuffled reports, and those of Gaussians.
  static bool is_of_shuffles(const Event& event) {
    return has_shuffles(event) && std::ranges::all_of(releases_of(event), [](const Release& one) {
             return is_shuffle(one.event, 1) || std::holds_alternative<Gaussian>(one.event);
           });
  }
  // Each alone, sampled or not, by all users or some: of these releases the classical curves are those of the pairs
  // that meshes have.
  static bool is_of_curves(const Event& event) {
    return std::ranges::all_of(releases_of(event), [](const Release& one) {
      const Event* inside = &one.event;
      if (const auto* some = std::get_if<Participates>(inside)) inside = &*some->inner;
      if (const auto* sample = std::get_if<PoissonSampled>(inside)) inside = &*sample->inner;
      if (const auto* sample = std::get_if<SampledWithoutReplacement>(inside)) inside = &*sample->inner;
      return is_shuffle(one.event, 1) || std::holds_alternative<Gaussian>(*inside) ||
             std::holds_alternative<Laplace>(*inside) || std::holds_alternative<DiscreteGaussian>(*inside) ||
             std::holds_alternative<DiscreteLaplace>(*inside) || std::holds_alternative<RandomizedResponse>(*inside) ||
             std::holds_alternative<PureDp>(*inside) || std::holds_alternative<ApproximateDp>(*inside);
    });
  }
  static bool has_draws(const Event& event) {
    bool has_any = std::holds_alternative<SampledWithReplacement>(event);
    each_child(event, [&](const Event& child) { has_any = has_any || has_draws(child); });
    return has_any;
  }
  // Whether `holds` does of the event and all inside of it, told whether there is anything inside.
  template <class Holds>
  static bool all_of(const Event& event, const Holds& holds) {
    bool is_leaf = true;
    bool are_all = true;
    each_child(event, [&](const Event& child) {
      is_leaf = false;
      are_all = are_all && all_of(child, holds);
    });
    return are_all && holds(event, is_leaf);
  }
  template <class... Kinds>
  static bool is_any(const Event& event) {
    return (std::holds_alternative<Kinds>(event) || ...);
  }
  // On batches drawn with replacement or of a given size all know the same pair.
  static bool is_of_draws(const Event& event) {
    return all_of(event, [](const Event& one, bool is_leaf) {
      return is_leaf
                 ? is_any<Gaussian, GaussianDp, Laplace, DiscreteGaussian, DiscreteLaplace, RandomizedResponse, PureDp>(
                       one)
                 : is_any<Composed, Repeated, Participates, SampledWithReplacement, SampledWithoutReplacement>(one);
    });
  }
  // Whose transforms are known, so that contours need no loss distribution of theirs.
  static bool is_of_gaussians(const Event& event) {
    return all_of(event, [](const Event& one, bool is_leaf) { return !is_leaf || is_any<Gaussian>(one); });
  }
  // Up to how many releases meshes cost little and are as sharp as contours: of equal discrete Gaussians, which are on
  // a lattice, any number, and of equal Laplaces more than of others.
  static double most_on_meshes(const Event& event) {
    const std::vector<Release> releases = releases_of(event);
    if (releases.size() == 1 && std::holds_alternative<DiscreteGaussian>(releases.front().event)) return infinity;
    if (releases.size() == 1 && std::holds_alternative<Laplace>(releases.front().event)) return many_laplaces;
    return few_releases;
  }
  static bool is_unattained(const NormalPlan& plan) {
    const auto basis = answered([&] {
      loss_distribution::Basis all(plan.adjacency());
      all.add(plan.event());
      return all;
    });
    return basis && basis->is_unattained();
  }
  // Loss distributions stand in for contours that would take long, and go before them where releases are few, unless
  // all are Gaussians.
  static constexpr double aim_of_meshes = 5e-8;
  static constexpr double many_reports = 0x1p14;
  static constexpr double few_releases = 64;
  static constexpr double many_laplaces = 512;

  Meshes meshes(std::uint64_t count) const {
    if (is_lone_shuffle_ && count == 1) return {.beside = AccountantName::exact, .are_best = true};
    if (has_shuffles_)
      return {
          .beside = std::nullopt, .are_first = true, .are_best = is_of_shuffles_, .are_below_curves = is_of_curves_};
    if (is_of_draws_) return {.beside = AccountantName::contour, .are_first = true, .are_best = true};
    if (is_unattained_ && !has_games_) return {.beside = AccountantName::contour, .are_after_roots = has_quick_roots_};
    const bool are_few = static_cast<double>(count) * releases_ <= most_on_meshes_;
    return {.beside = std::nullopt,
            .are_after_roots = has_quick_roots_,
            .are_cheap = are_few,
            .are_after_contours = is_of_gaussians_};
  }

  // Deltas of composed curves take `approximate` as long as others.
  static Meshes of_delta(Meshes asked) {
    asked.are_after_roots = false;
    return asked;
  }

  // From above meshes are not seen to be narrow, for their lower end is not looked for.
  Meshes meshes_from_above(std::uint64_t count) const {
    Meshes asked = meshes(count);
    asked.are_best = asked.are_best || asked.are_first;
    return asked;
  }

  Answer<Bound> pure_epsilon(std::uint64_t count) const {
    const auto approximate = pure_();
    Answer<Bound> found = approximate ? (*approximate)->epsilon(count, 0) : Answer<Bound>(approximate.error());
    if (found) return found;
    return found.error().of_all();
  }

  std::function<Answer<std::unique_ptr<Accountant>>()> pure_;  // who answers at delta 0
  BestOf<Accountant> members_;
  bool is_lone_shuffle_;
  bool is_unattained_;  // whose two ends are of different pairs
  bool has_games_;      // of which loss distributions alone know
  bool has_shuffles_;
  bool is_of_shuffles_;
  bool is_of_curves_;
  bool is_of_draws_;
  bool is_of_gaussians_;
  bool has_quick_roots_;
  double most_on_meshes_;
  double releases_;  // shuffles take long: infinitely many
};

template <class Own, class... Given>
Answer<std::unique_ptr<Accountant>> made_by(const Given&... given) {
  return answered([&]() -> std::unique_ptr<Accountant> { return std::make_unique<By<Own>>(given...); });
}

Answer<std::unique_ptr<Accountant>> Best::member(AccountantName name, const NormalPlan& plan, double tolerance) {
  if (name == AccountantName::loss_distribution)
    return made_by<loss_distribution::Accountant>(plan, tolerance, std::min(tolerance, aim_of_meshes));
  return made(name, plan, tolerance);
}

Answer<std::unique_ptr<Accountant>> made_best(const NormalPlan& plan, double tolerance) {
  auto best = std::make_unique<Best>(plan, tolerance);
  if (auto refusal = best->refusal()) return *std::move(refusal);
  return std::unique_ptr<Accountant>(std::move(best));
}

Answer<std::unique_ptr<Accountant>> made(AccountantName name, const NormalPlan& plan, double tolerance) {
  switch (name) {
    case AccountantName::best:
      return made_best(plan, tolerance);
    case AccountantName::exact:
      return made_by<exact::Accountant>(plan);
    case AccountantName::contour:
      return made_by<contour::Contour>(plan, tolerance);
    case AccountantName::loss_distribution:
      return made_by<loss_distribution::Accountant>(plan, tolerance);
    case AccountantName::renyi:
      return made_by<renyi::Accountant>(plan);
    case AccountantName::concentrated:
      return made_by<concentrated::Accountant>(plan);
    case AccountantName::approximate:
      return made_by<approximate::Accountant>(plan);
    case AccountantName::gdp:
      return made_by<tradeoff::Accountant>(plan);
  }
  throw InvalidArgument("there is no such accountant");
}

}  // namespace

Answer<Bound> Accountant::epsilon_from_above(std::uint64_t count, double delta) { return epsilon(count, delta); }

Answer<Bound> Accountant::epsilon_beside(std::uint64_t count, double delta, double budget) {
  ranges::epsilon(budget);
  return epsilon_from_above(count, delta);
}

Answer<DeltaBound> Accountant::delta_from_above(std::uint64_t count, double epsilon) { return delta(count, epsilon); }

Answer<DeltaBound> Accountant::delta_beside(std::uint64_t count, double epsilon, double budget) {
  ranges::delta_from_zero(budget);
  return delta_from_above(count, epsilon);
}

bool Accountant::is_delta_above(std::uint64_t, double, double) { return false; }

Answer<double> Accountant::log_excess_of_delta(std::uint64_t count, double epsilon, double most) {
  const Answer<DeltaBound> found = delta_beside(count, epsilon, most);
  if (!found) return found.error();
  return log_excess(*found, most);
}

Answer<std::unique_ptr<Accountant>> make_accountant(AccountantName name, const Plan& plan, double tolerance) {
  require(0 < tolerance && tolerance < 1, "tolerance", tolerance, "in (0, 1)");
  return made(name, plan, tolerance);
}

}  // namespace dpbudget
