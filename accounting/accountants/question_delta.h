/// @file
/// The delta that an accountant is asked about.
#pragma once

namespace dpbudget {

/// Delta 0 asks for pure DP, which the accountants best and approximate have theorems for.
/// @throws InvalidArgument unless in [0, 1)
void check_question_delta(double delta);

}  // namespace dpbudget
