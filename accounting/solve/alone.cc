#include "dpbudget/accounting/solve/alone.h"

namespace dpbudget::solve {

std::optional<Bound> Budget::spent_inside(const Plan& known) const {
  const auto made = [&] { return make_accountant(name, known, tolerance); };
  const auto first = made();
  if (!first) return std::nullopt;
  const Answer<Bound> spent = (*first)->epsilon(1, delta);
  if (!spent || !(spent->upper <= epsilon)) return std::nullopt;
  if (delta > 0) {
    const Answer<DeltaBound> left = made().value()->delta(1, epsilon);
    if (left && !(left->bound.upper <= delta)) return std::nullopt;
  }
  return *spent;
}

}  // namespace dpbudget::solve
