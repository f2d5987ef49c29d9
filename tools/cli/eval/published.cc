#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/fl/papers/noble_published.h"
#include "dpbudget/tools/cli/eval/notions.h"
#include "dpbudget/tools/cli/eval/runs.h"

namespace dpbudget::tools {

void add_published_functions(EvalFunctions& functions) {
  functions["algorithm.noble_third_party_epsilon_as_published"] = {
      .summary = "epsilon of DP-FedAvg and DP-SCAFFOLD towards a third party, as the authors' program computes it",
      .gives = "[epsilon, nats; the integer order that gave it, 0 where epsilon is inf]",
      .accuracy = at_reference_vectors,
      .kind = ValueKind::estimate,
      .adjacency = "replace_one",
      .source = "Noble, Bellet, Dieuleveut 2022 (arXiv:2111.09278), appendix B.4 and their get_epsilon_bound.py",
      .note = "users are sampled as if records were, and all users' noise is counted from the first local step on",
      .parameters = {runs::rounds.within(range::at_least_1),
                     runs::local_steps.within(range::at_least_1),
                     {.name = "users", .meaning = "of the run", .unit = "users", .range = range::at_least_1},
                     runs::user_rate,
                     runs::record_rate,
                     given::noise_multiplier.saying("of a user's noise over its sensitivity"),
                     given::delta,
                     {.name = "max_order",
                      .meaning = "orders 2 to this are tried",
                      .type = ParameterType::integer,
                      .range = range::closed(2, 1000),
                      .left_out = "100"}},
      .example = {R"({"rounds": 100, "local_steps": 10, "users": 100, "user_rate": 0.1, "record_rate": 0.1, )"
                  R"("noise_multiplier": 30, "delta": 1e-5})",
                  "[3.1685006952535737, 6.0]"},
      .value = [](Inputs& in) {
        const double max_order = in.number_or("max_order", 100);
        require(max_order == std::floor(max_order) && 2 <= max_order && max_order <= 1000, "max_order", max_order,
                "an integer in [2, 1000]");
        const fl::PublishedClaim claim = fl::noble_third_party_epsilon_as_published(
            in.number("rounds"), in.number("local_steps"), in.number("users"), in.number("user_rate"),
            in.number("record_rate"), in.number("noise_multiplier"), in.number("delta"),
            to_integer<int>(max_order, "max_order"));
        return list({claim.epsilon, claim.order});
      }};
}

}  // namespace dpbudget::tools
