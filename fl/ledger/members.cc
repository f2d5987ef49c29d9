#include "dpbudget/fl/ledger/members.h"

#include <fmt/format.h>

#include <algorithm>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::fl {
namespace {

bool is_count(const Line& value) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() <= ranges::max_count;
}

}  // namespace

Members::Members(const Line& object, std::string_view name) : object_(object), name_(name) {
  if (!object.is_object()) throw InvalidArgument(fmt::format("`{}` is no JSON object", name));
}

const Line& Members::at(std::string_view key) {
  const auto found = object_.find(key);
  if (found == object_.end()) throw InvalidArgument(fmt::format("`{}` is missing", key));
  asked_.emplace_back(key);
  return *found;
}

// nlohmann's own conversions would round 3.7 to 3 and wrap -1 around.
std::uint64_t Members::integer(std::string_view key) {
  const Line& value = at(key);
  if (!value.is_number_unsigned()) refuse(key, "an integer of at least 0");
  return value.get<std::uint64_t>();
}

std::uint64_t Members::count(std::string_view key) {
  const Line& value = at(key);
  if (!is_count(value)) refuse(key, "an integer in [0, 2^53]");
  return value.get<std::uint64_t>();
}

double Members::number(std::string_view key) {
  const Line& value = at(key);
  if (!value.is_number()) refuse(key, "a number");
  return value.get<double>();
}

double Members::number_or_infinity(std::string_view key) {
  if (!has(key) || !object_.at(key).is_null()) return number(key);
  at(key);
  return std::numeric_limits<double>::infinity();
}

double Members::number_from_zero(std::string_view key) {
  const double value = number(key);
  if (!(0 <= value)) refuse(key, "at least 0");
  return value;
}

double Members::positive_number(std::string_view key) {
  const double value = number(key);
  if (!(0 < value)) refuse(key, "positive");
  return value;
}

std::string Members::text(std::string_view key) {
  const Line& value = at(key);
  if (!value.is_string()) refuse(key, "text");
  return value.get<std::string>();
}

const Line& Members::array(std::string_view key) {
  const Line& values = at(key);
  if (!values.is_array()) refuse(key, "an array");
  return values;
}

std::vector<std::uint64_t> Members::counts(std::string_view key) {
  const Line& values = array(key);
  if (!std::ranges::all_of(values, is_count)) refuse(key, "an array of integers in [0, 2^53]");
  return values.get<std::vector<std::uint64_t>>();
}

std::vector<double> Members::numbers(std::string_view key) {
  const Line& values = array(key);
  if (!std::ranges::all_of(values, [](const Line& value) { return value.is_number(); }))
    refuse(key, "an array of numbers");
  return values.get<std::vector<double>>();
}

std::vector<std::string> Members::texts(std::string_view key) {
  const Line& values = array(key);
  if (!std::ranges::all_of(values, [](const Line& value) { return value.is_string(); }))
    refuse(key, "an array of texts");
  return values.get<std::vector<std::string>>();
}

void Members::refuse(std::string_view key, std::string_view allowed) const {
  // An array may be as long as there are clients.
  constexpr std::size_t most_quoted = 80;
  const std::string given = object_.at(key).dump();
  throw InvalidArgument(fmt::format("`{}` is {}{}, but must be {}", key, given.substr(0, most_quoted),
                                    given.size() <= most_quoted ? "" : "...", allowed));
}

void Members::done() const {
  for (const auto& item : object_.items())
    if (std::ranges::find(asked_, item.key()) == asked_.end())
      throw InvalidArgument(fmt::format("`{}` is no key of `{}`", item.key(), name_));
}

}  // namespace dpbudget::fl
