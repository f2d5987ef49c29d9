/// @file
/// Every accountant behind one face, by name; and the best of them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "dpbudget/accounting/base/answer.h"
#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget {

/// The relative width of brackets that is aimed at unless another is asked for.
inline constexpr double default_tolerance = 1e-3;

/// Which accountant answers.
enum class AccountantName {
  best,               ///< the narrowest bracket that all others prove together: best_of.h says how far
  exact,              ///< compositions of Gaussians alone, in closed form, and one set of shuffled reports
  contour,            ///< Gaussians, Poisson-sampled or not, by a certified contour integral
  loss_distribution,  ///< privacy-loss distributions: any event
  renyi,              ///< Rényi DP: from above only
  concentrated,       ///< zCDP and truncated CDP: from above only
  approximate,        ///< (epsilon, delta)-DP composed as such: from above only
  gdp,                ///< Gaussian DP: Gaussians exactly, samples of them by central limit theorems, as an estimate
};

inline constexpr std::array all_accountants = {
    AccountantName::best,  AccountantName::exact,        AccountantName::contour,     AccountantName::loss_distribution,
    AccountantName::renyi, AccountantName::concentrated, AccountantName::approximate, AccountantName::gdp};

constexpr std::string_view to_string(AccountantName name) {
  switch (name) {
    case AccountantName::best:
      return "best";
    case AccountantName::exact:
      return "exact";
    case AccountantName::contour:
      return "contour";
    case AccountantName::loss_distribution:
      return "loss_distribution";
    case AccountantName::renyi:
      return "renyi";
    case AccountantName::concentrated:
      return "concentrated";
    case AccountantName::approximate:
      return "approximate";
    case AccountantName::gdp:
      return "gdp";
  }
  return "";
}

/// @return nothing when `name` is not the name of an accountant
constexpr std::optional<AccountantName> accountant_named(std::string_view name) {
  for (const AccountantName accountant : all_accountants)
    if (to_string(accountant) == name) return accountant;
  return std::nullopt;
}

/// Answers for any number of repetitions of one plan, by brackets whose both ends are proven (0 where nothing is known
/// from below), or refuses: that an accountant cannot answer is a value, for that nobody is to blame. What was computed
/// of the plan is kept from one question to the next. Not to be shared between threads.
class Accountant {
 public:
  Accountant() = default;
  Accountant(const Accountant&) = delete;
  Accountant& operator=(const Accountant&) = delete;
  virtual ~Accountant() = default;

  /// A bracket around the smallest epsilon for which `count` repetitions of the plan are (epsilon, delta)-DP.
  /// @param count  in [0, 2^53]
  /// @param delta  in [0, 1), 0 asking for pure DP: `best` and `approximate` answer that, by the latter's theorems
  /// @throws InvalidArgument naming the argument outside its range
  virtual Answer<Bound> epsilon(std::uint64_t count, double delta) = 0;

  /// As `epsilon`, with the same upper end, or a larger one where accountants that take long are not asked for what
  /// they have never been seen to lower; the lower one may be less than that of `epsilon`, down to 0. Where data sets
  /// do not attain the upper end, to see what they attain takes as long again, and longer.
  virtual Answer<Bound> epsilon_from_above(std::uint64_t count, double delta);

  /// As `epsilon_from_above`, for searches: it may end as soon as it is_clear_of `budget`, or has a resolved upper end
  /// that is no more, as which side of that the answer is on is then all there is to know. Otherwise it is as narrow as
  /// that.
  /// @param budget  of epsilon, in [0, inf)
  virtual Answer<Bound> epsilon_beside(std::uint64_t count, double delta, double budget);

  /// A bracket around the smallest delta.
  /// @param epsilon  in [0, inf)
  virtual Answer<DeltaBound> delta(std::uint64_t count, double epsilon) = 0;

  /// As epsilon_from_above.
  virtual Answer<DeltaBound> delta_from_above(std::uint64_t count, double epsilon);

  /// As `delta_from_above`, for searches: it may end as soon as the upper end is at most `budget`.
  /// @param budget  of delta, in [0, 1)
  virtual Answer<DeltaBound> delta_beside(std::uint64_t count, double epsilon, double budget);

  /// Whether the upper end that `delta` gives is seen to be above e^log_most by far less than it takes to find it;
  /// where it is not, it may be above all the same.
  virtual bool is_delta_above(std::uint64_t count, double epsilon, double log_most);

  /// How far the upper end that `delta` gives is above `most`: the logarithm of their ratio, at most 0 exactly where it
  /// is within. No more is asked than it takes to see that: whoever `best` asks afterwards can only lower that end, and
  /// so can finer meshes.
  /// @param most  in [0, 1)
  Answer<double> log_excess_of_delta(std::uint64_t count, double epsilon, double most);
};

/// @param plan       one repetition
/// @param tolerance  relative width that brackets are refined to, where the accountant can; in (0, 1)
/// @return a refusal when the accountant has no theorem for the plan; for `best`, when no accountant has
/// @throws InvalidArgument naming the number that is unknown or outside its range
Answer<std::unique_ptr<Accountant>> make_accountant(AccountantName name, const Plan& plan,
                                                    double tolerance = default_tolerance);

}  // namespace dpbudget
