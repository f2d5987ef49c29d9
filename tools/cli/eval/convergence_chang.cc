#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/convergence/chang.h"
#include "dpbudget/fl/schedule/text.h"
#include "dpbudget/tools/cli/eval/convergence.h"
#include "dpbudget/tools/cli/eval/runs.h"

namespace dpbudget::tools {
namespace {

constexpr std::string_view chang_measures = "E[f(average iterate)] - f(w*) of convex losses";
constexpr std::string_view chang_note =
    "sigma_0^2 is read as the noise of the whole vector, d times a coordinate's; the paper leaves d out";

constexpr std::string_view chang_terms = "optimisation, privacy, control, sampling, total, local_step, server_step";
constexpr std::string_view chang_example =
    R"({"rounds": 50, "smoothness": 2, "distance": 3, "noise": 1.5, "clip": 0.7, "batch": 10, "dimension": 5, )"
    R"("users": 12, "participants": 4, "local_steps": 6, "gradient_variance": 0.9, "control_error": 0.2, )"
    R"("schedule": "chang1:beta=0.9,hold=10"})";

std::vector<Parameter> chang_constants() {
  std::vector<Parameter> all =
      constants_of({"smoothness", "distance", "noise", "clip", "batch", "dimension", "users", "participants",
                    "local_step", "server_step", "gradient_variance", "control_error"});
  all.push_back(runs::local_steps.counting(range::counts).saying("K: local steps of a participant in a round"));
  all.push_back({.name = "schedule",
                 .meaning = "how the noise changes: see `dpbudget schedule --help`",
                 .unit = "",
                 .type = ParameterType::text,
                 .condition = "chang1:beta=B,hold=H, chang2:beta=B,hold=H or constant",
                 .left_out = "constant"});
  return all;
}

using ChangTheorem = fl::ChangBound (*)(const fl::ChangProblem&, const fl::NoiseSchedule&, std::uint64_t);

// At the best effective rate that the theorem allows, or at the one that the given local step makes.
Evaluation at_rate(Inputs& in, std::uint64_t rounds, ChangTheorem theorem) {
  const double users = in.number("users");
  const std::uint64_t steps = in.count("local_steps");
  const fl::ChangProblem problem{.distance = in.number("distance"),
                                 .control_error = in.number("control_error"),
                                 .gradient_variance = in.number("gradient_variance"),
                                 .batch = in.number("batch"),
                                 .users = users,
                                 .participants = in.number_or("participants", users),
                                 .server_step = in.number_or("server_step", 1),
                                 .smoothness = in.number("smoothness")};
  const fl::NoiseShape shape = in.has("schedule") ? fl::parse_shape(in.text("schedule")) : fl::ConstantNoise{};
  const double dimension = in.number("dimension");
  require(1 <= dimension && std::isfinite(dimension), "dimension", dimension, "finite and at least 1");
  const double whole = std::sqrt(dimension) * noise_std(in);
  // A run without noise: schedules are of positive noise, and scale with it.
  fl::ChangBound bound = theorem(problem, {shape, whole > 0 ? whole : 1, steps}, rounds);
  if (whole == 0) bound.noise = 0;
  const auto all = static_cast<double>(rounds);
  const double scale = static_cast<double>(steps) * problem.server_step;
  const double sum = bound.noise + bound.control + bound.sampling;
  const double best = sum > 0 ? problem.distance / std::sqrt(all * sum) : bound.rate_cap;
  double rate = std::min(best, bound.rate_cap);
  if (in.has("local_step")) {
    const double local = in.number("local_step");
    require(0 < local && local * scale <= bound.rate_cap, "local_step", local,
            fmt::format("in (0, {}], 1 / (81 L K eta_g)", bound.rate_cap / scale));
    rate = local * scale;
  }
  Evaluation found{.terms = {{"optimisation", problem.distance * problem.distance / (rate * all)},
                             {"privacy", rate * bound.noise},
                             {"control", rate * bound.control},
                             {"sampling", rate * bound.sampling}},
                   .total = 0,
                   .steps = {{"local_step", rate / scale}, {"server_step", problem.server_step}}};
  for (const Term& term : found.terms) *found.total += term.value;
  return found;
}

Evaluation chang_sums(Inputs& in, std::uint64_t rounds) {
  constexpr double most = 1e8;
  const auto steps = static_cast<double>(in.count("local_steps"));
  require(static_cast<double>(rounds) * steps <= most, "rounds", rounds,
          fmt::format("at most {} / local_steps: the sums are taken step by step", most));
  return at_rate(in, rounds, fl::chang_theorem3);
}

}  // namespace

void add_chang_statements(std::vector<Statement>& all) {
  const std::vector<fl::Analysis> scaffold{fl::Analysis::chang, fl::Analysis::noble_scaffold};
  all.push_back({.name = "chang_theorem3",
                 .about = scaffold,
                 .standing = Standing::published,
                 .measures = chang_measures,
                 .source = "Chang et al. 2022, Theorem 3, its noise sums taken step by step",
                 .note = chang_note,
                 .terms = chang_terms,
                 .constants = chang_constants(),
                 .example = chang_example,
                 .value = "[29.16, 0.024661283521202355, 0.0008148148148148148, 0.002430555555555555, "
                          "29.18790665389157, 0.0010288065843621398, 1.0]",
                 .at = chang_sums});
  all.push_back({.name = "chang_corollary",
                 .about = scaffold,
                 .standing = Standing::published,
                 .measures = chang_measures,
                 .source = "Chang et al. 2022, Corollaries 1 to 3, by the schedule",
                 .note = chang_note,
                 .terms = chang_terms,
                 .constants = chang_constants(),
                 .example = chang_example,
                 .value = "[29.16, 0.02468365953762967, 0.0008148148148148148, 0.002430555555555555, 29.187929029908, "
                          "0.0010288065843621398, 1.0]",
                 .at = [](Inputs& in, std::uint64_t rounds) { return at_rate(in, rounds, fl::chang_convergence); }});
}

}  // namespace dpbudget::tools
