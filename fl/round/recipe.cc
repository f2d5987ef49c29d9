#include "dpbudget/fl/round/recipe.h"

#include <cmath>

#include "dpbudget/fl/run/noise_scale.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/schedule/noise_schedule.h"
#include "dpbudget/fl/schedule/rounds.h"

namespace dpbudget::fl {
namespace {

// Nothing for binomial noise or no noise.
std::optional<NoiseSchedule> schedule_of(const SettledRun& run, const Sizes& sizes) {
  if (!traits_of(run.algorithm().mechanism).takes_multipliers) return std::nullopt;
  return NoiseSchedule(run.schedule(), sizes.noise_multiplier.value_or(run->noise_multiplier), run.local_steps());
}

}  // namespace

std::optional<double> step_noise(const SettledRun& run, const Sizes& sizes, std::uint64_t number, std::uint64_t step) {
  const auto schedule = schedule_of(run, sizes);
  if (!schedule || step < 1 || run.local_steps() < step) return std::nullopt;
  return schedule->noise(number, step);
}

std::vector<double> step_noises(const SettledRun& run, const Sizes& sizes, std::uint64_t number) {
  const auto found = schedule_of(run, sizes);
  if (!found) return {};
  const NoiseSchedule& schedule = *found;
  const std::uint64_t steps = run.local_steps();
  if (schedule.is_flat_in_rounds()) return std::vector<double>(steps, schedule.noise(number, 1));
  std::vector<double> noises;
  noises.reserve(steps);
  for (std::uint64_t step = 1; step <= steps; ++step) noises.push_back(schedule.noise(number, step));
  return noises;
}

std::uint64_t next_noise_change(const SettledRun& run, std::uint64_t number) {
  return next_change(run.schedule(), number);
}

mechanisms::BinomialEncoder encoder_of(const SettledRun& run, double clip_norm) {
  const auto& noise = run.options<BinomialNoise>();
  return {-clip_norm, clip_norm, noise.granularity, noise.noise_bits, 0.5};
}

BatchRecipe recipe_of(const SettledRun& run, const Sizes& sizes, std::uint64_t number, double clip_norm) {
  BatchRecipe recipe;
  recipe.mechanism = run.algorithm().mechanism;
  recipe.batches = run->batches;
  recipe.sample = batch_of(run, sizes.records);
  recipe.first_batch = (number - 1) * run.local_steps();
  recipe.clipping = run->clipping;
  recipe.clip_norm = clip_norm;
  recipe.noise_multipliers = step_noises(run, sizes, number);
  recipe.divisor = sensitivity_divisor(run, recipe.sample);
  if (const auto* adaptive = std::get_if<AdaptiveClipping>(&run->clipping)) recipe.count_noise = adaptive->noise;
  if (traits_of(recipe.mechanism).encodes_bits) recipe.encoder = encoder_of(run, clip_norm);
  return recipe;
}

double release_noise_std(const BatchRecipe& recipe) {
  const MechanismTraits& mechanism = traits_of(recipe.mechanism);
  const auto sample = static_cast<double>(recipe.sample);
  if (mechanism.encodes_bits)
    return std::sqrt(mechanisms::report_variance(recipe.encoder->lower, *recipe.encoder) / sample);
  if (!mechanism.takes_multipliers) return 0;
  const double multiplier = recipe.noise_multipliers.front();
  // A report's noise, in the mean of all.
  return mechanism.is_shuffled ? gaussian_std(multiplier, recipe.clip_norm, 1) / std::sqrt(sample)
                               : gaussian_std(multiplier, recipe.clip_norm, recipe.divisor);
}

}  // namespace dpbudget::fl
