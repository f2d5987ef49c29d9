/// @file
/// Findings as the XML that build servers read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/tools/cli/check/verdict.h"

namespace dpbudget::tools {

/// One test case a claim, in order: a failure where it is unsafe, skipped where nothing is decided.
/// @param suite  its name: where the claims are from
std::string junit(const std::vector<Finding>& findings, std::string_view suite);

}  // namespace dpbudget::tools
