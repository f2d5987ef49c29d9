#include "dpbudget/accounting/plan/told_response.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

#include "dpbudget/accounting/base/to_integer.h"

namespace dpbudget {
namespace {

// What unary encoding and a Hadamard matrix share: half of the reports hold, or leave out, both values.
ToldResponse told_by_half(double epsilon) { return {epsilon, 0.5, 0.5}; }

std::string of_two_values(std::string_view report) {
  return std::string(report) + ", two values' reports: accounting/plan/proofs.md, 7.1";
}

}  // namespace

// accounting/plan/proofs.md, 7.1; sums of positive terms.
ToldResponse told_response(const RandomizedResponse& event) {
  const double odds = std::exp(-event.epsilon.value());
  const double total = 1 + static_cast<double>(event.categories - 1) * odds;
  return {event.epsilon.value(), (1 + odds) / total, static_cast<double>(event.categories - 2) * odds / total};
}

ToldResponse told_response(const SubsetSelection& event) {
  const std::uint64_t size = subset_size(event);
  const auto in = static_cast<double>(size);
  const auto out = static_cast<double>(event.categories - size);
  const double odds = std::exp(-event.epsilon.value());
  const double total = (in + out * odds) * static_cast<double>(event.categories - 1);
  return {event.epsilon.value(), in * out * (1 + odds) / total, (in * (in - 1) + out * (out - 1) * odds) / total};
}

ToldResponse told_response(const Rappor& event) {
  const double odds = std::exp(-event.epsilon.value() / 2);
  const double total = (1 + odds) * (1 + odds);
  return {event.epsilon.value(), (1 + odds * odds) / total, 2 * odds / total};
}

ToldResponse told_response(const UnaryEncoding& event) { return told_by_half(event.epsilon.value()); }

ToldResponse told_response(const HadamardResponse& event) { return told_by_half(event.epsilon.value()); }

std::optional<ToldResponse> oracle_response(const Event& event) {
  return std::visit(
      []<class Kind>(const Kind& kind) -> std::optional<ToldResponse> {
        if constexpr (FrequencyOracle<Kind>)
          return told_response(kind);
        else
          return std::nullopt;
      },
      event);
}

std::string told_response_theorem(const SubsetSelection&) { return of_two_values("subset selection of Ye, Barg 2018"); }

std::string told_response_theorem(const Rappor&) {
  return of_two_values("basic RAPPOR of Erlingsson, Pihur, Korolova 2014");
}

std::string told_response_theorem(const UnaryEncoding&) {
  return of_two_values("optimised unary encoding of Wang, Blocki, Li, Jha 2017");
}

std::string told_response_theorem(const HadamardResponse&) {
  return of_two_values("Hadamard response of Acharya, Sun, Zhang 2019");
}

std::uint64_t hadamard_order(std::uint64_t categories) { return std::bit_ceil(categories + 1); }

std::uint64_t best_subset_size(std::uint64_t categories, double epsilon) {
  const double size = std::round(static_cast<double>(categories) / (std::exp(epsilon) + 1));
  return to_integer<std::uint64_t>(std::max(1.0, size), "subset");
}

std::uint64_t subset_size(const SubsetSelection& event) {
  return event.subset != 0 ? event.subset : best_subset_size(event.categories, event.epsilon.value());
}

}  // namespace dpbudget
