#include "dpbudget/accounting/approximate/shares.h"

#include <cmath>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/to_integer.h"

namespace dpbudget::approximate {

double best_share(double most, double least, const std::function<double(double)>& objective) {
  constexpr int first_stride = 8;
  constexpr int last_step = 4280;  // 2^-1070
  double best = least;
  double best_value = least <= most ? objective(least) : infinity;
  if (most == 0) return best;

  const auto share = [](int step) { return std::exp2(-step / 4.0); };
  int first = to_integer<int>(std::ceil(-4 * std::log2(most)), "step of a share");
  while (share(first) > most) ++first;
  int best_step = first;
  double best_on_grid = infinity;
  const auto attempt = [&](int step) {
    if (step < first || step > last_step || share(step) <= least) return false;
    const double value = objective(share(step));
    if (!(value < best_on_grid)) return false;
    best_on_grid = value;
    best_step = step;
    return true;
  };
  for (int step = first, misses = 0; misses < 2 && step <= last_step; step += first_stride) {
    const bool is_better = attempt(step);
    if (!is_better && best_on_grid < infinity) break;
    misses = is_better ? 0 : misses + 1;
  }
  for (int stride = first_stride / 2; stride >= 1; stride /= 2) {
    const int centre = best_step;
    if (!attempt(centre + stride)) attempt(centre - stride);
  }
  if (best_on_grid < best_value) {
    best = share(best_step);
    best_value = best_on_grid;
  }
  const auto attempt_part = [&](double part) {
    const double value = objective(part * most);
    if (!(value < best_value)) return;
    best = part * most;
    best_value = value;
  };
  // All of it may make each release free. Releases that leave next to nothing for their composition want nearly all,
  // where the grid is coarse.
  attempt_part(1);
  if (best_step <= first + 2)
    for (const double part : {0.9, 0.97, 0.995}) attempt_part(part);
  return best;
}

}  // namespace dpbudget::approximate
