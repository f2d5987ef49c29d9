#include "dpbudget/accounting/sequence/renyi.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/theorems.h"
#include "dpbudget/accounting/renyi/accountant.h"

namespace dpbudget::sequence {
namespace {

// The curves of all stretches, added up from the first round on; the sums of each order are kept, because searches for
// the best order of different prefixes visit the same orders again and again.
class Sums {
 public:
  struct Stretch {
    std::uint64_t before;  // rounds of the stretches before it
    renyi::CurvePtr curve;
  };

  explicit Sums(std::vector<Stretch> stretches) : stretches_(std::move(stretches)) {}

  // Of the first `rounds` rounds, rounded up.
  double at(double order, std::uint64_t rounds) const {
    return total(known_[order], rounds, [order](const renyi::Curve& curve) { return curve(order); });
  }
  double at_infinity(std::uint64_t rounds) const {
    return total(known_[std::numeric_limits<double>::infinity()], rounds,
                 [](const renyi::Curve& curve) { return curve.at_infinity(); });
  }

 private:
  struct Known {
    std::vector<double> one;     // a round of each stretch
    std::vector<double> before;  // everything before each stretch
  };

  template <class At>
  double total(Known& known, std::uint64_t rounds, const At& at) const {
    if (rounds == 0) return 0;
    const auto above = std::ranges::upper_bound(stretches_, rounds - 1, {}, &Stretch::before);
    const auto last = static_cast<std::size_t>(above - stretches_.begin()) - 1;
    for (std::size_t i = known.one.size(); i <= last; ++i) {
      const double one = at(*stretches_[i].curve);
      known.before.push_back(i == 0 ? 0 : through(known, i - 1, stretches_[i].before - stretches_[i - 1].before));
      known.one.push_back(one);
    }
    return through(known, last, rounds - stretches_[last].before);
  }

  static double through(const Known& known, std::size_t i, std::uint64_t count) {
    return numeric::add_up(known.before[i], numeric::multiply_up(static_cast<double>(count), known.one[i]));
  }

  std::vector<Stretch> stretches_;
  mutable std::map<double, Known> known_;  // by order
};

class Prefix final : public renyi::Curve {
 public:
  Prefix(std::shared_ptr<const Sums> sums, std::uint64_t rounds) : sums_(std::move(sums)), rounds_(rounds) {}
  double operator()(double order) const override { return sums_->at(order, rounds_); }
  double at_infinity() const override { return sums_->at_infinity(rounds_); }

 private:
  std::shared_ptr<const Sums> sums_;
  std::uint64_t rounds_;
};

class Renyi final : public Accountant {
 public:
  Renyi(const Sequence& sequence, double delta) : delta_(delta) {
    std::vector<Sums::Stretch> stretches;
    Theorems theorems;
    std::uint64_t rounds = 0;
    for (const Stretch& stretch : sequence.stretches) {
      const renyi::PlanCurve round = renyi::curve_of({stretch.round, sequence.adjacency});
      for (const std::string& theorem : round.theorems) theorems.cite(theorem);
      stretches.push_back({rounds, round.curve});
      rounds += stretch.count;
    }
    theorems_ = std::move(theorems);
    sums_ = std::make_shared<const Sums>(std::move(stretches));
  }

  Answer<Bound> epsilon(std::uint64_t rounds) override {
    Theorems theorems = theorems_;
    if (rounds > 1) theorems.cite("composition: Mironov 2017, Proposition 1");
    const renyi::PlanCurve prefix{std::make_shared<Prefix>(sums_, rounds), theorems.take()};
    return answered([&] { return renyi::epsilon_bound(prefix, delta_); });
  }

 private:
  double delta_;
  Theorems theorems_;
  std::shared_ptr<const Sums> sums_;
};

}  // namespace

std::unique_ptr<Accountant> make_renyi(const Sequence& sequence, double delta) {
  return std::make_unique<Renyi>(sequence, delta);
}

}  // namespace dpbudget::sequence
