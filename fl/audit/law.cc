#include "dpbudget/fl/audit/law.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/plan_text.h"
#include "dpbudget/accounting/plan/told_response.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget::fl {
namespace {

using mechanisms::Stream;

constexpr double infinity = std::numeric_limits<double>::infinity();

[[noreturn]] void refuse(const Event& event, std::string_view why) {
  throw Unsupported(fmt::format("plan has {}, whose outputs are not drawn: {}", shortened_text(event), why));
}

Law nothing_told() {
  return {[](bool, Stream&) { return 0.0; }, 0};
}

// Above it squares are beyond a double.
constexpr double farthest = 1e150;

// N(mu, 1) against N(0, 1).
Law gaussian_law(const Event& event, double mu) {
  if (!(mu <= farthest)) refuse(event, "its means are above 1e150 deviations apart");
  return {[mu](bool is_in, Stream& stream) {
            const double x = stream.normal() + (is_in ? mu : 0);
            return mu * (x - mu / 2);
          },
          1};
}

// Noise of density proportional to e^(-|x| / scale), around `shift` against around 0.
Law laplace_law(double scale, double shift) {
  return {[scale, shift](bool is_in, Stream& stream) {
            const double size = -scale * std::log1p(-stream.uniform());
            const double x = (stream.uniform() < 0.5 ? size : -size) + (is_in ? shift : 0);
            // (|x| - |x - shift|) / scale; its extremes are atoms, the same number from either side.
            return std::clamp(2 * x - shift, -shift, shift) / scale;
          },
          2};
}

// The same of integers: a difference of two geometric numbers, around 1 against around 0.
Law discrete_laplace_law(const Event& event, double scale) {
  if (!(scale <= 1e13)) refuse(event, "its scale is above 1e13, where doubles no longer hold all integers it adds");
  const auto geometric = [scale](Stream& stream) { return std::floor(-scale * std::log1p(-stream.uniform())); };
  return {[scale, geometric](bool is_in, Stream& stream) {
            const double z = geometric(stream) - geometric(stream) + (is_in ? 1 : 0);
            return (z >= 1 ? 1 : -1) / scale;
          },
          2};
}

// By the sums of its probabilities from the left: beyond 40 deviations lies less than a double's last place.
Law discrete_gaussian_law(const Event& event, double sigma) {
  if (!(sigma <= 1e5)) refuse(event, "its noise is above 1e5");
  const auto reach = static_cast<int>(std::ceil(40 * sigma));
  std::vector<double> sums;
  double total = 0;
  for (int z = -reach; z <= reach; ++z) {
    const double scaled = z / sigma;
    total += std::exp(-scaled * scaled / 2);
    sums.push_back(total);
  }
  return {[sums = std::move(sums), reach, sigma](bool is_in, Stream& stream) {
            const auto found = std::ranges::upper_bound(sums, stream.uniform() * sums.back());
            const double z = static_cast<double>(found - sums.begin()) - reach + (is_in ? 1 : 0);
            return (2 * z - 1) / (2 * sigma * sigma);
          },
          2};
}

Law response_law(double epsilon, double categories = 2) {
  const double lie = 1 / (std::exp(epsilon) + categories - 1);  // of each other value
  return {[epsilon, categories, lie](bool is_in, Stream& stream) {
            const double drawn = stream.uniform();
            const double sign = is_in ? 1 : -1;
            if (drawn < lie) return -sign * epsilon;
            return drawn < (categories - 1) * lie ? 0.0 : sign * epsilon;
          },
          1};
}

Law seen_law(double rate, const Law& inner) {
  return {
      [rate, inner](bool is_in, Stream& stream) { return stream.uniform() < rate ? inner.draw(is_in, stream) : 0.0; },
      1 + rate * inner.cost};
}

// accounting/plan/proofs.md, 7.1
Law told_law(const ToldResponse& told) { return seen_law(told.told, response_law(told.epsilon)); }

Law approximate_law(double epsilon, double delta) {
  const Law response = response_law(epsilon);
  return {[response, delta](bool is_in, Stream& stream) {
            if (stream.uniform() < delta) return is_in ? infinity : -infinity;
            return response.draw(is_in, stream);
          },
          2};
}

double log_sum(const std::vector<double>& logs) {
  const double most = std::ranges::max(logs);
  if (std::isinf(most)) return most;
  double sum = 0;
  for (const double log : logs) sum += std::exp(log - most);
  return most + std::log(sum);
}

// log(1 - rate + rate e^loss)
double mixed_loss(double rate, double loss) {
  if (rate >= 1) return loss;
  return loss > 0 ? loss + std::log(rate + (1 - rate) * std::exp(-loss)) : std::log1p(rate * std::expm1(loss));
}

// N(m_i, 1) with probability p_i against N(0, 1).
Law shifted_law(std::vector<double> chances, std::vector<double> shifts) {
  return {[chances = std::move(chances), shifts = std::move(shifts)](bool is_in, Stream& stream) {
            double x = stream.normal();
            if (is_in) {
              double left = stream.uniform();
              std::size_t chosen = 0;
              while (chosen + 1 < chances.size() && left >= chances[chosen]) left -= chances[chosen++];
              x += shifts[chosen];
            }
            std::vector<double> logs;
            for (std::size_t i = 0; i < shifts.size(); ++i)
              if (chances[i] > 0) logs.push_back(std::log(chances[i]) + shifts[i] * (x - shifts[i] / 2));
            return log_sum(logs);
          },
          2};
}

// fl/audit/proofs.md, 2.2
Law hidden_law(double rate, const Law& inner) {
  return {[rate, inner](bool is_in, Stream& stream) {
            const bool is_there = is_in && stream.uniform() < rate;
            return mixed_loss(rate, inner.draw(is_there, stream));
          },
          inner.cost + 1};
}

// A Gaussian on a Poisson sample whose record has one of two values: fl/audit/proofs.md, 2.2
Law replaced_law(double rate, double mu) {
  return {[rate, mu](bool is_in, Stream& stream) {
            double x = stream.normal();
            if (stream.uniform() < rate) x += is_in ? mu / 2 : -mu / 2;
            const auto against_none = [&](double shift) { return mixed_loss(rate, shift * (x - shift / 2)); };
            return against_none(mu / 2) - against_none(-mu / 2);
          },
          2};
}

Law repeated_law(double count, const Law& inner) {
  return {[count, inner](bool is_in, Stream& stream) {
            double sum = 0;
            for (double i = 0; i < count; ++i) sum += inner.draw(is_in, stream);
            return sum;
          },
          count * inner.cost};
}

// log(e^a + e^b)
double log_sum(double a, double b) {
  const double most = std::max(a, b);
  return std::isinf(most) ? most : most + std::log1p(std::exp(std::min(a, b) - most));
}

// Which `times` of `steps` a record is dealt to, each choice as likely.
std::vector<bool> dealt(std::uint64_t steps, std::uint64_t times, Stream& stream) {
  std::vector<bool> is_dealt(steps);
  for (std::uint64_t step = 0; times > 0; ++step)
    if (stream.below(steps - step) < times) {
      is_dealt[step] = true;
      --times;
    }
  return is_dealt;
}

// fl/audit/proofs.md, 2.3
Law allocated_law(const Event& event, const dpbudget::Steps& dealing, const Law& inner) {
  const std::uint64_t steps = dealing.value();
  const std::uint64_t times = dealing.times;
  if (steps > 100'000'000) refuse(event, "it has above 1e8 steps");
  const auto number = static_cast<double>(steps);
  const auto taken = static_cast<double>(times);
  const double log_ways = std::lgamma(number + 1) - std::lgamma(taken + 1) - std::lgamma(number - taken + 1);
  return {[steps, times, inner, log_ways](bool is_in, Stream& stream) {
            const std::vector<bool> is_dealt = is_in ? dealt(steps, times, stream) : std::vector<bool>(steps);
            // Of the steps so far, the sum of the products of e^loss over all choices of so many of them.
            std::vector<double> log_sums(times + 1, -infinity);
            log_sums[0] = 0;
            for (std::uint64_t step = 0; step < steps; ++step) {
              const double loss = inner.draw(is_dealt[step], stream);
              for (std::uint64_t j = std::min(times, step + 1); j > 0; --j)
                log_sums[j] = log_sum(log_sums[j], log_sums[j - 1] + loss);
            }
            return log_sums[times] - log_ways;
          },
          1 + number * (inner.cost + taken)};
}

// The number of ones when all others hold 0: fl/audit/proofs.md, 2.4
Law shuffled_law(double reports, double epsilon) {
  return {[reports, epsilon](bool is_in, Stream& stream) {
            const double lie = 1 / (1 + std::exp(epsilon));
            double ones = stream.uniform() < (is_in ? 1 - lie : lie) ? 1 : 0;
            for (double i = 1; i < reports; ++i) ones += stream.uniform() < lie ? 1 : 0;
            const double share = ones / reports;
            return ones == 0 ? -epsilon : epsilon + std::log(share + (1 - share) * std::exp(-2 * epsilon));
          },
          reports};
}

class Reader {
 public:
  explicit Reader(Adjacency adjacency) : is_replaced_(adjacency == Adjacency::replace_one) {}

  Law law(const Event& event) const {
    return match(
        event, [&](const Gaussian& e) { return gaussian_law(event, 1 / e.noise_multiplier.value()); },
        [](const Laplace& e) { return laplace_law(e.scale.value(), 1); },
        [&](const DiscreteGaussian& e) {
          tabulated_ += e.noise_multiplier.value();
          if (tabulated_ > 1e6) refuse(event, "the noises of all discrete Gaussians add up to more than 1e6");
          return discrete_gaussian_law(event, e.noise_multiplier.value());
        },
        [&](const DiscreteLaplace& e) { return discrete_laplace_law(event, e.scale.value()); },
        [](const RandomizedResponse& e) { return response_law(e.epsilon.value(), static_cast<double>(e.categories)); },
        [&](const MixtureOfGaussians& e) { return mixture(event, e); },
        [](const PureDp& e) { return response_law(e.epsilon.value()); },
        [](const ApproximateDp& e) { return approximate_law(e.epsilon.value(), e.delta.value()); },
        [&](const ConcentratedDp& e) { return gaussian_law(event, std::sqrt(2 * e.rho.value())); },
        [&](const TruncatedConcentratedDp&) -> Law { refuse(event, "no mechanism is known to attain it"); },
        [&](const RenyiDp&) -> Law { refuse(event, "no mechanism is known to attain it"); },
        [&](const PrivacyProfile&) -> Law { refuse(event, "no mechanism is known to attain it"); },
        [&](const GaussianDp& e) { return gaussian_law(event, e.mu.value()); },
        [](const BoundedRange& e) { return response_law(e.epsilon.value() / 2); },
        [](const FrequencyOracle auto& e) { return told_law(told_response(e)); },
        [&](const PoissonSampled& e) { return poisson(event, e.rate.value(), *e.inner); },
        [&](const SampledWithoutReplacement& e) {
          if (!is_replaced_) refuse(event, "samples of fixed size are drawn under replace_one");
          return hidden_law(e.rate.value(), law(*e.inner));
        },
        [&](const SampledWithReplacement& e) { return drawn_again(event, e); },
        [&](const TruncatedPoisson&) -> Law { refuse(event, "how full its batches are has no simple law"); },
        [&](const Participates& e) { return seen_law(e.rate.value(), law(*e.inner)); },
        [&](const Repeated& e) { return repeated(static_cast<double>(e.count.value()), *e.inner); },
        [&](const Composed& e) { return composed(e); }, [&](const Shuffled& e) { return shuffled(event, e); },
        [&](const RandomlyAllocated& e) {
          if (is_replaced_) refuse(event, "its law under replace_one is not known");
          return allocated_law(event, e.steps, law(*e.inner));
        },
        [&](const ShuffledBatches&) -> Law { refuse(event, "its batches depend on each other"); },
        [&](const Grouped& e) { return grouped(event, static_cast<double>(e.records.value()), *e.inner); },
        [&](const Selected&) -> Law { refuse(event, "the law of the best of its runs depends on the score"); });
  }

 private:
  Law mixture(const Event& event, const MixtureOfGaussians& mixture) const {
    if (is_replaced_) refuse(event, "its law under replace_one is not known");
    std::vector<double> chances;
    std::vector<double> shifts;
    for (const auto& [chance, offset] : mixture.shifts) {
      chances.push_back(chance);
      shifts.push_back(offset / mixture.noise_multiplier.value());
      if (!(shifts.back() <= farthest)) refuse(event, "its means are above 1e150 deviations apart");
    }
    const double all = std::accumulate(chances.begin(), chances.end(), 0.0);
    if (all < 1) {
      chances.push_back(1 - all);
      shifts.push_back(0);
    }
    return shifted_law(std::move(chances), std::move(shifts));
  }

  Law poisson(const Event& event, double rate, const Event& inner) const {
    if (rate == 0) return nothing_told();
    if (rate == 1) return law(inner);
    if (!is_replaced_) return hidden_law(rate, law(inner));
    const auto* gaussian = std::get_if<Gaussian>(&inner);
    if (gaussian == nullptr) refuse(event, "under replace_one samples of Gaussians alone are drawn");
    const double mu = 1 / gaussian->noise_multiplier.value();
    if (!(mu <= farthest)) refuse(event, "its means are above 1e150 deviations apart");
    return replaced_law(rate, mu);
  }

  // Gaussians of several steps are one.
  Law repeated(double count, const Event& inner) const {
    if (const auto* gaussian = std::get_if<Gaussian>(&inner))
      return gaussian_law(inner, std::sqrt(count) / gaussian->noise_multiplier.value());
    return repeated_law(count, law(inner));
  }

  Law composed(const Composed& composed) const {
    std::vector<Law> parts;
    double cost = 0;
    for (const Event& part : composed.parts) {
      parts.push_back(law(part));
      cost += parts.back().cost;
    }
    return {[parts = std::move(parts)](bool is_in, Stream& stream) {
              double sum = 0;
              for (const Law& part : parts) sum += part.draw(is_in, stream);
              return sum;
            },
            cost};
  }

  Law drawn_again(const Event& event, const SampledWithReplacement& sampled) const {
    const auto* gaussian = std::get_if<Gaussian>(&*sampled.inner);
    const auto draws = static_cast<double>(sampled.draws.number.value());
    if (!is_replaced_ || gaussian == nullptr || draws > 200)
      refuse(event, "batches of up to 200 draws around a Gaussian, under replace_one, alone are drawn");
    const double rate = 1 / static_cast<double>(sampled.draws.population);
    std::vector<double> chances;
    std::vector<double> shifts;
    for (double times = 0; times <= draws; ++times) {
      const double log_ways = std::lgamma(draws + 1) - std::lgamma(times + 1) - std::lgamma(draws - times + 1);
      const double others = times == draws ? 0 : (draws - times) * std::log1p(-rate);
      chances.push_back(std::exp(log_ways + times * std::log(rate) + others));
      shifts.push_back(times / gaussian->noise_multiplier.value());
      if (!(shifts.back() <= farthest)) refuse(event, "its means are above 1e150 deviations apart");
    }
    return shifted_law(std::move(chances), std::move(shifts));
  }

  Law shuffled(const Event& event, const Shuffled& shuffled) const {
    const auto* response = std::get_if<RandomizedResponse>(&*shuffled.inner);
    if (response == nullptr || response->categories != 2 || shuffled.records != 1 || !is_replaced_)
      refuse(event, "shuffled binary randomised response of one record each, under replace_one, alone is drawn");
    return shuffled_law(static_cast<double>(shuffled.reports.value()), response->epsilon.value());
  }

  Law grouped(const Event& event, double records, const Event& inner) const {
    if (const auto* gaussian = std::get_if<Gaussian>(&inner))
      return gaussian_law(event, records / gaussian->noise_multiplier.value());
    if (const auto* laplace = std::get_if<Laplace>(&inner)) return laplace_law(laplace->scale.value(), records);
    refuse(event, "groups of records around Gaussian and Laplace noise alone are drawn");
  }

  bool is_replaced_;
  mutable double tabulated_ = 0;  // noises of the discrete Gaussians so far, whose tables grow with them
};

}  // namespace

Law law_of(const Plan& plan) { return Reader(plan.adjacency).law(plan.event); }

}  // namespace dpbudget::fl
