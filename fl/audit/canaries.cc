#include "dpbudget/fl/audit/canaries.h"

#include <fmt/format.h>

#include <algorithm>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/simulate/runner.h"

namespace dpbudget::fl {
namespace {

// So large that clipping leaves the direction of a gradient alone, and that a model which has moved at all is sure of
// the others' labels.
constexpr double canary_feature = 1e4;

std::uint64_t client_of(std::uint64_t canary) { return 2 * canary + 1; }

// The messages of one client in one round, one number after the other; zeros where it took no part or sends no control
// variate, so that as many numbers are seen in every run.
class Messages {
 public:
  explicit Messages(const Seen& seen) : seen_(seen), model_(seen.model.size()) {}

  Vector of(std::uint64_t client) const {
    Vector found = Vector::Zero(2 * model_ + 1);
    for (std::size_t slot = 0; slot < seen_.clients.size(); ++slot) {
      if (seen_.clients[slot] != client) continue;
      found.head(model_) = seen_.updates[slot].model;
      if (seen_.updates[slot].control.size() == model_) found.segment(model_, model_) = seen_.updates[slot].control;
      for (const ReleaseRun& release : seen_.participations[slot].releases)
        if (release.count_noise) found(2 * model_) += release.count_below;
    }
    return found;
  }

 private:
  const Seen& seen_;
  Eigen::Index model_;
};

Vector joined(const Vector& a, const Vector& b) {
  Vector both(a.size() + b.size());
  both << a, b;
  return both;
}

}  // namespace

void check(const Witnesses& witnesses) {
  constexpr std::uint64_t most = 1'000'000;
  require(1 <= witnesses.canaries && witnesses.canaries <= most, "canaries", witnesses.canaries,
          "an integer in [1, 1000000]");
  require(1 <= witnesses.records && witnesses.records <= most && witnesses.records % 2 == 1, "records",
          witnesses.records, "an odd number in [1, 1000000]: the canary, and pairs whose gradients cancel");
  require(
      2 * witnesses.canaries <= witnesses.clients() && witnesses.clients() <= 2 * most, "users", witnesses.clients(),
      fmt::format("in [{}, 2000000]: a canary's client, and one beside it, for each canary", 2 * witnesses.canaries));
}

bool sees_each_message(const SettledRun& run, Adversary adversary) {
  return adversary == Adversary::server && !traits_of(run.algorithm().mechanism).is_shuffled;
}

FederatedData data_of(const Witnesses& witnesses, const std::vector<bool>& is_in) {
  const auto rows = static_cast<Eigen::Index>(witnesses.clients() * witnesses.records);
  FederatedData data{Dataset{Matrix::Constant(rows, 1, canary_feature), {}, 2},
                     Dataset{Matrix::Zero(2, 1), {0, 1}, 2},
                     {},
                     "canaries"};
  data.train.labels.reserve(static_cast<std::size_t>(rows));
  std::uint32_t row = 0;
  for (std::uint64_t client = 0; client < witnesses.clients(); ++client) {
    const bool holds = client % 2 == 1 && client / 2 < witnesses.canaries;
    data.clients.emplace_back();
    for (std::uint64_t record = 0; record < witnesses.records; ++record, ++row) {
      const bool is_one = record == 0 ? holds && is_in[client / 2] : record % 2 == 1;
      data.train.labels.push_back(is_one ? 1 : 0);
      data.clients.back().push_back(row);
      const bool is_small = holds && record == 0 && witnesses.canary == Canary::small && !is_one;
      const bool is_silent = !holds && record > 0;  // else the noise of this client would be told as loudly
      if (is_small || is_silent) data.train.features(row, 0) = 0;
    }
  }
  return data;
}

std::vector<Vector> seen_of(const SettledRun& run, const Witnesses& witnesses, const std::vector<bool>& is_in,
                            Adversary adversary, Fault fault) {
  constexpr Eigen::Index most_numbers = 128;
  const bool sees_messages = sees_each_message(run, adversary);
  std::vector<Vector> seen(witnesses.canaries);
  Vector before;
  Surroundings around;
  around.fault = fault;
  const auto rounds = static_cast<Eigen::Index>(run.released_rounds());
  around.look = [&](const Seen& round) {
    const Messages messages(round);
    if (before.size() == 0) before = Vector::Zero(round.model.size());  // models start at zero
    const Vector moved = round.model - before;
    before = round.model;
    for (std::uint64_t canary = 0; canary < witnesses.canaries; ++canary) {
      const Vector now = sees_messages ? joined(messages.of(client_of(canary)), messages.of(client_of(canary) - 1))
                         : adversary == Adversary::one_client ? joined(moved, messages.of(0))
                                                              : moved;
      Vector& all = seen[canary];
      const auto number = static_cast<Eigen::Index>(round.number) - 1;
      const bool are_few = now.size() * rounds <= most_numbers;
      if (all.size() == 0) all = Vector::Zero(are_few ? now.size() * rounds : now.size());
      all.segment(are_few ? number * now.size() : 0, now.size()) += now;
    }
  };
  simulate(run, data_of(witnesses, is_in), around);
  return seen;
}

}  // namespace dpbudget::fl
