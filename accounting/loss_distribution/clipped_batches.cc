#include "dpbudget/accounting/loss_distribution/clipped_batches.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/loss_distribution/releases/batch_game.h"
#include "dpbudget/accounting/loss_distribution/releases/batch_kernels.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/releases.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget::loss_distribution {
namespace {

// A game's rounding is beyond delta below this.
constexpr double least_delta_of_game = 1e-13;

// Rounds that are played in one block; what they leave out relative to delta, all together, at the ends of one's losses
// and of a block's.
constexpr double most_rounds_played = 896;
constexpr double share_of_round_ends = 1e-5;
constexpr double share_of_block_ends = 1e-3;
constexpr double share_of_rest = 1e-9;  // of what other releases leave out

// How far a block's losses are followed, and under what tilt.
constexpr double most_block_deviations = 7;
constexpr double most_order = 8;
constexpr double most_tilted_deviations = 3;

// A mesh relative to the deviation of one round's loss, and points that a game may have.
constexpr double mesh_of_deviation = 0.24;
constexpr double most_points_of_game = 6000;

// Noise for which a round's losses are neither beyond doubles nor all alike.
constexpr double least_deviation = 0.2;
constexpr double most_deviation = 100;
constexpr double least_rate = 1e-9;

// Games that a thread keeps, for questions about other numbers of rounds.
constexpr std::size_t games_kept = 4;

struct Rounds {
  double rate;
  double deviation;
  double count;

  double variance() const { return rate * rate * std::expm1(1 / (deviation * deviation)); }
  // Games are kept for numbers of rounds of about the same size.
  double about_count() const { return std::exp2(std::ceil(std::log2(count))); }
  double played() const { return std::min(count, most_rounds_played); }
  // Points beyond which one round has about so little, as a loss.
  double others_beyond(double tail) const {
    return std::exp(std::max(3.0, numeric::tail_point(std::min(0.1, tail / rate))) / deviation);
  }
  double loss_at(double others) const { return std::log1p(rate / (1 - rate) * others); }
};

struct Kept {
  Rounds rounds;
  double farthest;
  BatchGrid grid;
  BatchGame game;

  bool is_for(const Rounds& other, double other_farthest, const BatchGrid& other_grid) const {
    return rounds.rate == other.rate && rounds.deviation == other.deviation && farthest == other_farthest &&
           grid == other_grid;
  }
};

BatchGame& game_of(const Rounds& rounds, double farthest, const BatchGrid& grid) {
  thread_local std::deque<Kept> kept;
  const auto known = std::ranges::find_if(kept, [&](const Kept& one) { return one.is_for(rounds, farthest, grid); });
  if (known != kept.end()) return known->game;
  if (kept.size() == games_kept) kept.pop_front();
  const BatchKernels kernels = batch_kernels(rounds.rate, rounds.deviation, farthest);
  return kept.emplace_back(rounds, farthest, grid, BatchGame(rounds.rate, kernels, grid)).game;
}

LossDistribution distribution_of(BatchLosses losses) {
  return {.side = Side::upper,
          .grid = {losses.mesh, 0},
          .first = -static_cast<std::int64_t>(losses.mass.size() / 2),
          .mass = std::move(losses.mass),
          .at_infinity = losses.at_infinity,
          .slack = 0};
}

std::optional<Rounds> rounds_of(const Release& release, double count) {
  const auto* sampled = std::get_if<SampledWithoutReplacement>(&release.event);
  if (sampled == nullptr || !sampled->clipped) return std::nullopt;
  const auto* gaussian = std::get_if<Gaussian>(&*sampled->inner);
  const Rounds rounds{rounded_rate(sampled->rate, Rounding::up), gaussian->noise_multiplier.value(),
                      static_cast<double>(release.count) * count};
  const bool are_in_reach = least_deviation <= rounds.deviation && rounds.deviation <= most_deviation &&
                            least_rate <= rounds.rate && rounds.rate < 1 && 2 <= rounds.count && rounds.count < 0x1p53;
  return are_in_reach ? std::optional(rounds) : std::nullopt;
}

// The rounds that a game bounds, and the plan's other releases. Of rounds of two kinds each could depend on the
// other's, so that neither game would be over before the other begins (4k.10): it is played for those that tell most.
struct Division {
  std::optional<Rounds> game;
  std::vector<Event> rest;
};

Division divided(const NormalPlan& plan, double count) {
  const auto tells = [](const Rounds& rounds) { return rounds.variance() * rounds.count; };
  Division division;
  std::optional<Event> of_game;
  for (const Release& release : releases_of(plan.event())) {
    Event repeated = repeat(release.count, release.event);
    const auto rounds = rounds_of(release, count);
    if (rounds && (!division.game || tells(*rounds) > tells(*division.game))) {
      if (of_game) division.rest.push_back(std::move(*of_game));
      division.game = rounds;
      of_game = std::move(repeated);
    } else {
      division.rest.push_back(std::move(repeated));
    }
  }
  return division;
}

// How far a block's losses go: beyond them it has about `tail`.
double reach(const Rounds& rounds, double tail) {
  const double variance = rounds.played() * rounds.variance();
  return rounds.loss_at(rounds.others_beyond(tail / rounds.played())) + variance / 2 +
         most_block_deviations * std::sqrt(variance);
}

// Rounds as blocks that follow one another.
class Game {
 public:
  // @param delta  about what is asked for
  Game(const Rounds& rounds, double delta) {
    const double variance = rounds.played() * rounds.variance();
    const double tail = share_of_block_ends * delta / std::ceil(rounds.about_count() / rounds.played());
    const double widest = reach(rounds, tail);
    const double farthest = rounds.others_beyond(share_of_round_ends * delta / rounds.about_count());
    mesh_ = std::max(mesh_of_deviation * std::sqrt(rounds.variance()), widest / most_points_of_game);
    const BatchGrid grid{.mesh = mesh_,
                         .reach = to_integer<std::size_t>(std::ceil(widest / mesh_), "reach"),
                         .round_reach = to_integer<std::size_t>(std::ceil(rounds.loss_at(farthest) / mesh_), "reach"),
                         .order = std::min(most_order, most_tilted_deviations / std::sqrt(variance))};
    BatchGame& game = game_of(rounds, farthest, grid);
    const double blocks = std::floor(rounds.count / rounds.played());
    const double left = rounds.count - blocks * rounds.played();
    add(game, rounds.played(), blocks);
    if (left > 0) add(game, left, 1);
  }

  double mesh() const { return mesh_; }

  void add_to(std::vector<Part>& parts) const {
    for (const auto& [distribution, count] : blocks_) parts.push_back({&distribution, count});
  }

 private:
  void add(BatchGame& game, double rounds, double count) {
    blocks_.emplace_back(distribution_of(game.losses(to_integer<std::size_t>(rounds, "rounds"))),
                         to_integer<std::uint64_t>(count, "blocks"));
  }

  double mesh_;
  std::vector<std::pair<LossDistribution, std::uint64_t>> blocks_;
};

std::optional<double> played(Evaluator& evaluator, bool is_directed, const Question& question,
                             const MeshAnswer& known) {
  const bool is_epsilon = question.wanted == Question::Wanted::epsilon;
  const double delta = is_epsilon ? question.given : std::exp(known.dominating.upper);
  if (!(known.dominating.upper > (is_epsilon ? 0 : -infinity)) || delta < least_delta_of_game) return std::nullopt;
  const NormalPlan& plan = evaluator.plan();
  Division division = divided(plan, static_cast<double>(question.count));
  if (!division.game) return std::nullopt;
  // Games are kept for deltas of about the same size.
  const Game game(*division.game, std::exp2(4 * std::floor(std::log2(delta) / 4)));
  const double tail = delta * share_of_rest / std::max(1.0, static_cast<double>(question.count));
  const NormalPlan rest(compose(std::move(division.rest)), plan.adjacency());
  double largest = -infinity;
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    if (direction == Direction::backward && (!is_directed || rest.is_nothing())) continue;
    const PlanLosses others(rest, {Side::upper, direction, Pair::dominating, game.mesh(), tail});
    std::vector<Part> parts = rest.is_nothing() ? std::vector<Part>() : others.parts(question.count);
    game.add_to(parts);
    largest = std::max(largest, evaluator.of_parts(question, parts, std::nullopt));
  }
  return largest;
}

}  // namespace

bool has_clipped_batches(const Event& event) {
  if (const auto* sampled = std::get_if<SampledWithoutReplacement>(&event)) return sampled->clipped;
  bool found = false;
  each_child(event, [&](const Event& child) { found = found || has_clipped_batches(child); });
  return found;
}

std::optional<double> clipped_batches_from_above(Evaluator& evaluator, bool is_directed, const Question& question,
                                                 const MeshAnswer& known) {
  try {
    return played(evaluator, is_directed, question, known);
  } catch (const Unsupported&) {
    return std::nullopt;  // the plan's other losses reach too far for a mesh that is fine enough for its rounds
  }
}

}  // namespace dpbudget::loss_distribution
