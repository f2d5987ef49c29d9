/// @file
/// The algorithms by name.
#pragma once

#include <string_view>

#include "dpbudget/fl/algorithms/algorithm.h"
#include "dpbudget/fl/papers/claims.h"

namespace dpbudget::fl {

/// Who trains under that name, and what its paper claims.
struct CatalogueEntry {
  const Algorithm& algorithm;
  const Claims& claims;
};

/// @throws InvalidArgument naming algorithm and listing the names there are
CatalogueEntry catalogued(std::string_view name);

}  // namespace dpbudget::fl
