#include "dpbudget/accounting/plan/normal_form.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/plan/told_response.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget {
namespace {

// Below it the rounding of a product may be too small for a double.
constexpr double least_exact_product = 0x1p-900;

struct Term {
  Event event;  // in normal form, and no sum
  std::uint64_t count;
};
using Terms = std::vector<Term>;

bool is_nothing(const Event& event) {
  const auto* composed = std::get_if<Composed>(&event);
  return composed != nullptr && composed->parts.empty();
}

std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > ranges::max_count / b) return std::nullopt;
  return a * b;
}

Terms repeated(std::uint64_t count, Terms terms) {
  if (count == 0) return {};
  for (Term& term : terms) {
    if (const auto all = product(count, term.count))
      term.count = *all;
    else
      term = {Repeated{term.count, std::move(term.event)}, count};
  }
  return terms;
}

// Whether it is known of it only that it may tell everything: whatever is released beside it tells no more.
// accounting/plan/proofs.md, 8.1
bool tells_all(const Event& event) {
  if (const auto* repeated = std::get_if<Repeated>(&event)) return tells_all(*repeated->inner);
  const auto* guarantee = std::get_if<ApproximateDp>(&event);
  return guarantee != nullptr && guarantee->delta == 1;
}

// Adds up equal terms, as far as their counts allow.
Event sum_of(Terms terms) {
  if (std::ranges::any_of(terms, tells_all, &Term::event)) return ApproximateDp{0, 1};
  Terms distinct;
  std::unordered_multimap<std::string, std::size_t> places;
  for (Term& term : terms) {
    const auto [first, last] = places.equal_range(to_text(term.event));
    auto place = first;
    while (place != last && distinct[place->second].count > ranges::max_count - term.count) ++place;
    if (place != last) {
      distinct[place->second].count += term.count;
    } else {
      places.emplace(to_text(term.event), distinct.size());
      distinct.push_back(std::move(term));
    }
  }
  std::vector<Event> parts;
  parts.reserve(distinct.size());
  for (Term& term : distinct) parts.push_back(repeat(term.count, std::move(term.event)));
  return compose(std::move(parts));
}

Terms leaf_terms(const Event& leaf) {
  if (const auto* response = std::get_if<RandomizedResponse>(&leaf); response != nullptr && response->epsilon == 0)
    return {};
  if (const auto* guarantee = std::get_if<ApproximateDp>(&leaf); guarantee != nullptr && guarantee->delta == 0)
    return leaf_terms(PureDp{guarantee->epsilon});
  if (const auto* guarantee = std::get_if<PureDp>(&leaf); guarantee != nullptr && guarantee->epsilon == 0) return {};
  if (const auto* guarantee = std::get_if<BoundedRange>(&leaf); guarantee != nullptr && guarantee->epsilon == 0)
    return {};
  if (const auto response = oracle_response(leaf); response && response->epsilon == 0) return {};
  if (const auto* sets = std::get_if<SubsetSelection>(&leaf); sets != nullptr && subset_size(*sets) == 1)
    return {{RandomizedResponse{sets->epsilon, sets->categories}, 1}};
  if (const auto* guarantee = std::get_if<ConcentratedDp>(&leaf); guarantee != nullptr && guarantee->rho == 0)
    return {};
  if (const auto* guarantee = std::get_if<TruncatedConcentratedDp>(&leaf); guarantee != nullptr && guarantee->rho == 0)
    return {};
  if (const auto* guarantee = std::get_if<RenyiDp>(&leaf);
      guarantee != nullptr &&
      std::ranges::any_of(guarantee->divergences, [](const TableRow& row) { return row.second == 0; }))
    return {};
  if (const auto* guarantee = std::get_if<PrivacyProfile>(&leaf); guarantee != nullptr && guarantee->points.size() == 1)
    return leaf_terms(ApproximateDp{guarantee->points.front().first, guarantee->points.front().second});
  if (const auto* guarantee = std::get_if<GaussianDp>(&leaf); guarantee != nullptr && guarantee->mu == 0) return {};
  return {{leaf, 1}};
}

// One shift that is sampled, where noise relative to it is a double.
Terms shifted_terms(const MixtureOfGaussians& mixture, Adjacency adjacency) {
  Table shifts = mixture.shifts;
  std::erase_if(shifts, [](const TableRow& row) { return row.first == 0 || row.second == 0; });
  if (shifts.empty()) return {};
  const auto& [probability, offset] = shifts.front();
  const double noise = mixture.noise_multiplier.value() / offset;
  const bool is_exact = std::isnormal(noise) && std::fma(noise, offset, -mixture.noise_multiplier.value()) == 0;
  if (shifts.size() > 1 || !is_exact || adjacency == Adjacency::replace_one) return {{mixture, 1}};
  if (probability == 1) return {{Gaussian{noise}, 1}};
  return {{PoissonSampled{Rate(probability), Event(Gaussian{noise})}, 1}};
}

class Normaliser {
 public:
  explicit Normaliser(Adjacency adjacency) : adjacency_(adjacency) {}

  Event operator()(const Event& event) const { return sum_of(terms(event)); }

 private:
  Terms terms(const Event& event) const {
    return match_node(
        event,
        [&](const Leaf& leaf) {
          const auto* mixture = std::get_if<MixtureOfGaussians>(&leaf.event());
          return mixture != nullptr ? shifted_terms(*mixture, adjacency_) : leaf_terms(leaf.event());
        },
        [&](const PoissonSampled& e) { return sampled(e); },
        [&](const SampledWithoutReplacement& e) { return sampled(e); },
        [&](const SampledWithReplacement& e) {
          Event inner = (*this)(*e.inner);
          if (is_nothing(inner)) return Terms{};
          return Terms{{SampledWithReplacement{e.draws, std::move(inner)}, 1}};
        },
        [&](const TruncatedPoisson& e) { return truncated(e); }, [&](const Participates& e) { return sampled(e); },
        [&](const Repeated& e) { return repeated(e.count.value(), terms(*e.inner)); },
        [&](const Composed& e) {
          Terms all;
          for (const Event& part : e.parts)
            for (Term& term : terms(part)) all.push_back(std::move(term));
          return all;
        },
        [&](const Shuffled& e) {
          Event inner = (*this)(*e.inner);
          if (is_nothing(inner) && adjacency_ == Adjacency::replace_one) return Terms{};
          return Terms{{Shuffled{e.reports, std::move(inner), e.records}, 1}};
        },
        [&](const RandomlyAllocated& e) {
          if (e.steps.value() == e.steps.times) return repeated(e.steps.times, terms(*e.inner));
          Event inner = (*this)(*e.inner);
          if (is_nothing(inner)) return Terms{};
          return Terms{{RandomlyAllocated{e.steps, std::move(inner)}, 1}};
        },
        [&](const ShuffledBatches& e) {
          if (e.steps.value() == 1) return terms(*e.inner);
          Event inner = (*this)(*e.inner);
          if (is_nothing(inner)) return Terms{};
          return Terms{{ShuffledBatches{e.steps, std::move(inner)}, 1}};
        },
        [&](const Grouped& e) {
          Terms all = terms(*e.inner);
          for (Term& term : all) term.event = grouped(e.records.value(), std::move(term.event));
          return all;
        },
        [&](const Selected& e) {
          const auto* poisson = std::get_if<Trials::Poisson>(&e.trials.law);
          Event inner = (*this)(*e.inner);
          if (is_nothing(inner) || (poisson != nullptr && poisson->mean.value() == 0)) return Terms{};
          if (poisson == nullptr && tells_all(inner)) return Terms{{ApproximateDp{0, 1}, 1}};
          return Terms{{Selected{e.trials, std::move(inner)}, 1}};
        });
  }

  // A group of what is in normal form and no sum.
  static Event grouped(std::uint64_t records, Event event) {
    if (records == 1) return event;
    const auto k = static_cast<double>(records);
    if (auto* repeated = std::get_if<Repeated>(&event))
      return Repeated{repeated->count, grouped(records, Event(*repeated->inner))};
    if (const auto* deeper = std::get_if<Grouped>(&event);
        deeper != nullptr && deeper->records.value() <= ranges::max_draws / records)
      return Grouped{records * deeper->records.value(), deeper->inner};
    if (const auto* gaussian = std::get_if<Gaussian>(&event)) {
      const double noise = gaussian->noise_multiplier.value() / k;
      if (std::isnormal(noise) && std::fma(noise, k, -gaussian->noise_multiplier.value()) == 0) return Gaussian{noise};
    }
    return Grouped{records, std::move(event)};
  }

  // Only where there are fewer places than records may one of those drawn be left out.
  Terms truncated(const TruncatedPoisson& e) const {
    if (e.batch.number.value() >= e.batch.population) return sampled(PoissonSampled{e.rate, e.inner});
    if (e.rate.value() == 0) return {};
    Event inner = (*this)(*e.inner);
    if (is_nothing(inner)) return {};
    return {{TruncatedPoisson{e.rate, e.batch, std::move(inner)}, 1}};
  }

  // A sample, or a participation.
  template <class Sampled>
  Terms sampled(const Sampled& sample) const {
    if (sample.rate.value() == 0) return {};
    if (sample.rate.value() == 1) return terms(*sample.inner);
    Event inner = (*this)(*sample.inner);
    if (is_nothing(inner)) return {};
    Sampled all = sample;
    while (const auto* deeper = std::get_if<Sampled>(&inner)) {
      const auto merged = exact_product(all.rate, deeper->rate);
      if (!merged) break;
      // What is said of the deeper sample's sum is said of the whole.
      all = *deeper;
      all.rate = *merged;
      inner = Event(*all.inner);
    }
    all.inner = std::move(inner);
    return {{std::move(all), 1}};
  }

  Adjacency adjacency_;
};

Event normal_form(const Event& event, Adjacency adjacency) {
  check(event);
  require_known(event);
  return Normaliser(adjacency)(event);
}

}  // namespace

std::optional<Rate> exact_product(const Rate& a, const Rate& b) {
  const auto* x = std::get_if<Rate::Fraction>(&a.form);
  const auto* y = std::get_if<Rate::Fraction>(&b.form);
  if (x != nullptr && y != nullptr) {
    const auto population = product(x->population, y->population);
    if (!population) return std::nullopt;
    return Rate(x->drawn * y->drawn, *population);
  }
  if (x != nullptr || y != nullptr) return std::nullopt;
  const double rate = a.value() * b.value();
  const bool is_exact = rate >= least_exact_product && std::fma(a.value(), b.value(), -rate) == 0;
  return is_exact ? std::optional<Rate>(rate) : std::nullopt;
}

NormalPlan::NormalPlan(Event event, Adjacency adjacency)
    : event_(normal_form(event, adjacency)), adjacency_(adjacency) {}

bool NormalPlan::is_nothing() const { return dpbudget::is_nothing(event_); }

}  // namespace dpbudget
