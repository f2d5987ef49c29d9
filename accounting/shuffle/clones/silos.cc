#include "dpbudget/accounting/shuffle/clones/silos.h"

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/numeric/log_math.h"
#include "dpbudget/accounting/shuffle/clones/ranges.h"

namespace dpbudget::shuffle {

ClonePair silo_clones(double local_epsilon, double records, double silos) {
  clone_ranges::local_epsilon(local_epsilon);
  clone_ranges::records(records);
  clone_ranges::silos(silos);
  return {local_epsilon, CloneCount(silos - 1, -numeric::log_expm1(records * local_epsilon))};
}

double silo_clones_log_delta(double local_epsilon, double records, double silos, double epsilon) {
  const ClonePair pair = silo_clones(local_epsilon, records, silos);
  dpbudget::ranges::epsilon(epsilon);
  return log_delta(pair, epsilon, {0}).middle();
}

}  // namespace dpbudget::shuffle
