#include "dpbudget/accounting/shuffle/silos.h"

#include "dpbudget/accounting/plan/ranges.h"
#include "dpbudget/accounting/renyi/moment.h"
#include "dpbudget/accounting/shuffle/ranges.h"

namespace dpbudget::shuffle {

ClonePair silo_clones(double local_epsilon, double records, double silos) {
  ranges::local_epsilon(local_epsilon);
  ranges::records(records);
  ranges::silos(silos);
  return {local_epsilon, CloneCount(silos - 1, -renyi::log_expm1(records * local_epsilon))};
}

double silo_clones_log_delta(double local_epsilon, double records, double silos, double epsilon) {
  const ClonePair pair = silo_clones(local_epsilon, records, silos);
  dpbudget::ranges::epsilon(epsilon);
  return log_delta(pair, epsilon, {0}).middle();
}

}  // namespace dpbudget::shuffle
