#include "dpbudget/fl/convergence/lowy.h"
#include "dpbudget/tools/cli/eval/convergence.h"

namespace dpbudget::tools {
namespace {

constexpr std::string_view excess = "E[F(output)] - F*";
constexpr std::string_view population = "E[F(output)] - F* of the population that the records are drawn from";
constexpr std::string_view restored = "the formulas are missing from the paper's text at hand: restored from its words";

fl::LowyRun lowy_run(Inputs& in, bool has_noise = true) {
  const double users = in.number("users");
  const double participants = in.number_or("participants", users);
  return {.smoothness = in.number("smoothness"),
          .gradient_variance = in.number("gradient_variance"),
          .silo_heterogeneity = participants == users ? in.number_or("heterogeneity", 0) : in.number("heterogeneity"),
          .noise_std = has_noise ? noise_std(in) : 0,
          .dimension = in.number("dimension"),
          .silos = users,
          .participants = participants,
          .batch = has_noise ? in.number("batch") : 1};
}

Evaluation lowy_terms(const fl::LowyBound& bound, std::vector<Term> steps) {
  return {.terms = {{"optimisation", bound.optimisation},
                    {"batches", bound.batches},
                    {"silos", bound.silos},
                    {"privacy", bound.privacy}},
          .total = bound.total,
          .steps = std::move(steps)};
}

Evaluation lowy_orders(const fl::LowyOrders& orders) {
  return {
      .terms = {{"statistical", orders.statistical}, {"privacy", orders.privacy}}, .total = std::nullopt, .steps = {}};
}

fl::LowyBudget lowy_budget(Inputs& in) {
  return {.records = in.number("records"), .epsilon = in.number("epsilon"), .delta = in.number("delta")};
}

Evaluation minibatch(Inputs& in, std::uint64_t rounds) {
  const fl::LowyRun run = lowy_run(in);
  const double distance = in.number("distance");
  const double step =
      in.has("local_step") ? in.number("local_step") : fl::lowy_minibatch_best_step(run, distance, rounds);
  return lowy_terms(fl::lowy_minibatch_bound(run, distance, step, rounds), {{"local_step", step}});
}

Evaluation lemma_d7(Inputs& in, std::uint64_t rounds) {
  const fl::LowyRun run = lowy_run(in);
  const double lipschitz = in.number("gradient_bound");
  const double distance = in.number("distance");
  const double step =
      in.has("local_step") ? in.number("local_step") : fl::lowy_lemma_d7_best_step(run, lipschitz, distance, rounds);
  return lowy_terms(fl::lowy_lemma_d7(run, lipschitz, distance, step, rounds), {{"local_step", step}});
}

Evaluation stich(Inputs& in, std::uint64_t rounds) {
  const fl::LowyRun run = lowy_run(in);
  return lowy_terms(fl::lowy_stich_bound(run, in.number("gradient_bound"), in.number("strong_convexity"),
                                         in.number("distance"), rounds),
                    {});
}

Evaluation accelerated(Inputs& in, std::uint64_t rounds) {
  const fl::LowyRun run = lowy_run(in);
  const double distance = in.number("distance");
  const double gamma = in.has("gamma") ? in.number("gamma") : fl::lowy_accelerated_best_gamma(run, distance, rounds);
  return lowy_terms(fl::lowy_accelerated_bound(run, in.number_or("strong_convexity", 0), distance, gamma, rounds),
                    {{"gamma", gamma}});
}

Evaluation multi_stage(Inputs& in, std::uint64_t rounds) {
  const fl::LowyRun run = lowy_run(in);
  return lowy_terms(fl::lowy_multi_stage_bound(run, in.number("strong_convexity"), in.number("gap"), rounds), {});
}

template <auto theorem>
Evaluation risk(Inputs& in, std::uint64_t /*rounds*/) {
  const fl::LowyRun run = lowy_run(in, false);
  return lowy_orders(theorem(run, in.number("gradient_bound"), in.number_or("strong_convexity", 0),
                             in.number("distance"), lowy_budget(in)));
}

}  // namespace

void add_lowy_statements(std::vector<Statement>& all) {
  using fl::Analysis;
  const std::vector<Analysis> sgd{Analysis::lowy_minibatch};
  const std::vector<Analysis> accelerates{Analysis::lowy_accelerated};
  const std::vector<Analysis> stages{Analysis::lowy_multi_stage};
  all.push_back({"lowy_minibatch_bound", sgd, Standing::proven, excess, "fl/convergence/proofs.md, 6.2",
                 "a minimiser of F lies in the ball that models stay in", minibatch});
  all.push_back({"lowy_lemma_d7", sgd, Standing::proven, excess,
                 "Lowy, Razaviyayn 2023, Lemma D.7 part 1; fl/convergence/proofs.md, 6.2", restored, lemma_d7});
  all.push_back({"lowy_stich_bound", sgd, Standing::proven, excess,
                 "fl/convergence/proofs.md, 6.2 (Lowy, Razaviyayn 2023, Lemma D.7 part 2)",
                 "at the steps and weights that --smoothness gives a run with a positive regularisation", stich});
  all.push_back({"lowy_theorem21",
                 {Analysis::lowy_minibatch},
                 Standing::order,
                 population,
                 "Lowy, Razaviyayn 2023, Theorem 2.1",
                 restored,
                 risk<fl::lowy_theorem21_orders>});
  all.push_back({"lowy_accelerated_bound", accelerates, Standing::proven, excess,
                 "fl/convergence/proofs.md, 6.3 (Ghadimi, Lan 2012)", "a run's gamma is 2 smoothness / step",
                 accelerated});
  all.push_back({"lowy_multi_stage_bound", stages, Standing::proven, excess,
                 "fl/convergence/proofs.md, 6.4 (Ghadimi, Lan 2013)",
                 "at the stages that this V^2 makes; gap is both Delta and a bound on F(w_0) - F*", multi_stage});
  all.push_back({"lowy_theorem31",
                 {Analysis::lowy_accelerated, Analysis::lowy_multi_stage},
                 Standing::order,
                 population,
                 "Lowy, Razaviyayn 2023, Theorem 3.1",
                 restored,
                 risk<fl::lowy_theorem31_orders>});
}

}  // namespace dpbudget::tools
