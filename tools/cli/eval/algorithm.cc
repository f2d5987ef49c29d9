#include "dpbudget/fl/papers/lowy_published.h"
#include "dpbudget/tools/cli/eval/notions.h"

namespace dpbudget::tools {

void add_algorithm_functions(EvalFunctions& functions) {
  functions["algorithm.lowy_advanced_composition_variance"] = [](Inputs& in) {
    return single(fl::lowy_advanced_composition_variance(in.number("lipschitz"), in.number("rounds"),
                                                         in.number("batch"), in.number("records"), in.number("epsilon"),
                                                         in.number("delta")));
  };
  functions["algorithm.lowy_experiment_variance"] = [](Inputs& in) {
    return single(fl::lowy_experiment_variance(in.number("lipschitz"), in.number("rounds"), in.number("records"),
                                               in.number("epsilon"), in.number("delta")));
  };
}

}  // namespace dpbudget::tools
