#include "dpbudget/accounting/shuffle/local.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/log_math.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/numeric/tanh_half.h"
#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/accounting/plan/told_response.h"
#include "dpbudget/accounting/shuffle/clones/ranges.h"
#include "dpbudget/accounting/shuffle/clones/silos.h"
#include "dpbudget/accounting/shuffle/clones/stronger_clones.h"

namespace dpbudget::shuffle {

using numeric::one_less_tanh_half;
using numeric::unit;
namespace {

// What the local randomiser is, if it is a randomised response; its epsilon is rounded up.
std::optional<RandomizedResponse> response_of(const Event& local) {
  if (const auto* response = std::get_if<RandomizedResponse>(&local)) return *response;
  if (std::holds_alternative<DiscreteLaplace>(local)) return RandomizedResponse{randomizer_epsilon(local), 2};
  return std::nullopt;
}

std::optional<Randomizer> blanket_of_oracle(const Event& local) {
  if (const auto* sets = std::get_if<SubsetSelection>(&local))
    return subset_selection(sets->epsilon.value(), sets->categories, subset_size(*sets));
  if (const auto* bits = std::get_if<Rappor>(&local)) return rappor(bits->epsilon.value(), bits->categories);
  if (const auto* bits = std::get_if<UnaryEncoding>(&local))
    return unary_encoding(bits->epsilon.value(), bits->categories);
  if (const auto* columns = std::get_if<HadamardResponse>(&local))
    return hadamard_response(columns->epsilon.value(), columns->categories);
  return std::nullopt;
}

// Of another user, who holds a third value: the odds that the report speaks for just one of the two. Sums of positive
// terms, with fewer roundings than CloneCount allows its odds (accounting/shuffle/proofs.md, 7.6).
double odds_of_third_value(const SubsetSelection& event) {
  const auto in = static_cast<double>(subset_size(event));
  const double out = static_cast<double>(event.categories) - in;
  const double weight = std::exp(-event.epsilon.value());  // of a set without the third value
  const double of_both = in * (in - 1) * (in - 2) + weight * out * in * (in - 1);
  const double of_none = in * out * (out - 1) + weight * out * (out - 1) * (out - 2);
  return 2 * in * out * ((in - 1) + weight * (out - 1)) / (of_both + of_none);
}
double odds_of_third_value(const Rappor& event) {
  const double odds = std::exp(-event.epsilon.value() / 2);
  return 2 * odds / (1 + odds * odds);
}
double odds_of_third_value(const UnaryEncoding& event) {
  const double odds = std::exp(-event.epsilon.value());
  return 2 * odds / (1 + odds * odds);
}
double odds_of_third_value(const HadamardResponse& event) { return std::exp(-event.epsilon.value()); }

// Whether a report speaks for the one or for the other of two values, by a fair coin where it tells neither: odds of
// (1 + t) / (1 - t), t = told tanh(epsilon / 2).
RandomizedResponse guess_of_two(const ToldResponse& response) {
  const double towards = response.told * numeric::tanh_half(response.epsilon);
  const double against = response.untold + response.told * one_less_tanh_half(response.epsilon);
  return {std::min(response.epsilon, std::log1p(2 * towards / against)) * (1 - 4 * unit), 2};
}

// 1 / scale, rounded down where a double does not hold it.
double least_inverse(double scale) {
  const double inverse = 1 / scale;
  return std::fma(inverse, scale, -1) <= 0 ? inverse : std::nextafter(inverse, 0);
}

// Reports above the middle of the two inputs: odds of 2 e^(epsilon/2) - 1.
RandomizedResponse side_of_laplace(double scale) {
  const double half = least_inverse(scale) / 2;
  const double epsilon = half < 300 ? std::log1p(2 * std::expm1(half)) : half;
  return {epsilon * (1 - 4 * unit), 2};
}

}  // namespace

bool hides_nothing(double local_epsilon) { return local_epsilon > clone_ranges::most_local_epsilon; }

bool has_pure_reports(const Shuffled& event) { return std::isfinite(randomizer_epsilon(*event.inner)); }

bool has_pure_shuffle(const Event& event) {
  bool found = false;
  each_shuffle(event, [&](const Shuffled& shuffled, std::optional<std::uint64_t>) {
    found = found || has_pure_reports(shuffled);
  });
  return found;
}

ClonePair clone_pair(const Shuffled& event) {
  const auto reports = static_cast<double>(event.reports.value());
  const double local_epsilon = randomizer_epsilon(*event.inner);
  if (event.records > 1) return silo_clones(local_epsilon, static_cast<double>(event.records), reports);
  if (const auto response = response_of(*event.inner))
    return StrongerClones::of_randomized_response(local_epsilon, response->categories).pair(reports);
  if (const auto response = oracle_response(*event.inner)) return StrongerClones::of_response(*response).pair(reports);
  return clones(local_epsilon, reports);
}

std::string clone_theorem(const Shuffled& event) {
  if (hides_nothing(randomizer_epsilon(*event.inner)))
    return "the local guarantee, kept by shuffling: Kairouz, Oh, Viswanath 2015, Theorem 3.3";
  if (event.records > 1)
    return "shuffled silos: Lowy, Razaviyayn 2023, Theorem D.14, by accounting/shuffle/proofs.md, 2.1";
  if (response_of(*event.inner))
    return "shuffled randomised response: clones by accounting/shuffle/proofs.md, 3.1 and 4.1";
  if (oracle_response(*event.inner)) return "shuffled frequency oracle: clones by accounting/shuffle/proofs.md, 4.1";
  return "shuffling: Feldman, McMillan, Talwar 2021, Theorem 3.2, summed exactly";
}

std::optional<RandomizedResponse> response_of(const Shuffled& event) {
  const auto response = response_of(*event.inner);
  if (!response || event.records > 1 || hides_nothing(response->epsilon.value())) return std::nullopt;
  return response;
}

bool is_binary_response(const Shuffled& event) {
  const auto response = response_of(event);
  return response && response->categories == 2;
}

std::optional<Randomizer> blanket_of(const Shuffled& event) {
  const auto* response = std::get_if<RandomizedResponse>(&*event.inner);
  const bool is_known = is_oracle(event) || (response != nullptr && response->categories > 2);
  const double local_epsilon = is_known ? randomizer_epsilon(*event.inner) : 0;
  if (event.records > 1 || !(1e-6 <= local_epsilon && local_epsilon <= 20)) return std::nullopt;
  auto found =
      response != nullptr ? randomized_response(local_epsilon, response->categories) : blanket_of_oracle(*event.inner);
  if (static_cast<double>(event.reports.value()) * (1 - found->pairs.front().rest) < 1) return std::nullopt;
  return found;
}

std::optional<Randomizer> laplace_blanket_of(const Shuffled& event, Rounding rounding) {
  const auto* noise = std::get_if<Laplace>(&*event.inner);
  if (event.records > 1 || noise == nullptr) return std::nullopt;
  const double local_epsilon =
      rounding == Rounding::up ? randomizer_epsilon(*event.inner) : least_inverse(noise->scale.value());
  if (!(1e-6 <= local_epsilon && local_epsilon <= 20)) return std::nullopt;
  return laplace(local_epsilon);
}

std::vector<std::string> dominating_theorems(const Shuffled& event) {
  if (!has_pure_reports(event))
    return {reports_theorem,
            "and at least what one of them shows among others that are equal: accounting/shuffle/proofs.md, 2c.2"};
  if (is_binary_response(event)) {
    std::vector<std::string> theorems = {
        "shuffled randomised response on its worst data sets: accounting/shuffle/proofs.md, 3.1 and 6.3"};
    if (std::holds_alternative<DiscreteLaplace>(*event.inner))
      theorems.emplace_back("discrete Laplace noise as randomised response: accounting/shuffle/proofs.md, 7.5");
    return theorems;
  }
  std::vector<std::string> theorems = {clone_theorem(event)};
  if (blanket_of(event) || laplace_blanket_of(event, Rounding::up))
    theorems.emplace_back(
        "or its privacy blanket: Balle, Bell, Gascon, Nissim 2019, Lemma 5.3, by accounting/shuffle/blanket/proofs.md, "
        "1.1");
  return theorems;
}

std::vector<RandomizedResponse> attained_responses(const Shuffled& event) {
  const Event& local = *event.inner;
  if (event.records > 1) return {};
  if (const auto* response = std::get_if<RandomizedResponse>(&local)) return {*response};
  if (const auto* noise = std::get_if<DiscreteLaplace>(&local)) return {{least_inverse(noise->scale.value()), 2}};
  if (const auto* noise = std::get_if<Laplace>(&local)) return {side_of_laplace(noise->scale.value())};
  if (const auto response = oracle_response(local)) return {guess_of_two(*response)};
  const bool is_guarantee = std::holds_alternative<PureDp>(local) || std::holds_alternative<ApproximateDp>(local);
  if (!is_guarantee || !std::isfinite(randomizer_epsilon(local))) return {};
  return {{randomizer_epsilon(local), 2}, {randomizer_epsilon(local), 3}};
}

HiddenPair third_value_pair(double local_epsilon, std::uint64_t categories, double reports) {
  clone_ranges::local_epsilon(local_epsilon);
  require(3 <= categories && categories <= dpbudget::ranges::max_count, "categories", categories, "in [3, 2^53]");
  clone_ranges::reports(reports);
  // C ~ Bin(n - 1, 2 / (e^epsilon_0 + k - 1)), and x or x' with probability (e^epsilon_0 + 1) / (e^epsilon_0 + k - 1).
  const auto others = static_cast<double>(categories - 2);
  const double log_rest = numeric::log_add(numeric::log_expm1(local_epsilon), std::log(others));
  const double absent = others / 2 * one_less_tanh_half(local_epsilon);
  return {local_epsilon, CloneCount(reports - 1, std::numbers::ln2 - log_rest), 1 / (1 + absent), absent};
}

std::optional<HiddenPair> attained_third_value_pair(const Shuffled& event) {
  const auto reports = static_cast<double>(event.reports.value());
  const auto responses = attained_responses(event);
  const auto of_three = std::ranges::find_if(responses, [](const auto& r) { return r.categories > 2; });
  if (of_three != responses.end() && of_three->epsilon != 0)
    return third_value_pair(of_three->epsilon.value(), of_three->categories, reports);
  if (!is_oracle(event)) return std::nullopt;
  return std::visit(
      [&]<class Kind>(const Kind& oracle) -> std::optional<HiddenPair> {
        if constexpr (FrequencyOracle<Kind>) {
          if (oracle.categories == 2 || oracle.epsilon == 0) return std::nullopt;
          const ToldResponse response = told_response(oracle);
          clone_ranges::local_epsilon(response.epsilon);
          const double absent = response.untold / response.told * (1 + 4 * unit);
          return HiddenPair{response.epsilon, CloneCount(reports - 1, std::log(odds_of_third_value(oracle))),
                            1 / (1 + absent), absent};
        }
        return std::nullopt;
      },
      *event.inner);
}

bool is_oracle(const Shuffled& event) { return event.records == 1 && oracle_response(*event.inner).has_value(); }

}  // namespace dpbudget::shuffle
