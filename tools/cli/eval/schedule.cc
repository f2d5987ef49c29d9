#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/papers/chang_published.h"
#include "dpbudget/tools/cli/eval/notions.h"
#include "dpbudget/tools/cli/eval/runs.h"

namespace dpbudget::tools {
namespace {

constexpr Parameter whole_rounds = runs::rounds.counting(range::counts);
constexpr Parameter whole_steps = runs::local_steps.counting(range::counts);
constexpr Parameter sigma0 = {.name = "sigma0",
                              .meaning = "first standard deviation of the noise on a batch's mean gradient",
                              .unit = "gradient norm",
                              .range = range::positive,
                              .library_names = {"base_noise"}};
constexpr Parameter hold = {.name = "hold",
                            .meaning = "rounds before the noise decays",
                            .unit = "rounds",
                            .type = ParameterType::integer,
                            .range = range::counts_from_0,
                            .aliases = {"hold_rounds"}};
constexpr Parameter beta = {.name = "beta",
                            .meaning = "by which the variance decays, in each round or in each step",
                            .range = range::positive_rate,
                            .aliases = {"decay"}};

fl::ChangScheme scheme(double number) {
  require(number == 1 || number == 2, "scheme", number, "1 or 2");
  return number == 1 ? fl::ChangScheme::per_round : fl::ChangScheme::per_step;
}

fl::ChangRun chang_run(Inputs& in) {
  return {.user_rate = in.number("user_rate"),
          .record_rate = in.number("record_rate"),
          .lipschitz = in.number("lipschitz"),
          .batch = in.number("batch"),
          .sigma0 = in.number("sigma0"),
          .beta = in.number("beta"),
          .local_steps = in.count("local_steps"),
          .hold = in.count("hold"),
          .rounds = in.count("rounds")};
}

EvalFunction chang_theorem(const std::string& number, const std::string& decay, std::string_view example,
                           EvalFunction::Value value) {
  return {.summary = "Rényi divergence that Theorem " + number + " claims of noise that decays " + decay,
          .gives = "Rényi divergence, nats",
          .accuracy = "relative error below 1e-12",
          .kind = ValueKind::published,
          .adjacency = "as in the paper, which names no adversary",
          .source = "Chang, Seif, Tandon 2022, Theorem " + number,
          .note = "its right-hand side alone: the theorem's preconditions are not checked",
          .parameters = {given::order, runs::user_rate, runs::record_rate, runs::lipschitz, whole_steps, runs::batch,
                         sigma0, hold.under("at most rounds"), whole_rounds, beta},
          .example = {R"({"order": 2, "user_rate": 0.1, "record_rate": 0.1, "lipschitz": 1, "local_steps": 5, )"
                      R"("batch": 10, "sigma0": 10, "hold": 20, "rounds": 100, "beta": 0.99})",
                      example},
          .value = std::move(value)};
}

}  // namespace

void add_schedule_functions(EvalFunctions& functions) {
  functions["schedule.chang_theorem1"] = chang_theorem("1", "by rounds", "0.00034428502973404373", [](Inputs& in) {
    return single(fl::chang_rdp(fl::ChangScheme::per_round, chang_run(in), in.number("order")));
  });
  functions["schedule.chang_theorem2"] = chang_theorem("2", "by steps", "0.0026477521632520544", [](Inputs& in) {
    return single(fl::chang_rdp(fl::ChangScheme::per_step, chang_run(in), in.number("order")));
  });
  functions["schedule.sum_inverse_variance"] = {
      .summary = "sum of 1 / variance over all steps of noise that decays",
      .gives = "the sum, in one over the square of sigma0's unit",
      .accuracy = "relative error below 1e-12 at every reference vector",
      .kind = ValueKind::exact,
      .adjacency = "",
      .source = "Chang, Seif, Tandon 2022, equations (6) and (7)",
      .parameters = {{.name = "scheme",
                      .meaning = "the paper's: 1 decays by rounds, 2 by steps",
                      .choices = {"1", "2"}},
                     whole_steps,
                     sigma0,
                     hold,
                     whole_rounds.within(range::counts_from_0),
                     beta},
      .example = {R"({"scheme": 1, "local_steps": 5, "sigma0": 10, "hold": 20, "rounds": 100, "beta": 0.99})",
                  "7.172604786125907"},
      .value = [](Inputs& in) {
        const double decay = in.number("beta");
        const std::uint64_t rounds_held = in.count("hold");
        const fl::NoiseSchedule schedule(fl::chang_shape(scheme(in.number("scheme")), decay, rounds_held),
                                         in.number("sigma0"), in.count("local_steps"));
        return single(schedule.sum_inverse_variance(in.count("rounds")));
      }};
}

}  // namespace dpbudget::tools
