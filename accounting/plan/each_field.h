/// @file
/// Events by their descriptions (fields.h), of whichever kind they are.
#pragma once

#include <type_traits>
#include <variant>

#include "dpbudget/accounting/plan/event.h"

namespace dpbudget {

/// Calls visit(field, member) for every member of `event`, an Event or a const Event, in the order of its description;
/// `field` is one of namespace fields.
template <class AnyEvent, class Visit>
void each_field(AnyEvent& event, Visit&& visit) {
  std::visit([&]<class Kind>(
                 Kind& kind) { Kind::fields([&](const auto&... field) { (visit(field, kind.*field.member), ...); }); },
             event);
}

/// Whether the language has a name for it. Repetition and composition have a notation of their own.
template <class Kind>
inline constexpr bool is_named = !Kind::name.text.empty();

/// What an event is called, of whichever kind it is.
inline EventName name_of(const Event& event) {
  return std::visit([]<class Kind>(const Kind&) { return Kind::name; }, event);
}

/// Calls visit(std::type_identity<Kind>()) for every alternative of Event, in order.
template <class Visit>
void each_kind(Visit&& visit) {
  const auto all = [&]<class... Kind>(std::type_identity<std::variant<Kind...>>) {
    (visit(std::type_identity<Kind>()), ...);
  };
  all(std::type_identity<Event::variant>());
}

/// @param read  makes a member of what describes it; called in the order of the description
template <class Kind, class Read>
Kind made_of(const Read& read) {
  return Kind::fields([&](const auto&... field) { return Kind{read(field)...}; });
}

}  // namespace dpbudget
