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

std::vector<Parameter> lowy_constants(bool has_noise = true) {
  std::vector<Parameter> all = constants_of({"smoothness", "gradient_variance", "dimension", "users", "participants"});
  all.push_back(constant("heterogeneity").optional("0, where all clients take part"));
  return has_noise ? joined({all, constants_of({"noise", "clip", "batch"})}) : all;
}

// The statement's own beside those of the run.
std::vector<Parameter> with_noise(const std::vector<Parameter>& own) { return joined({lowy_constants(), own}); }

std::vector<Parameter> risk_constants() {
  return joined({lowy_constants(false),
                 constants_of({"gradient_bound", "strong_convexity", "distance", "records", "epsilon", "delta"})});
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
  all.push_back({.name = "lowy_minibatch_bound",
                 .about = sgd,
                 .standing = Standing::proven,
                 .measures = excess,
                 .source = "fl/convergence/proofs.md, 6.2",
                 .note = "a minimiser of F lies in the ball that models stay in",
                 .terms = "optimisation, batches, silos, privacy, total, local_step",
                 .constants = with_noise(constants_of({"distance", "local_step"})),
                 .example = R"({"rounds": 50, "smoothness": 2, "distance": 3, "noise": 1.5, "clip": 0.7, "batch": 10, )"
                            R"("dimension": 5, )"
                            R"("users": 12, "participants": 4, "gradient_variance": 0.9, "heterogeneity": 0.3})",
                 .value = "[0.7212789440738878, 0.005170416616188511, 0.012534343311972156, 0.012667520709661949, "
                          "0.7516512247117106, 0.23947276886169877]",
                 .at = minibatch});
  all.push_back(
      {.name = "lowy_lemma_d7",
       .about = sgd,
       .standing = Standing::proven,
       .measures = excess,
       .source = "Lowy, Razaviyayn 2023, Lemma D.7 part 1; fl/convergence/proofs.md, 6.2",
       .note = restored,
       .terms = "optimisation, batches, silos, privacy, total, local_step",
       .constants = with_noise(constants_of({"gradient_bound", "distance", "local_step"})),
       .example =
           R"({"rounds": 50, "smoothness": 2, "distance": 3, "noise": 1.5, "clip": 0.7, "batch": 10, )"
           R"("dimension": 5, )"
           R"("users": 12, "participants": 4, "gradient_variance": 0.9, "heterogeneity": 0.3, "gradient_bound": 1})",
       .value = "[0.21790049334501313, 0.20651628323185683, 0.0, 0.011384210113156197, 0.4358009866900262, "
                "0.41303256646371345]",
       .at = lemma_d7});
  all.push_back(
      {.name = "lowy_stich_bound",
       .about = sgd,
       .standing = Standing::proven,
       .measures = excess,
       .source = "fl/convergence/proofs.md, 6.2 (Lowy, Razaviyayn 2023, Lemma D.7 part 2)",
       .note = "at the steps and weights that --smoothness gives a run with a positive regularisation",
       .terms = "optimisation, batches, silos, privacy, total",
       .constants = with_noise({constant("gradient_bound"), constant("distance"),
                                constant("strong_convexity").within(range::positive).required()}),
       .example = R"({"rounds": 50, "smoothness": 2, "distance": 3, "noise": 1.5, "clip": 0.7, "batch": 10, )"
                  R"("dimension": 5, )"
                  R"("users": 12, "participants": 4, "gradient_variance": 0.9, "heterogeneity": 0.3, )"
                  R"("gradient_bound": 1, "strong_convexity": 0.5})",
       .value = "[0.00010394251407324288, 0.15292699855748648, 0.0, 0.00843010079548151, 0.16146104186704124]",
       .at = stich});
  all.push_back(
      {.name = "lowy_theorem21",
       .about = sgd,
       .standing = Standing::order,
       .measures = population,
       .source = "Lowy, Razaviyayn 2023, Theorem 2.1",
       .note = restored,
       .terms = "statistical, privacy",
       .constants = risk_constants(),
       .example = R"({"rounds": 50, "smoothness": 2, "gradient_bound": 1, "distance": 3, "dimension": 5, )"
                  R"("users": 12, "participants": 4, "gradient_variance": 0.9, "heterogeneity": 0.3, "records": 100, )"
                  R"("epsilon": 0.5, "delta": 1e-5})",
       .value = "[0.15, 0.22761406940777196]",
       .at = risk<fl::lowy_theorem21_orders>});
  all.push_back({.name = "lowy_accelerated_bound",
                 .about = accelerates,
                 .standing = Standing::proven,
                 .measures = excess,
                 .source = "fl/convergence/proofs.md, 6.3 (Ghadimi, Lan 2012)",
                 .note = "a run's gamma is 2 smoothness / step",
                 .terms = "optimisation, batches, silos, privacy, total, gamma",
                 .constants = with_noise(constants_of({"distance", "strong_convexity", "gamma"})),
                 .example = R"({"rounds": 50, "smoothness": 2, "distance": 3, "noise": 1.5, "clip": 0.7, "batch": 10, )"
                            R"("dimension": 5, )"
                            R"("users": 12, "participants": 4, "gradient_variance": 0.9, "heterogeneity": 0.3})",
                 .value = "[0.12531943142644805, 0.011977589538711598, 0.02903658069990692, 0.029345094369843634, "
                          "0.19567869603491025, 17.753586118746792]",
                 .at = accelerated});
  all.push_back(
      {.name = "lowy_multi_stage_bound",
       .about = stages,
       .standing = Standing::proven,
       .measures = excess,
       .source = "fl/convergence/proofs.md, 6.4 (Ghadimi, Lan 2013)",
       .note = "at the stages that this V^2 makes; gap is both Delta and a bound on F(w_0) - F*",
       .terms = "optimisation, batches, silos, privacy, total",
       .constants = with_noise({constant("gap"), constant("strong_convexity").within(range::positive).required()}),
       .example =
           R"({"rounds": 50, "smoothness": 2, "gap": 4, "noise": 1.5, "clip": 0.7, "batch": 10, "dimension": 5, )"
           R"("users": 12, "participants": 4, "gradient_variance": 0.9, "heterogeneity": 0.3, )"
           R"("strong_convexity": 0.5})",
       .value = "[0.2336528958160466, 0.0050836407242384465, 0.012323977513305332, 0.012454919774384288, "
                "0.2635154338279747]",
       .at = multi_stage});
  all.push_back({.name = "lowy_theorem31",
                 .about = {Analysis::lowy_accelerated, Analysis::lowy_multi_stage},
                 .standing = Standing::order,
                 .measures = population,
                 .source = "Lowy, Razaviyayn 2023, Theorem 3.1",
                 .note = restored,
                 .terms = "statistical, privacy",
                 .constants = risk_constants(),
                 .example =
                     R"({"rounds": 50, "smoothness": 2, "gradient_bound": 1, "distance": 3, "dimension": 5, )"
                     R"("users": 12, "gradient_variance": 0.9, "heterogeneity": 0.3, "records": 100, "epsilon": 0.5, )"
                     R"("delta": 1e-5})",
                 .value = "[0.08215838362577492, 0.35153233739031087]",
                 .at = risk<fl::lowy_theorem31_orders>});
}

}  // namespace dpbudget::tools
