#include "dpbudget/accounting/plan/plan.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <utility>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/plan/each_field.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget {
namespace {

// Holds each member to its range; an unknown is in every one.
constexpr Overloaded check_member{
    []<class Kind>(const fields::RealField<Kind>& field, const Real& value) {
      if (!value.is_unknown()) field.range(value.value());
    },
    []<class Kind>(const fields::CountField<Kind>& field, const Count& value) {
      if (!value.is_unknown()) field.range(value.value());
    },
    []<class Kind>(const fields::IntegerField<Kind>& field, std::uint64_t value) { field.range(value); },
    []<class Kind>(const fields::OptionalField<Kind>& field, std::uint64_t value) { field.range(value); },
    []<class Kind>(const fields::FlagField<Kind>&, bool) {},
    []<class Kind>(const fields::RateField<Kind>&, const Rate& value) {
      if (const auto* fraction = std::get_if<Rate::Fraction>(&value.form))
        ranges::fraction(fraction->drawn, fraction->population);
      else if (!value.is_unknown())
        ranges::rate(value.value());
    },
    []<class Kind>(const fields::DrawsField<Kind>&, const Draws& value) {
      if (!value.number.is_unknown()) ranges::draws(value.number.value());
      ranges::population(value.population);
    },
    []<class Kind>(const fields::TrialsField<Kind>&, const Trials& trials) { ranges::trials(trials); },
    []<class Kind>(const fields::StepsField<Kind>&, const Steps& value) {
      if (!value.number.is_unknown()) ranges::steps(value.number.value());
      ranges::times(value.times, value.number.is_unknown() ? ranges::max_count : value.number.value());
    },
    []<class Kind>(const fields::TableField<Kind>& field, const Table& rows) { field.range(rows); },
    []<class Kind>(const fields::InnerField<Kind>&, const Inner&) {},
    []<class Kind>(const fields::PartsField<Kind>&, const std::vector<Event>& parts) {
      require(parts.size() != 1, "composition", "of one part", "of none, or of two or more");
    }};

void check_subset(const SubsetSelection& selection) {
  if (selection.subset == 0)
    require(!selection.epsilon.is_unknown(), "epsilon", "?",
            "a number where the size of the subset is left open, since the best one jumps with it");
  else
    require(selection.subset < selection.categories, "subset", selection.subset,
            fmt::format("in [1, {}], fewer than all categories", selection.categories - 1));
}

void check_numbers(const Event& event) {
  each_field(event, check_member);
  if (const auto* truncated = std::get_if<TruncatedPoisson>(&event))
    require(!truncated->batch.number.is_unknown(), "batch", "? of " + std::to_string(truncated->batch.population),
            "a number of places, since more of them may cost more or less");
  if (const auto* truncated = std::get_if<TruncatedConcentratedDp>(&event))
    require(!truncated->omega.is_unknown(), "omega", "?", "a number, up to which rho is known to hold");
  if (const auto* selection = std::get_if<SubsetSelection>(&event)) check_subset(*selection);
  if (const auto* sampled = std::get_if<SampledWithoutReplacement>(&event))
    require(!sampled->clipped || std::holds_alternative<Gaussian>(*sampled->inner), "clipped", "said of a sample",
            "said of one that a single gaussian runs on, which releases the sum of clipped vectors");
  each_child(event, check_numbers);
}

using VisitShuffle = std::function<void(const Shuffled&, std::optional<std::uint64_t>)>;

// Where a sample has left `drawn` records.
void each_shuffle_of(const Event& event, std::optional<std::uint64_t> drawn, const VisitShuffle& visit) {
  if (const auto* shuffled = std::get_if<Shuffled>(&event)) return visit(*shuffled, drawn);
  if (const auto* sampled = std::get_if<SampledWithoutReplacement>(&event)) {
    const auto* fraction = std::get_if<Rate::Fraction>(&sampled->rate.form);
    if (fraction != nullptr && (!drawn || fraction->drawn < *drawn)) drawn = fraction->drawn;
  }
  if (const auto* sampled = std::get_if<SampledWithReplacement>(&event))
    if (!sampled->draws.number.is_unknown() && (!drawn || sampled->draws.number.value() < *drawn))
      drawn = sampled->draws.number.value();
  each_child(event, [&](const Event& child) { each_shuffle_of(child, drawn, visit); });
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
void each_quantity(const Event& event, const Visit& visit) {
  each_field(
      event,
      Overloaded{
          [&]<class Kind>(const fields::RealField<Kind>& field, const Real& value) { visit(value, field.kind); },
          [&]<class Kind>(const fields::CountField<Kind>& field, const Count& value) { visit(value, field.kind); },
          [&]<class Kind>(const fields::IntegerField<Kind>&, std::uint64_t) {},
          [&]<class Kind>(const fields::OptionalField<Kind>&, std::uint64_t) {},
          [&]<class Kind>(const fields::FlagField<Kind>&, bool) {},
          [&]<class Kind>(const fields::RateField<Kind>&, const Rate& rate) {
            if (const auto* value = std::get_if<Real>(&rate.form)) visit(*value, UnknownKind::rate);
          },
          [&]<class Kind>(const fields::DrawsField<Kind>&, const Draws& draws) {
            visit(draws.number, UnknownKind::draws);
          },
          [&]<class Kind>(const fields::TrialsField<Kind>&, const Trials& trials) {
            if (const auto* poisson = std::get_if<Trials::Poisson>(&trials.law))
              visit(poisson->mean, UnknownKind::trials);
          },
          [&]<class Kind>(const fields::StepsField<Kind>&, const Steps& steps) {
            visit(steps.number, UnknownKind::steps);
          },
          [&]<class Kind>(const fields::TableField<Kind>&, const Table&) {},
          [&]<class Kind>(const fields::InnerField<Kind>&, const Inner& inner) { each_quantity(*inner, visit); },
          [&]<class Kind>(const fields::PartsField<Kind>&, const std::vector<Event>& parts) {
            for (const Event& part : parts) each_quantity(part, visit);
          }});
}

// What `natural_adjacency` collects: the adjacencies that the sampling nodes of an event ask for.
struct Needed {
  bool poisson = false;
  bool fixed_size = false;
  bool batches = false;
};

void collect(const Event& event, Needed& needed) {
  if (std::holds_alternative<PoissonSampled>(event) || std::holds_alternative<TruncatedPoisson>(event) ||
      std::holds_alternative<MixtureOfGaussians>(event))
    needed.poisson = true;
  if (std::holds_alternative<SampledWithoutReplacement>(event) ||
      std::holds_alternative<SampledWithReplacement>(event) || std::holds_alternative<Shuffled>(event))
    needed.fixed_size = true;
  if (std::holds_alternative<ShuffledBatches>(event)) needed.batches = true;
  each_child(event, [&](const Event& child) { collect(child, needed); });
}

// Puts `value` in the place of each unknown.
void fill(Event& event, double value) {
  const auto integer = [&](std::string_view name, int least) {
    require(least <= value && value <= static_cast<double>(ranges::max_count) && value == std::floor(value), name,
            value, fmt::format("an integer in [{}, 2^53]", least));
    return to_integer<std::uint64_t>(value, name);
  };
  each_field(event, Overloaded{[&]<class Kind>(const fields::RealField<Kind>&, Real& number) {
                                 if (number.is_unknown()) number = value;
                               },
                               [&]<class Kind>(const fields::CountField<Kind>& field, Count& number) {
                                 if (number.is_unknown()) number = integer(field.name, field.least);
                               },
                               [&]<class Kind>(const fields::IntegerField<Kind>&, std::uint64_t) {},
                               [&]<class Kind>(const fields::OptionalField<Kind>&, std::uint64_t) {},
                               [&]<class Kind>(const fields::FlagField<Kind>&, bool) {},
                               [&]<class Kind>(const fields::RateField<Kind>&, Rate& rate) {
                                 if (rate.is_unknown()) rate = value;
                               },
                               [&]<class Kind>(const fields::DrawsField<Kind>& field, Draws& draws) {
                                 if (draws.number.is_unknown()) draws.number = integer(field.name, 1);
                               },
                               [&]<class Kind>(const fields::TrialsField<Kind>&, Trials& trials) {
                                 auto* poisson = std::get_if<Trials::Poisson>(&trials.law);
                                 if (poisson != nullptr && poisson->mean.is_unknown()) poisson->mean = value;
                               },
                               [&]<class Kind>(const fields::StepsField<Kind>& field, Steps& steps) {
                                 if (steps.number.is_unknown()) steps.number = integer(field.name, 1);
                               },
                               [&]<class Kind>(const fields::TableField<Kind>&, Table&) {},
                               [&]<class Kind>(const fields::InnerField<Kind>&, Inner& inner) {
                                 Event filled = *inner;
                                 fill(filled, value);
                                 inner = std::move(filled);
                               },
                               [&]<class Kind>(const fields::PartsField<Kind>&, std::vector<Event>& parts) {
                                 for (Event& part : parts) fill(part, value);
                               }});
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

void require_known(const Event& event) {
  each_quantity(event, [](const auto& quantity, UnknownKind) { static_cast<void>(quantity.value()); });
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
  Event filled = event;
  fill(filled, value);
  check(filled);
  return filled;
}

std::optional<Adjacency> natural_adjacency(const Event& event) {
  Needed needed;
  collect(event, needed);
  if (needed.poisson && needed.fixed_size) return std::nullopt;
  if (needed.fixed_size) return Adjacency::replace_one;
  // Noise against what one record adds, as for Poisson samples; but no record more.
  return needed.batches ? Adjacency::zero_out_one : Adjacency::add_or_remove_one;
}

}  // namespace dpbudget
