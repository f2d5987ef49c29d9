/// @file
/// What several accountants prove together.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/answer.h"
#include "dpbudget/accounting/base/bound.h"

namespace dpbudget {

/// The accountants that `best` asks, in this order but for what `Meshes` says: those that are narrow where they answer
/// at all, those that bound from above alone and cost little, and the meshes, which cost most.
inline constexpr std::array best_members = {AccountantName::exact,        AccountantName::contour,
                                            AccountantName::approximate,  AccountantName::renyi,
                                            AccountantName::concentrated, AccountantName::loss_distribution};

/// Takes over the smaller upper end, with what it rests on, and the larger lower one; with a note of what that rests on
/// where it is above the upper end's own by a thousandth.
void merge(Bound& best, Bound other);
/// The same of brackets of delta.
void merge(DeltaBound& best, DeltaBound other);

/// Whether the ends are no farther apart than `tolerance` times the upper one.
bool is_narrow(const Bound& bound, double tolerance);
/// The same of a bracket of delta.
bool is_narrow(const DeltaBound& found, double tolerance);

/// Up to which width of what the others prove together `name` need not be asked: `tolerance` for meshes, and hardly any
/// for the others.
double enough_without(AccountantName name, double tolerance);
double enough_closed(double tolerance);  ///< of those that cost little

/// Bound::is_resolved.
bool is_resolved(const Bound& bound);
/// The same of a bracket of delta.
bool is_resolved(const DeltaBound& found);

/// Whether that member bounds from above alone.
bool is_one_sided(AccountantName name);

/// What loss distributions are good for, and so when they are asked.
struct Meshes {
  /// Where this member reaches its tolerance they see no more than it, and take longer.
  std::optional<AccountantName> beside = std::nullopt;
  bool are_after_roots = false;     ///< `approximate` takes next to nothing and is asked first: that may be enough
  bool are_cheap = false;           ///< they cost little, and are often the sharpest: of a few releases
  bool are_after_contours = false;  ///< of what contours have no need to discretise, nobody is sharper
  bool are_first = false;           ///< those who bound from above alone take longer, and are asked where they are wide
  /// Nobody knows a better pair: once what that costs is resolved none is asked who bounds from above alone.
  bool are_best = false;
  /// Classical curves are at least those of the pairs: once what these cost is resolved `approximate` is not asked.
  bool are_below_curves = false;
};

/// Whether a member cannot add to the bracket: of shuffles `approximate` has no positive deltas that are smaller.
bool is_beyond(AccountantName name, const Bound& bound, const Meshes& meshes);
/// The same of a bracket of delta.
bool is_beyond(AccountantName name, const DeltaBound& found, const Meshes& meshes);

/// The members' order: of those with the same number, that of `best_members`.
int place_of(AccountantName name, const Meshes& meshes);

/// Asks accountants in turn, until what they say together is so narrow that the next cannot add to it. A member is made
/// when it is first needed.
///
/// The answer is never above that of a member that was asked. Whoever was not was left out because the bracket was
/// narrow already: as its lower end is proven, no member can be below the answer by more than that width, which is at
/// most 1e-7 of it, or `tolerance` for loss distributions, for whom the caller says knows no better pairs and for whom
/// it says takes longer. Loss distributions are not asked where the caller says that they see no more than a member
/// that answered and reached its tolerance; of deltas of shuffles below e^-690 `approximate` is not. Those who bound
/// from above alone, or the classical one of them, are not asked where the caller says that they know no better pair
/// than one whose cost is resolved; where upper ends alone are asked for, theirs may then be below the answer.
template <class Member>
class BestOf {
 public:
  using Make = std::function<Answer<std::unique_ptr<Member>>(AccountantName)>;

  BestOf(Make make, double tolerance) : make_(std::move(make)), tolerance_(tolerance) {
    for (const AccountantName name : best_members) slots_.push_back({name, nullptr, false});
  }

  /// Why nobody has a theorem; nothing where somebody has.
  std::optional<Refusal> refusal() {
    for (Slot& slot : slots_)
      if (made(slot) != nullptr) return std::nullopt;
    return refusal_;
  }

  /// @param ask     gives an Answer of Bound or DeltaBound; if it has `is_in_vain`, of a member and what is known, it
  /// is
  ///                not used where that holds: the member's upper end would be above
  /// @param meshes  what loss distributions are good for
  /// @return a refusal when no member answers
  template <class Ask>
  std::invoke_result_t<const Ask&, Member&> asked(const Ask& ask, const Meshes& meshes = {}) {
    return asked_until([](const auto&) { return false; }, ask, meshes);
  }

  /// As `asked`, but nobody more once what they say together is enough.
  template <class IsEnough, class Ask>
  std::invoke_result_t<const Ask&, Member&> asked_until(const IsEnough& is_enough, const Ask& ask,
                                                        const Meshes& meshes = {}) {
    using Found = typename std::invoke_result_t<const Ask&, Member&>::value_type;
    std::optional<Found> best;
    bool are_idle = false;
    std::ranges::stable_sort(slots_, {}, [&](const Slot& slot) { return place_of(slot.name, meshes); });
    for (Slot& slot : slots_) {
      if (best && is_enough(*best)) break;
      if (best && is_one_sided(slot.name) && is_outdone(slot.name, *best, meshes)) continue;
      const bool is_mesh = slot.name == AccountantName::loss_distribution;
      const bool costs_little = is_mesh && meshes.are_cheap;
      if (best && is_narrow(*best, costs_little ? enough_closed(tolerance_) : enough_without(slot.name, tolerance_)))
        continue;
      if (best && ((is_mesh && are_idle) || is_beyond(slot.name, *best, meshes))) continue;
      Member* member = made(slot);
      if (member == nullptr || (best && is_in_vain(ask, *member, *best))) continue;
      auto answer = ask(*member);
      are_idle = are_idle || (answer && slot.name == meshes.beside && is_resolved(*answer));
      if (!answer)
        note(slot.name, answer.error());
      else if (best)
        merge(*best, *std::move(answer));
      else
        best = *std::move(answer);
    }
    if (!best) return refusal_;
    check_consistency(*best);
    return *std::move(best);
  }

 private:
  struct Slot {
    AccountantName name;
    std::unique_ptr<Member> member;
    bool is_unable;
  };

  template <class Ask, class Found>
  static bool is_in_vain(const Ask& ask, Member& member, const Found& best) {
    if constexpr (requires { ask.is_in_vain(member, best); }) return ask.is_in_vain(member, best);
    return false;
  }

  // Whether one who bounds from above alone has nothing to add.
  template <class Found>
  bool is_outdone(AccountantName name, const Found& best, const Meshes& meshes) const {
    const bool are_sharper = meshes.are_best || (meshes.are_below_curves && name == AccountantName::approximate);
    return (are_sharper && is_resolved(best)) || (meshes.are_first && is_narrow(best, tolerance_));
  }

  Member* made(Slot& slot) {
    if (slot.member || slot.is_unable) return slot.member.get();
    auto member = make_(slot.name);
    if (member) {
      slot.member = *std::move(member);
    } else {
      slot.is_unable = true;
      note(slot.name, member.error());
    }
    return slot.member.get();
  }

  // Nobody asked for this member by name; loss distributions reach farthest, and so have the most to say.
  void note(AccountantName name, const Refusal& refusal) {
    if (refusal_.reason.empty() || name == AccountantName::loss_distribution) refusal_ = refusal.of_all();
  }

  Make make_;
  double tolerance_;
  std::vector<Slot> slots_;
  Refusal refusal_;
};

}  // namespace dpbudget
