#include "dpbudget/accounting/plan/plan.h"

#include <fmt/format.h>

#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/to_integer.h"

namespace dpbudget {
namespace {

template <class Number, class Range>
void check_known(const Quantity<Number>& quantity, Range range) {
  if (!quantity.is_unknown()) range(quantity.value());
}

void check_rate(const Rate& rate) {
  if (const auto* fraction = std::get_if<Rate::Fraction>(&rate.form))
    ranges::fraction(fraction->drawn, fraction->population);
  else
    check_known(std::get<Real>(rate.form), ranges::rate);
}

using VisitShuffle = std::function<void(const Shuffled&, std::optional<std::uint64_t>)>;

// Where a sample has left `drawn` records.
void each_shuffle_of(const Event& event, std::optional<std::uint64_t> drawn, const VisitShuffle& visit) {
  const auto inside = [&](const auto& e) { each_shuffle_of(*e.inner, drawn, visit); };
  match(
      event, [&](const Shuffled& e) { visit(e, drawn); },
      [&](const SampledWithoutReplacement& e) {
        const auto* fraction = std::get_if<Rate::Fraction>(&e.rate.form);
        const bool is_smaller = fraction != nullptr && (!drawn || fraction->drawn < *drawn);
        each_shuffle_of(*e.inner, is_smaller ? fraction->drawn : drawn, visit);
      },
      [&](const PoissonSampled& e) { inside(e); }, [&](const Participates& e) { inside(e); },
      [&](const Repeated& e) { inside(e); },
      [&](const Composed& e) {
        for (const Event& part : e.parts) each_shuffle_of(part, drawn, visit);
      },
      [](const auto&) {});
}

// What is shuffled in a sample are reports on its records.
void check_reports(const Shuffled& event, std::optional<std::uint64_t> drawn) {
  if (!drawn || event.reports.is_unknown()) return;
  const std::uint64_t most = *drawn / event.records;
  require(event.reports.value() <= most, "reports", event.reports.value(),
          fmt::format("at most {}: {} records are drawn, and a report takes {}", most, *drawn, event.records));
}

// Calls `visit` with every number of `event` that may be unknown and with what it stands for, in reading order.
template <class Visit>
void each_quantity(const Event& event, Visit&& visit) {
  const auto rate = [&](const Rate& r) {
    if (const auto* real = std::get_if<Real>(&r.form)) visit(*real, UnknownKind::rate);
  };
  match(
      event, [&](const Gaussian& e) { visit(e.noise_multiplier, UnknownKind::noise); },
      [&](const Laplace& e) { visit(e.scale, UnknownKind::scale); },
      [&](const DiscreteGaussian& e) { visit(e.noise_multiplier, UnknownKind::noise); },
      [&](const DiscreteLaplace& e) { visit(e.scale, UnknownKind::scale); },
      [&](const RandomizedResponse& e) { visit(e.epsilon, UnknownKind::epsilon); },
      [&](const PureDp& e) { visit(e.epsilon, UnknownKind::epsilon); },
      [&](const ApproximateDp& e) {
        visit(e.epsilon, UnknownKind::epsilon);
        visit(e.delta, UnknownKind::delta);
      },
      [&](const PoissonSampled& e) {
        rate(e.rate);
        each_quantity(*e.inner, visit);
      },
      [&](const SampledWithoutReplacement& e) {
        rate(e.rate);
        each_quantity(*e.inner, visit);
      },
      [&](const Participates& e) {
        rate(e.rate);
        each_quantity(*e.inner, visit);
      },
      [&](const Repeated& e) {
        visit(e.count, UnknownKind::count);
        each_quantity(*e.inner, visit);
      },
      [&](const Composed& e) {
        for (const Event& part : e.parts) each_quantity(part, visit);
      },
      [&](const Shuffled& e) {
        visit(e.reports, UnknownKind::reports);
        each_quantity(*e.inner, visit);
      });
}

// What `natural_adjacency` collects: the adjacencies that the sampling nodes of an event ask for.
struct Needed {
  bool poisson = false;
  bool fixed_size = false;
};

void collect(const Event& event, Needed& needed) {
  match(
      event,
      [&](const PoissonSampled& e) {
        needed.poisson = true;
        collect(*e.inner, needed);
      },
      [&](const SampledWithoutReplacement& e) {
        needed.fixed_size = true;
        collect(*e.inner, needed);
      },
      [&](const Shuffled& e) {
        needed.fixed_size = true;
        collect(*e.inner, needed);
      },
      [&](const Participates& e) { collect(*e.inner, needed); }, [&](const Repeated& e) { collect(*e.inner, needed); },
      [&](const Composed& e) {
        for (const Event& part : e.parts) collect(part, needed);
      },
      [](const auto&) {});
}

void check_numbers(const Event& event) {
  match(
      event, [](const Gaussian& e) { check_known(e.noise_multiplier, ranges::noise_multiplier); },
      [](const Laplace& e) { check_known(e.scale, ranges::scale); },
      [](const DiscreteGaussian& e) { check_known(e.noise_multiplier, ranges::noise_multiplier); },
      [](const DiscreteLaplace& e) { check_known(e.scale, ranges::scale); },
      [](const RandomizedResponse& e) {
        check_known(e.epsilon, ranges::epsilon);
        ranges::categories(e.categories);
      },
      [](const PureDp& e) { check_known(e.epsilon, ranges::epsilon); },
      [](const ApproximateDp& e) {
        check_known(e.epsilon, ranges::epsilon);
        check_known(e.delta, ranges::release_delta);
      },
      [](const PoissonSampled& e) {
        check_rate(e.rate);
        check_numbers(*e.inner);
      },
      [](const SampledWithoutReplacement& e) {
        check_rate(e.rate);
        check_numbers(*e.inner);
      },
      [](const Participates& e) {
        check_rate(e.rate);
        check_numbers(*e.inner);
      },
      [](const Repeated& e) {
        check_known(e.count, ranges::count);
        check_numbers(*e.inner);
      },
      [](const Composed& e) {
        require(e.parts.size() != 1, "composition", "of one part", "of none, or of two or more");
        for (const Event& part : e.parts) check_numbers(part);
      },
      [](const Shuffled& e) {
        check_known(e.reports, ranges::reports);
        ranges::records(e.records);
        check_numbers(*e.inner);
      });
}

}  // namespace

void check(const Event& event) {
  check_numbers(event);
  each_shuffle(event, check_reports);
}

void each_shuffle(const Event& event, const VisitShuffle& visit) { each_shuffle_of(event, std::nullopt, visit); }

bool has_shuffled(const Event& event) {
  bool found = false;
  each_shuffle(event, [&](const Shuffled&, std::optional<std::uint64_t>) { found = true; });
  return found;
}

Event compose(std::vector<Event> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  return Composed{std::move(parts)};
}

Event repeat(std::uint64_t count, Event inner) {
  if (count == 1) return inner;
  return Repeated{count, std::move(inner)};
}

std::size_t unknowns(const Event& event) {
  std::size_t number = 0;
  each_quantity(event, [&](const auto& quantity, UnknownKind) { number += quantity.is_unknown(); });
  return number;
}

std::optional<UnknownKind> unknown_kind(const Event& event) {
  std::optional<UnknownKind> first;
  each_quantity(event, [&](const auto& quantity, UnknownKind kind) {
    if (quantity.is_unknown() && !first) first = kind;
  });
  return first;
}

Event substitute(const Event& event, double value) {
  const auto real = [&](Real quantity) { return quantity.is_unknown() ? Real(value) : quantity; };
  const auto rate = [&](Rate r) { return r.is_unknown() ? Rate(value) : r; };
  const auto integer = [](std::string_view name, double number, int least) -> Count {
    require(least <= number && number <= static_cast<double>(ranges::max_count) && number == std::floor(number), name,
            number, fmt::format("an integer in [{}, 2^53]", least));
    return to_integer<std::uint64_t>(number, name);
  };
  const auto inner = [&](const Inner& child) { return substitute(*child, value); };
  Event filled = match(
      event, [&](const Gaussian& e) -> Event { return Gaussian{real(e.noise_multiplier)}; },
      [&](const Laplace& e) -> Event { return Laplace{real(e.scale)}; },
      [&](const DiscreteGaussian& e) -> Event { return DiscreteGaussian{real(e.noise_multiplier)}; },
      [&](const DiscreteLaplace& e) -> Event { return DiscreteLaplace{real(e.scale)}; },
      [&](const RandomizedResponse& e) -> Event { return RandomizedResponse{real(e.epsilon), e.categories}; },
      [&](const PureDp& e) -> Event { return PureDp{real(e.epsilon)}; },
      [&](const ApproximateDp& e) -> Event { return ApproximateDp{real(e.epsilon), real(e.delta)}; },
      [&](const PoissonSampled& e) -> Event { return PoissonSampled{rate(e.rate), inner(e.inner)}; },
      [&](const SampledWithoutReplacement& e) -> Event {
        return SampledWithoutReplacement{rate(e.rate), inner(e.inner)};
      },
      [&](const Participates& e) -> Event { return Participates{rate(e.rate), inner(e.inner)}; },
      [&](const Repeated& e) -> Event {
        return Repeated{e.count.is_unknown() ? integer("count", value, 0) : e.count, inner(e.inner)};
      },
      [&](const Composed& e) -> Event {
        std::vector<Event> parts;
        parts.reserve(e.parts.size());
        for (const Event& part : e.parts) parts.push_back(substitute(part, value));
        return Composed{std::move(parts)};
      },
      [&](const Shuffled& e) -> Event {
        return Shuffled{e.reports.is_unknown() ? integer("reports", value, 1) : e.reports, inner(e.inner), e.records};
      });
  check(filled);
  return filled;
}

std::optional<Adjacency> natural_adjacency(const Event& event) {
  Needed needed;
  collect(event, needed);
  if (needed.poisson && needed.fixed_size) return std::nullopt;
  return needed.fixed_size ? Adjacency::replace_one : Adjacency::add_or_remove_one;
}

}  // namespace dpbudget
