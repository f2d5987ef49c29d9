/// @file
/// What came out of several seeds, as a table and as a figure.
#pragma once

#include <string>
#include <vector>

#include "dpbudget/tools/cli/simulation/seed_run.h"

namespace dpbudget::tools {

/// Mean and standard deviation, over the seeds, of the last losses and scores, and of what was measured of all.
std::string summary_table(const std::vector<SeedRun>& runs);

/// Draws score and loss against rounds and, where there is a proven one, against epsilon spent: the mean over the seeds
/// in a band of its standard deviation, or a line for each where they were evaluated at different places.
/// @return what is to be said of the figure: where it is, and why epsilon is left out
std::string plot_runs(const std::vector<SeedRun>& runs, const std::string& file);

}  // namespace dpbudget::tools
