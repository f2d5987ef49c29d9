#include "dpbudget/fl/tuning/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/mechanisms/number_of_trials.h"

namespace dpbudget::fl {
namespace {

template <class Kind>
concept Sampled = std::same_as<Kind, PoissonSampled> || std::same_as<Kind, SampledWithoutReplacement> ||
                  std::same_as<Kind, Participates>;

std::optional<Event> covering_kinds(const Gaussian& a, const Gaussian& b) {
  return Gaussian{std::min(a.noise_multiplier.value(), b.noise_multiplier.value())};
}

std::optional<Event> covering_kinds(const Repeated& a, const Repeated& b) {
  std::optional<Event> inner = covering(*a.inner, *b.inner);
  if (!inner) return std::nullopt;
  return Repeated{std::max(a.count.value(), b.count.value()), *std::move(inner)};
}

std::optional<Event> covering_kinds(const Composed& a, const Composed& b) {
  if (a.parts.size() != b.parts.size()) return std::nullopt;
  std::vector<Event> parts;
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    std::optional<Event> part = covering(a.parts[i], b.parts[i]);
    if (!part) return std::nullopt;
    parts.push_back(*std::move(part));
  }
  return Composed{std::move(parts)};
}

template <Sampled Kind>
std::optional<Event> covering_kinds(const Kind& a, const Kind& b) {
  std::optional<Event> inner = covering(*a.inner, *b.inner);
  if (!inner || !(a.rate == b.rate)) return std::nullopt;
  return Kind{a.rate, *std::move(inner)};
}

// One event for all combinations; nothing where one of them has no guarantee.
std::optional<Event> covering_all(std::span<const Released> released, Adversary adversary, std::size_t kind) {
  std::optional<Event> all;
  for (const Released& of_one : released) {
    const std::optional<Event>& event = of_one.at(adversary)[kind];
    if (!event) return std::nullopt;
    if (!all) {
      all = event;
      continue;
    }
    std::optional<Event> both = covering(*all, *event);
    if (!both)
      throw InvalidArgument(fmt::format(
          "--grid has values whose runs release {} and {}, and no plan is known that covers both; beside --trials "
          "plans may differ in their noise and their rounds only",
          to_text({*all, Adjacency::replace_one}), to_text({*event, Adjacency::replace_one})));
    all = std::move(both);
  }
  return all;
}

}  // namespace

// fl/tuning/proofs.md, 3.2
std::optional<Event> covering(const Event& a, const Event& b) {
  if (a == b) return a;
  return std::visit(
      [&]<class Kind>(const Kind& kind) -> std::optional<Event> {
        const auto* other = std::get_if<Kind>(&b);
        if constexpr (requires { covering_kinds(kind, kind); }) {
          if (other != nullptr) return covering_kinds(kind, *other);
        }
        return std::nullopt;
      },
      static_cast<const Event::variant&>(a));
}

std::optional<TrialsCost> trials_cost(const Trials& trials, std::span<const Released> released, Adversary adversary,
                                      Pricing& price) {
  // Where it is a whole number, rounding makes it no more.
  const double mean = mechanisms::mean_number(trials) * (1 - 0x1p-30);
  const auto average = to_integer<std::uint64_t>(std::ceil(mean), "trials");
  std::optional<TrialsCost> worst;
  for (std::size_t kind = 0; kind < released.front().at(adversary).size(); ++kind) {
    const std::optional<Event> one = covering_all(released, adversary, kind);
    if (!one) return std::nullopt;
    const Plan plan{Selected{trials, *one}, Adjacency::replace_one};
    try {
      Bound best = price(plan);
      if (worst && best.upper <= worst->best.upper) continue;
      worst = {plan, price({*one, Adjacency::replace_one}), std::move(best),
               price({repeat(average, *one), Adjacency::replace_one})};
    } catch (const Unsupported&) {
      return std::nullopt;
    }
  }
  return worst;
}

}  // namespace dpbudget::fl
