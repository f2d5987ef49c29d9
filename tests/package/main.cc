#include <iostream>

#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/renyi/accountant.h"
#include "dpbudget/version.h"

int main() {
  const auto plan = dpbudget::parse_plan("10000 x poisson(0.01, gaussian(1))");
  const double epsilon = dpbudget::renyi::epsilon(plan, 1e-5).upper;
  std::cout << "dpbudget " << dpbudget::version << ": epsilon " << epsilon << " at delta 1e-5\n";
  const double truth = 6.1877, best_renyi = 6.7128;  // the second is what other Renyi accountants print, rounded up
  return truth <= epsilon && epsilon <= best_renyi ? 0 : 1;
}
