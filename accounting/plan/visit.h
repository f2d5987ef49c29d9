/// @file
/// Visiting events. A visitor names every kind of event it has to decide about, so that the compiler names the visitor
/// when an event is added.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/event.h"

namespace dpbudget {

/// Calls the case for what it is given.
template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

/// Visits an event: every alternative must have a case of its own, or it does not compile.
/// @return what the case for the event's alternative returns
template <class... Cases>
decltype(auto) match(const Event& event, Cases&&... cases) {
  struct AddedLater {};
  static_assert(!std::is_invocable_v<Overloaded<std::decay_t<Cases>...>, const AddedLater&>,
                "a case for all that is left would take an event that is added later for something it is not");
  return std::visit(Overloaded{std::forward<Cases>(cases)...}, event);
}

/// Whether `Kind`, an alternative of Event, is one release, and no node.
template <class Kind>
inline constexpr bool is_leaf =
    !requires(const Kind& event) { event.inner; } && !requires(const Kind& event) { event.parts; };

/// An event that is a leaf, of whichever kind. Valid as long as the event.
class Leaf {
 public:
  /// @param event  one for which is_leaf of its alternative holds, as match_node has found out
  explicit Leaf(const Event& event) : event_(event) {}
  const Event& event() const { return event_; }

 private:
  const Event& event_;
};

/// Visits a node: every kind of node must have its case, and `leaf` is the one for all leaves, of whom the visitor need
/// not know more.
template <class OnLeaf, class... Cases>
decltype(auto) match_node(const Event& event, OnLeaf&& leaf, Cases&&... cases) {
  using Result = std::invoke_result_t<OnLeaf, Leaf>;
  const Overloaded nodes{std::forward<Cases>(cases)...};
  return std::visit(
      [&]<class Kind>(const Kind& kind) -> Result {
        if constexpr (is_leaf<Kind>)
          return leaf(Leaf(event));
        else
          return nodes(kind);
      },
      event);
}

/// Visits a leaf: every kind of leaf must have its case.
template <class... Cases>
decltype(auto) match_leaf(const Leaf& leaf, Cases&&... cases) {
  const Overloaded leaves{std::forward<Cases>(cases)...};
  using Result = decltype(leaves(std::declval<const Gaussian&>()));
  return std::visit(
      [&]<class Kind>(const Kind& kind) -> Result {
        if constexpr (is_leaf<Kind>)
          return leaves(kind);
        else
          throw InvalidArgument("a node is no leaf");
      },
      leaf.event());
}

/// Calls visit(child) for every event that stands directly inside `event`: one for most nodes, none for leaves.
template <class Visit>
void each_child(const Event& event, Visit&& visit) {
  std::visit(
      [&]<class Kind>(const Kind& kind) {
        if constexpr (requires { kind.inner; }) visit(*kind.inner);
        if constexpr (requires { kind.parts; })
          for (const Event& part : kind.parts) visit(part);
      },
      event);
}

}  // namespace dpbudget
