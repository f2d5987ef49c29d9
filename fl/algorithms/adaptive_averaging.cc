#include "dpbudget/fl/algorithms/adaptive_averaging.h"

#include <optional>

namespace dpbudget::fl {
namespace {

// Whose squares the server takes the mean of.
enum class SquaresOf { update, mean };

}  // namespace
}  // namespace dpbudget::fl

namespace dpbudget {

template <>
struct Names<fl::SquaresOf> {
  static constexpr NameTable<fl::SquaresOf, 2> all{{{fl::SquaresOf::update, "update"}, {fl::SquaresOf::mean, "mean"}}};
};

}  // namespace dpbudget

namespace dpbudget::fl {
namespace {

struct AdaptiveNflOptions : AveragingOptions {
  double momentum = 0.9;                // [beta_1]
  double second_momentum = 0.99;        // [beta_2]
  double adaptivity = 1e-3;             // [pi]
  std::optional<SquaresOf> squares_of;  // nothing: as listed, of the update

  static auto options() {
    return std::tuple_cat(
        AveragingOptions::options(),
        std::tuple(
            option(&AdaptiveNflOptions::momentum, "momentum", "beta_1 of the server's mean of updates, in [0, 1)",
                   range::momentum),
            option(&AdaptiveNflOptions::second_momentum, "second_momentum",
                   "beta_2 of the server's mean of their squares, in [0, 1)", range::momentum),
            option(&AdaptiveNflOptions::adaptivity, "adaptivity", "pi, beside the root of that mean", range::positive),
            option(&AdaptiveNflOptions::squares_of, "squares_of",
                   "whose squares those are: of the update, as Algorithm 2 lists it, or of the "
                   "server's mean of updates, as the paper's text has it; left out, update")));
  }
};

}  // namespace

OptionList AdaptiveNfl::options() const { return OptionList::of<AdaptiveNflOptions>(); }

void AdaptiveNfl::prepare(const SettledRun& run, ServerState& state) const {
  const auto dimension = state.model.size();
  const double pi = run.options<AdaptiveNflOptions>().adaptivity;
  state.memory = {Vector::Zero(dimension), Vector::Constant(dimension, pi * pi)};
}

void AdaptiveNfl::server(const Round& round, std::span<const Update> updates, ServerState& state) const {
  const auto& options = round.run.options<AdaptiveNflOptions>();
  Vector& first = state.memory[0];
  Vector& second = state.memory[1];
  const Vector delta = weighted_sum(updates);
  const double beta1 = options.momentum;
  const double beta2 = options.second_momentum;
  first = beta1 * first + (1 - beta1) * delta;
  const Vector& squared = options.squares_of == SquaresOf::mean ? first : delta;
  second = beta2 * second + (1 - beta2) * squared.cwiseAbs2();
  state.model.array() +=
      options.server_step * round.server_factor * first.array() / (second.array().sqrt() + options.adaptivity);
}

}  // namespace dpbudget::fl
