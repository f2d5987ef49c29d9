#include "dpbudget/accounting/profile/subsampled_gaussian.h"
#include "dpbudget/tools/eval/notions.h"

namespace dpbudget::tools {

void add_tradeoff_functions(EvalFunctions& functions) {
  functions["tradeoff.subsampled_gaussian_to_delta"] = [](Inputs& in) {
    return from_log(
        profile::subsampled_gaussian_log_delta(in.number("sampling_rate"), in.number("mu"), in.number("epsilon")));
  };
}

}  // namespace dpbudget::tools
