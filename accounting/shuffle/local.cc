#include "dpbudget/accounting/shuffle/local.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "dpbudget/accounting/approximate/guarantee.h"
#include "dpbudget/accounting/plan/ranges.h"
#include "dpbudget/accounting/renyi/curve_of.h"
#include "dpbudget/accounting/renyi/moment.h"
#include "dpbudget/accounting/require.h"
#include "dpbudget/accounting/shuffle/ranges.h"

namespace dpbudget::shuffle {

double pure_epsilon(const Event& local) {
  if (const auto* response = std::get_if<RandomizedResponse>(&local)) return response->epsilon.value();
  try {
    return renyi::curve_of({local, Adjacency::replace_one}).curve->at_infinity();
  } catch (const Unsupported&) {
    return std::numeric_limits<double>::infinity();
  }
}

HiddenPair third_value_pair(double local_epsilon, std::uint64_t categories, double reports) {
  ranges::local_epsilon(local_epsilon);
  require(3 <= categories && categories <= dpbudget::ranges::max_count, "categories", categories, "in [3, 2^53]");
  ranges::reports(reports);
  // C ~ Bin(n - 1, 2 / (e^epsilon_0 + k - 1)), and x or x' with probability (e^epsilon_0 + 1) / (e^epsilon_0 + k - 1).
  const auto others = static_cast<double>(categories - 2);
  const double log_rest = approximate::log_add(renyi::log_expm1(local_epsilon), std::log(others));
  const double share = 1 / (1 + others / (1 + std::exp(local_epsilon)));
  return {local_epsilon, CloneCount(reports - 1, std::numbers::ln2 - log_rest), share};
}

}  // namespace dpbudget::shuffle
