/// @file
/// Pages as files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/tools/cli/page/page.h"

namespace dpbudget::tools {

/// A page by itself, with its style and its pictures inside.
std::string html_of(const PageContent& page);

/// The same as text; of a figure its points, at a dozen places.
std::string markdown_of(const PageContent& page);

/// How the upper and the lower end of a bound are to be read; nothing where no theorem gives any.
std::vector<std::string> reading_aids(const PageContent& page);

/// What a page rests on, and where that was published: each reference once, in the order in which it is cited.
std::vector<Entry> references_of(const PageContent& page);

/// What computed it: the program and what it was built with.
std::vector<Entry> versions();

/// The points of a figure, the first column being x: at a dozen places at most. Figures are rounded to the nearest,
/// which `rounding_of_points` says.
std::vector<Row> points_of(const Plot& plot);
inline constexpr std::string_view rounding_of_points = "Points of a figure, in five digits, rounded to the nearest:";

}  // namespace dpbudget::tools
