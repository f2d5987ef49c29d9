#include "dpbudget/fl/run/traits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/run/settings.h"

namespace dpbudget::fl {
namespace {

bool is_adam(const Settings& run) { return run.optimiser == Optimiser::adam; }
bool has_moments(const Settings& run) { return is_adam(run) || run.optimiser == Optimiser::momentum; }
bool is_strongly_convex(const Settings& run) { return run.regularisation > 0; }
bool has_constant_steps(const Settings& run) { return !run.smoothness; }

std::deque<AlgorithmTraits> own_algorithms() {
  using enum Mechanism;
  const std::vector<std::string_view> steps = {"step", "server_step"};
  std::deque<AlgorithmTraits> all;
  const auto with = [](std::vector<TakenField> fields, const std::vector<std::string_view>& more) {
    for (const std::string_view key : more) fields.push_back({key});
    return fields;
  };
  const std::vector<TakenField> minibatch_fields = {
      {"step", has_constant_steps, "without smoothness"},
      {"smoothness", is_strongly_convex, "with a positive regularisation", false},
      {"radius"},
      {"batches"}};
  const std::vector<TakenField> accelerated_fields = {{"step"}, {"smoothness"}, {"radius"}, {"batches"}};
  // The plain form, and the one with Gaussian noise on every release.
  const auto add = [&](std::string_view plain, std::string_view noisy, AlgorithmTraits entry) {
    entry.name = plain;
    all.push_back(entry);
    entry.name = noisy;
    entry.mechanism = gaussian;
    all.push_back(entry);
  };
  add("fedavg", "dp-fedavg", {.scaled_step = true, .released_mean = true, .takes = with({}, steps)});
  add("fedsgd", "dp-fedsgd",
      {.steps = Steps::one_pass, .scaled_step = true, .released_mean = true, .takes = with({}, steps)});
  add("scaffold", "dp-scaffold", {.scaled_step = true, .takes = with({}, steps)});
  add("scaffold-warm", "dp-scaffold-warm", {.warm_starts = true, .scaled_step = true, .takes = with({}, steps)});
  add("prifedsync", "dp-prifedsync",
      {.personalised = true,
       .takes = with({{"optimiser"},
                      {"momentum", has_moments, "with optimiser momentum or adam"},
                      {"second_momentum", is_adam, "with optimiser adam"},
                      {"adaptivity", is_adam, "with optimiser adam"},
                      {"interpolation"}},
                     steps)});
  add("nfl", "dpnfl", {.released_mean = true, .takes = with({}, steps)});
  add("adnfl", "addpnfl",
      {.released_mean = true, .takes = with({{"momentum"}, {"second_momentum"}, {"adaptivity"}}, steps)});
  add("mb-sgd", "dp-mb-sgd", {.steps = Steps::one, .released_mean = true, .takes = minibatch_fields});
  add("ac-sa", "dp-ac-sa", {.steps = Steps::one, .released_mean = true, .takes = accelerated_fields});
  add("multi-stage-ac-sa", "dp-multi-stage-ac-sa",
      {.steps = Steps::one,
       .strongly_convex = true,
       .released_mean = true,
       .takes = {{"smoothness"}, {"gap"}, {"radius"}, {"batches"}}});
  add("local-sgd", "dp-local-sgd", {.single_record = true, .takes = with({{"radius"}}, steps)});
  all.push_back(
      {.name = "shuffled-mb-sgd", .mechanism = shuffled_gaussian, .steps = Steps::one, .takes = minibatch_fields});
  all.push_back({.name = "binomial-ac-sa",
                 .mechanism = shuffled_binomial,
                 .steps = Steps::one,
                 .takes = with(accelerated_fields, {"granularity", "noise_bits"})});
  return all;
}

// A deque, because what is added must not move what stands there.
std::deque<AlgorithmTraits>& registry() {
  static std::deque<AlgorithmTraits> all = own_algorithms();
  return all;
}

}  // namespace

const std::deque<AlgorithmTraits>& all_algorithms() { return registry(); }

const AlgorithmTraits& add_traits(AlgorithmTraits traits) {
  const bool is_taken = std::ranges::find(registry(), traits.name, &AlgorithmTraits::name) != registry().end();
  require(!traits.name.empty() && !is_taken, "algorithm", fmt::format("`{}`", traits.name),
          "a name that no algorithm has yet");
  return registry().emplace_back(std::move(traits));
}

const TakenField* AlgorithmTraits::taken(std::string_view key) const {
  const auto found = std::ranges::find(takes, key, &TakenField::key);
  return found == takes.end() ? nullptr : &*found;
}

bool AlgorithmTraits::reads(std::string_view key, const Settings& run) const {
  const TakenField* field = taken(key);
  return field != nullptr && (field->applies == nullptr || field->applies(run));
}

const AlgorithmTraits& find_algorithm(std::string_view name) {
  const auto& entries = all_algorithms();
  const auto found = std::ranges::find(entries, name, &AlgorithmTraits::name);
  if (found != entries.end()) return *found;
  std::vector<std::string_view> names;
  for (const AlgorithmTraits& entry : entries) names.push_back(entry.name);
  throw InvalidArgument(fmt::format("algorithm is `{}`, but must be one of {}", name, fmt::join(names, ", ")));
}

}  // namespace dpbudget::fl
