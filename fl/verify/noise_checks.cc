#include "dpbudget/fl/verify/noise_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dpbudget/fl/verify/finding.h"
#include "dpbudget/mechanisms/bernoulli.h"
#include "dpbudget/mechanisms/random.h"
#include "dpbudget/mechanisms/sums.h"

namespace dpbudget::fl {
namespace {

constexpr double significance = 1e-9;
// Noise is found as a difference of sums: what rounding takes from it is far below, a hundredth too little far above.
constexpr double replay_tolerance = 1e-6;
constexpr double norm_rounding = 1e-9;  // norms are computed twice, with sums in other orders

// Draws of older ledgers were rounded otherwise than those that replay them.
double count_rounding(const LedgerHeader& header) {
  return generator_of(header) == mechanisms::Generator::threefry ? 0x1p-51 : 0x1p-47;
}

// Noise drawn anew: the sum of squares that should have been found, and of how many draws.
struct Replayed {
  double sum = 0;
  double sum_of_squares = 0;
  std::uint64_t draws = 0;
};

mechanisms::Stream stream_of(const LedgerHeader& header, mechanisms::Purpose purpose, const Participation& at,
                             std::uint64_t step) {
  return mechanisms::Stream({header.run->seed, purpose, at.round, at.client, step}, generator_of(header));
}

// So many normal numbers of every step, each with the standard deviation given.
Replayed replayed_normal(const LedgerHeader& header, mechanisms::Purpose purpose, const Participation& at,
                         std::uint64_t first, std::uint64_t count, std::uint64_t numbers, double noise_std) {
  mechanisms::Sums total;
  std::array<double, 1024> buffer;
  for (std::uint64_t step = first; step < first + count; ++step) {
    mechanisms::Stream stream = stream_of(header, purpose, at, step);
    for (std::uint64_t left = numbers; left > 0;) {
      const std::span draws =
          std::span(buffer).first(static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer.size())));
      stream.fill_normal(draws);
      const mechanisms::Sums sums = mechanisms::sums_of(draws);
      total.values += sums.values;
      total.squares += sums.squares;
      left -= draws.size();
    }
  }
  return {total.values * noise_std, total.squares * noise_std * noise_std, count * numbers};
}

// The noise bits of every report in every step, summed over the reports of a batch.
Replayed replayed_binomial(const LedgerHeader& header, const Participation& at, const ReleaseRun& run,
                           const mechanisms::BinomialEncoder& encoder, std::uint64_t first) {
  Replayed replayed;
  for (std::uint64_t step = first; step < first + run.count; ++step) {
    mechanisms::Stream stream = stream_of(header, mechanisms::Purpose::noise, at, step);
    std::vector<std::uint64_t> ones(run.coordinates);
    for (std::uint64_t report = 0; report < run.sample; ++report)
      for (std::uint64_t& of_coordinate : ones)
        of_coordinate += mechanisms::binomial(encoder.noise_bits, encoder.probability, stream);
    for (const std::uint64_t of_coordinate : ones)
      replayed.sum_of_squares += std::pow(mechanisms::noise_of(of_coordinate, run.sample, encoder), 2);
    replayed.draws += run.coordinates * run.sample;
  }
  return replayed;
}

std::optional<Replayed> replayed_noise(const LedgerHeader& header, const Participation& at, const ReleaseRun& run,
                                       const BatchRecipe& planned, std::uint64_t first) {
  const auto found = run.released_by();
  if (!found || !traits_of(*found).adds_noise) return std::nullopt;
  const MechanismTraits& mechanism = traits_of(*found);
  if (mechanism.is_shuffled && run.sample != planned.sample) return std::nullopt;
  if (mechanism.encodes_bits)
    return planned.encoder ? std::optional(replayed_binomial(header, at, run, *planned.encoder, first)) : std::nullopt;
  return replayed_normal(header, mechanisms::Purpose::noise, at, first, run.count,
                         run.coordinates * (mechanism.is_shuffled ? run.sample : 1), run.noise_std);
}

// The number of norms below the threshold, whose noise is known.
void check_count(const LedgerHeader& header, const Participation& at, const ReleaseRun& run, const Replayed& noise,
                 Finding& finding) {
  const auto releases = static_cast<double>(run.count);
  const double expected = std::sqrt(noise.sum_of_squares);
  // A difference of numbers up to the batch's size, which may be far above the noise.
  const double rounding = static_cast<double>(run.sample) * std::sqrt(releases) * count_rounding(header);
  finding.expect(
      at, std::abs(std::sqrt(run.count_noise_sum_of_squares) - expected) <= replay_tolerance * expected + rounding,
      "noise of norm {} was found on the number of norms below the threshold, its own stream gives {}",
      std::sqrt(run.count_noise_sum_of_squares), expected);
  // What is left when that noise is taken off the released number is how many norms there were.
  const double exact = run.count_below - noise.sum;
  const double most = static_cast<double>(run.sample) * releases;
  const double slack = count_rounding(header) * releases * (most + releases * expected);
  finding.expect(at, -slack <= exact && exact <= most + slack && std::abs(exact - std::round(exact)) <= slack,
                 "{} norms below the threshold, which with the noise of its own stream is no number of records",
                 run.count_below);
  // All of them where the largest norm is below, and not all where it is above.
  const double largest = run.largest_norm / run.clip_norm;
  const bool may_be_all = largest <= 1 + norm_rounding;
  const bool must_be_all = largest < 1 - norm_rounding;
  finding.expect(at, (may_be_all || exact < most - 0.5) && (!must_be_all || most - 0.5 < exact),
                 "{} of {} norms are below the threshold {} by the noise of its own stream, but the largest is {}",
                 std::round(exact), most, run.clip_norm, run.largest_norm);
}

void look_at_stream(const LedgerHeader& header, const Participation& at, const ReleaseRun& run,
                    const BatchRecipe& planned, std::uint64_t first, NoiseFindings& found) {
  // More steps or other coordinates than planned are for local_steps and noise to report.
  if (first + run.count - 1 > header.run.local_steps() || run.coordinates != header.dimension) return;
  if (const auto noise = replayed_noise(header, at, run, planned, first)) {
    found.draws += noise->draws;
    const double expected = noise->sum_of_squares;
    found.stream.expect(at, std::abs(run.noise_sum_of_squares - expected) <= replay_tolerance * expected,
                        "noise of squared norm {} was found, its own stream gives {}", run.noise_sum_of_squares,
                        expected);
  }
  // Count noise that was not planned, or not recorded, is for clipping to report.
  if (!planned.count_noise || !run.count_noise) return;
  const Replayed counts =
      replayed_normal(header, mechanisms::Purpose::clipping, at, first, run.count, 1, *planned.count_noise);
  found.draws += counts.draws;
  check_count(header, at, run, counts, found.stream);
}

void look_at_variance(const Participation& at, const ReleaseRun& run, NoiseFindings& found) {
  // Other noise, such as binomial, has no chi-squared law.
  const auto mechanism = run.released_by();
  if (!mechanism || !traits_of(*mechanism).takes_multipliers) return;
  const double standardised = run.noise_sum_of_squares / run.noise_std / run.noise_std;
  found.variance.expect(at, 0 < run.noise_std && 0 <= standardised && std::isfinite(standardised),
                        "noise of squared norm {} at standard deviation {}", run.noise_sum_of_squares, run.noise_std);
  found.squares += standardised;
  const std::uint64_t reports = traits_of(*mechanism).is_shuffled ? run.sample : 1;
  found.degrees += static_cast<double>(run.count) * static_cast<double>(run.coordinates) * static_cast<double>(reports);
}

}  // namespace

void NoiseFindings::add(const NoiseFindings& later) {
  stream.add(later.stream);
  draws += later.draws;
  variance.add(later.variance);
  squares += later.squares;
  degrees += later.degrees;
}

Check NoiseFindings::stream_check() const {
  return stream.conclude(draws == 0 ? "no noise is recorded"
                                    : fmt::format("{} draws are those of their own client, round and step", draws));
}

Check NoiseFindings::variance_check() const {
  if (degrees == 0) return variance.conclude("no noise is recorded");
  const std::string ratio =
      fmt::format("variance {:.6f} of the recorded one over {} draws", squares / degrees, degrees);
  if (!std::isfinite(squares) || squares < 0) return variance.conclude(ratio);
  const boost::math::chi_squared law(degrees);
  const double p = 2 * std::min(cdf(law, squares), cdf(complement(law, squares)));
  Finding finding = variance;
  finding.expect(significance <= p, "{}, which chance gives with probability {:.2g}", ratio, p);
  return finding.conclude(fmt::format("{}, p = {:.3g}", ratio, std::min(p, 1.0)));
}

void NoiseChecks::look_at(const Participation& at, const ReleaseRun& run, const BatchRecipe& planned,
                          std::uint64_t first, NoiseFindings& found) const {
  look_at_stream(header_, at, run, planned, first, found);
  look_at_variance(at, run, found);
}

}  // namespace dpbudget::fl
