#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/papers/chang_published.h"
#include "dpbudget/tools/cli/eval/notions.h"

namespace dpbudget::tools {
namespace {

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
          .beta = in.number("decay"),
          .local_steps = in.count("local_steps"),
          .hold = in.count("hold_rounds"),
          .rounds = in.count("rounds")};
}

}  // namespace

void add_schedule_functions(EvalFunctions& functions) {
  functions["schedule.chang_theorem1"] = [](Inputs& in) {
    return single(fl::chang_rdp(fl::ChangScheme::per_round, chang_run(in), in.number("order")));
  };
  functions["schedule.chang_theorem2"] = [](Inputs& in) {
    return single(fl::chang_rdp(fl::ChangScheme::per_step, chang_run(in), in.number("order")));
  };
  functions["schedule.sum_inverse_variance"] = [](Inputs& in) {
    const double beta = in.number("decay");
    const std::uint64_t hold = in.count("hold_rounds");
    const fl::NoiseSchedule schedule(fl::chang_shape(scheme(in.number("scheme")), beta, hold), in.number("sigma0"),
                                     in.count("local_steps"));
    return single(schedule.sum_inverse_variance(in.count("rounds")));
  };
}

}  // namespace dpbudget::tools
