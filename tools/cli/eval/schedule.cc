#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/fl/papers/chang_published.h"
#include "dpbudget/tools/cli/eval/notions.h"

namespace dpbudget::tools {
namespace {

std::uint64_t count(Inputs& in, const std::string& name) {
  const double value = in.number(name);
  require(value == std::floor(value) && 0 <= value && value <= static_cast<double>(ranges::max_count), name, value,
          "an integer in [0, 2^53]");
  return to_integer<std::uint64_t>(value, name);
}

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
          .local_steps = count(in, "local_steps"),
          .hold = count(in, "hold_rounds"),
          .rounds = count(in, "rounds")};
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
    const std::uint64_t hold = count(in, "hold_rounds");
    const fl::NoiseSchedule schedule(fl::chang_shape(scheme(in.number("scheme")), beta, hold), in.number("sigma0"),
                                     count(in, "local_steps"));
    return single(schedule.sum_inverse_variance(count(in, "rounds")));
  };
}

}  // namespace dpbudget::tools
