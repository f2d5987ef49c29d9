#include "dpbudget/accounting/sequence/affordable.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/numeric/integer_search.h"

namespace dpbudget::sequence {
namespace {

// How many rounds are looked at first.
constexpr std::uint64_t fewest_looked_at = 8;

class Affordable {
 public:
  Affordable(const FirstRounds& first, double delta, double tolerance, double epsilon)
      : first_(first), delta_(delta), tolerance_(tolerance), epsilon_(epsilon) {}

  Answer<Reach> within(AccountantName name, std::uint64_t total, std::uint64_t start) const {
    const auto asked = accountant(name, first_(total));
    if (!asked) return asked.error();
    return reach(**asked, total, epsilon_, start);
  }

  Answer<Reach> by_best(std::uint64_t total, std::uint64_t start) const {
    const Sequence all = first_(total);
    if (all.stretches.size() == 1) return within(AccountantName::best, total, start);
    const auto near = within(AccountantName::loss_distribution, total, start);
    if (!near || near->rounds == 0) return within(AccountantName::best, total, start);
    const auto best = accountant(AccountantName::best, all);
    if (!best) return best.error();
    const auto found = near->is_whole ? std::nullopt : decided(**best, total, near->rounds);
    return found ? *found : reach(**best, total, epsilon_, near->rounds);
  }

 private:
  Answer<std::unique_ptr<Accountant>> accountant(AccountantName name, const Sequence& rounds) const {
    return make_accountant(name, rounds, delta_, tolerance_);
  }

  // Loss distributions say how many rounds fit and how many do not, and `best` is asked about those between. Nothing
  // where they do not say so.
  std::optional<Reach> decided(Accountant& best, std::uint64_t total, std::uint64_t near) const {
    // A mesh for hardly more rounds than these is finer.
    const std::uint64_t most = std::min(total, near + near / 16 + 2);
    const auto mesh = accountant(AccountantName::loss_distribution, first_(most));
    if (!mesh) return std::nullopt;
    const auto proven = reach(**mesh, most, epsilon_, near);
    if (!proven || proven->is_whole || proven->rounds == 0) return std::nullopt;
    const auto exceeds = [&](std::uint64_t rounds) {
      const auto spent = (*mesh)->epsilon(rounds);
      return spent && spent->lower > epsilon_;
    };
    if (!exceeds(most)) return std::nullopt;
    const auto is_open = [&](std::uint64_t rounds) { return !exceeds(rounds); };
    const std::uint64_t beyond = numeric::largest_that_fits(proven->rounds, most, is_open) + 1;
    const auto fits = [&](std::uint64_t rounds) {
      const auto spent = best.epsilon(rounds);
      return spent && spent->upper <= epsilon_;
    };
    const std::uint64_t middle = proven->rounds + (beyond - proven->rounds) / 2;
    const std::uint64_t found = numeric::largest_that_fits(middle, beyond, fits);
    const auto next = found + 1 < beyond ? best.epsilon(found + 1) : (*mesh)->epsilon(beyond);
    if (found < proven->rounds || !next) return std::nullopt;
    return Reach{found, false, *best.epsilon(found), *next};
  }

  const FirstRounds& first_;
  double delta_;
  double tolerance_;
  double epsilon_;
};

}  // namespace

Answer<Reach> affordable(const FirstRounds& first, std::uint64_t end, AccountantName name, double delta,
                         double tolerance, double epsilon) {
  ranges::epsilon(epsilon);
  const Affordable budget(first, delta, tolerance, epsilon);
  const bool is_best = name == AccountantName::best;
  std::uint64_t total = std::min(end, fewest_looked_at);
  std::uint64_t start = 0;
  // What the Rényi accountant proves, which takes least, `best` does as well.
  while (is_best) {
    const auto ahead = budget.within(AccountantName::renyi, total, start);
    if (!ahead) break;
    start = ahead->rounds;
    if (!ahead->is_whole || total == end) break;
    total = std::min(end, 2 * total);
  }
  for (;; total = std::min(end, 2 * total)) {
    const auto found = is_best ? budget.by_best(total, start) : budget.within(name, total, start);
    if (!found || !found->is_whole || total == end) return found;
    start = found->rounds;
  }
}

}  // namespace dpbudget::sequence
