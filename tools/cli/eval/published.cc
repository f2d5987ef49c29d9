#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/fl/papers/noble_published.h"
#include "dpbudget/tools/cli/eval/notions.h"

namespace dpbudget::tools {

void add_published_functions(EvalFunctions& functions) {
  functions["algorithm.noble_third_party_epsilon_as_published"] = [](Inputs& in) {
    const double max_order = in.number_or("max_order", 100);
    require(max_order == std::floor(max_order) && 2 <= max_order && max_order <= 1000, "max_order", max_order,
            "an integer in [2, 1000]");
    const fl::PublishedClaim claim = fl::noble_third_party_epsilon_as_published(
        in.number("rounds"), in.number("local_steps"), in.number("users"), in.number("user_rate"),
        in.number("record_rate"), in.number("noise_multiplier"), in.number("delta"),
        to_integer<int>(max_order, "max_order"));
    return list({claim.epsilon, claim.order});
  };
}

}  // namespace dpbudget::tools
