#include "dpbudget/mechanisms/frequency_utility.h"

#include <cmath>
#include <variant>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/tanh_half.h"
#include "dpbudget/accounting/plan/told_response.h"
#include "dpbudget/mechanisms/randomized_response.h"
#include "dpbudget/mechanisms/rappor.h"
#include "dpbudget/mechanisms/subset_selection.h"

namespace dpbudget::mechanisms {
namespace {

using numeric::tanh_half;

// Of the user's bit 1/2 is set, of every other one 1 / (e^epsilon + 1).
Support unary_support(double epsilon) { return {1 / (1 + std::exp(epsilon)), tanh_half(epsilon) / 2}; }

// A row that is not the user's has a 1 in half of the columns, the user's with e^epsilon / (e^epsilon + 1).
Support hadamard_support(double epsilon) { return {0.5, tanh_half(epsilon) / 2}; }

}  // namespace

std::optional<Support> support_of(const Event& local) {
  if (const auto* response = std::get_if<RandomizedResponse>(&local))
    return randomized_response_support(response->categories, response->epsilon.value());
  if (const auto* sets = std::get_if<SubsetSelection>(&local))
    return subset_selection_support(sets->categories, subset_size(*sets), sets->epsilon.value());
  if (const auto* bits = std::get_if<Rappor>(&local)) return rappor_support(bits->epsilon.value());
  const auto* bits = std::get_if<UnaryEncoding>(&local);
  const auto* columns = std::get_if<HadamardResponse>(&local);
  if (bits == nullptr && columns == nullptr) return std::nullopt;
  const double epsilon = bits != nullptr ? bits->epsilon.value() : columns->epsilon.value();
  require_local_epsilon(epsilon);
  return bits != nullptr ? unary_support(epsilon) : hadamard_support(epsilon);
}

double frequency_variance(const Support& support, std::uint64_t reports, double held) {
  ranges::reports(reports);
  require(0 <= held && held <= 1, "held", held, "in [0, 1]");
  const double base = support.base;
  const double own = base + support.gain;
  const double deviation = held * own * (1 - own) + (1 - held) * base * (1 - base);
  return deviation / (static_cast<double>(reports) * support.gain * support.gain);
}

}  // namespace dpbudget::mechanisms
