#include "dpbudget/accounting/tradeoff/gaussian.h"

#include <cmath>
#include <limits>

#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/profile/subsampled_gaussian.h"
#include "dpbudget/accounting/tradeoff/ranges.h"

namespace dpbudget::tradeoff {

double gaussian_log_type_two_error(double mu, double type_one_error) {
  ranges::mu(mu);
  ranges::type_one_error(type_one_error);
  if (type_one_error == 0) return 0;
  if (type_one_error == 1) return -std::numeric_limits<double>::infinity();
  return numeric::log_upper_tail(mu - numeric::upper_tail_point(type_one_error));
}

double gaussian_power(double mu, double type_one_error) {
  ranges::mu(mu);
  ranges::type_one_error(type_one_error);
  if (type_one_error == 0 || type_one_error == 1) return type_one_error;
  return numeric::upper_tail(numeric::upper_tail_point(type_one_error) - mu);
}

double gaussian_to_log_delta(double mu, double epsilon) {
  return profile::subsampled_gaussian_log_delta(1, mu, epsilon);
}

}  // namespace dpbudget::tradeoff
