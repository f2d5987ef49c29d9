/// @file
/// Argument checks: a value outside its range is named, shown and refused.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace dpbudget {

/// An argument outside its documented range.
struct InvalidArgument : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// Why there is no answer to a question whose every number is in range.
struct Refusal {
  std::string accountant;  ///< who refuses; empty where the reason stands for itself
  std::string reason;      ///< after an accountant's name it begins with `none`

  static constexpr std::string_view none = "has no theorem";

  std::string text() const { return accountant.empty() ? reason : accountant + " " + reason; }

  /// For who asked no accountant by name, where all refuse.
  Refusal of_all() const {
    if (accountant.empty() || !reason.starts_with(none)) return {"", reason};
    return {"", "no accountant has a theorem" + reason.substr(none.size())};
  }
};

/// A question that no implemented theorem answers: an event or adjacency the accountant cannot take. No
/// InvalidArgument: nothing that was given is wrong.
struct Unsupported : std::domain_error {
  explicit Unsupported(Refusal why) : std::domain_error(why.text()), refusal(std::move(why)) {}
  explicit Unsupported(std::string reason) : Unsupported(Refusal{"", std::move(reason)}) {}

  Refusal refusal;
};

/// What require throws: apart from it, so that a check is no more than a comparison where it is made.
template <class Given>
#ifdef __GNUC__
[[gnu::noinline, gnu::cold]]
#endif
[[noreturn]] void
refuse_argument(std::string_view name, const Given& given, std::string_view allowed) {
  std::ostringstream message;
  message << name << " is " << given << ", but must be " << allowed;
  throw InvalidArgument(message.str());
}

/// @throws InvalidArgument "noise_multiplier is -1, but must be positive and finite" unless `holds`.
/// Write the check so that NaN fails it: `0 < x`, never `!(x <= 0)`.
template <class Given>
void require(bool holds, std::string_view name, const Given& given, std::string_view allowed) {
  if (!holds) refuse_argument(name, given, allowed);
}

}  // namespace dpbudget
