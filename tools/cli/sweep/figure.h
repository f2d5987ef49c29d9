/// @file
/// A sweep as a picture.
#pragma once

#include <string>
#include <vector>

#include "dpbudget/tools/cli/sweep/cells.h"

namespace dpbudget::tools {

/// Checks what a metric is to be drawn against: `epsilon`, or an axis all of whose values are numbers.
/// @throws InvalidArgument naming --against
void check_against(const std::string& against, const std::vector<GridAxis>& axes);

/// Two panels: the metric's mean over the seeds, in a band of its standard deviation, against epsilon or an axis, a
/// line for each combination of the other axes' values; and every cell's mean against its epsilon, with the front of
/// those that no other is better than for no more epsilon. The second is left out where no cell has a proven epsilon.
/// @throws InvalidArgument as write_plots; naming --against when there is nothing to be drawn
void draw_sweep(const std::vector<GridAxis>& axes, const std::vector<CellResult>& cells, const Metric& metric,
                const std::string& against, const std::string& adversary, const std::string& file);

}  // namespace dpbudget::tools
