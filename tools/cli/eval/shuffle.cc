#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/renyi/shuffled.h"
#include "dpbudget/accounting/shuffle/blanket/blanket.h"
#include "dpbudget/accounting/shuffle/blanket/finite_randomizer.h"
#include "dpbudget/accounting/shuffle/blanket/gaussian_randomizer.h"
#include "dpbudget/accounting/shuffle/clones/clones.h"
#include "dpbudget/accounting/shuffle/clones/closed_forms.h"
#include "dpbudget/accounting/shuffle/clones/ranges.h"
#include "dpbudget/accounting/shuffle/clones/silos.h"
#include "dpbudget/accounting/shuffle/clones/stronger_clones.h"
#include "dpbudget/accounting/shuffle/clones/variation_ratio.h"
#include "dpbudget/accounting/shuffle/responses/exact.h"
#include "dpbudget/accounting/shuffle/responses/randomized_response.h"
#include "dpbudget/accounting/shuffle/vector_sum/binomial_shift.h"
#include "dpbudget/tools/cli/eval/notions.h"

namespace dpbudget::tools {
namespace {

using namespace shuffle;

// The certificate of binary randomised response, which every randomiser of the restricted class shares.
ClonePair stronger(Inputs& in) {
  const double local_epsilon = in.number("local_epsilon");
  return StrongerClones::of_randomized_response(local_epsilon).pair(in.number("reports"));
}

std::uint64_t whole(Inputs& in, const std::string& name) {
  const double value = in.number(name);
  shuffle::clone_ranges::positive_count(name, value);
  return to_integer<std::uint64_t>(value, name);
}

// Calls what names its arguments otherwise than this function's inputs, and refuses by the inputs' names.
template <class Call>
auto named(const std::vector<std::pair<std::string, std::string>>& names, const Call& call) {
  try {
    return call();
  } catch (const InvalidArgument& refusal) {
    const std::string message = refusal.what();
    for (const auto& [theirs, ours] : names)
      if (message.starts_with(theirs + " is ")) throw InvalidArgument(ours + message.substr(theirs.size()));
    throw;
  }
}

// One row an input.
std::vector<std::vector<double>> rows_of(const std::vector<double>& probabilities, std::uint64_t outputs) {
  require(probabilities.size() % outputs == 0, "probabilities", probabilities.size(),
          "as many as there are outputs for each input");
  std::vector<std::vector<double>> rows;
  for (auto from = probabilities.begin(); from != probabilities.end(); from += static_cast<std::ptrdiff_t>(outputs))
    rows.emplace_back(from, from + static_cast<std::ptrdiff_t>(outputs));
  return rows;
}

double exactly(const ClonePair& pair, double epsilon) {
  dpbudget::ranges::epsilon(epsilon);
  return log_delta(pair, epsilon, {0}).middle();
}

}  // namespace

void add_shuffle_functions(EvalFunctions& functions) {
  const auto add = [&](const std::string& name, auto&& function) { functions.emplace("shuffle." + name, function); };

  add("clones_epsilon_closed_form", [](Inputs& in) {
    return single(clones_epsilon_closed_form(in.number("local_epsilon"), in.number("reports"), in.number("delta")));
  });
  add("clones_closed_form_approximate", [](Inputs& in) {
    const EpsilonDelta found = clones_closed_form_approximate(in.number("local_epsilon"), in.number("local_delta"),
                                                              in.number("reports"), in.number("delta"));
    return list({found.epsilon, found.delta});
  });
  add("clones_delta", [](Inputs& in) {
    return from_log(clones_log_delta(in.number("local_epsilon"), in.number("reports"), in.number("epsilon")));
  });
  add("clones_epsilon", [](Inputs& in) {
    return single(clones_epsilon(in.number("local_epsilon"), in.number("reports"), in.number("delta")));
  });
  add("clones_renyi", [](Inputs& in) {
    return single(renyi_divergence(clones(in.number("local_epsilon"), in.number("reports")), in.number("order")));
  });
  add("stronger_clones_delta", [](Inputs& in) { return from_log(exactly(stronger(in), in.number("epsilon"))); });
  add("stronger_clones_renyi", [](Inputs& in) { return single(renyi_divergence(stronger(in), in.number("order"))); });
  add("girgis_renyi", [](Inputs& in) {
    return single(girgis_renyi(in.number("local_epsilon"), in.number("reports"), in.number("order")));
  });
  add("silo_clones_delta", [](Inputs& in) {
    return from_log(silo_clones_log_delta(in.number("local_epsilon"), in.number("records"), in.number("silos"),
                                          in.number("epsilon")));
  });
  add("silo_clones_epsilon_closed_form", [](Inputs& in) {
    return single(silo_clones_epsilon_closed_form(in.number("local_epsilon"), in.number("records"), in.number("silos"),
                                                  in.number("delta")));
  });
  add("exact_delta", [](Inputs& in) {
    const std::vector<double> r0 = in.numbers("R0");
    const std::vector<double> r1 = in.numbers("R1");
    const std::vector<double> others = in.numbers("Ri");
    const std::uint64_t reports = whole(in, "n");
    const double epsilon = in.number("eps");
    return named({{"r0", "R0"}, {"r1", "R1"}, {"others", "Ri"}, {"epsilon", "eps"}},
                 [&] { return single(exact_delta(r0, r1, others, reports, epsilon)); });
  });
  add("randomized_response_delta", [](Inputs& in) {
    const double local_epsilon = in.number("local_epsilon");
    return from_log(randomized_response_log_delta(local_epsilon, whole(in, "reports"), in.number("epsilon")));
  });
  add("binomial_shift_delta", [](Inputs& in) {
    return from_log(binomial_shift_log_delta(in.number("trials"), in.number("probability"), in.number("shift"),
                                             in.number("epsilon")));
  });
  // Upper bounds by the privacy blanket of any finite randomiser, row by row, and of Gaussian noise on a ball.
  add("blanket_finite_delta", [](Inputs& in) {
    const Randomizer randomizer = finite(rows_of(in.numbers("probabilities"), whole(in, "outputs")));
    return from_log(shuffled_log_delta_bound(randomizer, whole(in, "reports"), in.number("epsilon")));
  });
  add("blanket_gaussian_delta", [](Inputs& in) {
    const Randomizer randomizer = gaussian(in.number("noise"), whole(in, "dimension"), in.number("left_out"));
    return from_log(shuffled_log_delta_bound(randomizer, whole(in, "reports"), in.number("epsilon")));
  });
  add("variation_ratio_revealed_delta", [](Inputs& in) {
    const VariationRatio randomizer{in.number("ratio"), in.number("total_variation"), in.number("background_ratio")};
    return from_log(exactly(variation_ratio_revealed(randomizer, in.number("reports")), in.number("epsilon")));
  });
}

}  // namespace dpbudget::tools
