/// @file
/// What a JSON object in a ledger line holds, read so that nothing in it is overlooked.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/accounting/base/names.h"
#include "dpbudget/fl/ledger/lines.h"

namespace dpbudget::fl {

/// The members of an object, each asked for once by its key; `done` refuses those that nobody asked for. Errors are
/// InvalidArgument and name the key, what stands there and what is allowed.
class Members {
 public:
  /// @param name  what the object is called
  Members(const Line& object, std::string_view name);

  bool has(std::string_view key) const { return object_.contains(key); }
  const Line& at(std::string_view key);

  std::uint64_t integer(std::string_view key);  ///< of 64 bits
  std::uint64_t count(std::string_view key);    ///< in [0, ranges::max_count]
  double number(std::string_view key);
  double number_or_infinity(std::string_view key);  ///< null is infinity, which JSON lacks
  double number_from_zero(std::string_view key);
  double positive_number(std::string_view key);
  std::string text(std::string_view key);
  const Line& array(std::string_view key);
  std::vector<std::uint64_t> counts(std::string_view key);
  std::vector<double> numbers(std::string_view key);
  std::vector<std::string> texts(std::string_view key);

  template <class Value>
  Value named(std::string_view key, std::optional<Value> (*by_name)(std::string_view)) {
    const auto value = by_name(text(key));
    if (!value) refuse(key, "a known name");
    return *value;
  }

  /// A field of a run.
  template <class Value>
  Value value(std::string_view key) {
    if constexpr (std::same_as<Value, double>)
      return number_or_infinity(key);
    else if constexpr (std::same_as<Value, std::uint64_t>)
      return integer(key);
    else if constexpr (std::same_as<Value, std::vector<double>>)
      return numbers(key);
    else if constexpr (Named<Value>)
      return named(key, choice_named<Value>);
    else
      return text(key);
  }

  /// Says that what stands at `key` is not allowed.
  [[noreturn]] void refuse(std::string_view key, std::string_view allowed) const;

  /// @throws InvalidArgument naming a key that was not asked for
  void done() const;

 private:
  const Line& object_;
  std::string name_;
  std::vector<std::string> asked_;
};

}  // namespace dpbudget::fl
