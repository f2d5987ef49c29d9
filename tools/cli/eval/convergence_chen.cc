#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/convergence/chen.h"
#include "dpbudget/tools/cli/eval/convergence.h"

namespace dpbudget::tools {
namespace {

constexpr std::string_view mean_square = "the mean of E|grad f(w_t)|^2 over t = 0 .. T-1";

fl::ChenRun chen_run(Inputs& in) {
  const double users = in.number("users");
  return {.smoothness = in.number("smoothness"),
          .gradient_bound = in.number("gradient_bound"),
          .noise_std = noise_std(in),
          .dimension = in.number("dimension"),
          .clients = users,
          .participants = in.number_or("participants", users),
          .local_steps = in.number("local_steps")};
}

std::vector<Parameter> chen_constants() {
  return constants_of(
      {"smoothness", "gradient_bound", "noise", "clip", "batch", "dimension", "users", "participants", "local_steps"});
}

fl::ChenStronglyConvex chen_convex(Inputs& in) {
  const double variance = in.number("gradient_variance");
  require(0 <= variance && std::isfinite(variance), "gradient_variance", variance, "finite and at least 0");
  // sum_i p_i phi_i^2 is of the clients' batches.
  return {.strong_convexity = in.number("strong_convexity"),
          .gradient_variance = variance / in.number("batch"),
          .gap = in.number("optima_gap"),
          .distance = in.number("distance")};
}

std::vector<Parameter> convex_constants() {
  return {constant("strong_convexity").within(range::positive).required(), constant("gradient_variance"),
          constant("optima_gap"), constant("distance")};
}

fl::ChenNonconvex chen_nonconvex(Inputs& in) {
  return {.dissimilarity = in.number("heterogeneity"), .gap = in.number("gap")};
}

std::vector<Parameter> nonconvex_constants() {
  return {constant("heterogeneity"), constant("gap"), constant("local_step").required()};
}

fl::ChenServer chen_server(Inputs& in) {
  return {.second_momentum = in.number_or("second_momentum", 0.99), .adaptivity = in.number_or("adaptivity", 0.001)};
}

Evaluation terms_of(const fl::ChenTerms& terms) {
  return {.terms = {{"optimisation", terms.optimisation},
                    {"gradients", terms.gradients},
                    {"batches", terms.batches},
                    {"heterogeneity", terms.heterogeneity},
                    {"privacy", terms.privacy}},
          .total = terms.total,
          .steps = {}};
}

Evaluation theorem2(Inputs& in, std::uint64_t rounds) {
  const fl::ChenRun run = chen_run(in);
  const double step = in.number("local_step");
  Evaluation found = terms_of(fl::chen_theorem2_as_published(run, chen_nonconvex(in), step, rounds));
  found.steps = {{"local_step", step}};
  return found;
}

Evaluation theorem4(Inputs& in, std::uint64_t rounds) {
  const fl::ChenRun run = chen_run(in);
  const double local = in.number("local_step");
  const double global = in.number_or("server_step", 1);
  const fl::ChenOrders orders =
      fl::chen_theorem4_orders(run, chen_nonconvex(in), chen_server(in), local, global, rounds);
  return {.terms = {{"optimisation", orders.optimisation},
                    {"gradients", orders.gradients},
                    {"heterogeneity", orders.heterogeneity},
                    {"privacy", orders.privacy}},
          .total = std::nullopt,
          .steps = {{"local_step", local}, {"server_step", global}}};
}

}  // namespace

void add_chen_statements(std::vector<Statement>& all) {
  const std::vector<fl::Analysis> plain{fl::Analysis::chen};
  const std::vector<fl::Analysis> adaptive{fl::Analysis::chen_adaptive};
  all.push_back(
      {.name = "chen_theorem1",
       .about = plain,
       .standing = Standing::refuted,
       .measures = "E[f(w_T)] - f* at local steps 4 / (lambda tau t + 16 L tau)",
       .source = "Chen et al. 2024, Theorem 1",
       .note = "a counterexample exceeds it where few clients of large weight are drawn",
       .terms = "optimisation, gradients, batches, heterogeneity, privacy, total",
       .constants = joined({chen_constants(), convex_constants()}),
       .example = R"({"rounds": 50, "smoothness": 2, "gradient_bound": 1, "noise": 1.5, "clip": 0.7, "batch": 10, )"
                  R"("dimension": 5, )"
                  R"("users": 12, "participants": 4, "local_steps": 6, "strong_convexity": 0.5, )"
                  R"("gradient_variance": 0.9, "optima_gap": 0.1, )"
                  R"("distance": 3})",
       .value = "[5.052631578947368, 140.38596491228068, 0.15157894736842104, 1.1228070175438596, 1.6170000000000115, "
                "148.32998245614036]",
       .at = [](Inputs& in, std::uint64_t rounds) {
         const fl::ChenRun run = chen_run(in);
         return terms_of(fl::chen_theorem1_as_published(run, chen_convex(in), rounds));
       }});
  all.push_back(
      {.name = "chen_theorem2",
       .about = plain,
       .standing = Standing::published,
       .measures = mean_square,
       .source = "Chen et al. 2024, Theorem 2",
       .note = "true, but never below 2 G^2, where G^2 is assumed",
       .terms = "optimisation, gradients, batches, heterogeneity, privacy, total, local_step",
       .constants = joined({chen_constants(), nonconvex_constants()}),
       .example =
           R"({"rounds": 50, "smoothness": 2, "gradient_bound": 1, "noise": 1.5, "clip": 0.7, "batch": 10, )"
           R"("dimension": 5, )"
           R"("users": 12, "participants": 4, "local_steps": 6, "heterogeneity": 0.3, "gap": 4, "local_step": 1e-4})",
       .value = "[268.61253160330114, 7.386844619090782, 0.0, 4.230647372751993, 1.6287992385095291, "
                "281.85882283365345, 0.0001]",
       .at = theorem2});
  all.push_back(
      {.name = "chen_theorem3",
       .about = adaptive,
       .standing = Standing::refuted,
       .measures = "E[f(w_T)] - f*",
       .source = "Chen et al. 2024, Theorem 3",
       .note = "no steps whatever fulfil its conditions, and its terms differ in unit",
       .terms = "optimisation, gradients, batches, heterogeneity, privacy, total",
       .constants = joined({chen_constants(), convex_constants(), constants_of({"second_momentum", "adaptivity"})}),
       .example = R"({"rounds": 50, "smoothness": 2, "gradient_bound": 1, "noise": 1.5, "clip": 0.7, "batch": 10, )"
                  R"("dimension": 5, )"
                  R"("users": 12, "participants": 4, "local_steps": 6, "strong_convexity": 0.5, )"
                  R"("gradient_variance": 0.9, "optima_gap": 0.1, )"
                  R"("distance": 3})",
       .value = "[0.18, 81818579.54545453, 14727272.727272727, 69090915.15151516, 54122735.5915913, 219759503.1958337]",
       .at = [](Inputs& in, std::uint64_t rounds) {
         const fl::ChenRun run = chen_run(in);
         return terms_of(fl::chen_theorem3_as_published(run, chen_convex(in), chen_server(in), rounds));
       }});
  all.push_back(
      {.name = "chen_theorem4",
       .about = adaptive,
       .standing = Standing::order,
       .measures = mean_square,
       .source = "Chen et al. 2024, Theorem 4",
       .note = "what (G^2 + d sigma^2 + 6 tau Gamma_n^2) / tau adds shrinks with neither rounds nor steps",
       .terms = "optimisation, gradients, heterogeneity, privacy, local_step, server_step",
       .constants = joined({chen_constants(),
                            nonconvex_constants(),
                            constants_of({"second_momentum", "adaptivity"}),
                            {constant("server_step").within(range::positive)}}),
       .example =
           R"({"rounds": 50, "smoothness": 2, "gradient_bound": 1, "noise": 1.5, "clip": 0.7, "batch": 10, )"
           R"("dimension": 5, )"
           R"("users": 12, "participants": 4, "local_steps": 6, "heterogeneity": 0.3, "gap": 4, "local_step": 1e-7})",
       .value = "[133.36893108607143, 0.16948690473581812, 1.8021010021746595, 0.03737186249424816, 1e-07, 1.0]",
       .at = theorem4});
}

}  // namespace dpbudget::tools
