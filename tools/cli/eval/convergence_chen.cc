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

fl::ChenStronglyConvex chen_convex(Inputs& in) {
  // sum_i p_i phi_i^2 is of the clients' batches.
  return {.strong_convexity = in.number("strong_convexity"),
          .gradient_variance = in.number("gradient_variance") / in.number("batch"),
          .gap = in.number("optima_gap"),
          .distance = in.number("distance")};
}

fl::ChenNonconvex chen_nonconvex(Inputs& in) {
  return {.dissimilarity = in.number("heterogeneity"), .gap = in.number("gap")};
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
  all.push_back({.name = "chen_theorem1",
                 .about = plain,
                 .standing = Standing::refuted,
                 .measures = "E[f(w_T)] - f* at local steps 4 / (lambda tau t + 16 L tau)",
                 .source = "Chen et al. 2024, Theorem 1",
                 .note = "a counterexample exceeds it where few clients of large weight are drawn",
                 .at = [](Inputs& in, std::uint64_t rounds) {
                   const fl::ChenRun run = chen_run(in);
                   return terms_of(fl::chen_theorem1_as_published(run, chen_convex(in), rounds));
                 }});
  all.push_back({.name = "chen_theorem2",
                 .about = plain,
                 .standing = Standing::published,
                 .measures = mean_square,
                 .source = "Chen et al. 2024, Theorem 2",
                 .note = "true, but never below 2 G^2, where G^2 is assumed",
                 .at = theorem2});
  all.push_back({.name = "chen_theorem3",
                 .about = adaptive,
                 .standing = Standing::refuted,
                 .measures = "E[f(w_T)] - f*",
                 .source = "Chen et al. 2024, Theorem 3",
                 .note = "no steps whatever fulfil its conditions, and its terms differ in unit",
                 .at = [](Inputs& in, std::uint64_t rounds) {
                   const fl::ChenRun run = chen_run(in);
                   return terms_of(fl::chen_theorem3_as_published(run, chen_convex(in), chen_server(in), rounds));
                 }});
  all.push_back({.name = "chen_theorem4",
                 .about = adaptive,
                 .standing = Standing::order,
                 .measures = mean_square,
                 .source = "Chen et al. 2024, Theorem 4",
                 .note = "what (G^2 + d sigma^2 + 6 tau Gamma_n^2) / tau adds shrinks with neither rounds nor steps",
                 .at = theorem4});
}

}  // namespace dpbudget::tools
