/// @file
/// The algorithms by name.
#pragma once

#include <memory>
#include <string_view>

#include "dpbudget/fl/algorithms/algorithm.h"
#include "dpbudget/fl/papers/claims.h"
#include "dpbudget/fl/run/traits.h"

namespace dpbudget::fl {

/// Who trains under that name, and what its paper claims.
struct CatalogueEntry {
  const Algorithm& algorithm;
  const Claims& claims;
};

/// @throws InvalidArgument naming algorithm and listing the names there are
CatalogueEntry catalogued(std::string_view name);

/// Makes an algorithm known under traits.name, whoever wrote it: it can then be settled, simulated, planned for and
/// verified like those of this library. Call it before any thread runs an algorithm.
///
/// What is proven of a run follows from `traits` and the run alone, whatever the algorithm computes: all that leaves a
/// client leaves through its Release. That holds for an algorithm that keeps to what Algorithm says, and whose
/// `traits.released_mean` is true only where it is so.
/// @param claims  what its paper claims; left out, nothing
/// @throws InvalidArgument naming algorithm when the name is empty or taken
void add_algorithm(AlgorithmTraits traits, std::unique_ptr<const Algorithm> algorithm,
                   std::unique_ptr<const Claims> claims = std::make_unique<Claims>());

}  // namespace dpbudget::fl
