#include <cmath>

#include "dpbudget/accounting/concentrated/amplification.h"
#include "dpbudget/accounting/concentrated/dpnfl.h"
#include "dpbudget/accounting/concentrated/tcdp.h"
#include "dpbudget/accounting/concentrated/zcdp.h"
#include "dpbudget/tools/cli/eval/notions.h"

namespace dpbudget::tools {

void add_concentrated_functions(EvalFunctions& functions) {
  functions["concentrated.zcdp_to_epsilon"] = [](Inputs& in) {
    return single(concentrated::zcdp_to_epsilon(in.number("rho"), in.number("delta")));
  };
  functions["concentrated.zcdp_to_epsilon.optimal"] = [](Inputs& in) {
    return single(concentrated::zcdp_to_epsilon_optimal(in.number("rho"), in.number("delta")));
  };
  functions["concentrated.zcdp_to_delta"] = [](Inputs& in) {
    return from_log(concentrated::zcdp_to_log_delta(in.number("rho"), in.number("epsilon")));
  };
  functions["concentrated.tcdp_to_epsilon"] = [](Inputs& in) {
    return single(concentrated::tcdp_to_epsilon(in.number("rho"), in.number("omega"), in.number("delta")));
  };
  functions["concentrated.tcdp_to_delta"] = [](Inputs& in) {
    return from_log(concentrated::tcdp_to_log_delta(in.number("rho"), in.number("omega"), in.number("epsilon")));
  };
  functions["concentrated.tcdp_amplify"] = [](Inputs& in) {
    const double rate = in.number("sampling_rate");
    const double rho = in.number("rho");
    const auto amplified = concentrated::tcdp_amplify(rate, {rho, in.number("omega")});
    // In logarithms neither end leaves the range of a double.
    Evaluated both = list({amplified.rho, amplified.omega});
    both.log_values = {std::log(13.0) + 2 * std::log(rate) + std::log(rho),
                       std::log(-std::log(rate)) - std::log(4.0) - std::log(rho)};
    return both;
  };
  functions["concentrated.dpnfl_theorem5"] = [](Inputs& in) {
    const concentrated::Dpnfl training{in.number("participations"), in.number("local_steps"),
                                       in.number("gradient_bound"), in.number("records"), in.number("batch")};
    const auto claim = concentrated::dpnfl_theorem5(training, in.number("noise_std"));
    return list({claim.tcdp.rho, claim.tcdp.omega, claim.epsilon, claim.log_delta});
  };
}

}  // namespace dpbudget::tools
