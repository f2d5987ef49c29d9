#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/profile/discrete_gaussian.h"
#include "dpbudget/accounting/profile/gaussian.h"
#include "dpbudget/accounting/profile/poisson_gaussian.h"
#include "dpbudget/tools/cli/eval/notions.h"

namespace dpbudget::tools {
namespace {

profile::Direction direction(Inputs& in) {
  const std::string name = in.text("direction");
  require(name == "remove" || name == "add", "direction", name, "remove or add");
  return name == "remove" ? profile::Direction::remove : profile::Direction::add;
}

}  // namespace

void add_profile_functions(EvalFunctions& functions) {
  functions["gaussian.delta"] = [](Inputs& in) {
    return from_log(profile::gaussian_log_delta(in.number("epsilon"), in.number("noise_multiplier")));
  };
  functions["gaussian.epsilon"] = [](Inputs& in) {
    return single(profile::gaussian_epsilon(in.number("noise_multiplier"), in.number("delta")));
  };
  functions["gaussian.noise_multiplier"] = [](Inputs& in) {
    return single(profile::gaussian_noise_multiplier(in.number("epsilon"), in.number("delta")));
  };
  functions["discrete_gaussian.delta"] = [](Inputs& in) {
    return from_log(
        profile::discrete_gaussian_log_delta(in.number("epsilon"), in.number("sigma"), in.number("sensitivity")));
  };
  functions["poisson_gaussian.delta"] = [](Inputs& in) {
    return from_log(profile::poisson_gaussian_log_delta(in.number("sampling_rate"), in.number("noise_multiplier"),
                                                        in.number("epsilon"), direction(in)));
  };
  functions["poisson_gaussian.composed_delta"] = [](Inputs& in) {
    const double steps = in.number("steps");
    require(steps == 1 || steps == 2 || steps == 3, "steps", steps, "1, 2 or 3");
    return from_log(profile::poisson_gaussian_composed_log_delta(
        in.number("sampling_rate"), in.number("noise_multiplier"), in.number("epsilon"),
        to_integer<std::uint64_t>(steps, "steps"), direction(in)));
  };
}

}  // namespace dpbudget::tools
