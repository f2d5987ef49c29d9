#include "dpbudget/accounting/numeric/integer_search.h"

#include <algorithm>

namespace dpbudget::numeric {

std::uint64_t largest_that_fits(std::uint64_t start, std::uint64_t end,
                                const std::function<bool(std::uint64_t)>& fits) {
  std::uint64_t low = 0;
  std::uint64_t high = end;
  const auto narrow = [&](std::uint64_t count) {
    const bool fitting = count == 0 || fits(count);
    (fitting ? low : high) = count;
    return fitting;
  };
  if (narrow(start)) {
    for (std::uint64_t stride = 1; high - low > stride && narrow(low + stride); stride *= 2) {
    }
  } else {
    for (std::uint64_t stride = 1; high - low > stride && !narrow(high - stride); stride *= 2) {
    }
  }
  while (high - low > 1) narrow(low + (high - low) / 2);
  return low;
}

}  // namespace dpbudget::numeric
