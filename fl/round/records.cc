#include "dpbudget/fl/round/records.h"

namespace dpbudget::fl {

std::string_view mechanism_name(const BatchRecipe& recipe) {
  const bool is_at_median = std::holds_alternative<MedianClipping>(recipe.clipping);
  return is_at_median ? ReleaseRun::gaussian_at_median : traits_of(recipe.mechanism).name;
}

}  // namespace dpbudget::fl
