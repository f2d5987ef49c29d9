/// @file
/// The largest count that meets a budget.
#pragma once

#include <cstdint>
#include <functional>

namespace dpbudget::numeric {

/// The largest count in [0, end) that fits, found by doubling strides outwards from `start` and then by bisection.
/// @param start  in [0, end): a good guess makes it quick
/// @param end    does not fit
/// @param fits   true up to some count and false beyond; never asked about 0, which fits
std::uint64_t largest_that_fits(std::uint64_t start, std::uint64_t end, const std::function<bool(std::uint64_t)>& fits);

}  // namespace dpbudget::numeric
