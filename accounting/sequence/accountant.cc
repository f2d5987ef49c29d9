#include "dpbudget/accounting/sequence/accountant.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "dpbudget/accounting/accountants/best_of.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/integer_search.h"
#include "dpbudget/accounting/plan/normal_form.h"
#include "dpbudget/accounting/sequence/loss_distribution.h"
#include "dpbudget/accounting/sequence/renyi.h"

namespace dpbudget::sequence {
namespace {

// All rounds are the same.
class Uniform final : public Accountant {
 public:
  Uniform(AccountantName name, const Sequence& sequence, double delta, double tolerance)
      : delta_(delta),
        accountant_(dpbudget::make_accountant(name, {sequence.first(1), sequence.adjacency}, tolerance).value()) {}
  Answer<Bound> epsilon(std::uint64_t rounds) override { return accountant_->epsilon(rounds, delta_); }

 private:
  double delta_;
  std::unique_ptr<dpbudget::Accountant> accountant_;
};

// The first rounds as one plan, made anew for every question.
class AsOnePlan final : public Accountant {
 public:
  AsOnePlan(AccountantName name, Sequence sequence, double delta, double tolerance)
      : name_(name), sequence_(std::move(sequence)), delta_(delta), tolerance_(tolerance) {
    of(sequence_.rounds()).value();  // refuses here what it cannot take
  }
  Answer<Bound> epsilon(std::uint64_t rounds) override {
    const auto accountant = of(rounds);
    if (!accountant) return accountant.error();
    return (*accountant)->epsilon(1, delta_);
  }

 private:
  Answer<std::unique_ptr<dpbudget::Accountant>> of(std::uint64_t rounds) const {
    return dpbudget::make_accountant(name_, {sequence_.first(rounds), sequence_.adjacency}, tolerance_);
  }

  AccountantName name_;
  Sequence sequence_;
  double delta_;
  double tolerance_;
};

// What all others prove together.
class Best final : public Accountant {
 public:
  Best(const Sequence& sequence, double delta, double tolerance)
      : members_([=](AccountantName name) { return make_accountant(name, sequence, delta, tolerance); }, tolerance) {
    if (const auto refusal = members_.refusal()) throw Unsupported(*refusal);
  }

  Answer<Bound> epsilon(std::uint64_t rounds) override {
    return members_.asked([&](Accountant& member) { return member.epsilon(rounds); });
  }

 private:
  BestOf<Accountant> members_;
};

// What all have in common: the range of the question, and keeping answers; of a sequence that stands for another that
// releases less, the upper ends alone.
class Keeping final : public Accountant {
 public:
  Keeping(std::unique_ptr<Accountant> accountant, std::uint64_t rounds, bool is_exact)
      : accountant_(std::move(accountant)), rounds_(rounds), is_exact_(is_exact) {}

  Answer<Bound> epsilon(std::uint64_t rounds) override {
    require(rounds <= rounds_, "rounds", rounds, "at most the sequence's, " + std::to_string(rounds_));
    const auto known = known_.find(rounds);
    if (known != known_.end()) return known->second;
    Answer<Bound> bound = accountant_->epsilon(rounds);
    if (bound && !is_exact_) {
      bound->lower = 0;
      bound->notes.emplace_back(
          "rounds whose noises differ by less than the tolerance are counted at the least noise among them");
    }
    return known_.emplace(rounds, std::move(bound)).first->second;
  }

 private:
  std::unique_ptr<Accountant> accountant_;
  std::uint64_t rounds_;
  bool is_exact_;
  std::map<std::uint64_t, Answer<Bound>> known_;
};

// Enough to choose a mesh by.
double rough_epsilon(const Sequence& sequence, double delta) {
  const auto renyi = answered([&] { return make_renyi(sequence, delta); });
  const auto found = renyi ? (*renyi)->epsilon(sequence.rounds()) : renyi.error();
  return found && 0 < found->upper && std::isfinite(found->upper) ? found->upper : 1;
}

std::unique_ptr<Accountant> made(AccountantName name, const Sequence& sequence, double delta, double tolerance) {
  if (sequence.stretches.size() == 1) return std::make_unique<Uniform>(name, sequence, delta, tolerance);
  switch (name) {
    case AccountantName::best:
      return std::make_unique<Best>(sequence, delta, tolerance);
    case AccountantName::renyi:
      return make_renyi(sequence, delta);
    case AccountantName::loss_distribution:
      return make_loss_distribution(sequence, delta, tolerance, rough_epsilon(sequence, delta));
    default:
      return std::make_unique<AsOnePlan>(name, sequence, delta, tolerance);
  }
}

}  // namespace

Answer<std::unique_ptr<Accountant>> make_accountant(AccountantName name, const Sequence& sequence, double delta,
                                                    double tolerance) {
  ranges::delta(delta);
  require(0 < tolerance && tolerance < 1, "tolerance", tolerance, "in (0, 1)");
  Sequence normal{{}, sequence.adjacency};  // exact for the members of `best`: the outermost accountant speaks for them
  for (const Stretch& stretch : sequence.stretches)
    normal.add(NormalPlan(stretch.round, sequence.adjacency).event(), stretch.count);
  return answered([&]() -> std::unique_ptr<Accountant> {
    return std::make_unique<Keeping>(made(name, normal, delta, tolerance), normal.rounds(), sequence.is_exact);
  });
}

Answer<Reach> reach(Accountant& accountant, std::uint64_t total, double epsilon, std::uint64_t start) {
  ranges::epsilon(epsilon);
  require(start <= total, "start", start, "at most total, " + std::to_string(total));
  const auto fits = [&](std::uint64_t rounds) {
    const Answer<Bound> spent = accountant.epsilon(rounds);
    return spent && spent->upper <= epsilon;
  };
  // A guess is looked at first: far beyond it an answer may take long.
  const bool is_guessed = 0 < start && start < total;
  if (!is_guessed && fits(total)) return Reach{total, true, *accountant.epsilon(total), {}};
  const std::uint64_t rounds =
      is_guessed ? numeric::largest_that_fits(start, total + 1, [&](std::uint64_t r) { return r <= total && fits(r); })
                 : numeric::largest_that_fits(std::min(start, total - 1), total, fits);
  if (rounds == total) return Reach{total, true, *accountant.epsilon(total), {}};
  const Answer<Bound> at_rounds = accountant.epsilon(rounds);
  const Answer<Bound> at_next = accountant.epsilon(rounds + 1);
  if (!at_rounds || (rounds == 0 && !at_next)) return at_rounds ? at_next.error() : at_rounds.error();
  return Reach{rounds, false, *at_rounds, at_next ? *at_next : no_bound(at_next.error())};
}

}  // namespace dpbudget::sequence
