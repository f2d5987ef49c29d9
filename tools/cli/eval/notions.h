/// @file
/// The reference functions of each notion, one file a notion.
#pragma once

#include <cmath>
#include <utility>

#include "dpbudget/tools/cli/eval/functions.h"

namespace dpbudget::tools {

/// The accuracy of functions whose header states none.
inline constexpr const char* at_reference_vectors = "relative error below 1e-10 at every reference vector";

inline Evaluated single(double value) { return {{value}}; }
inline Evaluated from_log(double log_value) { return {{std::exp(log_value)}, false, {log_value}}; }
inline Evaluated list(std::vector<double> values) { return {std::move(values), true}; }

void add_profile_functions(EvalFunctions& functions);
void add_renyi_functions(EvalFunctions& functions);
void add_approximate_functions(EvalFunctions& functions);
void add_concentrated_functions(EvalFunctions& functions);
void add_tradeoff_functions(EvalFunctions& functions);
void add_shuffle_functions(EvalFunctions& functions);
void add_published_functions(EvalFunctions& functions);
void add_schedule_functions(EvalFunctions& functions);
void add_algorithm_functions(EvalFunctions& functions);
void add_convergence_functions(EvalFunctions& functions);

}  // namespace dpbudget::tools
