#include "dpbudget/accounting/solve/dp_sgd.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/numeric/integer_search.h"
#include "dpbudget/accounting/solve/by_accountant.h"
#include "dpbudget/accounting/solve/rounds.h"

namespace dpbudget::solve {
namespace {

constexpr std::string_view assumed =
    "Poisson sampling: each record joins each batch with probability batch / records, independently; "
    "add_or_remove_one, one record more or less";
constexpr std::string_view fixed_size =
    "batches of exactly that size, each drawn without replacement; replace_one, where the sensitivity is twice the "
    "clipping norm and the same noise counts half";
constexpr std::string_view passes =
    "each pass in an order of its own and no batch across two, as shuffling loaders make them; zero_out_one, one "
    "record blanked. Without amplification: how much the shuffling adds is not known, and it can be far less than "
    "Poisson sampling does (Chua et al. 2024, arXiv:2403.17673)";
constexpr std::string_view whole_passes =
    "each pass in an order of its own, cut into batches of that size, as shuffling loaders make them; zero_out_one, "
    "one record blanked. The upper end is without amplification, for how much the shuffling adds is not known; the "
    "lower one is what neighbouring data sets show, which can be more than Poisson sampling costs (Chua et al. 2024, "
    "arXiv:2403.17673)";

// How many steps a run has.
struct RunSteps {
  std::uint64_t count;
  bool is_rounded;
};

// A double as the shortest decimal fraction that is read back as it: what was written, where it was written in
// decimals.
struct Decimal {
  boost::multiprecision::cpp_int numerator;
  boost::multiprecision::cpp_int denominator;
};

Decimal decimal_of(double value) {
  using boost::multiprecision::cpp_int;
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific).ptr;
  const std::string_view written(text.data(), end);
  const std::size_t mark = written.find('e');
  const std::string_view mantissa = written.substr(0, mark);
  int exponent = std::stoi(std::string(written.substr(mark + 1)));
  std::string digits;
  for (const char character : mantissa)
    if (character != '.') digits += character;
  exponent -= static_cast<int>(digits.size()) - 1;
  const cpp_int power = boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(std::abs(exponent)));
  return {cpp_int(digits) * (exponent > 0 ? power : cpp_int(1)), exponent > 0 ? cpp_int(1) : power};
}

// epochs * records / batch, rounded up, exactly: 1.1 is eleven tenths, though no double is.
RunSteps steps_of(std::uint64_t records, std::uint64_t batch, double epochs) {
  using boost::multiprecision::cpp_int;
  const auto most = static_cast<double>(ranges::max_count);
  const double about = epochs * static_cast<double>(records) / static_cast<double>(batch);
  if (!(about <= most)) throw InvalidArgument(fmt::format("epochs is {}, but must make 2^53 steps at most", epochs));
  const auto [numerator_of_epochs, denominator_of_epochs] = decimal_of(epochs);
  const cpp_int numerator = numerator_of_epochs * records;
  const cpp_int denominator = denominator_of_epochs * batch;
  const cpp_int whole = numerator / denominator;
  const bool is_rounded = whole * denominator != numerator;
  return {whole.convert_to<std::uint64_t>() + (is_rounded ? 1 : 0), is_rounded};
}

void check_batch(std::uint64_t records, std::uint64_t batch) {
  if (!(1 <= batch && batch <= records))
    throw InvalidArgument(fmt::format("batch is {}, but must be in [1, records], and records are {}", batch, records));
}

// The range of every number that is known.
void check(const DpSgdQuestion& asked) {
  const auto in_range = [](const Real& value, std::string_view name, std::string_view allowed, double below) {
    if (!value.is_unknown()) require(0 < value.value() && value.value() < below, name, value.value(), allowed);
  };
  in_range(asked.epochs, "epochs", "positive and finite", infinity);
  in_range(asked.noise, "noise", "positive and finite", infinity);
  in_range(asked.delta, "delta", "in (0, 1): Gaussian noise has no pure DP, which 0 would ask for", 1);
  if (!asked.epsilon.is_unknown()) ranges::epsilon(asked.epsilon.value());
  if (!asked.records.is_unknown()) ranges::records(asked.records.value());
  if (!asked.batch.is_unknown())
    check_batch(asked.records.is_unknown() ? ranges::max_count : asked.records.value(), asked.batch.value());
}

Plan step(std::uint64_t records, std::uint64_t batch, Real noise) {
  return {PoissonSampled{Rate(batch, records), Event(Gaussian{noise})}, Adjacency::add_or_remove_one};
}

Plan times(std::uint64_t count, const Plan& plan) { return {repeat(count, plan.event), plan.adjacency}; }

class Runs {
 public:
  Runs(const DpSgdQuestion& asked, AccountantName name, double tolerance)
      : asked_(asked), name_(name), tolerance_(tolerance) {}

  DpSgd answer() const {
    if (asked_.records.is_unknown()) return with_records();
    if (asked_.batch.is_unknown()) return with_batch();
    if (asked_.epochs.is_unknown()) return with_epochs();
    if (asked_.noise.is_unknown()) return with_noise();
    if (asked_.delta.is_unknown()) return with_delta();
    return run(asked_.records.value(), asked_.batch.value(), asked_.noise.value(), asked_.delta.value());
  }

 private:
  DpSgd with_noise() const {
    const std::uint64_t records = asked_.records.value();
    const std::uint64_t batch = asked_.batch.value();
    const std::uint64_t steps = steps_of(records, batch, asked_.epochs.value()).count;
    const Solution found = unknown(times(steps, step(records, batch, Real::unknown())), name_, tolerance_,
                                   asked_.epsilon.value(), asked_.delta.value())
                               .value();
    if (!found.value) throw NoValue("noise has no value: " + found.explanation);
    return run(records, batch, *found.value, asked_.delta.value());
  }

  DpSgd with_epochs() const {
    const std::uint64_t records = asked_.records.value();
    const std::uint64_t batch = asked_.batch.value();
    const Plan once = step(records, batch, asked_.noise);
    const std::uint64_t steps =
        rounds(once, name_, tolerance_, asked_.epsilon.value(), asked_.delta.value()).value().rounds;
    if (steps == 0) throw NoValue("epochs has no value: one step alone is not proven to fit");
    double epochs = static_cast<double>(steps) * static_cast<double>(batch) / static_cast<double>(records);
    while (steps_of(records, batch, epochs).count > steps) epochs = std::nextafter(epochs, 0);
    return run(records, batch, epochs, steps, asked_.noise.value(), asked_.delta.value());
  }

  DpSgd with_delta() const {
    const std::uint64_t records = asked_.records.value();
    const std::uint64_t batch = asked_.batch.value();
    const std::uint64_t steps = steps_of(records, batch, asked_.epochs.value()).count;
    const double epsilon = asked_.epsilon.value();
    const DeltaBound found = make_accountant(name_, times(steps, step(records, batch, asked_.noise)), tolerance_)
                                 .value()
                                 ->delta(1, epsilon)
                                 .value();
    if (!(0 < found.bound.upper && found.bound.upper < 1))
      throw NoValue(fmt::format("delta has no value in (0, 1) that a double can hold: it is {}", found.bound.upper));
    DpSgd answer = run(records, batch, asked_.noise.value(), found.bound.upper);
    // What is proven of delta is that this epsilon is enough.
    if (found.bound.guarantee == Guarantee::proven && answer.epsilon.upper > epsilon) answer.epsilon.upper = epsilon;
    return answer;
  }

  DpSgd with_batch() const {
    const std::uint64_t records = asked_.records.value();
    if (!fits(records, 1)) throw NoValue("batch has no value: not even batches of 1 are proven to fit");
    const std::uint64_t batch =
        numeric::largest_that_fits(1, records + 1, [&](std::uint64_t size) { return fits(records, size); });
    return run(records, batch, asked_.noise.value(), asked_.delta.value());
  }

  DpSgd with_records() const {
    const std::uint64_t batch = asked_.batch.value();
    std::uint64_t enough = batch;
    std::uint64_t too_few = batch - 1;
    const auto most = static_cast<std::uint64_t>(static_cast<double>(ranges::max_count) /
                                                 std::max(1.0, std::ceil(asked_.epochs.value())));
    while (!fits(enough, batch)) {
      too_few = enough;
      if (enough > most / 2) throw NoValue("records has no value: no number of them is proven to meet the budget");
      enough *= 2;
    }
    while (enough - too_few > 1) {
      const std::uint64_t middle = too_few + (enough - too_few) / 2;
      (fits(middle, batch) ? enough : too_few) = middle;
    }
    return run(enough, batch, asked_.noise.value(), asked_.delta.value());
  }

  bool fits(std::uint64_t records, std::uint64_t batch) const {
    const std::uint64_t steps = steps_of(records, batch, asked_.epochs.value()).count;
    return spent(times(steps, step(records, batch, asked_.noise)), asked_.delta.value()).value().upper <=
           asked_.epsilon.value();
  }

  Answer<Bound> spent(const Plan& plan, double delta) const {
    const auto accountant = make_accountant(name_, plan, tolerance_);
    if (!accountant) return accountant.error();
    return (*accountant)->epsilon(1, delta);
  }

  // With the epochs that were asked for.
  DpSgd run(std::uint64_t records, std::uint64_t batch, double noise, double delta) const {
    const double epochs = asked_.epochs.value();
    const auto [steps, is_rounded] = steps_of(records, batch, epochs);
    DpSgd answer = run(records, batch, epochs, steps, noise, delta);
    if (is_rounded)
      answer.notes.push_back(fmt::format("{} epochs are {} steps, rounded up to {}", epochs,
                                         epochs * static_cast<double>(records) / static_cast<double>(batch), steps));
    return answer;
  }

  DpSgd run(std::uint64_t records, std::uint64_t batch, double epochs, std::uint64_t steps, double noise,
            double delta) const {
    const Plan plan = times(steps, step(records, batch, noise));
    return {records,
            batch,
            epochs,
            steps,
            noise,
            delta,
            spent(plan, delta).value(),
            plan,
            std::string(assumed),
            others(records, batch, steps, noise, delta),
            {}};
  }

  std::vector<OtherSampling> others(std::uint64_t records, std::uint64_t batch, std::uint64_t steps, double noise,
                                    double delta) const {
    const Event fixed = SampledWithoutReplacement{Rate(batch, records), Event(Gaussian{noise / 2})};
    // A pass has as many steps or one more, and each record in one of them at most.
    const std::uint64_t in_a_pass = records / batch;
    const std::uint64_t begun = steps / in_a_pass + (steps % in_a_pass == 0 ? 0 : 1);
    const auto other = [&](std::string_view what, Event event, Adjacency adjacency, std::string_view meaning) {
      Plan plan{std::move(event), adjacency};
      Answer<Bound> epsilon = spent(plan, delta);
      return OtherSampling{std::string(what), std::move(plan), std::move(epsilon), std::string(meaning)};
    };
    const bool is_whole = records % batch == 0 && steps % in_a_pass == 0 && in_a_pass > 1;
    const Event pass = is_whole ? Event(ShuffledBatches{in_a_pass, Event(Gaussian{noise})}) : Event(Gaussian{noise});
    return {
        other("fixed-size batches", repeat(steps, fixed), Adjacency::replace_one, fixed_size),
        other("passes over the data", repeat(begun, pass), Adjacency::zero_out_one, is_whole ? whole_passes : passes)};
  }

  const DpSgdQuestion& asked_;
  AccountantName name_;
  double tolerance_;
};

void check_unknowns(const DpSgdQuestion& asked) {
  const std::vector<std::pair<std::string_view, bool>> all = {
      {"records", asked.records.is_unknown()}, {"batch", asked.batch.is_unknown()},
      {"epochs", asked.epochs.is_unknown()},   {"noise", asked.noise.is_unknown()},
      {"delta", asked.delta.is_unknown()},     {"epsilon", asked.epsilon.is_unknown()}};
  std::vector<std::string_view> unknown;
  for (const auto& [name, is_unknown] : all)
    if (is_unknown) unknown.push_back(name);
  if (unknown.size() == 1) return;
  throw InvalidArgument(
      unknown.empty() ? "no number is `?`, but exactly one of records, batch, epochs, noise, delta and epsilon must be"
                      : fmt::format("{} are `?`, but exactly one number must be", fmt::join(unknown, " and ")));
}

}  // namespace

Answer<DpSgd> dp_sgd(const DpSgdQuestion& question, AccountantName name, double tolerance) {
  check_unknowns(question);
  check(question);
  try {
    return Runs(question, name, tolerance).answer();
  } catch (const Unsupported& unable) {
    return unable.refusal;
  }
}

}  // namespace dpbudget::solve
