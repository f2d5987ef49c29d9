/// @file
/// What is known of how far a federated run ends from the optimum, one statement after another, by names.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/accounting/base/names.h"
#include "dpbudget/fl/convergence/analysis.h"
#include "dpbudget/tools/cli/eval/functions.h"

namespace dpbudget::tools {

/// What a statement's numbers are worth.
enum class Standing {
  proven,     ///< in fl/convergence/proofs.md, rounding included
  published,  ///< as the paper states it; not proven here
  refuted,    ///< as the paper states it; false, or for no run at all (fl/convergence/proofs.md)
  order,      ///< each term up to a constant that the paper does not give
};

struct Term {
  std::string name;
  double value;
};

/// A statement at one number of rounds.
struct Evaluation {
  std::vector<Term> terms;      ///< parts of the total
  std::optional<double> total;  ///< nothing: an order
  std::vector<Term> steps;      ///< at which it is meant: those given, or the best
};

/// A theorem as a function of named constants: `dpbudget eval` answers it as convergence.NAME, in whose list the terms
/// are followed by the total, where there is one, and the steps.
struct Statement {
  std::string_view name;
  std::vector<fl::Analysis> about;  ///< the algorithms that it is for
  Standing standing;
  std::string_view measures;  ///< what it bounds
  std::string_view source;
  std::string_view note;             ///< what a reader must know besides, or empty
  std::string_view terms;            ///< of the evaluation's list, by name
  std::vector<Parameter> constants;  ///< all that it may ask for
  std::string_view example;          ///< constants, as JSON, at 50 rounds
  std::string_view value;            ///< what the list then is
  Evaluation (*at)(Inputs& constants, std::uint64_t rounds);
};

/// All of them.
const std::vector<Statement>& statements();

/// Every constant that a statement may ask for, beside `rounds` and `schedule`.
const std::vector<Parameter>& constants();

/// The one of that name.
const Parameter& constant(std::string_view name);
/// Those of these names.
std::vector<Parameter> constants_of(std::initializer_list<std::string_view> names);
/// All of them, one list after the other.
std::vector<Parameter> joined(std::initializer_list<std::vector<Parameter>> lists);

void add_noble_statements(std::vector<Statement>& all);
void add_chang_statements(std::vector<Statement>& all);
void add_chen_statements(std::vector<Statement>& all);
void add_lowy_statements(std::vector<Statement>& all);

/// The deviation of the noise in a coordinate of a mean gradient: 2 C sigma_g / batch, rounded up.
/// @throws InvalidArgument unless clip is positive, noise at least 0, batch at least 1, and each finite
double noise_std(Inputs& constants);

}  // namespace dpbudget::tools

namespace dpbudget {

template <>
struct Names<tools::Standing> {
  static constexpr NameTable<tools::Standing, 4> all{{{tools::Standing::proven, "proven"},
                                                      {tools::Standing::published, "published"},
                                                      {tools::Standing::refuted, "refuted"},
                                                      {tools::Standing::order, "order"}}};
};

}  // namespace dpbudget
