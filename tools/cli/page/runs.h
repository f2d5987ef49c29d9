/// @file
/// What a page says of federated runs.
#pragma once

#include "dpbudget/fl/run/adversary.h"
#include "dpbudget/fl/verify/verify.h"
#include "dpbudget/tools/cli/output/report_output.h"
#include "dpbudget/tools/cli/page/page.h"

namespace dpbudget::tools {

/// Who that is, and whom the guarantee against it protects.
void assume(fl::Adversary adversary, Page& page);

/// A run as its ledger tells it: the verdict, what each adversary learns, every check, and what all that takes for
/// granted.
void describe(const fl::Report& report, const Budget& budget, Page& page);

}  // namespace dpbudget::tools
