/// @file
/// E[(sum of n independent copies)_+] over all outcomes, for few values and few copies.
#pragma once

#include <optional>

#include "dpbudget/accounting/shuffle/blanket/law.h"

namespace dpbudget::shuffle {

/// log of E[(L_1 + ... + L_n)_+] / n, on the given side of the truth, as a sum over how often each value occurs.
/// @param law      on the same side
/// @param reports  n, at least 1
/// @return nothing where that would be too many terms
std::optional<double> enumerated_log_mean_excess(const BlanketLaw& law, double reports, Side side);

}  // namespace dpbudget::shuffle
