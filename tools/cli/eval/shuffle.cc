#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
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
#include "dpbudget/tools/cli/eval/given.h"
#include "dpbudget/tools/cli/eval/notions.h"
#include "dpbudget/tools/cli/eval/runs.h"

namespace dpbudget::tools {
namespace {

using namespace shuffle;

constexpr const char* fmt2021 = "Feldman, McMillan, Talwar 2021 (arXiv:2012.12803), ";
constexpr const char* clone_accuracy =
    "relative error below 1e-10; to 1e-8 above 1e7 reports, to 1e-4 from 2^32 clones on";
constexpr const char* blanket_accuracy =
    "above the blanket's own expression by about 1e-4, and by more where few reports or rare outputs decide";
constexpr Parameter whole_order = given::order.counting(range::closed(2, 0x1p53));
constexpr Parameter records = runs::records.counting(range::counts).saying("of every silo");
constexpr Parameter silos = {.name = "silos",
                             .meaning = "which send one report each",
                             .unit = "reports",
                             .type = ParameterType::integer,
                             .range = range::counts,
                             .aliases = {"reports"}};

constexpr Parameter probabilities(std::string_view name, std::string_view meaning, std::string_view alias) {
  return {.name = name,
          .meaning = meaning,
          .type = ParameterType::numbers,
          .range = range::probability,
          .condition = "1 to 1024, sum 1 up to 1e-9",
          .aliases = {alias}};
}

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

void add_clones(EvalFunctions& functions) {
  functions["shuffle.clones_delta"] = {
      .summary = "delta of shuffled reports of any local randomiser, by clones",
      .gives = "delta",
      .accuracy = clone_accuracy,
      .kind = ValueKind::upper_bound,
      .adjacency = "replace_one",
      .source = std::string(fmt2021) + "Theorem 3.2 and Lemma 3.3",
      .parameters = {given::local_epsilon, given::reports, given::epsilon},
      .example = {R"({"local_epsilon": 1, "reports": 1000, "epsilon": 0.2})", "2.059808176825513e-07"},
      .value = [](Inputs& in) {
        return from_log(clones_log_delta(in.number("local_epsilon"), in.number("reports"), in.number("epsilon")));
      }};
  functions["shuffle.clones_epsilon"] = {
      .summary = "epsilon of shuffled reports of any local randomiser, by clones",
      .gives = "epsilon, nats",
      .accuracy = at_reference_vectors,
      .kind = ValueKind::upper_bound,
      .adjacency = "replace_one",
      .source = std::string(fmt2021) + "Theorem 3.2 and Lemma 3.3",
      .parameters = {given::local_epsilon, given::reports, given::delta},
      .example = {R"({"local_epsilon": 1, "reports": 1000, "delta": 1e-6})", "0.1824123474805822"},
      .value = [](Inputs& in) {
        return single(clones_epsilon(in.number("local_epsilon"), in.number("reports"), in.number("delta")));
      }};
  functions["shuffle.clones_renyi"] = {
      .summary = "Rényi divergence of shuffled reports of any local randomiser, by clones",
      .gives = "Rényi divergence, nats",
      .accuracy = "relative error below 1e-10",
      .kind = ValueKind::upper_bound,
      .adjacency = "replace_one",
      .source = std::string(fmt2021) + "Theorem 3.2 and Lemma 3.3",
      .parameters = {given::local_epsilon, given::reports, given::order},
      .example = {R"({"local_epsilon": 1, "reports": 1000, "order": 8})", "0.009293765034476077"},
      .value = [](Inputs& in) {
        return single(renyi_divergence(clones(in.number("local_epsilon"), in.number("reports")), in.number("order")));
      }};
  functions["shuffle.clones_epsilon_closed_form"] = {
      .summary = "epsilon of shuffled reports by the clones' closed form",
      .gives = "epsilon, nats",
      .accuracy = at_reference_vectors,
      .kind = ValueKind::upper_bound,
      .adjacency = "replace_one",
      .source = std::string(fmt2021) + "Theorem 3.1",
      .parameters = {given::local_epsilon.under("at most log(reports / (16 log(2 / delta)))"), given::reports,
                     given::delta},
      .example = {R"({"local_epsilon": 1, "reports": 1000, "delta": 1e-6})", "0.5662014894828011"},
      .value = [](Inputs& in) {
        return single(clones_epsilon_closed_form(in.number("local_epsilon"), in.number("reports"), in.number("delta")));
      }};
  functions["shuffle.clones_closed_form_approximate"] = {
      .summary = "epsilon and delta of shuffled reports that are (epsilon, delta)-DP, by the clones' closed form",
      .gives = "[epsilon, nats; delta, at most 1]",
      .accuracy = at_reference_vectors,
      .kind = ValueKind::upper_bound,
      .adjacency = "replace_one",
      .source = std::string(fmt2021) + "Theorem 3.8",
      .parameters = {given::local_epsilon.under("at most log(reports / (16 log(2 / delta)))"),
                     {.name = "local_delta", .meaning = "delta of the local randomiser", .range = range::probability},
                     given::reports,
                     given::delta.saying("to which that of the randomisers is added")},
      .example = {R"({"local_epsilon": 1, "local_delta": 1e-12, "reports": 1000, "delta": 1e-6})",
                  "[0.5662014894828011, 1.0032695241398436e-06]"},
      .value = [](Inputs& in) {
        const EpsilonDelta found = clones_closed_form_approximate(in.number("local_epsilon"), in.number("local_delta"),
                                                                  in.number("reports"), in.number("delta"));
        return list({found.epsilon, found.delta});
      }};
  functions["shuffle.girgis_renyi"] = {
      .summary = "Rényi divergence of shuffled reports by Girgis et al.'s closed form",
      .gives = "Rényi divergence, nats",
      .accuracy = at_reference_vectors,
      .kind = ValueKind::upper_bound,
      .adjacency = "replace_one",
      .source = "Girgis, Data, Diggavi, Kairouz, Suresh 2021 (arXiv:2105.05180), Theorem 2",
      .note = "refused unless order^4 e^(5 local_epsilon) <= reports / 9",
      .parameters = {given::local_epsilon, given::reports, whole_order},
      .example = {R"({"local_epsilon": 0.5, "reports": 10000, "order": 3})", "0.0002524398356386701"},
      .value = [](Inputs& in) {
        return single(girgis_renyi(in.number("local_epsilon"), in.number("reports"), in.number("order")));
      }};
}

void add_certified_clones(EvalFunctions& functions) {
  const std::string source =
      "accounting/shuffle/proofs.md, 3.1 (Feldman, McMillan, Talwar 2023, arXiv:2208.04591, "
      "as far as its erratum leaves it)";
  functions["shuffle.stronger_clones_delta"] = {
      .summary = "delta of shuffled binary randomised response, by stronger clones",
      .gives = "delta",
      .accuracy = clone_accuracy,
      .kind = ValueKind::upper_bound,
      .adjacency = "replace_one",
      .source = source,
      .parameters = {given::local_epsilon, given::reports, given::epsilon},
      .example = {R"({"local_epsilon": 1, "reports": 1000, "epsilon": 0.2})", "2.26567266739966e-09"},
      .value = [](Inputs& in) { return from_log(exactly(stronger(in), in.number("epsilon"))); }};
  functions["shuffle.stronger_clones_renyi"] = {
      .summary = "Rényi divergence of shuffled binary randomised response, by stronger clones",
      .gives = "Rényi divergence, nats",
      .accuracy = "relative error below 1e-10",
      .kind = ValueKind::upper_bound,
      .adjacency = "replace_one",
      .source = source,
      .parameters = {given::local_epsilon, given::reports, given::order},
      .example = {R"({"local_epsilon": 1, "reports": 1000, "order": 8})", "0.006355000134115794"},
      .value = [](Inputs& in) { return single(renyi_divergence(stronger(in), in.number("order"))); }};
  functions["shuffle.variation_ratio_revealed_delta"] = {
      .summary = "delta of shuffled reports from three numbers of the local randomiser",
      .gives = "delta",
      .accuracy = clone_accuracy,
      .kind = ValueKind::upper_bound,
      .adjacency = "replace_one",
      .source = "accounting/shuffle/proofs.md, 4.1 (Wang et al. 2023, arXiv:2304.05007, Theorem 4.7, corrected)",
      .parameters = {{.name = "ratio",
                      .meaning = "by which the changed report's two laws differ at most",
                      .range = range::open(1, range::infinity),
                      .condition = "at most e^650"},
                     {.name = "total_variation",
                      .meaning = "distance of these two laws itself, not a bound on it",
                      .range = range::inside_0_1,
                      .condition = "at most (ratio - 1) / (ratio + 1)"},
                     {.name = "background_ratio",
                      .meaning = "by which these two laws are above every other report's at most",
                      .range = range::at_least_1,
                      .condition = "at least 2 ratio total_variation / (ratio - 1)"},
                     given::reports,
                     given::epsilon},
      .example = {R"({"ratio": 2.718281828, "total_variation": 0.3, "background_ratio": 2, "reports": 1000, )"
                  R"("epsilon": 0.1})",
                  "9.008193735944127e-05"},
      .value = [](Inputs& in) {
        const VariationRatio randomizer{in.number("ratio"), in.number("total_variation"),
                                        in.number("background_ratio")};
        return from_log(exactly(variation_ratio_revealed(randomizer, in.number("reports")), in.number("epsilon")));
      }};
}

void add_silos(EvalFunctions& functions) {
  functions["shuffle.silo_clones_delta"] = {
      .summary = "delta of shuffled reports of silos that hold many records each, by clones",
      .gives = "delta",
      .accuracy = "relative error below 1e-10",
      .kind = ValueKind::upper_bound,
      .adjacency = "replace_one, one record of one silo",
      .source = "accounting/shuffle/proofs.md, 2.1 (Lowy, Razaviyayn 2023, Theorem D.14)",
      .parameters = {given::local_epsilon.saying("of each report, for every single record of its silo"), records, silos,
                     given::epsilon},
      .example = {R"({"local_epsilon": 0.1, "records": 10, "silos": 1000, "epsilon": 0.05})", "1.9004128453880318e-25"},
      .value = [](Inputs& in) {
        return from_log(silo_clones_log_delta(in.number("local_epsilon"), in.number("records"), in.number("silos"),
                                              in.number("epsilon")));
      }};
  functions["shuffle.silo_clones_epsilon_closed_form"] = {
      .summary = "epsilon of shuffled reports of silos that hold many records each, by the paper's closed form",
      .gives = "epsilon, nats",
      .accuracy = at_reference_vectors,
      .kind = ValueKind::estimate,
      .adjacency = "replace_one, one record of one silo",
      .source = "Lowy, Razaviyayn 2023 (arXiv:2106.09779), Theorem D.14, equation (21)",
      .note = "the published statement lost its constants: this reading agrees with the paper's other equations",
      .parameters = {given::local_epsilon.saying("of each report, for every single record of its silo")
                         .under("records times it at most log(silos / (16 log(2 / delta)))"),
                     records, silos, given::delta},
      .example = {R"({"local_epsilon": 0.1, "records": 10, "silos": 1000, "delta": 1e-6})", "0.07911681427586363"},
      .value = [](Inputs& in) {
        return single(silo_clones_epsilon_closed_form(in.number("local_epsilon"), in.number("records"),
                                                      in.number("silos"), in.number("delta")));
      }};
}

void add_exact_laws(EvalFunctions& functions) {
  functions["shuffle.exact_delta"] = {
      .summary = "delta of shuffled reports of few outputs between two data sets, by counting",
      .gives = "delta, the larger of both directions",
      .accuracy = "relative error below 1e-10, or 1e-16 absolute where both nearly agree",
      .kind = ValueKind::exact,
      .adjacency = "replace_one, for this pair of data sets: a lower bound for the mechanism",
      .source = "its definition",
      .note = "refused where there are more than 2^22 histograms of the reports",
      .parameters = {probabilities("r0", "of the outputs of the changed report in the first data set", "R0"),
                     probabilities("r1", "the same in the second; as many", "R1"),
                     probabilities("others", "of the outputs of every other report; as many", "Ri"),
                     {.name = "reports",
                      .meaning = "users, who send one report each",
                      .unit = "reports",
                      .type = ParameterType::integer,
                      .range = range::counts,
                      .aliases = {"n"}},
                     {.name = "epsilon",
                      .meaning = "privacy loss asked about",
                      .unit = "nats",
                      .range = range::not_negative,
                      .aliases = {"eps"}}},
      .example = {R"({"r0": [0.75, 0.25], "r1": [0.25, 0.75], "others": [0.75, 0.25], "reports": 100, "epsilon": 0.1})",
                  "0.014202252395410536"},
      .value = [](Inputs& in) {
        const std::vector<double> r0 = in.numbers("r0");
        const std::vector<double> r1 = in.numbers("r1");
        const std::vector<double> others = in.numbers("others");
        return single(exact_delta(r0, r1, others, whole(in, "reports"), in.number("epsilon")));
      }};
  functions["shuffle.randomized_response_delta"] = {
      .summary = "delta of shuffled binary randomised response where all others hold the same value",
      .gives = "delta",
      .accuracy = "relative error below 1e-12 + 1e-14 |log delta|",
      .kind = ValueKind::exact,
      .adjacency = "replace_one, for this pair of data sets: a lower bound for every theorem about shuffled reports",
      .source = "Balle, Bell, Gascon, Nissim 2019 (arXiv:1903.02837), section 5, for the ratio",
      .parameters = {given::local_epsilon.within(range::not_negative), given::reports, given::epsilon},
      .example = {R"({"local_epsilon": 1, "reports": 1000, "epsilon": 0.2})", "3.9215624187488876e-11"},
      .value = [](Inputs& in) {
        const double local_epsilon = in.number("local_epsilon");
        return from_log(randomized_response_log_delta(local_epsilon, whole(in, "reports"), in.number("epsilon")));
      }};
  functions["shuffle.binomial_shift_delta"] = {
      .summary = "delta of binomial noise on a count",
      .gives = "delta, the larger of both directions",
      .accuracy = "relative error below 1e-12 + 1e-13 |log delta| to a deviation of 1e4 shift, else below 1e-9",
      .kind = ValueKind::exact,
      .source = "Cheu, Joseph, Mao, Peng 2021 (arXiv:2106.09805), for the mechanism",
      .parameters = {{.name = "trials",
                      .meaning = "of the binomial noise",
                      .type = ParameterType::integer,
                      .range = range::counts},
                     {.name = "probability", .meaning = "of success in each", .range = range::inside_0_1},
                     {.name = "shift",
                      .meaning = "sensitivity of the count under the adjacency",
                      .type = ParameterType::integer,
                      .range = range::counts_from_0},
                     given::epsilon},
      .example = {R"({"trials": 1000, "probability": 0.5, "shift": 1, "epsilon": 0.2})", "1.5329531451474535e-05"},
      .value = [](Inputs& in) {
        return from_log(binomial_shift_log_delta(in.number("trials"), in.number("probability"), in.number("shift"),
                                                 in.number("epsilon")));
      }};
}

// Upper bounds by the privacy blanket of any finite randomiser, row by row, and of Gaussian noise on a ball.
void add_blankets(EvalFunctions& functions) {
  functions["shuffle.blanket_finite_delta"] = {
      .summary = "delta of shuffled reports of a randomiser of few inputs and outputs, by its privacy blanket",
      .gives = "delta",
      .accuracy = blanket_accuracy,
      .kind = ValueKind::upper_bound,
      .adjacency = "replace_one",
      .source =
          "Balle, Bell, Gascon, Nissim 2019 (arXiv:1903.02837), Lemma 5.3; accounting/shuffle/blanket/proofs.md, "
          "1.1",
      .parameters = {{.name = "probabilities",
                      .meaning = "of the outputs of the first input, then of the next: one row after the other",
                      .type = ParameterType::numbers,
                      .range = range::probability,
                      .condition = "2 to 16 rows, each of sum 1 up to 1e-9",
                      .library_names = {"matrix"}},
                     {.name = "outputs",
                      .meaning = "in each row",
                      .type = ParameterType::integer,
                      .range = range::counts,
                      .condition = "at most 64"},
                     given::reports,
                     given::epsilon},
      .example = {R"({"probabilities": [0.7, 0.3, 0.3, 0.7], "outputs": 2, "reports": 1000, "epsilon": 0.2})",
                  "2.704180632898041e-12"},
      .value = [](Inputs& in) {
        const Randomizer randomizer = finite(rows_of(in.numbers("probabilities"), whole(in, "outputs")));
        return from_log(shuffled_log_delta_bound(randomizer, whole(in, "reports"), in.number("epsilon")));
      }};
  functions["shuffle.blanket_gaussian_delta"] = {
      .summary = "delta of shuffled reports of Gaussian noise on vectors of the unit ball, by their privacy blanket",
      .gives = "delta",
      .accuracy = blanket_accuracy,
      .kind = ValueKind::upper_bound,
      .adjacency = "replace_one",
      .source =
          "Balle, Bell, Gascon, Nissim 2019 (arXiv:1903.02837), Lemma 5.3; Takagi, Liew 2026 "
          "(arXiv:2601.19154); accounting/shuffle/blanket/proofs.md, 6.1 and 6.2",
      .note = "refused where outputs tell inputs apart by a factor above e^600",
      .parameters = {{.name = "noise",
                      .meaning = "standard deviation of a coordinate over the ball's radius, not over the sensitivity",
                      .range = range::closed(1.42, 1e3)},
                     {.name = "dimension",
                      .meaning = "of the vectors",
                      .type = ParameterType::integer,
                      .range = range::closed(1, 10000)},
                     {.name = "left_out",
                      .meaning = "probability of large outputs that are left out and added to delta: well below delta",
                      .range = range::closed(1e-100, 0.1)},
                     given::reports,
                     given::epsilon},
      .example = {R"({"noise": 3, "dimension": 1, "left_out": 1e-12, "reports": 1000, "epsilon": 0.2})",
                  "8.798893751306109e-05"},
      .value = [](Inputs& in) {
        const Randomizer randomizer = gaussian(in.number("noise"), whole(in, "dimension"), in.number("left_out"));
        return from_log(shuffled_log_delta_bound(randomizer, whole(in, "reports"), in.number("epsilon")));
      }};
}

}  // namespace

void add_shuffle_functions(EvalFunctions& functions) {
  add_clones(functions);
  add_certified_clones(functions);
  add_silos(functions);
  add_exact_laws(functions);
  add_blankets(functions);
}

}  // namespace dpbudget::tools
