#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/convergence/noble.h"
#include "dpbudget/fl/convergence/noble_orders.h"
#include "dpbudget/fl/convergence/noble_steps.h"
#include "dpbudget/tools/cli/eval/convergence.h"

namespace dpbudget::tools {
namespace {

using fl::Analysis;

constexpr std::string_view noble_measures =
    "convex losses: E[F(x)] - F*, x the mean of x^0 .. x^(T-1) with weights (1 - mu eta / 2)^-t; otherwise the mean of "
    "E|grad F(x^t)|^2";

// Noise is asked for unless a budget chooses it.
fl::NobleRun noble_run(Inputs& in, bool has_noise = true) {
  const double users = in.number("users");
  return {.smoothness = in.number("smoothness"),
          .gradient_variance = in.number("gradient_variance"),
          .clip_norm = in.number("clip"),
          .noise_multiplier = has_noise ? in.number("noise") : 0,
          .dimension = in.number("dimension"),
          .users = users,
          .participants = in.number_or("participants", users),
          .batch = in.number("batch"),
          .local_steps = in.number("local_steps")};
}

std::vector<Parameter> noble_constants(bool has_noise = true) {
  std::vector<Parameter> all = constants_of(
      {"smoothness", "gradient_variance", "clip", "dimension", "users", "participants", "batch", "local_steps"});
  if (has_noise) all.push_back(constant("noise"));
  return all;
}

fl::NobleLosses noble_losses(Inputs& in) {
  if (in.has("distance"))
    return fl::ConvexLosses{.distance = in.number("distance"), .strong_convexity = in.number_or("strong_convexity", 0)};
  if (in.has("gap")) return fl::NonconvexLosses{.gap = in.number("gap")};
  throw InvalidArgument("distance is missing, or gap of losses that are not convex");
}

std::vector<Parameter> losses_constants() {
  return {constant("distance").optional("gap is given in its place"),
          constant("gap").optional("distance is given in its place"), constant("strong_convexity")};
}

// How clients differ counts unless all of them take part with one step each.
fl::Dissimilarity dissimilarity(Inputs& in) {
  const double users = in.number("users");
  const bool counts = in.number_or("participants", users) < users || in.number("local_steps") > 1;
  return {.offset = counts ? in.number("dissimilarity_offset") : in.number_or("dissimilarity_offset", 0),
          .factor = in.number_or("dissimilarity_factor", 1)};
}

std::vector<Parameter> dissimilarity_constants() {
  return {constant("dissimilarity_offset").optional("0, where all clients take part with one local step each"),
          constant("dissimilarity_factor")};
}

Evaluation bound_at(const fl::NobleBound& bound, const fl::NobleSteps& steps) {
  return {.terms = {{"optimisation", bound.optimisation},
                    {"gradients", bound.gradients},
                    {"privacy", bound.privacy},
                    {"client_sampling", bound.client_sampling},
                    {"drift", bound.drift}},
          .total = bound.total,
          .steps = {{"local_step", steps.local}, {"server_step", steps.server}}};
}

Evaluation order_of(const fl::NobleOrders& orders) {
  return {.terms = {{"optimisation", orders.optimisation},
                    {"gradients", orders.gradients},
                    {"privacy", orders.privacy},
                    {"client_sampling", orders.client_sampling},
                    {"drift", orders.drift}},
          .total = std::nullopt,
          .steps = {}};
}

Evaluation averaging_bound(Inputs& in, std::uint64_t rounds) {
  const fl::NobleRun run = noble_run(in);
  const fl::NobleLosses losses = noble_losses(in);
  const fl::Dissimilarity differ = dissimilarity(in);
  const double server = in.number_or("server_step", 1);
  const fl::NobleSteps steps{.local = in.has("local_step")
                                          ? in.number("local_step")
                                          : fl::noble_fedavg_best_step(run, losses, differ, server, rounds),
                             .server = server};
  return bound_at(fl::noble_fedavg_bound(run, losses, differ, steps, rounds), steps);
}

Evaluation scaffold_bound(Inputs& in, std::uint64_t rounds) {
  const fl::NobleRun run = noble_run(in);
  const fl::NobleLosses losses = noble_losses(in);
  const double server = in.number_or("server_step", 1);
  const fl::NobleSteps steps{.local = in.has("local_step") ? in.number("local_step")
                                                           : fl::noble_scaffold_best_step(run, losses, server, rounds),
                             .server = server};
  return bound_at(fl::noble_scaffold_bound(run, losses, steps, rounds), steps);
}

// At which a theorem is stated.
std::vector<Parameter> budget_constants() {
  return {constant("distance"), constant("epsilon").within(range::inside_0_1),
          constant("delta").under("less than the participations of a client"),
          constant("records").under("at least batch")};
}

fl::NobleBudget noble_budget(Inputs& in) {
  return {.epsilon = in.number("epsilon"), .delta = in.number("delta"), .records = in.number("records")};
}

}  // namespace

void add_noble_statements(std::vector<Statement>& all) {
  const std::vector<Analysis> averaging{Analysis::noble_averaging};
  const std::vector<Analysis> scaffold{Analysis::noble_scaffold};
  all.push_back({.name = "noble_fedavg_bound",
                 .about = {Analysis::noble_averaging, Analysis::chen, Analysis::lowy_local},
                 .standing = Standing::proven,
                 .measures = noble_measures,
                 .source = "fl/convergence/proofs.md, 1.1 to 3.1 (Noble et al. 2022, Theorem C.2)",
                 .note = "clients count alike; for dpnfl server_step is 1, for dp-local-sgd batch is 1 as well",
                 .terms = "optimisation, gradients, privacy, client_sampling, drift, total, local_step, server_step",
                 .constants = joined({noble_constants(), losses_constants(), dissimilarity_constants(),
                                      constants_of({"local_step", "server_step"})}),
                 .example =
                     R"({"rounds": 50, "smoothness": 2, "distance": 3, "noise": 1.5, "clip": 0.7, "batch": 10, )"
                     R"("dimension": 5, "users": 12, )"
                     R"("participants": 4, "local_steps": 6, "gradient_variance": 0.9, "dissimilarity_offset": 0.4})",
                 .value = "[1.5600354525851523, 0.001182404219837521, 0.00289689033860193, 0.006020957548872142, "
                          "0.0026482469741247053, 1.5727839516665891, 0.018211969165678184, 1.0]",
                 .at = averaging_bound});
  all.push_back({.name = "noble_fedavg_orders",
                 .about = averaging,
                 .standing = Standing::order,
                 .measures = noble_measures,
                 .source = "Noble et al. 2022, Theorem C.2",
                 .note = "",
                 .terms = "optimisation, gradients, privacy, client_sampling, drift",
                 .constants = joined({noble_constants(), losses_constants(), dissimilarity_constants()}),
                 .example =
                     R"({"rounds": 50, "smoothness": 2, "distance": 3, "noise": 1.5, "clip": 0.7, "batch": 10, )"
                     R"("dimension": 5, "users": 12, )"
                     R"("participants": 4, "local_steps": 6, "gradient_variance": 0.9, "dissimilarity_offset": 0.4})",
                 .value = "[0.36, 0.025980762113533156, 0.05751086853804243, 0.0692820323027551, 0.21805447113985676]",
                 .at = [](Inputs& in, std::uint64_t rounds) {
                   return order_of(fl::noble_fedavg_orders(noble_run(in), noble_losses(in), dissimilarity(in), rounds));
                 }});
  all.push_back(
      {.name = "noble_fedavg_theorem42",
       .about = averaging,
       .standing = Standing::order,
       .measures = "E[F(x)] - F* of convex losses, at the noise that the budget is said to need",
       .source = "Noble et al. 2022, Theorem 4.2",
       .note = "",
       .terms = "optimisation, gradients, privacy, client_sampling, drift",
       .constants = joined({noble_constants(false), dissimilarity_constants(), budget_constants()}),
       .example =
           R"({"rounds": 50, "smoothness": 2, "distance": 3, "clip": 0.7, "batch": 10, "dimension": 5, "users": 12, )"
           R"("participants": 4, "local_steps": 6, "gradient_variance": 0.9, "dissimilarity_offset": 0.4, )"
           R"("epsilon": 0.5, "delta": 1e-5, "records": 100})",
       .value = "[0.36, 0.025980762113533156, 0.2997184736699401, 0.0692820323027551, 0.21805447113985676]",
       .at = [](Inputs& in, std::uint64_t rounds) {
         return order_of(fl::noble_fedavg_orders(noble_run(in, false), in.number("distance"), dissimilarity(in),
                                                 noble_budget(in), rounds));
       }});
  all.push_back(
      {.name = "noble_scaffold_bound",
       .about = scaffold,
       .standing = Standing::proven,
       .measures = noble_measures,
       .source = "fl/convergence/proofs.md, 1.1 to 2.4 and 4.1 (Noble et al. 2022, Theorem C.1)",
       .note = "every client took part in the warm start, whose rounds are not among the T",
       .terms = "optimisation, gradients, privacy, client_sampling, drift, total, local_step, server_step",
       .constants = joined({noble_constants(), losses_constants(), constants_of({"local_step", "server_step"})}),
       .example = R"({"rounds": 50, "smoothness": 2, "distance": 3, "noise": 1.5, "clip": 0.7, "batch": 10, )"
                  R"("dimension": 5, "users": 12, )"
                  R"("participants": 4, "local_steps": 6, "gradient_variance": 0.9})",
       .value = "[2.4582672807962673, 0.0013007943812904908, 0.003186946234161706, 0.0, 0.0, 2.46275502141172, "
                "0.009123301909939164, 1.0]",
       .at = scaffold_bound});
  all.push_back({.name = "noble_scaffold_orders",
                 .about = scaffold,
                 .standing = Standing::order,
                 .measures = noble_measures,
                 .source = "Noble et al. 2022, Theorem C.1",
                 .note = "",
                 .terms = "optimisation, gradients, privacy, client_sampling, drift",
                 .constants = joined({noble_constants(), losses_constants()}),
                 .example = R"({"rounds": 50, "smoothness": 2, "distance": 3, "noise": 1.5, "clip": 0.7, "batch": 10, )"
                            R"("dimension": 5, "users": 12, )"
                            R"("participants": 4, "local_steps": 6, "gradient_variance": 0.9})",
                 .value = "[0.7488301762986854, 0.025980762113533156, 0.05751086853804243, 0.0, 0.0]",
                 .at = [](Inputs& in, std::uint64_t rounds) {
                   return order_of(fl::noble_scaffold_orders(noble_run(in), noble_losses(in), rounds));
                 }});
  all.push_back(
      {.name = "noble_scaffold_theorem42",
       .about = scaffold,
       .standing = Standing::order,
       .measures = "E[F(x)] - F* of convex losses, at the noise that the budget is said to need",
       .source = "Noble et al. 2022, Theorem 4.2",
       .note = "",
       .terms = "optimisation, gradients, privacy, client_sampling, drift",
       .constants = joined({noble_constants(false), budget_constants()}),
       .example =
           R"({"rounds": 50, "smoothness": 2, "distance": 3, "clip": 0.7, "batch": 10, "dimension": 5, "users": 12, )"
           R"("participants": 4, "local_steps": 6, "gradient_variance": 0.9, "epsilon": 0.5, "delta": 1e-5, )"
           R"("records": 100})",
       .value = "[0.7488301762986854, 0.025980762113533156, 0.2997184736699401, 0.0, 0.0]",
       .at = [](Inputs& in, std::uint64_t rounds) {
         return order_of(
             fl::noble_scaffold_orders(noble_run(in, false), in.number("distance"), noble_budget(in), rounds));
       }});
}

}  // namespace dpbudget::tools
