/// @file
/// Witnesses as certificates have them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "dpbudget/accounting/base/witness.h"

namespace dpbudget::tools {

/// An object whose `kind` says what it has; null for none.
nlohmann::json to_json(const Witness& witness);

}  // namespace dpbudget::tools
