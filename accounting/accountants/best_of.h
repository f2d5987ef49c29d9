/// @file
/// What several accountants prove together.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget {

/// The accountants that `best` asks, from the narrowest on. The first knows closed forms, which nothing can add to.
/// @param is_shuffled  whether reports are shuffled anywhere in what they are asked about
std::vector<AccountantName> best_members(bool is_shuffled);

/// Takes over the smaller upper end, with what it rests on, and the larger lower one.
void merge(Bound& best, Bound other);
void merge(DeltaBound& best, DeltaBound other);

/// Whether the ends are no farther apart than `tolerance` times the upper one.
bool is_narrow(const Bound& bound, double tolerance);
bool is_narrow(const DeltaBound& found, double tolerance);

/// Asks accountants in turn until what they say together is narrow. A member is made when it is first needed.
template <class Member>
class BestOf {
 public:
  using Make = std::function<std::unique_ptr<Member>(AccountantName)>;

  /// @param make  throws InvalidArgument where that accountant has no theorem: what it is made for is in range
  /// @throws Unsupported when none has
  BestOf(const std::vector<AccountantName>& names, Make make, double tolerance)
      : make_(std::move(make)), tolerance_(tolerance) {
    for (const AccountantName name : names) slots_.push_back({name, nullptr, false});
    for (Slot& slot : slots_)
      if (made(slot) != nullptr) return;
    throw Unsupported(refusal_);
  }

  /// @param ask  what it throws as InvalidArgument is the member's own limit: the question is in range
  /// @throws Unsupported when no member answers
  template <class Ask>
  auto asked(const Ask& ask) {
    std::optional<std::invoke_result_t<Ask, Member&>> best;
    for (Slot& slot : slots_) {
      Member* member = made(slot);
      if (member == nullptr) continue;
      try {
        auto answer = ask(*member);
        if (best)
          merge(*best, std::move(answer));
        else
          best = std::move(answer);
      } catch (const InvalidArgument& unable) {
        refusal_ = unable.what();
      }
      if (best && (slot.name == AccountantName::exact || is_narrow(*best, tolerance_))) break;
    }
    if (!best) throw Unsupported(refusal_);
    check_consistency(*best);
    return *best;
  }

 private:
  struct Slot {
    AccountantName name;
    std::unique_ptr<Member> member;
    bool is_unable;
  };

  Member* made(Slot& slot) {
    if (slot.member || slot.is_unable) return slot.member.get();
    try {
      slot.member = make_(slot.name);
    } catch (const InvalidArgument& unable) {
      slot.is_unable = true;
      // The widest reach, and so the most to say.
      if (refusal_.empty() || slot.name == AccountantName::loss_distribution) refusal_ = unable.what();
    }
    return slot.member.get();
  }

  Make make_;
  double tolerance_;
  std::vector<Slot> slots_;
  std::string refusal_;
};

}  // namespace dpbudget
