#include "dpbudget/fl/round/records.h"

namespace dpbudget::fl {

std::string_view mechanism_name(const BatchRecipe& recipe) {
  switch (recipe.mechanism) {
    case Mechanism::none:
      break;
    case Mechanism::gaussian:
      return recipe.clipping == Clipping::median ? ReleaseRun::gaussian_at_median : ReleaseRun::gaussian;
    case Mechanism::shuffled_gaussian:
      return ReleaseRun::shuffled_gaussian;
    case Mechanism::shuffled_binomial:
      return ReleaseRun::shuffled_binomial;
  }
  return ReleaseRun::no_guarantee;
}

}  // namespace dpbudget::fl
