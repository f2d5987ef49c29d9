#include "dpbudget/fl/round/records.h"

#include <limits>

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
    case Batches::shuffled:
      return shuffled_scheme;
  }
  return {};
}

std::uint64_t ReleaseRun::end() const {
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t begin = first.value_or(0);
  return sample > 0 && count > (largest - begin) / sample ? largest : begin + count * sample;
}

std::string_view mechanism_name(const BatchRecipe& recipe) {
  const bool is_at_median = std::holds_alternative<MedianClipping>(recipe.clipping);
  return is_at_median ? ReleaseRun::gaussian_at_median : traits_of(recipe.mechanism).name;
}

}  // namespace dpbudget::fl
