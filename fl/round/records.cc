#include "dpbudget/fl/round/records.h"

#include "dpbudget/mechanisms/sample.h"

namespace dpbudget::fl {

std::string_view scheme_name(Batches batches) {
  switch (batches) {
    case Batches::fresh:
      return mechanisms::WithoutReplacement::name;
    case Batches::disjoint:
      return disjoint_scheme;
    case Batches::with_replacement:
      return mechanisms::WithReplacement::name;
  }
  return {};
}

std::string_view mechanism_name(const BatchRecipe& recipe) {
  switch (recipe.mechanism) {
    case Mechanism::none:
      break;
    case Mechanism::gaussian:
      return std::holds_alternative<MedianClipping>(recipe.clipping) ? ReleaseRun::gaussian_at_median
                                                                     : ReleaseRun::gaussian;
    case Mechanism::shuffled_gaussian:
      return ReleaseRun::shuffled_gaussian;
    case Mechanism::shuffled_binomial:
      return ReleaseRun::shuffled_binomial;
  }
  return ReleaseRun::no_guarantee;
}

}  // namespace dpbudget::fl
