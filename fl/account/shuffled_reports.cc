#include "dpbudget/fl/account/shuffled_reports.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/profile/gaussian.h"

namespace dpbudget::fl {

Event sampled_batch(std::uint64_t sample, std::uint64_t records, Event release) {
  if (!has_shuffled(release)) return SampledWithoutReplacement{Rate(sample, records), std::move(release)};
  const auto population = static_cast<double>(records);
  double rate = static_cast<double>(sample) / population;
  if (std::fma(rate, population, -static_cast<double>(sample)) < 0) rate = std::nextafter(rate, 1.0);
  return SampledWithoutReplacement{rate, std::move(release)};
}

ShuffledReports::ShuffledReports(const SettledRun& run, std::uint64_t clients)
    : delta_(run->delta), rounds_(run.released_rounds()), participation_(fl::drawn(run->user_rate, clients), clients) {}

const Event& ShuffledReports::operator()(double noise_multiplier, std::uint64_t reports,
                                         const std::optional<Batch>& drawn) {
  const auto key = std::tuple(noise_multiplier, reports, drawn);
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_.emplace(key, tighter(noise_multiplier, reports, drawn)).first->second;
}

// fl/account/proofs.md, 7.1, 7.2 and 7.4
Event ShuffledReports::tighter(double noise_multiplier, std::uint64_t reports,
                               const std::optional<Batch>& drawn) const {
  const Event alone = Gaussian{noise_multiplier};
  const double share = delta_ / static_cast<double>(rounds_);
  // Every report may fail to be epsilon-DP: the theorem charges all of them.
  const double failure = std::max(1e-300, share / 100 / static_cast<double>(reports));
  const double epsilon = profile::gaussian_epsilon_bound(noise_multiplier, failure).upper;
  // The theorem's precondition.
  const double limit = std::log(static_cast<double>(reports) / (16 * std::log(2 / (share / 10))));
  if (!(epsilon <= limit)) return alone;
  const Event hidden = Shuffled{reports, Event(ApproximateDp{epsilon, failure})};
  const auto spent = [&](AccountantName accountant, const Event& release) {
    const auto taking_part = [&](const Event& round) { return Event(Participates{participation_, round}); };
    const Event run = drawn ? Repeated{rounds_, taking_part(sampled_batch(drawn->sample, drawn->records, release))}
                            : taking_part(release);
    return make_accountant(accountant, {run, Adjacency::replace_one}).value()->epsilon(1, delta_).value().upper;
  };
  return spent(AccountantName::approximate, hidden) < spent(AccountantName::renyi, alone) ? hidden : alone;
}

}  // namespace dpbudget::fl
