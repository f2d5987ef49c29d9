/// @file
/// Exit statuses, one a meaning.
#pragma once

namespace dpbudget::tools {

inline constexpr int inside_budget = 0;  ///< done, and inside the budget where one was given
inline constexpr int over_budget = 1;    ///< a budget is exceeded, a ledger does not verify, or a claim is unsafe
inline constexpr int bad_input = 2;      ///< the input is wrong, and nothing was written
inline constexpr int diverged = 3;       ///< the training left the range of finite numbers
inline constexpr int cannot_write = 4;   ///< an output cannot be written
inline constexpr int interrupted = 130;  ///< stopped by a signal; all that was done is recorded

}  // namespace dpbudget::tools
